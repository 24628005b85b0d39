// SPDX-License-Identifier: Apache-2.0
// Nodes without contention: messages wait only for the processor, ports and send engines of their own nodes. Work that
// is due is served in order of time and rank. Such nodes under programs of the node contract.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "models/contract/operations.h"
#include "models/machine/cube.h"

namespace ecube::uncontended {

/// A time whose sums are exact in any order.
using Picoseconds = std::int64_t;

/// Whether two times are the same moment. Microseconds that differ by less than a picosecond are the same sum, rounded
/// in another order.
[[nodiscard]] constexpr Cycles moment_of(Cycles cycles) { return cycles; }
[[nodiscard]] constexpr Picoseconds moment_of(Picoseconds time) { return time; }
[[nodiscard]] inline double moment_of(double us) { return std::round(us * 1e6); }

/// The order of service at one moment (hw/README.md sections 4.4 and 8): circuits that have left their node and free
/// their send engines and ports; arrivals, whose receipts are due; receipts and then computation that end; programs
/// that continue; requests of the programs.
enum class Rank : std::uint8_t { left, arrival, receipt, computation, program, request };

/// The times of a circuit, which depend only on its two nodes.
template <class Time>
struct Circuit {
  Time startup{};  ///< before its probe
  Time transit{};  ///< from its probe to its arrival
  Time receipt{};  ///< after its arrival
  Time early{};    ///< by how much it has left its node before it arrives
};

struct NodeLimits {
  bool queued = false;        ///< the processor serves start-ups and receipts one after the other (4.4, not 4.5)
  std::uint32_t engines = 0;  ///< send engines of a node; 0: any number
};

/// Nodes whose messages consist of circuits, one after the other. `Of` says what a message is of.
///
///   send() --> port, send engine free ---> start-up ---> probe --- transit ---> arrival ---> receipt ---> next circuit
///              4.2, 4.8                    4.3 to 4.5                                         4.6          5.5, 5.8
///
/// A circuit takes a port and a send engine, in the order of the sends, and frees them when it has left its node; a
/// message keeps its port until its last circuit has left. A next circuit precedes sends that have not begun.
template <class Time, class Of>
class Nodes {
 public:
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;

 protected:
  static constexpr unsigned no_port = 32;
  struct Message {
    Of of{};
    NodeId node = 0;  ///< sends
    NodeId to = 0;
    std::uint32_t circuits = 1;
    std::uint32_t circuit = 0;    ///< under way
    std::uint8_t port = no_port;  ///< inject port; no_port: shares its port with no other message
    std::uint8_t arrives_in = 0;  ///< eject port: receipts that are due together are served in this order
    std::uint32_t turn = 0;       ///< of receipts that end together: where the message comes from
    Time receipt{};               ///< of the circuit under way

    [[nodiscard]] bool is_last() const { return circuit + 1 == circuits; }
  };

  Nodes() = default;
  ~Nodes() = default;

  void reset(std::size_t nodes, const NodeLimits& limits) {
    limits_ = limits;
    now_ = {};
    agenda_ = {};
    nodes_.assign(nodes, {});
  }
  [[nodiscard]] Time time() const { return now_; }
  /// Whether work is due, and the time of the next.
  [[nodiscard]] bool is_due() const { return !agenda_.empty(); }
  [[nodiscard]] Time next_time() const { return agenda_.begin()->second.at; }
  /// Serves what is due next.
  void advance() {
    const auto entry = agenda_.extract(agenda_.begin());
    now_ = entry.mapped().at;
    serve(std::get<Rank>(entry.key()), entry.mapped().message);
  }

  void wake(Time at, Rank rank, std::uint64_t order, const Of& of, NodeId node) {
    add(at, rank, order, {.of = of, .node = node});
  }
  /// A message is to be sent, from now on.
  void send(const Message& message) {
    nodes_[message.node].waiting.push_back(message);
    serve_waiting(nodes_[message.node]);
  }
  /// The end of work on a node's processor that is due now (4.4).
  virtual Time work(NodeId node, Time length) {
    Time& free = nodes_[node].processor_free;
    return free = std::max(free, now_) + length;
  }

  virtual void woken(Rank rank, const Message& by) = 0;
  /// The start-up of a message's circuit begins now: what the circuit takes.
  virtual Circuit<Time> begin(const Message& message) = 0;
  virtual void drives_probe(const Message& /*message*/, Time /*at*/) {}
  /// Its circuit has left the node now.
  virtual void left(const Message& /*message*/) {}
  /// The receipt of its circuit ends now.
  virtual void received(const Message& message) = 0;

 private:
  struct Node {
    Time processor_free{};
    std::uint32_t ports_taken = 0;  ///< bit p: port p
    std::uint32_t engines_taken = 0;
    std::vector<Message> waiting;  ///< first those under way, then those that have not begun
  };

  struct Due {
    Time at{};
    Message message{};
  };

  void add(Time at, Rank rank, std::uint64_t order, const Message& message) {
    agenda_.emplace(std::tuple(moment_of(at), rank, order), Due{at, message});
  }

  void serve(Rank rank, Message message) {
    switch (rank) {
      case Rank::left: {
        Node& node = nodes_[message.node];
        --node.engines_taken;
        if (message.is_last()) node.ports_taken &= ~port_bit(message);
        left(message);
        return serve_waiting(node);
      }
      case Rank::arrival: {
        // A receipt of zero time does not need the processor and ends when it is due.
        const bool works = limits_.queued && message.receipt > Time{};
        const Time end = works ? work(message.to, message.receipt) : now_ + message.receipt;
        return add(end, Rank::receipt, message.turn, message);
      }
      case Rank::receipt: {
        received(message);
        if (message.is_last()) return;
        ++message.circuit;
        Node& node = nodes_[message.node];
        const auto first = std::find_if(node.waiting.begin(), node.waiting.end(),
                                        [](const Message& waiting) { return waiting.circuit == 0; });
        node.waiting.insert(first, message);
        return serve_waiting(node);
      }
      case Rank::computation:
      case Rank::program:
      case Rank::request:
        return woken(rank, message);
    }
  }

  [[nodiscard]] static std::uint32_t port_bit(const Message& message) {
    return static_cast<std::uint32_t>(std::uint64_t{1} << message.port);
  }

  /// Starts the first of the waiting messages whose port is free, as long as there are send engines.
  void serve_waiting(Node& node) {
    for (auto next = node.waiting.begin(); next != node.waiting.end();) {
      if (limits_.engines != 0 && node.engines_taken == limits_.engines) return;
      if (next->circuit == 0 && (node.ports_taken & port_bit(*next)) != 0) {
        ++next;
        continue;
      }
      const Message message = *next;
      next = node.waiting.erase(next);
      ++node.engines_taken;
      node.ports_taken |= port_bit(message);
      start(message);
    }
  }

  void start(Message message) {
    const Circuit<Time> circuit = begin(message);
    message.receipt = circuit.receipt;
    const Time probe = limits_.queued ? work(message.node, circuit.startup) : now_ + circuit.startup;
    const Time arrival = probe + circuit.transit;
    drives_probe(message, probe);
    add(std::max(probe, arrival - circuit.early), Rank::left, 0, message);
    add(arrival, Rank::arrival, message.arrives_in, message);
  }

  NodeLimits limits_;
  Time now_{};
  /// By moment, rank and order; entries that are equal in all three as they were added.
  std::multimap<std::tuple<Time, Rank, std::uint64_t>, Due> agenda_;
  std::vector<Node> nodes_;
};

/// The part of a machine that takes operations from programs and completes them. A program's requests take effect at
/// the end of the moment (8.4): a machine sends or computes in requested().
template <class Time>
class ProgrammedNodes : public NodePorts, protected Nodes<Time, Operation*> {
 public:
  /// Called at intervals with the time reached; returning false interrupts the run.
  using OnProgress = std::function<bool(Time)>;
  void on_progress(OnProgress progress) { progress_ = std::move(progress); }

  [[nodiscard]] const Topology& topology() const override { return topology_; }
  [[nodiscard]] const Machine& machine() const override { return machine_; }
  /// Events served since the reset.
  [[nodiscard]] std::uint64_t events() const { return events_; }
  void start_compute(NodeId node, Operation& operation) override {
    issue(node, operation);
    if (operation.work != Work::until) return request(operation);
    finish_part(operation, std::max(this->time(), time_of(operation.until)));
  }

 protected:
  using Base = Nodes<Time, Operation*>;
  using typename Base::Message;

  void reset(const Machine& machine, const Topology& topology, std::size_t nodes, const NodeLimits& limits) {
    machine_ = machine;
    topology_ = topology;
    ports_ = machine.node.ports.physical(topology.outputs());
    issued_ = 0;
    events_ = 0;
    Base::reset(nodes, limits);
  }
  [[nodiscard]] std::uint32_t ports() const { return ports_; }

  /// Serves all that is due, until over(). False if the run was interrupted.
  [[nodiscard]] bool serve_all(std::uint64_t between_progress) {
    while (this->is_due() && !over()) {
      this->advance();
      if (++events_ % between_progress == 0 && progress_ && !progress_(this->time())) return false;
    }
    return true;
  }

  void issue(NodeId node, Operation& operation) {
    begin_operation(operation, node, now(), topology_, ports_);
    progress_of(operation) = {parts_of(operation), issued_++};
  }
  void request(Operation& operation) {
    this->wake(this->time(), Rank::request, progress_of(operation).issue, &operation, operation.node);
  }
  /// The message of a send or an exchange, from its port to the port by which it arrives.
  [[nodiscard]] Message message_of(Operation& send) const {
    Message message{.of = &send, .node = send.node, .to = send.peer, .turn = send.node};
    message.port = static_cast<std::uint8_t>(inject_port(topology_, send, ports_));
    const unsigned first = topology_.first_of_channel(message.port);
    message.arrives_in =
        static_cast<std::uint8_t>(ports_ == 1              ? 0
                                  : send.peer == send.node ? message.port
                                                           : first + topology_.last_output(send.node, send.peer));
    return message;
  }
  /// Halves or messages that are still to complete an operation.
  [[nodiscard]] static std::uint32_t parts_left(const Operation& operation) {
    return operation.send_notes.as<Progress>().parts;
  }
  void finish_part(Operation& operation, Time at) {
    if (--progress_of(operation).parts == 0) complete(operation, at);
  }
  /// Rule 8.3.
  void complete(Operation& operation, Time at) {
    this->wake(at, Rank::program, progress_of(operation).issue, &operation, operation.node);
  }

  /// A send or computation takes effect.
  virtual void requested(Operation& operation) = 0;
  /// A computation may have ended, at a time that wake_computation() requested.
  virtual void computed(NodeId /*node*/) {}
  [[nodiscard]] virtual bool over() const = 0;
  [[nodiscard]] virtual Time time_of(Cycles cycle) const = 0;

  void start_program(NodeId node, Time at) { this->wake(at, Rank::program, 0, nullptr, node); }
  void wake_computation(NodeId node, Time at) { this->wake(at, Rank::computation, 0, nullptr, node); }

  Program* program_ = nullptr;  ///< of the run

 private:
  struct Progress {
    std::uint32_t parts;  ///< still to complete
    std::uint32_t issue;
  };
  [[nodiscard]] static Progress& progress_of(Operation& operation) { return operation.send_notes.as<Progress>(); }

  void woken(Rank rank, const Message& by) final {
    if (rank == Rank::computation) return computed(by.node);
    if (by.of == nullptr) return program_->start(*this, by.node);
    if (rank == Rank::request) return requested(*by.of);
    Operation& operation = *by.of;
    operation.completed_at = now();
    operation.done = true;
    if (operation.waiter) continue_program(operation);
  }

  Machine machine_;
  Topology topology_ = Topology::cube(1);
  std::uint32_t ports_ = 1;
  std::uint32_t issued_ = 0;
  std::uint64_t events_ = 0;
  OnProgress progress_;
};

}  // namespace ecube::uncontended
