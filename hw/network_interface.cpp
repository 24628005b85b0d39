// SPDX-License-Identifier: Apache-2.0
// Ports, engines, start-ups and the order of work within a cycle.
#include "hw/network_interface.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "models/operations.h"

namespace ecube {

void NetworkInterfaces::reset(const Machine& machine, unsigned dim, const RunConditions& conditions, Fabric& fabric) {
  fabric_ = &fabric;
  machine_ = machine;
  conditions_ = conditions;
  const Machine::Library& library = machine.library;
  paths_ = {.send = machine.from_core(library.send_cycles),
            .send_zero = machine.from_core(library.send_zero_cycles),
            .receive = machine.from_core(library.receive_cycles),
            .receive_zero = machine.from_core(library.receive_zero_cycles),
            .control_send = machine.from_core(library.control_send_cycles),
            .control_receive = machine.from_core(library.control_receive_cycles),
            .signal_send = machine.from_core(library.signal_send_cycles),
            .signal_receive = machine.from_core(library.signal_receive_cycles),
            .forward = machine.from_core(library.forward_cycles)};
  dim_ = dim;
  ports_ = machine.node.ports.physical(dim);
  shared_engines_ = machine.node.ports.shared(dim);
  queued_ = machine.node.startups == Startups::queued;
  protocol_ = library.protocol != Protocol::none;
  independent_ = ports_ > 1 && !shared_engines_ && !queued_ && !protocol_ && conditions.jitter == 0;
  stores_ = machine.network.switching == Switching::store_and_forward;
  arrival_events_ = protocol_ || stores_ ||
                    (queued_ && (paths_.receive != 0 || paths_.receive_zero != 0 || paths_.signal_receive != 0));
  now_ = 0;
  wheel_.reset();
  specials_ = 0;
  readied_ = 0;
  const std::size_t nodes = std::size_t{1} << dim;
  nodes_.assign(nodes, Node{});
  libraries_.assign(protocol_ ? nodes : 0, Library{});
  messages_.clear();
  free_message_ = 0;
  stored_.assign(stores_ ? nodes : 0, 0);
  processors_.reset(machine, dim);
  port_bits_ = static_cast<unsigned>(std::bit_width(ports_ - 1));
  send_ports_.assign(nodes << port_bits_, SendPort{});
  rendezvous_.assign(nodes << port_bits_, nullptr);
  engine_queues_.assign(shared_engines_ ? nodes : 0, Sends{});
  receive_engines_.assign(shared_engines_ ? nodes * machine.node.ports.engines : 0, 0);
  probes_.clear();
  submitting_.clear();
  asked_.clear();
  meeting_.clear();
  granting_.clear();
  freed_.clear();
  arrivals_.clear();
  receipts_.clear();
  doubtful_.clear();
  buffers_.reset();
  program_ = nullptr;
  statistics_ = {};
  unfinished_ = static_cast<NodeId>(nodes);
  last_finish_ = 0;
  fault_.clear();
  error_ = nullptr;
}

void NetworkInterfaces::load(Program& program, std::span<NodePort* const> ports) {
  program_ = &program;
  node_ports_.assign(ports.begin(), ports.end());
  for (NodeId node = 0; node < nodes_.size(); ++node) push(jitter(node), Kind::start, node);
}

Cycles NetworkInterfaces::jitter(NodeId node) {
  if (conditions_.jitter == 0) return 0;
  return up_to(draw(conditions_.seed, node, nodes_[node].draws++), conditions_.jitter);
}

void NetworkInterfaces::push(Cycles at, Kind kind, std::uint64_t number) {
  wheel_.push(at, {.number = number, .kind = kind});
  ++specials_;
}

// --- The order of work within a cycle (hw/README.md section 8) -----------------------------------------------------

void NetworkInterfaces::advance(Cycles now) {
  wheel_.advance_to(now);
  if (!probes_.empty()) serve_probes();
  // Programs that continue may complete others within the same cycle, until none can go on.
  for (;;) {
    EventWheel<Event>::Chunk* const head = wheel_.take();
    if (head == nullptr && submitting_.empty() && asked_.empty() && meeting_.empty() && granting_.empty()) break;
    if (head != nullptr) serve_edge(head);
    if (!granting_.empty()) serve_granting();
    if (!submitting_.empty()) serve_submitted();
    if (!meeting_.empty()) serve_meeting();
    if (!asked_.empty()) serve_asked();
  }
  if (!doubtful_.empty()) give_up_doubtful();
}

void NetworkInterfaces::serve_edge(EventWheel<Event>::Chunk* const head) {
  if (specials_ != 0) {
    for (auto* chunk = head; chunk != nullptr; chunk = chunk->next) {
      for (std::uint64_t i = 0; i < chunk->count; ++i) {
        const Event& event = chunk->events[i];
        if (event.kind == Kind::port_free) freed_.push_back(event.number);
        if (event.kind == Kind::arrival) arrivals_.push_back(static_cast<CircuitId>(event.number));
        if (event.kind >= Kind::receipt && event.kind <= Kind::next_packet) receipts_.push_back(event);
        if (event.kind == Kind::departed) {
          stored_[event.number & (nodes_.size() - 1)] -= event.number >> max_simulated_dim;
          --specials_;
        }
      }
    }
    specials_ -= freed_.size() + arrivals_.size() + receipts_.size();
    if (!freed_.empty()) serve_freed_ports();
    if (!arrivals_.empty()) serve_arrivals();
    if (!receipts_.empty()) serve_receipts();
  }
  for (auto* chunk = head; chunk != nullptr; chunk = wheel_.recycle(chunk)) {
    for (std::uint64_t i = 0; i < chunk->count; ++i) {
      const Event& event = chunk->events[i];
      if (event.kind == Kind::resume) {
        constexpr std::uint64_t ahead = 8;
        if (i + ahead < chunk->count) __builtin_prefetch(chunk->events[i + ahead].operation, 1);
        Operation& operation = *event.operation;
        operation.done = true;
        --nodes_[operation.node].outstanding;
        if (observer_ != nullptr) [[unlikely]]
          observer_->completed(operation, now_);
        if (operation.waiter) operation.waiter.resume();
      } else if (event.kind == Kind::start) {
        --specials_;
        if (observer_ != nullptr) observer_->program_starts(static_cast<NodeId>(event.number), now_);
        program_->start(*node_ports_[event.number]);
      } else if (event.kind == Kind::computed) {
        --specials_;
        finish_computation(static_cast<NodeId>(event.number));
      }
    }
  }
}

void NetworkInterfaces::serve_freed_ports() {
  // Ports that become free at one edge are served in the order in which what waits for them was issued; circuits of
  // sends under way go first.
  const auto order = [this](std::uint64_t number) {
    const SendPort& port = send_ports_[number];
    const auto node = static_cast<NodeId>(number >> port_bits_);
    if (!port.ready.empty()) return std::tuple(node, 0U, circuits_[port.ready.head].probe, 0U);
    if (shared_engines_ || port.queue.head == nullptr) return std::tuple(node, 1U, Cycles{0}, 0U);
    return std::tuple(node, 1U, port.queue.head->posted_at, port.queue.head->issue);
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

// --- Sends ---------------------------------------------------------------------------------------------------------

void NetworkInterfaces::issue(NodeId node, Operation& operation, std::uint32_t parts) {
  begin_operation(operation, node, parts, now_, dim_, ports_);
  operation.issue = nodes_[node].issues++;
  ++nodes_[node].outstanding;
  if (observer_ != nullptr) [[unlikely]]
    observer_->issued(operation, now_);
}

void NetworkInterfaces::start_send(NodeId node, Operation& operation) {
  if (meets(operation)) return ask_to_meet(node, operation);
  issue(node, operation, 1);
  submit(operation);
}

void NetworkInterfaces::start_compute(NodeId node, Operation& operation) {
  issue(node, operation, 1);
  if (operation.work == Work::until) {
    finish_part(operation, std::max(now_, Cycles{operation.amount}));
    return;
  }
  submit(operation);
}

void NetworkInterfaces::submit(Operation& operation) {
  operation.posted_at = now_;
  if (observer_ != nullptr) [[unlikely]]
    observer_->begins(operation, now_);
  if (independent_ && operation.kind != OperationKind::compute) {
    ask_port(operation);
  } else if (nodes_[operation.node].outstanding != 1 || protocol_) {
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

/// Puts a send into its port's queue, where those of one edge are in order of issue: other nodes' events may ask for
/// this one's in any order.
void NetworkInterfaces::ask_port(Operation& operation) {
  const std::size_t number = port_number(inject_port(operation, ports_), operation.node);
  Sends& queue = send_ports_[number].queue;
  asked_.push_back({number, &operation});
  if (queue.head == nullptr || queue.tail->posted_at < now_ || queue.tail->issue < operation.issue) {
    queue.append(operation);
    return;
  }
  Operation** place = &queue.head;
  while ((*place)->posted_at < now_ || (*place)->issue < operation.issue) place = &(*place)->next_send;
  operation.next_send = *place;
  *place = &operation;
}

void NetworkInterfaces::serve_asked() {
  // The ports and sends of all nodes do not fit into the cache: they are on their way while others are served.
  constexpr std::size_t ahead = 8;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (i + ahead < asked_.size()) {
      const Asked& next = asked_[i + ahead];
      __builtin_prefetch(&send_ports_[next.port], 1);
      const auto* const lines = reinterpret_cast<const std::byte*>(next.send);
      for (std::size_t line = 0; line < sizeof(Operation); line += 64) __builtin_prefetch(lines + line, 1);
    }
    SendPort& port = send_ports_[asked_[i].port];
    if (port.free_at <= now_) {
      serve_port(asked_[i].port);
    } else {
      announce_port(asked_[i].port);
    }
  }
  asked_.clear();
}

void NetworkInterfaces::enter_port(Operation& operation) {
  if (shared_engines_) {
    engine_queues_[operation.node].append(operation);
    serve_engines(operation.node);
    return;
  }
  const unsigned port = inject_port(operation, ports_);
  const std::size_t number = port_number(port, operation.node);
  SendPort& send_port = send_ports_[number];
  const bool first = send_port.queue.head == nullptr && send_port.ready.empty() && send_port.current == nullptr;
  if (first && send_port.free_at <= now_) {
    begin_send(operation, port);
    return;
  }
  send_port.queue.append(operation);
  announce_port(number);
}

/// The same invariant as for links: one event at free_at if it is known, lies ahead and somebody waits.
void NetworkInterfaces::announce_port(std::size_t number) {
  SendPort& port = send_ports_[number];
  if (port.free_at == never || port.free_at < now_ || port.announced == port.free_at) return;
  port.announced = port.free_at;
  push(port.free_at, Kind::port_free, number);
}

void NetworkInterfaces::serve_port(std::size_t number) {
  SendPort& port = send_ports_[number];
  if (port.free_at > now_) return;
  if (!port.ready.empty()) {
    launch(port.ready.take_first(circuits_));
  } else if (port.current == nullptr && port.queue.head != nullptr) {
    Operation& operation = *port.queue.head;
    port.queue.remove(nullptr, operation);
    begin_send(operation, static_cast<unsigned>(number & ((std::size_t{1} << port_bits_) - 1)));
  }
}

void NetworkInterfaces::serve_engines(NodeId node) {
  const std::uint32_t engines = machine_.node.ports.engines;
  const auto idle = [&](unsigned port) { return send_ports_[port_number(port, node)].free_at <= now_; };
  while (nodes_[node].sending < engines) {
    CircuitList* first = nullptr;
    for (unsigned port = 0; port < ports_; ++port) {
      CircuitList& ready = send_ports_[port_number(port, node)].ready;
      if (ready.empty() || !idle(port)) continue;
      if (first == nullptr || circuits_[ready.head].probe < circuits_[first->head].probe) first = &ready;
    }
    if (first == nullptr) break;
    ++nodes_[node].sending;
    launch(first->take_first(circuits_));
  }
  Sends& queue = engine_queues_[node];
  Operation* before = nullptr;
  for (Operation* operation = queue.head; operation != nullptr && nodes_[node].sending < engines;) {
    Operation* const next = operation->next_send;
    const unsigned port = inject_port(*operation, ports_);
    const SendPort& send_port = send_ports_[port_number(port, node)];
    if (idle(port) && send_port.current == nullptr && send_port.ready.empty()) {
      queue.remove(before, *operation);
      ++nodes_[node].sending;
      begin_send(*operation, port);
    } else {
      before = operation;
    }
    operation = next;
  }
}

void NetworkInterfaces::begin_send(Operation& operation, unsigned port) {
  if (stores_) return begin_message(operation, port);
  const CircuitKind kind = first_kind(operation);
  if (is_control(kind)) send_ports_[port_number(port, operation.node)].current = &operation;
  const CircuitId id = make_circuit(kind, operation);
  circuits_[id].inject_port = static_cast<std::uint8_t>(port);
  launch(id);
}

void NetworkInterfaces::launch(CircuitId id) {
  Circuit& circuit = circuits_[id];
  const Cycles length = startup(circuit) + jitter(circuit.source);
  circuit.probe = queued_ ? processors_.serve(circuit.source, now_, length) : now_ + length;
  send_ports_[port_number(circuit.inject_port, circuit.source)].free_at = never;
  if (circuit.operation != nullptr) prefetch_contents(*circuit.operation);
  fabric_->inject(id);
}

/// The bytes move when the circuit is accepted, some hundred events from now: where they come from and go to is fetched
/// into the cache meanwhile.
void NetworkInterfaces::prefetch_contents(const Operation& send) const {
  if (send.outgoing.empty()) return;
  __builtin_prefetch(send.outgoing.base);
  const Operation* const receive = nodes_[send.peer].receives.head;
  if (receive == nullptr || !takes(*receive, send.node, send.type)) return;
  const Region to =
      receive->incoming_from != nullptr ? receive->incoming_from(receive->context, send.node) : receive->incoming;
  __builtin_prefetch(to.base, 1);
}

void NetworkInterfaces::sent(CircuitId id, Cycles first_phit, Cycles at) {
  Circuit& circuit = circuits_[id];
  const std::size_t number = port_number(circuit.inject_port, circuit.source);
  SendPort& send_port = send_ports_[number];
  send_port.free_at = at;
  send_port.first_phit = first_phit;
  if (processors_.exclusive()) phits_move(circuit.source, first_phit, at);
  if (stores_) {
    packet_sent(id, at);
  } else if (Operation* const operation = circuit.operation; operation != nullptr) {
    if (circuit.kind == CircuitKind::synchronisation) {
      wheel_.push(at, {.operation = operation, .kind = Kind::left});
      ++specials_;
    } else if (circuit.kind != CircuitKind::reservation) {
      if (!circuit.received) stage(circuit);
      send_port.current = nullptr;
      if (observer_ != nullptr) [[unlikely]]
        observer_->left(*operation, at);
      finish_part(*operation, at);
    }
    circuit.operation = nullptr;
  }
  if (shared_engines_) {
    push(at, Kind::port_free, number);
  } else if (send_port.queue.head != nullptr || !send_port.ready.empty()) {
    announce_port(number);
  }
  if (circuit.received) release_circuit(id);
}

void NetworkInterfaces::finish_part(Operation& operation, Cycles at) {
  if (at > operation.ready_at) operation.ready_at = at;
  if (--operation.parts == 0) {
    wheel_.push(operation.ready_at > now_ ? operation.ready_at : now_, {.operation = &operation, .kind = Kind::resume});
  }
}

// --- Computation ---------------------------------------------------------------------------------------------------

void NetworkInterfaces::begin_compute(Operation& operation) {
  Cycles cycles = operation.amount;
  if (operation.work == Work::permute_bytes) cycles = machine_.permute_cycles(operation.amount);
  if (operation.work == Work::copy_bytes) cycles = machine_.copy_cycles(operation.amount);
  if (operation.work == Work::combine_items) cycles = combining_left(operation);
  if (operation.work == Work::calls) cycles = machine_.call_cycles(operation.amount, operation.bytes);
  if (processors_.compute(operation.node, now_, operation, cycles)) announce_end(operation.node);
}

/// Combining that is still to be done when its messages have been received.
Cycles NetworkInterfaces::combining_left(const Operation& operation) const {
  const Cycles all = machine_.combine_cycles(operation.amount, operation.bytes);
  if (machine_.library.combining == Combining::received || operation.since == 0 || operation.amount == 0) return all;
  // The last phit of each message cannot be combined before it has arrived.
  const std::uint64_t item_bytes = operation.bytes / operation.amount;
  const std::uint64_t items = (machine_.link.phit_bytes + item_bytes - 1) / item_bytes * operation.messages;
  const Cycles last = machine_.combine_cycles(items, items * item_bytes);
  const Cycles done = processors_.idle(operation.node, operation.since, now_);
  return std::min(all, std::max(last, all > done ? all - done : 0));
}

/// One event for the end of a node's computation, or none while it waits for phits nobody knows the end of.
void NetworkInterfaces::announce_end(NodeId node) {
  const Cycles end = processors_.next_end(node);
  processors_.suspend(node, end == never);
  if (end != never) push(std::max(now_, end), Kind::computed, node);
}

void NetworkInterfaces::phits_move(NodeId node, Cycles from, Cycles until) {
  processors_.moves(node, now_, from, until);
  if (processors_.suspended(node)) announce_end(node);
}

void NetworkInterfaces::finish_computation(NodeId node) {
  // Library work that came in between has put the end off.
  if (processors_.next_end(node) > now_) {
    announce_end(node);
    return;
  }
  Operation& operation = processors_.finish(node, now_);
  if (processors_.computing(node)) announce_end(node);
  finish_part(operation, now_);
}

void NetworkInterfaces::finished(NodeId node, const std::exception_ptr& error) {
  nodes_[node].finished = true;
  --unfinished_;
  if (now_ > last_finish_) last_finish_ = now_;
  if (observer_ != nullptr) observer_->program_ends(node, now_);
  if (error != nullptr && error_ == nullptr) {
    error_ = error;
    fault_ = escaped(node, error);
  }
}

// --- Acceptance ----------------------------------------------------------------------------------------------------

void NetworkInterfaces::probe_arrived(CircuitId id, Cycles at) {
  if (shared_engines_) {
    probes_.push_back(id);
  } else {
    fabric_->accept(id, accepted_from(circuits_[id], at));
  }
}

Cycles NetworkInterfaces::accepted_from(const Circuit& circuit, Cycles seen) {
  if (machine_.network.duplex == Duplex::full) return seen;
  Cycles from = seen;
  for (unsigned port = 0; port < ports_; ++port) {
    const SendPort& own = send_ports_[port_number(port, circuit.destination)];
    if (own.free_at == never || own.free_at <= seen || own.first_phit + machine_.network.together_cycles >= seen)
      continue;
    from = std::max(from, own.free_at);
  }
  if (from > seen) serialised(from - seen);
  return from;
}

void NetworkInterfaces::serialised(Cycles cycles) {
  ++statistics_.serialised.circuits;
  statistics_.serialised.cycles += cycles;
}

void NetworkInterfaces::serve_probes() {
  std::sort(probes_.begin(), probes_.end(), [this](CircuitId a, CircuitId b) {
    return std::tuple(circuits_[a].destination, circuits_[a].eject_port) <
           std::tuple(circuits_[b].destination, circuits_[b].eject_port);
  });
  const std::uint32_t engines = machine_.node.ports.engines;
  for (const CircuitId id : probes_) {
    Circuit& circuit = circuits_[id];
    const auto first =
        receive_engines_.begin() + static_cast<std::ptrdiff_t>(std::size_t{circuit.destination} * engines);
    const auto engine = std::min_element(first, first + engines);
    const Cycles seen = now_ + 1;
    if (*engine > seen) {
      circuit.port_blocked = true;
      blocked(circuit, false, *engine - seen);
    }
    fabric_->accept(id, std::max(*engine, accepted_from(circuit, seen)));
    *engine = circuit.arrives;
  }
  probes_.clear();
}

// --- Statistics ----------------------------------------------------------------------------------------------------

void NetworkInterfaces::blocked(const Circuit& circuit, bool link, Cycles cycles) {
  (link ? statistics_.link_blocked : statistics_.port_blocked).cycles += cycles;
  if (link) {
    if (statistics_.link_blocked_by_label.size() <= circuit.label) {
      statistics_.link_blocked_by_label.resize(circuit.label + std::size_t{1});
    }
    statistics_.link_blocked_by_label[circuit.label].cycles += cycles;
  }
}

void NetworkInterfaces::moving(NodeId node, Cycles from) {
  if (processors_.exclusive()) phits_move(node, from, never);
}

void NetworkInterfaces::failed(const std::string& what) {
  if (fault_.empty()) fault_ = what;
}

std::vector<WaitingNode> NetworkInterfaces::waiting_nodes(std::size_t most) const {
  std::vector<WaitingNode> result;
  std::vector<const Circuit*> sending(nodes_.size(), nullptr);
  for (CircuitId id = 0; id < circuits_.capacity(); ++id) {
    const Circuit& circuit = circuits_[id];
    if (circuit.operation != nullptr && circuit.source == circuit.operation->node) sending[circuit.source] = &circuit;
  }
  for (NodeId node = 0; node < nodes_.size() && result.size() < most; ++node) {
    const Node& state = nodes_[node];
    if (state.finished) continue;
    WaitingNode wait{.node = node};
    const auto for_operation = [&](WaitingNode::For what, const Operation& operation) {
      wait = {node, what, operation.kind == OperationKind::receive_each ? any_node : operation.peer, operation.type,
              operation.posted_at};
    };
    const Operation* multiple = nullptr;
    for (unsigned port = 0; port < ports_ && multiple == nullptr; ++port) {
      multiple = send_ports_[port_number(port, node)].current;
    }
    if (sending[node] != nullptr) {
      wait = {node, WaitingNode::For::circuit, sending[node]->destination, sending[node]->type, sending[node]->probe};
    } else if (multiple != nullptr) {
      for_operation(multiple->synchronisations > 0 ? WaitingNode::For::synchronisation : WaitingNode::For::grant,
                    *multiple);
    } else if (const auto first = rendezvous_.begin() + static_cast<std::ptrdiff_t>(port_number(0, node)),
               asked = std::find_if(first, first + ports_, [](const Operation* one) { return one != nullptr; });
               asked != first + ports_) {
      for_operation(WaitingNode::For::partner, **asked);
    } else if (state.receives.head != nullptr) {
      for_operation(WaitingNode::For::message, *state.receives.head);
    } else if (shared_engines_ && engine_queues_[node].head != nullptr) {
      for_operation(WaitingNode::For::port, *engine_queues_[node].head);
    }
    result.push_back(wait);
  }
  return result;
}

std::size_t NetworkInterfaces::memory_bytes() const {
  return nodes_.capacity() * sizeof(Node) + send_ports_.capacity() * sizeof(SendPort) +
         circuits_.capacity() * sizeof(Circuit);
}

}  // namespace ecube
