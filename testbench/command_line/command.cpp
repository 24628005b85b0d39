// SPDX-License-Identifier: Apache-2.0
// Commands and options by CLI11.
#include "testbench/command_line/command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <sstream>
#include <type_traits>
#include <utility>

#include "models/machine/quantity.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text.h"

namespace ecube {

/// help.txt
extern const std::string_view help_texts;

namespace {

constexpr const char* default_group = "Options";  // CLI11's

/// Help whose descriptions are as wide as the terminal. Where a command has common options, it shows these, and of the
/// others the groups; with `all`, everything.
class HelpText final : public CLI::Formatter {
 public:
  explicit HelpText(bool all) : all_(all) {}

  std::string make_group(std::string group, bool positional, std::vector<const CLI::Option*> options) const override {
    if (brief_ && !positional && group != group::common) return {};
    const bool common = group == group::common;
    if (has_common_ && group == default_group) group = "Options of this command";
    if (!group.empty() && group.front() >= 'a' && group.front() <= 'z') group.front() += 'A' - 'a';
    const std::string text = CLI::Formatter::make_group(group, positional, options);
    return has_common_ && !positional && !common ? text.substr(1) : text;  // CLI11's second empty line
  }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    const std::vector<std::string> groups = app->get_groups();
    has_common_ = std::find(groups.begin(), groups.end(), group::common) != groups.end();
    brief_ = has_common_ && !all_;
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    // Between the groups that are left out there are empty lines.
    for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at)) text.erase(at, 1);
    return text;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(CLI::Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_display_name(true), wrapped(command->get_description()),
                             get_column_width());
    return out.str();
  }

  std::string make_description(const CLI::App* command) const override {
    return sentences(CLI::Formatter::make_description(command));
  }
  /// A brief help ends with the examples; what stands before them is for --help all.
  std::string make_footer(const CLI::App* command) const override {
    const std::string footer = CLI::Formatter::make_footer(command);
    if (!brief_) return sentences(footer);
    const std::size_t examples = footer.find("Example");
    return sentences(others(command) + "\n" + (examples == std::string::npos ? footer : footer.substr(examples)));
  }

 private:
  /// Sentences in lines that fit; commands, which are indented, go on in the next line as in a shell.
  [[nodiscard]] static std::string sentences(const std::string& text) {
    const std::size_t width = terminal_columns(STDOUT_FILENO);
    std::istringstream lines(text);
    std::string result;
    for (std::string line; std::getline(lines, line);) {
      const bool command = line.empty() || line.front() == ' ';
      result += (command ? continued(line, width) : in_lines(line, width)) + "\n";
    }
    return result;
  }

  /// A command in lines that fit, each begun with an option; where no option leaves room, it stays as it is.
  [[nodiscard]] static std::string continued(std::string line, std::size_t width) {
    constexpr std::string_view next = "      ";
    constexpr std::string_view end = " \\";
    std::string result;
    while (line.size() > width && width > end.size()) {
      const std::size_t option = line.rfind(" --", width - end.size());
      if (option == std::string::npos || option <= next.size()) break;
      result += line.substr(0, option) + std::string(end) + "\n";
      line = std::string(next) + line.substr(option + 1);
    }
    return result + line;
  }

  /// The text in lines that fit beside the names.
  [[nodiscard]] std::string wrapped(const std::string& text) const {
    constexpr std::size_t least = 30;
    const std::size_t columns = terminal_columns(STDOUT_FILENO);
    return in_lines(text, std::max(least, columns - std::min(columns, get_column_width())));
  }

  /// "More, by --help all: tracing (--trace, --trace-window); ..", a line for each group.
  [[nodiscard]] static std::string others(const CLI::App* command) {
    std::string text = "More with --help all:\n";
    for (const std::string& group : command->get_groups()) {
      if (group == group::common) continue;
      std::string names;
      for (const CLI::Option* option : command->get_options()) {
        if (option->get_group() != group || !option->nonpositional()) continue;
        names += (names.empty() ? " --" : ", --") + option->get_lnames().front();
      }
      if (!names.empty()) text += (group == default_group ? "this command" : group) + ":" + names + "\n";
    }
    return text;
  }

  [[nodiscard]] static std::string in_lines(const std::string& text, std::size_t width) {
    std::istringstream words(text);
    std::string result;
    std::size_t line = 0;
    for (std::string word; words >> word; line += word.size()) {
      if (line > 0) {
        const bool fits = line + 1 + word.size() <= width;
        result += fits ? ' ' : '\n';
        line = fits ? line + 1 : 0;
      }
      result += word;
    }
    return result;
  }

  bool all_;
  // Of the command whose help is made; CLI11 does not tell every part of a help which command it is of.
  mutable bool has_common_ = false;
  mutable bool brief_ = false;
};

/// Takes "all" out of "--help all".
bool asks_for_all(std::vector<std::string>& words) {
  const auto all_help = [](const std::string& word, const std::string& next) {
    return (word == "--help" || word == "-h") && next == "all";
  };
  const auto asked = std::ranges::adjacent_find(words, all_help);
  if (asked == words.end()) return false;
  words.erase(asked + 1);
  return true;
}

// A refused value is told with the option's name in front.

std::string refuse_empty(const std::string& text) {
  return trimmed(text).empty() ? "needs a value, not an empty text" : "";
}

/// CLI11 by itself takes the option behind `--output` for the name of a file.
std::string refuse_no_text(const std::string& text) {
  return text.starts_with("--") ? "needs a value, not the option " + ecube::quoted(text) : refuse_empty(text);
}

/// CLI11 by itself takes 010 for 8, and 0x10 for 16.
std::string make_decimal(std::string& text) {
  if (text.empty()) return "needs a whole number, not an empty text";
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  if (text.size() == sign || text.find_first_not_of("0123456789", sign) != std::string::npos) {
    return "takes a whole number, not " + ecube::quoted(text) + ": decimal digits";
  }
  text.erase(sign, std::min(text.find_first_not_of('0', sign), text.size() - 1) - sign);
  // CLI11 takes the nearest number that fits.
  std::int64_t value = 0;
  const bool fits = std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
  return fits ? "" : ecube::quoted(text) + " is out of range";
}

/// A size becomes its bytes, before these are read as a decimal.
std::string make_bytes(std::string& text) {
  const auto last = text.find_last_not_of(" 0123456789-+");
  if (last == std::string::npos) return {};
  const auto bytes = parse_size(text);
  if (!bytes) return fmt::format("{} {}", ecube::quoted(text), bytes.problem().message);
  text = std::to_string(*bytes);
  return {};
}

OptionText option_text(const CLI::Option& option) {
  OptionText text{.value = option.get_items_expected_max() == 0 ? "" : option.get_type_name(),
                  .initial = option.get_default_str(),
                  .description = option.get_description(),
                  .argument = !option.nonpositional()};
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (text.argument) text.names.push_back(option.get_name());
  return text;
}

/// The names of an option of the command that was named: -d and --dim.
std::vector<std::string> names_of(const CLI::App& app, const std::string& option) {
  if (!app.get_subcommands().empty()) return names_of(*app.get_subcommands().back(), option);
  const CLI::Option* const found = app.get_option_no_throw(option);
  return found != nullptr ? option_text(*found).names : std::vector<std::string>{option};
}

/// The part of help.txt with a title; empty where it has none.
std::string_view help_of(const std::string& title) {
  const std::string line = "\n[" + title + "]\n";
  const std::size_t at = help_texts.find(line);
  if (at == std::string_view::npos) return {};
  const std::string_view lines = help_texts.substr(at + line.size());
  return lines.substr(0, std::min(lines.find("\n\n["), lines.size() - 1));
}

/// What help.txt says of the command "run exchange", or else of all commands below "run".
std::string last_lines(const std::string& path) {
  const std::size_t name = path.rfind(' ') + 1;
  std::string_view lines = help_of(path);
  if (lines.empty() && name > 0) lines = help_of(path.substr(0, name) + "*");
  return fmt::format(fmt::runtime(lines), fmt::arg("name", path.substr(name)), fmt::arg("studies", studies_folder()));
}

/// A command without last lines has those of the command above it.
void complete_help(CLI::App& app, const std::shared_ptr<HelpText>& help, const std::string& path,
                   const std::string& above) {
  app.formatter(help);
  std::string footer = app.get_footer() + last_lines(path);
  if (footer.empty()) {
    footer = above;
  } else if (app.get_option_no_throw("--set") != nullptr) {
    footer += "\n\nMachine parameters, for --set and machine files: ecube machines --options";
  }
  app.footer(footer);
  for (CLI::App* below : app.get_subcommands({})) {
    complete_help(*below, help, path + (path.empty() ? "" : " ") + below->get_name(), footer);
  }
}

}  // namespace

Command::Command(const std::string& name, const std::string& description)
    : own_(std::make_unique<CLI::App>(description, name)), app_(*own_) {
  app_.set_help_flag("-h,--help", "This help; --help all has all options");  // commands below inherit it
}

Command::Command(CLI::App& app) : app_(app) {}

Command::~Command() = default;

Command& Command::add_command(const std::string& name, const std::string& description) {
  commands_.emplace_back(new Command(*app_.add_subcommand(name, description)->footer("")));
  return *commands_.back();
}

void Command::require_command() { app_.require_subcommand(1); }

void Command::group(const std::string& title, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) app_.get_subcommand(std::string(name))->group(title);
}

/// --help is one of the common options, where a command has any; it joins the first, which keeps groups in the order of
/// their first options.
void Command::list_in(std::string_view group, CLI::Option& option) {
  if (group == group::own) return;
  option.group(std::string(group));
  CLI::Option* const help = app_.get_help_ptr();
  if (group == group::common && help != nullptr) help->group(std::string(group));
}

template <class Value>
void Command::add_option(const std::string& names, Value& value, const std::string& description,
                         const OptionStyle& style) {
  constexpr bool texts = std::is_constructible_v<Value, std::string> || std::is_same_v<Value, std::vector<std::string>>;
  CLI::Option* const option = app_.add_option(names, value, description)->required(style.required);
  if constexpr (texts) {
    option->check(style.with_dashes ? refuse_empty : refuse_no_text);
  } else {
    option->transform(CLI::Validator(make_decimal, ""));
  }
  if (style.size) {
    option->description(description + "; also with a unit, as 4KB (1 KB = 1,024 B)");
    option->transform(CLI::Validator(make_bytes, "", "size"));
  }
  if (style.one_value_each) option->allow_extra_args(false);
  if (style.comma_separated) option->delimiter(',');
  if (style.show_default) option->capture_default_str();
  if (!style.initial.empty()) option->default_str(style.initial);
  if (!style.words.empty()) words_[option] = style.words;
  list_in(style.group, *option);
}
template void Command::add_option(const std::string&, std::string&, const std::string&, const OptionStyle&);
template void Command::add_option(const std::string&, std::int64_t&, const std::string&, const OptionStyle&);
template void Command::add_option(const std::string&, std::optional<std::string>&, const std::string&,
                                  const OptionStyle&);
template void Command::add_option(const std::string&, std::optional<std::int64_t>&, const std::string&,
                                  const OptionStyle&);
template void Command::add_option(const std::string&, std::vector<std::string>&, const std::string&,
                                  const OptionStyle&);
template void Command::add_option(const std::string&, std::vector<std::int64_t>&, const std::string&,
                                  const OptionStyle&);

void Command::add_flag(const std::string& names, bool& value, const std::string& description, std::string_view group) {
  list_in(group, *app_.add_flag(names, value, description));
}

void Command::add_version(const std::string& names, const std::string& text) { app_.set_version_flag(names, text); }

void Command::footer(const std::string& text) { app_.footer(text); }

void Command::declare() {
  if (const std::function<void()> declare = std::exchange(declare_, nullptr)) declare();
}

void Command::on_named(std::function<void()> declare) {
  declare_ = std::move(declare);
  app_.preparse_callback([this](std::size_t) { this->declare(); });
}

void Command::on_run(std::function<void()> action) { app_.callback(std::move(action)); }

void Command::on_start(std::function<void()> action) {
  app_.preparse_callback([action = std::move(action)](std::size_t) { action(); });
}

std::string Command::name() const { return app_.get_name(); }

bool Command::named_command() const { return !app_.get_subcommands().empty(); }

std::string Command::spelling(const std::string& option, const std::string& value) {
  try {
    app_.parse(std::vector<std::string>{"--" + option + "=" + value});
    const std::vector<std::string>& results = app_.get_option("--" + option)->results();
    return results.size() == 1 ? results.front() : value;
  } catch (const CLI::Error&) {
    return value;
  }
}

CommandText Command::text() {
  declare();
  CommandText text{.name = app_.get_name(), .description = app_.get_description(), .footer = app_.get_footer()};
  for (const CLI::Option* const option : std::as_const(app_).get_options()) {
    text.options.push_back(option_text(*option));
    text.options.back().words = words_[option];
  }
  for (const auto& command : commands_) {
    if (!command->app_.get_group().empty()) text.commands.push_back(command->text());
  }
  return text;
}

OutOfRange::OutOfRange(std::string_view option, std::int64_t value, std::string range)
    : InputError(text(option, std::to_string(value), range)), option_(option), range_(std::move(range)) {}

std::string OutOfRange::text(std::string_view option, std::string_view value, const std::string& range) {
  return InputError(fmt::format("{} {} is out of range", option, value)).valid(range).what();
}

InputError OutOfRange::as_typed(std::span<const std::string> words, std::span<const std::string> names) const {
  for (std::size_t i = words.size(); i-- > 0;) {
    for (const std::string& name : names) {
      if (!words[i].starts_with(name)) continue;
      std::string typed = words[i].substr(name.size());
      if (typed.empty() && i + 1 < words.size()) {
        typed = words[i + 1];
      } else if (name.starts_with("--")) {
        if (!typed.starts_with('=')) continue;  // a longer name
        typed.erase(0, 1);
      }
      // Of a list only one value is wrong.
      if (!typed.empty() && typed.find(',') == std::string::npos) return InputError(text(option_, typed, range_));
    }
  }
  return *this;
}

bool Command::run(std::span<const std::string> given) {
  std::vector<std::string> words(given.begin(), given.end());
  const bool all = asks_for_all(words);
  try {
    app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() != 0) {
      throw usage_error(text(), words, problem);  // another command may have the option
    }
    complete_help(app_, std::make_shared<HelpText>(all), "", "");
    std::ostringstream help;
    app_.exit(problem, help, help);
    fmt::print("{}", help.str());
    return false;
  } catch (const OutOfRange& problem) {
    throw problem.as_typed(words, names_of(app_, problem.option()));
  }
  return true;
}

void Command::read(std::span<const std::string> words) {
  app_.set_help_flag();
  app_.allow_extras();
  try {
    app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& problem) {
    throw InputError(problem.what());
  }
}

}  // namespace ecube
