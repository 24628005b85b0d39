// SPDX-License-Identifier: Apache-2.0
// One node in the place of all: its circuits as holds of links, ports and engines, and the order of work in a cycle.
#include "hw/folded/cube.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "models/contract/payload.h"
#include "models/contract/translation.h"
#include "models/machine/time_limit.h"

namespace ecube {

using event::Circuit;
using event::data_notes;
using event::notes;
using folded::Hold;

std::string why_never_folded(const Machine& machine, const RunConditions& conditions) {
  if (conditions.jitter != 0) return "jitter delays every node by an amount of its own";
  if (!conditions.failures.empty()) return "links or nodes fail, and others do not";
  if (machine.library.protocol == Protocol::unforced) {
    return "the protocol keeps messages in system buffers (library.protocol = unforced)";
  }
  if (machine.network.switching == Switching::wormhole) return "worms hold links by rules of their own";
  if (machine.network.switching == Switching::store_and_forward) {
    return "packets wait at the nodes on their way (network.switching = store-and-forward)";
  }
  if (messages_share_bus(machine)) {
    return "messages share the bus of detailed nodes with their loops (node.transfer = dma, node.overlap = on)";
  }
  return {};
}

void FoldedCube::reset(const Machine& machine, unsigned dim, const RunConditions& conditions) {
  if (const std::string reason = why_never_folded(machine, conditions); !reason.empty()) throw NotFolded(reason);
  machine_ = machine;
  dim_ = dim;
  port_count_ = machine.node.ports.physical(dim);
  queued_ = machine.node.startups == Startups::queued;
  exclusive_ = machine.node.overlap == Overlap::off;
  hop_ = 1 + machine.router.route_cycles;
  phit_cycles_ = machine.phit_cycles();
  now_ = 0;
  events_ = 0;
  issued_ = 0;
  counts_ = {};
  circuits_.reset();
  edges_.clear();
  links_.assign(dim, Link{});
  injects_.assign(port_count_, folded::Holds());
  ejects_.assign(port_count_, folded::Holds());
  engines_shared_ = machine.node.ports.shared(dim);
  send_engines_ = receive_engines_ = folded::Holds(machine.node.ports.engines);
  under_way_.assign(port_count_, nullptr);
  transmissions_.clear();
  work_ = make_node_work(machine, 1, conditions.seed, conditions.memo, run_by_model());
  paths_.reset(work_->path_lengths());
  if (machine.library.protocol == Protocol::forced) {
    event::LibraryHost& host = *this;
    library_ = std::make_unique<event::Forced>(1, host);
  } else {
    library_ = std::make_unique<event::NoProtocol>();
  }
  processors_.reset(machine, 0);
  wheel_.reset();
  requests_.clear();
  continuing_.clear();
  arrivals_.clear();
  receipts_.clear();
  ended_ = false;
  end_ = 0;
  refusal_.clear();
}

RunResult FoldedCube::run(Program& program) {
  constexpr std::uint64_t between_progress = 1 << 16;
  RunResult result;
  const Cycles last = last_counted_cycle(machine_);
  std::uint64_t steps = 0;
  try {
    runs(0);
    program.start(*this, 0);
    for (Cycles next = 0; next != never && refusal_.empty(); next = wheel_.next_cycle()) {
      if (next > last) throw too_long_a_run(last);
      step(next);
      if (++steps % between_progress == 0 && progress_ && !progress_(next)) {
        result.status = RunResult::Status::interrupted;
        break;
      }
    }
  } catch (...) {
    program.stop();
    throw;
  }
  program.stop();
  if (!refusal_.empty()) throw NotFolded(refusal_);
  const bool interrupted = result.status == RunResult::Status::interrupted;
  if (!ended_ && !interrupted) throw NotFolded("its program waits for what never comes");
  result.cycles = interrupted ? now_ : end_;
  result.us = machine_.us(static_cast<double>(result.cycles));
  return result;
}

RunStatistics FoldedCube::statistics() const {
  RunStatistics all = counts_;
  all.circuits <<= dim_;
  all.control_circuits <<= dim_;
  all.payload_bytes <<= dim_;
  return all;
}

// --- The order of work within a cycle (hw/README.md section 8) -----------------------------------------------------

void FoldedCube::step(Cycles now) {
  now_ = now;
  wheel_.advance_to(now);
  for (;;) {
    // Work of zero cycles also ends at this edge, before the program continues.
    bool any = false;
    while (serve_due()) any = true;
    continue_programs();
    if (!any && requests_.empty()) return;
    for (Operation* const operation : requests_) begin(*operation);
    requests_.clear();
    if (!refusal_.empty()) return;
  }
}

/// Rules 8.1 and 8.2 for the events that are due now; false when there are none.
bool FoldedCube::serve_due() {
  Wheel::Chunk* const due = wheel_.take();
  if (due == nullptr) return false;
  bool computed = false;
  for (Wheel::Chunk* chunk = due; chunk != nullptr; chunk = wheel_.recycle(chunk)) {
    events_ += chunk->count;
    for (const Event& event : std::span(chunk->events).first(chunk->count)) {
      switch (event.kind) {
        case Kind::completed:
          continuing_.push_back(event.operation);
          break;
        case Kind::accepted:
          accept(static_cast<CircuitId>(event.number));
          break;
        case Kind::arrival:
          arrivals_.push_back(static_cast<CircuitId>(event.number));
          break;
        case Kind::receipt_ends:
        case Kind::synchronised:
          receipts_.push_back(event);
          break;
        case Kind::computation_ends:
          computed = true;
          break;
      }
    }
  }
  if (!arrivals_.empty()) serve_arrivals();
  if (!receipts_.empty()) serve_receipts();
  if (computed) finish_computation();
  return true;
}

void FoldedCube::continue_programs() {
  for (Operation* const operation : continuing_) {
    operation->done = true;
    if (operation->waiter) continue_program(*operation);
  }
  continuing_.clear();
}

// --- Requests of the program ---------------------------------------------------------------------------------------

void FoldedCube::issue(NodeId node, Operation& operation) {
  begin_operation(operation, node, now_, dim_, port_count_);
  notes(operation).partner = nullptr;
  notes(operation).open = messages_of(operation);
  notes(operation).parts = parts_of(operation);
  notes(operation).issue = issued_++;
  event::send_notes(operation).posted_at = now_;
}

void FoldedCube::start_send(NodeId node, Operation& operation) {
  issue(node, operation);
  refuse("its nodes send messages one way");
}

void FoldedCube::start_receive(NodeId node, Operation& operation) {
  issue(node, operation);
  refuse("its nodes receive messages one way");
}

/// The partner asks at the same edge, so the two meet at once where that costs nothing.
void FoldedCube::start_exchange(NodeId node, Operation& operation) {
  issue(node, operation);
  if (operation.room != operation.bytes) {
    refuse("partners send each other messages of different lengths: node 0 sends " + std::to_string(operation.bytes) +
           " bytes to node " + std::to_string(operation.peer) + " and expects " + std::to_string(operation.room));
    return;
  }
  data_notes(operation).synchronisations = 0;
  if (library_->first_kind(operation) == CircuitKind::synchronisation) library_->expect_partner(operation);
  requests_.push_back(&operation);
}

void FoldedCube::start_compute(NodeId node, Operation& operation) {
  issue(node, operation);
  if (operation.work == Work::until) {
    finish_part(operation, std::max(now_, Cycles{operation.amount}));
  } else {
    requests_.push_back(&operation);
  }
}

void FoldedCube::finished(NodeId node, std::exception_ptr error) {
  ended_ = true;
  end_ = now_;
  if (error != nullptr) refuse(escaped(node, error));
}

void FoldedCube::begin(Operation& operation) {
  if (operation.kind == OperationKind::compute) return begin_compute(operation);
  const CircuitKind kind = library_->first_kind(operation);
  const CircuitId id = make_circuit(kind, operation);
  launch(id);
  if (is_control(kind)) under_way_[circuits_[id].inject_port] = &operation;
}

// --- Computation (section 5) ---------------------------------------------------------------------------------------

void FoldedCube::begin_compute(Operation& operation) {
  Cycles cycles = 0;
  try {
    cycles = event::cycles_of_work(operation, machine_, *work_, processors_, now_);
  } catch (const std::exception& problem) {
    refuse(problem.what());
  }
  if (processors_.compute(0, now_, operation, cycles)) announce_end();
}

void FoldedCube::announce_end() {
  const Cycles end = processors_.next_end(0);
  processors_.suspend(0, end == never);
  if (end != never) push(std::max(now_, end), Kind::computation_ends, 0);
}

void FoldedCube::finish_computation() {
  if (processors_.next_end(0) > now_) return announce_end();
  Operation& operation = processors_.finish(0, now_);
  if (processors_.computing(0)) announce_end();
  finish_part(operation, now_);
}

void FoldedCube::move_phits(Cycles from, Cycles until) {
  processors_.moves(0, now_, from, until);
  if (processors_.suspended(0)) announce_end();
}

// --- One circuit (sections 2 to 4) ---------------------------------------------------------------------------------

/// A record says what the receiver of the circuit's image at node 0 sees: a message from `source` to node 0.
CircuitId FoldedCube::make_circuit(CircuitKind kind, Operation& about) {
  const CircuitId id = circuits_.allocate();
  if (id >= edges_.size()) edges_.resize(id + std::size_t{1});
  Circuit& circuit = circuits_[id];
  circuit = Circuit{};
  circuit.operation = &about;
  circuit.bytes = is_control(kind) ? 0 : about.bytes;
  circuit.source = about.peer;
  circuit.destination = 0;
  circuit.type = about.type;
  circuit.label = about.label;
  circuit.kind = kind;
  circuit.tag = about.tag;
  circuit.inject_port = static_cast<std::uint8_t>(inject_port(0, about.peer, about.port, port_count_));
  // With a port for each dimension a message is ejected where it arrives.
  circuit.eject_port = static_cast<std::uint8_t>(port_count_ == 1  ? 0
                                                 : about.peer == 0 ? circuit.inject_port
                                                                   : last_dimension(0, about.peer));
  return id;
}

/// Begins the start-up of a circuit. From here on, its edges are known.
void FoldedCube::launch(CircuitId id) {
  Circuit& circuit = circuits_[id];
  const Cycles length = paths_.startup(circuit);
  circuit.probe = queued_ ? processors_.serve(0, now_, length) : now_ + length;
  const Edges edges = edges_of(circuit);
  edges_[id] = edges;
  const Operation*& under_way = under_way_[circuit.inject_port];
  if (under_way != nullptr && under_way != circuit.operation) {
    refuse("a send would wait for inject port " + std::to_string(circuit.inject_port) +
           " of every node: that of node 0 to node " + std::to_string(circuit.source) + " until the one to node " +
           std::to_string(under_way->peer) + " has been sent");
  }
  if (circuit.kind == CircuitKind::data) under_way = nullptr;
  hold_ends(circuit, edges);
  hold_path(circuit, edges);
  push(edges.seen - 1, Kind::accepted, id);
}

FoldedCube::Edges FoldedCube::edges_of(const Circuit& circuit) const {
  const unsigned h = hops(0, circuit.source);
  const Cycles data_cycles = phit_cycles_.floor_of(machine_.phits(circuit.bytes) - 1);
  Edges edges;
  edges.seen = circuit.probe + (h + 1) * hop_ + 1;
  edges.first_phit = edges.seen + machine_.network.accept_cycles + h + 1;
  if (machine_.network.distance == Distance::fixed) {
    edges.first_phit = std::max(edges.first_phit, circuit.probe + machine_.network.setup_cycles - h - 3);
  }
  edges.tail = edges.first_phit + data_cycles;
  edges.sender_ready = edges.tail + 1;
  edges.receiver_ready = edges.tail + h + 3;
  edges.first_received = edges.receiver_ready - data_cycles;
  return edges;
}

void FoldedCube::hold(folded::Holds& holds, Resource resource, unsigned number, const Hold& hold) {
  const std::optional<Hold> other = holds.add(hold, now_);
  if (!other || !refusal_.empty()) return;
  // Of the images of both circuits, those that meet at node 0.
  const auto name = [&](const Hold& one) {
    switch (resource) {
      case Resource::link:
        return folded::text_of(one, one.way & ((NodeId{1} << number) - 1));
      case Resource::eject_port:
      case Resource::receive_engine:
        return folded::text_of(one, one.way);
      default:
        return folded::text_of(one, 0);
    }
  };
  constexpr std::array<const char*, 5> names{"link 0:", "inject port 0:", "eject port 0:", "send engine of node 0",
                                             "receive engine of node 0"};
  std::string reason = names[static_cast<std::size_t>(resource)];
  if (resource <= Resource::eject_port) reason += std::to_string(number);
  reason += hold.from == other->from ? " is asked for at one edge by " : " is needed at one time by ";
  reason += name(*other) + " and ";
  refuse(reason + name(hold));
}

/// The links and the eject port of a circuit's path: from the grant to the edge at which the output can be granted
/// again.
void FoldedCube::hold_path(const Circuit& circuit, const Edges& edges) {
  Hold one{.way = circuit.source, .type = circuit.type, .kind = circuit.kind, .from = circuit.probe};
  one.until = edges.tail + 1;
  for (const LinkId at : Route(0, circuit.source)) {
    Link& link = links_[at.dimension];
    one.from += hop_;
    ++one.until;
    hold(link.holds, Resource::link, at.dimension, one);
    ++link.counts.circuits;
    link.counts.bytes += circuit.bytes;
    link.counts.busy += one.until - 1 - one.from;
  }
  one.from += hop_;
  ++one.until;
  hold(ejects_[circuit.eject_port], Resource::eject_port, circuit.eject_port, one);
}

/// The inject port, and engines where they are fewer than ports.
void FoldedCube::hold_ends(const Circuit& circuit, const Edges& edges) {
  const Hold sending{
      .way = circuit.source, .type = circuit.type, .kind = circuit.kind, .from = now_, .until = edges.sender_ready};
  hold(injects_[circuit.inject_port], Resource::inject_port, circuit.inject_port, sending);
  Hold receiving = sending;
  receiving.from = edges.seen;
  receiving.until = edges.receiver_ready;
  if (engines_shared_) {
    hold(send_engines_, Resource::send_engine, 0, sending);
    hold(receive_engines_, Resource::receive_engine, 0, receiving);
  }
  if (machine_.network.duplex == Duplex::together) {
    keep_together({.hold = sending, .seen = edges.seen, .first_phit = edges.first_phit, .tail = edges.tail});
  }
}

/// Rule 4.7: no circuit may come while the node is in the midst of sending another one.
void FoldedCube::keep_together(const Transmission& one) {
  std::erase_if(transmissions_, [this](const Transmission& known) { return known.tail < now_ && known.seen < now_; });
  const auto waits = [this](const Transmission& coming, const Transmission& sent) {
    return sent.first_phit + machine_.network.together_cycles < coming.seen && sent.tail >= coming.seen;
  };
  for (const Transmission& known : transmissions_) {
    const bool known_waits = waits(known, one);
    if (!known_waits && !waits(one, known)) continue;
    const Hold& coming = known_waits ? known.hold : one.hold;
    const Hold& sent = known_waits ? one.hold : known.hold;
    refuse("node 0 would accept " + folded::text_of(coming, coming.way) + " only after it has sent " +
           folded::text_of(sent, 0));
  }
  transmissions_.push_back(one);
}

/// The probe has been granted the eject port, at the first edge possible, and acceptance begins an edge later.
void FoldedCube::accept(CircuitId id) {
  const Circuit& circuit = circuits_[id];
  const Edges& edges = edges_[id];
  ++counts_.circuits;
  counts_.payload_bytes += circuit.bytes;
  if (is_control(circuit.kind)) ++counts_.control_circuits;
  if (exclusive_) {
    move_phits(edges.first_received - 1, edges.receiver_ready);
    move_phits(edges.first_phit, edges.sender_ready);
  }
  push(edges.receiver_ready, Kind::arrival, id);
  if (circuit.kind == CircuitKind::synchronisation) {
    wheel_.push(edges.sender_ready, {.operation = circuit.operation, .kind = Kind::synchronised});
  } else {
    finish_part(*circuit.operation, edges.sender_ready);
  }
}

// --- The ends of a circuit -----------------------------------------------------------------------------------------

void FoldedCube::serve_arrivals() {
  std::sort(arrivals_.begin(), arrivals_.end(),
            [this](CircuitId a, CircuitId b) { return circuits_[a].eject_port < circuits_[b].eject_port; });
  for (const CircuitId id : arrivals_) {
    const Circuit& circuit = circuits_[id];
    const Cycles end = end_of_receiving_work(paths_.receipt(circuit));
    if (!is_control(circuit.kind)) {
      complete_receive(circuit, edges_[id].first_received, end);
      circuits_.release(id);
    } else if (end > now_) {
      push(end, Kind::receipt_ends, id);
    } else {
      receipts_.push_back({.number = id, .kind = Kind::receipt_ends});
    }
  }
  arrivals_.clear();
}

/// Synchronisations that end at one edge take effect in the order of the nodes that they came from, which is not the
/// same order on all nodes.
void FoldedCube::serve_receipts() {
  const auto operation_of = [this](const Event& event) {
    return event.kind == Kind::synchronised ? event.operation
                                            : circuits_[static_cast<CircuitId>(event.number)].operation;
  };
  for (const Event& event : receipts_) {
    const Operation& first = *operation_of(receipts_.front());
    const Operation& other = *operation_of(event);
    if (&first == &other) continue;
    refuse("at cycle " + std::to_string(now_) + " synchronisations 0->" + std::to_string(first.peer) + " and 0->" +
           std::to_string(other.peer) + " end together, in the order of the nodes' labels");
    return;
  }
  for (const Event& event : receipts_) {
    if (event.kind == Kind::synchronised) {
      library_->synchronisation_left(*event.operation);
      continue;
    }
    const Circuit circuit = circuits_[static_cast<CircuitId>(event.number)];
    circuits_.release(static_cast<CircuitId>(event.number));
    library_->received(circuit, circuit.operation);
  }
  receipts_.clear();
}

/// The receive of an exchange gets the image of the exchange's own message.
void FoldedCube::complete_receive(const Circuit& circuit, Cycles first_phit, Cycles at) {
  Operation& exchange = *circuit.operation;
  deliver(exchange);
  exchange.received_from = circuit.source;
  exchange.received_bytes = circuit.bytes;
  receive_tag(exchange, translated(circuit.tag, circuit.source));
  exchange.since = first_phit;
  finish_part(exchange, at);
}

void FoldedCube::deliver(Operation& exchange) {
  if (exchange.outgoing.empty() || exchange.incoming.empty()) return;
  contents_.resize(exchange.outgoing.bytes());
  pack(exchange.outgoing, contents_.data());
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= contents_.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, contents_.data() + at, sizeof word);
    word = translated(word, exchange.peer);
    std::memcpy(contents_.data() + at, &word, sizeof word);
  }
  unpack(contents_.data(), contents_.size(), exchange.incoming);
}

void FoldedCube::finish_part(Operation& operation, Cycles at) {
  operation.completed_at = std::max(operation.completed_at, at);
  if (--notes(operation).parts != 0) return;
  wheel_.push(std::max(operation.completed_at, now_), {.operation = &operation, .kind = Kind::completed});
}

}  // namespace ecube
