// SPDX-License-Identifier: Apache-2.0
// The texts made from the option table.
#include "models/machine/machine_parameters.h"

#include <algorithm>
#include <array>
#include <vector>

#include "models/machine/spelling.h"

namespace ecube {
namespace {

constexpr std::size_t text_width = 120;

/// How a limit of a parameter is written, and examples of its spelling.
struct KindText {
  std::string (*amount)(std::uint64_t value);
  std::string_view spelling;
};

std::string counted(std::uint64_t value) { return std::to_string(value); }

/// [OptionKind]
constexpr std::array<KindText, 11> kind_texts = {
    {{format_frequency, "\"40 MHz\""},
     {format_size, "\"4 B\""},
     {format_cycles, "\"3800 cycles\" or \"95 us\""},
     {format_cycles, "\"63.04 cycles\" or \"1.576 us\""},
     {[](std::uint64_t value) { return counted(value) + " cycles/byte"; }, "\"21.6 cycles/byte\" or \"0.54 us/byte\""},
     {[](std::uint64_t value) { return counted(value) + " cycles/item"; }, "\"14 cycles/item\" or \"0.35 us/item\""},
     {[](std::uint64_t value) { return counted(value) + " B/s"; }, "\"2.8 MB/s\""},
     {counted, "a number"},
     {counted, "a number"},
     {counted, ""},
     {counted, "\"mesh:8x8\""}}};

const KindText& text_of(const Option& option) { return kind_texts[static_cast<std::size_t>(option.kind)]; }

std::string words_in_a_sentence(const Option& option, std::string_view last) {
  std::vector<std::string_view> words = split(option.words, '|');
  if (!last.empty()) words.push_back(last);
  return joined(words, ", ", " or ");
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 2, width), ' ');
  return text;
}

/// Appends `words`, broken so that no line exceeds text_width; lines after the first begin at column `indent`.
void append_wrapped(std::string& text, std::string_view words, std::size_t indent) {
  std::size_t column = text.size() - (text.rfind('\n') + 1);
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    if (column > indent && column + 1 + word.size() > text_width) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) text += ' ', ++column;
    text += word;
    column += word.size();
  }
}

}  // namespace

const Option* find_option(std::string_view key) {
  const std::span<const Option> all = options();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Option& option) { return option.key == key; });
  return found == all.end() ? nullptr : &*found;
}

bool applies(const Option& option, const Machine& machine) {
  return !option.node.has_value() || *option.node == machine.node.model;
}

std::string spelling(const Option& option) {
  const std::string_view examples = text_of(option).spelling;
  return option.words.empty() ? std::string(examples) : words_in_a_sentence(option, examples);
}

std::string range(const Option& option) {
  if (option.kind == OptionKind::topology) return "cube, " + std::string(Topology::spelling());
  const std::string numbers = text_of(option).amount(option.min) + " to " + text_of(option).amount(option.max);
  if (option.kind == OptionKind::count_or_word) return words_in_a_sentence(option, numbers);
  return option.words.empty() ? numbers : spelling(option);
}

std::string default_value(const Option& option) {
  const std::string value = option.write(option, Machine{});
  return value.empty() ? "-" : value;
}

std::string meaning_of(const Option& option) {
  std::string help(option.help);
  if (!option.node || option.key == "node.model") return help;
  return help + (*option.node == NodeModel::rates ? " (node.model = rates only)" : " (node.model = detailed only)");
}

std::string options_as_text() {
  constexpr std::size_t key_width = 26;
  constexpr std::size_t default_width = 18;
  std::string text = padded("key", key_width) + padded("default", default_width) + "meaning; values\n";
  for (const Option& option : options()) {
    text += padded(std::string(option.key), key_width) + padded(default_value(option), default_width);
    std::string meaning = meaning_of(option) + "; " + range(option);
    if (option.words.empty()) meaning += ", as " + spelling(option);
    append_wrapped(text, meaning, key_width + default_width);
    text += "\n";
  }
  return text;
}

std::string machine_as_toml(const Machine& machine) {
  std::string text = "name = \"" + machine.name + "\"\n";
  for (const Option& option : options())
    if (const std::string value = option.write(option, machine); !value.empty() && applies(option, machine))
      text += std::string(option.key) + " = \"" + value + "\"\n";
  return text;
}

}  // namespace ecube
