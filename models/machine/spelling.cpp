// SPDX-License-Identifier: Apache-2.0
// The candidate that is spelled most like a word: optimal string alignment distance.
#include "models/machine/spelling.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <vector>

namespace ecube {
namespace {

constexpr std::size_t longest_compared = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Edits (insert, delete, replace, swap neighbours) between two short words, capitals ignored.
std::size_t edits(std::string_view a, std::string_view b) {
  std::array<std::vector<std::size_t>, 3> rows;
  rows.fill(std::vector<std::size_t>(b.size() + 1));
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t>& row = rows[i % 3];
    const std::vector<std::size_t>& above = rows[(i - 1) % 3];
    const std::vector<std::size_t>& second = rows[(i + 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], second[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::optional<std::string_view> best;
  std::size_t fewest = 0;
  if (word.size() > longest_compared) return best;
  for (const std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > longest_compared) continue;
    const std::size_t allowed = std::max<std::size_t>(1, std::min(word.size(), candidate.size()) / 3);
    const std::size_t distance = edits(word, candidate);
    const bool shares_a_letter = distance < std::max(word.size(), candidate.size());
    if (distance <= allowed && shares_a_letter && (!best || distance < fewest)) {
      best = candidate;
      fewest = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const auto found = nearest(word, candidates);
  return found ? "did you mean '" + std::string(*found) + "'?" : std::string();
}

std::optional<std::uint64_t> whole_number(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return problem == std::errc() && end == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
}

std::vector<std::string_view> split(std::string_view list, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = std::min(list.find(separator), list.size());
    parts.push_back(list.substr(0, end));
    if (end == list.size()) return parts;
    list.remove_prefix(end + 1);
  }
}

}  // namespace ecube
