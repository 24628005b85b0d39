// SPDX-License-Identifier: Apache-2.0
// Characters of texts from outside, and their effect on a terminal.
#pragma once

#include <cstdint>
#include <string_view>

namespace ecube {

/// A character of a text in UTF-8.
struct Character {
  enum class Kind : std::uint8_t {
    shown,
    obeyed,      ///< changes the terminal or other characters: controls, C1 included, directions, joiners, marks
    broken,      ///< a byte that belongs to no character
    incomplete,  ///< the text ends within it
  };
  std::uint32_t code;  ///< of Unicode; of a broken or an incomplete character its first byte
  unsigned bytes;
  Kind kind;
};

/// The character at the beginning of a text that is not empty.
[[nodiscard]] Character character_at(std::string_view text);

}  // namespace ecube
