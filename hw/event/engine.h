// SPDX-License-Identifier: Apache-2.0
// The whole machine on one wheel of cycles: its parts, how they are connected, and the order of work within a cycle.
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hw/event/circuit_switching.h"
#include "hw/event/features.h"
#include "hw/event/fetch_ahead.h"
#include "hw/event/interface_ports.h"
#include "hw/event/loops_under_way.h"
#include "hw/event/matching.h"
#include "hw/event/message_library.h"
#include "hw/event/payload.h"
#include "hw/event/planes.h"
#include "hw/event/processors.h"
#include "hw/event/routers.h"
#include "hw/event/worms.h"
#include "models/contract/operations.h"
#include "models/node/node_work.h"

namespace ecube {

/// A machine without SystemC around it. The caller of step(), which goes through the cycles in order, decides what time
/// is. Programs see the engine as their nodes.
class Engine final : public NodePorts, private event::WormClient, private event::LibraryHost, private event::PlaneHost {
 public:
  Engine() = default;

  /// Cycle 0 again.
  void reset(const Machine& machine, unsigned dim, const RunConditions& conditions);
  /// Starts `program` on every node; starts are spread by the jitter.
  void load(Program& program);
  /// Calls Program::woken() for `node` at the future edge `at`.
  void wake(NodeId node, Cycles at) { push(at, Kind::program_woken, node); }
  /// The next cycle in which anything happens, or never.
  [[nodiscard]] Cycles next_cycle() const {
    return std::min({routers_.next_cycle(), wheel_.first_far(), end_.next_fault()});
  }
  /// Does all the work of cycle `now`.
  void step(Cycles now);
  void observe(Observer* observer);

  [[nodiscard]] const Topology& topology() const override { return topology_; }
  [[nodiscard]] Cycles now() const override { return now_; }
  [[nodiscard]] const Machine& machine() const override { return machine_; }
  void start_send(NodeId node, Operation& operation) override;
  void start_receive(NodeId node, Operation& operation) override;
  void start_exchange(NodeId node, Operation& operation) override;
  void start_compute(NodeId node, Operation& operation) override;
  void finished(NodeId node, std::exception_ptr error) override;

  [[nodiscard]] const RunStatistics& statistics() const { return statistics_.totals(); }
  [[nodiscard]] PlaneStatistics plane_statistics() const { return planes_.statistics(); }
  [[nodiscard]] LinkStatistics statistics(LinkId link) const { return routers_.outputs().statistics(link); }
  [[nodiscard]] std::vector<WaitingCircuit> waiting() const { return routers_.waiting(); }
  /// The nodes that have not finished, with what each waits for: at most `most` of them, in order of node.
  [[nodiscard]] std::vector<WaitingNode> waiting_nodes(std::size_t most) const;
  /// The latest edge at which something happened that had no event of its own in the wheel.
  [[nodiscard]] Cycles last_early() const { return std::max(last_early_, statistics_.last_cut()); }
  [[nodiscard]] NodeId unfinished() const { return end_.unfinished(); }
  [[nodiscard]] Cycles last_finish() const { return end_.last_finish(); }
  /// A fault of the program: an escaped error, or a message longer than its receive. Empty when there is none.
  [[nodiscard]] const std::string& fault() const { return end_.fault(); }
  [[nodiscard]] std::exception_ptr error() const { return end_.error(); }
  /// The features of the machine and the run, and whether a fast path was compiled for exactly these.
  [[nodiscard]] const event::Features& features() const { return features_; }
  [[nodiscard]] bool knows_features() const { return known_ < event::known_features.size(); }
  /// For tests: from the next reset on, no fast path is used, and the network is treated as any topology is. No result
  /// differs.
  void ask_features(bool ask) { asks_ = ask; }
  /// Events processed since the reset.
  [[nodiscard]] std::uint64_t events() const { return events_ + routers_.events(); }

 private:
  /// Events of an edge outside the routers.
  enum class Kind : std::uint8_t {
    completed,         ///< an operation: its program continues
    program_starts,    ///< node
    program_woken,     ///< node
    port_free,         ///< port
    arrival,           ///< circuit
    receipt_ends,      ///< circuit
    copy_begins,       ///< circuit
    copy_ends,         ///< circuit
    synchronised,      ///< an exchange's own synchronisation has left
    next_packet,       ///< message
    computation_ends,  ///< node
    packet_gone,       ///< bytes << max_simulated_dim | node
    half_due           ///< of a plane
  };
  struct Event {
    union {
      Operation* operation;
      std::uint64_t number;
    };
    Kind kind;
  };
  static_assert(sizeof(Event) == 16);
  using Wheel = EventWheel<Event>;
  friend event::InterfacePorts;
  using Circuit = event::Circuit;

  // engine.cpp: the order of work within a cycle, and the view of programs
  void find_features();
  void accept_arrived();
  void serve_interfaces(Wheel::Chunk* due);
  bool serve_due(Wheel::Chunk* due);
  void continue_programs(Wheel::Chunk* due);
  void continue_programs(std::span<const Event> events);
  [[nodiscard]] bool sort_by_issue(Wheel::Chunk* due);
  [[nodiscard]] bool sort_by_place(Wheel::Chunk* due);
  /// Rule 12.2: the program of a dead node does not go on.
  [[nodiscard]] bool goes_on(NodeId node) const { return !features_.failures || now_ < failures_.node(node); }
  void push(Cycles at, Kind kind, std::uint64_t number) {
    wheel_.push(at, {.number = number, .kind = kind});
    ++specials_;
  }
  void push(Cycles at, Kind kind, Operation& operation) {
    wheel_.push(at, {.operation = &operation, .kind = kind});
    ++specials_;
  }

  /// Calls work(has) with what is known of the run's features.
  template <std::size_t first = 0>
  [[gnu::always_inline]] decltype(auto) by_features(const auto& work) {
    if constexpr (first < event::known_features.size()) {
      if (known_ == first) return work(event::Known<event::known_features[first]>{});
      return by_features<first + 1>(work);
    } else {
      return work(asked());
    }
  }

  // engine_sends.cpp: from a program's request to the probe
  /// `kind` is that of the operation.
  [[gnu::always_inline]] void issue(NodeId node, Operation& operation, OperationKind kind) {
    begin_operation(operation, kind, node, now_, topology_, ports_.count());
    event::OperationCount& count = counts_[node];
    event::Notes& notes = event::notes(operation);
    notes.partner = nullptr;
    notes.open = messages_of(operation, kind);
    notes.parts = parts_of(operation, kind);
    notes.issue = count.issued++;
    overlaps_ |= count.busy != 0;
    count.busy = 1;
    notes.contents = event::Contents::in_place;
    notes.swaps = false;
    event::send_notes(operation).posted_at = now_;
    if (takes_turns(kind)) ++count.unfinished;
    if (calls_are_noted_) [[unlikely]]
      note_call(operation, kind);
  }
  /// False for receives: they occupy neither port nor processor.
  [[nodiscard]] static constexpr bool takes_turns(OperationKind kind) {
    return kind != OperationKind::receive && !takes_several(kind);
  }
  [[nodiscard]] bool meets(const Operation& operation, OperationKind kind) const {
    return operation.sync == PairwiseSync::on && !features_.protocol && !takes_several(kind);
  }
  void note_call(Operation& operation, OperationKind kind);
  /// Rule 4.12.
  [[nodiscard]] Cycles jitter(NodeId node) { return conditions_.jitter_of(node, draws_[node]++); }
  void ask_to_meet(Operation& operation);
  void meet(auto has, Operation& operation);
  void serve_meeting();
  void post(Operation& receive);
  void submit(auto has, Operation& operation);
  void begin(auto has, Operation& operation);
  void begin_submitted();
  void begin_send(auto has, Operation& operation, unsigned port);
  [[nodiscard]] CircuitId begin_message(Operation& operation, unsigned port);
  [[nodiscard]] CircuitId make_packet(event::PacketStore::Number message);
  CircuitId new_circuit(auto has, CircuitKind kind, Operation& about);
  CircuitId make_circuit(CircuitKind kind, Operation& about) override;
  void make_ready(CircuitId id) override;
  void launch(auto has, Circuit& circuit, CircuitId id);
  void port_free_at(Cycles at, event::InterfacePorts::Number port) { push(at, Kind::port_free, port); }
  [[nodiscard]] event::Asked asked() const { return event::Asked(features_); }
  void serve_freed_ports();
  void serve_added_sends();
  void serve_planes();
  void tuned(Operation& tune) override {
    ++counts_[tune.node].unfinished;
    finish_part(tune, now_);
  }
  void serve_half(std::size_t half, Cycles at) override { push(at, Kind::half_due, half); }

  // engine_ends.cpp: from the acceptance of a probe to the completed operation
  void accept(auto has, CircuitId id, Cycles at);
  void accept_probe(auto has, const event::Routers::Ejecting& port);
  void worm_sent(CircuitId id, Cycles first_phit, Cycles at) override;
  void worm_received(CircuitId id, Cycles first_phit, Cycles at) override;
  void worm_stops(NodeId node, Cycles from, Cycles until) override;
  void worm_phits(CircuitId id, bool arrives, std::span<const Cycles> at) override;
  void worm_cut(CircuitId id) override { circuits_.aside(id).receiver_ready = never; }
  void received(auto has, Circuit& circuit, CircuitId id, Cycles first_phit, Cycles at);
  void sent(auto has, Circuit& circuit, CircuitId id, Cycles first_phit, Cycles at);
  void packet_sent(CircuitId id, Cycles at);
  void serve_arrival(auto has, CircuitId id);
  void serve_arrivals();
  [[nodiscard]] bool packet_arrived(CircuitId id);
  void lose_unreceived();
  void refuse_length(const Operation& receive, const Circuit& circuit, Cycles received);
  template <bool met>
  void take_in(auto has, Operation& receive, Circuit& circuit, CircuitId id, Cycles first_phit, Cycles at);
  void complete_receive(Operation& receive, CircuitId id, Cycles first_phit, Cycles at);
  void happens_early(Cycles at) {
    ++events_;
    last_early_ = std::max(last_early_, at);
  }
  [[gnu::always_inline]] void finish_part(Operation& operation, Cycles at) {
    if (at > operation.completed_at) operation.completed_at = at;
    if (--event::notes(operation).parts != 0) return;
    wheel_.push(std::max(operation.completed_at, now_), {.operation = &operation, .kind = Kind::completed});
  }
  [[nodiscard]] Cycles end_of_receiving_work(auto has, NodeId node, Cycles length) {
    // Work of zero cycles does not queue.
    return has->queued && length > 0 ? serve(has, node, length) : now_ + length;
  }
  void receive_later(Cycles at, Kind kind, CircuitId id);
  void serve_receipts();
  void serve_receipt(const Event& event);

  // engine_computation.cpp
  void begin_compute(Operation& operation);
  void begin_first(NodeId node);
  void end_loop(const Operation& operation);
  void run_loop_again(NodeId node);
  void share_bus(CircuitId id, Cycles first_left, Cycles first_arrives, std::uint64_t arriving);
  /// Library work, due now; returns the edge at which it ends.
  [[gnu::always_inline]] Cycles serve(auto has, NodeId node, Cycles length) {
    const Cycles end = processors_.serve(node, now_, length);
    if (has->shared_bus) [[unlikely]] {
      loops_.works(node, end - length, end);
      run_loop_again(node);
    }
    return end;
  }
  void finish_computation(NodeId node);
  void announce_end(NodeId node);
  void moves(NodeId node, Cycles from, Cycles until) override;

  Cycles now_ = 0;
  std::uint64_t events_ = 0;
  Cycles last_early_ = 0;
  std::uint64_t specials_ = 0;         ///< events in the wheel that complete nothing
  bool overlaps_ = false;              ///< some node has issued an operation while another of its own was open
  std::uint32_t round_ = 0;            ///< of 8.3
  std::vector<std::uint32_t> rounds_;  ///< [node]: in which the last operation that it awaits was done, if any overlap
  Program* program_ = nullptr;
  ProgramEnds<Cycles> end_;

  Machine machine_;
  RunConditions conditions_;
  Topology topology_ = Topology::cube(1);
  event::Features features_;
  std::size_t known_ = event::known_features.size();  ///< which of these they are: see by_features()
  bool asks_ = false;
  bool calls_are_noted_ = false;  ///< by an observer or by planes
  bool scattered_ = false;        ///< data are fetched ahead: operations of all nodes are more than the cache holds

  event::Circuits circuits_;
  event::Statistics statistics_;
  event::Failures failures_;
  event::Routers routers_{circuits_, statistics_, failures_};
  event::CircuitSwitching switching_{routers_, statistics_, failures_};
  event::Worms worms_{circuits_, routers_, *this, failures_};
  event::InterfacePorts ports_{circuits_, statistics_};
  event::Planes planes_{*this};
  event::Rendezvous rendezvous_;
  event::Matching matching_{circuits_};
  event::Payload payload_{circuits_};
  std::unique_ptr<NodeWork> work_;
  event::LibraryPaths paths_;
  event::MessageLibrary library_{*this, circuits_, matching_};
  event::PacketStore packets_{circuits_, statistics_};
  event::Processors processors_;
  event::LoopsUnderWay loops_;
  event::Submissions submissions_;
  Table<event::OperationCount> counts_;  ///< [node]
  std::vector<std::uint32_t> draws_;     ///< [node] random numbers drawn, with jitter only
  event::FetchAhead fetch_ahead_{circuits_, routers_, ports_, matching_, rendezvous_, counts_};
  Wheel wheel_{routers_.ahead()};
  Observer* observer_ = nullptr;

  // Scratch data of this edge:
  std::vector<CircuitId> arrivals_;
  std::vector<NodeId> computed_;  ///< nodes whose computation may end
  std::vector<event::Planes::Number> halves_due_;
  std::vector<CircuitId> doubtful_;  ///< arrivals that may have to be discarded
  std::vector<Event> receipts_;      ///< receipts, copies and departures that end
  event::ByNode<CircuitId> circuits_by_node_;
  event::ByNode<Event> events_by_node_;
  std::vector<Event> sorted_;
};

}  // namespace ecube
