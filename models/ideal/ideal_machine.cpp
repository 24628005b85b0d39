// SPDX-License-Identifier: Apache-2.0
// The ideal machine: rendezvous, matching, and messages with the times of the equation.
#include "models/ideal/ideal_machine.h"

#include <algorithm>
#include <cmath>

#include "models/node/node_work.h"

namespace ecube {

IdealCosts ideal_costs(const ExchangeParameters& parameters, const Machine& machine, unsigned dim) {
  IdealCosts costs;
  costs.message = costs.exchange = parameters;
  // The cost of the node's loops, at a length at which their start does not matter.
  const std::uint64_t many = machine.node.model == NodeModel::rates ? 1'000'000 : 65'536;
  const auto each = [&](Cycles cycles) { return machine.us(static_cast<double>(cycles) / static_cast<double>(many)); };
  const auto work = make_node_work(machine, 1, 1, true, run_by_model());
  costs.copy_us_per_byte = each(work->copy_out(0, many));
  costs.gamma_us_per_item = each(work->combine(0, many, many * Machine::item_bytes));
  costs.barrier_us_per_dim = parameters.barrier_us / machine.topology(dim).barrier_steps();
  return costs;
}

namespace {

/// This machine's notes about an operation.
struct Notes {
  Operation* partner;   ///< of a rendezvous
  std::byte* contents;  ///< of the message that it sends
  Cycles posted_at;
};

[[nodiscard]] Notes& notes(Operation& operation) { return operation.notes.as<Notes>(); }
[[nodiscard]] const Notes& notes(const Operation& operation) { return operation.notes.as<Notes>(); }

}  // namespace

void IdealMachine::unload() {
  if (program_ != nullptr) program_->stop();
  program_ = nullptr;
}

void IdealMachine::reset(const Machine& machine, unsigned dim, const RunConditions& conditions,
                         const IdealCosts& costs) {
  unload();
  const Machine::Node& node = machine.node;
  const Topology topology = machine.topology(dim);
  ProgrammedNodes::reset(machine, topology, topology.nodes(),
                         {.queued = node.startups == Startups::queued,
                          .engines = node.ports.shared(topology.outputs()) ? node.ports.engines : 0});
  conditions_ = conditions;
  costs_ = costs;
  buffers_.reset();
  statistics_ = {};
  nodes_.assign(topology.nodes(), {});
  end_.reset(nodes_.size());
}

RunResult IdealMachine::run(Program& program) {
  constexpr std::uint64_t steps_between_progress = 4096;
  program_ = &program;
  for (NodeId id = 0; id < nodes_.size(); ++id) start_program(id, jitter_us(id));
  const bool interrupted = !serve_all(steps_between_progress);
  RunResult result(end_.fault(), interrupted, end_.unfinished() == 0);
  result.us = result.status == RunResult::Status::finished ? end_.last_finish() : time();
  result.cycles = static_cast<Cycles>(std::llround(result.us * 1e-6 * machine().clock_hz));
  return result;
}

double IdealMachine::jitter_us(NodeId node) { return time_of(conditions_.jitter_of(node, nodes_[node].draws++)); }

void IdealMachine::take(NodeId node, Operation& operation) {
  issue(node, operation);
  notes(operation) = {nullptr, nullptr, now()};
}

void IdealMachine::requested(Operation& operation) {
  if (operation.kind != OperationKind::compute) return send(message_of(operation));
  finish_part(operation, work(operation.node, work_us(operation)));
}

double IdealMachine::work_us(const Operation& operation) const {
  const auto amount = static_cast<double>(operation.amount);
  switch (operation.work) {
    case Work::permute_bytes:
      return amount * costs_.message.rho_us_per_byte;
    case Work::copy_bytes:
      return amount * costs_.copy_us_per_byte;
    case Work::combine_items:  // the rest after the messages have been received, if combining may begin as they arrive
      return std::max(0.0, amount * costs_.gamma_us_per_item -
                               costs_.overlap_us_per_byte * static_cast<double>(operation.arrived.longest));
    case Work::calls:
      return 0;
    default:
      return machine().us(amount);
  }
}

// --- Sends ---------------------------------------------------------------------------------------------------------

/// The contents are copied now, because an arriving message may overwrite an exchange's buffer.
void IdealMachine::ask(Operation& send) {
  if (send.bytes > 0 && !send.outgoing.empty()) {
    notes(send).contents = buffers_.allocate(send.bytes);
    pack(send.outgoing, notes(send).contents);
  }
  nodes_[send.node].sending.push_back(&send);
  request(send);
}

uncontended::Circuit<double> IdealMachine::begin(const Message& message) {
  const Operation& send = *message.of;
  ++statistics_.circuits;
  statistics_.payload_bytes += send.bytes;
  const double jitter = jitter_us(send.node);
  if (send.signal) return {.startup = costs_.barrier_us_per_dim + jitter};
  const auto bytes = static_cast<double>(send.bytes);
  const double hop_count = topology().hops(send.node, send.peer);
  const ExchangeParameters& costs = send.kind == OperationKind::exchange ? costs_.exchange : costs_.message;
  double startup = costs.startup_us(bytes);
  double beyond = costs.transit_us(bytes, hop_count);
  if (costs.pairwise_sync_messages && notes(send).partner != nullptr && send.kind == OperationKind::exchange) {
    startup += costs.lambda0_us;
    beyond += costs.delta_us + costs.hop_us(0) * hop_count;
  }
  return {.startup = startup + jitter, .transit = beyond};
}

/// One of two partners of a rendezvous: their messages leave when both have asked.
void IdealMachine::meet(NodeId id, Operation& operation) {
  take(id, operation);
  std::list<Operation*>& asked = nodes_[operation.peer].rendezvous;
  const auto other = std::find_if(asked.begin(), asked.end(),
                                  [&](const Operation* waiting) { return are_partners(*waiting, operation); });
  if (other == asked.end()) {
    nodes_[id].rendezvous.push_back(&operation);
    return;
  }
  Operation& partner = **other;
  asked.erase(other);
  notes(operation).partner = &partner;
  notes(partner).partner = &operation;
  if (operation.kind != OperationKind::receive) ask(operation);
  if (partner.kind != OperationKind::receive) ask(partner);
}

void IdealMachine::start_send(NodeId node, Operation& operation) {
  if (operation.sync == PairwiseSync::on) return meet(node, operation);
  take(node, operation);
  ask(operation);
}

void IdealMachine::start_exchange(NodeId id, Operation& operation) {
  if (operation.sync == PairwiseSync::on) return meet(id, operation);
  take(id, operation);
  ask(operation);
  post(operation);
}

// --- Receives ------------------------------------------------------------------------------------------------------

void IdealMachine::start_receive(NodeId id, Operation& operation) {
  if (!takes_several(operation) && operation.sync == PairwiseSync::on) return meet(id, operation);
  take(id, operation);
  if (parts_left(operation) == 0) return complete(operation, time());
  post(operation);
}

/// Takes the arrived messages, and waits for the rest.
void IdealMachine::post(Operation& receive) {
  std::list<Arrived>& arrived = nodes_[receive.node].arrived;
  std::uint32_t left = messages_of(receive);
  for (auto it = arrived.begin(); it != arrived.end() && left > 0;) {
    if (!takes(receive, it->source, it->tag)) {
      ++it;
      continue;
    }
    this->receive(receive, *it);
    it = arrived.erase(it);
    --left;
  }
  if (left > 0) nodes_[receive.node].receives.push_back(&receive);
}

void IdealMachine::received(const Message& message) {
  Operation& send = *message.of;
  std::vector<Operation*>& sending = nodes_[send.node].sending;
  sending.erase(std::find(sending.begin(), sending.end(), &send));
  Operation* receiver = notes(send).partner;
  Node& node = nodes_[send.peer];
  const Arrived arrived{send.node, send.tag, send.bytes, send.check, notes(send).contents};
  if (receiver == nullptr) {
    const auto posted = std::ranges::find_if(
        node.receives, [&](const Operation* operation) { return takes(*operation, send.node, send.tag); });
    if (posted != node.receives.end()) {
      receiver = *posted;
      if (!takes_several(*receiver) || parts_left(*receiver) == 1) node.receives.erase(posted);
    }
  }
  if (receiver != nullptr) {
    receive(*receiver, arrived);
  } else {
    node.arrived.push_back(arrived);
  }
  finish_part(send, time());
}

void IdealMachine::receive(Operation& operation, const Arrived& message) {
  if (message.bytes > operation.room) end_.faults(too_long(operation, message.source, message.bytes, now()));
  if (message.contents != nullptr) {
    const Region to = region_for(operation, message.source);
    if (end_.fault().empty() && !to.empty()) unpack(message.contents, message.bytes, to);
    buffers_.release(message.contents, message.bytes);
  }
  note_received(operation, message.source, message.bytes, message.check);
  if (operation.kind == OperationKind::receive_counted && operation.sink != nullptr) {
    operation.sink->taken(operation, now());
  }
  finish_part(operation, time());
}

void IdealMachine::finished(NodeId node, std::exception_ptr error) {
  end_.program_ended(node, time());
  if (error != nullptr) end_.fails(node, error);
}

std::vector<WaitingNode> IdealMachine::waiting_nodes(std::size_t most) const {
  std::vector<WaitingNode> result;
  for (NodeId id = 0; id < nodes_.size() && result.size() < most; ++id) {
    const Node& node = nodes_[id];
    if (end_.has_ended(id)) continue;
    const auto waits = [&](WaitingNode::For what, const Operation& operation) {
      result.push_back(waits_for(what, operation, notes(operation).posted_at));
    };
    if (!node.sending.empty()) {
      waits(WaitingNode::For::circuit, *node.sending.front());
    } else if (!node.rendezvous.empty()) {
      waits(WaitingNode::For::partner, *node.rendezvous.front());
    } else if (!node.receives.empty()) {
      waits(WaitingNode::For::message, *node.receives.front());
    } else {
      result.push_back({.node = id});
    }
  }
  return result;
}

}  // namespace ecube
