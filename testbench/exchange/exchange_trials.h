// SPDX-License-Identifier: Apache-2.0
// Exchanges run on the machine to be compared: partitions, ports, schedules, synchronisation.
#pragma once

#include <optional>
#include <vector>

#include "testbench/exchange/exchange_request.h"

namespace ecube {

struct ExchangeWay {
  Schedule schedule = Schedule::xor_pairs;
  PairwiseSync sync = PairwiseSync::on;  ///< means nothing on one-sided schedules
};

struct ExchangeCandidate {
  Partition partition = Partition::direct(1);
  ExchangeWay way{};
  Ports ports{};
  double predicted_us = 0;
  double average_distance_us = 0;       ///< predicted with d/2 hops for every message
  std::optional<double> measured_us{};  ///< the median; none where a run did not finish
  std::uint64_t unfinished = 0;         ///< runs
  std::uint64_t blocked_circuits = 0;   ///< of the run with the first seed
  std::uint64_t serialised_circuits = 0;

  /// How much less than predicted the run took.
  [[nodiscard]] double ahead_us() const { return measured_us ? predicted_us - *measured_us : 0; }
  [[nodiscard]] bool ahead() const;
};

/// Puts the candidates with the least measured times first.
void sort_by_measured(std::vector<ExchangeCandidate>& candidates);

class ExchangeTrials {
 public:
  /// All arguments must outlive this object.
  ExchangeTrials(TestBench& bench, const ExchangeArguments& arguments, const RunSetup& setup);

  /// Runs of a candidate: one for each seed where the machine jitters.
  [[nodiscard]] std::uint64_t runs() const;
  /// The synchronisation as typed, on the xor schedule.
  [[nodiscard]] ExchangeWay typed_way() const { return {Schedule::xor_pairs, typed_.sync}; }

  /// All partitions of a small cube, else those with the least predicted times.
  [[nodiscard]] std::vector<Partition> partitions();
  /// Runs a candidate on the ports of `machine`.
  [[nodiscard]] ExchangeCandidate measure(const Partition& partition, ExchangeWay way, const Machine& machine);
  [[nodiscard]] double predicted_us(const Partition& partition, ExchangeWay way, const Machine& machine);

 private:
  [[nodiscard]] ExchangeWorkload workload(const Partition& partition, ExchangeWay way, const Machine& machine) const;

  TestBench& bench_;
  const ExchangeArguments& arguments_;
  const RunSetup& setup_;
  ExchangeWorkload typed_;
};

}  // namespace ecube
