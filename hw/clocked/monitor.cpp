// SPDX-License-Identifier: Apache-2.0
// From pins to circuits.
#include "hw/clocked/monitor.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "hw/clocked/node.h"

namespace ecube::clocked {

void Monitor::reset() {
  const std::size_t nodes = setting_.topology.nodes();
  circuits_.clear();
  free_.clear();
  outputs_.assign(nodes * lines(), Output{});
  inputs_.assign(nodes * lines(), Input{});
  ports_.assign(nodes * setting_.shape.ports, Port{});
  totals_ = {};
  plane_times_.reset(setting_.topology.planes() == 0 ? 0 : nodes);
  broken_.clear();
}

void Monitor::injected(const CircuitRecord& record) {
  if (free_.empty()) {
    free_.push_back(static_cast<CircuitId>(circuits_.size()));
    circuits_.emplace_back();
  }
  const CircuitId id = free_.back();
  free_.pop_back();
  circuits_[id] = UnderWay{};
  circuits_[id].record = record;
  port_at(record.source, record.inject_port).sends = id;
  input_at(record.source, setting_.shape.dim + record.inject_port) = {.circuit = id};
  if (setting_.observer != nullptr) setting_.observer->injected(id, record);
}

void Monitor::sample(const Node& node, Cycles edge, bool ports_report) {
  const RouterPins& router = node.router();
  const NodeId id = node.id();
  for_each_bit(router.released_o.read(), [&](unsigned output) { sample_release(id, output, edge); });
  // The tail reaches the interface at the edge at which its eject port can be granted to the next circuit.
  for (unsigned port = 0; ports_report && port < setting_.shape.ports; ++port) {
    sample_receiving(node, port, edge);
    sample_sending(node, port, edge);
  }
  const LineMask granted = router.granted_o.read();
  const LineMask refused = router.refused_o.read();
  (void)contradicts(std::uint64_t{granted | refused} >> lines() != 0, "a router has no such lines");
  if (granted != 0) {
    const LineMatrix& owners = router.owners_o.read();
    for_each_bit(granted, [&](unsigned output) {
      sample_grant(id, output, static_cast<unsigned>(std::countr_zero(owners.rows[output])), edge);
    });
  }
  if (refused != 0) {
    const LineMatrix& asking = router.asking_o.read();
    for_each_bit(refused, [&](unsigned input) {
      sample_refusal(id, input, static_cast<unsigned>(std::countr_zero(asking.rows[input])), edge);
    });
  }
}

/// Rule 6.1.
void Monitor::sample_release(NodeId node, unsigned number, Cycles edge) {
  Output& output = output_at(node, number);
  const CircuitId id = output.owner;
  if (contradicts(id == no_circuit, "an output that nobody owned was released")) return;
  // Circuits: the tail was processed at this edge. Worms: this is the first edge at which the output could be granted
  // again.
  const Cycles free_from = setting_.shape.worms ? edge : edge + 1;
  output.counts.busy += free_from - 1 - output.granted_at;
  if (number < setting_.shape.dim) output.counts.bytes += circuits_[id].record.bytes;
  output.owner = no_circuit;
  if (setting_.observer != nullptr) setting_.observer->released(id, circuits_[id].record, node, number, free_from);
  --circuits_[id].holds;
  end(id);
}

void Monitor::wait_ended(const UnderWay& circuit, bool link, Cycles cycles) {
  (link ? totals_.link_blocked : totals_.port_blocked).cycles += cycles;
  if (link) totals_.blocked_by(circuit.record.label).cycles += cycles;
}

/// Rule 6.2.
void Monitor::sample_grant(NodeId node, unsigned number, unsigned input_number, Cycles edge) {
  const unsigned dim = setting_.shape.dim;
  const CircuitId id = input_number < lines() ? input_at(node, input_number).circuit : no_circuit;
  if (contradicts(id == no_circuit, "an output was granted to nobody")) return;
  if (contradicts(is_link(number) && !setting_.topology.exists(node, number), "a link was granted that does not exist"))
    return;
  Input& input = input_at(node, input_number);
  UnderWay& circuit = circuits_[id];
  Output& output = output_at(node, number);
  const bool waited = input.asked != never;
  const Cycles asked = waited ? input.asked : edge;
  if (waited) {
    --output.waiting;
    output.counts.blocked += edge - asked;
    wait_ended(circuit, is_link(number), edge - asked);
  }
  ++output.counts.circuits;
  output.granted_at = edge;
  output.owner = id;
  ++circuit.holds;
  input = {};
  if (number >= dim) circuit.record.eject_port = static_cast<std::uint8_t>(number - dim);
  if (setting_.observer != nullptr) setting_.observer->granted(id, circuit.record, node, number, asked, edge);
  if (number < dim) {
    const NodeId next =
        setting_.topology.planes() != 0 ? circuit.record.destination : setting_.topology.neighbour(node, number);
    input_at(next, number) = {.circuit = id};
  } else {
    port_at(node, number - dim).receives = id;
  }
}

/// Rules 6.3 and 6.5.
void Monitor::sample_refusal(NodeId node, unsigned input_number, unsigned wanted, Cycles edge) {
  Input& input = input_at(node, input_number);
  if (input.circuit == no_circuit || input.asked != never) return;
  if (contradicts(wanted >= lines(), "an output was refused that does not exist")) return;
  input.asked = edge;
  input.wanted = wanted;
  UnderWay& circuit = circuits_[input.circuit];
  (is_link(wanted) ? circuit.link_blocked : circuit.port_blocked) = true;
  Output& output = output_at(node, wanted);
  output.counts.most_waiters = std::max(output.counts.most_waiters, ++output.waiting);
  if (setting_.observer != nullptr) setting_.observer->waits(input.circuit, circuit.record, node, wanted, edge);
}

/// Rules 6.4 and 6.6.
void Monitor::sample_receiving(const Node& node, unsigned number, Cycles edge) {
  const InterfacePortPins& pins = node.port(number);
  Port& port = port_at(node.id(), number);
  const CircuitId id = port.receives;
  if (pins.probe_seen_o.read()) {
    port.seen = edge;
    port.without_engine = port.serialised = false;
  }
  if (node.waits_for_engine(number)) {
    port.without_engine = true;
  } else if (std::exchange(port.without_engine, false) && id != no_circuit) {
    circuits_[id].port_blocked = true;
    wait_ended(circuits_[id], false, edge - port.seen);
  }
  if (node.serialised(number)) {
    port.serialised = true;
  } else if (std::exchange(port.serialised, false)) {
    ++totals_.serialised.circuits;
    totals_.serialised.cycles += edge - port.seen;
  }
  const bool first = pins.received_first_o.read();
  const bool tail = pins.received_tail_o.read();
  if (!pins.accepted_o.read() && !first && !tail) return;
  if (contradicts(id == no_circuit, "a circuit arrived that belongs to nobody")) return;
  UnderWay& circuit = circuits_[id];
  if (pins.accepted_o.read()) circuit.edges.acknowledge = edge;
  if (first && setting_.observer != nullptr) setting_.observer->phits_arrive(id, circuit.record, edge + 1);
  if (!tail) return;
  port.receives = no_circuit;
  circuit.edges.receiver_ready = edge + 1;
  if (circuit.link_blocked) {
    ++totals_.link_blocked.circuits;
    ++totals_.blocked_by(circuit.record.label).circuits;
  }
  if (circuit.port_blocked) ++totals_.port_blocked.circuits;
  established(id);
}

void Monitor::sample_sending(const Node& node, unsigned number, Cycles edge) {
  const InterfacePortPins& pins = node.port(number);
  const CircuitId id = port_at(node.id(), number).sends;
  if (!pins.sent_first_o.read() && !pins.sent_tail_o.read() && !pins.sent_o.read()) return;
  if (contradicts(id == no_circuit, "phits were sent that belong to nobody")) return;
  UnderWay& circuit = circuits_[id];
  if (pins.sent_first_o.read()) {
    circuit.edges.data = edge;
    if (setting_.topology.planes() != 0) {
      const Machine& machine = setting_.machine;
      const Cycles last = machine.phit_cycles().floor_of(machine.phits(circuit.record.bytes) - 1);
      plane_times_.moves(node.id(), edge, edge + last + 1, edge);
    }
    if (setting_.observer != nullptr) setting_.observer->phits_leave(id, circuit.record, edge);
  }
  if (pins.sent_tail_o.read()) circuit.edges.tail = edge;
  if (!pins.sent_o.read() || circuit.edges.sender_ready != 0) return;
  circuit.edges.sender_ready = edge + 1;
  established(id);
}

/// Called once all edges are known. The receiver's edges come last, except for a worm that has left its source late.
void Monitor::established(CircuitId id) {
  const UnderWay& circuit = circuits_[id];
  if (!circuit.over()) return;
  if (setting_.observer != nullptr) setting_.observer->established(id, circuit.record, circuit.edges);
  end(id);
}

void Monitor::end(CircuitId id) {
  const UnderWay& circuit = circuits_[id];
  if (!circuit.over() || circuit.holds > 0) return;
  Port& port = port_at(circuit.record.source, circuit.record.inject_port);
  if (port.sends == id) port.sends = no_circuit;
  free_.push_back(id);
}

void Monitor::lost(const CircuitRecord& message, Cycles edge) {
  ++totals_.lost;
  std::vector<LostMessage>& first = totals_.first_lost;
  const auto place = std::upper_bound(
      first.begin(), first.end(), std::tuple(edge, message.destination),
      [](const auto& key, const LostMessage& known) { return key < std::tuple(known.at, known.destination); });
  first.insert(place, {message.source, message.destination, message.tag, edge});
  if (first.size() > 16) first.pop_back();
  if (setting_.observer != nullptr) setting_.observer->lost(message, edge);
}

/// Rule 12.5.
void Monitor::cut(LinkId link, CutCircuit::Lost lost, Cycles edge) {
  const CircuitId id = output_at(link.node, link.output).owner;
  if (contradicts(id == no_circuit, "a word was lost that belongs to nobody")) return;
  const CircuitRecord& record = circuits_[id].record;
  totals_.add_cut({record.source, record.destination, record.tag, link, lost, edge});
}

std::vector<WaitingCircuit> Monitor::waiting() const {
  std::vector<WaitingCircuit> result;
  for (unsigned number = 0; number < lines(); ++number) {
    for (NodeId node = 0; node < setting_.topology.nodes(); ++node) {
      for (unsigned i = 0; i < lines(); ++i) {
        const Input& input = inputs_[node * lines() + i];
        if (input.circuit == no_circuit || input.asked == never || input.wanted != number) continue;
        result.push_back({.waiting = circuits_[input.circuit].record, .router = node, .output = number});
        const CircuitId holder = outputs_[node * lines() + number].owner;
        if (holder == no_circuit) continue;
        result.back().held = true;
        result.back().holder = circuits_[holder].record;
      }
    }
  }
  return result;
}

}  // namespace ecube::clocked
