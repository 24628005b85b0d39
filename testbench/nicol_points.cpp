// SPDX-License-Identifier: Apache-2.0
// Times, crossings and the best partition on the preset ipsc860.
#include "testbench/nicol_points.h"

#include <algorithm>
#include <numeric>

#include "models/presets.h"
#include "testbench/exchange_experiment.h"

namespace ecube {

namespace {

class Ipsc860 {
 public:
  explicit Ipsc860(TestBench& bench) : bench_(bench), machine_(resolve(preset_settings(preset("ipsc860")))) {}

  double ms(const Partition& partition, Bytes bytes) {
    ExchangeExperiment experiment;
    experiment.setup = {.machine = machine_, .dim = partition.dim(), .conditions = {}};
    experiment.workload.partition = partition;
    experiment.workload.bytes = bytes;
    experiment.workload.payload = Payload::none;
    experiment.workload.barrier = machine_.library.barrier;
    experiment.workload.identity_shuffle = machine_.library.identity_shuffle;
    return run_exchange(bench_, experiment, {}).run.result.us / 1000;
  }

  /// The least block from which Direct is faster than `partition`, in bytes.
  double crossing(const Partition& partition) {
    const Partition direct = Partition::direct(partition.dim());
    Bytes below = 1;
    Bytes above = 1000;
    while (above - below > 1) {
      const Bytes middle = (below + above) / 2;
      (ms(direct, middle) < ms(partition, middle) ? above : below) = middle;
    }
    return static_cast<double>(above);
  }

  bool standard_is_ever_best(unsigned dim) {
    for (Bytes bytes = 1; bytes <= 256; bytes *= 2) {
      double best = ms(Partition::standard(dim), bytes);
      const std::vector<Partition> others = equipartitions_of(dim);
      const double least = std::transform_reduce(
          others.begin(), others.end() - 1, best * 2, [](double a, double b) { return std::min(a, b); },
          [&](const Partition& partition) { return ms(partition, bytes); });
      if (best < least) return true;
    }
    return false;
  }

 private:
  TestBench& bench_;
  Machine machine_;
};

}  // namespace

std::vector<PublishedPoint> measure_nicol_points(TestBench& bench) {
  Ipsc860 machine(bench);
  const auto direct = [](unsigned dim) { return Partition::direct(dim); };
  std::vector<PublishedPoint> points;
  points.push_back({"d=5, Direct, 1 byte", "ms", 7, machine.ms(direct(5), 1)});
  points.push_back({"d=5, {3,2} and Direct cross at", "bytes", 100, machine.crossing(Partition({3, 2}))});
  points.push_back({"d=6, {3,3} and Direct cross at", "bytes", 140, machine.crossing(Partition({3, 3}))});
  points.push_back({"d=6, 32 bytes, Direct", "ms", 17, machine.ms(direct(6), 32)});
  points.push_back({"d=6, 32 bytes, Standard", "ms", 17, machine.ms(Partition::standard(6), 32)});
  points.push_back({"d=6, 32 bytes, best multiphase {3,3}", "ms", 8, machine.ms(Partition({3, 3}), 32)});
  for (const unsigned dim : {5U, 6U}) {
    points.push_back({"d=" + std::to_string(dim) + ", Standard is never best", "", std::nullopt, std::nullopt,
                      !machine.standard_is_ever_best(dim)});
  }
  return points;
}

}  // namespace ecube
