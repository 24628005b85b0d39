// SPDX-License-Identifier: Apache-2.0
// Decoding of UTF-8 (RFC 3629).
#include "models/machine/character.h"

#include <algorithm>
#include <array>

namespace ecube {

namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

/// Besides the controls of ASCII: C1, marks and overrides of direction, joiners, separators, invisible operators,
/// annotations and tags.
constexpr std::array<Range, 8> obeyed{{{0x80, 0x9F},
                                       {0x61C, 0x61C},
                                       {0x200B, 0x200F},
                                       {0x2028, 0x202E},
                                       {0x2060, 0x206F},
                                       {0xFEFF, 0xFEFF},
                                       {0xFFF9, 0xFFFB},
                                       {0xE0000, 0xE007F}}};

bool is_obeyed(std::uint32_t code) {
  return code < ' ' || code == 0x7F ||
         std::ranges::any_of(obeyed, [code](const Range& range) { return range.first <= code && code <= range.last; });
}

}  // namespace

Character character_at(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  const auto whole = [](std::uint32_t code, unsigned bytes) {
    return Character{code, bytes, is_obeyed(code) ? Character::Kind::obeyed : Character::Kind::shown};
  };
  if (lead < 0x80) return whole(lead, 1);
  const Character broken{lead, 1, Character::Kind::broken};
  if (lead < 0xC2 || lead > 0xF4) return broken;
  const unsigned length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  std::uint32_t code = lead & (0x7FU >> length);
  for (unsigned i = 1; i < length; ++i) {
    if (i == text.size()) return {lead, i, Character::Kind::incomplete};
    if ((byte(i) & 0xC0U) != 0x80) return broken;
    code = code << 6U | (byte(i) & 0x3FU);
  }
  // Longer than needed, half of a pair, or beyond Unicode.
  constexpr std::array<std::uint32_t, 3> least{0x80, 0x800, 0x10000};
  if (code < least[length - 2] || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return broken;
  return whole(code, length);
}

}  // namespace ecube
