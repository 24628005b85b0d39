// SPDX-License-Identifier: Apache-2.0
// Requests, arbitration and lazy release of the event-driven routers.
#include "hw/event_fabric.h"

#include <bit>

namespace ecube {

void EventFabric::reset(const Machine& machine, unsigned dim) {
  machine_ = machine;
  dim_ = dim;
  ports_ = machine.node.ports.physical(dim);
  inputs_ = dim_ + ports_;
  hop_ = 1 + machine.router.route_cycles;
  phit_cycles_ = machine.phit_cycles();
  wormhole_ = machine.network.switching == Switching::wormhole;
  buffer_phits_ = machine.buffer_phits();
  pace_ = phit_cycles_.num / phit_cycles_.den;
  worms_.clear();
  last_bytes_ = 0;
  last_data_cycles_ = 0;
  wheel_.reset();
  const std::size_t nodes = std::size_t{1} << dim;
  outputs_.assign(nodes * inputs_, Output{});
  bytes_.assign(nodes * dim_, 0);
  waits_.clear();
  injecting_.assign(nodes * ports_, no_circuit);
}

void EventFabric::inject(CircuitId id) {
  const Circuit& circuit = circuits_[id];
  injecting_[(static_cast<std::size_t>(circuit.inject_port) << dim_) + circuit.source] = id;
  wheel_.push(circuit.probe + hop_, {.router = circuit.source,
                                     .circuit = id,
                                     .remaining = circuit.source ^ circuit.destination,
                                     .kind = Kind::request,
                                     .input = static_cast<std::uint8_t>(dim_ + circuit.inject_port)});
  if (wormhole_) begin_worm(id);
  if (observer_ != nullptr) observer_->injected(id, circuit);
}

void EventFabric::advance(Cycles now) {
  wheel_.advance_to(now);
  if (hop_ < EventWheel<Event>::window) wheel_.open(now + hop_);
  EventWheel<Event>::Chunk* const head = wheel_.take();
  // All requests of the edge are known before any output decides, and every output decides on the pointer before the
  // edge.
  for (auto* chunk = head; chunk != nullptr; chunk = chunk->next) {
    for (std::uint64_t i = 0; i < chunk->count; ++i) collect(chunk->events[i], now);
  }
  for (auto* chunk = head; chunk != nullptr; chunk = wheel_.recycle(chunk)) {
    for (std::uint64_t i = 0; i < chunk->count; ++i) commit(chunk->events[i], now);
  }
}

void EventFabric::compete(Output& output, unsigned input) const {
  const auto rank = [&](unsigned of) {
    return of >= output.pointer ? of - output.pointer : of + inputs_ - output.pointer;
  };
  if (output.candidate == nobody || rank(input) < rank(output.candidate)) {
    output.candidate = static_cast<std::uint8_t>(input);
  }
}

void EventFabric::collect(Event& event, Cycles now) {
  if (event.kind == Kind::request) {
    event.output = static_cast<std::uint8_t>(
        event.remaining != 0 ? static_cast<unsigned>(std::countr_zero(event.remaining)) : eject_output(event.input));
    const std::size_t at = index(event.output, event.router);
    Output& output = outputs_[at];
    if (output.free_at > now) {
      wait(output, at, event, now);
      event.kind = Kind::decided;
    } else {
      compete(output, event.input);
    }
  } else {
    Output& output = outputs_[index(event.output, event.router)];
    const std::uint64_t waiting = output.waiting();
    const std::uint64_t from_pointer = waiting >> output.pointer << output.pointer;
    compete(output, static_cast<unsigned>(std::countr_zero(from_pointer != 0 ? from_pointer : waiting)));
  }
}

void EventFabric::commit(const Event& event, Cycles now) {
  if (event.kind == Kind::decided) return;
  const std::size_t at = index(event.output, event.router);
  Output& output = outputs_[at];
  if (event.kind == Kind::request) {
    if (output.candidate == event.input) {
      grant(output, event, now, now);
    } else {
      wait(output, at, event, now);
    }
  } else if (output.candidate != nobody && (output.waiting() >> output.candidate & 1) != 0) {
    grant_waiter(output, event, now);
  }
}

void EventFabric::wait(Output& output, std::size_t output_index, const Event& event, Cycles now) {
  // The invariant of lazy release: one release event at free_at if and only if free_at is known, lies ahead and
  // somebody waits. Here the first waiter comes second; in free_from() the owner's tail does. The loser of a tie may be
  // here before the winner has been granted: then free_at is not ahead, and the winner's own free_from() will see the
  // waiter.
  if (!output.has_waiters() && (output.free_at & held) == 0 && output.free_at > now) {
    wheel_.push(output.free_at, {.router = event.router, .kind = Kind::release, .output = event.output});
  }
  const std::uint64_t waiting = output.waiting() | std::uint64_t{1} << event.input;
  output.set_waiting(waiting);
  Circuit& circuit = circuits_[event.circuit];
  circuit.waiting_since = now;
  (event.output < dim_ ? circuit.link_blocked : circuit.port_blocked) = true;
  if (waits_.empty()) waits_.resize(outputs_.size());
  Waits& waits = waits_[output_index];
  // Of those that have waited, the one that this edge will give the output to waits no longer.
  const bool leaves =
      output.candidate != nobody && output.candidate != event.input && (waiting >> output.candidate & 1) != 0;
  const auto waiters = static_cast<std::uint32_t>(std::popcount(waiting)) - (leaves ? 1 : 0);
  if (waiters > waits.most) waits.most = waiters;
  if (observer_ != nullptr) observer_->waits(event.circuit, circuit, event.router, event.output, now);
}

CircuitId EventFabric::circuit_at(NodeId router, unsigned input) const {
  // A probe waits at an input; the link into that input belongs to its circuit.
  if (input < dim_) return outputs_[index(input, router ^ (NodeId{1} << input))].owner;
  return injecting_[(static_cast<std::size_t>(input - dim_) << dim_) + router];
}

void EventFabric::grant_waiter(Output& output, const Event& release, Cycles now) {
  const std::uint8_t input = output.candidate;
  output.set_waiting(output.waiting() & ~(std::uint64_t{1} << input));
  const CircuitId id = circuit_at(release.router, input);
  Circuit& circuit = circuits_[id];
  const Cycles waited = now - circuit.waiting_since;
  waits_[index(release.output, release.router)].blocked += waited;
  client_.blocked(circuit, release.output < dim_, waited);
  grant(output,
        {.router = release.router,
         .circuit = id,
         .remaining = release.router ^ circuit.destination,
         .input = input,
         .output = release.output},
        circuit.waiting_since, now);
}

void EventFabric::grant(Output& output, const Event& event, Cycles asked, Cycles now) {
  output.candidate = nobody;
  output.pointer = static_cast<std::uint8_t>(event.input + 1U == inputs_ ? 0 : event.input + 1);
  output.owner = event.circuit;
  output.free_at = held | now;
  ++output.circuits;
  if (observer_ != nullptr)
    observer_->granted(event.circuit, circuits_[event.circuit], event.router, event.output, asked, now);
  if (event.output >= dim_) circuits_[event.circuit].eject_port = static_cast<std::uint8_t>(event.output - dim_);
  if (wormhole_) probe_moved(event.circuit, 1 + hops(circuits_[event.circuit].source, event.router), now);
  if (event.output < dim_) {
    const NodeId bit = NodeId{1} << event.output;
    const Event next{.router = event.router ^ bit,
                     .circuit = event.circuit,
                     .remaining = event.remaining ^ bit,
                     .kind = Kind::request,
                     .input = event.output};
    if (hop_ < EventWheel<Event>::window) {
      wheel_.push_open(next);
    } else {
      wheel_.push(now + hop_, next);
    }
  } else {
    client_.probe_arrived(event.circuit, now + 1);
  }
}

void EventFabric::free_from(std::size_t output_index, NodeId router, unsigned output_number, Cycles at, Bytes bytes) {
  Output& output = outputs_[output_index];
  output.busy += at - 1 - (output.free_at & ~held);
  output.free_at = at;
  if (output_number < dim_) bytes_[output_index] += bytes;
  if (output.has_waiters()) {
    wheel_.push(at, {.router = router, .kind = Kind::release, .output = static_cast<std::uint8_t>(output_number)});
  }
}

void EventFabric::accept(CircuitId id, Cycles at) {
  if (wormhole_) return accept_worm(id, at);
  const Circuit& circuit = circuits_[id];
  const unsigned hop_count = hops(circuit.source, circuit.destination);
  CircuitEdges edges;
  edges.acknowledge = at + machine_.network.accept_cycles - 1;
  edges.data = at + machine_.network.accept_cycles + hop_count + 1;
  if (machine_.network.distance == Distance::fixed) {
    const Cycles padded = circuit.probe + machine_.network.setup_cycles - hop_count - 3;
    if (padded > edges.data) edges.data = padded;
  }
  if (circuit.bytes != last_bytes_) {  // two divisions, for lengths that seldom change
    last_bytes_ = circuit.bytes;
    last_data_cycles_ = phit_cycles_.floor_of(machine_.phits(circuit.bytes) - 1);
  }
  edges.tail = edges.data + last_data_cycles_;
  edges.sender_ready = edges.tail + 1;
  edges.receiver_ready = edges.tail + hop_count + 3;

  Cycles free_at = edges.tail + 2;
  Route route(circuit.source, circuit.destination);
  for (; !route.arrived(); route.advance(), ++free_at) {
    const LinkId link = route.next();
    free_from(index(link.dimension, link.node), link.node, link.dimension, free_at, circuit.bytes);
    if (observer_ != nullptr) observer_->released(id, circuit, link.node, link.dimension, free_at);
  }
  const unsigned eject = dim_ + circuit.eject_port;
  free_from(index(eject, circuit.destination), circuit.destination, eject, free_at, circuit.bytes);

  if (observer_ != nullptr) {
    observer_->released(id, circuit, circuit.destination, eject, free_at);
    observer_->phits_leave(id, circuit, edges.data);
    observer_->phits_arrive(id, circuit, edges.receiver_ready - last_data_cycles_);
    observer_->established(id, circuit, edges);
  }
  client_.received(id, edges.receiver_ready - last_data_cycles_, edges.receiver_ready);
  client_.sent(id, edges.data, edges.sender_ready);
}

LinkStatistics EventFabric::statistics(LinkId link) const {
  const std::size_t at = index(link.dimension, link.node);
  LinkStatistics result{.circuits = outputs_[at].circuits, .bytes = bytes_[at], .busy = outputs_[at].busy};
  if (!waits_.empty()) {
    result.most_waiters = waits_[at].most;
    result.blocked = waits_[at].blocked;
  }
  return result;
}

std::vector<WaitingCircuit> EventFabric::waiting() const {
  std::vector<WaitingCircuit> result;
  for (unsigned number = 0; number < inputs_; ++number) {
    for (NodeId router = 0; router < NodeId{1} << dim_; ++router) {
      const Output& output = outputs_[index(number, router)];
      for (std::uint64_t waiting = output.waiting(); waiting != 0; waiting &= waiting - 1) {
        const CircuitId id = circuit_at(router, static_cast<unsigned>(std::countr_zero(waiting)));
        result.push_back({id, router, number, output.owner});
      }
    }
  }
  return result;
}

std::size_t EventFabric::memory_bytes() const {
  return outputs_.capacity() * sizeof(Output) + bytes_.capacity() * sizeof(Bytes) + waits_.capacity() * sizeof(Waits) +
         injecting_.capacity() * sizeof(CircuitId) + worms_.capacity() * sizeof(Worm);
}

}  // namespace ecube
