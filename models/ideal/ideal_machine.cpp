// SPDX-License-Identifier: Apache-2.0
// The ideal machine: events in order of time, messages that take what the equation says.
#include "models/ideal/ideal_machine.h"

#include <algorithm>
#include <cmath>
#include <list>

#include "models/contract/operations.h"
#include "models/machine/random.h"
#include "models/node/node_work.h"

namespace ecube {

IdealCosts ideal_costs(const ExchangeParameters& parameters, const Machine& machine, unsigned dim) {
  IdealCosts costs;
  costs.message.lambda_us = parameters.lambda_us;
  costs.message.lambda0_us = parameters.lambda0_us;
  costs.message.tau_us_per_byte = parameters.tau_us_per_byte;
  costs.message.delta_us = parameters.delta_us;
  costs.message.delta_hop_us = parameters.delta_hop_us;
  costs.message.tau_hop_us_per_byte = parameters.tau_hop_us_per_byte;
  costs.message.short_bytes = parameters.short_bytes;
  costs.message.lambda_short_us = parameters.lambda_short_us;
  costs.message.delta_hop_short_us = parameters.delta_hop_short_us;
  costs.exchange = costs.message;
  // What the node's loops cost, at a length at which their begin does not count.
  const std::uint64_t many = machine.node.model == NodeModel::rates ? 1'000'000 : 65'536;
  const auto each = [&](Cycles cycles) { return machine.us(static_cast<double>(cycles) / static_cast<double>(many)); };
  const auto work = make_node_work(machine, 1, 1, true, run_by_model());
  costs.copy_us_per_byte = each(work->copy_out(0, many));
  costs.rho_us_per_byte = parameters.rho_us_per_byte;
  costs.gamma_us_per_item = each(work->combine(0, many, many * Machine::item_bytes));
  costs.barrier_us_per_dim = parameters.barrier_us / dim;
  costs.pairwise_sync_messages = parameters.pairwise_sync_messages;
  return costs;
}

namespace {

/// What this machine notes about an operation.
struct Notes {
  Operation* partner;  ///< of a rendezvous
  Cycles posted_at;
  std::uint32_t parts;  ///< still to complete
  std::uint32_t issue;  ///< counts the operations of a node
};

[[nodiscard]] Notes& notes(Operation& operation) { return operation.notes.as<Notes>(); }
[[nodiscard]] const Notes& notes(const Operation& operation) { return operation.notes.as<Notes>(); }

}  // namespace

/// A node's ports and processor, and what waits at it.
struct IdealMachine::Node {
  Node(std::uint32_t ports, std::uint32_t engines) : port_free(ports, 0.0), engine_free(engines, 0.0) {}

  std::vector<double> port_free;    ///< by inject port
  std::vector<double> engine_free;  ///< K engines only
  double processor_free = 0;
  std::list<Operation*> receives;    ///< posted, in order
  std::list<Operation*> rendezvous;  ///< exchanges whose partner has not asked yet
  std::list<std::uint32_t> arrived;  ///< messages without a receive, in order of arrival
  std::vector<Operation*> sending;
  std::uint64_t draws = 0;
  std::uint32_t issued = 0;
  bool has_finished = false;
};

IdealMachine::IdealMachine() = default;
IdealMachine::~IdealMachine() { unload(); }

void IdealMachine::unload() {
  if (program_ != nullptr) program_->stop();
  program_ = nullptr;
}

void IdealMachine::reset(const Machine& machine, unsigned dim, const RunConditions& conditions,
                         const IdealCosts& costs) {
  unload();
  machine_ = machine;
  dim_ = dim;
  ports_ = machine.node.ports.physical(dim);
  shares_ = ports_ > 1 && (machine.node.startups == Startups::queued || machine.node.ports.shared(dim));
  asked_.clear();
  conditions_ = conditions;
  costs_ = costs;
  now_us_ = 0;
  created_ = 0;
  events_ = {};
  messages_.clear();
  free_messages_.clear();
  buffers_.reset();
  statistics_ = {};
  last_finish_us_ = 0;
  interrupted_ = false;
  fault_.clear();
  error_ = nullptr;
  nodes_.clear();
  const std::uint32_t engines = machine.node.ports.shared(dim) ? machine.node.ports.engines : 0;
  nodes_.assign(std::size_t{1} << dim, Node(ports_, engines));
  unfinished_ = static_cast<NodeId>(nodes_.size());
}

RunResult IdealMachine::run(Program& program) {
  constexpr std::uint64_t steps_between_progress = 4096;
  program_ = &program;
  for (NodeId id = 0; id < nodes_.size(); ++id) schedule(jitter_us(id), {.kind = Kind::start, .node = id});
  for (std::uint64_t steps = 1; !events_.empty() && fault_.empty() && !interrupted_; ++steps) {
    const Event event = events_.top();
    events_.pop();
    now_us_ = event.us;
    step(event);
    if (steps % steps_between_progress == 0 && progress_ && !progress_(now_us_)) interrupted_ = true;
  }
  RunResult result;
  result.us = now_us_;
  result.fault = fault_;
  if (!fault_.empty()) {
    result.status = RunResult::Status::fault;
  } else if (interrupted_) {
    result.status = RunResult::Status::interrupted;
  } else if (unfinished_ != 0) {
    result.status = RunResult::Status::stalled;
  } else {
    result.us = last_finish_us_;
  }
  result.cycles = static_cast<Cycles>(std::llround(result.us * 1e-6 * machine_.clock_hz));
  return result;
}

void IdealMachine::schedule(double us, Event event) {
  event.us = us;
  event.number = created_++;
  events_.push(event);
}

void IdealMachine::step(const Event& event) {
  switch (event.kind) {
    case Kind::start:
      return program_->start(*this, event.node);
    case Kind::end_of_message:
      return end_message(event.message);
    case Kind::launch:
      return launch_asked();
    case Kind::resume:
      break;
  }
  event.operation->completed_at = now();
  event.operation->done = true;
  if (event.operation->waiter) continue_program(*event.operation);
}

double IdealMachine::jitter_us(NodeId node) {
  if (conditions_.jitter == 0) return 0;
  const std::uint64_t drawn = draw(conditions_.seed, node, nodes_[node].draws++);
  return machine_.us(static_cast<double>(up_to(drawn, conditions_.jitter)));
}

void IdealMachine::begin(NodeId node, Operation& operation) {
  begin_operation(operation, node, now(), dim_, ports_);
  notes(operation) = {nullptr, now(), parts_of(operation), nodes_[node].issued++};
}

void IdealMachine::start_compute(NodeId id, Operation& operation) {
  begin(id, operation);
  Node& node = nodes_[id];
  const auto amount = static_cast<double>(operation.amount);
  if (operation.work == Work::until) {
    finish_part(operation, std::max(now_us_, machine_.us(amount)));
    return;
  }
  const double us = operation.work == Work::permute_bytes   ? amount * costs_.rho_us_per_byte
                    : operation.work == Work::copy_bytes    ? amount * costs_.copy_us_per_byte
                    : operation.work == Work::combine_items ? combining_us(operation)
                    : operation.work == Work::calls         ? 0
                                                            : machine_.us(amount);
  node.processor_free = std::max(node.processor_free, now_us_) + us;
  finish_part(operation, node.processor_free);
}

/// What is left of combining when its messages have been received, if it may begin as they arrive.
double IdealMachine::combining_us(const Operation& operation) const {
  const double all = static_cast<double>(operation.amount) * costs_.gamma_us_per_item;
  return std::max(0.0, all - costs_.overlap_us_per_byte * static_cast<double>(operation.room));
}

// --- Sends ---------------------------------------------------------------------------------------------------------

/// Launches a send, at once or, where sends share the processor or engines, when all of this time are known: a
/// partner's program may have made several of a node's sends possible in an order that is not the node's own.
void IdealMachine::ask(Operation& operation) {
  if (!shares_) {
    (void)launch(operation, ready_to_start(operation));
    return;
  }
  if (asked_.empty()) schedule(now_us_, {.kind = Kind::launch});
  asked_.push_back(&operation);
}

void IdealMachine::launch_asked() {
  std::sort(asked_.begin(), asked_.end(), [](const Operation* a, const Operation* b) {
    return a->node != b->node ? a->node < b->node : notes(*a).issue < notes(*b).issue;
  });
  for (Operation* const operation : asked_) (void)launch(*operation, ready_to_start(*operation));
  asked_.clear();
}

double IdealMachine::ready_to_start(const Operation& operation) const {
  const Node& node = nodes_[operation.node];
  double from = std::max(now_us_, node.port_free[inject_port(operation, ports_)]);
  if (!node.engine_free.empty()) {
    from = std::max(from, *std::min_element(node.engine_free.begin(), node.engine_free.end()));
  }
  return from;
}

/// Start-up, and what the message takes beyond it.
std::pair<double, double> IdealMachine::cost(const Operation& operation) const {
  if (operation.signal) return {costs_.barrier_us_per_dim, 0};
  const auto bytes = static_cast<double>(operation.bytes);
  const double hop_count = hops(operation.node, operation.peer);
  const MessageCosts& costs = operation.kind == OperationKind::exchange ? costs_.exchange : costs_.message;
  const bool is_short = costs.short_bytes > 0 && bytes <= costs.short_bytes;
  const double hop_us = is_short ? costs.delta_hop_short_us : costs.delta_hop_us;
  double startup = operation.bytes == 0 ? costs.lambda0_us : is_short ? costs.lambda_short_us : costs.lambda_us;
  double beyond =
      costs.tau_us_per_byte * bytes + costs.delta_us + (hop_us + costs.tau_hop_us_per_byte * bytes) * hop_count;
  if (costs_.pairwise_sync_messages && notes(operation).partner != nullptr &&
      operation.kind == OperationKind::exchange) {
    startup += costs.lambda0_us;
    beyond += costs.delta_us + (costs.short_bytes > 0 ? costs.delta_hop_short_us : costs.delta_hop_us) * hop_count;
  }
  return {startup, beyond};
}

double IdealMachine::launch(Operation& operation, double from) {
  Node& node = nodes_[operation.node];
  auto [startup, beyond] = cost(operation);
  startup += jitter_us(operation.node);
  if (machine_.node.startups == Startups::queued) {
    from = std::max(from, node.processor_free);
    node.processor_free = from + startup;
  }
  const double end = from + startup + beyond;
  node.port_free[inject_port(operation, ports_)] = end;
  if (!node.engine_free.empty()) *std::min_element(node.engine_free.begin(), node.engine_free.end()) = end;

  std::uint32_t number = 0;
  if (free_messages_.empty()) {
    number = static_cast<std::uint32_t>(messages_.size());
    messages_.emplace_back();
  } else {
    number = free_messages_.back();
    free_messages_.pop_back();
  }
  Message& message = messages_[number];
  message = {.send = &operation,
             .receiver = notes(operation).partner,
             .source = operation.node,
             .destination = operation.peer,
             .type = operation.type,
             .bytes = operation.bytes,
             .tag = operation.tag};
  // Taken now: what arrives in the meantime may overwrite an exchange's buffer.
  if (operation.bytes > 0 && !operation.outgoing.empty()) {
    message.contents = buffers_.allocate(operation.bytes);
    pack(operation.outgoing, message.contents);
  }
  ++statistics_.circuits;
  statistics_.payload_bytes += operation.bytes;
  node.sending.push_back(&operation);
  schedule(end, {.kind = Kind::end_of_message, .message = number});
  return end;
}

/// One of two partners of a rendezvous: what they send leaves when both have asked.
void IdealMachine::meet(NodeId id, Operation& operation) {
  begin(id, operation);
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
  const auto sends = [](const Operation& half) { return half.kind != OperationKind::receive; };
  if (shares_) {
    if (sends(operation)) ask(operation);
    if (sends(partner)) ask(partner);
    return;
  }
  double from = now_us_;
  if (sends(operation)) from = std::max(from, ready_to_start(operation));
  if (sends(partner)) from = std::max(from, ready_to_start(partner));
  if (sends(operation)) (void)launch(operation, from);
  if (sends(partner)) (void)launch(partner, from);
}

void IdealMachine::start_send(NodeId node, Operation& operation) {
  if (operation.sync == PairwiseSync::on) return meet(node, operation);
  begin(node, operation);
  ask(operation);
}

void IdealMachine::start_exchange(NodeId id, Operation& operation) {
  if (operation.sync == PairwiseSync::on) return meet(id, operation);
  begin(id, operation);
  ask(operation);
  nodes_[id].receives.push_back(&operation);
  std::list<std::uint32_t>& arrived = nodes_[id].arrived;
  for (auto it = arrived.begin(); it != arrived.end(); ++it) {
    if (!takes(operation, messages_[*it].source, messages_[*it].type)) continue;
    const std::uint32_t number = *it;
    arrived.erase(it);
    nodes_[id].receives.pop_back();
    return receive(operation, number);
  }
}

// --- Receives ------------------------------------------------------------------------------------------------------

void IdealMachine::start_receive(NodeId id, Operation& operation) {
  if (!takes_several(operation) && operation.sync == PairwiseSync::on) return meet(id, operation);
  if (operation.kind == OperationKind::receive_each) operation.peer = id;
  begin(id, operation);
  if (notes(operation).parts == 0) {
    notes(operation).parts = 1;
    return finish_part(operation, now_us_);
  }
  std::list<std::uint32_t>& arrived = nodes_[id].arrived;
  for (auto it = arrived.begin(); it != arrived.end() && notes(operation).parts > 0;) {
    if (takes(operation, messages_[*it].source, messages_[*it].type)) {
      const std::uint32_t number = *it;
      it = arrived.erase(it);
      receive(operation, number);
    } else {
      ++it;
    }
  }
  if (notes(operation).parts > 0) nodes_[id].receives.push_back(&operation);
}

void IdealMachine::end_message(std::uint32_t number) {
  const Message message = messages_[number];
  std::vector<Operation*>& sending = nodes_[message.source].sending;
  sending.erase(std::find(sending.begin(), sending.end(), message.send));
  Operation* receiver = message.receiver;
  Node& node = nodes_[message.destination];
  if (receiver == nullptr) {
    const auto posted = std::find_if(node.receives.begin(), node.receives.end(), [&](const Operation* operation) {
      return takes(*operation, message.source, message.type);
    });
    if (posted != node.receives.end()) {
      receiver = *posted;
      if (!takes_several(*receiver) || notes(*receiver).parts == 1) node.receives.erase(posted);
    }
  }
  if (receiver != nullptr) {
    receive(*receiver, number);
  } else {
    node.arrived.push_back(number);
  }
  finish_part(*message.send, now_us_);
}

void IdealMachine::receive(Operation& operation, std::uint32_t number) {
  Message& message = messages_[number];
  if (message.bytes > operation.room && fault_.empty()) {
    fault_ = too_long(operation, message.source, message.bytes, now());
  }
  if (message.contents != nullptr) {
    const Region to = operation.incoming_from != nullptr
                          ? operation.incoming_from(operation.context, operation.node, message.source)
                          : operation.incoming;
    if (fault_.empty() && !to.empty()) unpack(message.contents, message.bytes, to);
    buffers_.release(message.contents, message.bytes);
  }
  operation.received_from = message.source;
  operation.received_bytes = message.bytes;
  receive_tag(operation, message.tag);
  if (operation.kind == OperationKind::receive_counted && operation.sink != nullptr) {
    operation.sink->taken(operation, now());
  }
  free_messages_.push_back(number);
  finish_part(operation, now_us_);
}

void IdealMachine::finish_part(Operation& operation, double us) {
  if (--notes(operation).parts == 0) schedule(us, {.kind = Kind::resume, .operation = &operation});
}

void IdealMachine::finished(NodeId node, std::exception_ptr error) {
  nodes_[node].has_finished = true;
  --unfinished_;
  last_finish_us_ = std::max(last_finish_us_, now_us_);
  if (error != nullptr && error_ == nullptr) {
    error_ = error;
    fault_ = escaped(node, error);
  }
}

std::vector<WaitingNode> IdealMachine::waiting_nodes(std::size_t most) const {
  std::vector<WaitingNode> result;
  for (NodeId id = 0; id < nodes_.size() && result.size() < most; ++id) {
    const Node& node = nodes_[id];
    if (node.has_finished) continue;
    WaitingNode wait{.node = id};
    const auto waits = [&](WaitingNode::For what, const Operation& operation) {
      wait = {id, what, operation.kind == OperationKind::receive_each ? any_node : operation.peer, operation.type,
              notes(operation).posted_at};
    };
    if (!node.sending.empty()) {
      waits(WaitingNode::For::circuit, *node.sending.front());
    } else if (!node.rendezvous.empty()) {
      waits(WaitingNode::For::partner, *node.rendezvous.front());
    } else if (!node.receives.empty()) {
      waits(WaitingNode::For::message, *node.receives.front());
    }
    result.push_back(wait);
  }
  return result;
}

}  // namespace ecube
