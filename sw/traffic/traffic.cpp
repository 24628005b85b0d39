// SPDX-License-Identifier: Apache-2.0
// The firmware that plays a plan, whose messages may wait for others, and the check of every message.
#include "sw/traffic/traffic.h"

#include <deque>
#include <iterator>
#include <list>
#include <optional>
#include <set>
#include <utility>

#include "sw/api/node.h"

namespace ecube {
namespace {

/// A bounded number of sends under way of one node, in order of issue. They are complete before the object goes out of
/// scope, unless the whole program is abandoned.
class KeptSends {
 public:
  KeptSends(Node& node, std::size_t most) : node_(node), most_(most) {}
  KeptSends(const KeptSends&) = delete;
  KeptSends& operator=(const KeptSends&) = delete;

  /// Another send can be started: the oldest is complete, or the bound is not reached.
  [[nodiscard]] bool free() const { return sends_.size() < most_ || sends_.front().done; }
  void start(const Outgoing& message) {
    if (!sends_.empty() && sends_.front().done) {
      sends_.splice(sends_.end(), sends_, sends_.begin());
    } else {
      sends_.emplace_back();
    }
    Operation& send = sends_.back();
    send.peer = message.to;
    send.bytes = message.bytes;
    send.check = message.check;
    send.waiter = nullptr;
    node_.ports().start_send(node_.id(), send);
  }
  /// Continues `waiter` when the oldest send is complete, which it is not yet.
  void wait_for_oldest(std::coroutine_handle<> waiter) { sends_.front().waiter = waiter; }

  /// `co_await sends.all()` returns when all sends are complete.
  [[nodiscard]] Task<> all() {
    for (Operation& send : sends_) co_await Pending::Completion{send};
  }

 private:
  Node& node_;
  std::size_t most_;
  std::list<Operation> sends_;  ///< in order of issue
};

/// Wakes a program at a cycle, repeatedly. It has rung before it goes out of scope, unless the whole program is
/// abandoned.
class Alarm final : public Awaited {
 public:
  explicit Alarm(Node& node) : Awaited(node, CoreWork{.kind = Work::until}) { operation().done = true; }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  [[nodiscard]] bool is_set() const { return !operation().done; }
  /// It has rung for `cycle` or a later one. On the ideal machine, whose time is not in whole cycles, now() may then
  /// still be the cycle before.
  [[nodiscard]] bool has_rung(Cycles cycle) const { return operation().done && operation().until >= cycle; }
  /// Continues `waiter` at `cycle`.
  void set(Cycles cycle, std::coroutine_handle<> waiter) {
    operation().until = cycle;
    await_suspend(waiter);
  }
};

/// Suspends a program until its alarm rings, which it sets unless it is set, or until its oldest send is complete.
struct Next {
  Alarm& alarm;
  Cycles due;        ///< never: not for the alarm
  KeptSends* sends;  ///< null: not for a send

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) const {
    if (due != never && !alarm.is_set()) alarm.set(due, waiter);
    if (sends != nullptr) sends->wait_for_oldest(waiter);
  }
  void await_resume() const noexcept {}
};

}  // namespace

Task<> Traffic::run_counted(Node& node) {
  const std::uint32_t expected = plan_.expected()[node.id()];
  std::optional<Pending> receive;
  if (expected > 0) {
    receive.emplace(node.start_receive(IncomingCounted{.messages = expected, .bytes = plan_.longest(), .sink = this}));
  }
  // One send uses the port and the next one waits, so that the port is served as if all later sends waited. Where there
  // are several ports, any message may find its port free.
  const bool one_port = node.machine().node.ports.physical(node.topology().outputs()) == 1;
  KeptSends sends(node, one_port ? 2 : ~std::size_t{0});
  Alarm alarm(node);
  TrafficPlan::Reader due = plan_.of(node.id());
  TrafficPlan::Reader waiting = due;  ///< the first of the `late` messages that are due and not yet sent
  std::uint64_t late = 0;
  for (;;) {
    for (; late > 0 && sends.free(); --late) {
      sends.start(departs(waiting.message()));
      waiting.advance();
    }
    for (; !due.ended() && (due.due() <= node.now() || alarm.has_rung(due.due())); due.advance()) {
      if (late == 0 && sends.free()) {
        sends.start(departs(due.message()));
      } else if (late++ == 0) {
        waiting = due;
      }
    }
    if (due.ended() && late == 0 && !alarm.is_set()) break;
    co_await Next{alarm, due.ended() ? never : due.due(), late > 0 ? &sends : nullptr};
  }
  co_await sends.all();
  if (receive) co_await receive->completion();
}

Task<> Traffic::run_separate(Node& node) {
  // All receives are posted first, so that every message finds one.
  std::deque<Pending> receives;
  for (std::uint32_t i = 0; i < plan_.expected()[node.id()]; ++i) {
    receives.push_back(node.start_receive(Incoming{.bytes = plan_.longest()}));
  }
  std::deque<Pending> sends;
  for (TrafficPlan::Reader due = plan_.of(node.id()); !due.ended(); due.advance()) {
    if (node.now() < due.due()) co_await node.until(due.due());
    while (!sends.empty() && sends.front().done()) sends.pop_front();
    sends.push_back(node.start_send(departs(due.message())));
  }
  co_await node.all(sends);
  for (Pending& receive : receives) {
    const Received received = co_await receive;
    arrived(node.id(), received, receive.completed_at());
  }
}

Outgoing Traffic::departs(const TrafficMessage& message) {
  if (landed_.empty()) {
    landed_.push_back(static_cast<std::uint32_t>(flights_.size()));
    flights_.emplace_back();
  }
  const std::uint32_t place = landed_.back();
  landed_.pop_back();
  Flight& flight = flights_[place];
  flight.message = message;
  flight.under_way = true;
  ++flight.uses;
  return {.to = message.destination, .bytes = message.bytes, .check = std::uint64_t{flight.uses} << 32 | place};
}

bool Traffic::arrived(NodeId node, const Received& received, Cycles at) {
  const auto place = static_cast<std::uint32_t>(received.check);
  Flight* const flight = place < flights_.size() ? &flights_[place] : nullptr;
  const bool known = flight != nullptr && flight->under_way && flight->uses == received.check >> 32 &&
                     flight->message.destination == node && flight->message.source == received.from &&
                     flight->message.bytes == received.bytes;
  if (!known) {
    ++strays_;
    return false;
  }
  ++received_;
  if (listener_ != nullptr) listener_->received(flight->message, at);
  flight->under_way = false;
  landed_.push_back(place);
  return true;
}

void Traffic::taken(const Operation& receive, Cycles at) {
  arrived(receive.node,
          {.from = receive.received_from, .bytes = receive.received_bytes, .check = receive.received_check}, at);
}

/// Receives all messages to a node, and sends each of its messages when it is due. A waiting message is due at least a
/// cycle after the last end, so all messages due at an edge are known before any completion of that edge continues a
/// program: they leave in the order in which they became due, then of the list.
class Traffic::Dependent {
 public:
  Dependent(Traffic& traffic, Node& node) : traffic_(traffic), plan_(traffic.plan_), node_(node) {}
  Dependent(const Dependent&) = delete;
  Dependent& operator=(const Dependent&) = delete;

  [[nodiscard]] Task<> run() {
    // All receives are posted first, so that every message finds one.
    for (std::uint32_t i = 0; i < plan_.expected()[node_.id()]; ++i) branches_.start(receive());
    for (std::uint32_t i = plan_.first_of(node_.id()); i < plan_.first_of(node_.id() + 1); ++i) {
      if (plan_.waits_for()[i] == 0) takes_turn(i, plan_.listed(i).cycle);
    }
    start_due();
    co_await branches_;
  }

 private:
  Task<> receive() {
    const Received received = co_await node_.receive(Incoming{.bytes = plan_.longest()});
    if (traffic_.arrived(node_.id(), received, node_.now())) {
      ended(traffic_.numbers_[static_cast<std::uint32_t>(received.check)]);
    }
  }
  Task<> send(std::uint32_t number, Cycles turn) {
    TrafficMessage message = plan_.listed(number);
    message.cycle = turn;
    const Outgoing outgoing = traffic_.departs(message);
    traffic_.numbers_.resize(traffic_.flights_.size());
    traffic_.numbers_[static_cast<std::uint32_t>(outgoing.check)] = number;
    co_await node_.send(outgoing);
    // A message to itself ends with its reception.
    if (message.destination != node_.id()) ended(number);
  }
  Task<> wake(Cycles at) {
    co_await node_.until(at);
    start_due();
  }

  /// The node has sent or received a message.
  void ended(std::uint32_t number) {
    for (const std::uint32_t dependent : plan_.dependents(number)) {
      const TrafficMessage& message = plan_.listed(dependent);
      if (message.source == node_.id() && --traffic_.waits_for_[dependent] == 0) {
        takes_turn(dependent, node_.now() + message.cycle);
      }
    }
  }
  void takes_turn(std::uint32_t number, Cycles turn) {
    const auto at = turns_.emplace(turn, number).first;
    const bool known = at != turns_.begin() && std::prev(at)->first == turn;
    const bool known_behind = std::next(at) != turns_.end() && std::next(at)->first == turn;
    if (turn > node_.now() && !known && !known_behind) branches_.start(wake(turn));
  }
  void start_due() {
    while (!turns_.empty() && turns_.begin()->first <= node_.now()) {
      const auto [turn, number] = *turns_.begin();
      turns_.erase(turns_.begin());
      branches_.start(send(number, turn));
    }
  }

  Traffic& traffic_;
  const TrafficPlan& plan_;
  Node& node_;
  Branches branches_;
  std::set<std::pair<Cycles, std::uint32_t>> turns_;  ///< messages whose turn is known and has not come
};

Task<> Traffic::run_dependent(Node& node) {
  Dependent here(*this, node);
  co_await here.run();
}

}  // namespace ecube
