// SPDX-License-Identifier: Apache-2.0
// Finding, building and loading.
#include "testbench/machine/rtl_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include "models/machine/error.h"
#include "testbench/system/child_process.h"
#include "testbench/system/interruption.h"
#include "testbench/version.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

/// The build tree that the running program is in, or nothing.
fs::path build_tree() {
  std::error_code none;
  for (fs::path folder = fs::read_symlink("/proc/self/exe", none).parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder / "CMakeCache.txt", none)) return folder;
  }
  return {};
}

/// Runs cmake with its output in `log`; true when it ends well.
bool build(const fs::path& tree, const std::string& target, const fs::path& log) {
  try {
    return ChildProcess({.words = {"cmake", "--build", tree.string(), "--target", target},
                         .output = ChildCommand::Output::file,
                         .file = log.string()})
        .wait()
        .well();
  } catch (const std::runtime_error&) {
    return false;
  }
}

/// One builder at a time in this build tree, ./ecube included.
class BuildLock {
 public:
  explicit BuildLock(const fs::path& tree) : file_(open((tree / ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644)) {
    if (file_ < 0) return;
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      std::array<char, 200> holder{};
      const ssize_t size = pread(file_, holder.data(), holder.size(), 0);
      const std::string_view name(holder.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
      fmt::print(stderr, "ecube: waiting for {}, which is building in {}\n",
                 name.empty() ? "another process" : name.substr(0, name.find('\n')), tree.string());
      while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {
      }
    }
    const std::string own = fmt::format("process {}\n", getpid());
    (void)!ftruncate(file_, 0);
    (void)!pwrite(file_, own.data(), own.size(), 0);
  }
  ~BuildLock() {
    if (file_ >= 0) close(file_);
  }
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  int file_;
};

}  // namespace

void check_rtl(const Machine& machine, unsigned dim) {
  if (const std::string refused = rtl_refusal(machine, dim); !refused.empty()) {
    throw ErrorText("the RTL cannot be this machine: " + refused).hint("--engine event runs it").error();
  }
}

RtlLibrary& rtl_library(const Machine& machine, unsigned dim, const std::string& variant) {
  check_rtl(machine, dim);
  const bool one = machine.node.ports.physical(dim) == 1;
  const bool worms = machine.network.switching == Switching::wormhole;
  const std::string target =
      fmt::format("ecube_rtl_d{}_{}{}{}", dim, one ? "one" : "n",
                  worms ? fmt::format("_worms{}", machine.buffer_phits()) : "", variant.empty() ? "" : "_" + variant);
  const fs::path tree = build_tree();
  const fs::path library = tree / "rtl" / fmt::format("{}_{}.so", target, rtl_hash);
  const fs::path log = tree / "rtl" / (target + ".log");
  const auto unavailable = [&](const std::string& why) {
    return ErrorText("there is no RTL for " + target + ": " + why)
        .hint("it is built with Debian's package verilator, which ./ecube installs; --engine event needs none")
        .error();
  };
  if (tree.empty()) throw unavailable("the program is not in its build tree");
  std::error_code none;
  fs::create_directories(library.parent_path(), none);
  if (!fs::exists(library, none)) {
    const BuildLock lock(tree);
    if (!fs::exists(library, none)) {
      fmt::print(stderr, "ecube: verilating and compiling {} (once, some twenty seconds)\n", target);
      const bool built = build(tree, target, log);
      if (interrupt_wanted()) throw Interrupted("while the RTL was built; nothing was written");
      if (!built) throw unavailable("the build failed, see " + log.string());
    }
  }
  // Never closed: SystemC objects of the library live as long as the simulation.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw unavailable(dlerror());
  auto* const make = reinterpret_cast<RtlLibrary* (*)()>(dlsym(handle, rtl_library_symbol));
  if (make == nullptr) throw unavailable(dlerror());
  return *make();
}

}  // namespace ecube
