// SPDX-License-Identifier: Apache-2.0
// Programs started by this one: their input, output and exit status. Builders exclude each other, and the file of their
// lock is never written.
#include "testbench/system/child_process.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>

#include "models/machine/error.h"
#include "testbench/system/open_files.h"
#include "tests/test.h"

namespace ecube::child_process_test {
namespace {

using Output = ChildCommand::Output;

ChildCommand shell(const std::string& script) { return {.words = {"sh", "-c", script}}; }

TEST(ChildProcess, EndsWithItsStatusOrItsSignal) {
  EXPECT_TRUE(ChildProcess(shell("exit 0")).wait().well());
  const ChildEnd failed = ChildProcess(shell("exit 3")).wait();
  EXPECT_FALSE(failed.well());
  EXPECT_FALSE(failed.by_signal);
  EXPECT_EQ(failed.number, 3);
  const ChildEnd signalled = ChildProcess(shell("kill -TERM $$")).wait();
  EXPECT_TRUE(signalled.by_signal);
  EXPECT_EQ(signalled.number, SIGTERM);
}

TEST(ChildProcess, ThatCannotBeStartedSaysWhichAndWhy) {
  EXPECT_EQ(thrown<std::runtime_error>([&] { return ChildProcess({.words = {"no-such-program-of-ours"}}); }),
            "no-such-program-of-ours cannot be started: No such file or directory");
  EXPECT_THROW(ChildProcess({.words = {"true"}, .directory = "/no/such/directory"}), std::runtime_error);
}

TEST(ChildProcess, ReadsTextOfAnyLengthAndKeepsWhatIsPrinted) {
  // A text that is longer than the room of a pipe, both ways.
  const std::string text(1'000'000, 'x');
  ChildProcess copy({.words = {"cat"}, .told = true});
  EXPECT_TRUE(write_all(copy.to(), text));
  copy.close_to();
  EXPECT_TRUE(copy.wait().well());
  EXPECT_EQ(copy.printed(), text);
  ChildProcess both(shell("echo out; echo err >&2"));
  EXPECT_TRUE(both.wait().well());
  EXPECT_EQ(both.printed(), "out\nerr\n");
}

TEST(ChildProcess, RunsInItsDirectoryAndPrintsToItsFile) {
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / ("ecube-child-" + std::to_string(getpid()));
  std::filesystem::create_directory(directory);
  const std::string file = (directory / "log").string();
  EXPECT_TRUE(ChildProcess({.words = {"pwd"}, .directory = directory.string(), .output = Output::file, .file = file})
                  .wait()
                  .well());
  std::string line;
  std::getline(std::ifstream(file) >> std::ws, line);
  EXPECT_EQ(line, std::filesystem::canonical(directory).string());
  for (const Output output : {Output::end_of_file, Output::file}) {
    EXPECT_TRUE(ChildProcess({.words = {"echo", "more"}, .output = output, .file = file}).wait().well());
    EXPECT_EQ(std::filesystem::file_size(file), output == Output::file ? 5 : line.size() + 6);
  }
  std::filesystem::remove_all(directory);
}

TEST(ChildProcess, TalksThroughPipes) {
  ChildProcess copy({.words = {"cat"}, .told = true, .output = Output::pipe});
  ASSERT_EQ(write(copy.to(), "ab\n", 3), 3);
  std::array<char, 8> space{};
  EXPECT_EQ(read(copy.from(), space.data(), space.size()), 3);
  EXPECT_EQ(std::string(space.data(), 3), "ab\n");
  EXPECT_FALSE(copy.ended_within(std::chrono::milliseconds(0)));
  copy.close_to();
  EXPECT_TRUE(copy.wait().well());
}

TEST(ChildProcess, IsEndedWithWhatItHasStarted) {
  pid_t grandchild = 0;
  {
    ChildProcess child(
        {.words = {"sh", "-c", "sleep 1000 & echo $!; wait"}, .output = Output::pipe, .own_group = true});
    std::array<char, 16> space{};
    ASSERT_GT(read(child.from(), space.data(), space.size() - 1), 0);
    grandchild = std::stoi(space.data());
    EXPECT_EQ(::kill(grandchild, 0), 0);
  }
  // Its parent is gone, so the process that inherits it has to wait for it first.
  std::string state;
  for (int tries = 0; tries < 10'000 && ::kill(grandchild, 0) == 0; ++tries) {
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string words;
    stat >> words >> words >> state;
    if (state == "Z") break;
    usleep(1000);
  }
  EXPECT_TRUE(::kill(grandchild, 0) != 0 || state == "Z");
}

namespace fs = std::filesystem;

/// Whether another process could take the lock now.
bool is_free(const std::string& file) {
  const FileDescriptor other(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  return other.is_open() && flock(other.number(), LOCK_EX | LOCK_NB) == 0;
}

TEST(BuildLock, IsHeldAsLongAsItLives) {
  const Directory directory;
  {
    const FileLock lock = build_lock(directory / "");
    EXPECT_TRUE(lock.error() == 0);
    EXPECT_FALSE(is_free(directory / ".lock"));
  }
  EXPECT_TRUE(is_free(directory / ".lock"));
  EXPECT_NE(build_lock(directory / "none").error(), 0);
}

TEST(BuildLock, ChangesNoFileBehindALink) {
  const Directory directory;
  const std::string victim = directory / "victim";
  std::ofstream(victim) << "precious";
  for (const std::string& behind : {victim, directory / "none"}) {
    fs::create_symlink(behind, directory / ".lock");
    EXPECT_THROW((void)build_lock(directory / ""), InputError) << behind;
    fs::remove(directory / ".lock");
  }
  EXPECT_FALSE(fs::exists(directory / "none"));
  fs::create_hard_link(victim, directory / ".lock");
  EXPECT_EQ(build_lock(directory / "").error(), 0);
  EXPECT_EQ(file_text(victim), "precious");
}

}  // namespace
}  // namespace ecube::child_process_test
