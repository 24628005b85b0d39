// SPDX-License-Identifier: Apache-2.0
// TOML with the places of its keys and values, whatever bytes it is given.
#pragma once

// Input must never end the program: without assertions; input that would break them is refused before parsing.
#define TOML_ASSERT(x) static_assert(true)
// Each level of nested values takes stack: so many fit a stack of 1 MiB many times over.
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

#include <vector>

#include "models/machine/error.h"

namespace ecube {

/// A parsed text. `what` names the text in errors: "machine file".
class TomlText {
 public:
  /// InputError, with the place, when the text is not TOML.
  TomlText(std::string_view text, std::string where, std::string_view what);

  [[nodiscard]] const toml::table& table() const { return table_; }
  [[nodiscard]] Place place(const toml::source_region& region) const {
    const std::uint32_t line = region.begin.line;
    const bool one_line = region.end.line == line && region.end.column > region.begin.column;
    return {.where = where_,
            .line = line,
            .column = region.begin.column,
            .length = one_line ? region.end.column - region.begin.column : 1,
            .text = line >= 1 && line <= lines_.size() ? lines_[line - 1] : std::string()};
  }
  /// A value of one line in the user's own spelling: 0x10, 1_000, "4 B".
  [[nodiscard]] std::string written(const toml::node& value) const {
    const Place at = place(value.source());
    std::string found;
    std::uint32_t column = 0;  // in code points
    for (const char byte : at.text) {
      if ((static_cast<unsigned char>(byte) & 0xC0U) != 0x80U) ++column;
      if (column >= at.column && column < at.column + at.length) found += byte;
    }
    return found;
  }
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  void refuse_strange_bytes(std::string_view what) const;

  std::vector<std::string> lines_;
  std::string where_;
  toml::table table_;
};

inline constexpr std::uint64_t max_toml_bytes = 1'000'000;

}  // namespace ecube
