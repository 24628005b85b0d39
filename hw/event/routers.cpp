// SPDX-License-Identifier: Apache-2.0
// Requests, arbitration and releases of one edge.
#include "hw/event/routers.h"

#include <bit>
#include <utility>

#include "hw/event/fetch_ahead.h"
#include "hw/event/worms.h"

namespace ecube::event {

void Routers::reset(const Machine& machine, const Topology& topology, bool products) {
  const unsigned ports = machine.node.ports.physical(topology.outputs());
  products_ = products;
  one_port_ = ports == 1;
  hop_ = 1 + machine.router.route_cycles;
  worms_ = nullptr;
  events_ = 0;
  requests_.reset();
  releases_.reset();
  outputs_.reset(topology, ports);
  injecting_.assign(static_cast<std::size_t>(ports) << topology.label_bits(), no_circuit);
  // At an edge each eject port is granted once at most. A vector that grew by doubling would leave its former ones
  // behind.
  ejecting_.reserve(injecting_.size() + Requests::capacity);
  ejected_ = 0;
  served_.clear();
  waited_for_.clear();
  passed_on_.clear();
  outdone_ = false;
  stopped_links_ = 0;
}

/// Rule 2.2: the next request of a circuit that was granted the link of `router`.
inline Routers::Request Routers::after_link(NodeId router, unsigned output, CircuitId id) const {
  const NodeId next = topology().neighbour(router, output);
  const NodeId destination = circuits_[id].destination;
  return {next, id, products_ ? destination : next ^ destination, output};
}

inline CircuitId Routers::circuit_at(NodeId router, unsigned input) const {
  // A probe waits at an input; the link into that input belongs to its circuit.
  if (outputs_.is_link(input)) return outputs_[outputs_.place(input, topology().origin(router, input))].owner;
  return injecting_[outputs_.place(input - outputs_.links(), router)];
}

/// Rule 2.6: grants an output to the first waiting input at or after the pointer.
void Routers::release(Outputs::Place place, Cycles now) {
  Output& output = outputs_[place];
  const NodeId router = outputs_.router_of(place);
  const unsigned input = outputs_.first_waiting(place);
  const CircuitId id = circuit_at(router, input);
  output.take(id, input, now);
  output.had_waited = true;
  outputs_.remove_waiting(place, input);
  served_.push_back(place);
  const unsigned number = outputs_.number_of(place);
  if (outputs_.is_link(number)) {
    passed_on_.push_back(after_link(router, number, id));
  } else {
    if (ejecting_.size() == ejected_) ejecting_.emplace_back();
    ejecting_[ejected_++] = {&output, id};
  }
}

/// Grants the outputs that the probes of a chunk ask for, where they are free. For circuits that were granted links,
/// the chunk then holds their next requests in place of the old ones. hop_of(request) is the output that it asks for,
/// left(request) is 0 where that is an eject port, and next(request, hop) follows a link.
template <bool large>
[[gnu::always_inline]] inline void Routers::grant_each(Requests& requests, Cycles now, const auto& hop_of,
                                                       const auto& left, const auto& next) {
  // Copies in registers: to the compiler, the writes below may alias these members.
  const std::size_t count = requests.count;
  Output* const* const rows = outputs_.rows();
  const auto output_for = [&](const Request& request, const Topology::Hop& hop) {
    return rows[hop.output] + request.router();
  };
  const auto fetch = [&](const Request& request) { fetch_to_write(output_for(request, hop_of(request))); };
  if (ejecting_.size() < ejected_ + count) ejecting_.resize(ejected_ + Requests::capacity);
  Ejecting* const ejecting_before = ejecting_.data() + ejected_;
  Ejecting* ejecting = ejecting_before;
  Request* const all = requests.events.data();
  const Request* const end = all + count;
  Request* onward = all;
  for (const Request* at = all; at != end; ++at) {
    if constexpr (large) fetch_request_ahead(all, static_cast<std::size_t>(at - all), count, requests.next, fetch);
    const Request request = *at;
    const Topology::Hop hop = hop_of(request);
    Output* const output = output_for(request, hop);
    if (output->free_at > now) {
      compete(outputs_.place_of(*output), request.circuit(), request.input(), now);
      continue;
    }
    output->take(request.circuit(), request.input(), now);
    // Branch-free: both results are written and one is kept, because eject or onward is unpredictable. Arithmetic keeps
    // the compiler from making a branch of it.
    const std::uint64_t goes_on = (left(request) + std::uint64_t{0xFFFFFFFF}) >> 32;
    *onward = next(request, hop);
    *ejecting = {output, request.circuit()};
    onward += goes_on;
    ejecting = ejecting + 1 - goes_on;
  }
  events_ += count;
  requests.count = static_cast<std::uint64_t>(onward - all);
  ejected_ += static_cast<std::size_t>(ejecting - ejecting_before);
}

/// Rules 2.2, 3.1 and 10.3 in the binary cube.
template <bool large, bool one_port>
void Routers::grant(Requests& requests, Cycles now) {
  const unsigned dim = outputs_.links();
  const NodeId no_dimension = NodeId{1} << dim;
  const auto left = [](const Request& request) { return request.remaining(); };
  const auto hop_of = [&](const Request& request) -> Topology::Hop {
    // The lowest dimension left to travel, or dim.
    const auto dimension = static_cast<unsigned>(std::countr_zero(request.remaining() | no_dimension));
    if (one_port || request.remaining() != 0) return {dimension, 0};
    return {dim + (request.input() < dim ? request.input() : request.input() - dim), 0};
  };
  grant_each<large>(requests, now, hop_of, left, [&](const Request& request, const Topology::Hop& hop) {
    const NodeId bits = request.remaining() | no_dimension;
    return request.onward(hop.output, bits & (~bits + 1));
  });
}

/// Rule 1.2: where the topology says which output comes next. `jumps`: by Topology::jump(), to the only eject port.
template <bool large, bool jumps>
void Routers::grant_on_product(Requests& requests, Cycles now) {
  const unsigned links = outputs_.links();
  const Topology& network = topology();
  const auto left = [](const Request& request) { return request.router() ^ request.destination(); };
  const auto hop_of = [&](const Request& request) -> Topology::Hop {
    if constexpr (jumps) return network.jump(request.router(), request.destination());
    const auto number = [&] { return request.input() < links ? request.input() : request.input() - links; };
    if (left(request) == 0) return {links + (one_port_ ? 0 : number()), request.router()};
    if (!network.port_decides()) [[likely]]
      return network.next(request.router(), request.destination());
    return network.next(request.router(), request.destination(), number());
  };
  grant_each<large>(requests, now, hop_of, left, [](const Request& request, const Topology::Hop& hop) {
    return request.across(hop.output, hop.to);
  });
}

/// Rule 2.3: a request for an output that is taken, at this edge or before.
void Routers::compete(Outputs::Place place, CircuitId circuit, unsigned input, Cycles now) {
  Output& output = outputs_[place];
  const unsigned owner_input = output.owner_input();
  if (!output.was_granted_at(now) || rank(input, output.pointer_before) > rank(owner_input, output.pointer_before)) {
    wait(place, circuit, input, now);
    return;
  }
  const CircuitId outdone = output.owner;
  output.owner = circuit;
  output.pointer = static_cast<std::uint8_t>(input + 1);
  if (outputs_.is_link(outputs_.number_of(place))) outdone_ = true;
  if (output.had_waited) {
    output.had_waited = false;
    outputs_.add_waiting(place, owner_input);
  } else {
    wait(place, outdone, owner_input, now);
  }
}

void Routers::wait(Outputs::Place place, CircuitId id, unsigned input, Cycles now) {
  Output& output = outputs_[place];
  const unsigned number = outputs_.number_of(place);
  // The invariant of lazy release: one release event at free_at if and only if free_at is known, lies ahead and an
  // input waits. Here free_at was known before the first input waited; in free_from() an input waited before free_at
  // was known.
  if (!output.has_waiters() && !output.is_held()) announce_release(place, output.free_at);
  outputs_.add_waiting(place, input);
  Circuit& circuit = circuits_[id];
  circuits_.aside(id).waiting_since = now;
  circuit.wait_for(outputs_.is_link(number));
  waited_for_.push_back(place);
  if (observer_ != nullptr) observer_->waits(id, circuit, outputs_.router_of(place), number, now);
}

/// Calls action(next request) for every circuit that was granted a link at this edge.
void Routers::for_links(Requests* granted, const auto& action) {
  EventWheel<Request>::for_each(granted, action);
  for (Request& next : passed_on_) action(next);
}

/// Circuits that had lost a grant are looked for, and waits that have ended are counted.
void Routers::settle_waits(Requests* granted, Cycles now) {
  if (std::exchange(outdone_, false)) {
    for_links(granted, [this](Request& next) {
      const LinkId link = crossed(next);
      const CircuitId owner = outputs_[place_of(link)].owner;
      if (owner != next.circuit()) next = after_link(link.node, link.output, owner);
    });
  }
  for (const Outputs::Place place : waited_for_) {
    Output& output = outputs_[place];
    const unsigned waiters = outputs_.waiting_inputs(place);
    if (waiters > output.most_waiters) output.most_waiters = static_cast<std::uint8_t>(waiters & 0x7F);
  }
  waited_for_.clear();
  for (const Outputs::Place place : served_) {
    if (!outputs_[place].had_waited) continue;
    const CircuitId owner = outputs_[place].owner;
    const Cycles waited = now - circuits_.aside(owner).waiting_since;
    outputs_.count_wait(place, waited);
    statistics_.waited(circuits_[owner], outputs_.is_link(outputs_.number_of(place)), waited);
  }
}

/// Rule 3.1: probes that were granted links ask at their next routers.
inline void Routers::pass_on(Requests* granted, Cycles now) {
  for (Requests* chunk = granted; chunk != nullptr;) chunk = requests_.refile(now + hop_, chunk);
  if (passed_on_.empty()) return;
  for (const Request& next : passed_on_) requests_.push(now + hop_, next);
  passed_on_.clear();
}

/// Rule 10.3.
inline void Routers::tell_granted(const Output& output, NodeId router, unsigned number, Cycles now) {
  const Circuit& circuit = circuits_[output.owner];
  if (observer_ != nullptr) {
    observer_->granted(output.owner, circuit, router, number,
                       output.had_waited ? circuits_.aside(output.owner).waiting_since : now, now);
  }
  if (worms_ != nullptr) worms_->probe_left(output.owner, topology().hops(circuit.source, router), now);
}

/// For those who follow single circuits: tells the grants of the edge, and loses probes on dead links.
void Routers::tell_all_granted(Requests* granted, Cycles now) {
  if (worms_ != nullptr || observer_ != nullptr) {
    for_links(granted, [this, now](const Request& next) {
      const LinkId link = crossed(next);
      tell_granted(outputs_[place_of(link)], link.node, link.output, now);
    });
    for (const Ejecting& ejects : ejecting()) {
      const Outputs::Place place = outputs_.place_of(*ejects.port);
      const unsigned number = outputs_.number_of(place);
      circuits_[ejects.port->owner].eject_port = static_cast<std::uint8_t>(number - outputs_.links());
      tell_granted(*ejects.port, outputs_.router_of(place), number, now);
    }
  }
  if (worms_ == nullptr && failures_.any()) lose_probes(granted, now);
}

/// Rule 6.5: all requests of the edge are known: grants are final.
inline void Routers::settle(Requests* granted, Cycles now) {
  // Where nobody waits, nobody was displaced, and no output was granted to one that had waited.
  const bool waits = !waited_for_.empty() || !served_.empty();
  if (waits) settle_waits(granted, now);
  if (worms_ != nullptr || observer_ != nullptr || failures_.any()) tell_all_granted(granted, now);
  if (waits) {
    for (const Outputs::Place place : served_) outputs_[place].had_waited = false;
    served_.clear();
  }
  pass_on(granted, now);
}

/// Rule 8.1.
void Routers::advance(Cycles now) {
  requests_.advance_to(now);
  releases_.advance_to(now);
  ejected_ = 0;
  if (worms_ != nullptr && failures_.any()) [[unlikely]]
    stop_dead_links(now);
  for (auto* chunk = releases_.take(); chunk != nullptr; chunk = releases_.recycle(chunk)) {
    events_ += chunk->count;
    for (const Outputs::Place place : chunk->filled()) release(place, now);
  }
  Requests* const requests = requests_.take();
  if (requests == nullptr && served_.empty()) return;
  for (Requests* chunk = requests; chunk != nullptr; chunk = chunk->next) {
    if (products_ && one_port_ && topology().jumps()) {
      outputs_.large() ? grant_on_product<true, true>(*chunk, now) : grant_on_product<false, true>(*chunk, now);
    } else if (products_) {
      outputs_.large() ? grant_on_product<true, false>(*chunk, now) : grant_on_product<false, false>(*chunk, now);
    } else if (one_port_) {
      outputs_.large() ? grant<true, true>(*chunk, now) : grant<false, true>(*chunk, now);
    } else {
      outputs_.large() ? grant<true, false>(*chunk, now) : grant<false, false>(*chunk, now);
    }
  }
  settle(requests, now);
}

/// Rules 12.1 and 12.3: a probe that was granted a dead link never asks again.
void Routers::lose_probes(Requests* granted, Cycles now) {
  const auto lost = [&](const Request& next) {
    const LinkId link = crossed(next);
    if (now < failures_.link(link)) return false;
    statistics_.cut(circuits_[next.circuit()], link, CutCircuit::Lost::probe, now);
    return true;
  };
  for (Requests* chunk = granted; chunk != nullptr; chunk = chunk->next) {
    const auto requests = chunk->filled();
    chunk->count =
        static_cast<std::uint64_t>(std::remove_if(requests.begin(), requests.end(), lost) - requests.begin());
  }
  std::erase_if(passed_on_, lost);
}

/// Rule 12.4: a dead link of worms that nobody owns is as if somebody owned it for ever.
void Routers::stop_dead_links(Cycles now) {
  const std::vector<LinkId>& links = failures_.links();
  for (; stopped_links_ < links.size() && failures_.link(links[stopped_links_]) <= now; ++stopped_links_) {
    Output& output = outputs_[place_of(links[stopped_links_])];
    if (output.is_held()) continue;  // for ever: Worms tells no release from the failure's edge on
    output.free_at = Output::held;
    output.owner = no_circuit;
  }
}

std::vector<WaitingCircuit> Routers::waiting() const {
  std::vector<WaitingCircuit> result;
  for (unsigned number = 0; number < outputs_.count(); ++number) {
    for (NodeId router = 0; router < topology().nodes(); ++router) {
      const Outputs::Place place = outputs_.place(number, router);
      const Output& output = outputs_[place];
      if (!output.has_waiters()) continue;
      for (unsigned input = 0; input < outputs_.count(); ++input) {
        if (!outputs_.waits(place, input)) continue;
        const CircuitId id = circuit_at(router, input);
        result.push_back({.waiting = circuits_[id], .router = router, .output = number});
        if (output.owner == no_circuit) continue;
        result.back().held = true;
        result.back().holder = circuits_[output.owner];
      }
    }
  }
  return result;
}

}  // namespace ecube::event
