// SPDX-License-Identifier: Apache-2.0
// Traffic: messages that leave at given cycles, independent of earlier ones, to load the network. Which messages there
// are is drawn by a pattern, with random gaps, when they are asked for, or comes from a list.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "models/machine/cube.h"
#include "models/machine/topology.h"
#include "sw/api/firmware.h"

namespace ecube {

/// Gaps of a Bernoulli process: 1 + the failures before a success, by inversion (Devroye 1986, section X.2): 1 +
/// floor(log(u) / log(1 - p)), where u in (0, 1) is the upper 53 bits of a random number. Most gaps are looked up: the
/// numbers u are cut into pieces, and each piece in which the gap changes at most once stores where. The result is
/// always that of the formula.
class GeometricGaps {
 public:
  /// `probability` of a success is above 0; 1 or more: every gap is 1. The table is made for at least `worth_it` draws.
  GeometricGaps(double probability, std::uint64_t draws);
  static constexpr std::uint64_t worth_it = 50'000;

  [[nodiscard]] Cycles operator()(std::uint64_t random) const {
    const std::uint64_t place = random >> 11;
    const Piece& piece = pieces_[place >> piece_bits];
    if (piece.gap == 0) return by_formula(random);
    return place < piece.shorter_from ? piece.gap : piece.gap - 1;
  }
  [[nodiscard]] Cycles by_formula(std::uint64_t random) const;

 private:
  static constexpr unsigned piece_bits = 42;
  static constexpr std::uint64_t pieces = std::uint64_t{1} << (53 - piece_bits);
  struct Piece {
    std::uint64_t shorter_from = 0;  ///< from here on, in units of 2^-53, the gap is one less
    Cycles gap = 0;                  ///< 0: it changes more than once
  };

  double log_of_failure_ = 0;  ///< of a cycle in which no message leaves; 0 if one leaves in every cycle
  std::vector<Piece> pieces_;
};

/// One message, sent at `cycle` or as soon as its node can send it.
struct TrafficMessage {
  NodeId source = 0;
  NodeId destination = 0;
  Bytes bytes = 0;
  Cycles cycle = 0;
};

/// The message `after` waits until `before` has been received by its node, or until its node has sent `before`: until
/// the sender may go on. Messages by their numbers in a list.
struct TrafficDependency {
  std::uint32_t before = 0;
  std::uint32_t after = 0;
};

/// Who sends to whom. With d address bits s_(d-1) .. s_0 of the source (Dally & Towles 2004, section 3.2):
enum class TrafficPattern : std::uint8_t {
  uniform,     ///< any other node, at random
  bitcomp,     ///< d_i = not s_i
  bitrev,      ///< d_i = s_(d-1-i)
  transpose,   ///< the two halves of the address change places; for even d
  shuffle,     ///< d_i = s_(i-1 mod d)
  randperm,    ///< one permutation of the nodes, at random
  neighbor,    ///< the node across a random dimension
  hotspot,     ///< the last node with probability 1/4, otherwise uniform
  all_to_one,  ///< node 0, which sends nothing
};

struct TrafficWorkload {
  TrafficPattern pattern = TrafficPattern::uniform;
  std::uint64_t messages = 0;  ///< of each node
  double rate = 0;             ///< messages of each node per 1,000 cycles; gaps are geometric (a Bernoulli process)
  Bytes bytes = 0;
  std::uint64_t seed = 0;
};

/// More messages than this are refused: the receives of a node are counted in 32 bits.
inline constexpr std::uint64_t most_traffic_messages = 0xFFFFFFFF;

/// The messages of all nodes, those of one node in order of cycle. A plan by a pattern has no list: each message is a
/// function of seed, source and number.
class TrafficPlan {
 public:
  /// A node that its pattern maps to itself sends to itself.
  TrafficPlan(const TrafficWorkload& workload, Topology topology);
  /// `messages` in any order; those of one node and one cycle keep their order.
  TrafficPlan(std::vector<TrafficMessage> messages, Topology topology)
      : TrafficPlan(std::move(messages), {}, std::move(topology)) {}
  /// Messages of which some may wait for others: the cycle of such a message is the number of cycles, 1 at least,
  /// between the last end that it waits for and its turn. Where any waits, all keep their order at their node. No
  /// dependency closes a ring, and each is on a message that the waiting node sends or receives.
  TrafficPlan(std::vector<TrafficMessage> messages, const std::vector<TrafficDependency>& dependencies,
              Topology topology);

  /// The messages of one node, one after the other.
  class Reader {
   public:
    [[nodiscard]] bool ended() const { return number_ == count_; }
    /// The cycle of the present message.
    [[nodiscard]] Cycles due() const { return due_; }
    /// The present message; not after the end.
    [[nodiscard]] TrafficMessage message() const;
    void advance();

   private:
    friend class TrafficPlan;
    Reader(const TrafficPlan& plan, NodeId source);
    void find_due();

    const TrafficPlan* plan_;
    const TrafficMessage* listed_;  ///< the first message of the node; null of a pattern
    NodeId source_;
    std::uint64_t number_ = 0;
    std::uint64_t count_;
    Cycles due_ = 0;
    std::uint64_t stream_ = 0;  ///< of random numbers
  };
  [[nodiscard]] Reader of(NodeId source) const { return {*this, source}; }

  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Message i of all, in order of source, then of cycle; of its fields all but the cycle.
  [[nodiscard]] TrafficMessage without_cycle(std::uint64_t i) const;
  /// True when messages wait for others.
  [[nodiscard]] bool dependent() const { return !dependents_.empty(); }
  [[nodiscard]] std::size_t dependencies() const { return dependents_.size(); }
  /// Of a list: its message i, and the first message of a node (of one node more: the end).
  [[nodiscard]] const TrafficMessage& listed(std::uint32_t i) const { return list_[i]; }
  [[nodiscard]] std::uint32_t first_of(NodeId source) const { return static_cast<std::uint32_t>(first_[source]); }
  /// Of a plan with dependencies: the messages that wait for message i, and how many it waits for.
  [[nodiscard]] std::span<const std::uint32_t> dependents(std::uint32_t i) const {
    return std::span(dependents_).subspan(first_dependent_[i], first_dependent_[i + 1] - first_dependent_[i]);
  }
  [[nodiscard]] const std::vector<std::uint32_t>& waits_for() const { return waits_for_; }
  /// Calls action(message) for all messages, in order of source, then of cycle.
  template <class Action>
  void for_each(const Action& action) const {
    for (NodeId source = 0; source < topology_.nodes(); ++source) {
      for (Reader reader = of(source); !reader.ended(); reader.advance()) action(reader.message());
    }
  }

  /// Messages to each node.
  [[nodiscard]] const std::vector<std::uint32_t>& expected() const { return expected_; }
  [[nodiscard]] Bytes longest() const { return longest_; }
  /// The cycle of the last message, and the cycle at which the first of the sending nodes sends its last one; of
  /// messages that wait for no other.
  [[nodiscard]] Cycles last_cycle() const { return last_cycle_; }
  [[nodiscard]] Cycles first_end() const { return first_end_; }

 private:
  [[nodiscard]] std::uint64_t count_of(NodeId source) const;
  [[nodiscard]] NodeId destination(NodeId source, std::uint64_t random) const;
  /// Not inlined into destination(), which is quicker without the registers that this needs.
  [[nodiscard]] [[gnu::noinline]] NodeId some_neighbour(NodeId source, std::uint64_t random) const;
  void survey();

  Topology topology_;
  std::uint64_t size_ = 0;
  TrafficWorkload workload_;
  std::vector<NodeId> permuted_;  ///< of pattern randperm
  GeometricGaps gaps_{1, 0};
  std::vector<TrafficMessage> list_;      ///< in order of source, then of cycle; empty for a pattern
  std::vector<std::uint64_t> first_;      ///< [node]: its messages in the list are first_[node] .. first_[node + 1] - 1
  std::vector<std::uint32_t> expected_;   ///< [node]
  std::vector<std::uint32_t> waits_for_;  ///< [message], of a plan with dependencies
  std::vector<std::uint32_t> first_dependent_;  ///< [message], and one more
  std::vector<std::uint32_t> dependents_;
  Bytes longest_ = 0;
  Cycles last_cycle_ = 0;
  Cycles first_end_ = never;
};

/// The messages of a workload in order of source, then of cycle.
[[nodiscard]] std::vector<TrafficMessage> make_traffic(const TrafficWorkload& workload, const Topology& topology);

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
