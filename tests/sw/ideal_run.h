// SPDX-License-Identifier: Apache-2.0
// Firmware on the ideal machine, by itself or with a fault planted between the two.
#pragma once

#include "models/ideal/ideal_machine.h"
#include "models/presets/presets.h"
#include "tests/draws.h"
#include "tests/test.h"

namespace ecube {

/// Where a run takes place. Whatever the costs and the jitter, the same data have to be in the same places in the end.
struct IdealRun {
  Machine machine = resolve(preset_settings(preset("ideal")));
  unsigned dim = 1;
  RunConditions conditions{};
  IdealCosts costs{};

  /// On a machine with so many ports whose messages take a time that goes with their length and their way.
  [[nodiscard]] static IdealRun on(unsigned dim, std::uint32_t engines, std::uint64_t seed) {
    IdealRun run;
    run.dim = dim;
    run.machine.node.ports.engines = engines;
    run.conditions = {.jitter = seed % 3 == 0 ? 0 : 40 * (seed % 3), .seed = seed};
    const ExchangeParameters message{
        .lambda_us = 3, .lambda0_us = 2, .tau_us_per_byte = 0.1, .delta_hop_us = 0.5, .rho_us_per_byte = 0.05};
    run.costs = {.message = message, .exchange = message, .gamma_us_per_item = 0.2};
    return run;
  }
};

/// Sees what a node asks for before the machine does; each operation is shown once.
using Look = std::function<void(NodeId node, Operation& operation)>;
using Fault = Look;  ///< which changes it

/// Runs a program through a machine whose operations somebody sees first.
class Between : public Program, private NodePorts {
 public:
  Between(Program& program, Look look) : program_(program), look_(std::move(look)) {}

  void start(NodePorts& ports, NodeId node) override {
    machine_ = &ports;
    program_.start(*this, node);
  }
  void stop() override { program_.stop(); }

 private:
  [[nodiscard]] const Topology& topology() const override { return machine_->topology(); }
  [[nodiscard]] Cycles now() const override { return machine_->now(); }
  [[nodiscard]] double now_us() const override { return machine_->now_us(); }
  [[nodiscard]] const Machine& machine() const override { return machine_->machine(); }
  void start_send(NodeId node, Operation& operation) override {
    look_(node, operation);
    machine_->start_send(node, operation);
  }
  void start_receive(NodeId node, Operation& operation) override {
    look_(node, operation);
    machine_->start_receive(node, operation);
  }
  void start_exchange(NodeId node, Operation& operation) override {
    look_(node, operation);
    machine_->start_exchange(node, operation);
  }
  void start_compute(NodeId node, Operation& operation) override {
    look_(node, operation);
    machine_->start_compute(node, operation);
  }
  void finished(NodeId node, std::exception_ptr error) override { machine_->finished(node, error); }

  Program& program_;
  Look look_;
  NodePorts* machine_ = nullptr;
};

/// Runs a program through a machine that is told to send something else than the firmware asked for.
class Faulty final : public Between {
 public:
  Faulty(Program& program, const Fault& fault)
      : Between(program, [fault](NodeId node, Operation& operation) {
          if (operation.kind == OperationKind::send || operation.kind == OperationKind::exchange)
            fault(node, operation);
        }) {}
};

/// Runs a program to its end, or until it waits for what never comes.
[[nodiscard]] inline RunResult run(const IdealRun& where, Program& program) {
  IdealMachine machine;
  machine.reset(where.machine, where.dim, where.conditions, where.costs);
  RunResult result = machine.run(program);
  machine.unload();
  return result;
}

inline void expect_finished(const IdealRun& where, Program& program, const std::string& what) {
  const RunResult result = run(where, program);
  EXPECT_EQ(result.status, RunResult::Status::finished)
      << what << ": status " << static_cast<int>(result.status) << " " << result.fault;
}

}  // namespace ecube
