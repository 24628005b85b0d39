// SPDX-License-Identifier: Apache-2.0
// Every strategy of the global combine gives what one processor gets that has all vectors.
#include "sw/combine/global_combine.h"

#include "tests/sw/ideal_run.h"
#include "tests/sw/vectors.h"
#include "tests/test.h"

namespace ecube::global_combine_test {
namespace {

CombineWorkload workload_of(std::uint64_t items, Function function) {
  return {{.items = items}, {}, CombineOperation::elementwise<std::uint32_t>(function), fill};
}

NodeId reversed(NodeId node, unsigned dim) {
  NodeId result = 0;
  for (unsigned bit = 0; bit < dim; ++bit) result |= (node >> bit & 1U) << (dim - 1 - bit);
  return result;
}

/// Nodes whose vector is not the combination of all: directions d-1 .. 0 with the smaller label always on the left
/// combine the nodes in the order of their labels read backwards.
std::uint64_t wrong_vectors(GlobalCombine& combine, const CombineWorkload& workload, unsigned dim, Function function) {
  std::uint64_t wrong = 0;
  for (NodeId node = 0; node >> dim == 0; ++node) {
    if (workload.target == CombineTarget::root && node != workload.root) continue;
    bool right = true;
    for (std::uint64_t place = 0; place < workload.items; ++place) {
      std::uint32_t expected = item(0, place);
      for (NodeId i = 1; i >> dim == 0; ++i) expected = function(expected, item(reversed(i, dim), place));
      std::uint32_t found = 0;
      std::memcpy(&found, combine.vector(node).data() + place * sizeof found, sizeof found);
      right = right && found == expected;
    }
    wrong += right ? 0 : 1;
  }
  return wrong;
}

void expect_combines(const IdealRun& where, const CombineWorkload& workload, Function function,
                     const std::string& what) {
  GlobalCombine combine(workload, where.dim);
  expect_finished(where, combine.program(), what);
  EXPECT_EQ(wrong_vectors(combine, workload, where.dim, function), 0U) << what;
  EXPECT_EQ(combine.wrong(), 0U) << what;
}

/// How messages meet: a rendezvous, or as they come, or each an exchange with an empty half.
void vary_messages(CombineWorkload& workload, std::uint64_t number) {
  workload.sync = number % 2 == 0 ? PairwiseSync::on : PairwiseSync::off;
  workload.paired = number % 3 == 0;
  workload.level = number % 5 < 2;
  workload.pad = number % 7 == 0 ? 3 : 0;
}

/// No items, fewer than nodes, one that no halving divides, and one that all do.
constexpr std::uint64_t lengths[] = {0, 1, 3, 13, 32};

TEST(GlobalCombineOnTheIdealMachine, ByEveryStrategyIsTheOrderedCombinationOnAllNodesAndOnEveryRoot) {
  std::uint64_t number = 0;
  for (unsigned dim = 1; dim <= 4; ++dim)
    for (const bool tree : {false, true})
      for (const Strategy& strategy : tree ? std::vector{Strategy::full(dim)} : Strategy::all(dim))
        for (const std::uint64_t items : lengths)
          for (NodeId root = 0; root >> dim == 0; ++root)
            for (const CombineTarget target : {CombineTarget::all, CombineTarget::root}) {
              if (!tree && target == CombineTarget::all && root > 0) continue;
              CombineWorkload workload = workload_of(items, compose);
              workload.rule = HalvingRule::by(strategy);
              workload.tree = tree;
              workload.target = target;
              workload.root = root;
              vary_messages(workload, ++number);
              expect_combines(IdealRun::on(dim, 1, number), workload, compose,
                              "strategy " + strategy.name() + ", case " + std::to_string(number));
            }
}

TEST(GlobalCombineOnTheIdealMachine, ByEveryStrategyAddsUpOverEveryNumberOfPorts) {
  std::uint64_t number = 0;
  for (unsigned dim = 2; dim <= 4; ++dim)
    for (const std::uint32_t engines : {2U, 3U, std::uint32_t{Ports::n}})
      for (const Strategy& strategy : Strategy::all(dim))
        for (const std::uint64_t items : lengths) {
          CombineWorkload workload = workload_of(items, add);
          workload.rule = HalvingRule::by(strategy);
          workload.ports = {engines};
          vary_messages(workload, ++number);
          if (number % 2 == 0) {
            workload.target = CombineTarget::root;
            workload.root = static_cast<NodeId>(number / 2) & ((NodeId{1} << dim) - 1);
          }
          expect_combines(IdealRun::on(dim, engines, number), workload, add,
                          "strategy " + strategy.name() + ", case " + std::to_string(number));
        }
}

TEST(GlobalCombineOnTheIdealMachine, ByRulesThatLookAtTheLengthAddsUp) {
  const Sample sample;
  Draws draws(sample.seed());
  for (std::size_t i = 0; i < random_cases(200); ++i) {
    const auto dim = static_cast<unsigned>(1 + draws.up_to(5));
    CombineWorkload workload = workload_of(draws.up_to(70), add);
    workload.ports = {draws.of({1U, 2U, Ports::n})};
    const auto parts = CombineParts(workload.ports, dim).count();
    workload.rule = draws.up_to(1) == 0 ? HalvingRule::down_to(draws.up_to(20))
                                        : HalvingRule::run_time(static_cast<double>(draws.up_to(40)), 1.0, 0.5, parts);
    vary_messages(workload, draws.up_to(1000));
    // Halves of halves may differ by an item, and then a rule may decide otherwise for each of them.
    workload.level = true;
    if (draws.up_to(1) == 0) {
      workload.target = CombineTarget::root;
      workload.root = static_cast<NodeId>(draws.up_to((1U << dim) - 1));
    }
    expect_combines(IdealRun::on(dim, workload.ports.engines, draws.up_to(1000)), workload, add,
                    sample.name() + ", case " + std::to_string(i));
  }
}

TEST(GlobalCombineOnTheIdealMachine, WithAnItemTooFewOrAWrongHalfIsFoundToBeWrong) {
  const Fault faults[] = {
      // Node 5 sends nothing in direction 1.
      [](NodeId node, Operation& operation) {
        if (node == 5 && operation.peer == 7) operation.outgoing = {};
      },
      // Node 5 sends an item less in direction 2.
      [](NodeId node, Operation& operation) {
        if (node == 5 && operation.peer == 1) operation.outgoing.run_bytes -= 4;
      },
      // Node 5 sends the half that it should keep.
      [](NodeId node, Operation& operation) {
        if (node == 5 && operation.peer == 1) operation.outgoing.base += operation.outgoing.run_bytes;
      },
  };
  const CombineWorkload workload = [] {
    CombineWorkload by_halves = workload_of(32, add);
    by_halves.rule = HalvingRule::by(Strategy::halving(3));
    return by_halves;
  }();
  for (const Fault& fault : faults) {
    GlobalCombine combine(workload, 3);
    Faulty program(combine.program(), fault);
    expect_finished(IdealRun::on(3, 1, 1), program, "with a fault");
    EXPECT_GT(wrong_vectors(combine, workload, 3, add), 0U);
    EXPECT_GT(combine.wrong(), 0U);
  }
}

}  // namespace
}  // namespace ecube::global_combine_test
