// SPDX-License-Identifier: Apache-2.0
// A machine on the test bench, and the times of collectives on it.
#pragma once

#include "testbench/combine/combine_request.h"
#include "testbench/exchange/exchange_experiment.h"
#include "testbench/shuffle/shuffle_request.h"

namespace ecube {

/// Runs collectives on the event engine. Every run has to finish, without a circuit blocked by another, and with all
/// carried data in place; otherwise std::runtime_error.
class MeasuredMachine {
 public:
  MeasuredMachine(TestBench& bench, Machine machine) : bench_(bench), machine_(std::move(machine)) {}

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] Machine& machine() { return machine_; }
  /// The machine with `change(Machine&)`, on the same bench.
  [[nodiscard]] MeasuredMachine with(const auto& change) const {
    MeasuredMachine changed = *this;
    change(changed.machine_);
    return changed;
  }
  [[nodiscard]] TestBench& bench() { return bench_; }
  [[nodiscard]] const Calibration& calibration() { return bench_.calibrate(machine_); }
  [[nodiscard]] RunSetup setup(unsigned dim) const { return {.machine = machine_, .dim = dim, .conditions = {}}; }
  /// Any program on a cube, whatever comes of it.
  [[nodiscard]] RunMeasurement run(unsigned dim, Program& program) { return bench_.run(setup(dim), program); }

  /// The pairwise exchange, with the barrier and the shuffles that the machine's library has.
  [[nodiscard]] double exchange_us(const Partition& partition, Bytes bytes, PairwiseSync sync = PairwiseSync::on);
  /// The first of these partitions that takes the least time.
  [[nodiscard]] Partition fastest(std::span<const Partition> partitions, Bytes bytes);
  /// The fastest ones at these sizes, each once for all sizes that follow one another.
  [[nodiscard]] std::vector<Partition> fastest(std::span<const Partition> partitions, std::span<const Bytes> sizes);
  /// The first block of at most 1,000 B that `later` exchanges sooner than `earlier`; 0 if there is none.
  [[nodiscard]] std::uint64_t crossing(const Partition& earlier, const Partition& later);
  /// A shuffle with verified elements, on the ports that the workload names.
  [[nodiscard]] ShuffleMeasurement shuffle(unsigned dim, const ShuffleWorkload& workload) {
    GeneralisedShuffle made(workload, dim);
    return shuffle(dim, workload, made);
  }
  /// The shuffle of a caller, made for the workload.
  ShuffleMeasurement shuffle(unsigned dim, const ShuffleWorkload& workload, GeneralisedShuffle& shuffle);
  /// The combine of a caller, made for the workload.
  [[nodiscard]] double combine_us(unsigned dim, const CombineWorkload& workload, GlobalCombine& combine);

 private:
  TestBench& bench_;
  Machine machine_;
};

}  // namespace ecube
