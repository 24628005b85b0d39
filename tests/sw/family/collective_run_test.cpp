// SPDX-License-Identifier: Apache-2.0
// Every collective on vectors, by every algorithm, from every root: the items of a sequential computation, in the time
// of the equation.
#include "sw/family/collective_run.h"

#include "models/family/plan.h"
#include "tests/sw/ideal_run.h"
#include "tests/sw/vectors.h"
#include "tests/test.h"

namespace ecube::collective_run_test {
namespace {

/// The node whose block has the item: blocks differ by at most one item, larger ones first.
NodeId owner(std::uint64_t place, std::uint64_t items, NodeId nodes) {
  NodeId node = 0;
  for (std::uint64_t end = 0; node < nodes; ++node) {
    end += items / nodes + (node < items % nodes ? 1 : 0);
    if (place < end) break;
  }
  return node;
}

bool holds(Holding holding, NodeId node, std::uint64_t place, const CollectiveProblem& problem) {
  if (holding == Holding::all_on_root) return node == problem.root;
  return holding == Holding::all || owner(place, problem.items, problem.nodes()) == node;
}

/// What the item at a place should be on a node, by one loop over the nodes.
std::uint32_t expected(const Collective& collective, const CollectiveProblem& problem, NodeId node, std::uint64_t place,
                       Function function) {
  if (collective.meaning == Meaning::moved) {
    return item(collective.before == Holding::all_on_root ? problem.root : owner(place, problem.items, problem.nodes()),
                place);
  }
  const bool prefix = is_prefix(collective.meaning);
  // An exclusive prefix ends before the node; that of node 0, which has none, is its own vector.
  const NodeId end = collective.meaning == Meaning::exclusive_prefix ? std::max<NodeId>(node, 1) : node + 1;
  std::uint32_t result = 0;
  for (NodeId i = 0; i < (prefix ? end : problem.nodes()); ++i) {
    NodeId from = i;
    if (!prefix) {  // directions d-1 .. 0 combine labels read backwards
      from = 0;
      for (unsigned bit = 0; bit < problem.dim; ++bit) from |= (i >> bit & 1U) << (problem.dim - 1 - bit);
    }
    result = i == 0 ? item(from, place) : function(result, item(from, place));
  }
  return result;
}

std::uint64_t wrong_items(CollectiveRun& run, const CollectiveWorkload& workload, Function function) {
  std::uint64_t wrong = 0;
  for (NodeId node = 0; node < workload.problem.nodes(); ++node)
    for (std::uint64_t place = 0; place < workload.problem.items; ++place) {
      if (!holds(workload.collective->after, node, place, workload.problem)) continue;
      std::uint32_t found = 0;
      std::memcpy(&found, run.vector(node).data() + place * sizeof found, sizeof found);
      if (found != expected(*workload.collective, workload.problem, node, place, function)) ++wrong;
    }
  return wrong;
}

/// Order shows only where one port combines every item in the same order; a prefix always is in the order of labels.
Function function_of(const CollectiveWorkload& workload) {
  const bool ordered = is_prefix(workload.collective->meaning) || workload.problem.blocks().parts() == 1;
  return ordered ? compose : add;
}

CollectiveWorkload workload_of(const Collective& collective, const CollectiveAlgorithm& algorithm,
                               const CollectiveProblem& problem) {
  CollectiveWorkload workload{.collective = &collective, .algorithm = &algorithm, .problem = problem};
  workload.operation = CombineOperation::elementwise<std::uint32_t>(function_of(workload));
  workload.initial = fill;
  return workload;
}

/// `use` of every collective, algorithm, dimension, number of ports, number of packets, root and length.
template <class Use>
void for_all(unsigned most_dim, const Use& use) {
  for (const Collective* collective : collectives())
    for (const CollectiveAlgorithm& algorithm : collective->algorithms)
      for (unsigned dim = 1; dim <= most_dim; ++dim) {
        const std::uint64_t p = std::uint64_t{1} << dim;
        for (const std::uint32_t ports : {1U, 2U, std::uint32_t{Ports::n}}) {
          if (algorithm.all_ports && ports != Ports::n) continue;
          for (const std::uint64_t packets : {1U, 3U}) {
            if (packets > 1 && !algorithm.packets) continue;
            for (NodeId root = 0; root < (collective->rooted ? p : 1); ++root)
              for (const std::uint64_t items :
                   {std::uint64_t{0}, std::uint64_t{1}, p - 1, p, p + 1, std::uint64_t{1000}}) {
                use(*collective, algorithm,
                    CollectiveProblem{
                        .dim = dim, .items = items, .root = root, .ports = {.engines = ports}, .packets = packets});
              }
          }
        }
      }
}

std::string name_of(const CollectiveWorkload& workload) {
  const CollectiveProblem& problem = workload.problem;
  return std::string(workload.collective->name) + " by " + std::string(workload.algorithm->name) +
         ", d=" + std::to_string(problem.dim) + " n=" + std::to_string(problem.items) + " root " +
         std::to_string(problem.root) + " ports " + std::to_string(problem.ports.engines) + " packets " +
         std::to_string(problem.packets);
}

TEST(CollectiveOnTheIdealMachine, OfEveryLengthFromEveryRootIsWhatOneProcessorGets) {
  std::uint64_t number = 0;
  for_all(4, [&](const Collective& collective, const CollectiveAlgorithm& algorithm, const CollectiveProblem& problem) {
    CollectiveWorkload workload = workload_of(collective, algorithm, problem);
    ++number;
    workload.handshake = {.sync = number % 2 == 0 ? PairwiseSync::on : PairwiseSync::off, .paired = number % 3 == 0};
    CollectiveRun run(workload);
    expect_finished(IdealRun::on(problem.dim, problem.ports.engines, number), run.program(), name_of(workload));
    ASSERT_EQ(wrong_items(run, workload, function_of(workload)), 0U) << name_of(workload);
    ASSERT_EQ(run.wrong(), 0U) << name_of(workload);
  });
}

/// Binary fractions, so that sums of them are exact.
CombineParameters given_parameters() {
  CombineParameters p;
  p.exchange = {.alpha_zero_us = 32, .alpha_short_us = 64, .alpha_us = 64, .beta_us_per_item = 2};
  p.one_way = {.alpha_zero_us = 16, .alpha_short_us = 48, .alpha_us = 48, .beta_us_per_item = 1};
  p.gamma_us_per_item = 0.5;
  return p;
}

IdealRun ideal_run(const CollectiveProblem& problem, const CombineParameters& p) {
  IdealRun where;
  where.dim = problem.dim;
  where.machine.node.ports = problem.ports;
  const auto message = [](const NeighbourCost& cost) {
    return ExchangeParameters{
        .lambda_us = cost.alpha_us, .lambda0_us = cost.alpha_zero_us, .tau_us_per_byte = cost.beta_us_per_item / 4};
  };
  where.costs = {
      .message = message(p.one_way), .exchange = message(p.exchange), .gamma_us_per_item = p.gamma_us_per_item};
  return where;
}

TEST(CollectiveOnTheIdealMachine, OfEveryLengthTakesTheTimeOfTheEquation) {
  const CombineParameters p = given_parameters();
  for_all(4, [&](const Collective& collective, const CollectiveAlgorithm& algorithm, const CollectiveProblem& problem) {
    CollectiveWorkload workload = workload_of(collective, algorithm, problem);
    workload.carried = false;
    workload.checks = true;
    CollectiveRun firmware(workload);
    const RunResult result = run(ideal_run(problem, p), firmware.program());
    ASSERT_EQ(result.status, RunResult::Status::finished) << name_of(workload);
    ASSERT_EQ(firmware.wrong(), 0U) << name_of(workload);
    ASSERT_DOUBLE_EQ(result.us, plan_cost(firmware.plan(), p).us) << name_of(workload);
  });
}

/// The messages of every step, and the longest of them.
void expect_steps(const CollectivePlan& plan, const PlanCost& cost, const std::string& what) {
  ASSERT_EQ(cost.steps.size(), plan.steps()) << what;
  std::uint64_t all = 0;
  for (unsigned number = 0; number < plan.steps(); ++number) {
    std::uint64_t messages = 0;
    std::uint64_t longest = 0;
    for (NodeId node = 0; node < plan.problem().nodes(); ++node) {
      std::vector<PlannedTransfer> transfers;
      plan.step(node, number, transfers);
      for (const PlannedTransfer& transfer : transfers) {
        if (!transfer.sends) continue;
        ++messages;
        std::uint64_t items = 0;
        for (const Items& range : transfer.outgoing) items += range.count;
        longest = std::max(longest, items);
      }
    }
    EXPECT_EQ(cost.steps[number].messages, messages) << what << ", step " << number;
    EXPECT_EQ(cost.steps[number].items, longest) << what << ", step " << number;
    all += messages;
  }
  EXPECT_EQ(cost.messages, all) << what;
}

TEST(CollectiveOnTheIdealMachine, OfALengthThatDividesTakesThePublishedTime) {
  CombineParameters p = given_parameters();
  p.one_way = p.exchange;  // the papers have one alpha
  for (const Collective* collective : collectives())
    for (const CollectiveAlgorithm& algorithm : collective->algorithms)
      for (unsigned dim = 1; dim <= 5; ++dim)
        for (const std::uint32_t ports : {1U, std::uint32_t{Ports::n}}) {
          if (algorithm.all_ports && ports == 1) continue;
          for (const std::uint64_t packets : {1U, 2U, 5U}) {
            if (packets > 1 && !algorithm.packets) continue;
            const CollectiveProblem problem{.dim = dim,
                                            .items = (std::uint64_t{1} << dim) * dim * packets,
                                            .ports = {.engines = ports},
                                            .packets = packets};
            CollectiveWorkload workload = workload_of(*collective, algorithm, problem);
            workload.carried = false;
            CollectiveRun firmware(workload);
            const RunResult result = run(ideal_run(problem, p), firmware.program());
            EXPECT_NEAR(result.us, algorithm.published_us(problem, p), 1e-6) << name_of(workload);
            // All blocks are equally long: the steps follow one another without a gap.
            const PlanCost cost = plan_cost(firmware.plan(), p);
            EXPECT_NEAR(cost.terms.total(), result.us, 1e-6) << name_of(workload);
            EXPECT_TRUE(cost.followed);
            expect_steps(firmware.plan(), cost, name_of(workload));
          }
        }
}

TEST(CollectiveOnTheIdealMachine, WithAMessageThatIsLostCutOrShiftedIsFoundToBeWrong) {
  using Change = void (*)(Operation & operation);
  const Change changes[] = {
      [](Operation& operation) { operation.outgoing = {}; },
      [](Operation& operation) { operation.outgoing.run_bytes -= 4; },
      [](Operation& operation) {
        operation.outgoing.base += 4;
        operation.outgoing.run_bytes -= 4;
      },
  };
  for (const Collective* collective : collectives())
    for (const CollectiveAlgorithm& algorithm : collective->algorithms)
      for (const Change change : changes) {
        CollectiveWorkload workload = workload_of(*collective, algorithm,
                                                  {.dim = 3,
                                                   .items = 48,
                                                   .ports = {.engines = algorithm.all_ports ? Ports::n : 1},
                                                   .packets = algorithm.packets ? 2U : 1U});
        CollectiveRun run(workload);
        bool planted = false;
        Faulty program(run.program(), [&](NodeId node, Operation& operation) {
          if (planted || operation.outgoing.bytes() < 8) return;
          // Some totals that go to smaller labels are needed by nobody.
          if (is_prefix(collective->meaning) && node > operation.peer) return;
          planted = true;
          change(operation);
        });
        expect_finished(IdealRun::on(3, workload.problem.ports.engines, 1), program, "with a fault");
        EXPECT_GT(wrong_items(run, workload, function_of(workload)), 0U) << name_of(workload);
        EXPECT_GT(run.wrong(), 0U) << name_of(workload);
      }
}

}  // namespace
}  // namespace ecube::collective_run_test
