// SPDX-License-Identifier: Apache-2.0
// How the parts of a node are connected.
#include "hw/clocked/node.h"

#include <string>

#include "hw/clocked/interface_port.h"
#include "hw/clocked/router.h"
#include "hw/clocked/worm_port.h"
#include "hw/clocked/worm_router.h"
#include "models/machine/hierarchy_names.h"

namespace ecube::clocked {

std::unique_ptr<RouterPins> NodeParts::make_router(const char* name, NodeId /*node*/, const Shape& shape) const {
  if (shape.worms) return std::make_unique<WormRouter>(name, shape);
  return std::make_unique<Router>(name, shape);
}

std::unique_ptr<InterfacePortPins> NodeParts::make_port(const char* name, NodeId node, unsigned number,
                                                        const Shape& shape) const {
  if (shape.worms) return std::make_unique<WormPort>(name, node, number, shape.buffer);
  return std::make_unique<InterfacePort>(name, node, number, shape);
}

void ParameterSignals::write(const Setting& setting) {
  const Machine& machine = setting.machine;
  const Ratio phit = machine.phit_cycles();
  route_delay.write(machine.router.route_cycles);
  accept_delay.write(machine.network.accept_cycles);
  phit_cycles.write(phit.num / phit.den);
  phit_extra_num.write(phit.num % phit.den);
  phit_extra_den.write(phit.den);
  setup.write(machine.network.distance == Distance::fixed ? machine.network.setup_cycles : 0);
  together_only.write(machine.network.duplex == Duplex::together);
  together.write(machine.network.together_cycles);
  engines.write(machine.node.ports.engines);
}

namespace {

struct InBank {
  WireBank& bank;
  WireSignal* operator()(const char* name, std::size_t /*number*/) const { return new WireSignal(name, bank); }
};

/// The module, if it can be clocked by a call, which it then is.
ClockedByCall* call_of(sc_core::sc_module& module) {
  auto* const by_call = dynamic_cast<ClockedByCall*>(&module);
  if (by_call != nullptr) by_call->by_call = true;
  return by_call;
}

}  // namespace

Node::Node(const sc_core::sc_module_name& name, NodeAccess& access, const NodeContext& context)
    : sc_core::sc_module(name),
      dim_(context.setting.shape.dim),
      id_(access.id()),
      awake_(context.awake.place(access.id())),
      worms_(context.setting.shape.worms),
      count_(context.setting.shape.ports),
      port_clk_("port_clk", count_ > 1 ? count_ : 0),
      inject_("inject", count_, InBank{context.wires}),
      eject_("eject", count_, InBank{context.wires}),
      waiting_("waiting", context.setting.shape.shared_engines ? 1 : 0),
      library_("library", access.id(), context, core_),
      memory_(context.setting.shape.detailed ? std::make_unique<NodeMemory>("memory", count_) : nullptr),
      core_("core", access.id(), context.setting, library_, memory_.get()) {
  program.bind(access);
  bind_router(context);
  for (unsigned p = 0; p < context.setting.shape.ports; ++p) bind_port(p, context);
  if (context.setting.shape.shared_engines) {
    engines_ = std::make_unique<ReceiveEngines>("receive_engines", context.setting.shape.ports);
    engines_->clk_i(clk_i);
    engines_->rst_i(rst_i);
    engines_->engines_i(context.parameters.engines);
    engines_->wire_i(eject_);
    engines_->received_tail_i(received_tail_);
    engines_->engine_o(engine_);
    engines_->waiting_o(waiting_[0]);
  }
  bind_software();
  tell_readers();
}

/// The reader of a signal learns that it has changed, and the node is clocked at the next edge: by a word and by an
/// acknowledge that come, and by the stop of worms also where it goes.
void Node::tell_readers() {
  router_call_ = call_of(*router_);
  if (router_call_ != nullptr) router_call_->told = true;
  for (unsigned p = 0; p < ports_.size(); ++p) {
    const std::uint32_t port = 1U << p;
    const std::uint32_t line = port << dim_;
    inject_[p].tell(id_, word_bits(), dim_ + p);
    eject_acknowledge_[p].tell({changed_bits(), line, awake_, worms_});
    inject_acknowledge_[p].tell({&port_changed_, port, awake_, worms_});
    eject_[p].tell(id_, port_words_, p);
    start_[p].tell({&port_changed_, port, awake_});
    engine_[p].tell({&port_changed_, port, awake_});
    port_moving_[p].tell({&port_told_, port});
    report_[p].tell({&port_told_, port});
    port_calls_.push_back(call_of(*ports_[p]));
  }
  for (Signal<LineMask>* const pin : {&granted_, &released_, &refused_}) pin->tell({&router_told_, 1});
  router_moving_.tell({&router_told_, 1});
}

void Node::bind_leaving(unsigned dimension, Link& link) {
  wire_o[dimension](link.wire);
  acknowledge_i[dimension](link.acknowledge);
  link.acknowledge.tell({changed_bits(), 1U << dimension, awake_, worms_});
}

void Node::bind_arriving(unsigned dimension, Link& link) {
  wire_i[dimension](link.wire);
  acknowledge_o[dimension](link.acknowledge);
  link.wire.tell(id_, word_bits(), dimension);
}

void Node::bind_router(const NodeContext& context) {
  const Shape& shape = context.setting.shape;
  router_ = context.parts.make_router(HierarchyNames::router_part, id_, shape);
  if (auto* const worms = dynamic_cast<WormRouterPins*>(router_.get()); worms != nullptr) {
    worms->phit_cycles_i(context.parameters.phit_cycles);
  }
  RouterPins& router = *router_;
  router.clk_i(clk_i);
  router.rst_i(rst_i);
  router.route_delay_i(context.parameters.route_delay);
  for (unsigned i = 0; i < shape.dim; ++i) {
    router.wire_i[i](wire_i[i]);
    router.acknowledge_o[i](acknowledge_o[i]);
    router.wire_o[i](wire_o[i]);
    router.acknowledge_i[i](acknowledge_i[i]);
  }
  for (unsigned p = 0; p < shape.ports; ++p) {
    router.wire_i[dim_ + p](inject_[p]);
    router.acknowledge_o[dim_ + p](inject_acknowledge_[p]);
    router.wire_o[dim_ + p](eject_[p]);
    router.acknowledge_i[dim_ + p](eject_acknowledge_[p]);
  }
  router.granted_o(granted_);
  router.released_o(released_);
  router.refused_o(refused_);
  router.owners_o(owners_);
  router.asking_o(asking_);
  router.moving_o(router_moving_);
}

void Node::bind_port(unsigned p, const NodeContext& context) {
  const ParameterSignals& parameters = context.parameters;
  const std::string name = "port" + std::to_string(p);
  ports_.push_back(context.parts.make_port(name.c_str(), id_, p, context.setting.shape));
  if (auto* const circuits = dynamic_cast<CircuitPortPins*>(ports_.back().get()); circuits != nullptr) {
    circuits->phit_extra_num_i(parameters.phit_extra_num);
    circuits->phit_extra_den_i(parameters.phit_extra_den);
    circuits->setup_i(parameters.setup);
    circuits->together_only_i(parameters.together_only);
    circuits->together_i(parameters.together);
    circuits->sending_ports_i(sending_);
    circuits->late_ports_i(late_);
    circuits->sending_o(sending_[p]);
    circuits->late_o(late_[p]);
    circuits->serialised_o(serialised_[p]);
  }
  InterfacePortPins& port = *ports_.back();
  if (port_clk_.size() > 0) {
    port.clk_i(port_clk_[p]);
  } else {
    port.clk_i(clk_i);
  }
  port.rst_i(rst_i);
  port.phit_cycles_i(parameters.phit_cycles);
  port.accept_delay_i(parameters.accept_delay);
  port.start_i(start_[p]);
  port.route_i(route_[p]);
  port.sequence_i(sequence_[p]);
  port.phits_i(phits_[p]);
  port.wire_o(inject_[p]);
  port.acknowledge_i(inject_acknowledge_[p]);
  port.wire_i(eject_[p]);
  port.acknowledge_o(eject_acknowledge_[p]);
  port.engine_i(engine_[p]);
  port.sent_first_o(sent_first_[p]);
  port.sent_tail_o(sent_tail_[p]);
  port.sent_o(sent_[p]);
  port.probe_seen_o(probe_seen_[p]);
  port.accepted_o(accepted_[p]);
  port.received_first_o(received_first_[p]);
  port.received_tail_o(received_tail_[p]);
  port.probe_o(probe_[p]);
  port.report_o(report_[p]);
  port.moving_o(port_moving_[p]);
}

void Node::bind_software() {
  library_.clk_i(core_clk_i);
  library_.rst_i(rst_i);
  library_.edge_i(edge_i);
  library_.start_o(start_);
  library_.route_o(route_);
  library_.sequence_o(sequence_);
  library_.phits_o(phits_);
  library_.sent_i(sent_);
  library_.received_first_i(received_first_);
  library_.received_tail_i(received_tail_);
  library_.probe_i(probe_);
  core_.clk_i(core_clk_i);
  core_.rst_i(rst_i);
  core_.edge_i(edge_i);
  core_.sent_first_i(sent_first_);
  core_.sent_tail_i(sent_tail_);
  core_.received_first_i(received_first_);
  core_.received_tail_i(received_tail_);
  if (memory_ == nullptr) return;
  memory_->clk_i(clk_i);
  memory_->edge_i(edge_i);
  memory_->leaving_i(inject_);
  memory_->arriving_i(eject_);
  memory_->activity_o(activity_);
}

void Node::drive_constants() {
  if (engines_ != nullptr) return;
  // Every port has a receive engine of its own.
  for (unsigned p = 0; p < count_; ++p) engine_[p].write(true);
}

void Node::settle() {
  look();
  shares_bus_ = memory_ != nullptr && memory_->shares_bus();
}

void Node::raise_port_clocks(bool all) {
  const std::uint32_t every = (1U << ports_.size()) - 1;
  if (all) port_changed_ = every;
  port_clocked_ = port_clk_.size() == 0 ? every : port_changed_ | port_words_ | port_moves_;
  if (port_clk_.size() == 0) return;
  for_each_bit(port_clocked_, [this](unsigned p) { port_clk_[p].set(true); });
}

void Node::lower_port_clocks() {
  if (port_clk_.size() == 0) return;
  for_each_bit(port_clocked_, [this](unsigned p) { port_clk_[p].set(false); });
}

void Node::needed(CacheLines& lines) const {
  lines.add(&id_, &port_clk_ + 1);
  lines.add(clk_, clk_ + 1);
  lines.add(port_calls_.data(), port_calls_.data() + port_calls_.size());
  if (router_call_ != nullptr) router_call_->needed(lines);
  for (const ClockedByCall* const port : port_calls_) {
    if (port != nullptr) port->needed(lines);
  }
}

void Node::clock_edge() {
  if (!*clk_) return;
  if (shares_bus_) memory_->look();
  if (router_call_ != nullptr) router_call_->clock_edge();
  for_each_bit(port_clocked_, [this](unsigned p) {
    ClockedByCall* const port = port_calls_[p];
    if (port == nullptr || (port_clk_.size() > 0 && !port_clk_[p].read())) return;
    port->changed_bits = port_changed_ >> p & 1U;
    port->clock_edge();
  });
  port_changed_ = port_words_ = 0;
}

void Node::look() {
  for_each_bit(std::exchange(port_told_, 0), [this](unsigned p) {
    const std::uint32_t port = 1U << p;
    port_moves_ = port_moving_[p].read() ? port_moves_ | port : port_moves_ & ~port;
    port_reports_ = report_[p].read() ? port_reports_ | port : port_reports_ & ~port;
  });
  if (std::exchange(router_told_, 0) != 0) {
    router_moves_ = router_moving_.read();
    routed_ = (granted_.read() | released_.read() | refused_.read()) != 0;
  }
  // A port may report, without a clock, that a stop has been lifted.
  reports_ = (port_reports_ & (port_clocked_ | port_changed_)) != 0;
  if (router_moves_ || port_moves_ != 0) awake_.insert();
}

}  // namespace ecube::clocked
