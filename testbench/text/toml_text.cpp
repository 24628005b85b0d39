// SPDX-License-Identifier: Apache-2.0
// Reading TOML.
#include "testbench/text/toml_text.h"

#include <fmt/core.h>

#include "models/machine/spelling.h"

namespace ecube {

namespace {

constexpr unsigned max_key_words = 32;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  return lines;
}

}  // namespace

TomlText::TomlText(std::string_view text, std::string where, std::string_view what)
    : lines_(lines_of(text)), where_(std::move(where)) {
  refuse_strange_bytes(what);
  try {
    table_ = toml::parse(text);
  } catch (const toml::parse_error& error) {
    if (error.description().find("TOML_MAX_NESTED_VALUES") != std::string_view::npos) {
      throw InputError(fmt::format("values of a {} nest at most {} deep", what, TOML_MAX_NESTED_VALUES))
          .at(place(error.source()));
    }
    throw InputError(fmt::format("this is not TOML: {}", error.description())).at(place(error.source()));
  }
}

/// toml++ 3.3 reaches undefined behaviour on some bytes outside strings and comments; TOML does not allow these bytes
/// anyway. The parser also takes a level of the stack for each word of a dotted key.
void TomlText::refuse_strange_bytes(std::string_view what) const {
  for (std::size_t number = 0; number < lines_.size(); ++number) {
    const std::string& line = lines_[number];
    const auto at = [&](std::size_t i, const std::string& text) {
      return Place{where_, static_cast<std::uint32_t>(number + 1), static_cast<std::uint32_t>(i + 1), 1, text};
    };
    char quote = 0;
    unsigned points = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const auto byte = static_cast<unsigned char>(line[i]);
      const bool control = byte < 0x20 && byte != '\t';
      if (quote == 0 && line[i] == '#' && !control) break;
      if (control || byte == 0x7F || (byte >= 0x80 && quote == 0)) {
        throw InputError(fmt::format("this is not a {}: a byte that TOML does not allow here", what)).at(at(i, ""));
      }
      if (quote == 0) {
        if (std::string_view("=,[]{}").find(line[i]) != std::string_view::npos) points = 0;
        if (line[i] == '.' && ++points == max_key_words) {
          throw InputError(fmt::format("a key of a {} has fewer than {} points", what, max_key_words)).at(at(i, line));
        }
      }
      if (quote == 0 && (line[i] == '"' || line[i] == '\'')) {
        quote = line[i];
      } else if (quote == '"' && line[i] == '\\') {
        ++i;
      } else if (line[i] == quote) {
        quote = 0;
      }
    }
    // A key's or table's opening bracket with nothing behind it trips an assertion of the parser.
    const std::size_t bracket = line.find_first_not_of(" \t");
    if (bracket != std::string::npos && line[bracket] == '[' && line.find(']') == std::string::npos) {
      throw InputError("a table's name ends with ']'").at(at(bracket, line));
    }
  }
}

}  // namespace ecube
