// SPDX-License-Identifier: Apache-2.0
// Readers of a run directory beside runs that write into it, and directories that somebody else has prepared.
#include "testbench/publication/publication.h"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "models/machine/error.h"
#include "testbench/publication/published_files.h"
#include "tests/test.h"

namespace ecube::publication_test {

namespace {

namespace fs = std::filesystem;

/// Publishes files that all have the text `number`; runs of an odd number have circuits, too.
void publish(const std::string& directory, int number) {
  Publication publication(directory);
  std::vector<std::string> names{"resolved.toml", "summary.json", "links.csv"};
  if (number % 2 == 1) names.emplace_back("circuits.csv");
  publication.claim(names, true);
  for (const std::string& name : names) publication.files().write(name, std::to_string(number));
  publication.publish({{"schema", 1}, {"number", number}});
}

/// The number of the run that a reader finds; -1 when what it finds is of several runs.
int number_found(const std::string& directory) {
  const PublishedFiles files(directory, [](std::string_view) { return true; });
  const int number = nlohmann::json::parse(file_text(files.path("provenance.json"))).at("number");
  std::set<std::string> names;
  for (const std::string& name : files.names()) {
    names.insert(name);
    if (name != "provenance.json" && file_text(files.path(name)) != std::to_string(number)) return -1;
  }
  std::set<std::string> expected{"links.csv", "provenance.json", "resolved.toml", "summary.json"};
  if (number % 2 == 1) expected.insert("circuits.csv");
  return names == expected ? number : -1;
}

/// A process that does this, and ends with status 0 unless there is an error.
pid_t started(const std::function<void()>& work) {
  const pid_t process = fork();
  if (process != 0) return process;
  int status = 0;
  try {
    work();
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    status = 1;
  }
  _exit(status);
}

TEST(Publication, IsReadWholeBesideRunsThatReplaceIt) {
  const int runs = all_cases ? 1000 : sanitized ? 50 : 200;
  const Directory place;
  const std::string directory = place / "run";
  publish(directory, 0);
  const pid_t writer = started([&] {
    for (int number = 1; number <= runs; ++number) publish(directory, number);
  });
  // Runs that are refused, each after it has looked for the remains of killed ones.
  const pid_t others = started([&] {
    for (;;) const StagedFiles refused(directory);
  });
  ASSERT_GE(writer, 0);
  ASSERT_GE(others, 0);
  int status = 0;
  int reads = 0;
  int last = 0;
  std::set<int> found;
  for (bool writing = true; writing || reads < runs; ++reads) {
    writing = writing && waitpid(writer, &status, WNOHANG) == 0;
    int number = -1;
    EXPECT_NO_THROW(number = number_found(directory));
    EXPECT_GE(number, last) << "files of several runs, or an older run after a newer one";
    if (number < last) break;
    last = number;
    found.insert(number);
  }
  kill(others, SIGKILL);
  (void)waitpid(others, nullptr, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(last, runs);
  EXPECT_GT(found.size(), 10U) << "hardly any run was seen while others wrote";
}

TEST(Publication, WithAFileOfAnotherRunIsSeenByTheReader) {
  const Directory place;
  publish(place / "run", 2);
  publish(place / "other", 4);
  EXPECT_EQ(number_found(place / "run"), 2);
  fs::copy_file(place / "other/links.csv", place / "run/links.csv", fs::copy_options::overwrite_existing);
  EXPECT_THROW((void)number_found(place / "run"), InputError);
  // Without sizes and hashes, as earlier versions left it, it is read as it is: the check above is what finds it.
  std::ofstream(place / "run/provenance.json") << R"({"schema": 1, "number": 2, "files": ["links.csv"]})";
  EXPECT_EQ(number_found(place / "run"), -1);
}

TEST(Publication, TakesNoNameThatRunsDoNotWrite) {
  for (const char* const name : {"../links.csv", "/etc/links.csv", "a/links.csv", "thesis.tex", "provenance.json", "",
                                 "..", ".fst", "report.html", "links.csv\n"}) {
    EXPECT_FALSE(is_name_of_a_run_file(name)) << name;
    const nlohmann::json manifest = {{"schema", 1}, {"generation", "x"}, {"files", {name, {{"name", name}}}}};
    EXPECT_TRUE(parse_manifest(manifest.dump()).value().files.empty()) << name;
  }
  EXPECT_TRUE(is_name_of_a_run_file("waves.fst"));
}

/// A canary outside of the directory, and a directory that a stranger has prepared.
class Strangers : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(place_ / "outside");
    std::ofstream(place_ / "outside/links.csv") << "mine";
    std::ofstream(place_ / "outside/summary.json") << "mine";
    publish(directory_, 1);
  }
  void TearDown() override {
    EXPECT_EQ(place_.files("outside"), (std::vector<std::string>{"links.csv", "summary.json"}));
    for (const std::string& name : place_.files("outside")) EXPECT_EQ(file_text(place_ / ("outside/" + name)), "mine");
  }

  Directory place_;
  std::string directory_ = place_ / "run";
};

TEST_F(Strangers, FoldersThatAreLinksAreNotEntered) {
  for (const char* const name : {".ecube.next", ".ecube.part", ".ecube.part-0123456789abcdef", ".ecube.whole"}) {
    fs::create_directory_symlink(place_ / "outside", directory_ + "/" + name);
    EXPECT_EQ(number_found(directory_), 1);
    if (std::string_view(name) == ".ecube.next") {
      EXPECT_THROW(publish(directory_, 2), InputError);
    } else {
      EXPECT_NO_THROW(publish(directory_, 1));
    }
    EXPECT_TRUE(fs::is_symlink(directory_ + "/" + name));
    fs::remove(directory_ + "/" + name);
  }
}

TEST_F(Strangers, FilesThatAreLinksAreNeitherReadNorReplaced) {
  fs::remove(directory_ + "/links.csv");
  fs::create_symlink(place_ / "outside/links.csv", directory_ + "/links.csv");
  EXPECT_THROW((void)number_found(directory_), InputError);
  EXPECT_THROW(publish(directory_, 3), InputError);
  EXPECT_TRUE(fs::is_symlink(directory_ + "/links.csv"));
}

TEST_F(Strangers, FoldersAreRemovedOnlyIfTheirNamesAreOurs) {
  for (const char* const name : {".ecube.part-", ".ecube.part-mine", ".ecube.part-0123456789abcdeF"}) {
    fs::create_directory(directory_ + "/" + name);
    std::ofstream(directory_ + "/" + name + "/notes.txt") << "mine";
    publish(directory_, 1);
    EXPECT_EQ(file_text(directory_ + "/" + name + "/notes.txt"), "mine");
  }
  // This is what a killed run leaves.
  fs::create_directory(directory_ + "/.ecube.part-0123456789abcdef");
  std::ofstream(directory_ + "/.ecube.part-0123456789abcdef/links.csv") << "half";
  publish(directory_, 1);
  EXPECT_FALSE(fs::exists(directory_ + "/.ecube.part-0123456789abcdef"));
}

TEST_F(Strangers, CommittedFolderWithForeignFilesIsKept) {
  const std::string next = directory_ + "/.ecube.next";
  fs::create_directory(next);
  std::ofstream(next + "/provenance.json")
      << R"({"schema": 1, "generation": "x", "files": ["../links.csv", "notes.txt"]})";
  std::ofstream(next + "/notes.txt") << "mine";
  EXPECT_THROW(publish(directory_, 1), InputError);
  EXPECT_EQ(file_text(next + "/notes.txt"), "mine");
  EXPECT_FALSE(fs::exists(directory_ + "/notes.txt"));
}

}  // namespace

}  // namespace ecube::publication_test
