// SPDX-License-Identifier: Apache-2.0
// The inputs and outputs of a router, by number: the dimensions, then the node's ports.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <systemc>

#include "hw/clocked/shape.h"

namespace ecube::clocked {

/// Network ports, then node ports, of the largest router.
inline constexpr unsigned max_lines = 2 * max_dim;

template <typename T>
using Lines = std::array<T, max_lines>;
/// A bit for each input, or each output, of a router.
using LineMask = std::uint16_t;

/// [output] of inputs, or [input] of outputs.
struct LineMatrix {
  Lines<LineMask> rows{};
  bool operator==(const LineMatrix&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const LineMatrix& matrix) {
  for (const LineMask row : matrix.rows) stream << row << ' ';
  return stream;
}

inline void sc_trace(sc_core::sc_trace_file* file, const LineMatrix& matrix, const std::string& name) {
  for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
    sc_core::sc_trace(file, matrix.rows[i], name + "_" + std::to_string(i));
  }
}

}  // namespace ecube::clocked
