// SPDX-License-Identifier: Apache-2.0
// Running the same program on the event engine and in RTL, and telling where they differ.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "hw/cube.h"
#include "models/presets.h"
#include "sw/exchange.h"
#include "sw/traffic.h"
#include "testbench/rtl_library.h"
#include "testbench/test_bench.h"
#include "tests/hw/circuit_recorder.h"

namespace ecube {

inline Machine with_ports(bool one) {
  Machine machine;
  machine.node.ports.engines = one ? 1 : Ports::n;
  return machine;
}

struct Model {
  unsigned dim;
  bool one_port;
  const char* variant = "";
  unsigned buffer = 0;  ///< of worms, in phits; 0 for circuits
  unsigned fault = 0;   ///< of ecube_pkg.sv, with the variant "faults"
};

/// The least machine that the model can be.
inline Machine machine_for(const Model& model) {
  Machine machine = with_ports(model.one_port);
  if (model.buffer == 0) return machine;
  machine.network.switching = Switching::wormhole;
  machine.link.cycles_per_phit = {2, 1};
  machine.router.buffer_bytes = model.buffer;
  return machine;
}

/// A SystemC process elaborates once: a cube with the models that its test names.
class Bench {
 public:
  explicit Bench(const std::vector<Model>& models)
      : models_(load(models)), cube_("cube", largest(models), Hierarchy::flat, models_) {}

  RunResult run(Program& program, const Machine& machine, unsigned dim, const RunConditions& conditions,
                FabricKind fabric, CircuitRecorder& recorder) {
    cube_.reset(machine, dim, conditions, fabric);
    cube_.observe(&recorder);
    RunResult result = cube_.run(program);
    cube_.observe(nullptr);
    cube_.unload();
    return result;
  }
  Cube& cube() { return cube_; }

 private:
  static std::vector<RtlModel*> load(const std::vector<Model>& models) {
    std::vector<RtlModel*> result;
    for (const Model& model : models) {
      result.push_back(&rtl_model(machine_for(model), model.dim, model.variant));
      result.back()->plant_fault(model.fault);
    }
    return result;
  }
  static unsigned largest(const std::vector<Model>& models) {
    unsigned dim = 1;
    for (const Model& model : models) dim = std::max(dim, model.dim);
    return dim;
  }

  std::vector<RtlModel*> models_;
  Cube cube_;
};

inline std::string counted(const LinkStatistics& s) {
  return std::to_string(s.circuits) + " circuits, " + std::to_string(s.bytes) + " bytes, busy " +
         std::to_string(s.busy) + ", blocked " + std::to_string(s.blocked) + ", most waiting " +
         std::to_string(s.most_waiters);
}

inline std::string all_links(const Cube& cube) {
  std::string text;
  for (unsigned dimension = 0; dimension < cube.dim(); ++dimension) {
    for (NodeId node = 0; node < NodeId{1} << cube.dim(); ++node) {
      text += "link " + std::to_string(node) + ":" + std::to_string(dimension) + " " +
              counted(cube.engine().fabric().statistics({node, dimension})) + "\n";
    }
  }
  return text;
}

/// Runs what `make` makes on both engines; adds the circuits compared. Nothing may differ.
template <class Make>
void expect_equal(Bench& bench, const Machine& machine, unsigned dim, const RunConditions& conditions, const Make& make,
                  const std::string& replay, std::size_t& compared) {
  CircuitRecorder event;
  CircuitRecorder rtl;
  auto event_program = make();
  const RunResult on_event = bench.run(event_program->program(), machine, dim, conditions, FabricKind::event, event);
  const std::string event_links = all_links(bench.cube());
  const RunStatistics event_statistics = bench.cube().engine().interfaces().statistics();
  auto rtl_program = make();
  const RunResult on_rtl = bench.run(rtl_program->program(), machine, dim, conditions, FabricKind::rtl, rtl);
  ASSERT_EQ(on_rtl.fault, on_event.fault) << replay;
  ASSERT_EQ(first_difference(event, rtl).value_or("none"), "none") << replay;
  ASSERT_EQ(on_rtl.status, on_event.status) << replay;
  ASSERT_EQ(on_rtl.cycles, on_event.cycles) << replay;
  ASSERT_EQ(all_links(bench.cube()), event_links) << replay;
  const RunStatistics rtl_statistics = bench.cube().engine().interfaces().statistics();
  ASSERT_EQ(rtl_statistics.link_blocked.cycles, event_statistics.link_blocked.cycles) << replay;
  ASSERT_EQ(rtl_statistics.port_blocked.cycles, event_statistics.port_blocked.cycles) << replay;
  ASSERT_EQ(rtl_statistics.serialised.cycles, event_statistics.serialised.cycles) << replay;
  ASSERT_EQ(rtl_statistics.lost, event_statistics.lost) << replay;
  if (rtl_statistics.lost == 0) {
    ASSERT_EQ(rtl_program->wrong(), 0U) << replay;
  }
  compared += event.circuits();
}

/// Traffic as a program.
class TrafficProgram {
 public:
  TrafficProgram(const std::vector<TrafficMessage>& messages, unsigned dim)
      : traffic_(messages, dim), firmware_([this](Node& node) { return traffic_.run(node); }) {}
  Program& program() { return firmware_; }
  [[nodiscard]] std::uint64_t wrong() const { return traffic_.wrong(); }

 private:
  Traffic traffic_;
  Firmware firmware_;
};

inline auto traffic_maker(const std::vector<TrafficMessage>& messages, unsigned dim) {
  return [&messages, dim] { return std::make_unique<TrafficProgram>(messages, dim); };
}

/// A machine whose every number differs from its neighbour's; fixed distance and serialised acceptance now and then.
inline Machine random_machine(std::mt19937_64& random, unsigned dim, bool one_port) {
  const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
  Machine machine = with_ports(one_port);
  machine.node.startups = pick(1) != 0 ? Startups::queued : Startups::overlapped;
  machine.library.send_cycles = pick(20);
  machine.library.send_zero_cycles = pick(20);
  machine.library.receive_cycles = pick(1) * pick(20);
  machine.router.route_cycles = 1 + pick(11);
  machine.network.accept_cycles = 1 + pick(3);
  machine.link.phit_bytes = 1 + static_cast<std::uint32_t>(pick(7));
  const std::uint64_t den = 1 + pick(9);
  machine.link.cycles_per_phit = {den + pick(3 * den), den};
  if (pick(3) == 0) {
    machine.network.distance = Distance::fixed;
    machine.network.setup_cycles =
        (dim + 1) * (machine.router.route_cycles + 3) + machine.network.accept_cycles + 3 + pick(20);
  }
  if (pick(2) == 0) {
    machine.network.duplex = Duplex::together;
    machine.network.together_cycles = pick(20);
  }
  return machine;
}

inline std::vector<TrafficMessage> random_messages(std::mt19937_64& random, unsigned dim, std::size_t each) {
  const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
  const NodeId nodes = NodeId{1} << dim;
  const bool hot = pick(3) == 0;
  const Cycles window = 20 * each * (1 + pick(8));
  std::vector<TrafficMessage> messages;
  for (std::size_t i = 0; i < each * nodes; ++i) {
    const auto source = static_cast<NodeId>(pick(nodes - 1));
    const auto destination = hot && pick(1) != 0 ? nodes - 1 : static_cast<NodeId>(pick(nodes - 1));
    messages.push_back({source, destination, pick(4) == 0 ? 0 : pick(60), pick(window)});
  }
  return messages;
}

/// Contended traffic of random machines, until `messages` of each port count have been compared.
inline void compare_random_traffic(Bench& bench, const std::vector<Model>& models, std::size_t wanted,
                                   std::uint64_t seed) {
  std::size_t compared = 0;
  std::uint64_t blocked = 0;
  for (; compared < wanted; ++seed) {
    std::mt19937_64 random(seed);
    const Model& model = models[seed % models.size()];
    Machine machine = random_machine(random, model.dim, model.one_port);
    if (model.buffer > 0) {
      machine.network = machine_for(model).network;
      machine.network.accept_cycles = 1 + random() % 4;
      machine.link.cycles_per_phit = {2 + random() % 6, 1};
      machine.router.buffer_bytes = std::uint64_t{model.buffer} * machine.link.phit_bytes;
    }
    const std::vector<TrafficMessage> messages = random_messages(random, model.dim, 60);
    const RunConditions conditions{.jitter = seed % 2 == 0 ? 0 : 40 * (seed % 3), .seed = seed};
    expect_equal(bench, machine, model.dim, conditions, traffic_maker(messages, model.dim),
                 "seed " + std::to_string(seed) + " d=" + std::to_string(model.dim), compared);
    if (::testing::Test::HasFatalFailure()) return;
    blocked += bench.cube().engine().interfaces().statistics().link_blocked.circuits;
  }
  ::testing::Test::RecordProperty("circuits", std::to_string(compared));
  EXPECT_GT(blocked, wanted / 20) << "the traffic is hardly contended";
}

inline void compare_exchanges(Bench& bench, const Machine& machine, unsigned dim, Bytes bytes, Schedule schedule,
                              const RunConditions& conditions, std::size_t& compared) {
  for (const Partition& partition : equipartitions_of(dim)) {
    ExchangeWorkload workload;
    workload.bytes = bytes;
    workload.partition = partition;
    workload.schedule = schedule;
    workload.barrier = machine.library.barrier;
    workload.sync = conditions.jitter == 0 ? PairwiseSync::on : PairwiseSync::off;
    expect_equal(
        bench, machine, dim, conditions, [&] { return std::make_unique<CompleteExchange>(workload, dim); },
        machine.name + " d=" + std::to_string(dim) + " " + partition.braced_name(), compared);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace ecube
