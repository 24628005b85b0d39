// SPDX-License-Identifier: Apache-2.0
// The network interfaces of all nodes: ports, engines, start-ups, matching and payload.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hw/event_wheel.h"
#include "hw/fabric.h"
#include "models/payload.h"
#include "models/random.h"
#include "models/run.h"

namespace ecube {

/// Sections 4 and 8 of hw/README.md for every node. The nodes' modules own no state of their own beyond a reference to
/// this.
class NetworkInterfaces final : public FabricClient {
 public:
  NetworkInterfaces(Circuits& circuits, Fabric& fabric) : circuits_(circuits), fabric_(fabric) {}

  void reset(const Machine& machine, unsigned dim, const RunConditions& conditions);
  /// Starts `program` on every node and `port` of it; starts are spread by the jitter.
  void load(Program& program, std::span<NodePort* const> ports);

  [[nodiscard]] Cycles next_cycle() const { return wheel_.next_cycle(); }
  /// Does the work of this cycle, after the fabric's.
  void advance(Cycles now);
  [[nodiscard]] Cycles now() const { return now_; }
  /// Announces the cycle before the fabric does its work, so that what it reports is dated rightly.
  void begin_cycle(Cycles now) { now_ = now; }

  void start_send(NodeId node, Operation& operation);
  void start_receive(NodeId node, Operation& operation);
  void start_exchange(NodeId node, Operation& operation);
  void start_compute(NodeId node, Operation& operation);
  void finished(NodeId node, const std::exception_ptr& error);

  void probe_arrived(CircuitId id, Cycles at) override;
  void received(CircuitId id, Cycles at) override;
  void sent(CircuitId id, Cycles at) override;
  void blocked(const Circuit& circuit, bool link, Cycles cycles) override;

  [[nodiscard]] const RunStatistics& statistics() const { return statistics_; }
  [[nodiscard]] NodeId unfinished() const { return unfinished_; }
  [[nodiscard]] Cycles last_finish() const { return last_finish_; }
  /// A fault of the program: an escaped error, or a message longer than its receive. Empty when there is none.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] std::exception_ptr error() const { return error_; }
  /// What the nodes that have not finished wait for, at most `most` of them, in order of node.
  [[nodiscard]] std::vector<WaitingNode> waiting_nodes(std::size_t most) const;
  [[nodiscard]] std::size_t memory_bytes() const;
  void observe(Observer* observer) { observer_ = observer; }

 private:
  enum class Kind : std::uint8_t { resume, port_free, arrival, start };
  struct Event {
    union {
      Operation* operation;
      std::uint64_t number;  ///< node << 8 | port, or a circuit
    };
    Kind kind;
  };
  static_assert(sizeof(Event) == 16);

  struct List {
    Operation* head = nullptr;
    Operation* tail = nullptr;
    void append(Operation& operation);
    void remove(Operation* before, Operation& operation);
  };

  struct alignas(64) Node {
    Cycles processor_free = 0;
    List receives;                    ///< posted, in order
    Operation* rendezvous = nullptr;  ///< exchanges whose partner has not asked yet
    CircuitId arrived = no_circuit;   ///< messages without a receive, in order of arrival
    std::uint32_t in_flight = 0;      ///< messages on their way whose receive was not found yet
    std::uint32_t outstanding = 0;    ///< operations not yet done
    std::uint32_t issues = 0;
    std::uint32_t draws = 0;
    std::uint16_t sending = 0;  ///< send engines in use (K engines only)
    bool finished = false;
  };

  struct SendPort {
    Cycles free_at = 0;  ///< never while the tail of the circuit that uses it is not known
    List queue;
  };

  void issue(NodeId node, Operation& operation, std::uint32_t parts);
  void submit(Operation& operation);
  void serve_submitted();
  void enter_port(Operation& operation);
  void launch(Operation& operation, unsigned port);
  void prefetch_contents(const Operation& send) const;
  void begin_compute(Operation& operation);
  void serve_engines(NodeId node);
  void finish_part(Operation& operation, Cycles at);
  void serve_freed_ports();
  void serve_arrivals();
  void give_up_doubtful();
  bool match(CircuitId id, Cycles at, bool early);
  void match_arrived(Operation& receive);
  void complete_receive(Operation& operation, CircuitId id, Cycles at);
  void deliver(Operation& receive, Circuit& circuit);
  void deliver_rendezvous(Operation& receive, Operation& send);
  void stage(Circuit& circuit);
  void release_circuit(CircuitId id);
  void serve_probes();
  void serve_edge(EventWheel<Event>::Chunk* head);
  [[nodiscard]] Cycles jitter(NodeId node);

  Circuits& circuits_;
  Fabric& fabric_;
  Observer* observer_ = nullptr;
  Machine machine_;
  RunConditions conditions_;
  unsigned dim_ = 0;
  unsigned ports_ = 1;
  bool shared_engines_ = false;
  Cycles now_ = 0;
  EventWheel<Event> wheel_;
  std::uint64_t specials_ = 0;  ///< events in the wheel that are not a resume
  std::vector<Node> nodes_;
  std::vector<SendPort> send_ports_;     ///< [port][node]
  std::vector<List> engine_queues_;      ///< [node], K engines only
  std::vector<Cycles> receive_engines_;  ///< [node][engine], K engines only: free from
  std::vector<CircuitId> probes_;        ///< K engines: probes of this edge that wait for an engine
  std::vector<Operation*> submitted_;    ///< sends and work of this edge that may have to queue
  std::vector<std::uint64_t> freed_;
  std::vector<CircuitId> arrivals_;
  std::vector<CircuitId> doubtful_;  ///< forced arrivals of this edge without a receive so far
  BufferPool buffers_;
  Program* program_ = nullptr;
  std::vector<NodePort*> node_ports_;
  RunStatistics statistics_;
  NodeId unfinished_ = 0;
  Cycles last_finish_ = 0;
  std::string fault_;
  std::exception_ptr error_;
};

}  // namespace ecube
