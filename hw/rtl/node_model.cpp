// SPDX-License-Identifier: Apache-2.0
// The shared library of one verilated node: binds the ports of whatever class Verilator made for these parameters.
// ECUBE_RTL_CLASS is its name, ECUBE_RTL_HEADER its header, ECUBE_RTL_DIM and ECUBE_RTL_PORTS are its parameters.
#include ECUBE_RTL_HEADER

#include <systemc>

#include "hw/rtl/verilated_model.h"
#include "hw/rtl_node.h"

namespace {

using Module = ECUBE_RTL_CLASS;
using ecube::rtl::as;
using ecube::rtl::field;
using ecube::rtl::set_field;
using ecube::rtl::ValueOf;
constexpr unsigned dim = ECUBE_RTL_DIM;
constexpr unsigned ports = ECUBE_RTL_PORTS;
constexpr unsigned width = 2 * dim + 2;
constexpr unsigned lines = dim + ports;

class Node final : public ecube::RtlNode {
 public:
  Node(const std::string& name, std::uint32_t label) : part_(name.c_str()) {
    bind_all(part_);
    node_.write(static_cast<ValueOf<decltype(Module::node)>::type>(label));
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
  Module& part() { return part_; }
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
      set_field(phits, p * ECUBE_RTL_TIME, ECUBE_RTL_TIME, inputs.phits[p]);
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
    outputs.sent = mask(sent_, ports);
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
  Module part_;

// clang-format off
#define ECUBE_RTL_PORTS_OF_A_NODE(PORT)                                                                             \
  PORT(clk) PORT(reset) PORT(node) PORT(route_delay) PORT(accept_delay) PORT(phit_cycles) PORT(phit_extra_num)      \
  PORT(phit_extra_den) PORT(setup) PORT(together_only) PORT(together) PORT(start) PORT(route) PORT(phits)           \
  PORT(wire_in) PORT(acknowledge_in) PORT(wire_out) PORT(acknowledge_out) PORT(granted) PORT(released)              \
  PORT(refused) PORT(owners) PORT(asking) PORT(sent_first) PORT(sent_tail) PORT(sent) PORT(probe_seen) PORT(acknowledged)      \
  PORT(received_first) PORT(received_tail) PORT(moving)
  // clang-format on
  ECUBE_RTL_PINS(ECUBE_RTL_PORTS_OF_A_NODE)
};

class Model final : public ecube::rtl::Model<Module> {
 public:
  [[nodiscard]] bool whole() const override { return false; }
  [[nodiscard]] std::vector<std::unique_ptr<ecube::RtlNode>> make_nodes() override {
    std::vector<std::unique_ptr<ecube::RtlNode>> nodes;
    for (std::uint32_t label = 0; label < 1U << ::dim; ++label) {
      auto node = std::make_unique<Node>("node" + std::to_string(label), label);
      parts.push_back(&node->part());
      nodes.push_back(std::move(node));
    }
    return nodes;
  }
};

}  // namespace

extern "C" [[gnu::visibility("default")]] ecube::RtlModel* ecube_rtl_model() { return ecube::rtl::the_model<Model>(); }
