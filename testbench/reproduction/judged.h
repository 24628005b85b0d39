// SPDX-License-Identifier: Apache-2.0
// What checks judge, by name: times and counts of runs, messages, partitions, schedules, rows in print. A test spoils
// one of them and sees the checks say no.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "models/exchange/partition.h"

namespace ecube {

/// What is spoilt, and how.
struct Planted {
  std::string subjects{};  ///< words, separated by "|": all whose names have some of them; none if empty
  std::string how{};
  unsigned spoilt = 0;  ///< so many times

  /// Whether the name has some of the words.
  [[nodiscard]] bool has(std::string_view name) const;
};
/// Nothing, unless a test plants something.
[[nodiscard]] Planted& planted();

/// "x2", "+3", "-1"; of a truth "x0" and "+1".
template <class Number>
requires std::is_arithmetic_v<Number>
void spoil(Number& number, std::string_view how) {
  const double by = std::stod(std::string(how.substr(how.front() == 'x' ? 1 : 0)));
  const auto old = static_cast<double>(number);
  number = static_cast<Number>(how.front() == 'x' ? old * by : old + by);
}

/// Its first digit is one more, 0 after 9; the same where there is no digit.
inline void spoil(std::string& text, std::string_view /*how*/) {
  const auto digit = std::ranges::find_if(text, [](unsigned char c) { return std::isdigit(c) != 0; });
  if (digit != text.end()) *digit = *digit == '9' ? '0' : static_cast<char>(*digit + 1);
}

/// "direct", "standard": of the same dimension. "uneven": a dimension alone, and all others.
inline void spoil(Partition& partition, std::string_view how) {
  const unsigned dim = partition.dim();
  partition = how == "uneven" && dim > 1 ? Partition({dim - 1, 1})
              : how == "standard"        ? Partition::standard(dim)
                                         : Partition::direct(dim);
}

/// "without" its last item, "twice": with its first once more at the end, "backwards"; otherwise each item.
template <class Item>
void spoil(std::vector<Item>& list, std::string_view how) {
  if (how == "without") {
    list.pop_back();
  } else if (how == "twice") {
    list.push_back(Item(list.front()));
  } else if (how == "backwards") {
    std::ranges::reverse(list);
  } else if constexpr (requires(Item & item) { spoil(item, how); }) {
    for (Item& item : list) spoil(item, how);
  }
}

/// The value that checks judge under this name: the right one, unless it is spoilt.
template <class Value, class... Words>
[[nodiscard]] Value judged(Value right, fmt::format_string<const Words&...> name, const Words&... words) {
  if (planted().subjects.empty() || !planted().has(fmt::format(name, words...))) return right;
  ++planted().spoilt;
  spoil(right, planted().how);
  return right;
}

}  // namespace ecube
