// SPDX-License-Identifier: Apache-2.0
// Values that no option of any command takes, and what is refused for other reasons.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testbench/combine/combine_request.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/run/commands.h"
#include "testbench/run/run_arguments.h"
#include "testbench/shuffle/shuffle_request.h"
#include "testbench/traffic/traffic_experiment.h"
#include "tests/test.h"

namespace ecube::values_test {
namespace {

/// All commands, each with the words that name it.
void for_commands(const CommandText& text, const std::vector<std::string>& words,
                  const std::function<void(const CommandText&, const std::vector<std::string>&)>& visit) {
  if (!words.empty()) visit(text, words);
  for (const CommandText& command : text.commands) {
    std::vector<std::string> all = words;
    all.push_back(command.name);
    for_commands(command, all, visit);
  }
}

/// What the program says to these words, or nothing when it takes them.
std::string refusal(Command& program, Invocation& invocation, const std::vector<std::string>& words) {
  invocation.arguments.resize(1);
  invocation.arguments.insert(invocation.arguments.end(), words.begin(), words.end());
  return thrown<InputError>([&] { return program.run(words); });
}

TEST(Value, IsNeverEmpty) {
  Command program("ecube", program_description);
  Invocation invocation{.arguments = {"ecube"}, .benches = nullptr};
  add_commands(program, invocation);
  unsigned commands = 0;
  unsigned options = 0;
  for_commands(program.text(), {}, [&](const CommandText& text, const std::vector<std::string>& words) {
    ++commands;
    bool has_argument = false;
    for (const OptionText& option : text.options) {
      // The word after the command is the first of its arguments.
      if (option.argument ? has_argument : option.value.empty()) continue;
      has_argument = has_argument || option.argument;
      const std::string& name = option.names.back();
      std::vector<std::string> empty = words;
      if (!option.argument) empty.push_back(name);
      empty.emplace_back();
      const std::string said = refusal(program, invocation, empty);
      EXPECT_HAS(said, name + " needs ") << text.name << " " << name;
      ++options;
    }
  });
  EXPECT_GT(commands, 20U);
  EXPECT_GT(options, 200U);
  // Another bad value is refused by other words.
  EXPECT_LACKS(refusal(program, invocation, {"run", "exchange", "--dim", "x"}), "--dim needs ");
}

/// Words between blanks, but for blanks in single quotes.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false;
  bool within = false;
  for (const char c : line) {
    if (c == '\'') quoted = !quoted;
    const bool blank = c == ' ' && !quoted;
    if (!blank && !within) words.emplace_back();
    within = !blank;
    if (within && c != '\'') words.back() += c;
  }
  return words;
}

/// A row of refused.txt.
struct Row {
  std::string typed;
  std::string file;
  std::vector<std::string> said;
};

std::vector<Row> rows() {
  std::vector<Row> all;
  for (const std::string& line : file_lines(in_tree("tests/testbench/command_line/refused.txt"))) {
    const std::string rest = line.substr(std::min<std::size_t>(2, line.size()));
    if (line.starts_with("$")) all.push_back({.typed = rest, .file = "", .said = {}});
    if (line.starts_with("|")) all.back().file += rest + "\n";
    if (line.starts_with("?")) all.back().said.push_back(std::regex_replace(rest, std::regex("\\\\n"), "\n"));
  }
  return all;
}

/// What the program prints for these words, and the error behind it. Some commands look at a machine before they
/// refuse, and a process elaborates only once: each has a copy of this one.
std::string said_of(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    // What is refused takes neither long nor much memory; AddressSanitizer keeps more for itself.
    alarm(60);
#ifndef ECUBE_SANITIZED
    constexpr rlim_t most_bytes = rlim_t{4} << 30;
    const rlimit limit{.rlim_cur = most_bytes, .rlim_max = most_bytes};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(1);
#endif
    Command program("ecube", program_description);
    Benches benches;
    Invocation invocation{.arguments = {"ecube"}, .benches = &benches};
    add_commands(program, invocation);
    std::printf("error: %s\n", refusal(program, invocation, words).c_str());
    std::fflush(stdout);
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  std::array<char, 4096> buffer{};
  for (ssize_t size = 0; (size = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    said.append(buffer.data(), static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? said : "no error of bad input";
}

TEST(Refused, WithTheReasonAndWithoutATrace) {
  const Directory directory;
  std::filesystem::current_path(directory / "");
  unsigned count = 0;
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.typed + "\n" + row.file);
    if (!row.file.empty()) std::ofstream("my.toml", std::ios::binary) << row.file;
    const std::string said = said_of(words_of(row.typed));
    EXPECT_TRUE(said.starts_with("error: ")) << said;
    for (const std::string& each : row.said) EXPECT_HAS(said, each);
    if (row.typed.starts_with("sweep plan") && !row.file.empty()) {
      EXPECT_HAS(said, "my.toml");
    }
    std::filesystem::remove("my.toml");
    EXPECT_EQ(directory.files(), std::vector<std::string>());
    ++count;
  }
  EXPECT_GT(count, 300U);
}

/// Every option with a condition is in a transcript, after the workload and at the end of the words.
TEST(Option, ThatMayChangeNothingIsInATranscript) {
  const std::string words = file_text(in_tree("tests/command/transcripts/ignored.txt"));
  const auto expect_all = [&](const std::string& workload, const auto& arguments) {
    for (const Effect& one : arguments.effects("run", Machine())) {
      const std::string option(one.option.option());
      const std::regex given(fmt::format(" {}( [^|\\n]*)? {} \\w+ ?(\\||\n)", workload, option));
      EXPECT_TRUE(std::regex_search(words, given)) << option;
    }
  };
  expect_all("exchange", ExchangeArguments());
  expect_all("combine", CombineArguments());
  expect_all("shuffle", ShuffleArguments());
  expect_all("traffic", TrafficArguments());
}

}  // namespace
}  // namespace ecube::values_test
