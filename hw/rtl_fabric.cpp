// SPDX-License-Identifier: Apache-2.0
// Clock, wires and reports of the verilated nodes.
#include "hw/rtl_fabric.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace ecube {

namespace {

constexpr Cycles most_cycles = std::numeric_limits<std::uint32_t>::max();

/// Calls `visit(number)` for every bit that is set.
template <typename Visit>
void for_each_bit(std::uint32_t mask, const Visit& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

RtlConfiguration configuration_of(const Machine& machine) {
  const Ratio phit = machine.phit_cycles();
  RtlConfiguration result;
  result.route_delay = static_cast<std::uint32_t>(machine.router.route_cycles);
  result.accept_delay = static_cast<std::uint32_t>(machine.network.accept_cycles);
  result.phit_cycles = static_cast<std::uint32_t>(phit.num / phit.den);
  result.phit_extra_num = static_cast<std::uint32_t>(phit.num % phit.den);
  result.phit_extra_den = static_cast<std::uint32_t>(phit.den);
  if (machine.network.distance == Distance::fixed) {
    result.setup = static_cast<std::uint32_t>(machine.network.setup_cycles);
  }
  result.together_only = machine.network.duplex == Duplex::together;
  result.together = static_cast<std::uint32_t>(machine.network.together_cycles);
  return result;
}

}  // namespace

std::string RtlFabric::refusal(const Machine& machine, unsigned dim) {
  if (dim > max_rtl_dim) return "--dim " + std::to_string(dim) + ": at most " + std::to_string(max_rtl_dim);
  if (machine.node.ports.shared(dim)) return "node.ports: one or n, no number of engines between";
  if (machine.network.switching == Switching::wormhole) {
    const std::uint64_t buffer = machine.buffer_phits();
    if (buffer > 8 || !std::has_single_bit(buffer)) return "router.buffer: 1, 2, 4 or 8 phits";
  }
  const Ratio phit = machine.phit_cycles();
  const std::pair<const char*, Cycles> counts[] = {
      {"router.route", machine.router.route_cycles},   {"network.accept", machine.network.accept_cycles},
      {"network.setup", machine.network.setup_cycles}, {"network.together", machine.network.together_cycles},
      {"link.cycles_per_phit", phit.num / phit.den},   {"link.cycles_per_phit (its denominator)", phit.den}};
  for (const auto& [key, cycles] : counts) {
    if (cycles > most_cycles) return std::string(key) + ": at most " + std::to_string(most_cycles) + " cycles";
  }
  return "";
}

RtlFabric::RtlFabric(const sc_core::sc_module_name& name, RtlModel& model, Circuits& circuits, FabricClient& client)
    : sc_core::sc_module(name),
      model_(model),
      circuits_(circuits),
      client_(client),
      dim_(model.dim()),
      ports_(model.ports()),
      lines_(dim_ + ports_),
      tick_("edge") {
  nodes_ = model.make_nodes();
  SC_HAS_PROCESS(RtlFabric);
  SC_METHOD(tick);
  sensitive << tick_;
  dont_initialize();
}

void RtlFabric::reset(const Machine& machine, unsigned) {
  machine_ = machine;
  configuration_ = configuration_of(machine);
  worms_ = machine.network.switching == Switching::wormhole;
  driven_.assign(nodes_.size(), decltype(driven_)::value_type{});
  sampled_.assign(nodes_.size(), decltype(sampled_)::value_type{});
  coming_.assign(nodes_.size(), 0);
  outputs_.assign(nodes_.size() * lines_, decltype(outputs_)::value_type{});
  inputs_.assign(nodes_.size() * lines_, decltype(inputs_)::value_type{});
  ports_of_.assign(nodes_.size() * ports_, decltype(ports_of_)::value_type{});
  probes_ = {};
  clocked_.clear();
  events_ = 0;
  reset_ = true;
  ticking_ = moving_ = false;
  cycle_ = 0;
  model_.forget_failed_assertion();
  const auto period = sc_core::sc_time(1.0 / static_cast<double>(machine.clock_hz), sc_core::SC_SEC);
  half_period_ = std::max(period / 2, sc_core::sc_get_time_resolution());
}

void RtlFabric::inject(CircuitId id) {
  const Circuit& circuit = circuits_[id];
  if (edges_.size() <= id) edges_.resize(id + std::size_t{1});
  edges_[id] = {};
  probes_.emplace(circuit.probe, id);
  if (observer_ != nullptr) observer_->injected(id, circuit);
  if (circuit.probe == cycle_) request_tick(cycle_);
}

Cycles RtlFabric::next_cycle() const {
  if (ticking_) return cycle_ + 1;
  return probes_.empty() ? never : probes_.top().first;
}

void RtlFabric::advance(Cycles now) {
  if (ticking_) {
    ticking_ = false;
    const Cycles edge = cycle_;
    cycle_ = now;
    events_ += clocked_.size();
    for (const NodeId node : clocked_) report(node, sampled_[node], edge);
    if (const std::string assertion = model_.failed_assertion(); !assertion.empty()) {
      client_.failed("assertion " + assertion + " failed at cycle " + std::to_string(edge));
    }
  }
  cycle_ = now;
  if (moving_ || (!probes_.empty() && probes_.top().first == now)) request_tick(now);
}

void RtlFabric::request_tick(Cycles cycle) {
  if (ticking_) return;
  ticking_ = true;
  cycle_ = cycle;
  tick_.notify(sc_core::SC_ZERO_TIME);
}

// --- Clock ---------------------------------------------------------------------------------------------------------

void RtlFabric::tick() {
  switch (phase_) {
    case Phase::rise:
      if (reset_) {
        for (const auto& node : nodes_) {
          node->configure(configuration_);
          node->drive({});
          node->set_reset(true);
          node->set_clock(true);
        }
        phase_ = Phase::reset_rise;
        next_trigger(sc_core::SC_ZERO_TIME);
        return;
      }
      raise_clock();
      phase_ = Phase::settle;
      next_trigger(sc_core::SC_ZERO_TIME);
      return;
    case Phase::reset_rise:
      phase_ = Phase::reset_settle;
      next_trigger(sc_core::SC_ZERO_TIME);
      return;
    case Phase::reset_settle:
      for (const auto& node : nodes_) {
        node->set_clock(false);
        node->set_reset(false);
      }
      phase_ = Phase::reset_fall;
      next_trigger(sc_core::SC_ZERO_TIME);
      return;
    case Phase::reset_fall:
      reset_ = false;
      phase_ = Phase::rise;
      next_trigger(sc_core::SC_ZERO_TIME);
      return;
    case Phase::settle:
      // The nodes have seen the edge in this delta cycle; their outputs are there in the next one.
      phase_ = Phase::sample;
      next_trigger(sc_core::SC_ZERO_TIME);
      return;
    case Phase::sample:
      sample();
      record();
      phase_ = Phase::fall;
      next_trigger(half_period_);
      return;
    case Phase::fall:
      for (const NodeId node : clocked_) nodes_[node]->set_clock(false);
      phase_ = Phase::rise;
      if (tracing_) {
        phase_ = Phase::fallen;
        next_trigger(2 * sc_core::sc_get_time_resolution());
      }
      return;
    case Phase::fallen:
      record();
      phase_ = Phase::rise;
      return;
  }
}

void RtlFabric::record() {
  if (tracing_) model_.record((sc_core::sc_time_stamp() - trace_begin_).value());
}

void RtlFabric::start_trace(const std::string& file) {
  model_.open_trace(file);
  trace_begin_ = sc_core::sc_time_stamp();
  tracing_ = clock_all_ = true;
}

void RtlFabric::stop_trace() {
  if (!tracing_) return;
  model_.close_trace();
  tracing_ = clock_all_ = false;
}

void RtlFabric::raise_clock() {
  while (!probes_.empty() && probes_.top().first == cycle_) {
    const CircuitId id = probes_.top().second;
    probes_.pop();
    const Circuit& circuit = circuits_[id];
    RtlInputs& inputs = driven_[circuit.source];
    inputs.start |= 1U << circuit.inject_port;
    inputs.route[circuit.inject_port] = circuit.source ^ circuit.destination;
    inputs.phits[circuit.inject_port] = static_cast<std::uint32_t>(machine_.phits(circuit.bytes));
    coming_[circuit.source] = 1;
    port_at(circuit.source, circuit.inject_port).sends = id;
    input_at(circuit.source, dim_ + circuit.inject_port) = {.circuit = id};
  }
  clocked_.clear();
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (!clock_all_ && !worms_ && !model_.whole() && coming_[node] == 0 && !sampled_[node].moving) continue;
    nodes_[node]->drive(driven_[node]);
    nodes_[node]->set_clock(true);
    clocked_.push_back(node);
  }
}

void RtlFabric::sample() {
  for (const NodeId node : clocked_) {
    driven_[node] = {};
    coming_[node] = 0;
  }
  moving_ = false;
  for (const NodeId node : clocked_) {
    RtlOutputs& outputs = sampled_[node];
    nodes_[node]->sample(outputs);
    moving_ |= outputs.moving;
    for (unsigned i = 0; i < dim_; ++i) {
      const bool acknowledge = (outputs.acknowledge >> i & 1) != 0;
      if (outputs.wire[i] == 0 && !acknowledge) continue;
      const NodeId beyond = neighbour(node, i);
      if (outputs.wire[i] != 0) driven_[beyond].wire[i] = outputs.wire[i];
      if (acknowledge) driven_[beyond].acknowledge |= 1U << i;
      coming_[beyond] = 1;
      // A stop may last; what ends it moves.
      if (outputs.wire[i] != 0 || !worms_) moving_ = true;
    }
  }
}

// --- What happened -------------------------------------------------------------------------------------------------

void RtlFabric::report(NodeId node, const RtlOutputs& outputs, Cycles edge) {
  for_each_bit(outputs.released, [&](unsigned number) {
    Output& output = output_at(node, number);
    const CircuitId id = output.owner;
    if (id == no_circuit) return client_.failed("an output that nobody owned was released");
    // Circuits: the tail was processed at this edge. Worms: this is the first edge at which it could be granted.
    const Cycles free_from = worms_ ? edge : edge + 1;
    output.busy += free_from - 1 - output.granted_at;
    if (number < dim_) output.bytes += circuits_[id].bytes;
    output.owner = no_circuit;
    if (observer_ != nullptr) observer_->released(id, circuits_[id], node, number, free_from);
    if (worms_ && --circuits_[id].holds == 0 && circuits_[id].over) circuits_.release(id);
  });
  // The tail reaches the interface at the edge at which its eject port can be granted to the next circuit.
  report_ports(node, outputs, edge);
  for_each_bit(outputs.granted, [&](unsigned number) { report_grant(node, number, outputs, edge); });
  for_each_bit(outputs.refused, [&](unsigned number) { report_refusal(node, number, outputs, edge); });
}

void RtlFabric::report_grant(NodeId node, unsigned output_number, const RtlOutputs& outputs, Cycles edge) {
  const auto input_number = static_cast<unsigned>(std::countr_zero(outputs.owners[output_number]));
  Input& input = input_at(node, input_number);
  const CircuitId id = input.circuit;
  if (id == no_circuit) return client_.failed("an output was granted to nobody");
  Circuit& circuit = circuits_[id];
  Output& output = output_at(node, output_number);
  const bool waited = input.asked != never;
  const Cycles asked = waited ? input.asked : edge;
  if (waited) {
    --output.waiting;
    output.blocked += edge - asked;
    client_.blocked(circuit, output_number < dim_, edge - asked);
  }
  ++output.circuits;
  output.granted_at = edge;
  output.owner = id;
  if (worms_) ++circuit.holds;
  input = {};
  if (observer_ != nullptr) observer_->granted(id, circuit, node, output_number, asked, edge);
  if (output_number < dim_) {
    input_at(neighbour(node, output_number), output_number) = {.circuit = id};
  } else {
    circuit.eject_port = static_cast<std::uint8_t>(output_number - dim_);
    port_at(node, output_number - dim_).receives = id;
  }
}

void RtlFabric::report_refusal(NodeId node, unsigned input_number, const RtlOutputs& outputs, Cycles edge) {
  Input& input = input_at(node, input_number);
  if (input.circuit == no_circuit || input.asked != never) return;
  input.asked = edge;
  input.wanted = static_cast<unsigned>(std::countr_zero(outputs.asking[input_number]));
  Circuit& circuit = circuits_[input.circuit];
  circuit.wait_for(input.wanted < dim_);
  Output& output = output_at(node, input.wanted);
  output.most = std::max(output.most, ++output.waiting);
  if (observer_ != nullptr) observer_->waits(input.circuit, circuit, node, input.wanted, edge);
}

void RtlFabric::report_ports(NodeId node, const RtlOutputs& outputs, Cycles edge) {
  const bool exclusive = machine_.node.overlap == Overlap::off;
  for_each_bit(outputs.probe_seen, [&](unsigned number) { port_at(node, number).seen = edge; });
  for_each_bit(outputs.acknowledged, [&](unsigned number) {
    const Port& port = port_at(node, number);
    if (port.receives == no_circuit) return;
    CircuitEdges& edges = edges_[port.receives];
    edges.acknowledge = edge;
    const Cycles accepted = edge + 1 - machine_.network.accept_cycles;
    if (accepted > port.seen) client_.serialised(accepted - port.seen);
  });
  for_each_bit(outputs.received_first, [&](unsigned number) {
    const CircuitId id = port_at(node, number).receives;
    if (id == no_circuit) return;
    port_at(node, number).first_received = edge + 1;
    if (observer_ != nullptr) observer_->phits_arrive(id, circuits_[id], edge + 1);
    if (exclusive) client_.moving(node, edge, never);
  });
  for_each_bit(outputs.sent_first, [&](unsigned number) {
    Port& port = port_at(node, number);
    port.first_phit = edge;
    edges_[port.sends].data = edge;
    if (observer_ != nullptr) observer_->phits_leave(port.sends, circuits_[port.sends], edge);
    if (exclusive) client_.moving(node, edge, never);
  });
  for_each_bit(outputs.sent_tail, [&](unsigned number) {
    edges_[port_at(node, number).sends].tail = edge;
    if (exclusive) client_.stopped(node, port_at(node, number).first_phit, edge + 1);
  });
  for_each_bit(outputs.sent, [&](unsigned number) {
    const Port& port = port_at(node, number);
    edges_[port.sends].sender_ready = edge + 1;
    established(port.sends);
    client_.sent(port.sends, port.first_phit, edge + 1);
  });
  for_each_bit(outputs.received_tail, [&](unsigned number) {
    Port& port = port_at(node, number);
    const CircuitId id = port.receives;
    if (id == no_circuit) return client_.failed("a tail arrived that belongs to nobody");
    port.receives = no_circuit;
    edges_[id].receiver_ready = edge + 1;
    established(id);
    if (exclusive) client_.stopped(node, port.first_received - 1, edge + 1);
    client_.received(id, port.first_received, edge + 1);
  });
}

/// Once all edges are known: those of the receiver come last, but of a worm that has left its source late.
void RtlFabric::established(CircuitId id) {
  const CircuitEdges& edges = edges_[id];
  if (observer_ == nullptr || edges.sender_ready == 0 || edges.receiver_ready == 0) return;
  observer_->established(id, circuits_[id], edges);
}

// --- Statistics ----------------------------------------------------------------------------------------------------

LinkStatistics RtlFabric::statistics(LinkId link) const {
  const Output& output = outputs_[link.node * lines_ + link.dimension];
  return {.circuits = output.circuits,
          .most_waiters = output.most,
          .bytes = output.bytes,
          .busy = output.busy,
          .blocked = output.blocked};
}

std::vector<WaitingCircuit> RtlFabric::waiting() const {
  std::vector<WaitingCircuit> result;
  for (unsigned number = 0; number < lines_; ++number) {
    for (NodeId node = 0; node < nodes_.size(); ++node) {
      for (unsigned input = 0; input < lines_; ++input) {
        const Input& at = inputs_[node * lines_ + input];
        if (at.circuit == no_circuit || at.asked == never || at.wanted != number) continue;
        result.push_back({.waiting = circuits_[at.circuit], .router = node, .output = number});
        const CircuitId holder = outputs_[node * lines_ + number].owner;
        if (holder == no_circuit) continue;
        result.back().held = true;
        result.back().holder = circuits_[holder];
      }
    }
  }
  return result;
}

std::size_t RtlFabric::memory_bytes() const {
  return outputs_.capacity() * sizeof(Output) + inputs_.capacity() * sizeof(Input) +
         ports_of_.capacity() * sizeof(Port) + driven_.capacity() * sizeof(RtlInputs) +
         sampled_.capacity() * sizeof(RtlOutputs);
}

}  // namespace ecube
