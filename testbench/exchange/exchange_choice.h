// SPDX-License-Identifier: Apache-2.0
// The partition and number of ports with which a complete exchange takes least time.
#pragma once

#include <functional>
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

  [[nodiscard]] double ahead_us() const { return measured_us ? predicted_us - *measured_us : 0; }
  [[nodiscard]] bool ahead() const;
};

class ExchangeTrials {
 public:
  /// All arguments must outlive this object.
  ExchangeTrials(TestBench& bench, const ExchangeArguments& arguments, const RunSetup& setup);

  [[nodiscard]] std::uint64_t runs() const;
  /// The synchronisation as typed, on the xor schedule.
  [[nodiscard]] ExchangeWay typed_way() const { return {Schedule::xor_pairs, typed_.sync}; }

  [[nodiscard]] std::vector<Partition> partitions();
  [[nodiscard]] ExchangeCandidate measure(const Partition& partition, ExchangeWay way, const Machine& machine);
  [[nodiscard]] double predicted_us(const Partition& partition, ExchangeWay way, const Machine& machine);

 private:
  [[nodiscard]] ExchangeWorkload workload(const Partition& partition, ExchangeWay way, const Machine& machine) const;

  TestBench& bench_;
  const ExchangeArguments& arguments_;
  const RunSetup& setup_;
  ExchangeWorkload typed_;
};

/// The partitions with the least predicted time on all ports of the machine, on fewer and on one, the fastest first.
[[nodiscard]] std::vector<ExchangeCandidate> exchange_choices(const ExchangeQuestion& question, Bytes bytes,
                                                              bool quiet);

/// The bytes of a message in the phase over the fewest dimensions: block 2^(d - d_i), up to 2^max_simulated_dim.
[[nodiscard]] Bytes longest_message(Bytes block, const Partition& partition);

[[nodiscard]] std::vector<std::string> exchange_gaps(const Machine& machine, unsigned dim, Bytes block,
                                                     const Partition& partition, BlockOrder order = BlockOrder::high,
                                                     Retuning retuning = Retuning::together);
/// Empty where the equation describes the machine.
struct TriedExchanges {
  std::vector<std::string> leaves_out;
  std::vector<ExchangeCandidate>
      candidates;  ///< run on the machine, the best first; none where there would be too many

  [[nodiscard]] bool measured() const { return !candidates.empty() && candidates.front().measured_us.has_value(); }
};

/// Runs partitions over every number of ports on the bench that `bench` gives for a dimension, where the equation
/// leaves out something and they together send few enough messages. InputError for whatever is wrong with the options.
[[nodiscard]] TriedExchanges tried_exchanges(const ExchangeArguments& arguments,
                                             const std::function<TestBench&(unsigned dim)>& bench);

inline constexpr std::int64_t max_measured_best_dim = 10;

[[nodiscard]] int measured_best(const ExchangeArguments& arguments);

}  // namespace ecube
