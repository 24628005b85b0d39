// SPDX-License-Identifier: Apache-2.0
// Tables of words.
#include "testbench/command_line/other_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "testbench/text/text.h"

namespace ecube {

/// other_words.tsv
extern const std::string_view other_words;

namespace {

struct OtherWord {
  std::string_view word;
  std::string_view meaning;
};

/// Options that were another name of a machine parameter.
constexpr std::array<OtherWord, 5> old_parameters{{{"startups", "node.startups"},
                                                   {"barrier", "library.barrier"},
                                                   {"protocol", "library.protocol"},
                                                   {"slack", "library.slack"},
                                                   {"identity-shuffle", "library.identity_shuffle"}}};

}  // namespace

std::string_view parameter_of_old_option(std::string_view option) {
  const auto* const found = std::find_if(old_parameters.begin(), old_parameters.end(),
                                         [&](const OtherWord& row) { return row.word == option; });
  return found == old_parameters.end() ? std::string_view() : found->meaning;
}

std::string instead_of_old_option(std::string_view option, std::string_view value) {
  const std::string_view name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
  const std::string_view key = parameter_of_old_option(name);
  if (key.empty()) return instead_of_word(name);
  const std::string setting = fmt::format("{}={}", key, value.empty() ? "VALUE" : value);
  return fmt::format("it is a machine parameter: --set {}", shell_word(setting));
}

std::string instead_of_word(std::string_view word) {
  std::string plain;
  for (const char c : word) {
    if (c != '-' && c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  const std::string word_of_line = "\n" + plain + "\t";
  const std::size_t at = other_words.find(word_of_line);
  if (at == std::string_view::npos) return {};
  const std::string_view meaning = other_words.substr(at + word_of_line.size());
  return std::string(meaning.substr(0, meaning.find('\n')));
}

}  // namespace ecube
