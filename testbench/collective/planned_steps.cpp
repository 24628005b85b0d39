// SPDX-License-Identifier: Apache-2.0
// Steps of exchanges, shuffles, traffic and files.
#include "testbench/collective/planned_steps.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "models/machine/error.h"
#include "testbench/text/text.h"
#include "testbench/text/text_file.h"

namespace ecube {

namespace {

/// The targets of so many messages are held at once, which takes half a gigabyte.
constexpr std::uint64_t most_targets = std::uint64_t{1} << 27;

void check_targets(std::uint64_t messages, const std::string& what, const std::string& valid) {
  if (messages <= most_targets) return;
  throw InputError(
      fmt::format("{} takes {} messages, of which a check can hold {}", what, grouped(messages), grouped(most_targets)))
      .valid(valid);
}

void put_in_step(const std::vector<std::vector<NodeId>>& targets, const StepSink& sink) {
  std::size_t steps = 0;
  for (const std::vector<NodeId>& of_node : targets) steps = std::max(steps, of_node.size());
  std::vector<PlannedCircuit> step;
  for (std::size_t k = 0; k < steps; ++k) {
    step.clear();
    for (NodeId node = 0; node < targets.size(); ++node) {
      if (k < targets[node].size()) step.push_back({node, targets[node][k]});
    }
    sink(step);
  }
}

std::vector<std::vector<NodeId>> routed_packets(const ShuffleWorkload& workload, unsigned dim) {
  check_targets(workload.elements << dim, "this shuffle by --algorithm route, an element each,",
                "fewer --elements | a smaller --dim");
  std::vector<std::vector<NodeId>> targets(std::size_t{1} << dim);
  std::vector<std::uint64_t> to;
  for (NodeId node = 0; node < targets.size(); ++node) {
    to.assign(targets.size(), 0);
    for (std::uint64_t local = 0; local < workload.elements; ++local) {
      ++to[workload.permutation.destination({node, local}).node ^ node];
    }
    // By distance of the labels, as the firmware sends them.
    for (NodeId away = 1; away < targets.size(); ++away) {
      for (std::uint64_t sent = 0; sent < to[away]; sent += workload.packet) targets[node].push_back(node ^ away);
    }
  }
  return targets;
}

/// One from every node in each dimension of the step's exchanges.
std::vector<PlannedCircuit> circuits_of(const ShuffleStep& step, unsigned dim) {
  std::vector<PlannedCircuit> circuits;
  for (const ShuffleExchange& exchange : step.exchanges) {
    for (NodeId node = 0; node >> dim == 0; ++node) circuits.push_back({node, neighbour(node, exchange.dim)});
  }
  return circuits;
}

std::vector<PlannedCircuit> circuits_of(const TwoCyclePlan& plan, std::uint64_t step, unsigned dim) {
  std::vector<PlannedCircuit> circuits;
  for (const TwoCycleHop& hop : plan.hops(step)) {
    for (NodeId node = 0; node >> dim == 0; ++node) {
      if (!hop.leaves(node, plan.cycles()[hop.cycle])) continue;
      circuits.push_back({node, neighbour(node, hop.dim)});
    }
  }
  return circuits;
}

void staged_steps(const ExchangeWorkload& workload, unsigned dim, const StepSink& sink) {
  const ExchangeStages stages(workload.partition, workload.order);
  const unsigned parts = BlockParts(workload.bytes, stages.count()).travelling();
  std::vector<PlannedCircuit> step;
  for (unsigned stage = 0; stage < stages.count(); ++stage) {
    for (NodeId number = 0;; ++number) {
      step.clear();
      for (unsigned part = 0; part < parts; ++part) {
        const unsigned phase = stages.at(stage, part).phase;
        if (number >= steps_of_phase(stages.phase_dims(phase), workload.pairing)) continue;
        const StepMasks masks = masks_of_step(number, stages.phase_dims(phase), workload.pairing);
        for (NodeId node = 0; node >> dim == 0; ++node) {
          step.push_back({node, node ^ (masks.mask << stages.phase_low(phase))});
          if (masks.complement != 0) step.push_back({node, node ^ (masks.complement << stages.phase_low(phase))});
        }
      }
      if (step.empty()) break;
      sink(step);
    }
  }
}

}  // namespace

void exchange_steps(const ExchangeWorkload& workload, const Topology& topology, const StepSink& sink) {
  if (workload.staged()) return staged_steps(workload, topology.label_bits(), sink);
  std::vector<PlannedCircuit> step(topology.nodes());
  const bool shifts = shifts_digits(workload, topology);
  for (const Phase& phase : phases(workload.partition, workload.order, topology)) {
    if (workload.schedule == Schedule::xor_pairs) {
      for (NodeId j = 1; j < phase.size(); ++j) {
        for (NodeId node = 0; node < step.size(); ++node) {
          step[node] = {node, shifts ? topology.plus(node, j * phase.stride) : phase.partner(node, j)};
        }
        sink(step);
      }
      continue;
    }
    check_targets(static_cast<std::uint64_t>(step.size()) * (phase.size() - 1),
                  fmt::format("a phase over {} dimensions by a one-sided schedule", phase.dims),
                  "a partition into smaller parts | a smaller --dim | --schedule xor");
    std::vector<std::vector<NodeId>> all;
    all.reserve(step.size());
    for (NodeId node = 0; node < step.size(); ++node) all.push_back(targets(workload, phase, node));
    put_in_step(all, sink);
  }
}

void shuffle_steps(const ShuffleWorkload& workload, unsigned dim, const StepSink& sink) {
  if (workload.method == ShuffleMethod::route) return put_in_step(routed_packets(workload, dim), sink);
  for (const DimensionPermutation& stage : stages_of(workload)) {
    for (const ShufflePlan& plan : plans_of(stage, workload, dim)) {
      for (const ShuffleStep& step : plan.steps()) sink(circuits_of(step, dim));
    }
    const RealParts parts = real_parts(factor(stage), workload, dim);
    for (const std::vector<LabelBits>& round : parts.rounds) {
      const TwoCyclePlan plan(round, workload.spread_elements(), workload.packet);
      for (std::uint64_t number = 1; number <= plan.steps(); ++number) sink(circuits_of(plan, number, dim));
    }
    for (const Constituent& real : parts.by_a2) {
      for (const unsigned bit : real.dims)
        sink(circuits_of({.exchanges = {{.dim = bit}}, .synchronisations = {}}, dim));
    }
  }
}

void traffic_steps(const TrafficPlan& plan, const Topology& topology, const StepSink& sink) {
  std::vector<std::vector<NodeId>> targets(topology.nodes());
  plan.for_each([&](const TrafficMessage& message) { targets[message.source].push_back(message.destination); });
  put_in_step(targets, sink);
}

std::vector<std::vector<PlannedCircuit>> read_steps(const std::string& file, NodeId nodes) {
  constexpr std::string_view format = "source destination, as 0 5";
  constexpr std::size_t most = 10'000'000;
  std::istringstream stream(numbers_of(file, "file of steps"));
  const std::uint64_t last = nodes - 1;
  std::vector<std::vector<PlannedCircuit>> steps;
  std::size_t circuits = 0;
  bool open = false;
  std::string text;
  for (std::uint32_t number = 1; std::getline(stream, text); ++number) {
    NumberLine line(text, {.where = file, .line = number, .text = text}, format);
    if (line.blank()) {
      // A comment does not end a step.
      if (text.find('#') == std::string::npos) open = false;
      continue;
    }
    if (!open) steps.emplace_back();
    open = true;
    PlannedCircuit circuit;
    circuit.source = static_cast<NodeId>(line.number("source", last));
    circuit.destination = static_cast<NodeId>(line.number("destination", last));
    line.end("two");
    steps.back().push_back(circuit);
    if (++circuits > most) throw InputError(fmt::format("{} has more than {} circuits", ecube::quoted(file), most));
  }
  if (steps.empty()) throw InputError(fmt::format("{} has no steps", ecube::quoted(file))).hint(format);
  return steps;
}

}  // namespace ecube
