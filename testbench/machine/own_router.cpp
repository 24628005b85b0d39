// SPDX-License-Identifier: Apache-2.0
// A tree of links to the sources of hw/rtl, with the user's file in the place of the router.
#include <fmt/core.h>

#include <fstream>
#include <sstream>
#include <system_error>

#include "testbench/machine/rtl_library.h"
#include "testbench/system/child_process.h"
#include "testbench/system/program_files.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/text_file.h"
#include "testbench/text/text_hash.h"
#include "testbench/version.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes_of_router = 4'000'000;

/// SystemVerilog with blanks for its comments and strings.
std::string code_of(std::string text) {
  const auto behind = [&text](std::string_view mark, std::size_t from) {
    const std::size_t found = text.find(mark, from);
    return found == std::string::npos ? text.size() : found + mark.size();
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = std::string_view(text).substr(at);
    std::size_t end = at;
    if (rest.starts_with("//")) {
      end = behind("\n", at);
    } else if (rest.starts_with("/*")) {
      end = behind("*/", at + 2);
    } else if (rest.starts_with('"')) {
      for (end = at + 1; end < text.size() && text[end] != '"';) end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    }
    for (std::size_t i = at; i < end; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
    if (end > at) at = end - 1;
  }
  return text;
}

std::vector<std::string_view> words_of_code(std::string_view code) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = code.find_first_of(letters, at)) != std::string_view::npos;
       at += words.back().size()) {
    words.push_back(code.substr(at, code.find_first_not_of(letters, at) - at));
  }
  return words;
}

/// A router of the user's own for a machine, and where it is built and kept.
struct OwnRouter {
  std::string file;
  std::string text;
  std::string module;
  fs::path tree{};
  [[nodiscard]] fs::path sources() const { return tree / "source"; }  ///< a project like that of an installed program
  [[nodiscard]] fs::path rtl() const { return sources() / "hw/rtl"; }
};

OwnRouter own_router(const std::string& file, const Machine& machine) {
  const bool worms = machine.network.switching == Switching::wormhole;
  OwnRouter router{.file = file, .text = own_router_text(file), .module = worms ? "ecube_worm_router" : "ecube_router"};
  std::string all;
  append_text(all, router.module);
  append_text(all, fs::absolute(file).string());
  append_text(all, rtl_hash);
  append_text(all, router.text);
  router.tree = user_cache_folder("routers") / digest_of(all);
  return router;
}

void link_to(const fs::path& from, const fs::path& to) {
  std::error_code none;
  fs::remove(to, none);
  fs::create_symlink(from, to);
}

/// Links to everything but the router, which is the user's file: tools tell of its lines under its own name.
void lay_out(const OwnRouter& router) {
  // The project of an installed program, or the source tree.
  const fs::path root = installed_files().empty() ? header_files() : installed_files() / "rtl";
  if (root.empty()) refuse_rtl(router.module, why_no_files());
  fs::create_directories(router.rtl());
  const fs::path project = installed_files().empty() ? root / "cmake/rtl/CMakeLists.txt" : root / "CMakeLists.txt";
  fs::copy_file(project, router.sources() / "CMakeLists.txt", fs::copy_options::overwrite_existing);
  for (const char* const folder : {"cmake", "models", "hw/clocked"}) link_to(root / folder, router.sources() / folder);
  const fs::path own = router.rtl() / (router.module + ".sv");
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "hw/rtl")) {
    const fs::path name = entry.path().filename();
    if (name != own.filename()) link_to(entry.path(), router.rtl() / name);
  }
  std::error_code none;
  fs::remove(own, none);
  write_file(own.string(), fmt::format("`line 1 \"{}\" 0\n{}", fs::absolute(router.file).string(), router.text));
}

/// Where the code has the module of this name; npos when it has not.
std::size_t find_module(const std::string& text, std::string_view name) {
  const std::string code = code_of(text);
  std::string_view last;
  for (const std::string_view word : words_of_code(code)) {
    if (word == name && last == "module") return static_cast<std::size_t>(word.data() - code.data());
    last = word;
  }
  return std::string::npos;
}

Place place_in(const std::string& file, const std::string& text, std::size_t at) {
  const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1 = 0
  const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return {.where = file,
          .line = 1 + static_cast<std::uint32_t>(lines),
          .column = static_cast<unsigned>(at - line) + 1,
          .text = text.substr(line, text.find('\n', line) - line)};
}

/// The first finding of Verilator, with the user's line.
[[noreturn]] void refuse_finding(const std::string& output, const OwnRouter& router) {
  const auto& [file, text_of_file, module, tree] = router;
  std::istringstream stream(output);
  std::string first;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] != '%') continue;
    if (first.empty()) first = line;
    const std::string name = fs::absolute(file).string();
    std::optional<Place> place = place_named_in(line, name, text_of_file);
    if (!place) continue;
    place->where = file;
    const std::size_t message = line.find(": ", line.find(name) + name.size());
    throw InputError(fmt::format("{} does not pass verilator -Wall: {} {}", ecube::quoted(file),
                                 line.substr(1, line.find(':') - 1),
                                 trimmed(line.substr(std::min(message, line.size() - 1) + 1))))
        .at(*place);
  }
  // Verilator tells of a pin or parameter that does not fit in a line of the node that instantiates the router.
  constexpr std::pair<std::string_view, const char*> unfit[] = {
      {"Pin not found: '", "lacks the pin"},
      {"Parameter pin not found: '", "lacks the parameter"},
      {"Cell has missing pin: '", "has a pin that no router has,"},
  };
  for (const auto& [finding, what] : unfit) {
    const std::size_t at = output.find(finding);
    if (at == std::string::npos) continue;
    const std::size_t name = at + finding.size();
    throw InputError(fmt::format("{} {} {}", ecube::quoted(file), what,
                                 ecube::quoted(output.substr(name, output.find('\'', name) - name))))
        .at(place_in(file, text_of_file, find_module(text_of_file, module)))
        .hint(fmt::format("its parameters and pins have to be those of hw/rtl/{}.sv; hw/rtl/PROTOCOL.md explains them",
                          module));
  }
  throw InputError(fmt::format("{} does not pass verilator -Wall", ecube::quoted(file)))
      .hint(first.empty() ? "Verilator has said nothing" : first);
}

/// Refuses a router whose parameters have the names that they had at first, in capitals; Verilator would name
/// a line of the node that instantiates the router.
void refuse_old_parameters(const OwnRouter& router) {
  constexpr std::string_view old_names[] = {"DIM", "PORTS", "WIDTH", "TIME", "BUFFER"};
  const std::string code = code_of(router.text);
  std::size_t declared = std::string::npos;  // behind the word `parameter`
  for (const std::string_view word : words_of_code(code)) {
    const auto at = static_cast<std::size_t>(word.data() - code.data());
    if (word == "parameter") declared = at + word.size();
    const bool old = std::find(std::begin(old_names), std::end(old_names), word) != std::end(old_names);
    if (!old || declared > at || code.substr(declared, at - declared).find_first_of(",;=") != std::string::npos)
      continue;
    const std::size_t next = code.find_first_not_of(" \t\r\n", at + word.size());
    if (next == std::string::npos || code[next] != '=') continue;
    std::string name(word);
    std::transform(name.begin() + 1, name.end(), name.begin() + 1, [](char c) { return c - 'A' + 'a'; });
    throw InputError(fmt::format("a router has the parameter {}, not {}", name, word))
        .at(place_in(router.file, router.text, at))
        .hint("DIM, PORTS, WIDTH, TIME and BUFFER of earlier versions are Dim, Ports, Width, Time and Buffer");
  }
}

/// A node, so that pins and parameters that the router lacks are found.
void lint(const OwnRouter& router, const RouterSetup& setup) {
  const auto& [machine, dim] = setup;
  std::vector<std::string> words{"verilator",
                                 "--lint-only",
                                 "-Wall",
                                 "-Wno-UNUSEDPARAM",
                                 "-Wno-DECLFILENAME",  // the file may have modules of the router's own
                                 fmt::format("-GDim={}", dim),
                                 fmt::format("-GPorts={}", machine.node.ports.physical(dim))};
  if (router.module == "ecube_worm_router") {
    words.insert(words.end(), {"-GWorms=1", fmt::format("-GBuffer={}", machine.buffer_phits())});
  }
  words.insert(words.end(), {"--top-module", "ecube_node"});
  for (const char* const source : {"pkg", "parameters", "route", "arbiter", "output", "router", "worm_router", "sender",
                                   "receiver", "interface_port", "worm_port", "node"}) {
    words.push_back(fmt::format("{}/ecube_{}.sv", router.rtl().string(), source));
  }
  try {
    ChildProcess child({.words = std::move(words), .output = ChildCommand::Output::kept});
    if (!child.wait().well()) refuse_finding(child.printed(), router);
  } catch (const std::system_error&) {
    refuse_rtl(router.file, "verilator cannot be started");
  }
}

/// Builds these targets, and gives each library its name in the router's tree. False when CMake failed.
bool build(const OwnRouter& router, std::vector<std::string> targets) {
  const fs::path built = router.tree / "build";
  std::error_code none;
  fs::remove_all(built / "rtl", none);  // a library that is damaged is linked again
  fmt::print(stderr, "ecube: verilating and compiling the router (once, some twenty seconds)\n");
  if (!on_path("cmake")) refuse_rtl(targets.front(), "cmake cannot be started");
  targets.emplace_back("--parallel");
  const char* const faster = on_path("ccache") ? "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache" : "";
  if (!build_rtl({built, router.sources(), faster}, targets, router.tree / "build.log")) return false;
  for (const fs::directory_entry& entry : fs::directory_iterator(built / "rtl")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".so") continue;
    fs::rename(entry.path(), router.tree / (name.substr(0, name.rfind('_')) + ".so"));
  }
  return true;
}

std::vector<fs::path> libraries_of(const std::string& file, const std::vector<RouterSetup>& setups,
                                   const std::string& variant) {
  const OwnRouter router = own_router(file, setups.front().machine);
  std::vector<fs::path> kept;
  std::vector<std::string> targets;
  for (const auto& [machine, dim] : setups) {
    check_rtl(machine, dim);
    targets.push_back(rtl_target(machine, dim, variant));
    kept.push_back(router.tree / (targets.back() + ".so"));
  }
  if (std::all_of(kept.begin(), kept.end(), is_whole)) return kept;  // waits for no other process
  std::error_code failed;
  fs::create_directories(router.tree, failed);
  const FileLock lock = build_lock(router.tree);
  if (failed || lock.error() != 0) refuse_rtl(targets.front(), "cannot write into " + router.tree.string());
  std::erase_if(targets, [&](const std::string& target) { return is_whole(router.tree / (target + ".so")); });
  if (targets.empty()) return kept;
  if (find_module(router.text, router.module) == std::string::npos) {
    throw InputError(fmt::format("{} has no module {}", ecube::quoted(file), router.module))
        .hint(fmt::format("its module has the name, parameters and pins of hw/rtl/{}.sv", router.module));
  }
  refuse_old_parameters(router);
  lay_out(router);
  lint(router, setups.front());
  if (build(router, targets)) return kept;
  for (const RouterSetup& setup : setups) lint(router, setup);
  refuse_rtl(targets.front(), "the build failed, see " + (router.tree / "build.log").string());
}

}  // namespace

std::string own_router_text(const std::string& file) { return read_file(file, "router", most_bytes_of_router); }

bool own_router_has(const std::string& file, std::string_view module) {
  return find_module(own_router_text(file), module) != std::string::npos;
}

fs::path own_router_sources(const std::string& file, const Machine& machine) {
  const OwnRouter router = own_router(file, machine);
  fs::create_directories(router.tree);
  const FileLock lock = build_lock(router.tree);
  lay_out(router);
  return router.rtl();
}

bool own_router_is_built(const std::string& file, const RouterSetup& setup, const std::string& variant) {
  const OwnRouter router = own_router(file, setup.machine);
  return is_whole(router.tree / (rtl_target(setup.machine, setup.dim, variant) + ".so"));
}

RtlLibrary& own_router_library(const std::string& file, const Machine& machine, unsigned dim) {
  return loaded_rtl(libraries_of(file, {{machine, dim}}, "").front(), rtl_target(machine, dim));
}

std::vector<MakeLoneRouter*> lone_routers(const std::string& file, const std::vector<RouterSetup>& setups) {
  std::vector<MakeLoneRouter*> made;
  for (const fs::path& library : libraries_of(file, setups, alone)) {
    void* const symbol = symbol_of_rtl(library, library.stem(), lone_router_symbol);
    made.push_back(reinterpret_cast<MakeLoneRouter*>(symbol));
  }
  return made;
}

}  // namespace ecube
