// SPDX-License-Identifier: Apache-2.0
// Programs of the node contract on nodes without contention.
#pragma once

#include <functional>

#include "models/contract/operations.h"
#include "models/uncontended/nodes.h"

namespace ecube::uncontended {

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
  virtual void started(NodeId node) = 0;
  /// A computation may have ended, at a time that wake_computation() requested.
  virtual void computed(NodeId /*node*/) {}
  [[nodiscard]] virtual bool over() const = 0;
  [[nodiscard]] virtual Time time_of(Cycles cycle) const = 0;

  void start_program(NodeId node, Time at) { this->wake(at, Rank::program, 0, nullptr, node); }
  void wake_computation(NodeId node, Time at) { this->wake(at, Rank::computation, 0, nullptr, node); }

 private:
  struct Progress {
    std::uint32_t parts;  ///< still to complete
    std::uint32_t issue;
  };
  [[nodiscard]] static Progress& progress_of(Operation& operation) { return operation.send_notes.as<Progress>(); }

  void woken(Rank rank, const Message& by) final {
    if (rank == Rank::computation) return computed(by.node);
    if (by.of == nullptr) return started(by.node);
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
