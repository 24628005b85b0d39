// SPDX-License-Identifier: Apache-2.0
// The shared library of one verilated node: binds the ports of whatever class Verilator made for these parameters.
// ECUBE_RTL_CLASS is its name, ECUBE_RTL_HEADER its header, ECUBE_RTL_DIM and ECUBE_RTL_PORTS are its parameters.
#include ECUBE_RTL_HEADER

#include <verilated.h>

#include <systemc>

#include "hw/rtl_node.h"

namespace {

std::string failure;  // NOLINT: set by Verilator's run-time, which knows no object of ours

using Verilated_node = ECUBE_RTL_CLASS;
constexpr unsigned dim = ECUBE_RTL_DIM;
constexpr unsigned ports = ECUBE_RTL_PORTS;
constexpr unsigned width = 2 * dim + 2;
constexpr unsigned lines = dim + ports;

template <typename T>
struct ValueOf;
template <typename T>
struct ValueOf<sc_core::sc_in<T>&> {
  using type = T;
};
template <typename T>
struct ValueOf<sc_core::sc_out<T>&> {
  using type = T;
};

// Verilator gives a port the smallest of bool, uint32_t, uint64_t and sc_bv that holds it.
template <typename T>
std::uint32_t field(const T& value, unsigned from, unsigned bits) {
  return static_cast<std::uint32_t>(std::uint64_t{value} >> from & ((std::uint64_t{1} << bits) - 1));
}
template <int N>
std::uint32_t field(const sc_dt::sc_bv<N>& value, unsigned from, unsigned bits) {
  const auto word = static_cast<int>(from / 32);
  std::uint64_t both = value.get_word(word);
  if (word + 1 < value.size()) both |= std::uint64_t{value.get_word(word + 1)} << 32;
  return field(both, from % 32, bits);
}
template <typename T>
void set_field(T& value, unsigned from, unsigned bits, std::uint32_t to) {
  const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << from;
  value = static_cast<T>((std::uint64_t{value} & ~mask) | std::uint64_t{to} << from);
}
template <int N>
void set_field(sc_dt::sc_bv<N>& value, unsigned from, unsigned bits, std::uint32_t to) {
  const auto word = static_cast<int>(from / 32);
  const bool two = from % 32 + bits > 32;
  std::uint64_t both = value.get_word(word);
  if (two) both |= std::uint64_t{value.get_word(word + 1)} << 32;
  set_field(both, from % 32, bits, to);
  value.set_word(word, static_cast<sc_dt::sc_digit>(both));
  if (two) value.set_word(word + 1, static_cast<sc_dt::sc_digit>(both >> 32));
}

template <typename Signal>
auto as(const Signal& signal, std::uint32_t value) {
  return static_cast<std::remove_cvref_t<decltype(signal.read())>>(value);
}

class Node final : public ecube::RtlNode {
 public:
  Node(const std::string& name, std::uint32_t label) : part_(name.c_str()) {
    bind_all();
    node_.write(static_cast<ValueOf<decltype(Verilated_node::node)>::type>(label));
  }

  void configure(const ecube::RtlConfiguration& configuration) override {
    route_delay_.write(configuration.route_delay);
    accept_delay_.write(configuration.accept_delay);
    phit_cycles_.write(configuration.phit_cycles);
    phit_extra_num_.write(configuration.phit_extra_num);
    phit_extra_den_.write(configuration.phit_extra_den);
    setup_.write(configuration.setup);
    together_only_.write(configuration.together_only);
    together_.write(configuration.together);
  }
  void set_reset(bool reset) override { reset_.write(reset); }
  void set_clock(bool clock) override { clk_.write(clock); }

  void drive(const ecube::RtlInputs& inputs) override {
    auto wire = wire_in_.read();
    for (unsigned i = 0; i < dim; ++i) set_field(wire, i * width, width, inputs.wire[i]);
    wire_in_.write(wire);
    acknowledge_in_.write(as(acknowledge_in_, inputs.acknowledge));
    start_.write(as(start_, inputs.start));
    if (inputs.start == 0) return;
    auto route = route_.read();
    auto phits = phits_.read();
    for (unsigned p = 0; p < ports; ++p) {
      set_field(route, p * dim, dim, inputs.route[p]);
      set_field(phits, p * 32, 32, inputs.phits[p]);
    }
    route_.write(route);
    phits_.write(phits);
  }

  void sample(ecube::RtlOutputs& outputs) const override {
    const auto mask = [](const auto& signal, unsigned bits) { return field(signal.read(), 0, bits); };
    for (unsigned i = 0; i < dim; ++i) outputs.wire[i] = field(wire_out_.read(), i * width, width);
    outputs.acknowledge = mask(acknowledge_out_, dim);
    outputs.granted = mask(granted_, lines);
    outputs.released = mask(released_, lines);
    outputs.refused = mask(refused_, lines);
    outputs.sent_first = mask(sent_first_, ports);
    outputs.sent_tail = mask(sent_tail_, ports);
    outputs.probe_seen = mask(probe_seen_, ports);
    outputs.acknowledged = mask(acknowledged_, ports);
    outputs.received_first = mask(received_first_, ports);
    outputs.received_tail = mask(received_tail_, ports);
    outputs.moving = moving_.read();
    if (outputs.granted != 0) {
      for (unsigned o = 0; o < lines; ++o) outputs.owners[o] = field(owners_.read(), o * lines, lines);
    }
    if (outputs.refused != 0) {
      for (unsigned i = 0; i < lines; ++i) outputs.asking[i] = field(asking_.read(), i * lines, lines);
    }
  }

 private:
  Verilated_node part_;

#define ECUBE_RTL_PORTS_OF_A_NODE(PORT)                                                                        \
  PORT(clk)                                                                                                    \
  PORT(reset)                                                                                                  \
  PORT(node) PORT(route_delay) PORT(accept_delay) PORT(phit_cycles) PORT(phit_extra_num) PORT(phit_extra_den)  \
      PORT(setup) PORT(together_only) PORT(together) PORT(start) PORT(route) PORT(phits) PORT(wire_in)         \
          PORT(acknowledge_in) PORT(wire_out) PORT(acknowledge_out) PORT(granted) PORT(released) PORT(refused) \
              PORT(owners) PORT(asking) PORT(sent_first) PORT(sent_tail) PORT(probe_seen) PORT(acknowledged)   \
                  PORT(received_first) PORT(received_tail) PORT(moving)
#define ECUBE_RTL_SIGNAL(name) sc_core::sc_signal<ValueOf<decltype(Verilated_node::name)>::type> name##_;
  ECUBE_RTL_PORTS_OF_A_NODE(ECUBE_RTL_SIGNAL)

  void bind_all() {
#define ECUBE_RTL_BIND(name) part_.name(name##_);
    ECUBE_RTL_PORTS_OF_A_NODE(ECUBE_RTL_BIND)
  }
};

class Model final : public ecube::RtlModel {
 public:
  [[nodiscard]] unsigned dim() const override { return ::dim; }
  [[nodiscard]] unsigned ports() const override { return ::ports; }
  [[nodiscard]] std::unique_ptr<ecube::RtlNode> make_node(const std::string& name, std::uint32_t label) override {
    return std::make_unique<Node>(name, label);
  }
  [[nodiscard]] std::string failed_assertion() const override { return failure; }
  void forget_failed_assertion() override { failure.clear(); }
};

}  // namespace

/// Verilator calls this when an assertion fails; without it, the process would end.
void vl_stop(const char* file, int line, const char* hierarchy) {
  if (!failure.empty()) return;
  const std::string path = file;
  failure = path.substr(path.rfind('/') + 1) + ":" + std::to_string(line) + " in " + hierarchy;
}

extern "C" [[gnu::visibility("default")]] ecube::RtlModel* ecube_rtl_model() {
  static Model model;
  return &model;
}
