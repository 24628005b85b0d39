// SPDX-License-Identifier: Apache-2.0
// The order of work within a cycle (hw/README.md section 8), and the view of programs.
#include "hw/event/engine.h"

#include <array>
#include <bit>
#include <numeric>

#include "models/contract/operations.h"

namespace ecube {

void Engine::reset(const Machine& machine, unsigned dim, const RunConditions& conditions) {
  machine_ = machine;
  conditions_ = conditions;
  topology_ = machine.topology(dim);
  const std::size_t nodes = topology_.nodes();

  failures_.reset(conditions.failures, topology_);
  circuits_.reset();
  statistics_.reset();
  routers_.reset(machine, topology_, asks_ || !topology_.is_plain_cube());
  switching_.reset(machine);
  worms_.reset(machine);
  if (machine.network.switching == Switching::wormhole) routers_.carry(&worms_);
  ports_.reset(machine, topology_);
  planes_.reset(machine_, topology_);
  rendezvous_.reset(nodes, ports_.count());
  const bool one_path = machine.link.channels == 1 && topology_.planes() == 0;
  using InOrder = event::Matching::InOrder;
  matching_.reset(nodes, ports_.count() == 1 ? InOrder::all : one_path ? InOrder::of_a_source : InOrder::none);
  payload_.reset();
  work_ = make_node_work(machine, nodes, conditions.seed, conditions.memo, run_by_model());
  paths_ = {work_->path_lengths()};
  library_.reset(machine, nodes);
  packets_.reset(machine, topology_);
  processors_.reset(machine, nodes);
  loops_.reset(machine, nodes, *work_, conditions.seed);
  submissions_.reset(nodes);
  counts_.assign(nodes, {});
  draws_.assign(conditions.jitter == 0 ? 0 : nodes, 0);
  fetch_ahead_.reset();
  wheel_.reset();

  now_ = last_early_ = 0;
  events_ = specials_ = 0;
  overlaps_ = false;
  rounds_.clear();
  end_.reset(nodes);
  arrivals_.clear();
  computed_.clear();
  halves_due_.clear();
  doubtful_.clear();
  receipts_.clear();
  find_features();
}

void Engine::find_features() {
  const bool queued = machine_.node.startups == Startups::queued;
  const bool protocol = machine_.library.protocol != Protocol::none;
  const auto& network = machine_.network;
  features_ = {
      .products = routers_.products(),
      .planes = topology_.planes() != 0,
      .several_ports = ports_.count() > 1,
      .worms = network.switching == Switching::wormhole,
      .packets = packets_.active(),
      .protocol = protocol,
      .queued = queued,
      .exclusive = machine_.node.overlap == Overlap::off,
      .together = network.duplex == Duplex::together,
      .engines = ports_.share_engines(),
      .shared_bus = loops_.share(),
      .fixed_distance = network.distance == Distance::fixed && network.setup_cycles != 0,
      .failures = failures_.any(),
      .jitter = conditions_.jitter != 0,
      .arrivals = protocol || packets_.active() || (queued && !paths_.without_receipts()),
      .observer = observer_ != nullptr,
  };
  calls_are_noted_ = features_.observer || features_.planes;
  // Where an arrival is an event, so much is done for a message that only fetches of contents pay.
  constexpr std::size_t nodes_in_cache = 256;
  scattered_ = counts_.size() > nodes_in_cache && !features_.arrivals;
  known_ = 0;
  while (known_ < event::known_features.size() && (asks_ || features_ != event::known_features[known_])) ++known_;
}

void Engine::observe(Observer* observer) {
  observer_ = observer;
  if (work_ != nullptr) find_features();
  routers_.observe(observer);
  switching_.observe(observer);
  worms_.observe(observer);
  planes_.observe(observer);
}

void Engine::load(Program& program) {
  program_ = &program;
  for (NodeId node = 0; node < counts_.size(); ++node) {
    push(features_.jitter ? jitter(node) : 0, Kind::program_starts, node);
  }
}

// --- The order of work within a cycle ------------------------------------------------------------------------------

/// Rule 8.4.
void Engine::step(Cycles now) {
  now_ = now;
  wheel_.advance_to(now);
  // 1. Fabric: every output decides, grants are carried out, and the probes that arrive by them are accepted.
  routers_.advance(now);
  if (!routers_.ejecting().empty()) accept_arrived();
  // Programs that continue may complete operations of others within the same cycle, until none can go on.
  for (;;) {
    Wheel::Chunk* const due = wheel_.take();
    if (due == nullptr && submissions_.empty() && !ports_.any_added() && !library_.any_posted()) break;
    if (due != nullptr) {
      // 2. Interfaces.
      if (specials_ != 0) serve_interfaces(due);
      // 3. Programs.
      continue_programs(due);
      if (end_.failed()) [[unlikely]]
        return;  // the run ends, and operations of the program that failed are gone
    }
    // 4. Requests of programs.
    library_.answer_posted();
    if (!submissions_.empty()) begin_submitted();
    if (ports_.any_added()) serve_added_sends();
  }
  // 5. Messages without a receive.
  if (!doubtful_.empty()) lose_unreceived();
  end_.reach(now_);
}

/// Rule 8.2 for the events from `due` on, and for further events that they cause at this edge: work of zero cycles also
/// ends at this edge, before programs continue.
void Engine::serve_interfaces(Wheel::Chunk* due) {
  if (!serve_due(due)) return;
  Wheel::Chunk* last = due;
  while (Wheel::Chunk* const more = wheel_.take()) {
    while (last->next != nullptr) last = last->next;
    last->next = more;
    serve_due(more);
  }
}

/// True if an event was served.
bool Engine::serve_due(Wheel::Chunk* due) {
  bool any = false;
  Wheel::for_each(due, [&](const Event& event) {
    if (event.kind <= Kind::program_woken) return;
    any = true;
    --specials_;
    // Separate tests, each of them predictable, instead of a switch: kinds come in random order.
    if (event.kind == Kind::port_free) ports_.has_become_free(event.number);
    if (event.kind == Kind::arrival) arrivals_.push_back(static_cast<CircuitId>(event.number));
    if (event.kind >= Kind::receipt_ends && event.kind <= Kind::next_packet) receipts_.push_back(event);
    if (event.kind == Kind::computation_ends) computed_.push_back(static_cast<NodeId>(event.number));
    if (event.kind < Kind::packet_gone) return;
    if (event.kind == Kind::half_due) {
      halves_due_.push_back(event.number);
    } else {
      packets_.take_out(static_cast<NodeId>(event.number & (Topology::max_nodes - 1)),
                        event.number >> max_simulated_dim);
    }
  });
  if (ports_.any_freed()) serve_freed_ports();
  if (!arrivals_.empty()) serve_arrivals();
  if (!receipts_.empty()) serve_receipts();
  for (const NodeId node : computed_) finish_computation(node);
  computed_.clear();
  if (!halves_due_.empty()) serve_planes();
  return any;
}

/// Rule 8.3.
void Engine::continue_programs(Wheel::Chunk* due) {
  const bool several = due->next != nullptr;
  if ((overlaps_ && (several || due->count > 1) && sort_by_issue(due)) || (several && sort_by_place(due))) {
    constexpr std::size_t piece = 64;
    for (std::span<const Event> events = sorted_; !events.empty();
         events = events.subspan(std::min(piece, events.size()))) {
      continue_programs(events.first(std::min(piece, events.size())));
      if (!rendezvous_.asked().empty() && !end_.failed()) serve_meeting();
    }
    return;
  }
  for (Wheel::Chunk* chunk = due; chunk != nullptr; chunk = wheel_.recycle(chunk)) {
    continue_programs(chunk->filled());
    if (!rendezvous_.asked().empty() && !end_.failed()) serve_meeting();
  }
}

void Engine::continue_programs(std::span<const Event> events) {
  events_ += events.size();
  if (end_.failed()) [[unlikely]]
    return;
  constexpr std::size_t ahead = 8;
  // Places up to which events are fetched ahead.
  const std::size_t fetched = scattered_ ? events.size() : 0;
  for (const Event& event : events.first(std::min(ahead / 2, fetched))) {
    if (event.kind == Kind::completed) fetch_to_write(event.operation->waiter.address());
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.kind == Kind::completed) {
      if (i + ahead < fetched && events[i + ahead].kind == Kind::completed) {
        fetch_ahead_.completes_soon(*events[i + ahead].operation);
        const Event& next = events[i + ahead / 2];
        if (next.kind == Kind::completed) fetch_to_write(next.operation->waiter.address());
      }
      Operation& operation = *event.operation;
      operation.done = true;
      event::OperationCount& count = counts_[operation.node];
      count.busy = 0;
      if (takes_turns(operation.kind)) --count.unfinished;
      if (observer_ != nullptr) [[unlikely]]
        observer_->completed(operation, now_);
      if (!operation.waiter || !goes_on(operation.node)) continue;
      continue_program(operation);
    } else if (event.kind == Kind::program_starts) {
      --specials_;
      if (!goes_on(static_cast<NodeId>(event.number))) continue;
      if (observer_ != nullptr) observer_->program_starts(static_cast<NodeId>(event.number), now_);
      program_->start(*this, static_cast<NodeId>(event.number));
    } else if (event.kind == Kind::program_woken) {
      --specials_;
      if (!goes_on(static_cast<NodeId>(event.number))) continue;
      program_->woken(*this, static_cast<NodeId>(event.number));
    }
    if (end_.failed()) [[unlikely]]
      return;
  }
}

/// Puts the events into sorted_ and recycles the chunks, so that the operations of a node continue its programs in
/// order of issue. Does nothing and returns false unless programs of one node await two of them.
bool Engine::sort_by_issue(Wheel::Chunk* due) {
  if (rounds_.empty()) rounds_.resize(counts_.size());
  // In registers: to the compiler, the writes below may alias these members.
  std::uint32_t* const rounds = rounds_.data();
  const std::uint32_t round = ++round_;
  bool two = false;
  Wheel::for_each(due, [&](const Event& event) {
    if (event.kind != Kind::completed || !event.operation->waiter) return;
    two |= std::exchange(rounds[event.operation->node], round) == round;
  });
  if (!two) return false;
  sorted_.clear();
  for (auto* chunk = due; chunk != nullptr; chunk = wheel_.recycle(chunk)) {
    sorted_.insert(sorted_.end(), chunk->filled().begin(), chunk->filled().end());
  }
  std::ranges::stable_sort(sorted_, {}, [](const Event& event) {
    return event.kind == Kind::completed ? std::uint64_t{event::notes(*event.operation).issue} + 1 : 0;
  });
  return true;
}

/// Puts the events into sorted_, roughly in the order of their operations in memory, and recycles the chunks. Does
/// nothing and returns false unless there are many events and all complete operations. Partners complete in pairs, so
/// after d steps that all nodes take together their events come in random order, and so would the accesses to memory.
bool Engine::sort_by_place(Wheel::Chunk* due) {
  constexpr std::size_t many = 4096;
  static_assert(many > Wheel::Chunk::capacity);
  std::size_t count = 0;
  for (auto* chunk = due; chunk != nullptr; chunk = chunk->next) count += chunk->count;
  if (count < many) return false;
  std::uint64_t lowest = never;
  std::uint64_t highest = 0;
  bool all_complete = true;
  Wheel::for_each(due, [&](const Event& event) {
    all_complete = all_complete && event.kind == Kind::completed;
    lowest = std::min(lowest, event.number);
    highest = std::max(highest, event.number);
  });
  if (!all_complete) return false;
  // One pass: what is still in no order lies close together.
  constexpr int digits = 12;
  const int shift = std::max(0, static_cast<int>(std::bit_width(highest - lowest)) - digits);
  const auto digit = [&](const Event& event) { return (event.number - lowest) >> shift; };
  std::array<std::uint32_t, std::size_t{1} << digits> places{};
  Wheel::for_each(due, [&](const Event& event) { ++places[digit(event)]; });
  std::exclusive_scan(places.begin(), places.end(), places.begin(), 0U);
  sorted_.resize(count);
  for (auto* chunk = due; chunk != nullptr; chunk = wheel_.recycle(chunk)) {
    for (const Event& event : chunk->filled()) sorted_[places[digit(event)]++] = event;
  }
  return true;
}

// --- The view of programs ------------------------------------------------------------------------------------------

void Engine::finished(NodeId node, std::exception_ptr error) {
  end_.program_ended(node, now_);
  if (observer_ != nullptr) observer_->program_ends(node, now_);
  if (error != nullptr) end_.fails(node, error);
}

std::vector<WaitingNode> Engine::waiting_nodes(std::size_t most) const {
  std::vector<WaitingNode> result;
  // The failure that cut a circuit may be later than the last event; nothing else happens after that event.
  const Cycles last_edge = std::max({now_, last_early(), worms_.last_stopped()});
  std::vector<bool> ready(circuits_.capacity());
  std::vector<bool> has_ready(topology_.nodes());
  ports_.for_each_ready([&](CircuitId id) {
    ready[id] = true;
    has_ready[circuits_[id].source] = has_ready[circuits_[id].source] || circuits_[id].operation != nullptr;
  });
  std::vector<const event::Circuit*> sending(topology_.nodes(), nullptr);
  for (CircuitId id = 0; id < circuits_.capacity(); ++id) {
    const event::Circuit& circuit = circuits_[id];
    if (circuit.operation == nullptr || circuit.source != circuit.operation->node || ready[id]) continue;
    const event::Circuit*& first = sending[circuit.source];
    if (first == nullptr || circuit.inject_port < first->inject_port) first = &circuit;
  }
  for (NodeId node = 0; node < topology_.nodes() && result.size() < most; ++node) {
    if (end_.has_ended(node)) continue;
    if (features_.failures && failures_.node(node) <= last_edge) {
      result.push_back({.node = node, .waits_for = WaitingNode::For::nothing_any_more, .since = failures_.node(node)});
      continue;
    }
    if (const auto plane = planes_.waiting(node); plane && sending[node] == nullptr) {
      result.push_back(*plane);
      continue;
    }
    WaitingNode wait{.node = node};
    const auto for_operation = [&](WaitingNode::For what, const Operation& operation) {
      wait = waits_for(what, operation, event::send_notes(operation).posted_at);
    };
    const Operation* const under_way = ports_.under_way(node);
    if (sending[node] != nullptr) {
      wait = {node, WaitingNode::For::circuit, sending[node]->destination, sending[node]->tag, sending[node]->probe};
    } else if (under_way != nullptr && has_ready[node]) {
      for_operation(WaitingNode::For::port, *under_way);
    } else if (under_way != nullptr) {
      for_operation(event::data_notes(*under_way).synchronisations > 0 ? WaitingNode::For::synchronisation
                                                                       : WaitingNode::For::grant,
                    *under_way);
    } else if (const Operation* const partner = rendezvous_.waiting_at(node); partner != nullptr) {
      for_operation(WaitingNode::For::partner, *partner);
    } else if (const Operation* const receive = matching_.first_receive(node); receive != nullptr) {
      for_operation(WaitingNode::For::message, *receive);
    } else if (const Operation* const send = ports_.first_waiting(node); send != nullptr) {
      for_operation(WaitingNode::For::port, *send);
    }
    result.push_back(wait);
  }
  return result;
}

}  // namespace ecube
