// SPDX-License-Identifier: Apache-2.0
// The ideal machine: firmware runs on it as on the SystemC machine, but every operation costs what the papers'
// equations say, and no circuit ever waits for another.
#pragma once

#include <list>
#include <vector>

#include "models/contract/payload.h"
#include "models/contract/run.h"
#include "models/exchange/exchange_cost.h"
#include "models/uncontended/nodes.h"

namespace ecube {

/// The costs of operations, in us. A message of m bytes over h links takes the message terms of the exchange's
/// parameters: lambda + m tau + delta + h (delta_hop + m tau_hop).
struct IdealCosts {
  ExchangeParameters message{};   ///< one way; also what permuting costs
  ExchangeParameters exchange{};  ///< each half of an exchange
  double copy_us_per_byte = 0;    ///< copying
  double gamma_us_per_item = 0;   ///< combining
  /// Time of combining during the arrival of a message, for each of its bytes; 0 if combining begins when it is
  /// received.
  double overlap_us_per_byte = 0;
  double barrier_us_per_dim = 0;  ///< a barrier's exchange in one dimension: Q / d
  // Calls of a collective routine are part of the start-ups of its messages.
};

/// The costs that the exchange equation's parameters, for a cube of dimension `dim`, amount to. Combining costs what
/// `machine` charges.
[[nodiscard]] IdealCosts ideal_costs(const ExchangeParameters& parameters, const Machine& machine, unsigned dim);

/// Time is counted in us, as a double. Ports, send engines and start-ups (overlapped or queued on the processor) are as
/// in the machine's description, and there are no receipts; computation queues on the processor like a start-up. The
/// machine's network is ignored: a message takes only its cost, is never lost and never waits for a link or an eject
/// port. It keeps its port and its send engine until it arrives. A message to itself uses no link. Jitter lengthens
/// node starts and start-ups by the same draws as on the other engines.
class IdealMachine final : public uncontended::ProgrammedNodes<double> {
 public:
  IdealMachine() = default;
  ~IdealMachine() override { unload(); }
  IdealMachine(const IdealMachine&) = delete;
  IdealMachine& operator=(const IdealMachine&) = delete;

  /// Time 0 again, for another run. Ends the previous program.
  void reset(const Machine& machine, unsigned dim, const RunConditions& conditions, const IdealCosts& costs);
  /// Runs `program` on all nodes to the end. It must outlive the run.
  RunResult run(Program& program);
  /// Ends the program and forgets it; the statistics stay.
  void unload();

  /// Whole cycles so far, one that lacks less than a hundredth included: 15 us times 1 MHz are 15, and not the 14.999..
  /// of their product, as are the sums of many times.
  [[nodiscard]] Cycles now() const override {
    constexpr double rounding = 0.01;
    return static_cast<Cycles>(time() * 1e-6 * machine().clock_hz + rounding);
  }
  [[nodiscard]] double now_us() const override { return time(); }
  void start_send(NodeId node, Operation& operation) override;
  void start_receive(NodeId node, Operation& operation) override;
  void start_exchange(NodeId node, Operation& operation) override;
  void finished(NodeId node, std::exception_ptr error) override;

  [[nodiscard]] const RunStatistics& statistics() const { return statistics_; }
  [[nodiscard]] NodeId unfinished() const { return end_.unfinished(); }
  [[nodiscard]] std::exception_ptr error() const { return end_.error(); }
  /// What the nodes that have not finished wait for, at most `most` of them, in order of node.
  [[nodiscard]] std::vector<WaitingNode> waiting_nodes(std::size_t most) const;

 private:
  struct Arrived {
    NodeId source = 0;
    std::uint32_t tag = 0;
    Bytes bytes = 0;
    std::uint64_t check = 0;
    std::byte* contents = nullptr;
  };
  /// Waiting operations and messages of a node.
  struct Node {
    std::list<Operation*> receives;    ///< posted, in order
    std::list<Operation*> rendezvous;  ///< exchanges whose partner has not asked yet
    std::list<Arrived> arrived;        ///< messages without a receive, in order of arrival
    std::vector<Operation*> sending;
    std::uint64_t draws = 0;
  };

  void take(NodeId node, Operation& operation);
  void meet(NodeId node, Operation& operation);
  void ask(Operation& send);
  void post(Operation& receive);
  void requested(Operation& operation) override;
  [[nodiscard]] bool over() const override { return !end_.fault().empty(); }
  [[nodiscard]] double time_of(Cycles cycle) const override { return machine().us(static_cast<double>(cycle)); }
  uncontended::Circuit<double> begin(const Message& message) override;
  void received(const Message& message) override;
  void receive(Operation& operation, const Arrived& message);
  [[nodiscard]] double work_us(const Operation& operation) const;
  [[nodiscard]] double jitter_us(NodeId node);

  RunConditions conditions_;
  IdealCosts costs_;
  std::vector<Node> nodes_;
  BufferPool buffers_;
  RunStatistics statistics_;
  ProgramEnds<double> end_;  ///< us
};

}  // namespace ecube
