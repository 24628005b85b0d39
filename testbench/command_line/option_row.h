// SPDX-License-Identifier: Apache-2.0
// Options as rows: name, help, default, and range or words of an option are said once, and command lines, checks and
// the commands that the program recommends are made from them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/command_line/command.h"

namespace ecube {

template <class Value>
struct Word {
  std::string_view word;
  Value value;
};

inline constexpr Word<bool> on_off[] = {{"on", true}, {"off", false}};

/// The row of a word; null where there is none.
template <class Value, std::size_t count>
const Word<Value>* find_word(const Word<Value> (&words)[count], std::string_view typed) {
  const auto* const found = std::ranges::find(words, typed, &Word<Value>::word);
  return found == std::end(words) ? nullptr : found;
}

[[noreturn]] void refuse_word(std::string_view option, std::string_view typed, std::span<const std::string_view> words);

/// The value that a word of the Words stands for. InputError with the valid words.
template <class Words>
auto choose(std::string_view option, std::string_view typed, const Words& words) {
  std::vector<std::string_view> candidates;
  for (const auto& word : words) {
    if (word.word == typed) return word.value;
    candidates.push_back(word.word);
  }
  refuse_word(option, typed, candidates);
}

template <class Value, class Words>
std::string_view word_of(Value value, const Words& words) {
  for (const auto& word : words) {
    if (word.value == value) return word.word;
  }
  return "?";
}

std::int64_t in_range(std::string_view option, std::int64_t value, std::int64_t least, std::int64_t most);

class OptionRow {
 public:
  /// `names` as "-d,--dim". `help` has the words of the option in the place of {}. Help lists the option in `group`.
  OptionRow(std::string_view names, std::string_view help, std::string_view group)
      : names_(names), help_(help), group_(group) {}
  virtual ~OptionRow() = default;
  OptionRow(const OptionRow&) = default;
  OptionRow& operator=(const OptionRow&) = default;

  /// "--pairwise-sync"
  [[nodiscard]] std::string_view option() const { return names_.substr(names_.find("--")); }
  [[nodiscard]] virtual bool given() const = 0;
  /// As it would be typed: the value given, or the default.
  [[nodiscard]] virtual std::string text() const = 0;
  /// " --order low"; empty where no value was given.
  [[nodiscard]] virtual std::string words() const;
  /// The value given, or the default, unchecked: a number where the option takes one.
  [[nodiscard]] virtual nlohmann::ordered_json json() const;

  virtual void declare(Command& command) = 0;
  void say(std::string help) { help_ = std::move(help); }
  void list_in(std::string_view group) { group_ = group; }

 protected:
  [[nodiscard]] std::string names() const { return std::string(names_); }
  [[nodiscard]] std::string help() const;
  [[nodiscard]] OptionStyle style() const { return {.group = group_, .initial = text(), .words = valid()}; }

 private:
  [[nodiscard]] virtual std::vector<std::string_view> valid() const { return {}; }

  std::string_view names_;
  std::string help_;
  std::string_view group_;
};

class NumberOption : public OptionRow {
 public:
  struct Range {
    std::int64_t least = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
  };
  enum class Unit : std::uint8_t { none, bytes };

  NumberOption(std::string_view names, std::string_view help, std::string_view group, std::int64_t initial, Range range,
               Unit unit = Unit::none)
      : OptionRow(names, help, group), initial_(initial), range_(range), unit_(unit) {}
  NumberOption& operator=(std::int64_t value) {
    given_ = value;
    return *this;
  }

  [[nodiscard]] bool given() const override { return given_.has_value(); }
  [[nodiscard]] std::string text() const override { return std::to_string(typed()); }
  [[nodiscard]] nlohmann::ordered_json json() const override;
  void declare(Command& command) override;

  void initially(std::int64_t value) { initial_ = value; }

  /// Unchecked.
  [[nodiscard]] std::int64_t typed() const { return given_.value_or(initial_); }
  /// InputError where the value is out of its range.
  [[nodiscard]] std::uint64_t value() const { return within(range_.least, range_.most); }
  /// InputError where the value is outside a range that depends on other options.
  [[nodiscard]] std::uint64_t within(std::int64_t least, std::int64_t most) const;

 private:
  std::int64_t initial_;
  Range range_;
  Unit unit_;
  std::optional<std::int64_t> given_{};
};

class TextOption : public OptionRow {
 public:
  TextOption(std::string_view names, std::string_view help, std::string_view group, std::string_view initial = {})
      : OptionRow(names, help, group), initial_(initial) {}
  TextOption& operator=(std::string_view text) {
    given_ = text;
    return *this;
  }

  [[nodiscard]] bool given() const override { return given_.has_value(); }
  [[nodiscard]] std::string text() const override { return value(); }
  void declare(Command& command) override;
  void initially(std::string_view text) { initial_ = text; }

  [[nodiscard]] const std::string& value() const { return given_ ? *given_ : initial_; }
  [[nodiscard]] bool empty() const { return value().empty(); }

 private:
  std::string initial_;
  std::optional<std::string> given_{};
};

class ListOption : public OptionRow {
 public:
  using OptionRow::OptionRow;
  ListOption& operator=(std::vector<std::string> values) {
    values_ = std::move(values);
    return *this;
  }

  [[nodiscard]] bool given() const override { return !values_.empty(); }
  /// Blanks between the values.
  [[nodiscard]] std::string text() const override;
  [[nodiscard]] std::string words() const override;
  void declare(Command& command) override;

  [[nodiscard]] const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> values_{};
};

/// A text that is one of some words.
template <class Value>
class WordOption : public TextOption {
 public:
  template <std::size_t count>
  WordOption(std::string_view names, std::string_view help, std::string_view group, Value initial,
             const Word<Value> (&words)[count])
      : TextOption(names, help, group, word_of(initial, words)), words_(words) {}
  WordOption& operator=(Value value) {
    TextOption::operator=(word_of(value, words_));
    return *this;
  }

  /// InputError, with the valid words, for another one.
  [[nodiscard]] Value value() const { return choose(option(), TextOption::value(), words_); }

 private:
  [[nodiscard]] std::vector<std::string_view> valid() const override {
    std::vector<std::string_view> all;
    for (const Word<Value>& word : words_) all.push_back(word.word);
    return all;
  }

  std::span<const Word<Value>> words_;
};

void declare_options(Command& command, const std::vector<OptionRow*>& rows);
[[nodiscard]] inline std::vector<OptionRow*> with_rows(std::vector<OptionRow*> rows,
                                                       std::initializer_list<OptionRow*> more) {
  rows.insert(rows.end(), more);
  return rows;
}
/// " --order low", each that was given.
[[nodiscard]] std::string given_words(const std::vector<const OptionRow*>& rows);
/// {"order": "low", "pair_masks": "on"}, each with its value.
[[nodiscard]] nlohmann::ordered_json options_json(const std::vector<const OptionRow*>& rows);

/// Whether an option has an effect on a question, and why it has none where it has not.
struct Effect {
  const OptionRow& option;
  bool here;
  std::string_view otherwise;
};
/// "--pair-masks on: no effect, ..", a line for each option that was given and changes nothing.
[[nodiscard]] std::string ignored(const std::vector<Effect>& effects);

}  // namespace ecube
