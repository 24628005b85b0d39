// SPDX-License-Identifier: Apache-2.0
// Commands and their options, as the program declares them. The option library behind them (CLI11) takes longer to
// compile than anything else here, so only the sources of this folder include CLI11.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/machine/error.h"

namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI

namespace ecube {

/// The value of an option is not in its range. Command::run() shows it as it was typed: 2GB and not 2147483648.
class OutOfRange : public InputError {
 public:
  OutOfRange(std::string_view option, std::int64_t value, std::string range);
  [[nodiscard]] const std::string& option() const { return option_; }
  /// `names`: all names of the option.
  [[nodiscard]] InputError as_typed(std::span<const std::string> words, std::span<const std::string> names) const;

 private:
  static std::string text(std::string_view option, std::string_view value, const std::string& range);

  std::string option_;
  std::string range_;
};

/// Groups of options in help, which always shows those that are common, the few that most users need, and names the
/// others.
namespace group {
inline constexpr std::string_view common = "Common options";
inline constexpr std::string_view own = "";  ///< of the command itself
}  // namespace group

/// How an option is read, and what help says of it.
struct OptionStyle {
  std::string_view group = group::own;  ///< what the option is about, as "tracing"
  bool required = false;
  std::string initial{};      ///< the default that help shows
  bool show_default = false;  ///< help shows the present value as the default
  /// A list gets one value each time the option is given, so that the words after it are not taken for values.
  bool one_value_each = false;
  bool comma_separated = false;  ///< the values of a list are one word, with commas between them
  bool size = false;         ///< the values are sizes: "4 KB" (1 KB = 1,024 B), or bytes without a unit; help says so
  bool with_dashes = false;  ///< values may begin with --, as in --directive=--account=me
  std::vector<std::string_view> words{};  ///< all values that there are; none where they cannot be listed
};

struct OptionText {
  std::vector<std::string> names{};  ///< "-o", "--output"; of an argument its name
  std::string value;                 ///< the word for its value, as "TEXT"; empty for a flag
  std::string initial;               ///< the value when the option is not given, where help shows it
  std::string description;
  bool argument = false;  ///< stands alone, without a name before it
  std::vector<std::string_view> words{};
};

struct CommandText {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<OptionText> options{};
  std::vector<CommandText> commands{};
};

/// Calls action(command, "ecube run exchange") for all commands below one whose path is given.
template <class Action>
void each_command(const CommandText& command, const std::string& path, const Action& action) {
  for (const CommandText& below : command.commands) {
    const std::string whole = path + " " + below.name;
    action(below, whole);
    each_command(below, whole, action);
  }
}

/// A command of the program: its options, its action, and the commands below it. The variables that options write to
/// have to live until the command line has been read.
class Command {
 public:
  Command(const std::string& name, const std::string& description);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  Command& add_command(const std::string& name, const std::string& description);
  void require_command();
  /// Help lists these commands below this one under a title of their own; without a title it leaves them out.
  void group(const std::string& title, std::initializer_list<std::string_view> names);

  /// `names` as in "-o,--output", or a bare word for an argument that stands alone.
  /// Values are std::string or std::int64_t, optional ones or vectors of them.
  template <class Value>
  void add_option(const std::string& names, Value& value, const std::string& description,
                  const OptionStyle& style = {});
  void add_flag(const std::string& names, bool& value, const std::string& description,
                std::string_view group = group::own);
  /// An option that prints `text` and ends the program.
  void add_version(const std::string& names, const std::string& text);

  /// Stands in help before the command's part of help.txt.
  void footer(const std::string& text);

  /// Declares the options of the command when they are needed: a command line names one command of many, and declaring
  /// all options of all commands takes a millisecond.
  void on_named(std::function<void()> declare);
  void on_run(std::function<void()> action);
  /// The action of the command before its options are read; not for a command with on_named().
  void on_start(std::function<void()> action);

  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool named_command() const;

  /// The value of an option in its one spelling, "1024" for 1KB; as it is where the option does not take it.
  [[nodiscard]] std::string spelling(const std::string& option, const std::string& value);

  /// The whole help text, for documents made from it.
  [[nodiscard]] CommandText text();

  /// Reads the words after the program's name and runs their command. False when they ask for help (--help, --help all)
  /// or the version, which is then printed. InputError, with the nearest spelling, when they cannot be read.
  bool run(std::span<const std::string> words);
  /// Reads the options of this command out of the words of one that was recorded, which may have any others. Runs and
  /// prints nothing, whatever the words ask for. InputError where a value of an option cannot be read.
  void read(std::span<const std::string> words);

 private:
  explicit Command(CLI::App& app);
  void list_in(std::string_view group, CLI::Option& option);
  void declare();

  std::unique_ptr<CLI::App> own_;  ///< of the program only
  CLI::App& app_;
  std::function<void()> declare_;  ///< the options; empty once they are declared
  std::map<const CLI::Option*, std::vector<std::string_view>> words_;
  std::vector<std::unique_ptr<Command>> commands_;
};

/// The machine parameter of which an option of earlier versions was another name, without its dashes; empty for others.
[[nodiscard]] std::string_view parameter_of_old_option(std::string_view option);

/// Translates `problem`, thrown while `program` read `arguments` (without its name), into an error for a person:
/// unknown commands and options with the nearest spelling, and the page of help that belongs to the command.
[[nodiscard]] InputError usage_error(const CommandText& program, std::span<const std::string> arguments,
                                     const CLI::ParseError& problem);

}  // namespace ecube
