// SPDX-License-Identifier: Apache-2.0
// One node simulated for all: its circuits as holds of links, ports, send and receive engines.
#include "hw/folded/cube.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "models/contract/node_ports.h"
#include "models/contract/payload.h"

namespace ecube {

namespace folded {

namespace {

/// A circuit between two nodes of the whole machine: "2->9 tag 0, cycles 100 to 150". With `of` the image whose source
/// is that node.
std::string text_of(const Hold& hold, NodeId of) {
  std::string text;
  if (hold.kind != CircuitKind::data) text = std::string(circuit_kind_names[static_cast<std::size_t>(hold.kind)]) + " ";
  return text + std::to_string(of) + "->" + std::to_string(of ^ hold.way) + " tag " + std::to_string(hold.tag) +
         " (cycles " + std::to_string(hold.from) + " to " + std::to_string(hold.until) + ")";
}

}  // namespace

std::optional<Hold> Holds::add(const Hold& hold, Cycles now) {
  std::erase_if(holds_, [now](const Hold& known) { return known.until <= now; });
  // If more holds than `room` overlap at some edge, they also do at an edge at which one of them begins.
  const auto crowded = [&](Cycles edge) {
    return std::ranges::count_if(
               holds_, [edge](const Hold& known) { return known.from <= edge && edge < known.until; }) >= room_;
  };
  const auto met = std::ranges::find_if(holds_, [&](const Hold& known) {
    return known.from < hold.until && hold.from < known.until && crowded(std::max(known.from, hold.from));
  });
  std::optional<Hold> other = met == holds_.end() ? std::nullopt : std::optional(*met);
  holds_.push_back(hold);
  return other;
}

}  // namespace folded

using folded::Hold;

std::string why_never_folded(const Machine& machine, const RunConditions& conditions) {
  if (conditions.jitter != 0) return "jitter delays every node by an amount of its own";
  if (!conditions.failures.empty()) return "links or nodes fail, and others do not";
  if (machine.library.protocol == Protocol::unforced) {
    return "the protocol keeps messages in system buffers (library.protocol = unforced)";
  }
  if (machine.link.channels != 1) return "links have several channels (link.channels)";
  if (machine.network.planes != 0) return "planes are tuned (network.planes)";
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
  ProgrammedNodes::reset(machine, Topology::cube(dim), 1, {.queued = machine.node.startups == Startups::queued});
  counts_ = {};
  links_.assign(dim, {});
  holds_.fill(std::vector<folded::Holds>(std::max(dim, ports()), folded::Holds(1)));
  holds_of(Resource::send_engine) = holds_of(Resource::receive_engine) = {folded::Holds(machine.node.ports.engines)};
  under_way_.assign(ports(), nullptr);
  transmissions_.clear();
  synchronised_ = nullptr;
  work_ = make_node_work(machine, 1, conditions.seed, conditions.memo, run_by_model());
  paths_ = {work_->path_lengths()};
  processors_.reset(machine, 1);
  times_.reset(machine);
  ended_.reset();
  refusal_.clear();
}

RunResult FoldedCube::run(Program& program) {
  constexpr std::uint64_t between_progress = 1 << 16;
  program_ = &program;
  start_program(0, 0);
  RunResult result;
  try {
    runs(0);
    if (!serve_all(between_progress)) result.status = RunResult::Status::interrupted;
  } catch (...) {
    program.stop();
    throw;
  }
  program.stop();
  if (!refusal_.empty()) throw NotFolded(refusal_);
  const bool interrupted = result.status == RunResult::Status::interrupted;
  if (!ended_ && !interrupted) throw NotFolded("its program waits for what never comes");
  result.cycles = interrupted ? now() : ended_.value_or(0);
  result.us = machine().us(static_cast<double>(result.cycles));
  return result;
}

bool FoldedCube::over() const {
  const Cycles last = machine().last_counted_cycle();
  if (next_time() > last) throw too_long_a_run(last);
  return !refusal_.empty();
}

RunStatistics FoldedCube::statistics() const {
  RunStatistics all = counts_;
  all.circuits <<= topology().label_bits();
  all.control_circuits <<= topology().label_bits();
  all.payload_bytes <<= topology().label_bits();
  return all;
}

// --- What the program asks for -------------------------------------------------------------------------------------

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
  request(operation);
}

/// A message to x comes, translated, from x: it arrives at node 0.
void FoldedCube::requested(Operation& operation) {
  if (operation.kind != OperationKind::compute) {
    Message message = message_of(operation);
    message.to = 0;
    message.port = no_port;  // two circuits for one port are refused
    message.circuits = synchronised(operation) ? 2 : 1;
    return send(message);
  }
  Cycles cycles = 0;
  try {
    cycles = processors_.cycles(operation, *work_, now());
  } catch (const std::exception& problem) {
    refuse(problem.what());
  }
  if (processors_.compute(0, now(), operation, cycles)) announce_end();
}

void FoldedCube::announce_end() { wake_computation(0, std::max(now(), processors_.next_end(0))); }

/// Library work that has come in the meantime delays the end.
void FoldedCube::computed(NodeId /*node*/) {
  if (processors_.next_end(0) > now()) return announce_end();
  Operation& operation = processors_.finish(0, now());
  if (processors_.computing(0)) announce_end();
  finish_part(operation, now());
}

void FoldedCube::finished(NodeId node, std::exception_ptr error) {
  ended_ = now();
  if (error != nullptr) refuse(escaped(node, error));
}

// --- One circuit (sections 2 to 5) ---------------------------------------------------------------------------------

bool FoldedCube::synchronised(const Operation& operation) const {
  return machine().library.protocol == Protocol::forced && !operation.signal && operation.sync == PairwiseSync::on;
}

CircuitKind FoldedCube::kind_of(const Message& message) const {
  if (message.of->signal) return CircuitKind::signal;
  return message.is_last() ? CircuitKind::data : CircuitKind::synchronisation;
}

uncontended::Circuit<Cycles> FoldedCube::begin(const Message& message) {
  const Operation& exchange = *message.of;
  const unsigned port = inject_port(topology(), exchange, ports());
  const Operation*& under_way = under_way_[port];
  if (under_way != nullptr && under_way != &exchange) {
    refuse("a send would wait for inject port " + std::to_string(port) + " of every node: that of node 0 to node " +
           std::to_string(exchange.peer) + " until the one to node " + std::to_string(under_way->peer) +
           " has been sent");
  }
  under_way = message.is_last() ? nullptr : &exchange;
  event::Circuit circuit;
  circuit.kind = kind_of(message);
  circuit.bytes = exchange.bytes;
  const Edges edges = edges_of(message, 0);
  return {.startup = paths_.startup(circuit),
          .transit = edges.receiver_ready,
          .receipt = paths_.receipt(circuit),
          .early = edges.receiver_ready - edges.sender_ready};
}

/// From here on all edges of the circuit are known.
void FoldedCube::drives_probe(const Message& message, Cycles at) {
  Operation& exchange = *message.of;
  const CircuitKind kind = kind_of(message);
  const Edges edges = edges_of(message, at);
  ++counts_.circuits;
  if (is_control(kind)) ++counts_.control_circuits;
  if (message.is_last()) {
    counts_.payload_bytes += exchange.bytes;
    exchange.since = edges.first_received;
  }
  const Hold one{.way = exchange.peer, .tag = exchange.tag, .kind = kind, .from = now(), .until = edges.sender_ready};
  hold_ends(message, one, edges);
  hold_path(message, {one.way, one.tag, kind, at, edges.tail + 1});
  if (machine().node.overlap != Overlap::off) return;
  processors_.moves(0, now(), edges.first_received - 1, edges.receiver_ready);
  processors_.moves(0, now(), edges.data, edges.sender_ready);
}

/// Nothing delays the probe: it is accepted when the destination's interface sees it.
FoldedCube::Edges FoldedCube::edges_of(const Message& message, Cycles probe) {
  const unsigned h = hops(0, message.of->peer);
  const Bytes bytes = message.is_last() ? message.of->bytes : 0;
  return times_.edges_of(machine().network.distance == Distance::fixed, h, bytes, probe, probe + (h + 1) * hop() + 1);
}

void FoldedCube::hold(Resource resource, unsigned number, const Hold& hold) {
  const std::optional<Hold> other = holds_of(resource)[number].add(hold, now());
  if (!other || !refusal_.empty()) return;
  // The images of both circuits that meet at node 0.
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

/// The links and the eject port of a circuit's path: `one` from the grant to the edge at which the output can be
/// granted again.
void FoldedCube::hold_path(const Message& message, Hold one) {
  along_route(0, one.way, [&](LinkId at) {
    LinkStatistics& link = links_[at.output];
    one.from += hop();
    ++one.until;
    hold(Resource::link, at.output, one);
    ++link.circuits;
    if (message.is_last()) link.bytes += message.of->bytes;
    link.busy += one.until - 1 - one.from;
  });
  one.from += hop();
  ++one.until;
  hold(Resource::eject_port, message.arrives_in, one);
}

/// The inject port, and the send and receive engines where they are fewer than ports.
void FoldedCube::hold_ends(const Message& message, const Hold& sending, const Edges& edges) {
  const unsigned port = inject_port(topology(), *message.of, ports());
  hold(Resource::inject_port, port, sending);
  if (machine().node.ports.shared(topology().label_bits())) {
    Hold receiving = sending;
    receiving.from = seen(edges);
    receiving.until = edges.receiver_ready;
    hold(Resource::send_engine, 0, sending);
    hold(Resource::receive_engine, 0, receiving);
  }
  if (machine().network.duplex == Duplex::together) {
    keep_together({sending, edges});
  }
}

/// Rule 4.7: no circuit may come while the node sends another one.
void FoldedCube::keep_together(const Transmission& one) {
  std::erase_if(transmissions_,
                [this](const Transmission& known) { return known.edges.tail < now() && seen(known.edges) < now(); });
  const auto waits = [this](const Transmission& coming, const Transmission& sent) {
    return sent.edges.data + machine().network.together_cycles < seen(coming.edges) &&
           sent.edges.tail >= seen(coming.edges);
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

// --- The ends of a circuit -----------------------------------------------------------------------------------------

void FoldedCube::left(const Message& message) {
  if (!message.is_last()) return end_synchronisation(*message.of);
  finish_part(*message.of, now());
}

/// The receive of an exchange gets the image of the exchange's own message.
void FoldedCube::received(const Message& message) {
  Operation& exchange = *message.of;
  if (!message.is_last()) return end_synchronisation(exchange);
  deliver(exchange);
  note_received(exchange, exchange.peer, exchange.bytes, translated(exchange.check, exchange.peer));
  finish_part(exchange, now());
}

/// Synchronisations that end at one edge take effect in the order of the nodes that they came from, which is not the
/// same order on all nodes.
void FoldedCube::end_synchronisation(const Operation& exchange) {
  if (synchronised_ != nullptr && synchronised_ != &exchange && synchronised_at_ == now()) {
    refuse("at cycle " + std::to_string(now()) + " synchronisations 0->" + std::to_string(synchronised_->peer) +
           " and 0->" + std::to_string(exchange.peer) + " end together, in the order of the nodes' labels");
  }
  synchronised_ = &exchange;
  synchronised_at_ = now();
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

}  // namespace ecube
