// SPDX-License-Identifier: Apache-2.0
// The shuffle over any number of ports where start-ups queue: the nCUBE-2 compared with its equation.
#include "testbench/shuffle/shuffle_request.h"
#include "tests/test.h"
#include "tests/testbench/run/queued_sweep.h"

namespace ecube::queued_shuffle_test {
namespace {

/// Whether `run` accepts the workload. For a part that a shape does not have, only the first algorithm counts.
bool is_taken(const Shape& shape, const ShuffleWorkload& workload, unsigned dim) {
  if (!shape.mixed && workload.mixed != MixedAlgorithm::one_port) return false;
  if (!shape.real && (workload.real != RealAlgorithm::a1 || workload.two_cycles)) return false;
  if (unfit(workload, dim)) return false;
  const ShuffleFormula formula(workload, dim);
  return workload.packet <= formula.largest_packet() && (!formula.exists() || formula.fits(workload.packet));
}

TEST(QueuedShuffle, OverAnyNumberOfPortsIsWithin2PercentOfItsEquation) {
  Sample sample(40);
  Worst worst;
  const std::optional<RealAlgorithm> two_cycle_choices[] = {std::nullopt, RealAlgorithm::a2x2};
  for (unsigned dim = 2; dim <= 6; ++dim)
    for (const Shape& shape : shapes_of(dim))
      for (std::uint32_t ports = 1; ports <= dim; ++ports)
        for (const std::uint64_t elements : {16U, 24U, 64U, 250U, 512U})
          for (const std::uint32_t packet : {1U, 2U, 4U, 7U, 16U, 64U})
            for (const auto& mixed : mixed_algorithms)
              for (const auto& real : real_algorithms)
                for (const std::optional<RealAlgorithm>& two_cycles : two_cycle_choices) {
                  if (!sample.takes()) continue;
                  ShuffleExperiment test;
                  test.setup.machine = ncube2_with(ports);
                  test.setup.dim = dim;
                  ShuffleWorkload& workload = test.workload;
                  if (shape.cycles.size() > 1 && elements % (shape.cycles.size() > 2 ? 8 : 4) != 0) continue;
                  workload.permutation = DimensionPermutation(shape.cycles, {});
                  workload.elements = elements;
                  workload.packet = packet;
                  workload.mixed = mixed.value;
                  workload.real = real.value;
                  workload.two_cycles = two_cycles;
                  workload.ports = test.setup.machine.node.ports;
                  if (!is_taken(shape, workload, dim)) continue;
                  const ShuffleMeasurement m =
                      run_shuffle(queued_bench(), test,
                                  queued_bench().calibrate(test.setup.machine).shuffle(element_bytes, workload.packet));
                  ASSERT_EQ(m.verified, true);
                  worst.add(m.error_percent(), "shuffle --dim " + std::to_string(dim) + " --ports " +
                                                   std::to_string(ports) + " --elements " + std::to_string(elements) +
                                                   " --packet " + std::to_string(packet) + " --algorithm " +
                                                   algorithm_name(workload) + " " + workload.permutation.name());
                }
  worst.print(sample);
  EXPECT_LE(worst.percent(), 2.0) << worst.name() << ", " << sample.name();
}

/// The equation waits for the last node before the permutation begins, the machine does not.
TEST(QueuedShuffle, OnAnExtendedCubeIsWithin5PercentOfItsEquation) {
  Sample sample(8);
  Worst worst;
  for (unsigned dim = 3; dim <= 6; ++dim)
    for (unsigned extend = 1; extend < dim && extend <= 3; ++extend)
      for (std::uint32_t ports = 1; ports <= dim; ++ports)
        for (const std::uint64_t elements : {64U, 240U})
          for (const std::uint32_t packet : {1U, 3U, 8U}) {
            if (!sample.takes()) continue;
            ShuffleExperiment test;
            test.setup.machine = ncube2_with(ports);
            test.setup.dim = dim;
            ShuffleWorkload& workload = test.workload;
            workload.permutation = DimensionPermutation({cycle_of(0, dim - extend, 0)}, {});
            workload.elements = elements;
            workload.extend = extend;
            workload.packet = packet;
            workload.mixed = ports == 1 ? MixedAlgorithm::one_port : MixedAlgorithm::pipelined;
            workload.ports = test.setup.machine.node.ports;
            if (packet > ShuffleFormula(workload, dim).largest_packet()) continue;
            const ShuffleMeasurement m = run_shuffle(
                queued_bench(), test, queued_bench().calibrate(test.setup.machine).shuffle(element_bytes, packet));
            ASSERT_EQ(m.verified, true);
            worst.add(m.error_percent(), "shuffle --dim " + std::to_string(dim) + " --ports " + std::to_string(ports) +
                                             " --elements " + std::to_string(elements) + " --packet " +
                                             std::to_string(packet) + " --extend " + std::to_string(extend));
          }
  worst.print(sample);
  EXPECT_LE(worst.percent(), 5.0) << worst.name() << ", " << sample.name();
}

/// These tests notice a prediction that leaves out the queue.
TEST(QueuedShuffle, WithoutTheQueueIsFarFromItsEquation) {
  ShuffleExperiment test;
  test.setup.machine = ncube2_with(Ports::n);
  test.setup.dim = 5;
  test.workload.permutation = DimensionPermutation({cycle_of(0, 5, 0)}, {});
  test.workload.elements = 64;
  test.workload.packet = 4;
  test.workload.ports = test.setup.machine.node.ports;
  ShuffleParameters parameters = queued_bench().calibrate(test.setup.machine).shuffle(element_bytes, 4);
  EXPECT_LT(std::abs(run_shuffle(queued_bench(), test, parameters).error_percent()), 2);
  parameters.processor.reset();
  EXPECT_GT(run_shuffle(queued_bench(), test, parameters).error_percent(), 200);
}

}  // namespace
}  // namespace ecube::queued_shuffle_test
