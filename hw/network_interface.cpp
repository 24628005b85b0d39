// SPDX-License-Identifier: Apache-2.0
// Ports, engines, start-ups and the order of work within a cycle.
#include "hw/network_interface.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

#include "models/operations.h"

namespace ecube {

void NetworkInterfaces::reset(const Machine& machine, unsigned dim, const RunConditions& conditions) {
  machine_ = machine;
  conditions_ = conditions;
  const Machine::Library& library = machine.library;
  paths_ = machine.path_lengths();
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
  events_ = 0;
  specials_ = 0;
  exchanges_contents_ = false;
  coming_ = {};
  readied_ = 0;
  const std::size_t nodes = std::size_t{1} << dim;
  nodes_.assign(nodes, Node{});
  counts_.assign(nodes, Count{});
  libraries_.assign(protocol_ ? nodes : 0, Library{});
  messages_.clear();
  free_message_ = 0;
  stored_.assign(stores_ ? nodes : 0, 0);
  processors_.reset(machine, dim);
  port_bits_ = static_cast<unsigned>(std::bit_width(ports_ - 1));
  send_ports_.assign(nodes << port_bits_, SendPort{});
  port_queues_.assign(nodes << port_bits_, PortQueue{});
  first_phits_.assign(machine.network.duplex == Duplex::full ? 0 : nodes << port_bits_, 0);
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
  computed_.clear();
  doubtful_.clear();
  buffers_.reset();
  program_ = nullptr;
  statistics_ = {};
  unfinished_ = static_cast<NodeId>(nodes);
  last_finish_ = 0;
  fault_.clear();
  error_ = nullptr;
}

void NetworkInterfaces::load(Program& program) {
  program_ = &program;
  for (NodeId node = 0; node < nodes_.size(); ++node) push(jitter(node), Kind::start, node);
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
    if (head == nullptr && submitting_.empty() && asked_.empty() && granting_.empty()) break;
    if (head != nullptr) serve_edge(head);
    if (!granting_.empty()) serve_granting();
    if (!submitting_.empty()) serve_submitted();
    if (!asked_.empty()) serve_asked();
  }
  if (!doubtful_.empty()) give_up_doubtful();
}

/// Step 2 for the events from `head` on: true if anything was to be done, which may have brought about more of this
/// edge.
bool NetworkInterfaces::serve_interfaces(EventWheel<Event>::Chunk* const head) {
  for (auto* chunk = head; chunk != nullptr; chunk = chunk->next) {
    for (std::uint64_t i = 0; i < chunk->count; ++i) {
      const Event& event = chunk->events[i];
      if (event.kind == Kind::port_free) freed_.push_back(event.number);
      if (event.kind == Kind::arrival) arrivals_.push_back(static_cast<CircuitId>(event.number));
      if (event.kind >= Kind::receipt && event.kind <= Kind::next_packet) receipts_.push_back(event);
      if (event.kind == Kind::computed) computed_.push_back(static_cast<NodeId>(event.number));
      if (event.kind == Kind::departed) {
        stored_[event.number & (nodes_.size() - 1)] -= event.number >> max_simulated_dim;
        --specials_;
      }
    }
  }
  const std::size_t served = freed_.size() + arrivals_.size() + receipts_.size() + computed_.size();
  specials_ -= served;
  if (!freed_.empty()) serve_freed_ports();
  if (!arrivals_.empty()) serve_arrivals();
  if (!receipts_.empty()) serve_receipts();
  for (const NodeId node : computed_) finish_computation(node);
  computed_.clear();
  return served > 0;
}

void NetworkInterfaces::serve_edge(EventWheel<Event>::Chunk* const head) {
  if (specials_ != 0 && serve_interfaces(head)) {
    // What took no time has ended at this edge too, before programs go on.
    auto* last = head;
    while (auto* const more = wheel_.take()) {
      while (last->next != nullptr) last = last->next;
      last->next = more;
      serve_interfaces(more);
    }
  }
  if (sort_by_place(head)) {
    constexpr std::size_t piece = 64;
    for (std::span<const Event> events = sorted_; !events.empty();
         events = events.subspan(std::min(piece, events.size()))) {
      serve_programs(events.first(std::min(piece, events.size())));
      if (!meeting_.empty()) serve_meeting();
    }
    return;
  }
  for (auto* chunk = head; chunk != nullptr; chunk = wheel_.recycle(chunk)) {
    serve_programs(std::span(chunk->events).first(chunk->count));
    if (!meeting_.empty()) serve_meeting();
  }
}

/// Puts the events into sorted_, roughly in the order in which their operations lie in memory, and gives the chunks
/// back; false, and nothing done, unless there are many and all of them resume programs. Partners complete in pairs,
/// and so after d steps that all nodes take together their events come in random order: nodes would be read all over
/// memory.
bool NetworkInterfaces::sort_by_place(EventWheel<Event>::Chunk* const head) {
  constexpr std::size_t many = 4096;
  std::size_t count = 0;
  for (auto* chunk = head; chunk != nullptr; chunk = chunk->next) count += chunk->count;
  if (count < many) return false;
  std::uint64_t lowest = never;
  std::uint64_t highest = 0;
  for (auto* chunk = head; chunk != nullptr; chunk = chunk->next) {
    for (std::uint64_t i = 0; i < chunk->count; ++i) {
      if (chunk->events[i].kind != Kind::resume) return false;
      lowest = std::min(lowest, chunk->events[i].number);
      highest = std::max(highest, chunk->events[i].number);
    }
  }
  // A radix sort in two passes, by the lower and the upper half of the place.
  constexpr int half = 11;
  constexpr std::size_t digits = std::size_t{1} << half;
  const int shift = std::max(0, static_cast<int>(std::bit_width(highest - lowest)) - 2 * half);
  const auto low = [&](const Event& event) { return ((event.number - lowest) >> shift) % digits; };
  const auto high = [&](const Event& event) { return ((event.number - lowest) >> shift) / digits; };
  std::array<std::uint32_t, digits> lower{};
  std::array<std::uint32_t, digits> upper{};
  for (auto* chunk = head; chunk != nullptr; chunk = chunk->next) {
    for (std::uint64_t i = 0; i < chunk->count; ++i) {
      ++lower[low(chunk->events[i])];
      ++upper[high(chunk->events[i])];
    }
  }
  std::exclusive_scan(lower.begin(), lower.end(), lower.begin(), 0U);
  std::exclusive_scan(upper.begin(), upper.end(), upper.begin(), 0U);
  half_sorted_.resize(count);
  sorted_.resize(count);
  for (auto* chunk = head; chunk != nullptr; chunk = wheel_.recycle(chunk)) {
    for (std::uint64_t i = 0; i < chunk->count; ++i) half_sorted_[lower[low(chunk->events[i])]++] = chunk->events[i];
  }
  for (const Event& event : half_sorted_) sorted_[upper[high(event)]++] = event;
  return true;
}

void NetworkInterfaces::serve_programs(std::span<const Event> events) {
  events_ += events.size();
  constexpr std::uint64_t ahead = 8;
  for (std::uint64_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.kind == Kind::resume) {
      if (i + ahead < events.size() && events[i + ahead].kind == Kind::resume) {
        const Operation& coming = *events[i + ahead].operation;
        fetch_receive(coming);
        fetch_send(coming);
        fetch(coming, Part::behind);
        const Event& next = events[i + ahead / 2];
        if (next.kind == Kind::resume) fetch_to_write(next.operation->waiter.address());
      }
      Operation& operation = *event.operation;
      operation.done = true;
      if (takes_turns(operation)) --counts_[operation.node].unfinished;
      if (observer_ != nullptr) [[unlikely]]
        observer_->completed(operation, now_);
      if (operation.waiter) operation.waiter.resume();
    } else if (event.kind == Kind::start) {
      --specials_;
      if (observer_ != nullptr) observer_->program_starts(static_cast<NodeId>(event.number), now_);
      program_->start(*this, static_cast<NodeId>(event.number));
    }
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

void NetworkInterfaces::moving(NodeId node, Cycles from, Cycles until) {
  processors_.moves(node, now_, from, until);
  if (processors_.suspended(node)) announce_end(node);
}

void NetworkInterfaces::stopped(NodeId node, Cycles from, Cycles until) {
  processors_.stops(node, now_, from, until);
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

void NetworkInterfaces::finished(NodeId node, std::exception_ptr error) {
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

void NetworkInterfaces::probe_comes(const Circuit& circuit) const {
  if (circuit.operation != nullptr) {
    fetch(*circuit.operation, Part::common);
    if (circuit.carries) fetch(*circuit.operation, Part::sent);
  }
  if (circuit.receiver != nullptr) {
    fetch_receive(*circuit.receiver);
    if (circuit.carries && exchanges_contents_) fetch_send(*circuit.receiver);
  } else {
    fetch_to_write(&nodes_[circuit.destination]);
  }
  fetch_to_write(&send_ports_[port_number(circuit.inject_port, circuit.source)]);
}

void NetworkInterfaces::probe_is_near(const Circuit& circuit) const {
  if (circuit.operation != nullptr && circuit.carries) fetch_to_read(circuit.operation->outgoing.base);
  if (circuit.receiver != nullptr) return;
  if (const Operation* const receive = nodes_[circuit.destination].receives.head; receive != nullptr) {
    fetch_receive(*receive);
  }
}

void NetworkInterfaces::probe_arrived(CircuitId id, Cycles at) {
  if (shared_engines_) {
    probes_.push_back(id);
  } else {
    fabric_.accept(id, accepted_from(circuits_[id], at));
  }
}

Cycles NetworkInterfaces::accepted_from(const Circuit& circuit, Cycles seen) {
  if (machine_.network.duplex == Duplex::full) return seen;
  Cycles from = seen;
  for (unsigned port = 0; port < ports_; ++port) {
    const std::size_t number = port_number(port, circuit.destination);
    const Cycles free_at = send_ports_[number].free_at;
    if (free_at == never || free_at <= seen || first_phits_[number] + machine_.network.together_cycles >= seen)
      continue;
    from = std::max(from, free_at);
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
    fabric_.accept(id, std::max(*engine, accepted_from(circuit, seen)));
    *engine = circuits_.aside(id).arrives;
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
      multiple = port_queues_[port_number(port, node)].current;
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
  return nodes_.capacity() * (sizeof(Node) + sizeof(Count)) +
         send_ports_.capacity() * (sizeof(SendPort) + sizeof(PortQueue)) + circuits_.memory_bytes();
}

}  // namespace ecube
