// SPDX-License-Identifier: Apache-2.0
// Sends, start-ups, engines and the order of work within a cycle.
#include "hw/network_interface.h"

#include <algorithm>
#include <tuple>

#include "models/operations.h"

namespace ecube {

void NetworkInterfaces::List::append(Operation& operation) {
  operation.next = nullptr;
  (head == nullptr ? head : tail->next) = &operation;
  tail = &operation;
}

void NetworkInterfaces::List::remove(Operation* before, Operation& operation) {
  (before == nullptr ? head : before->next) = operation.next;
  if (tail == &operation) tail = before;
}

void NetworkInterfaces::reset(const Machine& machine, unsigned dim, const RunConditions& conditions) {
  machine_ = machine;
  conditions_ = conditions;
  dim_ = dim;
  ports_ = machine.node.ports.physical(dim);
  shared_engines_ = machine.node.ports.shared(dim);
  now_ = 0;
  wheel_.reset();
  specials_ = 0;
  const std::size_t nodes = std::size_t{1} << dim;
  nodes_.assign(nodes, Node{});
  send_ports_.assign(nodes * ports_, SendPort{});
  engine_queues_.assign(shared_engines_ ? nodes : 0, List{});
  receive_engines_.assign(shared_engines_ ? nodes * machine.node.ports.engines : 0, 0);
  probes_.clear();
  submitted_.clear();
  freed_.clear();
  arrivals_.clear();
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
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    wheel_.push(jitter(node), {.number = node, .kind = Kind::start});
    ++specials_;
  }
}

Cycles NetworkInterfaces::jitter(NodeId node) {
  if (conditions_.jitter == 0) return 0;
  return up_to(draw(conditions_.seed, node, nodes_[node].draws++), conditions_.jitter);
}

// --- The order of work within a cycle (hw/README.md section 8) -----------------------------------------------------

void NetworkInterfaces::advance(Cycles now) {
  wheel_.advance_to(now);
  if (!probes_.empty()) serve_probes();
  // Programs that continue may complete others within the same cycle, until none can go on.
  for (;;) {
    EventWheel<Event>::Chunk* const head = wheel_.take();
    if (head == nullptr && submitted_.empty()) break;
    if (head != nullptr) serve_edge(head);
    if (!submitted_.empty()) serve_submitted();
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
      }
    }
    specials_ -= freed_.size() + arrivals_.size();
    if (!freed_.empty()) serve_freed_ports();
    if (!arrivals_.empty()) serve_arrivals();
  }
  for (auto* chunk = head; chunk != nullptr; chunk = wheel_.recycle(chunk)) {
    for (std::uint64_t i = 0; i < chunk->count; ++i) {
      const Event& event = chunk->events[i];
      if (event.kind == Kind::resume) {
        Operation& operation = *event.operation;
        operation.done = true;
        --nodes_[operation.node].outstanding;
        if (operation.waiter) operation.waiter.resume();
      } else if (event.kind == Kind::start) {
        --specials_;
        program_->start(*node_ports_[event.number]);
      }
    }
  }
}

void NetworkInterfaces::serve_freed_ports() {
  if (shared_engines_) {
    // An engine has become free with each port; who gets it is decided by the node's one queue, in order of issue.
    for (const std::uint64_t number : freed_) {
      const auto node = static_cast<NodeId>(number & (nodes_.size() - 1));
      --nodes_[node].sending;
      serve_engines(node);
    }
    freed_.clear();
    return;
  }
  const auto order = [this](std::uint64_t number) {
    const Operation& operation = *send_ports_[number].queue.head;
    return std::tuple(operation.node, operation.posted_at, operation.issue);
  };
  std::sort(freed_.begin(), freed_.end(), [&](std::uint64_t a, std::uint64_t b) { return order(a) < order(b); });
  for (const std::uint64_t number : freed_) {
    List& queue = send_ports_[number].queue;
    Operation& operation = *queue.head;
    queue.remove(nullptr, operation);
    launch(operation, static_cast<unsigned>(number >> dim_));
  }
  freed_.clear();
}

void NetworkInterfaces::serve_submitted() {
  // Several nodes' events may have submitted in any order; a node's own sends are served in order of issue.
  std::sort(submitted_.begin(), submitted_.end(), [](const Operation* a, const Operation* b) {
    return std::tuple(a->node, a->issue) < std::tuple(b->node, b->issue);
  });
  for (Operation* const operation : submitted_) {
    if (operation->kind == OperationKind::compute) {
      begin_compute(*operation);
    } else {
      enter_port(*operation);
    }
  }
  submitted_.clear();
}

// --- Sends ---------------------------------------------------------------------------------------------------------

void NetworkInterfaces::issue(NodeId node, Operation& operation, std::uint32_t parts) {
  begin_operation(operation, node, parts, now_, dim_, ports_);
  operation.issue = nodes_[node].issues++;
  ++nodes_[node].outstanding;
}

void NetworkInterfaces::start_send(NodeId node, Operation& operation) {
  issue(node, operation, 1);
  submit(operation);
}

void NetworkInterfaces::start_compute(NodeId node, Operation& operation) {
  issue(node, operation, 1);
  submit(operation);
}

void NetworkInterfaces::submit(Operation& operation) {
  operation.posted_at = now_;
  if (nodes_[operation.node].outstanding != 1) {
    submitted_.push_back(&operation);
  } else if (operation.kind == OperationKind::compute) {
    begin_compute(operation);
  } else {
    enter_port(operation);
  }
}

void NetworkInterfaces::enter_port(Operation& operation) {
  const unsigned port = inject_port(operation, ports_);
  if (shared_engines_) {
    engine_queues_[operation.node].append(operation);
    serve_engines(operation.node);
    return;
  }
  const std::size_t number = (static_cast<std::size_t>(port) << dim_) + operation.node;
  SendPort& send_port = send_ports_[number];
  if (send_port.queue.head == nullptr) {
    if (send_port.free_at <= now_) {
      launch(operation, port);
      return;
    }
    // The same invariant as for links: one event at free_at if it is known and somebody waits.
    if (send_port.free_at != never) {
      wheel_.push(send_port.free_at, {.number = number, .kind = Kind::port_free});
      ++specials_;
    }
  }
  send_port.queue.append(operation);
}

void NetworkInterfaces::serve_engines(NodeId node) {
  List& queue = engine_queues_[node];
  Operation* before = nullptr;
  for (Operation* operation = queue.head; operation != nullptr && nodes_[node].sending < machine_.node.ports.engines;) {
    Operation* const next = operation->next;
    const unsigned port = inject_port(*operation, ports_);
    if (send_ports_[(static_cast<std::size_t>(port) << dim_) + node].free_at <= now_) {
      queue.remove(before, *operation);
      ++nodes_[node].sending;
      launch(*operation, port);
    } else {
      before = operation;
    }
    operation = next;
  }
}

void NetworkInterfaces::launch(Operation& operation, unsigned port) {
  Node& node = nodes_[operation.node];
  Cycles probe = now_;
  const bool queued = machine_.node.startups == Startups::queued;
  if (queued && node.processor_free > probe) probe = node.processor_free;
  probe += machine_.startup(operation.bytes) + jitter(operation.node);
  if (queued) node.processor_free = probe;
  send_ports_[(static_cast<std::size_t>(port) << dim_) + operation.node].free_at = never;

  const CircuitId id = circuits_.allocate();
  Circuit& circuit = circuits_[id];
  circuit.operation = &operation;
  circuit.receiver = operation.partner;
  circuit.staged = nullptr;
  circuit.bytes = operation.bytes;
  circuit.probe = probe;
  circuit.source = operation.node;
  circuit.destination = operation.peer;
  circuit.type = operation.type;
  circuit.label = operation.label;
  circuit.inject_port = static_cast<std::uint8_t>(port);
  circuit.link_blocked = false;
  circuit.port_blocked = false;
  circuit.received = false;
  circuit.signal = operation.signal;
  circuit.tag = operation.tag;
  circuit.next = no_circuit;
  prefetch_contents(operation);
  fabric_.inject(id);
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

void NetworkInterfaces::sent(CircuitId id, Cycles at) {
  Circuit& circuit = circuits_[id];
  Operation& operation = *circuit.operation;
  if (!circuit.received) stage(circuit);
  const std::size_t number = (static_cast<std::size_t>(circuit.inject_port) << dim_) + circuit.source;
  SendPort& send_port = send_ports_[number];
  send_port.free_at = at;
  if (shared_engines_ || send_port.queue.head != nullptr) {
    wheel_.push(at, {.number = number, .kind = Kind::port_free});
    ++specials_;
  }
  circuit.operation = nullptr;
  finish_part(operation, at);
  if (circuit.received) release_circuit(id);
}

void NetworkInterfaces::finish_part(Operation& operation, Cycles at) {
  if (at > operation.ready_at) operation.ready_at = at;
  if (--operation.parts == 0) {
    wheel_.push(operation.ready_at > now_ ? operation.ready_at : now_, {.operation = &operation, .kind = Kind::resume});
  }
}

void NetworkInterfaces::begin_compute(Operation& operation) {
  Node& node = nodes_[operation.node];
  Cycles end = node.processor_free > now_ ? node.processor_free : now_;
  switch (operation.work) {
    case Work::cycles:
      end += operation.amount;
      break;
    case Work::permute_bytes:
      end += machine_.permute_cycles(operation.amount);
      break;
    case Work::combine_items:
      end += machine_.combine_cycles(operation.amount);
      break;
  }
  node.processor_free = end;
  finish_part(operation, end);
}

void NetworkInterfaces::finished(NodeId node, const std::exception_ptr& error) {
  nodes_[node].finished = true;
  --unfinished_;
  if (now_ > last_finish_) last_finish_ = now_;
  if (error != nullptr && error_ == nullptr) {
    error_ = error;
    fault_ = escaped(node, error);
  }
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

std::vector<WaitingNode> NetworkInterfaces::waiting_nodes(std::size_t most) const {
  std::vector<WaitingNode> result;
  std::vector<const Circuit*> sending(nodes_.size(), nullptr);
  for (CircuitId id = 0; id < circuits_.capacity(); ++id) {
    const Circuit& circuit = circuits_[id];
    if (circuit.operation != nullptr) sending[circuit.source] = &circuit;
  }
  for (NodeId node = 0; node < nodes_.size() && result.size() < most; ++node) {
    const Node& state = nodes_[node];
    if (state.finished) continue;
    WaitingNode wait{.node = node};
    const auto for_operation = [&](WaitingNode::For what, const Operation& operation) {
      wait = {node, what, operation.kind == OperationKind::receive_each ? any_node : operation.peer, operation.type,
              operation.posted_at};
    };
    if (sending[node] != nullptr) {
      wait = {node, WaitingNode::For::circuit, sending[node]->destination, sending[node]->type, sending[node]->probe};
    } else if (state.rendezvous != nullptr) {
      for_operation(WaitingNode::For::partner, *state.rendezvous);
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
