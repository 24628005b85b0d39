// SPDX-License-Identifier: Apache-2.0
// Programs and computation.
#include "hw/clocked/core.h"

#include <algorithm>
#include <utility>

#include "hw/clocked/memory/node_memory.h"
#include "models/contract/operations.h"
#include "models/contract/payload.h"

namespace ecube::clocked {

Core::Core(const sc_core::sc_module_name& name, NodeId node, const Setting& setting, MessageLibrary& library,
           NodeMemory* memory)
    : sc_core::sc_module(name), setting_(setting), node_(node), library_(library), memory_(memory) {
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
  static_cast<CoreState&>(*this) = {};
  program_ = &program;
  ports_ = &ports;
  running_ = true;
  start_at_ = jitter();
  dead_from_ = dead_from(setting_.conditions.failures, node_);
  processor_.exclusive = setting_.machine.node.overlap == Overlap::off;
  processor_.while_arriving = setting_.machine.library.combining == Combining::arriving;
}

// --- The processor -------------------------------------------------------------------------------------------------

/// Accounts for the cycles up to `until` - 1. Phits passed either in all of these cycles or in none.
void Processor::account_alike(Cycles until, bool excluded) {
  if (until <= accounted) return;
  const Cycles own_from = std::max(accounted, std::min(library_until, until));
  const Cycles own = excluded ? 0 : until - own_from;
  accounted = until;
  if (work.empty()) {
    idle += own;
  } else {
    Work& first = work.front();
    first.had += own;
    if (!first.loop) first.left -= std::min(own, first.left);
  }
}

/// Rule 5.1.
void Processor::account(Cycles now, const Phits& phits) {
  if (now > 0) {
    account_alike(now - 1, exclusive && passing != 0);
    account_alike(now, exclusive && (passing | phits.begun) != 0);
  }
  passing = (passing | phits.begun) & ~phits.ended;
  if (phits.first_arrived && while_arriving) idle_before[now] = idle;
}

/// Rule 5.1.
Cycles Processor::expected_end() const {
  if (work.empty() || (exclusive && passing != 0)) return never;
  return std::max(accounted, library_until) + (work.front().loop ? 1 : work.front().left);
}

/// Rule 4.4: whatever became due before is served before.
Cycles Processor::library_work(Cycles now, Cycles length) {
  library_until = std::max(library_until, now) + length;
  return library_until;
}

/// Rule 5.3: idle cycles since the first phit have combined what had come, but for the last phit of each message.
Cycles Processor::combining_left(const Operation& combine, const Setting& setting, NodeId node) const {
  const ArrivedItems& came = combine.arrived;
  const Cycles whole = setting.work->combine(node, combine.amount, came.bytes);
  if (!while_arriving || came.since == 0 || combine.amount == 0) return whole;
  const auto first_phit = idle_before.find(came.since);
  if (first_phit == idle_before.end()) return whole;
  const Cycles idle_since = idle - first_phit->second;
  const Bytes item = came.bytes / combine.amount;
  const Bytes phit = setting.machine.link.phit_bytes;
  const std::uint64_t items = came.messages * (phit / item + (phit % item != 0));
  const Cycles after_the_last = setting.work->combine(node, items, items * item);
  if (whole <= after_the_last) return whole;
  return idle_since < whole - after_the_last ? whole - idle_since : after_the_last;
}

void Core::account_now() {
  if (processor_.accounted == now()) return;
  Processor::Phits phits;
  // Ports are read only at an edge at which the core is clocked. At others no port has reported; a report that is just
  // being driven belongs to the next edge.
  const unsigned reporting = clk_i.posedge() ? static_cast<unsigned>(sent_tail_i.size()) : 0;
  for (unsigned p = 0; p < reporting; ++p) {
    const std::uint32_t sends = 1U << p;
    const std::uint32_t receives = 0x10000U << p;
    if (sent_first_i[p].read()) phits.begun |= sends;
    if (sent_tail_i[p].read()) phits.ended |= sends;
    if (received_first_i[p].read()) {
      phits.begun |= receives;
      phits.first_arrived = true;
    }
    if (received_tail_i[p].read()) phits.ended |= receives;
  }
  processor_.account(now(), phits);
  if (!processor_.work.empty() && processor_.work.front().loop) go_on_with_loop();
}

Cycles Core::library_work(Cycles length) {
  account_now();
  return processor_.library_work(now(), length);
}

/// Rule 5.2.
void Core::begin_compute(Request& request) {
  account_now();
  const Operation& operation = *request.operation;
  Processor::Work work{.request = &request};
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
void Core::begin_loop(Processor::Work& work) {
  work.waits = false;
  work.begun = now();
  work.had = 0;
  const Operation& operation = *work.request->operation;
  try {
    if (const auto loop = setting_.work->loops()->loop_of(operation); loop) {
      work.loop = true;
      if (memory_->begin(*loop, setting_.work->loops()->state_of(node_))) end_loop(work);
    }
  } catch (const std::exception&) {
    work.loop = false;
    loop_fails();
  }
}

void Core::go_on_with_loop() {
  Processor::Work& work = processor_.work.front();
  try {
    if (!memory_->go_on(work.had)) return;
    end_loop(work);
  } catch (const node::LoopFault& fault) {
    const Operation& operation = *work.request->operation;
    const auto loop = setting_.work->loops()->loop_of(operation);
    if (error_ == nullptr) error_ = std::make_exception_ptr(fault_of(loop->name, fault));
    work.loop = false;
  }
}

void Core::end_loop(Processor::Work& work) {
  NodeLoops& loops = *setting_.work->loops();
  node::MemoryState state = loops.state_of(node_);
  const NodeLoops::Run run = run_of(setting_.machine, memory_->end(state));
  loops.leave(node_, std::move(state));
  work.loop = false;
  if (setting_.observer != nullptr) setting_.observer->loops(*work.request->operation, run.times, work.begun);
}

Cycles Core::work_of(const Operation& operation) const {
  if (operation.work == Work::combine_items) return processor_.combining_left(operation, setting_, node_);
  return setting_.work->cycles(operation);
}

void Core::finish_computation() {
  std::deque<Processor::Work>& all = processor_.work;
  while (!all.empty()) {
    if (all.front().waits) begin_loop(all.front());
    if (all.front().loop || all.front().left > 0) return;
    Request& request = *all.front().request;
    all.pop_front();
    complete(request, now());
  }
}

Cycles Core::next_edge() const {
  const Cycles next = std::min({start_at_, wake_at_, processor_.expected_end()});
  return completions_.empty() ? next : std::min(next, completions_.begin()->first);
}

// --- The program ---------------------------------------------------------------------------------------------------

void Core::clock_edge() {
  if (rst_i.read() || program_ == nullptr) return;
  account_now();
  finish_computation();
  if (start_at_ == now() || wake_at_ == now() || (!completions_.empty() && completions_.begin()->first <= now())) {
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

/// Rules 8.3 and 12.2.
void Core::continue_programs() {
  if (program_ == nullptr || error_ != nullptr) return;
  continuing_ = true;
  // Only the operations that are complete now: those that complete while programs are continued wait for the next
  // round.
  std::vector<Request*> complete;
  while (!completions_.empty() && completions_.begin()->first <= now()) {
    complete.push_back(completions_.begin()->second);
    completions_.erase(completions_.begin());
  }
  const bool goes_on = now() < dead_from_;
  if (start_at_ <= now()) {
    start_at_ = never;
    if (goes_on && setting_.observer != nullptr) setting_.observer->program_starts(node_, now());
    if (goes_on) program_->start(*ports_, node_);
  }
  if (wake_at_ <= now()) {
    wake_at_ = never;
    if (goes_on) program_->woken(*ports_, node_);
  }
  std::sort(complete.begin(), complete.end(), [](const Request* a, const Request* b) { return a->number < b->number; });
  for (Request* const request : complete) {
    if (error_ != nullptr) break;  // operations of a program that failed are gone
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
  begin_operation(operation, node_, now(), setting_.topology, setting_.shape.ports);
  check_on_planes(operation, setting_.topology, setting_.machine);
  Request& request = requests_.emplace_back();
  request.operation = &operation;
  request.number = issued_++;
  request.issued_at = now();
  request.parts = parts_of(operation);
  request.open = messages_of(operation);
  if (operation.kind == OperationKind::receive_counted) request.completions = std::max(request.parts, 1U);
  if (setting_.observer != nullptr) setting_.observer->issued(operation, now());

  if (operation.kind == OperationKind::compute) {
    if (operation.work == Work::tune) return library_.tune(request);
    if (operation.work == Work::until) return complete(request, std::max(now(), Cycles{operation.until}));
    if (setting_.observer != nullptr) setting_.observer->begins(operation, now());
    return begin_compute(request);
  }
  if (takes_several(operation) && request.parts == 0) return complete(request, now());
  if (operation.kind == OperationKind::send || operation.kind == OperationKind::exchange) {
    library_.called(request);
    const CircuitRecord record{.bytes = operation.bytes,
                               .check = operation.check,
                               .source = node_,
                               .destination = operation.peer,
                               .tag = operation.tag,
                               .label = operation.label};
    request.message = std::make_shared<Message>(Message{record, &request});
    // A copy of the bytes now: an exchange in place receives into the memory that it sends from.
    if (operation.bytes > 0 && !operation.outgoing.empty()) {
      request.message->contents.resize(operation.outgoing.bytes());
      pack(operation.outgoing, request.message->contents.data());
    }
  }
  if (meets(operation)) return library_.meet(request);
  if (operation.kind == OperationKind::send) return library_.send(request);
  operation.kind == OperationKind::exchange ? library_.exchange(request) : library_.receive(request);
}

/// Rules 4.9 and 4.10: on a machine without protocol, partners that synchronise meet before their messages leave.
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
