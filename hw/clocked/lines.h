// SPDX-License-Identifier: Apache-2.0
// The inputs and outputs of a router, by number: the dimensions, then the node's ports.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <systemc>
#include <type_traits>

#include "hw/clocked/shape.h"

namespace ecube::clocked {

/// A bit for each input, or each output, of a router.
using LineMask = std::uint32_t;

/// Calls `visit(number)` for every bit that is set.
void for_each_bit(std::uint32_t mask, const auto& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

/// Registers of the inputs or outputs of one router. A copy takes only as long as the lines that the router has.
template <typename T>
class Lines {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Lines(unsigned count = max_lines) : count_(count) { std::uninitialized_value_construct_n(begin(), count); }
  Lines(const Lines& other) : count_(other.count_) { std::uninitialized_copy_n(other.begin(), count_, begin()); }
  Lines& operator=(const Lines& other) {
    count_ = other.count_;
    std::uninitialized_copy_n(other.begin(), count_, begin());
    return *this;
  }
  ~Lines() = default;
  [[nodiscard]] unsigned size() const { return count_; }
  [[nodiscard]] T& operator[](unsigned line) { return items_[line]; }
  [[nodiscard]] const T& operator[](unsigned line) const { return items_[line]; }
  [[nodiscard]] T* begin() { return items_.data(); }
  [[nodiscard]] const T* begin() const { return items_.data(); }
  [[nodiscard]] T* end() { return begin() + count_; }
  [[nodiscard]] const T* end() const { return begin() + count_; }

 private:
  unsigned count_;
  union {
    std::array<T, max_lines> items_;  ///< the first count_ of them live
  };
};

/// [output] of inputs, or [input] of outputs.
struct LineMatrix {
  std::array<LineMask, max_lines> rows{};
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
