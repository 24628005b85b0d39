// SPDX-License-Identifier: Apache-2.0
// The firmware that plays a plan whose messages wait for others.
#include <iterator>
#include <set>
#include <utility>

#include "sw/api/branches.h"
#include "sw/traffic/traffic.h"

namespace ecube {

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
