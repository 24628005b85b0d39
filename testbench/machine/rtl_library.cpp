// SPDX-License-Identifier: Apache-2.0
// Naming the library, and loading it.
#include "testbench/machine/rtl_library.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdlib>

#include "models/machine/error.h"
#include "testbench/system/child_process.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text_hash.h"
#include "testbench/version.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes_of_library = 1'000'000'000;

/// Whether a program can be started and ends well; what it says goes to the end of `log`.
bool succeeds(std::vector<std::string> words, const fs::path& log) {
  try {
    ChildProcess child({.words = std::move(words), .output = ChildCommand::Output::end_of_file, .file = log.string()});
    return child.wait().well();
  } catch (const std::runtime_error&) {
    return false;
  }
}

struct LibraryPlace {
  fs::path tree;     ///< CMake's
  fs::path sources;  ///< of an installed program, for which the tree is configured first; else empty
  std::string file;  ///< the library's name in the tree's folder rtl, and in rtl/linked as the linker leaves it
  [[nodiscard]] fs::path kept() const { return tree / "rtl" / file; }
};

LibraryPlace place_of(const std::string& target) {
  const std::string file = fmt::format("{}_{}.so", target, rtl_hash);
  const fs::path installed = installed_files();
  if (!installed.empty()) {
    return {.tree = user_cache_folder("rtl") / rtl_hash, .sources = installed / "rtl", .file = file};
  }
  const fs::path tree = build_tree();
  if (tree.empty()) refuse_rtl(target, why_no_files());
  if (cache_folder("rtl") != tree / "rtl") {
    refuse_rtl(target, fmt::format("the build tree {} belongs to another user", tree.string()));
  }
  return {.tree = tree, .sources = {}, .file = file};
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
  need(!on_path("pkg-config") || succeeds({"pkg-config", "--exists", "systemc"}, "/dev/null"), "libsystemc-dev");
  return missing;
}

void build(const LibraryPlace& place, const std::string& target) {
  const fs::path log = place.tree / "rtl" / (target + ".log");
  std::error_code none;
  // What is damaged is linked again. CMake seals what it has linked, and gives it its name in one step.
  fs::remove(place.tree / "rtl/linked" / place.file, none);
  if (!place.sources.empty()) {
    if (const std::string missing = missing_packages(); !missing.empty()) {
      refuse_rtl(target, "to build it, these Debian packages are missing: " + missing);
    }
  }
  fmt::print(stderr, "ecube: verilating and compiling {} (once, some twenty seconds)\n", target);
  // Configured afresh, because an installation may have moved since the last time.
  const bool built = build_rtl({place.tree, place.sources, "--fresh"}, {target}, log);
  if (!built) refuse_rtl(target, "the build failed, see " + log.string());
  if (!is_whole(place.kept()))
    refuse_rtl(target, "SystemC or the sources are not those that the program was built with");
}

}  // namespace

void refuse_rtl(const std::string& target, const std::string& why) {
  throw InputError("there is no RTL for " + target + ": " + why)
      .hint(installed_files().empty()
                ? "it is built with Debian's package verilator, which ./ecube installs; --engine event needs none"
                : "as root: apt-get install verilator cmake ninja-build g++ pkg-config libsystemc-dev; --engine event "
                  "needs none");
}

bool build_rtl(const BuildTree& place, const std::vector<std::string>& targets, const fs::path& log) {
  const std::string tree = place.tree.string();
  std::error_code none;
  fs::remove(log, none);
  std::vector<std::string> configure{"cmake", "-S", place.sources.string(), "-B", tree, "-DCMAKE_BUILD_TYPE=Release"};
  configure.insert(configure.end(), {"-G", on_path("ninja") ? "Ninja" : "Unix Makefiles"});
  if (!place.option.empty()) configure.push_back(place.option);
  std::vector<std::string> build{"cmake", "--build", tree, "--target"};
  build.insert(build.end(), targets.begin(), targets.end());
  const bool built = (place.sources.empty() || succeeds(std::move(configure), log)) && succeeds(std::move(build), log);
  if (interrupt_wanted()) throw Interrupted("while the RTL was built; nothing was written");
  return built;
}

bool is_whole(const fs::path& library) { return unsealed(library.string(), most_bytes_of_library).has_value(); }

fs::path built_rtl_library(const std::string& target) {
  const LibraryPlace place = place_of(target);
  fs::path kept = place.kept();
  if (is_whole(kept)) return kept;
  std::error_code failed;
  fs::create_directories(kept.parent_path(), failed);
  const FileLock lock = build_lock(place.tree);
  if (failed || lock.error() != 0) refuse_rtl(target, fmt::format("cannot write into {}", place.tree.string()));
  if (!is_whole(kept)) build(place, target);
  return kept;
}

void check_rtl(const Machine& machine, unsigned dim) {
  if (const std::string refused = rtl_refusal(machine, dim); !refused.empty()) {
    throw InputError("the RTL cannot be this machine: " + refused).hint("--engine event runs it");
  }
}

std::string rtl_target(const Machine& machine, unsigned dim, const std::string& variant) {
  const bool one = machine.node.ports.physical(dim) == 1;
  const bool worms = machine.network.switching == Switching::wormhole;
  return fmt::format("ecube_rtl_d{}_{}{}{}", dim, one ? "one" : "n",
                     worms ? fmt::format("_worms{}", machine.buffer_phits()) : "",
                     variant.empty() ? "" : "_" + variant);
}

void* symbol_of_rtl(const std::filesystem::path& library, const std::string& target, const char* name) {
  // Never closed: SystemC objects of the library live as long as the simulation.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) refuse_rtl(target, dlerror());
  void* const symbol = dlsym(handle, name);
  if (symbol == nullptr) refuse_rtl(target, dlerror());
  return symbol;
}

RtlLibrary& rtl_library(const Machine& machine, unsigned dim, const std::string& variant) {
  check_rtl(machine, dim);
  const std::string target = rtl_target(machine, dim, variant);
  return loaded_rtl(built_rtl_library(target), target);
}

}  // namespace ecube
