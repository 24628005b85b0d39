// SPDX-License-Identifier: Apache-2.0
// Requests, arbitration and lazy release of the event-driven routers.
#include "hw/event_fabric.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "models/prefetch.h"

namespace ecube {

void EventFabric::reset(const Machine& machine, unsigned dim) {
  machine_ = machine;
  dim_ = dim;
  ports_ = machine.node.ports.physical(dim);
  inputs_ = dim_ + ports_;
  hop_ = 1 + machine.router.route_cycles;
  phit_cycles_ = machine.phit_cycles();
  wormhole_ = machine.network.switching == Switching::wormhole;
  exclusive_ = machine.node.overlap == Overlap::off;
  buffer_phits_ = machine.buffer_phits();
  pace_ = phit_cycles_.num / phit_cycles_.den;
  worms_.clear();
  events_ = 0;
  last_bytes_ = 0;
  last_data_cycles_ = 0;
  requests_.reset();
  releases_.reset();
  const std::size_t nodes = std::size_t{1} << dim;
  outputs_.assign(nodes * inputs_, Output{});
  carries_.clear();
  constexpr std::size_t in_cache = std::size_t{1} << 20;
  large_ = outputs_.size() * sizeof(Output) > in_cache;
  blocked_.clear();
  injecting_.assign(nodes * ports_, no_circuit);
  ejecting_.clear();
  served_.clear();
  waited_for_.clear();
  passed_on_.clear();
  outdone_ = false;
  accepts_at_once_ = machine.network.duplex == Duplex::full && !machine.node.ports.shared(dim);
}

void EventFabric::inject(CircuitId id) {
  const Circuit& circuit = circuits_[id];
  injecting_[(static_cast<std::size_t>(circuit.inject_port) << dim_) + circuit.source] = id;
  requests_.push(circuit.probe + hop_,
                 {circuit.source, id, circuit.source ^ circuit.destination, dim_ + circuit.inject_port});
  if (wormhole_) begin_worm(id);
  if (observer_ != nullptr) observer_->injected(id, circuit);
}

// --- One edge -----------------------------------------------------------------------------------------------------

inline void EventFabric::fetch_path(const Circuit& circuit) const {
  for (Route route(circuit.source, circuit.destination); !route.arrived(); route.advance()) {
    fetch_to_write(&outputs_[index(route.next().dimension, route.at())]);
  }
}

template <bool large, bool one_port>
void EventFabric::decide(EventWheel<Request>::Chunk& chunk, Cycles now) {
  events_ += chunk.count;
  // In registers: what is written here could be any of these as far as the compiler knows.
  Output* const outputs = outputs_.data();
  const unsigned dim = dim_;
  const NodeId no_dimension = NodeId{1} << dim;
  const Cycles granted_now = held | now;
  const auto output_for = [&](const Request& request, unsigned dimension) {
    const unsigned number = one_port || request.remaining() != 0
                                ? dimension
                                : dim + (request.input() < dim ? request.input() : request.input() - dim);
    return (static_cast<std::size_t>(number) << dim) + request.router();
  };
  // The lowest dimension that is left, or dim.
  const auto dimension_of = [&](const Request& request) {
    return static_cast<unsigned>(std::countr_zero(request.remaining() | no_dimension));
  };
  const auto fetch_output = [&](const Request& request) {
    fetch_to_write(&outputs[output_for(request, dimension_of(request))]);
  };
  constexpr std::ptrdiff_t ahead = 40;
  Request* onward = chunk.events.data();
  std::array<Ejecting, EventWheel<Request>::Chunk::capacity> ejecting;
  std::size_t ejects = 0;
  for (const Request *coming = chunk.events.data(), *const end = coming + chunk.count; coming != end; ++coming) {
    if constexpr (large) {
      if (coming + ahead < end) {
        fetch_output(coming[ahead]);
      } else if (const auto place = static_cast<std::size_t>(coming + ahead - end);
                 chunk.next != nullptr && place < chunk.next->count) {
        fetch_output(chunk.next->events[place]);
      }
    }
    const Request request = *coming;
    const unsigned dimension = dimension_of(request);
    const std::size_t at = output_for(request, dimension);
    Output& output = outputs[at];
    if (output.free_at > now) {
      compete(at, request.circuit(), request.input(), now);
      continue;
    }
    output.take(request.circuit(), request.input(), granted_now);
    // Both are written and one is kept: a branch could not be foreseen. In numbers, lest the compiler make it one.
    const std::uint64_t goes_on = (request.remaining() + std::uint64_t{0xFFFFFFFF}) >> 32;
    *onward = request.onward(dimension);
    ejecting[ejects] = {at, request.circuit()};
    onward += goes_on;
    ejects += 1 - goes_on;
  }
  chunk.count = static_cast<std::uint64_t>(onward - chunk.events.data());
  ejecting_.insert(ejecting_.end(), ejecting.begin(), ejecting.begin() + static_cast<std::ptrdiff_t>(ejects));
}

void EventFabric::advance(Cycles now) {
  requests_.advance_to(now);
  releases_.advance_to(now);
  for (auto* chunk = releases_.take(); chunk != nullptr; chunk = releases_.recycle(chunk)) {
    events_ += chunk->count;
    for (const Release& event : std::span(chunk->events).first(chunk->count)) release(event, now);
  }
  EventWheel<Request>::Chunk* const chunks = requests_.take();
  for (auto* chunk = chunks; chunk != nullptr; chunk = chunk->next) {
    if (ports_ == 1) {
      large_ ? decide<true, true>(*chunk, now) : decide<false, true>(*chunk, now);
    } else {
      large_ ? decide<true, false>(*chunk, now) : decide<false, false>(*chunk, now);
    }
  }
  settle(chunks, now);
}

/// Grants the output to the first that waits, behind the pointer. Releases come before the requests of an edge.
void EventFabric::release(Release event, Cycles now) {
  const std::size_t at = index(event.output, event.router);
  Output& output = outputs_[at];
  const std::uint64_t waiting = output.waiting();
  const std::uint64_t from_pointer = waiting >> output.pointer << output.pointer;
  const auto input = static_cast<unsigned>(std::countr_zero(from_pointer != 0 ? from_pointer : waiting));
  const CircuitId id = circuit_at(event.router, input);
  output.take(id, input, held | now);
  output.had_waited = true;
  output.set_waiting(waiting & ~(std::uint64_t{1} << input));
  served_.push_back(at);
  if (event.output >= dim_) {
    ejecting_.push_back({at, id});
  } else {
    passed_on_.push_back(after_link(event.router, event.output, id));
  }
}

/// The next request of a circuit that was granted the link of `router` in `dimension`.
EventFabric::Request EventFabric::after_link(NodeId router, unsigned dimension, CircuitId id) const {
  const NodeId next = neighbour(router, dimension);
  return {next, id, next ^ circuits_[id].destination, dimension};
}

/// For an output that is taken: at this very edge, or before.
void EventFabric::compete(std::size_t output_index, CircuitId circuit, unsigned input, Cycles now) {
  Output& output = outputs_[output_index];
  const unsigned owner_input = output.pointer - 1U;
  if (output.free_at != (held | now) || rank(input, output.pointer_before) > rank(owner_input, output.pointer_before)) {
    wait(output_index, circuit, input, now);
    return;
  }
  const CircuitId outdone = output.owner;
  output.owner = circuit;
  output.pointer = static_cast<std::uint8_t>(input + 1);
  if (output_of(output_index) < dim_) outdone_ = true;
  if (output.had_waited) {
    output.had_waited = false;
    output.set_waiting(output.waiting() | std::uint64_t{1} << owner_input);
  } else {
    wait(output_index, outdone, owner_input, now);
  }
}

void EventFabric::wait(std::size_t output_index, CircuitId id, unsigned input, Cycles now) {
  Output& output = outputs_[output_index];
  const unsigned number = output_of(output_index);
  // The invariant of lazy release: one release event at free_at if and only if free_at is known, lies ahead and
  // somebody waits. Here the first waiter comes second; in free_from() the owner's tail does.
  if (!output.has_waiters() && (output.free_at & held) == 0) announce_release(output_index, output.free_at);
  output.set_waiting(output.waiting() | std::uint64_t{1} << input);
  Circuit& circuit = circuits_[id];
  circuits_.aside(id).waiting_since = now;
  circuit.wait_for(number < dim_);
  waited_for_.push_back(output_index);
  if (observer_ != nullptr) observer_->waits(id, circuit, router_of(output_index), number, now);
}

/// All requests of the edge are known: what was granted stays granted.
void EventFabric::settle(EventWheel<Request>::Chunk* const chunks, Cycles now) {
  const auto for_links = [this, chunks](const auto& action) {
    for (auto* chunk = chunks; chunk != nullptr; chunk = chunk->next) {
      for (Request& next : std::span(chunk->events).first(chunk->count)) action(next);
    }
    for (Request& next : passed_on_) action(next);
  };
  if (std::exchange(outdone_, false)) {
    for_links([this](Request& next) {
      const std::size_t link = crossed(next);
      if (outputs_[link].owner != next.circuit()) {
        next = after_link(router_of(link), output_of(link), outputs_[link].owner);
      }
    });
  }
  for (const std::size_t at : waited_for_) {
    Output& output = outputs_[at];
    const auto waiters = static_cast<unsigned>(std::popcount(output.waiting()));
    if (waiters > output.most_waiters) output.most_waiters = static_cast<std::uint8_t>(waiters & 0x7F);
  }
  waited_for_.clear();
  for (const std::size_t at : served_) {
    if (!outputs_[at].had_waited) continue;
    const CircuitId owner = outputs_[at].owner;
    const Cycles waited = now - circuits_.aside(owner).waiting_since;
    if (blocked_.empty()) blocked_.resize(outputs_.size());
    blocked_[at] += waited;
    client_.blocked(circuits_[owner], output_of(at) < dim_, waited);
  }
  if (wormhole_ || observer_ != nullptr) {
    for_links([this, now](const Request& next) { tell_granted(crossed(next), now); });
    for (const Ejecting& ejecting : ejecting_) tell_granted(ejecting.output_index, now);
  }
  for (const std::size_t at : served_) outputs_[at].had_waited = false;
  served_.clear();
  for (auto* chunk = chunks; chunk != nullptr;) chunk = requests_.refile(now + hop_, chunk);
  for (const Request& next : passed_on_) requests_.push(now + hop_, next);
  passed_on_.clear();
  if (!ejecting_.empty()) accept_arrived(now);
  ejecting_.clear();
}

/// What a circuit needs is fetched while others before it are accepted, in three steps, for each tells where the next
/// thing is: several circuits wait for memory at once, not one after the other.
void EventFabric::accept_arrived(Cycles now) {
  constexpr std::size_t apart = 4;
  const auto fetch = [&](std::size_t i) {
    if (large_) fetch_to_write(&outputs_[ejecting_[i].output_index]);
    circuits_.fetch(ejecting_[i].first);
  };
  const auto probe_comes = [&](std::size_t i) {
    const Circuit& circuit = circuits_[ejecting_[i].first];
    if (large_) fetch_path(circuit);
    client_.probe_comes(circuit);
  };
  const auto probe_is_near = [&](std::size_t i) { client_.probe_is_near(circuits_[ejecting_[i].first]); };
  const auto accept_one = [&](std::size_t i) {
    const std::size_t at = ejecting_[i].output_index;
    const CircuitId id = outputs_[at].owner;
    circuits_[id].eject_port = static_cast<std::uint8_t>(output_of(at) - dim_);
    if (accepts_at_once_) {
      EventFabric::accept(id, now + 1);
    } else {
      client_.probe_arrived(id, now + 1);
    }
  };
  const std::size_t count = ejecting_.size();
  std::size_t fetched = 0;
  std::size_t told_coming = 0;
  std::size_t told_near = 0;
  std::size_t accepted = 0;
  while (fetched < std::min(count, 3 * apart)) fetch(fetched++);
  while (told_coming < std::min(count, 2 * apart)) probe_comes(told_coming++);
  while (told_near < std::min(count, apart)) probe_is_near(told_near++);
  while (fetched < count) {
    fetch(fetched++);
    probe_comes(told_coming++);
    probe_is_near(told_near++);
    accept_one(accepted++);
  }
  while (told_coming < count) probe_comes(told_coming++);
  while (told_near < count) probe_is_near(told_near++);
  while (accepted < count) accept_one(accepted++);
}

void EventFabric::tell_granted(std::size_t output_index, Cycles now) {
  const Output& output = outputs_[output_index];
  const NodeId router = router_of(output_index);
  Circuit& circuit = circuits_[output.owner];
  if (output_of(output_index) >= dim_) circuit.eject_port = static_cast<std::uint8_t>(output_of(output_index) - dim_);
  if (observer_ != nullptr) {
    observer_->granted(output.owner, circuit, router, output_of(output_index),
                       output.had_waited ? circuits_.aside(output.owner).waiting_since : now, now);
  }
  if (wormhole_) probe_moved(output.owner, 1 + hops(circuit.source, router), now);
}

CircuitId EventFabric::circuit_at(NodeId router, unsigned input) const {
  // A probe waits at an input; the link into that input belongs to its circuit.
  if (input < dim_) return outputs_[index(input, neighbour(router, input))].owner;
  return injecting_[(static_cast<std::size_t>(input - dim_) << dim_) + router];
}

void EventFabric::announce_release(std::size_t output_index, Cycles at) {
  releases_.push(at, {router_of(output_index), output_of(output_index)});
}

void EventFabric::accept(CircuitId id, Cycles at) {
  if (wormhole_) return accept_worm(id, at);
  const Circuit& circuit = circuits_[id];
  const NodeId source = circuit.source;
  const NodeId destination = circuit.destination;
  const Bytes bytes = circuit.bytes;
  const unsigned hop_count = hops(source, destination);
  CircuitEdges edges;
  edges.acknowledge = at + machine_.network.accept_cycles - 1;
  edges.data = at + machine_.network.accept_cycles + hop_count + 1;
  if (machine_.network.distance == Distance::fixed) {
    const Cycles padded = circuit.probe + machine_.network.setup_cycles - hop_count - 3;
    if (padded > edges.data) edges.data = padded;
  }
  if (bytes != last_bytes_) {  // two divisions, for lengths that seldom change
    last_bytes_ = bytes;
    last_data_cycles_ = phit_cycles_.floor_of(machine_.phits(bytes) - 1);
  }
  edges.tail = edges.data + last_data_cycles_;
  edges.sender_ready = edges.tail + 1;
  edges.receiver_ready = edges.tail + hop_count + 3;
  const Cycles first_phit = edges.receiver_ready - last_data_cycles_;

  // In registers: what is written to outputs could be these members as far as the compiler knows.
  const unsigned dim = dim_;
  Output* const outputs = outputs_.data();
  const bool short_hold = ((edges.tail + 2 - circuit.probe) | bytes) >> count_bits == 0;
  const auto release_output = [&](std::size_t output_index, Cycles free_at) {
    // What is rare: somebody waits, or a count outgrows its 31 bits.
    if (!short_hold || !outputs[output_index].free_from(free_at, static_cast<std::uint32_t>(bytes))) [[unlikely]]
      free_from(output_index, free_at, bytes);
  };
  Cycles free_at = edges.tail + 2;
  for (Route route(source, destination); !route.arrived(); route.advance(), ++free_at) {
    release_output((std::size_t{route.next().dimension} << dim) + route.at(), free_at);
  }
  release_output(((std::size_t{dim} + circuit.eject_port) << dim) + destination, free_at);
  if (observer_ != nullptr) [[unlikely]]
    tell_established(id, edges, first_phit);
  if (exclusive_) {
    client_.moving(destination, first_phit - 1, edges.receiver_ready);
    client_.moving(source, edges.data, edges.sender_ready);
  }
  client_.established(id, edges, first_phit);
}

void EventFabric::tell_established(CircuitId id, const CircuitEdges& edges, Cycles first_phit) const {
  const Circuit& circuit = circuits_[id];
  Cycles free_at = edges.tail + 2;
  for (Route route(circuit.source, circuit.destination); !route.arrived(); route.advance(), ++free_at) {
    observer_->released(id, circuit, route.next().node, route.next().dimension, free_at);
  }
  observer_->released(id, circuit, circuit.destination, dim_ + circuit.eject_port, free_at);
  observer_->phits_leave(id, circuit, edges.data);
  observer_->phits_arrive(id, circuit, first_phit);
  observer_->established(id, circuit, edges);
}

void EventFabric::carry(std::size_t output_index, std::uint64_t busy, std::uint64_t bytes) {
  if (carries_.empty()) carries_.resize(outputs_.size());
  carries_[output_index].busy += busy;
  carries_[output_index].bytes += bytes;
}

LinkStatistics EventFabric::statistics(LinkId link) const {
  const std::size_t at = index(link.dimension, link.node);
  LinkStatistics result{.circuits = outputs_[at].circuits,
                        .most_waiters = outputs_[at].most_waiters,
                        .bytes = outputs_[at].bytes_low(),
                        .busy = outputs_[at].busy_low()};
  if (!carries_.empty()) {
    result.bytes += carries_[at].bytes << count_bits;
    result.busy += carries_[at].busy << count_bits;
  }
  if (!blocked_.empty()) result.blocked = blocked_[at];
  return result;
}

std::vector<WaitingCircuit> EventFabric::waiting() const {
  std::vector<WaitingCircuit> result;
  for (unsigned number = 0; number < inputs_; ++number) {
    for (NodeId router = 0; router < NodeId{1} << dim_; ++router) {
      const Output& output = outputs_[index(number, router)];
      for (std::uint64_t waiting = output.waiting(); waiting != 0; waiting &= waiting - 1) {
        const CircuitId id = circuit_at(router, static_cast<unsigned>(std::countr_zero(waiting)));
        result.push_back({.waiting = circuits_[id], .router = router, .output = number});
        if (output.owner == no_circuit) continue;
        result.back().held = true;
        result.back().holder = circuits_[output.owner];
      }
    }
  }
  return result;
}

std::size_t EventFabric::memory_bytes() const {
  return outputs_.capacity() * sizeof(Output) + carries_.capacity() * sizeof(Carries) +
         blocked_.capacity() * sizeof(Cycles) + injecting_.capacity() * sizeof(CircuitId) +
         worms_.capacity() * sizeof(Worm);
}

}  // namespace ecube
