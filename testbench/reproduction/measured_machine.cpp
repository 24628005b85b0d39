// SPDX-License-Identifier: Apache-2.0
// Experiments on a machine; refuses every run whose time would be meaningless.
#include "testbench/reproduction/measured_machine.h"

#include <stdexcept>

#include "testbench/collective/recommendation.h"

namespace ecube {

namespace {

void expect_undisturbed(const RunMeasurement& run, std::optional<bool> verified, std::string_view what) {
  if (run.result.status != RunResult::Status::finished) {
    throw std::runtime_error(fmt::format("{} did not finish", what));
  }
  if (judged(run.network.link_blocked.circuits, "blocked circuits") > 0)
    throw std::runtime_error(fmt::format("{} had circuits blocked", what));
  if (!judged(verified.value_or(true), "right data")) throw std::runtime_error(fmt::format("{} left wrong data", what));
}

}  // namespace

double MeasuredMachine::exchange_us(const Partition& partition, Bytes bytes, PairwiseSync sync) {
  const ExchangeExperiment experiment{.setup = setup(partition.dim()),
                                      .workload = {.partition = partition,
                                                   .bytes = bytes,
                                                   .barrier = machine_.library.barrier,
                                                   .sync = sync,
                                                   .identity_shuffle = machine_.library.identity_shuffle,
                                                   .payload = Payload::none}};
  const ExchangeMeasurement measured = run_exchange(bench_, experiment, {});
  expect_undisturbed(measured.run, measured.verified, "an exchange");
  return judged(measured.run.result.us, "exchange {} {} B", partition.braced_name(), bytes);
}

Partition MeasuredMachine::fastest(std::span<const Partition> partitions, Bytes bytes) {
  std::vector<double> us;
  for (const Partition& partition : partitions) us.push_back(exchange_us(partition, bytes));
  return partitions[static_cast<std::size_t>(std::ranges::min_element(us) - us.begin())];
}

std::vector<Partition> MeasuredMachine::fastest(std::span<const Partition> partitions, std::span<const Bytes> sizes) {
  std::vector<Partition> found;
  for (const Bytes bytes : sizes) {
    const Partition best = fastest(partitions, bytes);
    if (found.empty() || found.back() != best) found.push_back(best);
  }
  return found;
}

double MeasuredMachine::crossing(const Partition& earlier, const Partition& later) {
  const auto sooner = [&](Bytes bytes) { return bytes > 0 && exchange_us(later, bytes) < exchange_us(earlier, bytes); };
  return static_cast<double>(first_between(0, 1000, sooner).value_or(0));
}

ShuffleMeasurement MeasuredMachine::shuffle(unsigned dim, const ShuffleWorkload& workload,
                                            GeneralisedShuffle& shuffle) {
  ShuffleExperiment experiment{.setup = setup(dim), .workload = workload};
  experiment.setup.machine.node.ports = workload.ports;
  const ShuffleParameters parameters =
      bench_.calibrate(experiment.setup.machine).shuffle(element_bytes, workload.packet);
  ShuffleMeasurement measured = run_shuffle(bench_, experiment, parameters, shuffle);
  if (workload.method != ShuffleMethod::route) expect_undisturbed(measured.run, measured.verified, "a shuffle");
  return measured;
}

double MeasuredMachine::combine_us(unsigned dim, const CombineWorkload& workload, GlobalCombine& combine) {
  const CombineMeasurement measured = run_combine(bench_, {.setup = setup(dim), .workload = workload}, {}, combine);
  expect_undisturbed(measured.run, measured.verified, "a combine");
  return judged(measured.run.result.us, "time of a combine");
}

}  // namespace ecube
