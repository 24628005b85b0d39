// SPDX-License-Identifier: Apache-2.0
// Collectives on vectors beside their equations.
#include "testbench/validation/validation_collectives.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "models/collectives/collectives.h"
#include "testbench/collective/port_choices.h"
#include "testbench/family/family_experiment.h"
#include "testbench/validation/validation_points.h"

namespace ecube {

namespace {

/// A machine on which every collective runs.
struct Where {
  std::string_view preset;
  std::uint32_t ports;
};

constexpr std::array<Where, 4> places{{{"ideal", 1}, {"ideal", Ports::n}, {"ipsc860-nx", 1}, {"ncube2", Ports::n}}};

struct Allowance {
  double percent;
  std::string_view reason;
};

Allowance tolerance_of(const Collective& collective, const Where& where) {
  if (where.preset == "ncube2") {
    return {0.5,
            "start-ups queue; a sender goes on some cycles before its message arrives, the equation when it arrives"};
  }
  if (where.preset == "ipsc860-nx") {
    if (collective.meaning == Meaning::prefix) return {2, "messages of one length; times are whole cycles"};
    constexpr std::pair<std::string_view, double> worst[] = {
        {"reduce-scatter", 5.5}, {"scatter", 9}, {"broadcast", 10}, {"all-gather", 15}, {"gather", 25}};
    const auto* const own =
        std::find_if(std::begin(worst), std::end(worst), [&](const auto& one) { return one.first == collective.name; });
    return {
        own == std::end(worst) ? 2 : own->second,
        "unforced messages do not wait for their receivers, so that blocks of unequal length, and most of all those "
        "about the threshold of 25 floats, change the order in which nodes meet"};
  }
  if (collective.before == Holding::all_on_root) {
    return {1.5,
            "a sender goes on some cycles before its message arrives, which shows where blocks differ by an item; "
            "equal blocks are exact"};
  }
  return {0.001, "times are whole cycles"};
}

ValidationPoint collective_point(TestBench& bench, const Machine& machine, const Collective& collective,
                                 const CollectiveAlgorithm& algorithm, const CollectiveProblem& problem) {
  FamilyQuestion question{
      .collective = &collective, .name = machine.name, .machine = machine, .problem = problem, .algorithm = &algorithm};
  question.parameters = bench.calibrate(machine).combine(bytes_of(question.type));
  const FamilyChoice choice = family_choice(question, algorithm, problem.ports);
  const RunSetup setup{.machine = machine, .dim = problem.dim, .conditions = {}};
  CollectiveRun run(family_workload(question, choice, setup, Payload::bytes));
  const FamilyMeasurement m = run_family(bench, setup, question, choice, run);
  std::string words = fmt::format("{} --machine {} --dim {} --ports {} --items {} --algorithm {}", collective.name,
                                  machine.name, problem.dim, ports_word(problem.ports), problem.items, algorithm.name);
  if (collective.rooted && problem.root > 0) words += fmt::format(" --root {}", problem.root);
  return {.run = std::move(words),
          .predicted_us = m.predicted_us,
          .measured_us = m.run.result.us,
          .blocked_circuits = m.run.network.link_blocked.circuits,
          .port_blocked_circuits = m.run.network.port_blocked.circuits,
          .serialised_circuits = m.run.network.serialised.circuits,
          .lost_messages = m.run.network.lost,
          .finished = m.run.result.status == RunResult::Status::finished,
          .verified = m.verified == true};
}

ValidationFamily family_of(const ValidationSetup& setup, const std::string& name, const Collective& collective,
                           const Where& where) {
  const Allowance tolerance = tolerance_of(collective, where);
  ValidationFamily family{.name = name,
                          .grid = "d 1 .. 6, every algorithm, 7, p, 100 and 1,000 floats, root 0 and the last but one",
                          .tolerance_percent = tolerance.percent,
                          .reason = std::string(tolerance.reason)};
  const Machine machine = with_ports(setup.machine(where.preset), where.ports);
  for (const CollectiveAlgorithm& algorithm : collective.algorithms) {
    if (algorithm.all_ports && where.ports == 1) continue;
    for (unsigned dim = 1; dim <= validation_dim; ++dim) {
      const std::uint64_t p = std::uint64_t{1} << dim;
      for (const std::uint64_t items : {std::uint64_t{7}, p, std::uint64_t{100}, std::uint64_t{1000}}) {
        for (const NodeId root : std::set<NodeId>{0, static_cast<NodeId>(p - 2)}) {
          if (root > 0 && !collective.rooted) continue;
          family.points.push_back(collective_point(setup.bench, machine, collective, algorithm,
                                                   {.dim = dim,
                                                    .items = items,
                                                    .root = root,
                                                    .ports = machine.node.ports,
                                                    .startups = machine.node.startups,
                                                    .packets = 0}));
        }
      }
    }
  }
  return family;
}

}  // namespace

std::vector<FamilyPlan> collective_families() {
  std::vector<FamilyPlan> plans;
  for (const Collective* collective : collectives()) {
    for (const Where& where : places) {
      const std::string name =
          fmt::format("{} {}{}", collective->name, where.preset, where.ports == Ports::n ? " n-port" : "");
      plans.push_back({name, [name, collective, &where](const ValidationSetup& setup) {
                         return family_of(setup, name, *collective, where);
                       }});
    }
  }
  return plans;
}

}  // namespace ecube
