// SPDX-License-Identifier: Apache-2.0
// The shared library of a whole verilated fabric: what ecube_fabric.sv connects is the same as what RtlFabric connects.
#include ECUBE_RTL_HEADER

#include <systemc>

#include "hw/rtl/verilated_model.h"
#include "hw/rtl_node.h"

namespace {

using Module = ECUBE_RTL_CLASS;
using ecube::rtl::field;
using ecube::rtl::set_field;
constexpr unsigned dim = ECUBE_RTL_DIM;
constexpr unsigned ports = ECUBE_RTL_PORTS;
constexpr unsigned lines = dim + ports;

/// All nodes at once. Inputs of all nodes are collected and driven together.
class Fabric {
 public:
  Fabric() : part_("fabric") { bind_all(part_); }

  Module part_;

// clang-format off
#define ECUBE_RTL_PORTS_OF_THE_FABRIC(PORT)                                                                         \
  PORT(clk) PORT(reset) PORT(route_delay) PORT(accept_delay) PORT(phit_cycles) PORT(phit_extra_num)                 \
  PORT(phit_extra_den) PORT(setup) PORT(together_only) PORT(together) PORT(start) PORT(route) PORT(phits)           \
  PORT(granted) PORT(released) PORT(refused) PORT(owners) PORT(asking) PORT(sent_first) PORT(sent_tail) PORT(sent)             \
  PORT(probe_seen) PORT(acknowledged) PORT(received_first) PORT(received_tail) PORT(moving)
  // clang-format on
  ECUBE_RTL_PINS(ECUBE_RTL_PORTS_OF_THE_FABRIC)

  /// What the nodes have driven since the last edge.
  std::remove_cvref_t<decltype(start_.read())> start_next{};
  std::remove_cvref_t<decltype(route_.read())> route_next{};
  std::remove_cvref_t<decltype(phits_.read())> phits_next{};
};

class Node final : public ecube::RtlNode {
 public:
  Node(std::shared_ptr<Fabric> fabric, std::uint32_t label) : fabric_(std::move(fabric)), label_(label) {}

  void configure(const ecube::RtlConfiguration& configuration) override {
    if (label_ != 0) return;
    fabric_->route_delay_.write(configuration.route_delay);
    fabric_->accept_delay_.write(configuration.accept_delay);
    fabric_->phit_cycles_.write(configuration.phit_cycles);
    fabric_->phit_extra_num_.write(configuration.phit_extra_num);
    fabric_->phit_extra_den_.write(configuration.phit_extra_den);
    fabric_->setup_.write(configuration.setup);
    fabric_->together_only_.write(configuration.together_only);
    fabric_->together_.write(configuration.together);
  }
  void set_reset(bool reset) override { fabric_->reset_.write(reset); }
  void set_clock(bool clock) override { fabric_->clk_.write(clock); }

  void drive(const ecube::RtlInputs& inputs) override {
    set_field(fabric_->start_next, label_ * ports, ports, inputs.start);
    for (unsigned p = 0; p < ports; ++p) {
      set_field(fabric_->route_next, (label_ * ports + p) * dim, dim, inputs.route[p]);
      set_field(fabric_->phits_next, (label_ * ports + p) * ECUBE_RTL_TIME, ECUBE_RTL_TIME, inputs.phits[p]);
    }
    fabric_->start_.write(fabric_->start_next);
    fabric_->route_.write(fabric_->route_next);
    fabric_->phits_.write(fabric_->phits_next);
  }

  void sample(ecube::RtlOutputs& outputs) const override {
    const auto mask = [this](const auto& signal, unsigned bits) { return field(signal.read(), label_ * bits, bits); };
    outputs.granted = mask(fabric_->granted_, lines);
    outputs.released = mask(fabric_->released_, lines);
    outputs.refused = mask(fabric_->refused_, lines);
    outputs.sent_first = mask(fabric_->sent_first_, ports);
    outputs.sent_tail = mask(fabric_->sent_tail_, ports);
    outputs.sent = mask(fabric_->sent_, ports);
    outputs.probe_seen = mask(fabric_->probe_seen_, ports);
    outputs.acknowledged = mask(fabric_->acknowledged_, ports);
    outputs.received_first = mask(fabric_->received_first_, ports);
    outputs.received_tail = mask(fabric_->received_tail_, ports);
    outputs.moving = fabric_->moving_.read();
    for (unsigned i = 0; i < lines; ++i) {
      outputs.owners[i] = field(fabric_->owners_.read(), (label_ * lines + i) * lines, lines);
      outputs.asking[i] = field(fabric_->asking_.read(), (label_ * lines + i) * lines, lines);
    }
  }

 private:
  std::shared_ptr<Fabric> fabric_;
  std::uint32_t label_;
};

class Model final : public ecube::rtl::Model<Module> {
 public:
  [[nodiscard]] bool whole() const override { return true; }
  [[nodiscard]] std::vector<std::unique_ptr<ecube::RtlNode>> make_nodes() override {
    const auto fabric = std::make_shared<Fabric>();
    parts = {&fabric->part_};
    std::vector<std::unique_ptr<ecube::RtlNode>> nodes;
    for (std::uint32_t label = 0; label < 1U << ::dim; ++label) nodes.push_back(std::make_unique<Node>(fabric, label));
    return nodes;
  }
};

}  // namespace

extern "C" [[gnu::visibility("default")]] ecube::RtlModel* ecube_rtl_model() { return ecube::rtl::the_model<Model>(); }
