// SPDX-License-Identifier: Apache-2.0
// Kills, full disks, directories that cannot be written and torn stores: no point is lost, no result is half there.
#include "tests/draws.h"
#include "tests/fuzz/bounded_run.h"
#include "tests/test.h"

namespace faults_test {
namespace {

namespace fs = std::filesystem;

constexpr int points = 24;

std::uint64_t cases(std::uint64_t by_default) { return given("ECUBE_CASES", random_cases(by_default)); }
const std::uint64_t first_seed = given("ECUBE_SEED", 1);

void write_study(const std::string& file) {
  std::ofstream(file) << "name = \"s\"\nrun = \"exchange\"\n[workload]\ndim = 6\npartition = \"3,3\"\n[[axis]]\nkey = "
                         "\"bytes\"\nlinear = { from = 1, to = "
                      << points << " }\n";
}

/// The points of a store and their results, without the times that they took.
std::string results(const std::string& store) {
  return bounded_run("/bin/sh",
                     {"-c", "sqlite3 'file:" + store +
                                "/results.sqlite?mode=ro' \"SELECT number, id, status, json_extract(result, "
                                "'$.measured') FROM points ORDER BY number\""},
                     store)
      .output;
}

struct Store {
  Store() {
    fs::create_directory(here);
    write_study(here + "/s.toml");
  }
  [[nodiscard]] Ending sweep(const std::string& store, const Bounds& bounds = {}) const {
    return bounded_run(ecube_program(), {"sweep", "s.toml", "--quiet", "-j", "2", "-o", store}, here, bounds);
  }
  const Directory parent;
  const std::string here = parent / "here";
};

std::string whole_results(const Store& study) {
  const Ending whole = study.sweep("whole");
  EXPECT_EQ(whole.status, 0) << whole.output;
  std::string expected = results(study.here + "/whole");
  EXPECT_EQ(std::count(expected.begin(), expected.end(), '\n'), points) << expected;
  return expected;
}

TEST(Faults, KillsLoseNoPoint) {
  const Store study;
  const auto begin = std::chrono::steady_clock::now();
  const std::string expected = whole_results(study);
  // Kills come at any time of a sweep, however long one takes here and now.
  const double whole_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::uint64_t kills = 0;
  std::uint64_t in_time = 0;
  std::uint64_t sweeps = 0;
  while (in_time < cases(6) && ++sweeps <= 40 * cases(6)) {
    Draws draws(first_seed + kills++);
    const Ending ending =
        study.sweep("killed", {.kill_after_s = whole_s * static_cast<double>(1 + draws.up_to(999)) / 1000});
    in_time += WIFSIGNALED(ending.status) ? 1 : 0;
    EXPECT_TRUE(WIFSIGNALED(ending.status) || ending.status == 0) << ending.output;
    if (!WIFSIGNALED(ending.status)) {
      ASSERT_EQ(results(study.here + "/killed"), expected) << "after " << kills << " kills, seed " << first_seed;
      fs::remove_all(study.here + "/killed");
    }
  }
  EXPECT_GT(in_time, 0U) << "every sweep had ended before it was to be killed";
  const Ending last = study.sweep("killed");
  EXPECT_EQ(last.status, 0) << last.output;
  EXPECT_EQ(results(study.here + "/killed"), expected) << "seed " << first_seed;
  std::printf("sweeps of %d points from seed %llu, counts: %llu sweeps %llu killed-in-time 0 points-lost\n", points,
              static_cast<unsigned long long>(first_seed), static_cast<unsigned long long>(sweeps),
              static_cast<unsigned long long>(in_time));
}

/// With the disk full at some byte, a run is whole or it is not there, and an earlier one stays.
TEST(Faults, FullDisksLeaveWholeResults) {
  const Store study;
  const auto run = [&study](const std::string& bytes, const Bounds& bounds) {
    return bounded_run(ecube_program(), {"run", "exchange", "--dim", "3", "--bytes", bytes, "--circuits", "-o", "run"},
                       study.here, bounds);
  };
  ASSERT_EQ(run("16", {}).status, 0);
  auto earlier = contents(study.here + "/run");
  std::uint64_t failed = 0;
  const std::uint64_t count = cases(40);
  for (std::uint64_t number = first_seed; number < first_seed + count; ++number) {
    Draws draws(number);
    const std::uint64_t most = draws.up_to(3) == 0 ? draws.up_to(100) : draws.up_to(20'000);
    const Ending ending = run("32", {.file_bytes = static_cast<long>(most)});
    ASSERT_TRUE(WIFEXITED(ending.status)) << "limit " << most << ", seed " << number;
    const int code = WEXITSTATUS(ending.status);
    ASSERT_TRUE(code == 0 || code == 1) << code << " limit " << most << ", seed " << number << "\n" << ending.output;
    if (code == 1) {
      ++failed;
      ASSERT_TRUE(contents(study.here + "/run") == earlier) << "limit " << most << ", seed " << number;
    } else {
      ASSERT_HAS(file_text(study.here + "/run/summary.json"), "\"bytes\": 32");
      ASSERT_EQ(run("16", {}).status, 0);
      earlier = contents(study.here + "/run");
    }
  }
  EXPECT_GT(failed, 0U);
  std::printf("full disks from seed %llu, counts: %llu full-disks %llu runs-refused\n",
              static_cast<unsigned long long>(first_seed), static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(failed));
}

/// A store whose disk was full is completed by the same command once there is room.
TEST(Faults, FullDisksLoseNoPoint) {
  const Store study;
  const std::string expected = whole_results(study);
  const std::uint64_t count = cases(8);
  for (std::uint64_t number = first_seed; number < first_seed + count; ++number) {
    Draws draws(number);
    const Ending full = study.sweep("full", {.file_bytes = static_cast<long>(draws.up_to(150'000))});
    ASSERT_EQ(fault_of(full, false), "") << "seed " << number << "\n" << full.output;
    const Ending again = study.sweep("full");
    ASSERT_EQ(again.status, 0) << "seed " << number << "\n" << full.output << again.output;
    ASSERT_EQ(results(study.here + "/full"), expected) << "seed " << number;
    fs::remove_all(study.here + "/full");
  }
}

/// A checkout may be in a directory that only its owner enters.
TEST(Faults, StrangersRunAProgramWhoseDirectoryIsClosedToThem) {
  const Directory parent;
  fs::permissions(parent / "", fs::perms(0755));
  fs::create_directory(parent / "here");
  fs::create_directory(parent / "private");
  fs::copy(ecube_program(), parent / "private/ecube");
  fs::permissions(parent / "private", fs::perms(0700));
  const Ending ending =
      bounded_run(parent / "private/ecube", {"run", "exchange", "--dim", "2"}, parent / "here", {.stranger = true});
  EXPECT_EQ(ending.status, 0) << ending.output;
}

TEST(Faults, DirectoriesThatCannotBeWrittenAreSaidAndStayEmpty) {
  const Store study;
  const std::string closed = study.here + "/closed";
  fs::create_directory(closed);
  // Others may read what the test made, and write nothing but the log.
  fs::permissions(study.parent / "", fs::perms(0755));
  fs::permissions(closed, fs::perms(0555));
  ASSERT_EQ(study.sweep("whole").status, 0);
  ASSERT_EQ(bounded_run(ecube_program(), {"run", "exchange", "--dim", "2", "-o", "run"}, study.here).status, 0);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"run", "exchange", "--dim", "2", "-o", "closed/run"},
                                             {"run", "traffic", "--dim", "2", "--trace", "closed/trace.fst"},
                                             {"sweep", "s.toml", "-o", "closed/store"},
                                             {"sweep", "export", "whole", "-o", "closed/x.csv"},
                                             {"report", "run", "-o", "closed/report.html"},
                                             {"validate", "combine ideal", "-o", "closed/map"}}) {
    const Ending ending = bounded_run(ecube_program(), words, study.here, {.stranger = true});
    ASSERT_TRUE(WIFEXITED(ending.status)) << words[0] << " " << words[1];
    EXPECT_TRUE(WEXITSTATUS(ending.status) == 1 || WEXITSTATUS(ending.status) == 2)
        << words[0] << " " << words[1] << ": " << WEXITSTATUS(ending.status) << "\n"
        << ending.output;
    EXPECT_HAS(ending.output, "error: ") << words[0] << " " << words[1];
    EXPECT_HAS(ending.output, "closed") << words[0] << " " << words[1];
    EXPECT_TRUE(fs::is_empty(closed)) << words[0] << " " << words[1];
  }
}

/// Bytes of a store that are cut off, zero or others: what a command still reads is what was stored.
TEST(Faults, TornStoresAreReadOrRefused) {
  const Store study;
  const std::string expected = whole_results(study);
  const std::string exported = bounded_run(ecube_program(), {"sweep", "export", "whole"}, study.here).output;
  const std::string file = study.here + "/whole/results.sqlite";
  ASSERT_TRUE(fs::exists(file));
  const std::string good = file_text(file);
  std::map<int, int> endings;
  const std::uint64_t count = cases(30);
  for (std::uint64_t number = first_seed; number < first_seed + count; ++number) {
    Draws draws(number);
    std::string torn = good;
    switch (draws.up_to(2)) {
      case 0:
        torn.resize(draws.up_to(good.size() - 1));
        break;
      case 1:
        for (auto flips = 1 + draws.up_to(20 * draws.up_to(1)); flips > 0; --flips) {
          char& byte = torn[draws.up_to(torn.size() - 1)];
          byte = static_cast<char>(byte ^ (1 << draws.up_to(7)));
        }
        break;
      default: {
        const auto at = draws.up_to(torn.size() - 1);
        torn.replace(at, 1 + draws.up_to(5000), std::string(draws.up_to(5000), '\0'));
      }
    }
    fs::remove_all(study.here + "/torn");
    fs::copy(study.here + "/whole", study.here + "/torn", fs::copy_options::recursive);
    std::ofstream(study.here + "/torn/results.sqlite", std::ios::binary) << torn;
    fs::remove_all(study.here + "/merged");
    const std::vector<std::vector<std::string>> commands = {{"sweep", "export", "torn"},
                                                            {"sweep", "s.toml", "--quiet", "-o", "torn"},
                                                            {"sweep", "merge", "merged", "torn"}};
    const std::vector<std::string>& words = commands[draws.up_to(commands.size() - 1)];
    const Ending ending = bounded_run(ecube_program(), words, study.here);
    EXPECT_EQ(fault_of(ending, false), "")
        << words[0] << " " << words[1] << " ECUBE_SEED=" << number << " ECUBE_CASES=1\n"
        << ending.output.substr(0, 1000);
    if (ending.status == 0 && words[1] == "export") {
      EXPECT_EQ(ending.output, exported) << "seed " << number;
    }
    if (ending.status == 0 && words[1] == "merge") {
      EXPECT_EQ(results(study.here + "/merged"), expected) << number;
    }
    if (ending.status == 0 && words[1] == "s.toml") {
      EXPECT_EQ(results(study.here + "/torn"), expected) << number;
    }
    ++endings[WIFSIGNALED(ending.status) ? -WTERMSIG(ending.status) : WEXITSTATUS(ending.status)];
  }
  std::printf("torn stores from seed %llu, counts: %llu torn-stores", static_cast<unsigned long long>(first_seed),
              static_cast<unsigned long long>(count));
  for (const auto& [code, number] : endings) std::printf(" %d exit:%d", number, code);
  std::printf("\n");
  if (count >= 20) {
    EXPECT_GT(endings[1] + endings[2], 0);
    EXPECT_GT(endings[0], 0);
  }
}

}  // namespace
}  // namespace faults_test
