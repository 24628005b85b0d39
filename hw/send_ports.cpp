// SPDX-License-Identifier: Apache-2.0
// From what a program asks for to the probe that leaves: rendezvous, ports and engines.
#include <algorithm>
#include <tuple>
#include <utility>

#include "hw/network_interface.h"
#include "models/operations.h"

namespace ecube {

namespace {

/// Two exchanges whose contents only change places.
bool swap_in_place(const Operation& a, const Operation& b) {
  const auto in_place = [](const Operation& exchange) {
    return exchange.kind == OperationKind::exchange && exchange.bytes > 0 && !exchange.outgoing.empty() &&
           exchange.outgoing.base == exchange.incoming.base;
  };
  return in_place(a) && in_place(b) && same_layout(a.outgoing, b.outgoing);
}

}  // namespace

// --- A circuit of its own, from the last step to the first: what is short is inlined -------------------------------

/// The receive of a message is looked for when its circuit is accepted, some hundred events from now. Where it is and
/// where it wants the contents is fetched into the cache meanwhile, one after the other while further circuits are
/// launched: each tells where the next one is.
void NetworkInterfaces::fetch_coming(const Operation& send) {
  fetch_to_write(&nodes_[send.peer]);
  constexpr std::size_t apart = std::tuple_size_v<decltype(coming_)> / 2;
  const Coming newest{send.node, send.peer, send.type, !send.outgoing.empty()};
  const Coming before = std::exchange(coming_[launched_ % (2 * apart)], newest);
  const Coming& between = coming_[(launched_ + apart) % (2 * apart)];
  ++launched_;
  if (const Operation* const receive = nodes_[between.destination].receives.head; receive != nullptr) {
    fetch_receive(*receive);
  }
  if (!before.carries) return;
  const Operation* const receive = nodes_[before.destination].receives.head;
  if (receive == nullptr || !takes(*receive, before.source, before.type)) return;
  const Region to = receive->incoming_from != nullptr
                        ? receive->incoming_from(receive->context, receive->node, before.source)
                        : receive->incoming;
  fetch_to_write(to.base);
}

void NetworkInterfaces::launch(CircuitId id) {
  Circuit& circuit = circuits_[id];
  const Cycles length = startup(circuit) + jitter(circuit.source);
  circuit.probe = queued_ ? processors_.serve(circuit.source, now_, length) : now_ + length;
  send_ports_[port_number(circuit.inject_port, circuit.source)].free_at = never;
  if (const Operation* const send = circuit.operation; send != nullptr) {
    if (!send->outgoing.empty()) fetch_to_read(send->outgoing.base);
    if (circuit.receiver == nullptr) fetch_coming(*send);
  }
  fabric_.inject(id);
}

inline void NetworkInterfaces::begin_send(Operation& operation, unsigned port) {
  if (stores_) return begin_message(operation, port);
  const CircuitKind kind = first_kind(operation);
  if (is_control(kind)) set_current(port_number(port, operation.node), &operation);
  const CircuitId id = make_circuit(kind, operation);
  circuits_[id].inject_port = static_cast<std::uint8_t>(port);
  launch(id);
}

/// Sends wait in order of issue, by edge and then as their program asked: those of one edge come in any order, as other
/// nodes' events may submit for this one.
inline void NetworkInterfaces::queue_send(Sends& queue, Operation& operation) const {
  const auto before = [&](const Operation& queued) {
    return queued.posted_at < now_ || queued.issue < operation.issue;
  };
  if (queue.head == nullptr || before(*queue.tail)) {
    queue.append(operation);
    return;
  }
  Operation** place = &queue.head;
  while (before(**place)) place = &(*place)->next_send;
  operation.next_send = *place;
  *place = &operation;
}

inline void NetworkInterfaces::enter_port(Operation& operation) {
  if (shared_engines_) {
    queue_send(engine_queues_[operation.node], operation);
    serve_engines(operation.node);
    return;
  }
  const unsigned port = inject_port(operation, ports_);
  const std::size_t number = port_number(port, operation.node);
  if (!send_ports_[number].queued && send_ports_[number].free_at <= now_) {
    begin_send(operation, port);
    return;
  }
  queue_send(port_queues_[number].sends, operation);
  queue_changed(number);
  announce_port(number);
}

/// Puts a send into its port's queue; the port is served when all of this edge have asked.
void NetworkInterfaces::ask_port(Operation& operation) {
  const std::size_t number = port_number(inject_port(operation, ports_), operation.node);
  asked_.push_back({number, &operation});
  send_ports_[number].queued = true;
  queue_send(port_queues_[number].sends, operation);
}

void NetworkInterfaces::serve_asked() {
  // The ports and sends of all nodes do not fit into the cache: they are on their way while others are served.
  constexpr std::size_t ahead = 8;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (i + ahead < asked_.size()) {
      const Asked& next = asked_[i + ahead];
      fetch_to_write(&send_ports_[next.port]);
      fetch_to_write(&port_queues_[next.port]);
      fetch_send(*next.send);
    }
    if (send_ports_[asked_[i].port].free_at <= now_) {
      serve_port(asked_[i].port);
    } else {
      announce_port(asked_[i].port);
    }
  }
  asked_.clear();
}

inline void NetworkInterfaces::submit(Operation& operation) {
  operation.posted_at = now_;
  if (observer_ != nullptr) [[unlikely]]
    observer_->begins(operation, now_);
  if (independent_ && operation.kind != OperationKind::compute) {
    ask_port(operation);
  } else if (counts_[operation.node].unfinished != 1 || protocol_) {
    // Other nodes' events may submit for this one in any order; its own sends are served in order of issue.
    Node& node = nodes_[operation.node];
    Operation** place = &node.submitted;
    if (*place == nullptr) {
      submitting_.push_back(operation.node);
    } else if (node.submitted_last->issue < operation.issue) {
      place = &node.submitted_last->next_send;
    } else {
      while ((*place)->issue < operation.issue) place = &(*place)->next_send;
    }
    operation.next_send = *place;
    *place = &operation;
    if (operation.next_send == nullptr) node.submitted_last = &operation;
  } else if (operation.kind == OperationKind::compute) {
    begin_compute(operation);
  } else {
    enter_port(operation);
  }
}

// --- What programs ask for -----------------------------------------------------------------------------------------

/// One of two partners of a rendezvous: what they send is submitted when both have asked.
inline void NetworkInterfaces::meet(NodeId node, Operation& operation) {
  Operation* before = nullptr;
  Operation*& waiting = rendezvous(operation.peer, node);
  for (Operation* other = waiting; other != nullptr; before = other, other = other->next) {
    if (!are_partners(*other, operation)) continue;
    (before == nullptr ? waiting : before->next) = other->next;
    other->partner = &operation;
    operation.partner = other;
    other->swaps = operation.swaps = swap_in_place(*other, operation);
    other->ready_at = now_;
    if (other->kind != OperationKind::receive) submit(*other);
    if (operation.kind != OperationKind::receive) submit(operation);
    return;
  }
  operation.next = nullptr;
  Operation** end = &rendezvous(node, operation.peer);
  while (*end != nullptr) end = &(*end)->next;
  *end = &operation;
}

/// Meetings are looked at after some more programs have asked, so that what they look at, all over the machine, can be
/// fetched meanwhile.
inline void NetworkInterfaces::ask_to_meet(NodeId node, Operation& operation) {
  issue(node, operation, operation.kind == OperationKind::exchange ? 2 : 1);
  if (!operation.outgoing.empty()) exchanges_contents_ = true;
  fetch_to_write(&rendezvous(operation.peer, node));
  meeting_.push_back(&operation);
}

void NetworkInterfaces::serve_meeting() {
  constexpr std::size_t ahead = 14;
  const auto fetch = [this](const Operation& operation) {
    const Operation* const other = rendezvous(operation.peer, operation.node);
    if (other == nullptr) return;
    fetch_send(*other);
    fetch_to_write(&counts_[operation.peer]);
    fetch_to_write(&send_ports_[port_number(inject_port(*other, ports_), operation.peer)]);
    fetch_to_write(&send_ports_[port_number(inject_port(operation, ports_), operation.node)]);
  };
  const std::size_t count = meeting_.size();
  for (std::size_t i = 0; i < std::min(ahead, count); ++i) fetch(*meeting_[i]);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + ahead < count) fetch(*meeting_[i + ahead]);
    meet(meeting_[i]->node, *meeting_[i]);
  }
  meeting_.clear();
}

void NetworkInterfaces::start_send(NodeId node, Operation& operation) {
  if (meets(operation)) return ask_to_meet(node, operation);
  issue(node, operation, 1);
  submit(operation);
}

void NetworkInterfaces::start_receive(NodeId node, Operation& operation) {
  if (meets(operation)) return ask_to_meet(node, operation);
  if (operation.kind == OperationKind::receive_each) {
    operation.peer = node;
    issue(node, operation, operation.sources.size() - 1);
    if (operation.parts == 0) {
      operation.parts = 1;
      finish_part(operation, now_);
      return;
    }
  } else {
    issue(node, operation, 1);
  }
  match_arrived(operation);
}

void NetworkInterfaces::start_compute(NodeId node, Operation& operation) {
  issue(node, operation, 1);
  if (operation.work == Work::until) {
    finish_part(operation, std::max(now_, Cycles{operation.amount}));
    return;
  }
  submit(operation);
}

void NetworkInterfaces::start_exchange(NodeId node, Operation& operation) {
  if (meets(operation)) return ask_to_meet(node, operation);
  issue(node, operation, 2);
  operation.synchronisations = 0;
  match_arrived(operation);
  if (first_kind(operation) == CircuitKind::synchronisation) expect_synchronisation(operation);
  submit(operation);
}

// --- Operations that had to wait for others of their edge, for their port or for an engine ---------------------------

void NetworkInterfaces::serve_submitted() {
  for (const NodeId node : submitting_) {
    Operation* operation = std::exchange(nodes_[node].submitted, nullptr);
    while (operation != nullptr) {
      Operation* const next = operation->next_send;
      if (operation->kind == OperationKind::compute) {
        begin_compute(*operation);
      } else {
        enter_port(*operation);
      }
      operation = next;
    }
  }
  submitting_.clear();
}

/// The same invariant as for links: one event at free_at if it is known, lies ahead and somebody waits.
void NetworkInterfaces::announce_port(std::size_t number) {
  const Cycles free_at = send_ports_[number].free_at;
  Cycles& announced = port_queues_[number].announced;
  if (free_at == never || free_at < now_ || announced == free_at) return;
  announced = free_at;
  push(free_at, Kind::port_free, number);
}

void NetworkInterfaces::serve_port(std::size_t number) {
  if (send_ports_[number].free_at > now_) return;
  PortQueue& queue = port_queues_[number];
  if (!queue.ready.empty()) {
    const CircuitId id = queue.ready.take_first(circuits_);
    queue_changed(number);
    launch(id);
  } else if (queue.current == nullptr && queue.sends.head != nullptr) {
    Operation& operation = *queue.sends.head;
    queue.sends.remove(nullptr, operation);
    queue_changed(number);
    begin_send(operation, static_cast<unsigned>(number & ((std::size_t{1} << port_bits_) - 1)));
  }
}

void NetworkInterfaces::serve_engines(NodeId node) {
  const std::uint32_t engines = machine_.node.ports.engines;
  const auto idle = [&](unsigned port) { return send_ports_[port_number(port, node)].free_at <= now_; };
  while (nodes_[node].sending < engines) {
    CircuitList* first = nullptr;
    for (unsigned port = 0; port < ports_; ++port) {
      CircuitList& ready = port_queues_[port_number(port, node)].ready;
      if (ready.empty() || !idle(port)) continue;
      if (first == nullptr || circuits_[ready.head].probe < circuits_[first->head].probe) first = &ready;
    }
    if (first == nullptr) break;
    ++nodes_[node].sending;
    const CircuitId id = first->take_first(circuits_);
    queue_changed(port_number(circuits_[id].inject_port, node));
    launch(id);
  }
  Sends& queue = engine_queues_[node];
  Operation* before = nullptr;
  for (Operation* operation = queue.head; operation != nullptr && nodes_[node].sending < engines;) {
    Operation* const next = operation->next_send;
    const unsigned port = inject_port(*operation, ports_);
    if (idle(port) && !send_ports_[port_number(port, node)].queued) {
      queue.remove(before, *operation);
      ++nodes_[node].sending;
      begin_send(*operation, port);
    } else {
      before = operation;
    }
    operation = next;
  }
}

void NetworkInterfaces::serve_freed_ports() {
  // Ports that become free at one edge are served in the order in which what waits for them was issued; circuits of
  // sends under way go first.
  const auto order = [this](std::uint64_t number) {
    const PortQueue& queue = port_queues_[number];
    const auto node = static_cast<NodeId>(number >> port_bits_);
    if (!queue.ready.empty()) return std::tuple(node, 0U, circuits_[queue.ready.head].probe, 0U);
    if (shared_engines_ || queue.sends.head == nullptr) return std::tuple(node, 1U, Cycles{0}, 0U);
    return std::tuple(node, 1U, queue.sends.head->posted_at, queue.sends.head->issue);
  };
  std::sort(freed_.begin(), freed_.end(), [&](std::uint64_t a, std::uint64_t b) { return order(a) < order(b); });
  for (const std::uint64_t number : freed_) {
    if (shared_engines_) {
      // An engine has become free with each port; who gets it is decided by the node's one queue, in order of issue.
      const auto node = static_cast<NodeId>(number >> port_bits_);
      --nodes_[node].sending;
      serve_engines(node);
    } else {
      serve_port(number);
    }
  }
  freed_.clear();
}

}  // namespace ecube
