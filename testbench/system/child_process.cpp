// SPDX-License-Identifier: Apache-2.0
// posix_spawn, pipes, and files in memory for short texts.
#include "testbench/system/child_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

extern char** environ;  // NOLINT: POSIX

namespace ecube {

namespace {

[[noreturn]] void fail(const std::string& program, int error) {
  throw std::runtime_error(fmt::format("{} cannot be started: {}", program, std::strerror(error)));
}

/// The changes of a child's descriptors before it becomes another program.
class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  void open(int descriptor, const char* file, int flags) {
    constexpr mode_t mode = 0644;
    posix_spawn_file_actions_addopen(&actions_, descriptor, file, flags, mode);
  }
  void copy(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
  void change_directory(const std::string& directory) {
    posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str());
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// A file without a name that holds `text`, at its beginning.
int file_in_memory(const std::string& program, const std::string& text) {
  const int file = memfd_create("ecube", MFD_CLOEXEC);
  if (file < 0 || pwrite(file, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) fail(program, errno);
  return file;
}

void close_if_open(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

}  // namespace

ChildProcess::ChildProcess(ChildCommand command) : own_group_(command.own_group) {
  const std::string& program = command.words.front();
  SpawnActions actions;
  std::array<int, 2> in{-1, -1};
  std::array<int, 2> out{-1, -1};
  switch (command.input) {
    case ChildCommand::Input::nothing:
      actions.open(STDIN_FILENO, "/dev/null", O_RDONLY);
      break;
    case ChildCommand::Input::text:
      in[0] = file_in_memory(program, command.text);
      actions.copy(in[0], STDIN_FILENO);
      break;
    case ChildCommand::Input::pipe:
      if (pipe2(in.data(), O_CLOEXEC) != 0) fail(program, errno);
      actions.copy(in[0], STDIN_FILENO);
      break;
  }
  switch (command.output) {
    case ChildCommand::Output::nowhere:
      actions.open(STDOUT_FILENO, "/dev/null", O_WRONLY);
      break;
    case ChildCommand::Output::file:
      actions.open(STDOUT_FILENO, command.file.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
      actions.copy(STDOUT_FILENO, STDERR_FILENO);
      break;
    case ChildCommand::Output::end_of_file:
      actions.open(STDOUT_FILENO, command.file.c_str(), O_WRONLY | O_CREAT | O_APPEND);
      actions.copy(STDOUT_FILENO, STDERR_FILENO);
      break;
    case ChildCommand::Output::kept:
      kept_ = file_in_memory(program, "");
      actions.copy(kept_, STDOUT_FILENO);
      actions.copy(kept_, STDERR_FILENO);
      break;
    case ChildCommand::Output::pipe:
      if (pipe2(out.data(), O_CLOEXEC) != 0) fail(program, errno);
      actions.copy(out[1], STDOUT_FILENO);
      break;
  }
  if (!command.directory.empty()) actions.change_directory(command.directory);
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  if (own_group_) {
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
  }
  std::vector<char*> arguments;
  for (std::string& word : command.words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int error = posix_spawnp(&pid_, program.c_str(), actions.get(), &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  close_if_open(in[0]);
  close_if_open(out[1]);
  to_ = in[1];
  from_ = out[0];
  if (error == 0) return;
  close_if_open(to_);
  close_if_open(from_);
  close_if_open(kept_);
  fail(program, error);
}

ChildProcess::~ChildProcess() {
  close_if_open(to_);
  close_if_open(from_);
  if (!end_) (void)kill();
  close_if_open(kept_);
}

void ChildProcess::close_to() { close_if_open(to_); }

std::optional<ChildEnd> ChildProcess::ended_within(std::chrono::milliseconds most) {
  const auto last = std::chrono::steady_clock::now() + most;
  while (!end_) {
    int status = 0;
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended == pid_) {
      end_ = WIFSIGNALED(status) ? ChildEnd{true, WTERMSIG(status)} : ChildEnd{false, WEXITSTATUS(status)};
    } else if (ended < 0 && errno != EINTR) {
      end_ = ChildEnd{true, 0};  // other code has waited for the child
    } else if (std::chrono::steady_clock::now() >= last) {
      break;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  return end_;
}

ChildEnd ChildProcess::wait() {
  while (!ended_within(std::chrono::hours(1))) {
  }
  return *end_;
}

ChildEnd ChildProcess::kill() {
  if (!end_) ::kill(own_group_ ? -pid_ : pid_, SIGKILL);
  return wait();
}

std::string ChildProcess::printed() const {
  std::string text;
  std::array<char, 4096> space{};
  for (ssize_t length = 0; (length = pread(kept_, space.data(), space.size(), static_cast<off_t>(text.size()))) > 0;) {
    text.append(space.data(), static_cast<std::size_t>(length));
  }
  return text;
}

}  // namespace ecube
