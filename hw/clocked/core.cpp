// SPDX-License-Identifier: Apache-2.0
// Programs and computation.
#include "hw/clocked/core.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "hw/clocked/library/message_library.h"
#include "hw/clocked/library/rendezvous.h"
#include "models/contract/operations.h"
#include "models/contract/payload.h"

namespace ecube::clocked {

namespace {

/// Accounts for the cycles from `state.accounted` to `until` - 1. Phits passed either in all of these cycles or in
/// none.
void account_alike(ProcessorState& state, Cycles until, bool excluded) {
  if (until <= state.accounted) return;
  const Cycles own_from = std::max(state.accounted, std::min(state.library_until, until));
  const Cycles own = excluded ? 0 : until - own_from;
  state.accounted = until;
  if (state.work.empty()) {
    state.idle += own;
  } else {
    ProcessorState::Work& work = state.work.front();
    work.had += own;
    if (!work.loop) work.left -= std::min(own, work.left);
  }
}

}  // namespace

void account(ProcessorState& state, Cycles now, std::uint32_t begun, bool exclusive) {
  if (now == 0) return;
  account_alike(state, now - 1, exclusive && state.passing != 0);
  account_alike(state, now, exclusive && (state.passing | begun) != 0);
}

Cycles expected_end(const ProcessorState& state, bool exclusive) {
  if (state.work.empty() || (exclusive && state.passing != 0)) return never;
  const ProcessorState::Work& work = state.work.front();
  return std::max(state.accounted, state.library_until) + (work.loop ? 1 : work.left);
}

Core::Core(const sc_core::sc_module_name& name, NodeId node, const Setting& setting, Rendezvous& rendezvous)
    : sc_core::sc_module(name),
      sent_first_i("sent_first_i", setting.shape.ports),
      sent_tail_i("sent_tail_i", setting.shape.ports),
      received_first_i("received_first_i", setting.shape.ports),
      received_tail_i("received_tail_i", setting.shape.ports),
      node_(node),
      setting_(setting),
      rendezvous_(rendezvous) {
  SC_HAS_PROCESS(Core);
  SC_METHOD(clock_edge);
  sensitive << clk_i.pos();
  dont_initialize();
  SC_METHOD(continue_programs);
  sensitive << continue_;
  dont_initialize();
  SC_METHOD(postpone);
  sensitive << postpone_;
  dont_initialize();
}

void Core::load(Program& program, NodePorts& ports) {
  program_ = &program;
  ports_ = &ports;
  jitter_.reset(setting_.conditions, node_);
  start_at_ = jitter_.next();
  wake_at_ = never;
  dead_from_ = dead_from(setting_.conditions.failures, node_);
  processor_ = {};
  idle_before_.clear();
  requests_.clear();
  completions_.clear();
  issued_ = 0;
  running_ = true;
  started_ = false;
  finished_at_ = 0;
  error_ = nullptr;
}

// --- The processor -------------------------------------------------------------------------------------------------

void Core::account_now() {
  if (processor_.accounted == now()) return;
  std::uint32_t begun = 0;
  std::uint32_t ended = 0;
  bool first_arrived = false;
  // Ports are read only at an edge at which the core is clocked. At others no port has reported; a report that is just
  // being driven belongs to the next edge.
  const unsigned reporting = clk_i.posedge() ? static_cast<unsigned>(sent_tail_i.size()) : 0;
  for (unsigned p = 0; p < reporting; ++p) {
    const std::uint32_t sends = 1U << p;
    const std::uint32_t receives = 0x10000U << p;
    if (sent_first_i[p].read()) begun |= sends;
    if (sent_tail_i[p].read()) ended |= sends;
    if (received_first_i[p].read()) {
      begun |= receives;
      first_arrived = true;
    }
    if (received_tail_i[p].read()) ended |= receives;
  }
  account(processor_, now(), begun, exclusive());
  processor_.passing = (processor_.passing | begun) & ~ended;
  if (first_arrived && setting_.machine.library.combining == Combining::arriving) {
    idle_before_[now()] = processor_.idle;
  }
  if (!processor_.work.empty() && processor_.work.front().loop) go_on_with_loop();
}

Cycles Core::library_work(Cycles length) {
  account_now();
  processor_.library_until = std::max(processor_.library_until, now()) + length;
  return processor_.library_until;
}

void Core::begin_compute(Request& request) {
  account_now();
  const Operation& operation = *request.operation;
  ProcessorState::Work work{.request = &request};
  work.waits = is_loop(operation.work) && setting_.work->loops() != nullptr;
  if (!work.waits) {
    try {
      work.left = work_of(operation);
    } catch (const std::exception&) {
      loop_fails();
    }
  }
  processor_.work.push_back(work);
  finish_computation();
}

/// A loop that faults ends the run.
void Core::loop_fails() {
  if (error_ == nullptr) error_ = std::current_exception();
}

/// The first computation is a loop of a detailed node, and begins.
void Core::begin_loop(ProcessorState::Work& work) {
  work.waits = false;
  work.begun = now();
  work.had = 0;
  const Operation& operation = *work.request->operation;
  try {
    if (const auto loop = setting_.work->loops()->loop_of(operation); loop) {
      work.loop = true;
      if (memory->begin(*loop, setting_.work->loops()->state_of(node_))) end_loop(work);
    }
  } catch (const std::exception&) {
    work.loop = false;
    loop_fails();
  }
}

void Core::go_on_with_loop() {
  ProcessorState::Work& work = processor_.work.front();
  try {
    if (!memory->go_on(work.had)) return;
    end_loop(work);
  } catch (const node::LoopFault& fault) {
    const Operation& operation = *work.request->operation;
    const auto loop = setting_.work->loops()->loop_of(operation);
    if (error_ == nullptr) error_ = std::make_exception_ptr(fault_of(loop->name, fault));
    work.loop = false;
  }
}

void Core::end_loop(ProcessorState::Work& work) {
  NodeLoops& loops = *setting_.work->loops();
  node::MemoryState state = loops.state_of(node_);
  const NodeLoops::Run run = run_of(setting_.machine, memory->end(state));
  loops.leave(node_, std::move(state));
  work.loop = false;
  if (setting_.observer != nullptr) setting_.observer->loops(*work.request->operation, run.times, work.begun);
}

Cycles Core::work_of(const Operation& operation) const {
  switch (operation.work) {
    case Work::permute_bytes:
      return setting_.work->permute(operation);
    case Work::copy_bytes:
      return setting_.work->copy(node_, operation.amount);
    case Work::combine_items:
      return combining_left(operation);
    case Work::calls:
      return setting_.machine.call_cycles(operation.amount, operation.call_bytes);
    case Work::loop:
      return setting_.work->loop(node_, *operation.loop);
    case Work::cycles:
    case Work::until:
      break;
  }
  return operation.amount;
}

/// Cycles of combining that are left when the messages have been received.
Cycles Core::combining_left(const Operation& operation) const {
  const Machine& machine = setting_.machine;
  const ArrivedItems& came = operation.arrived;
  const Cycles all = setting_.work->combine(node_, operation.amount, came.bytes);
  if (machine.library.combining == Combining::received || came.since == 0 || operation.amount == 0) return all;
  // The last phit of each message cannot be combined before it has arrived.
  const std::uint64_t item_bytes = came.bytes / operation.amount;
  const std::uint64_t items = (machine.link.phit_bytes + item_bytes - 1) / item_bytes * came.messages;
  const Cycles last = setting_.work->combine(node_, items, items * item_bytes);
  const auto since = idle_before_.find(came.since);
  const Cycles done = since == idle_before_.end() ? 0 : processor_.idle - since->second;
  return std::min(all, std::max(last, all - std::min(all, done)));
}

void Core::finish_computation() {
  std::deque<ProcessorState::Work>& all = processor_.work;
  while (!all.empty()) {
    if (all.front().waits) begin_loop(all.front());
    if (all.front().loop || all.front().left > 0) return;
    Request& request = *all.front().request;
    all.pop_front();
    complete(request, now());
  }
}

Cycles Core::next_edge() const {
  Cycles next = std::min(wake_at_, expected_end(processor_, exclusive()));
  if (!completions_.empty()) next = std::min(next, completions_.begin()->first);
  return running_ && !started_ ? std::min(next, start_at_) : next;
}

// --- The program ---------------------------------------------------------------------------------------------------

void Core::clock_edge() {
  if (rst_i.read() || program_ == nullptr) return;
  account_now();
  finish_computation();
  const bool starts = !started_ && start_at_ == now();
  if (starts || wake_at_ == now() || (!completions_.empty() && completions_.begin()->first <= now())) {
    continue_.notify(sc_core::SC_ZERO_TIME);
  }
}

void Core::complete(Request& request, Cycles at) {
  completions_.emplace(std::max(at, now()), &request);
  if (at > now()) return;
  // Operations that complete while programs are continued wait for the next round, after all programs of this round
  // have asked.
  (continuing_ ? postpone_ : continue_).notify(sc_core::SC_ZERO_TIME);
}

void Core::continue_programs() {
  if (program_ == nullptr) return;
  continuing_ = true;
  // Only the operations that are complete now: those that complete while programs are continued wait for the next
  // round.
  std::vector<Request*> complete;
  while (!completions_.empty() && completions_.begin()->first <= now()) {
    complete.push_back(completions_.begin()->second);
    completions_.erase(completions_.begin());
  }
  const bool goes_on = now() < dead_from_;
  if (!started_ && start_at_ <= now()) {
    started_ = true;
    if (goes_on && setting_.observer != nullptr) setting_.observer->program_starts(node_, now());
    if (goes_on) program_->start(*ports_, node_);
  }
  if (wake_at_ <= now()) {
    wake_at_ = never;
    if (goes_on) program_->woken(*ports_, node_);
  }
  std::sort(complete.begin(), complete.end(), [](const Request* a, const Request* b) { return a->number < b->number; });
  for (Request* const request : complete) {
    Operation& operation = *request->operation;
    if (--request->completions > 0) continue;  // a message of a counted receive
    requests_.remove_if([request](const Request& each) { return &each == request; });
    operation.completed_at = now();
    operation.done = true;
    if (setting_.observer != nullptr) setting_.observer->completed(operation, now());
    if (operation.waiter && goes_on) ports_->continue_program(operation);
  }
  continuing_ = false;
}

void Core::start(Operation& operation) {
  if (operation.kind == OperationKind::receive_each) operation.peer = node_;
  begin_operation(operation, node_, now(), setting_.shape.dim, setting_.shape.ports);
  Request& request = requests_.emplace_back();
  request.operation = &operation;
  request.number = issued_++;
  request.issued_at = now();
  request.parts = parts_of(operation);
  request.open = messages_of(operation);
  if (operation.kind == OperationKind::receive_counted) request.completions = std::max(request.parts, 1U);
  if (setting_.observer != nullptr) setting_.observer->issued(operation, now());

  if (operation.kind == OperationKind::compute) {
    if (operation.work == Work::until) return complete(request, std::max(now(), Cycles{operation.amount}));
    if (setting_.observer != nullptr) setting_.observer->begins(operation, now());
    return begin_compute(request);
  }
  if (takes_several(operation) && request.parts == 0) return complete(request, now());
  if (operation.kind == OperationKind::send || operation.kind == OperationKind::exchange) {
    request.message = std::make_shared<Message>(Message{.source = node_,
                                                        .destination = operation.peer,
                                                        .type = operation.type,
                                                        .label = operation.label,
                                                        .bytes = operation.bytes,
                                                        .tag = operation.tag,
                                                        .request = request.number,
                                                        .carries = operation.bytes > 0 && !operation.outgoing.empty()});
    // A copy of the bytes now: an exchange in place receives into the memory that it sends from.
    if (request.message->carries) {
      request.message->contents.resize(operation.outgoing.bytes());
      pack(operation.outgoing, request.message->contents.data());
    }
  }
  if (meets(operation)) return rendezvous_.ask(node_, request);
  switch (operation.kind) {
    case OperationKind::send:
      return library->send(request);
    case OperationKind::receive:
    case OperationKind::receive_each:
    case OperationKind::receive_counted:
      return library->receive(request);
    case OperationKind::exchange:
      return library->exchange(request);
    case OperationKind::compute:
      break;
  }
}

/// On a machine without protocol, partners that synchronise meet before their messages leave.
bool Core::meets(const Operation& operation) const {
  return operation.sync == PairwiseSync::on && !setting_.protocol() && !takes_several(operation);
}

void Core::finished(std::exception_ptr error) {
  running_ = false;
  finished_at_ = now();
  // A loop of the program may have faulted before.
  if (error_ == nullptr) error_ = std::move(error);
  if (setting_.observer != nullptr) setting_.observer->program_ends(node_, now());
}

}  // namespace ecube::clocked
