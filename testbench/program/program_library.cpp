// SPDX-License-Identifier: Apache-2.0
// The cache of shared objects. Its files for one source: .inputs, by the digest of compiler and source, with the digest
// of every file that was read, and the sealed object, by the digest of all that.
#include "testbench/program/program_library.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <fstream>
#include <iterator>
#include <list>
#include <regex>
#include <sstream>

#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "testbench/system/open_files.h"
#include "testbench/system/program_files.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/text_file.h"
#include "testbench/text/text_hash.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes_of_source = 10'000'000;
constexpr std::uint64_t most_bytes_of_object = 1'000'000'000;

std::string digest_of_file(const fs::path& file) { return std::ifstream(file) ? digest_of(contents_of(file)) : "none"; }

std::vector<std::string> files_of_rule(const fs::path& rule) {
  const std::string whole = contents_of(rule);
  const std::string text = whole.substr(whole.find(": ") + 1);
  // In a name, a backslash stands before blanks and the like, and $ is doubled.
  static const std::regex name(R"((?:\\.|[^\\ \n])+)");
  static const std::regex special(R"(\\(.)|\$(\$))");
  std::vector<std::string> files;
  for (std::sregex_iterator one(text.begin(), text.end(), name), end; one != end; ++one) {
    files.push_back(std::regex_replace(one->str(), special, "$1$2"));
  }
  return files;
}

/// The lines "digest file" of a file, if all of these files still have these digests; else nothing.
std::string valid_inputs(const fs::path& list) {
  std::ifstream stream(list);
  std::string all;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos || digest_of_file(line.substr(blank + 1)) != line.substr(0, blank)) return {};
    all += line + "\n";
  }
  return all;
}

/// Why the object has no programs; empty where it has.
std::string load(const fs::path& object, ProgramList& list) {
  void* const handle = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return dlerror();
  auto* const programs = reinterpret_cast<void (*)(ProgramList&)>(dlsym(handle, "ecube_programs"));
  if (programs == nullptr) return "it ends without ECUBE_PROGRAMS(...)";
  programs(list);
  return {};
}

/// The object of a source and a compiler that `key` names, made of these inputs.
std::string object_of(const std::string& key, const std::string& inputs) { return digest_of(key + inputs) + ".so"; }

void compile_into(const fs::path& folder, const std::string& key, const ProgramCompiler& compiler,
                  const fs::path& source) {
  fmt::print(stderr, "ecube: compiling {} (once, until it changes)\n", source.filename().string());
  StagedFiles staged(folder.string());
  const std::string made = "object";
  const std::string rule = "rule";
  compile_program(compiler, source, staged.file(made), staged.file(rule));
  std::string inputs;
  for (const std::string& file : files_of_rule(staged.file(rule))) {
    inputs += digest_of_file(file) + " " + fs::absolute(file).string() + "\n";
  }
  staged.write(object_of(key, inputs), sealed(read_file(staged.file(made), "object", most_bytes_of_object)));
  staged.write(key + ".inputs", inputs);
  staged.folder().remove(made);
  staged.folder().remove(rule);
  staged.move_each({key + ".inputs"});
}

ProgramLibrary loaded_library(const fs::path& source, double step_limit, MemoryChecks checks) {
  const ProgramCompiler compiler = find_compiler(checks);
  const fs::path folder = cache_folder("programs");
  const std::string key = digest_of(compiler.version + source.string() + digest_of_file(source));
  std::string inputs;
  const auto is_kept = [&] {
    inputs = valid_inputs(folder / (key + ".inputs"));
    return !inputs.empty() && unsealed((folder / object_of(key, inputs)).string(), most_bytes_of_object);
  };
  if (!is_kept()) {
    const FileLock lock = build_lock(folder);
    // Another process may have compiled it meanwhile.
    if (!is_kept()) compile_into(folder, key, compiler, source);
  }
  std::string problem = "the cache of programs does not keep it";
  ProgramLibrary library{.file = source.string(), .hash = {}, .programs = {}};
  if (is_kept()) {
    std::istringstream lines(inputs);
    std::string digests;  // without names: the same wherever the files are
    for (std::string line; std::getline(lines, line);) digests += line.substr(0, line.find(' ')) + "\n";
    library.hash = digest_of(digests);
    ProgramGuard(source.filename().string(), step_limit, checks)
        .run([&] { problem = load(folder / object_of(key, inputs), library.programs); },
             ProgramGuard::Counts::all_time);
  }
  if (problem.empty()) return library;
  throw InputError(fmt::format("{} has no programs that can be run: {}", ecube::quoted(source.string()), problem))
      .hint("it includes \"sw/program/program.h\" and ends with ECUBE_PROGRAMS(YourClass)");
}

}  // namespace

std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool names_program_file(std::string_view word) {
  return word.find('/') != std::string_view::npos || word.ends_with(".cpp") || word.ends_with(".cc") ||
         word.ends_with(".cxx");
}

const ProgramLibrary& program_library(const std::string& file, double step_limit, MemoryChecks checks) {
  // Objects stay loaded: coroutines of a stalled run may refer to their code.
  static std::list<std::pair<std::string, ProgramLibrary>> libraries;
  const std::string text = read_file(file, "file of programs", most_bytes_of_source);
  const std::string path = fs::canonical(file).string();
  const std::string key = path + "\n" + digest_of(text);
  for (const auto& [known, library] : libraries) {
    if (known == key) return library;
  }
  ProgramLibrary library = loaded_library(path, step_limit, checks);
  library.file = file;
  return libraries.emplace_back(key, std::move(library)).second;
}

const ProgramEntry& program_of(const ProgramLibrary& library, const std::string& name) {
  std::vector<std::string_view> names;
  for (const ProgramEntry& entry : library.programs) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  if (name.empty() && library.programs.size() == 1) return library.programs.front();
  if (name.empty()) {
    throw InputError(fmt::format("{} has several programs", ecube::quoted(library.file)))
        .hint("name one with --name")
        .valid(joined(names));
  }
  throw InputError(fmt::format("{} has no program {}", ecube::quoted(library.file), ecube::quoted(name)))
      .hint(did_you_mean(name, names))
      .valid(joined(names));
}

}  // namespace ecube
