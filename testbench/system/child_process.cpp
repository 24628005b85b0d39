// SPDX-License-Identifier: Apache-2.0
// posix_spawn, pipes, and files in memory for what is printed.
#include "testbench/system/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <tuple>

extern char** environ;  // NOLINT: POSIX

namespace ecube {

namespace {

[[noreturn]] void fail(const std::string& program, int error) {
  throw std::system_error(error, std::generic_category(), program + " cannot be started");
}

struct SpawnActions {
  SpawnActions() { posix_spawn_file_actions_init(&actions); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions); }
  SpawnActions(SpawnActions&&) = delete;  // nor copied

  void open(int descriptor, const char* file, int flags) {
    constexpr mode_t mode = 0644;
    posix_spawn_file_actions_addopen(&actions, descriptor, file, flags, mode);
  }
  void copy(int from, int to) { posix_spawn_file_actions_adddup2(&actions, from, to); }

  posix_spawn_file_actions_t actions{};
};

void set_attributes(posix_spawnattr_t& attributes, const ChildCommand& command) {
  int flags = 0;
  if (command.own_group) {
    flags |= POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setpgroup(&attributes, 0);
  }
  if (command.ours_to_end) {
    flags |= POSIX_SPAWN_SETSIGMASK;
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    posix_spawnattr_setsigmask(&attributes, &blocked);
  }
  posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
}

std::pair<FileDescriptor, FileDescriptor> new_pipe(const std::string& program) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(program, errno);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

}  // namespace

ChildProcess::ChildProcess(ChildCommand command) : own_group_(command.own_group) {
  const std::string& name = command.words.front();
  SpawnActions spawn;
  FileDescriptor in;
  FileDescriptor out;
  if (command.told) {
    std::tie(in, to_) = new_pipe(name);
    spawn.copy(in.number(), STDIN_FILENO);
  } else {
    spawn.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  }
  switch (command.output) {
    case ChildCommand::Output::file:
    case ChildCommand::Output::end_of_file:
      spawn.open(STDOUT_FILENO, command.file.c_str(),
                 O_WRONLY | O_CREAT | (command.output == ChildCommand::Output::file ? O_TRUNC : O_APPEND));
      spawn.copy(STDOUT_FILENO, STDERR_FILENO);
      break;
    case ChildCommand::Output::kept:
      kept_ = FileDescriptor(memfd_create("ecube", MFD_CLOEXEC));
      if (!kept_.is_open()) fail(name, errno);
      spawn.copy(kept_.number(), STDOUT_FILENO);
      spawn.copy(kept_.number(), STDERR_FILENO);
      break;
    case ChildCommand::Output::pipe:
      std::tie(from_, out) = new_pipe(name);
      spawn.copy(out.number(), STDOUT_FILENO);
      break;
  }
  if (!command.directory.empty()) posix_spawn_file_actions_addchdir_np(&spawn.actions, command.directory.c_str());
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  set_attributes(attributes, command);
  std::vector<char*> arguments;
  for (std::string& word : command.words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const char* const program = command.program.empty() ? arguments.front() : command.program.c_str();
  const int error = posix_spawnp(&pid_, program, &spawn.actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) fail(name, error);
}

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

ChildEnd ChildProcess::kill() {
  if (!end_) ::kill(own_group_ ? -pid_ : pid_, SIGKILL);
  return wait();
}

std::string ChildProcess::printed() const {
  std::ifstream file(kept_.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace ecube
