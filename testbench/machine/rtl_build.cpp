// SPDX-License-Identifier: Apache-2.0
// Running CMake, one process at a time.
#include "testbench/machine/rtl_build.h"

#include <fmt/core.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "models/machine/error.h"
#include "testbench/system/build_lock.h"
#include "testbench/system/child_process.h"
#include "testbench/system/interruption.h"
#include "testbench/system/program_files.h"
#include "testbench/version.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

/// Runs a program with its output at the end of `log`; true when it ends well.
bool run(std::vector<std::string> words, const fs::path& log) {
  try {
    ChildProcess child({.words = std::move(words), .output = ChildCommand::Output::end_of_file, .file = log.string()});
    return child.wait().well();
  } catch (const std::runtime_error&) {
    return false;
  }
}

/// Where a library is built and kept.
struct LibraryPlace {
  fs::path tree;     ///< CMake's
  fs::path sources;  ///< of an installed program, for which the tree is configured first; else empty
  fs::path built;    ///< the library as CMake leaves it
  fs::path kept;     ///< the library once it is whole
};

LibraryPlace place_of(const std::string& target) {
  const std::string file = fmt::format("{}_{}.so", target, rtl_hash);
  const fs::path installed = installed_files();
  if (installed.empty()) {
    const fs::path tree = build_tree();
    if (tree.empty()) refuse_rtl(target, "the program is neither installed nor in its build tree");
    return {.tree = tree, .sources = {}, .built = tree / "rtl" / file, .kept = tree / "rtl" / file};
  }
  const fs::path cache = user_cache();
  if (cache.empty()) refuse_rtl(target, "neither HOME nor XDG_CACHE_HOME says where it can be built");
  const fs::path tree = cache / "rtl" / rtl_hash;
  return {.tree = tree, .sources = installed / "rtl", .built = tree / "rtl" / file, .kept = tree / file};
}

/// The Debian packages that a first build of an installed program lacks.
std::string missing_packages() {
  std::string missing;
  const auto need = [&](bool there, std::string_view package) {
    if (!there) missing += fmt::format("{}{}", missing.empty() ? "" : " ", package);
  };
  need(on_path("verilator"), "verilator");
  need(on_path("cmake"), "cmake");
  need(on_path("ninja") || on_path("make"), "ninja-build");
  need(std::getenv("CXX") != nullptr || on_path("c++") || on_path("g++") || on_path("clang++"), "g++");
  need(on_path("pkg-config"), "pkg-config");
  need(!on_path("pkg-config") || run({"pkg-config", "--exists", "systemc"}, "/dev/null"), "libsystemc-dev");
  return missing;
}

bool configure(const LibraryPlace& place, const fs::path& log) {
  // Configured afresh, because an installation may have moved since the last time.
  std::vector<std::string> words = {"cmake",
                                    "--fresh",
                                    "-S",
                                    place.sources.string(),
                                    "-B",
                                    place.tree.string(),
                                    "-DCMAKE_BUILD_TYPE=Release",
                                    "-G",
                                    on_path("ninja") ? "Ninja" : "Unix Makefiles"};
  return run(std::move(words), log);
}

void build(const LibraryPlace& place, const std::string& target) {
  const fs::path log = place.tree / "rtl" / (target + ".log");
  std::error_code none;
  fs::remove(log, none);
  if (!place.sources.empty()) {
    if (const std::string missing = missing_packages(); !missing.empty()) {
      refuse_rtl(target, "to build it, these Debian packages are missing: " + missing);
    }
  }
  fmt::print(stderr, "ecube: verilating and compiling {} (once, some twenty seconds)\n", target);
  const bool built = (place.sources.empty() || configure(place, log)) &&
                     run({"cmake", "--build", place.tree.string(), "--target", target}, log);
  if (interrupt_wanted()) throw Interrupted("while the RTL was built; nothing was written");
  if (!built) refuse_rtl(target, "the build failed, see " + log.string());
  if (place.kept == place.built) return;
  std::error_code failed;
  // Other processes look for the library without the lock, so it appears in one step.
  fs::rename(place.built, place.kept, failed);
  if (failed) refuse_rtl(target, "SystemC or the sources are not those that the program was built with");
}

}  // namespace

void refuse_rtl(const std::string& target, const std::string& why) {
  throw ErrorText("there is no RTL for " + target + ": " + why)
      .hint(installed_files().empty()
                ? "it is built with Debian's package verilator, which ./ecube installs; --engine event needs none"
                : "as root: apt-get install verilator cmake ninja-build g++ pkg-config libsystemc-dev; --engine event "
                  "needs none")
      .error();
}

fs::path built_rtl_library(const std::string& target) {
  const LibraryPlace place = place_of(target);
  std::error_code none;
  if (fs::exists(place.kept, none)) return place.kept;
  std::error_code failed;
  fs::create_directories(place.tree / "rtl", failed);
  const BuildLock lock(place.tree);
  if (failed || !lock.taken()) {
    refuse_rtl(target, fmt::format("cannot write into {}{}", place.tree.string(),
                                   place.sources.empty() ? "" : "; XDG_CACHE_HOME=DIR names another place"));
  }
  if (!fs::exists(place.kept, none)) build(place, target);
  return place.kept;
}

}  // namespace ecube
