// SPDX-License-Identifier: Apache-2.0
// Crossovers to a whole number.
#pragma once

#include <cstdint>
#include <optional>

namespace ecube {

/// The least number for which `holds` is true, between `below`, where it is false, and `above`, where it is true.
/// Assumes that `holds` changes once. None where `holds` is true at `below` already, or false at `above`.
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
