// SPDX-License-Identifier: Apache-2.0
// The spelling that was probably meant: "did you mean 'x'?"
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ecube {

/// The candidate spelled most like `word`, if one is reasonably near: at most a third of its letters differ (a swap of
/// neighbours counts once, capitals do not count). The first of equals.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

/// "did you mean 'x'?", or nothing when no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

/// The parts of a list, without the separators between them; one empty part of an empty text.
[[nodiscard]] std::vector<std::string_view> split(std::string_view list, char separator);

/// The number that decimal digits are; none of other texts and of numbers beyond 64 bits.
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view digits);

/// The words with `between` between them: "a | b | c"; before the last one with `last`, if it is given: "a, b or c".
template <class Words>
requires requires(const Words& words) { std::string_view(*std::begin(words)); }
[[nodiscard]] std::string joined(const Words& words, std::string_view between = " | ", std::string_view last = "") {
  std::string text;
  std::size_t left = std::size(words);
  for (const auto& word : words) {
    if (!text.empty()) text.append(left == 1 && !last.empty() ? last : between);
    text.append(word);
    --left;
  }
  return text;
}

}  // namespace ecube
