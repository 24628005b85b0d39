// SPDX-License-Identifier: Apache-2.0
// Traffic: messages that leave at given cycles, independent of earlier ones, to load the network.
#pragma once

#include <cstdint>
#include <vector>

#include "sw/api/firmware.h"
#include "sw/traffic/traffic_plan.h"

namespace ecube {

/// Gets every message that arrived as it was sent.
class TrafficListener {
 public:
  /// `message` is received at edge `at`, which may lie ahead.
  virtual void received(const TrafficMessage& message, Cycles at) = 0;

 protected:
  ~TrafficListener() = default;
};

/// How the messages of a node become operations. `counted`: one receive for all messages to the node, and sends that
/// start only when their port is about to be free, so that only messages under way take memory. `separate`: a receive
/// for each message, and every send at its cycle, for observers of operations and for nodes that fail with sends
/// waiting. Messages take the same cycles either way. Messages that wait for others are always `separate`.
enum class TrafficOperations : std::uint8_t { counted, separate };

/// Sends the messages of a plan and receives them, each identified by a check word.
class Traffic final : private MessageSink {
 public:
  /// The plan and the listener outlive the traffic.
  explicit Traffic(const TrafficPlan& plan, TrafficListener* listener = nullptr,
                   TrafficOperations operations = TrafficOperations::counted)
      : plan_(plan), listener_(listener), operations_(operations), waits_for_(plan.waits_for()) {}

  [[nodiscard]] Task<> run(Node& node) {
    if (plan_.dependent()) return run_dependent(node);
    return operations_ == TrafficOperations::counted ? run_counted(node) : run_separate(node);
  }
  /// Messages that were not received by their destination, in their length, once.
  [[nodiscard]] std::uint64_t wrong() const { return strays_ + (plan_.size() - received_); }
  /// Messages under way at most, of all nodes together.
  [[nodiscard]] std::size_t most_under_way() const { return flights_.size(); }

 private:
  /// A message under way. Its check word is its place and `uses`, so that no check word is used twice.
  struct Flight {
    TrafficMessage message;
    std::uint32_t uses = 0;
    bool under_way = false;
  };

  class Dependent;  ///< one node of a plan whose messages wait for others

  Task<> run_counted(Node& node);
  Task<> run_separate(Node& node);
  Task<> run_dependent(Node& node);
  [[nodiscard]] Outgoing departs(const TrafficMessage& message);
  /// False for a message that was not sent like this.
  bool arrived(NodeId node, const Received& received, Cycles at);
  void taken(const Operation& receive, Cycles at) override;

  const TrafficPlan& plan_;
  TrafficListener* listener_;
  TrafficOperations operations_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> landed_;     ///< flights to be used again
  std::vector<std::uint32_t> waits_for_;  ///< [message]: messages that have not ended, of a plan with dependencies
  std::vector<std::uint32_t> numbers_;    ///< [flight]: its message, of a plan with dependencies
  std::uint64_t received_ = 0;
  std::uint64_t strays_ = 0;
};

}  // namespace ecube
