// SPDX-License-Identifier: Apache-2.0
// Values that no option of any command takes.
#include "testbench/commands/program_commands.h"
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
  try {
    program.run(words);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
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
      EXPECT_HAS(said, name + " needs ") << text.name << " " << name << ": " << said;
      ++options;
    }
  });
  EXPECT_GT(commands, 20U);
  EXPECT_GT(options, 200U);
  // Another bad value is refused by other words.
  EXPECT_LACKS(refusal(program, invocation, {"run", "exchange", "--dim", "x"}), "--dim needs ");
}

}  // namespace
}  // namespace ecube::values_test
