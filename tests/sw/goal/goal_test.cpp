// SPDX-License-Identifier: Apache-2.0
// Schedules of operations with dependencies on the ideal machine: hand-worked times of their ends.
#include "sw/goal/goal.h"

#include "tests/sw/ideal_run.h"
#include "tests/test.h"

namespace ecube::goal_test {
namespace {

/// A schedule and its memory.
struct Schedule {
  std::vector<GoalOperation> operations;
  std::vector<std::uint32_t> dependents;
  std::vector<std::uint32_t> first;
  [[nodiscard]] GoalSchedule spans() { return {operations, dependents, first}; }
};

GoalOperation calculation(std::uint64_t ns) { return {.amount = ns, .kind = GoalKind::calculation}; }
GoalOperation message(GoalKind kind, std::uint32_t peer, std::uint64_t bytes, std::uint32_t tag = 0) {
  return {.amount = bytes, .peer = peer, .tag = tag, .kind = kind};
}

/// `after` waits for the end of `before`, or for its start. Of one operation those that wait for its start come first.
void wait(Schedule& schedule, std::uint32_t before, const std::vector<std::uint32_t>& for_start,
          const std::vector<std::uint32_t>& for_end) {
  GoalOperation& operation = schedule.operations[before];
  operation.first_dependent = static_cast<std::uint32_t>(schedule.dependents.size());
  operation.on_start = static_cast<std::uint32_t>(for_start.size());
  operation.dependents = operation.on_start + static_cast<std::uint32_t>(for_end.size());
  for (const auto& list : {for_start, for_end})
    for (const std::uint32_t dependent : list) {
      schedule.dependents.push_back(dependent);
      ++schedule.operations[dependent].waits_for;
    }
}

/// Messages take 10 us and 1 us a byte; a cycle is 25 ns.
IdealRun machine(unsigned dim) {
  IdealRun where;
  where.dim = dim;
  where.machine.clock_hz = 40e6;
  where.costs.message = {.lambda_us = 10, .lambda0_us = 5, .tau_us_per_byte = 1};
  return where;
}

double us_of(Schedule schedule, unsigned dim, std::uint64_t left = 0) {
  std::vector<NodeId> nodes(schedule.first.size() - 1);
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  GoalProgram program(schedule.spans(), nodes);
  const RunResult result = run(machine(dim), program);
  EXPECT_EQ(result.status, left == 0 ? RunResult::Status::finished : RunResult::Status::stalled) << result.fault;
  EXPECT_EQ(program.left(), left);
  return result.us;
}

TEST(Goal, CalculationsOfARankWaitForTheProcessorAndForTheirDependencies) {
  // Two that wait for nothing share the processor: 3 us and 5 us.
  EXPECT_DOUBLE_EQ(us_of({{calculation(3'000), calculation(5'000)}, {}, {0, 2}}, 1), 8);
  // Four in a chain, the third without work.
  Schedule chain{{calculation(1'000), calculation(2'000), calculation(0), calculation(4'000)}, {}, {0, 4}};
  wait(chain, 0, {}, {1});
  wait(chain, 1, {}, {2});
  wait(chain, 2, {}, {3});
  EXPECT_DOUBLE_EQ(us_of(chain, 1), 7);
  // A calculation without work does not wait for the processor: what waits for it begins at once.
  Schedule busy{{calculation(5'000), calculation(0), message(GoalKind::send, 1, 20), message(GoalKind::receive, 0, 20)},
                {},
                {0, 3, 4}};
  wait(busy, 1, {}, {2});
  EXPECT_DOUBLE_EQ(us_of(busy, 1), 30);
  // A quarter of a cycle is none, and three quarters are one.
  EXPECT_DOUBLE_EQ(us_of({{calculation(6)}, {}, {0, 1}}, 1), 0);
  EXPECT_DOUBLE_EQ(us_of({{calculation(19)}, {}, {0, 1}}, 1), 0.025);
}

TEST(Goal, OperationsWaitForTheStartOfOneAndForTheEndOfAnother) {
  // Rank 0 sends 20 bytes: 30 us. What waits for the start of the send begins at once, what waits for its end at 30.
  Schedule sends{{message(GoalKind::send, 1, 20), calculation(7'000), calculation(1'000),
                  message(GoalKind::receive, 0, 20), calculation(2'000)},
                 {},
                 {0, 3, 5}};
  wait(sends, 0, {1}, {2});
  wait(sends, 3, {}, {4});
  EXPECT_DOUBLE_EQ(us_of(sends, 1), 32);
  // A calculation that waits for the start of a receive does not wait for the message: 40 us beside 30.
  sends.operations[4].amount = 40'000;
  sends.dependents.clear();
  for (GoalOperation& one : sends.operations) one.waits_for = 0;
  wait(sends, 0, {1}, {2});
  wait(sends, 3, {4}, {});
  EXPECT_DOUBLE_EQ(us_of(sends, 1), 40);
  // A join of both: it begins at 40.
  Schedule join = sends;
  join.operations.push_back(calculation(1'000));
  join.first = {0, 3, 6};
  join.dependents.clear();
  for (GoalOperation& one : join.operations) one.waits_for = 0;
  wait(join, 0, {1}, {2});
  wait(join, 3, {4}, {5});
  wait(join, 4, {}, {5});
  EXPECT_DOUBLE_EQ(us_of(join, 1), 41);
}

TEST(Goal, MessagesMeetByTagAndRanksThatDoNothingEnd) {
  // Rank 2 of four nodes has nothing to do, node 3 is no rank. Receives are posted in the order of the other tag.
  Schedule tags{{message(GoalKind::send, 1, 10, 7), message(GoalKind::send, 1, 30, 8),
                 message(GoalKind::receive, 0, 30, 8), message(GoalKind::receive, 0, 10, 7)},
                {},
                {0, 2, 4, 4}};
  // One port: 20 us, then 40.
  EXPECT_DOUBLE_EQ(us_of(tags, 2), 60);
  // A receive of another tag stalls, and so does what waits for it.
  tags.operations[2].tag = 9;
  wait(tags, 2, {}, {3});
  (void)us_of(tags, 2, 2);
}

/// A run that stalls leaves operations under way, in any order: all of them are ended.
TEST(Goal, EndsWhatIsUnderWayWhenItIsStopped) {
  Schedule stalls{
      {message(GoalKind::receive, 1, 1, 1), message(GoalKind::receive, 1, 1, 2), message(GoalKind::receive, 1, 1, 3),
       message(GoalKind::receive, 1, 1, 4), message(GoalKind::send, 0, 1, 2), message(GoalKind::send, 0, 1, 4)},
      {},
      {0, 4, 6}};
  (void)us_of(stalls, 1, 2);
  for (const std::uint32_t comes : {1U, 2U, 3U}) {
    Schedule one = stalls;
    one.operations[5].tag = comes;
    one.operations[4].tag = 4;
    (void)us_of(one, 1, 2);
  }
}

}  // namespace
}  // namespace ecube::goal_test
