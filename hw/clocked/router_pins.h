// SPDX-License-Identifier: Apache-2.0
// The inputs and outputs of a router, by number, and its socket: the pins that every router has, in SystemC or
// SystemVerilog.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <systemc>
#include <type_traits>

#include "hw/clocked/shape.h"
#include "hw/clocked/wires/wire.h"

namespace ecube::clocked {

/// A bit for each input, or each output, of a router.
using LineMask = std::uint32_t;

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

/// Inputs and outputs are numbered alike: the dimensions, then the node's ports.
class RouterPins : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_i{"rst_i"};
  sc_core::sc_in<Cycles> route_delay_i{"route_delay_i"};  ///< r >= 1, constant in a run
  sc_core::sc_vector<sc_core::sc_in<Wire>> wire_i;
  sc_core::sc_vector<sc_core::sc_out<bool>> acknowledge_o;  ///< back along wire_i; of worms, the stop
  sc_core::sc_vector<sc_core::sc_out<Wire>> wire_o;
  sc_core::sc_vector<sc_core::sc_in<bool>> acknowledge_i;  ///< back along wire_o

  // For the monitor: what happened at the last edge.
  sc_core::sc_out<LineMask> granted_o{"granted_o"};    ///< outputs that were given to a circuit
  sc_core::sc_out<LineMask> released_o{"released_o"};  ///< outputs whose owner's tail was processed
  sc_core::sc_out<LineMask> refused_o{"refused_o"};    ///< inputs that asked and were refused
  sc_core::sc_out<LineMatrix> owners_o{"owners_o"};    ///< [output] the input that owns the output, if it was granted
  sc_core::sc_out<LineMatrix> asking_o{"asking_o"};  ///< [input] the output that its probe asked for, if it was refused
  sc_core::sc_out<bool> moving_o{"moving_o"};        ///< the next edge changes something though nothing comes in

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const char* kind() const override { return "router"; }

 protected:
  RouterPins(const sc_core::sc_module_name& name, const Shape& shape)
      : sc_core::sc_module(name),
        wire_i("wire_i", shape.lines()),
        acknowledge_o("acknowledge_o", shape.lines()),
        wire_o("wire_o", shape.lines()),
        acknowledge_i("acknowledge_i", shape.lines()),
        shape_(shape) {}

 private:
  Shape shape_;
};

class WormRouterPins : public RouterPins {
 public:
  sc_core::sc_in<Cycles> phit_cycles_i{"phit_cycles_i"};  ///< c >= 2, constant in a run

 protected:
  using RouterPins::RouterPins;
};

}  // namespace ecube::clocked
