// SPDX-License-Identifier: Apache-2.0
// Crossovers to a whole number.
#pragma once

#include <cstdint>
#include <optional>

namespace ecube {

/// The least number from which `holds`, between `below`, where it does not, and `above`, where it does: it is taken to
/// change once. None where it holds at `below` already, or not at `above`.
template <class Predicate>
[[nodiscard]] std::optional<std::uint64_t> first_between(std::uint64_t below, std::uint64_t above,
                                                         const Predicate& holds) {
  if (!holds(above) || holds(below)) return std::nullopt;
  while (above - below > 1) {
    const std::uint64_t middle = below + (above - below) / 2;
    (holds(middle) ? above : below) = middle;
  }
  return above;
}

}  // namespace ecube
