// SPDX-License-Identifier: Apache-2.0
// The ideal machine: firmware runs on it as on the SystemC machine, but every operation costs what the papers'
// equations say, and no circuit ever waits for another.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "models/contract/node_ports.h"
#include "models/contract/payload.h"
#include "models/contract/run.h"
#include "models/exchange/exchange_cost.h"

namespace ecube {

/// What a message of m bytes over h links takes, in us: lambda + m tau + delta + h (delta_hop + m tau_hop).
struct MessageCosts {
  double lambda_us = 0;
  double lambda0_us = 0;  ///< in place of lambda for a message of zero bytes
  double tau_us_per_byte = 0;
  double delta_us = 0;
  double delta_hop_us = 0;
  double tau_hop_us_per_byte = 0;
  double short_bytes = 0;  ///< messages of at most this many bytes take lambda_short and delta_hop_short; 0: none do
  double lambda_short_us = 0;
  double delta_hop_short_us = 0;
};

/// What operations cost, in us.
struct IdealCosts {
  MessageCosts message{};        ///< one way
  MessageCosts exchange{};       ///< each half of an exchange
  double rho_us_per_byte = 0;    ///< permuting
  double copy_us_per_byte = 0;   ///< copying
  double gamma_us_per_item = 0;  ///< combining
  /// Time in which combining goes on while a message arrives, for each of its bytes; 0 if it begins when it is
  /// received.
  double overlap_us_per_byte = 0;
  double barrier_us_per_dim = 0;  ///< a barrier's exchange in one dimension: Q / d
  // Calls of a collective routine cost nothing of their own: they are in the start-ups of its messages.
  /// A synchronised exchange is preceded by a zero-byte one.
  bool pairwise_sync_messages = false;
};

/// The costs that the exchange equation's parameters, for a cube of dimension `dim`, amount to. Combining costs what
/// `machine` charges.
[[nodiscard]] IdealCosts ideal_costs(const ExchangeParameters& parameters, const Machine& machine, unsigned dim);

/// Time is counted in us, as a double. Ports, engines and start-ups (overlapped or queued on the processor) are as in
/// the machine's description; the network is not: a message takes its cost and nothing else, is never lost and never
/// waits for a link or an eject port. Messages to oneself go over no link. A jitter lengthens node starts and start-ups
/// by the same draws as on the other engines.
class IdealMachine final : public NodePorts {
 public:
  /// Called now and then with the time reached, in us; returning false interrupts the run.
  using Progress = std::function<bool(double)>;

  IdealMachine();
  ~IdealMachine() override;
  IdealMachine(const IdealMachine&) = delete;
  IdealMachine& operator=(const IdealMachine&) = delete;

  /// Time 0 again, for another run. Ends the previous program.
  void reset(const Machine& machine, unsigned dim, const RunConditions& conditions, const IdealCosts& costs);
  /// Runs `program` on all nodes to the end. It must outlive the run.
  RunResult run(Program& program);
  /// Ends the program and forgets it; the statistics stay.
  void unload();

  [[nodiscard]] unsigned dim() const override { return dim_; }
  [[nodiscard]] Cycles now() const override { return static_cast<Cycles>(now_us_ * 1e-6 * machine_.clock_hz); }
  [[nodiscard]] double now_us() const override { return now_us_; }
  [[nodiscard]] const Machine& machine() const override { return machine_; }
  void start_send(NodeId node, Operation& operation) override;
  void start_receive(NodeId node, Operation& operation) override;
  void start_exchange(NodeId node, Operation& operation) override;
  void start_compute(NodeId node, Operation& operation) override;
  void finished(NodeId node, std::exception_ptr error) override;

  void on_progress(Progress progress) { progress_ = std::move(progress); }
  [[nodiscard]] const RunStatistics& statistics() const { return statistics_; }
  [[nodiscard]] NodeId unfinished() const { return unfinished_; }
  [[nodiscard]] std::exception_ptr error() const { return error_; }
  /// What the nodes that have not finished wait for, at most `most` of them, in order of node.
  [[nodiscard]] std::vector<WaitingNode> waiting_nodes(std::size_t most) const;

 private:
  struct Node;
  /// A message on its way, or arrived where nobody asked for it yet.
  struct Message {
    Operation* send = nullptr;
    Operation* receiver = nullptr;  ///< the partner of a rendezvous
    NodeId source = 0;
    NodeId destination = 0;
    std::uint32_t type = 0;
    Bytes bytes = 0;
    std::uint64_t tag = 0;
    std::byte* contents = nullptr;
  };
  enum class Kind : std::uint8_t { start, end_of_message, resume, launch };
  struct Event {
    double us = 0;
    std::uint64_t number = 0;  ///< order of creation, for events of the same time
    Kind kind = Kind::start;
    NodeId node = 0;
    std::uint32_t message = 0;
    Operation* operation = nullptr;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const { return a.us != b.us ? a.us > b.us : a.number > b.number; }
  };

  void schedule(double us, Event event);
  void step(const Event& event);
  void begin(NodeId node, Operation& operation);
  void meet(NodeId node, Operation& operation);
  void ask(Operation& operation);
  void launch_asked();
  [[nodiscard]] double ready_to_start(const Operation& operation) const;
  [[nodiscard]] double launch(Operation& operation, double from);
  [[nodiscard]] std::pair<double, double> cost(const Operation& operation) const;
  [[nodiscard]] double combining_us(const Operation& operation) const;
  [[nodiscard]] double jitter_us(NodeId node);
  void end_message(std::uint32_t number);
  void receive(Operation& operation, std::uint32_t number);
  void finish_part(Operation& operation, double us);

  Machine machine_;
  unsigned dim_ = 1;
  std::uint32_t ports_ = 1;
  bool shares_ = false;            ///< several sends of a node at once share its processor or its engines
  std::vector<Operation*> asked_;  ///< sends of this time that are still to be launched, where sends share
  RunConditions conditions_;
  IdealCosts costs_;
  double now_us_ = 0;
  std::uint64_t created_ = 0;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::vector<Node> nodes_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_messages_;
  BufferPool buffers_;
  Program* program_ = nullptr;
  Progress progress_;
  RunStatistics statistics_;
  NodeId unfinished_ = 0;
  double last_finish_us_ = 0;
  bool interrupted_ = false;
  std::string fault_;
  std::exception_ptr error_;
};

}  // namespace ecube
