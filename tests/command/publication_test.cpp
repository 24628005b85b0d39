// SPDX-License-Identifier: Apache-2.0
// A run that is killed, or whose disk fails, at any of its system calls leaves the earlier run or its own, whole.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/command/shell.h"
#include "tests/command/system_calls.h"

namespace publication_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// The leak check of a sanitized program does not work under strace.
const std::string environment = "ASAN_OPTIONS=detect_leaks=0 ";
constexpr const char* calls =
    "openat,mkdir,mkdirat,write,writev,pwrite64,rename,renameat,renameat2,unlink,unlinkat,rmdir,fsync,close,flock,"
    "ftruncate,newfstatat,getdents64";

/// A run into a directory that may have an earlier one.
struct Situation {
  const char* name;
  const char* earlier;  ///< arguments; nullptr for none
  const char* run;      ///< arguments of the run that meets the fault; its block has 7 bytes
  friend std::ostream& operator<<(std::ostream& out, const Situation& situation) { return out << situation.name; }
};
constexpr Situation situations[] = {
    {"first", nullptr, "--bytes 7"},
    {"again", "--bytes 5", "--bytes 7"},
    {"smaller", "--bytes 5 --circuits", "--bytes 7 --replace"},
};

std::string exchange(const std::string& arguments) { return "run exchange --dim 1 --quiet " + arguments + " -o run"; }

class Faults : public testing::TestWithParam<Situation> {
 protected:
  void SetUp() override {
    if (GetParam().earlier == nullptr) return;
    ASSERT_EQ(at(earlier_ / "", ecube_program() + " " + exchange(GetParam().earlier)).status, 0);
  }

  static Outcome at(const std::string& place, const std::string& line) {
    return shell("cd " + place + " && " + environment + line + " 2>&1");
  }

  /// The system calls of the run from the moment in which it looks at its directory.
  [[nodiscard]] std::vector<SystemCall> run_calls() const {
    const Directory place;
    begin(place);
    expect(at(place / "", std::string("strace -f -qq -o calls -e trace=") + calls + " " + ecube_program() + " " +
                              exchange(GetParam().run)),
           0);
    return calls_between(place / "calls", "run\"", "");
  }

  void begin(const Directory& place) const {
    if (GetParam().earlier != nullptr) fs::copy(earlier_ / "run", place / "run");
  }

  static Outcome run_with(const Directory& place, const std::string& fault) {
    return at(place / "",
              "strace -f -qq -o /dev/null " + fault + " " + ecube_program() + " " + exchange(GetParam().run));
  }

  /// What a reader finds: the bytes of a run's blocks; 0 where there is no run yet.
  static int read(const Directory& place) {
    const Outcome outcome = at(place / "", ecube_program() + " compare run run");
    for (const int bytes : {5, 7, 9}) {
      if (outcome.output.find("--bytes " + std::to_string(bytes)) != std::string::npos) return bytes;
    }
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    EXPECT_HAS(outcome.output, "is no run directory");
    return 0;
  }

  /// The next run has the directory to itself.
  static void run_again(const Directory& place) {
    expect(at(place / "", ecube_program() + " " + exchange("--bytes 9 --replace")), 0);
    EXPECT_EQ(read(place), 9);
    EXPECT_EQ(place.files("run"),
              (std::vector<std::string>{"links.csv", "provenance.json", "resolved.toml", "summary.json"}));
  }

  [[nodiscard]] int earlier_bytes() const { return GetParam().earlier == nullptr ? 0 : 5; }

  Directory earlier_;
};

constexpr unsigned one_of = 40;

TEST_P(Faults, AKillLeavesTheEarlierRunOrTheNewOne) {
  Sample sample(one_of);
  std::map<int, int> found;
  for (const SystemCall& call : run_calls()) {
    if (!sample.takes()) continue;
    const std::string fault = call.with("signal=KILL");
    SCOPED_TRACE(fault + ", " + sample.name());
    const Directory place;
    begin(place);
    EXPECT_NE(run_with(place, fault).status, 0);
    const int bytes = read(place);
    EXPECT_TRUE(bytes == earlier_bytes() || bytes == 7) << bytes;
    ++found[bytes];
    run_again(place);
  }
  EXPECT_GT(found[earlier_bytes()], 0);
  if (all_cases) {
    EXPECT_GT(found[7], 0);
  }
}

TEST_P(Faults, AnErrorOfTheDiskIsToldAndLeavesTheEarlierRunOrTheNewOne) {
  for (const char* const error : {"ENOSPC", "EIO"}) {
    Sample sample(one_of);
    for (const SystemCall& call : run_calls()) {
      if (!sample.takes()) continue;
      const std::string fault = call.with(std::string("error=") + error);
      SCOPED_TRACE(fault + ", " + sample.name());
      const Directory place;
      begin(place);
      const Outcome outcome = run_with(place, fault);
      const int bytes = read(place);
      EXPECT_TRUE(outcome.status == 0 || outcome.status == 1 || outcome.status == 2) << outcome.status;
      if (outcome.status == 0) {
        EXPECT_EQ(bytes, 7) << outcome.output;
      } else {
        EXPECT_TRUE(bytes == earlier_bytes() || bytes == 7) << bytes;
        EXPECT_HAS(outcome.output, "error: ");
      }
      run_again(place);
    }
  }
}

TEST_P(Faults, WhereTheFileSystemHasNoLocksTheRunGoesOnWithANote) {
  for (const char* const error : {"ENOSYS", "ENOLCK", "EOPNOTSUPP"}) {
    const Directory place;
    begin(place);
    std::string arguments = exchange(GetParam().run);
    arguments.erase(arguments.find("--quiet"), std::string("--quiet").size());
    expect(at(place / "", std::string("strace -f -qq -o /dev/null -e inject=flock:error=") + error + " " +
                              ecube_program() + " " + arguments),
           0, {"has no locks"});
    EXPECT_EQ(read(place), 7);
  }
}

/// A run that looks for remains of killed ones opens a folder, which is committed before the run can lock it.
TEST(Remains, AreNoFolderThatHasBeenCommittedMeanwhile) {
  const Directory place;
  const std::string part = place / "run/.ecube.part-0123456789abcdef";
  fs::create_directories(part);
  std::ofstream(part + "/links.csv") << "whole";
  const int folder = open(part.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(folder, LOCK_EX | LOCK_NB), 0);
  std::thread committing([&] {
    for (int i = 0; i < 500 && place.files("run").size() < 2; ++i) std::this_thread::sleep_for(10ms);
    std::this_thread::sleep_for(300ms);  // the run waits for a second before it locks what it has opened
    fs::rename(part, place / "run/.ecube.next");
    close(folder);
  });
  (void)shell("cd " + place / "" + " && " + environment +
              "strace -f -qq -o /dev/null -e trace=flock -e inject=flock:delay_enter=1000000:when=2 " +
              ecube_program() + " " + exchange("") + " 2>&1");
  committing.join();
  EXPECT_EQ(file_text(place / "run/.ecube.next/links.csv"), "whole");
}

/// A command that writes one file, `out`.
TEST(OneFile, OfACommandThatIsKilledOrWhoseDiskFailsIsTheEarlierOneOrTheNewOne) {
  Sample sample(8);
  const std::string command = ecube_program() + " run exchange --dim 1 --quiet --export-goal out.goal";
  const auto run = [&](const Directory& place, const std::string& under) {
    return shell("cd " + place / "" + " && " + environment + under + command + " >/dev/null 2>&1").status;
  };
  const Directory reference;
  ASSERT_EQ(run(reference, ""), 0);
  const std::string whole = file_text(reference / "out.goal");
  int replaced = 0;
  for (const std::string call : {"openat", "write", "fsync", "rename", "close"})
    for (const char* const error : {"signal=KILL", "error=ENOSPC", "error=EIO"}) {
      const bool many = call == "openat" || call == "close";
      for (int number = 1; number <= (many ? 16 : 2); ++number) {
        if (many && !sample.takes()) continue;
        const std::string fault = SystemCall{call, number}.with(error);
        SCOPED_TRACE(fault + ", " + sample.name());
        const Directory place;
        std::ofstream(place / "out.goal") << "earlier";
        const int status = run(place, "strace -f -qq -o /dev/null " + fault + " ");
        const std::string text = file_text(place / "out.goal");
        EXPECT_TRUE(text == "earlier" || text == whole) << text;
        if (status == 0) {
          EXPECT_EQ(text, whole);
        }
        replaced += text == whole ? 1 : 0;
      }
    }
  EXPECT_GT(replaced, 0);
}

INSTANTIATE_TEST_SUITE_P(Run, Faults, testing::ValuesIn(situations),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace publication_test
