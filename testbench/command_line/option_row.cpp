// SPDX-License-Identifier: Apache-2.0
// What is made from the rows of options.
#include "testbench/command_line/option_row.h"

#include <fmt/format.h>

#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"

namespace ecube {

void refuse_word(std::string_view option, std::string_view typed, std::span<const std::string_view> words) {
  throw InputError(fmt::format("unknown value {} for {}", ecube::quoted(typed), option))
      .hint(did_you_mean(typed, words))
      .valid(joined(words));
}

std::int64_t in_range(std::string_view option, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) throw OutOfRange(option, value, fmt::format("{} .. {}", least, most));
  return value;
}

std::string OptionRow::help() const {
  std::string text = help_;
  const std::size_t place = text.find("{}");
  if (place == std::string::npos) return text;
  const std::vector<std::string_view> words = valid();
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    list += std::string(i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + std::string(words[i]);
  }
  return text.replace(place, 2, list);
}

std::string OptionRow::words() const {
  return given() ? fmt::format(" {} {}", option(), shell_word(text())) : std::string();
}

Json OptionRow::json() const { return text(); }

Json NumberOption::json() const { return typed(); }

void NumberOption::declare(Command& command) {
  OptionStyle style = this->style();
  style.size = unit_ == Unit::bytes;
  command.add_option(names(), given_, help(), style);
}

std::uint64_t NumberOption::within(std::int64_t least, std::int64_t most) const {
  return static_cast<std::uint64_t>(in_range(option(), typed(), least, most));
}

void TextOption::declare(Command& command) { command.add_option(names(), given_, help(), style()); }

std::string ListOption::text() const { return fmt::format("{}", fmt::join(values_, " ")); }

std::string ListOption::words() const {
  std::string words;
  for (const std::string& value : values_) words += fmt::format(" {} {}", option(), shell_word(value));
  return words;
}

void ListOption::declare(Command& command) {
  OptionStyle style = this->style();
  style.one_value_each = true;
  command.add_option(names(), values_, help(), style);
}

void declare_options(Command& command, const std::vector<OptionRow*>& rows) {
  for (OptionRow* const row : rows) row->declare(command);
}

std::string given_words(const std::vector<const OptionRow*>& rows) {
  std::string words;
  for (const OptionRow* const row : rows) words += row->words();
  return words;
}

Json options_json(const std::vector<const OptionRow*>& rows) {
  Json json = Json::object();
  for (const OptionRow* const row : rows) {
    std::string name(row->option().substr(2));
    std::ranges::replace(name, '-', '_');
    json[name] = row->json();
  }
  return json;
}

std::string ignored(const std::vector<Effect>& effects) {
  std::string lines;
  for (const auto& [row, here, otherwise] : effects) {
    if (row.given() && !here) lines += fmt::format("{} {}: no effect, {}\n", row.option(), row.text(), otherwise);
  }
  return lines;
}

}  // namespace ecube
