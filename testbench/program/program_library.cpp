// SPDX-License-Identifier: Apache-2.0
// Starting the compiler, and reading what it says. The cache of shared objects. Its files for one source: .inputs, by
// the digest of compiler and source, with the digest of every file that was read, and the sealed object, by the digest
// of all that.
#include "testbench/program/program_library.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <list>
#include <sstream>
#include <system_error>

#include "models/machine/spelling.h"
#include "testbench/system/child_process.h"
#include "testbench/system/program_files.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/regular_expression.h"
#include "testbench/text/text_file.h"
#include "testbench/text/text_hash.h"
#include "testbench/version.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes_of_source = 10'000'000;
constexpr std::uint64_t most_bytes_of_object = 1'000'000'000;

struct ProgramCompiler {
  fs::path headers;     ///< the folder of "sw/..." and "models/..."
  std::string program;  ///< the compiler
  std::string options;
  std::string version;  ///< SHA-256 of the compiler, its options and all headers of models and sw
};

/// Of a file; empty where it cannot be read.
std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

constexpr std::string_view compiler_options =
    " -std=c++20 -O2 -g1 -fPIC -shared -ffp-contract=off -Wall -fdiagnostics-color=never";
/// Their reports need the lines that -g1 has; a program with their checks is compiled a third sooner with -O1.
constexpr std::string_view sanitizer_options =
    " -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer";

/// Shared objects of a process take their functions from the program alone: without unique symbols, which Clang has
/// none of, the objects of two files do not see each other's either.
std::string options_for(MemoryChecks checks, const std::string& compiler) {
  std::string options(compiler_options);
  if (compiler.find("clang") == std::string::npos) options += " -fno-gnu-unique";
  return checks == MemoryChecks::sanitizers ? options.append(sanitizer_options) : options;
}

std::string compiler_name() {
  if (const char* const named = std::getenv("CXX"); named != nullptr && *named != '\0') return named;
  for (const char* const name : {"g++", "c++"}) {
    if (on_path(name)) return name;
  }
  throw InputError("to compile a program, a compiler is missing").hint("as root: apt-get install g++");
}

/// CXX may have words before the compiler, as "ccache g++".
std::vector<std::string> split_words(const std::string& program) {
  std::istringstream stream(program);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string compiler_text(const std::string& program, const std::string& option) {
  try {
    std::vector<std::string> words = split_words(program);
    words.push_back(option);
    ChildProcess child({.words = std::move(words)});
    if (child.wait().well()) return child.printed();
  } catch (const std::system_error&) {  // told below
  }
  throw InputError(fmt::format("the compiler {} cannot be started", ecube::quoted(program)))
      .hint("CXX names another one; as root: apt-get install g++");
}

std::string hash_of_headers(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const char* const layer : {"models", "sw"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder / layer)) {
      if (entry.path().extension() == ".h") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files) all += file.lexically_relative(folder).string() + "\n" + contents_of(file);
  return digest_of(all);
}

/// The names of the fields of ecube::STRUCT, of the interface of nodes or of parameters.
std::vector<std::string> fields_of(const std::string& name, const fs::path& headers) {
  std::ifstream header(headers / (name == "Parameter" ? "sw/program/job.h" : "sw/api/node.h"));
  std::vector<std::string> fields;
  std::string line;
  while (std::getline(header, line) && line != "struct " + name + " {") {
  }
  // A type, a name, of a function ")(..)", a value " = .." or "{}".
  static const RegularExpression name_at_end(R"([ *](\w+)$)");
  while (std::getline(header, line) && line.starts_with(' ') && line.find(';') != std::string::npos) {
    line.resize(line.find(';'));
    for (const char* const behind : {" = ", "{}", ")("}) line.resize(std::min(line.find(behind), line.size()));
    const std::vector<std::string_view> found = name_at_end.find(line);
    if (found.empty()) break;
    fields.emplace_back(found[1]);
  }
  return fields;
}

/// The statement at a place, in one line: what a list in braces of it says, from the place on, or, where the compiler
/// names its end, from "return" on.
std::string list_at(const std::string& text, const Place& place, bool ends) {
  std::uint32_t first = place.line;
  while (ends && first > 1 && line_of(text, first).find("return") == std::string::npos) --first;
  std::string code;
  int depth = 0;
  for (std::uint32_t number = first;; ++number) {
    const std::string line = line_of(text, number);
    for (std::size_t i = ends || number > first ? 0 : place.column - 1; i < line.size(); ++i) {
      code += line[i];
      depth += line[i] == '{' ? 1 : line[i] == '}' ? -1 : 0;
      if (line[i] == '}' && depth == 0) return code;
    }
    constexpr std::uint32_t most_lines = 50;
    if (number - first == most_lines) return code;
  }
}

/// What the compiler does not say of a list of fields, ".name = value", that a structure of the interface does not
/// take.
void name_field(InputError& error, const std::string& message, const Place& place, const std::string& text,
                const fs::path& headers) {
  static const RegularExpression no_list(
      "brace-enclosed initializer list>' to '(const )?(std::vector<)?ecube::(\\w+)(&|>)?'");
  const std::vector<std::string_view> of = no_list.find(message);
  if (of.empty()) return;
  const std::string structure(of[3]);
  const std::string code = list_at(text, place, !of[2].empty());
  const std::vector<std::string> fields = fields_of(structure, headers);
  const std::vector<std::string_view> known(fields.begin(), fields.end());
  static const RegularExpression designator(R"([{,]\s*\.(\w+)\s*[={])");
  std::string_view rest = code;
  for (std::vector<std::string_view> found; !(found = designator.find(rest)).empty();) {
    rest = {found[0].end(), rest.end()};
    const std::string name(found[1]);
    if (std::ranges::find(known, name) != known.end()) continue;
    error.hint(fmt::format("{} has no field {}", structure, ecube::quoted(name))).hint(did_you_mean(name, known));
    break;
  }
  error.valid(joined(known) + ", in this order");
}

/// The first error in a compiler's output, as an error of the user's file `source`. The line is that of the error, or,
/// for an error in a header, the line of `source` that led there.
std::string first_compiler_error(const std::string& output, const std::string& source, const fs::path& headers) {
  std::vector<std::string> lines;
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  const auto says_error = [](const std::string& line) {
    return line.find(" error: ") != std::string::npos || line.find("undefined reference to") != std::string::npos;
  };
  const auto error = std::find_if(lines.begin(), lines.end(), says_error);
  if (error == lines.end()) {
    return InputError(fmt::format("{} does not compile", ecube::quoted(source)))
        .hint(lines.empty() ? "the compiler has said nothing" : lines.back())
        .what();
  }
  const std::size_t word = error->find(" error: ");
  const std::string message =
      word == std::string::npos ? error->substr(error->find("undefined reference to")) : error->substr(word + 8);
  // The line itself, or the nearest line before it that names the user's file: "required from", "included from".
  const std::string text = contents_of(source);
  std::optional<Place> place;
  for (auto line = error;; --line) {
    place = place_named_in(*line, source, text);
    if (place || line == lines.begin()) break;
  }
  InputError told(fmt::format("{} does not compile: {}", ecube::quoted(source), message));
  if (!place) return told.hint(*error).what();
  told.at(*place);
  if (!place_named_in(*error, source, text)) told.hint("the error itself: " + *error);
  name_field(told, message, *place, text, headers);
  return told.what();
}

/// InputError, with the package to install, when there is no compiler, or no headers.
ProgramCompiler find_compiler(MemoryChecks checks) {
  ProgramCompiler compiler{.headers = header_files(), .program = compiler_name(), .options = {}, .version = {}};
  if (compiler.headers.empty()) {
    throw InputError("to compile a program, the headers of ecube are missing: " + why_no_files());
  }
  const std::string version = compiler_text(compiler.program, "--version");
  compiler.options = options_for(checks, version);
  compiler.version = digest_of(version + ecube::program_version + hash_of_headers(compiler.headers) + compiler.options);
  return compiler;
}

/// Compiles `source` to `object`, and writes the names of all user files that were read into `inputs`, as a rule of
/// make. InputError with the compiler's first error, at the user's line, when the file does not compile.
void compile_program(const ProgramCompiler& compiler, const fs::path& source, const fs::path& object,
                     const fs::path& inputs) {
  // Messages are searched for English words.
  std::vector<std::string> words{"env", "LC_ALL=C"};
  const std::vector<std::string> program = split_words(compiler.program + compiler.options);
  words.insert(words.end(), program.begin(), program.end());
  words.insert(words.end(), {"-isystem", compiler.headers.string(), "-MMD", "-MF", inputs.string(), "-o",
                             object.string(), source.string()});
  ChildProcess child({.words = std::move(words)});
  const ChildEnd end = child.wait();
  if (interrupt_wanted()) throw Interrupted("while a program was compiled; nothing was written");
  if (!end.well()) throw InputError(first_compiler_error(child.printed(), source.string(), compiler.headers));
}

std::string digest_of_file(const fs::path& file) { return std::ifstream(file) ? digest_of(contents_of(file)) : "none"; }

std::vector<std::string> files_of_rule(const fs::path& rule) {
  const std::string whole = contents_of(rule);
  const std::string text = whole.substr(whole.find(": ") + 1);
  // In a name, a backslash stands before blanks and the like, and $ is doubled.
  std::vector<std::string> files(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\n';
    if ((text[i] == '\\' && next != '\n') || (text[i] == '$' && next == '$')) {
      files.back() += text[++i];
    } else if (text[i] != '\\' && text[i] != ' ' && text[i] != '\n') {
      files.back() += text[i];
    } else if (!files.back().empty()) {
      files.emplace_back();
    }
  }
  if (files.back().empty()) files.pop_back();
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

void load_sanitizers() {
  if (dlsym(RTLD_DEFAULT, "__asan_init") != nullptr) {
    unsetenv("LD_PRELOAD");  // for the programs that this one starts
    return;
  }
  std::string library = compiler_text(compiler_name(), "-print-file-name=libasan.so");
  while (library.ends_with('\n')) library.pop_back();
  if (!fs::exists(library)) {
    throw InputError("the compiler has no AddressSanitizer").hint("as root: apt-get install g++");
  }
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(stream, word, '\0');) words.push_back(word);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  setenv("LD_PRELOAD", library.c_str(), 1);
  // What a program leaves allocated when the machine stops is no mistake of its own.
  setenv("ASAN_OPTIONS", "detect_leaks=0:exitcode=1", 1);
  setenv("UBSAN_OPTIONS", "print_stacktrace=1", 1);
  (void)std::fflush(nullptr);
  execv("/proc/self/exe", arguments.data());
  throw std::system_error(errno, std::generic_category(), "ecube cannot begin anew with AddressSanitizer");
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
