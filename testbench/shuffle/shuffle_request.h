// SPDX-License-Identifier: Apache-2.0
// Options of the shuffle as typed and as checked requests, and its candidates.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/fit/equation_gaps.h"
#include "models/shuffle/shuffle_workload.h"
#include "sw/shuffle/shuffle.h"
#include "testbench/collective/recommendation.h"
#include "testbench/machine/test_bench.h"
#include "testbench/run/experiment.h"
#include "testbench/run/run_arguments.h"
#include "testbench/text/json_text.h"

namespace ecube {

using ShuffleExperiment = WorkloadOn<ShuffleWorkload>;

struct ShuffleMeasurement : DataMeasurement {
  ShuffleCount counted;   ///< exchanges of the firmware in sequence
  ShuffleCount expected;  ///< by formula; where there is none, as counted
  bool has_formula = true;
  std::optional<ShuffleTerms> predicted;  ///< none for `route`, which depends on contention
  /// For shuffles with messages one way: the predicted time if these did not wait for their receivers.
  std::optional<double> unpaced_us;

  [[nodiscard]] double error_percent() const {
    return predicted ? deviation_percent(run.result.us, predicted->total()) : 0;
  }
};

[[nodiscard]] ShuffleMeasurement run_shuffle(TestBench& bench, const ShuffleExperiment& experiment,
                                             const ShuffleParameters& parameters, GeneralisedShuffle& shuffle);

[[nodiscard]] inline ShuffleMeasurement run_shuffle(TestBench& bench, const ShuffleExperiment& experiment,
                                                    const ShuffleParameters& parameters) {
  GeneralisedShuffle shuffle(experiment.workload, experiment.setup.dim);
  return run_shuffle(bench, experiment, parameters, shuffle);
}

inline constexpr Word<MixedAlgorithm> mixed_algorithms[] = {{"one-port", MixedAlgorithm::one_port},
                                                            {"pipelined", MixedAlgorithm::pipelined},
                                                            {"concurrent", MixedAlgorithm::concurrent},
                                                            {"aapc", MixedAlgorithm::aapc},
                                                            {"aapc-concurrent", MixedAlgorithm::aapc_concurrent}};
inline constexpr Word<RealAlgorithm> real_algorithms[] = {{"a1", RealAlgorithm::a1},
                                                          {"a1-pipelined", RealAlgorithm::a1_pipelined},
                                                          {"a2", RealAlgorithm::a2},
                                                          {"a2x2", RealAlgorithm::a2x2},
                                                          {"a2x2-sequential", RealAlgorithm::a2x2_sequential}};
inline constexpr Word<ShuffleMethod> shuffle_methods[] = {{"route", ShuffleMethod::route},
                                                          {"two-aapcs", ShuffleMethod::two_aapcs},
                                                          {"transpositions", ShuffleMethod::transpositions}};

struct ShuffleArguments {
  RunArguments run;
  NumberOption elements{
      "--elements", "K, elements of 4 bytes on each node", group::common, 16, {1, std::int64_t{1} << 24}};
  ListOption cycles{
      "--cycle",
      "Dimensions from a_sigma down to a_0, as p2,p1,p0,s0: p of the node's label, s of the local address; repeatable; "
      "default all p and s0",
      group::own};
  TextOption complement{"--complement", "Dimensions of the cycles that take the complement, as p1,s0", group::own};
  TextOption permutation{
      "--permutation",
      "In place of --cycle, for 2^k elements: shuffle, unshuffle (shuffle:2 twice), bit-reversal, transpose, "
      "vector-reversal, consecutive-to-cyclic or cyclic-to-consecutive",
      group::common};
  WordOption<bool> align{"--align", "on: elements are first moved so that exchanges use equal local addresses",
                         group::own, true, on_off};
  NumberOption extend{"--extend",
                      "X: the elements are on the nodes whose highest X bits are 0, and are spread over all nodes for "
                      "the permutation of the other dimensions (Corollary 2)",
                      group::own,
                      0,
                      {0}};
  TextOption algorithm{
      "--algorithm",
      "best (least predicted); for cycles with s one-port, pipelined, concurrent, aapc or aapc-concurrent; without s "
      "a1, a1-pipelined or a2, and for two p without complements a2x2 (several at once, two ports each) or "
      "a2x2-sequential. One of each kind: pipelined,a2x2,a1. For any permutation: route (every packet straight to its "
      "node), two-aapcs, transpositions. Default: one-port and a1; on several ports concurrent, a2x2 and a1",
      group::common};
  TextOption packet{"--packet",
                    "B, elements of a message, or best: of the least predicted time, as --algorithm best has where "
                    "none is given",
                    group::own, "1"};
  TextOption params{"--params", "In place of a machine: tc=1,tau=100 (us per element, us per packet; rho per element)",
                    group::own};

  [[nodiscard]] std::vector<Effect> effects(const std::string& /*question*/, const Machine& /*machine*/) const {
    return {{align, algorithm.value() != "route", "route exchanges nothing between neighbours"},
            {run.parameters, false, "a shuffle takes fitted ones"},
            {run.seed, run.jitter.given(), "only --jitter draws"}};
  }
  [[nodiscard]] std::vector<OptionRow*> rows() {
    return {&elements, &cycles, &complement, &permutation, &align, &extend, &algorithm, &packet};
  }
};

[[nodiscard]] std::unique_ptr<Experiment> shuffle_run(const ShuffleArguments& arguments, Benches& benches);

/// The workload of the options, without algorithm and packet. InputError for whatever is wrong with them.
[[nodiscard]] ShuffleWorkload permutation_of(const ShuffleArguments& arguments, const Machine& machine, unsigned dim);
/// The workload with algorithm, but not the best, and packet; that is 0 where the best is asked for.
[[nodiscard]] ShuffleWorkload shuffle_workload_of(const ShuffleArguments& arguments, const Machine& machine,
                                                  unsigned dim);
/// Why an algorithm does not suit a permutation, and the option that asks for it.
struct Unfit {
  enum class Where : std::uint8_t { mixed, real, complement };
  Where where = Where::mixed;
  std::string why;
};
[[nodiscard]] std::optional<Unfit> unfit(const ShuffleWorkload& workload, unsigned dim);

/// `--packet` as typed, 1 .. `most`; nothing for "best", if "best" is offered. InputError for anything else.
[[nodiscard]] std::optional<std::uint32_t> packet_of(const std::string& text, std::uint64_t most, bool best_offered);

/// The parameters of the equation for packets of each size.
using PacketParameters = std::function<ShuffleParameters(std::uint64_t packet)>;
[[nodiscard]] PacketParameters fitted_parameters(TestBench& bench, const Machine& machine);
/// Fitted ones, or --params.
[[nodiscard]] PacketParameters asked_parameters(const ShuffleArguments& arguments, TestBench& bench,
                                                const Machine& machine);
/// The workload with algorithm and packet. Where the best is asked for, it is that of the least predicted time on the
/// ports of the machine, by `--params` or as fitted on the bench, for which nothing else asks.
[[nodiscard]] ShuffleWorkload whole_shuffle_of(const ShuffleArguments& arguments, const Machine& machine, unsigned dim,
                                               const std::function<TestBench&()>& bench);

/// As `--algorithm` takes it: "concurrent", "pipelined,a2", "a2x2,a1", "transpositions,concurrent,a1".
[[nodiscard]] std::string algorithm_name(const ShuffleWorkload& workload);

/// InputError where the elements do not fit into memory, or their numbers into the type.
void check_size(const ShuffleWorkload& workload, unsigned dim, bool folded = false);
/// Bytes that the elements of a run and, if its packets are known, their schedule take.
[[nodiscard]] Bytes required_memory(const ShuffleWorkload& workload, unsigned dim, bool folded = false);

[[nodiscard]] Json shuffle_json(const ShuffleWorkload& workload, unsigned dim);
[[nodiscard]] Json shuffle_prediction_json(const ShuffleTerms& terms, const ShuffleCount& count,
                                           const ShuffleParameters& p, double bound_us, bool has_formula);
/// "3 2-cycles by a2x2: all at once", or in how many rounds and why; nothing for fewer than two.
void print_two_cycles(const ShuffleWorkload& workload, unsigned dim);

/// It is run for `route`, which has no equation, and where an equation leaves something out.
struct ShuffleChoice : Candidate {
  ShuffleWorkload workload;
  ShuffleCount count{};
  bool has_formula = true;  ///< else counted in the schedule
};

/// Which algorithm is best for a permutation, in packets of this size where it is given. For the time of a call.
struct ShuffleQuestion {
  const ShuffleWorkload& permutation;
  std::optional<std::uint32_t> packet;
  unsigned dim;
  const PacketParameters& parameters;
  const Machine& machine;
  bool fewer_ports = true;  ///< than the machine has are tried, too
};

/// Every algorithm that suits these ports or fewer, and the fastest form of each other method; the fastest first.
[[nodiscard]] std::vector<ShuffleChoice> shuffle_choices(const ShuffleQuestion& asked);

[[nodiscard]] bool measures_route(const ShuffleWorkload& permutation, unsigned dim);

/// Measures `route` on `bench`, since sending every packet straight to its node has no equation: in whole messages,
/// then in half as long ones for as long as that is faster. Small problems try all these packets over every number of
/// ports. Inserts the result in order among `choices`.
void add_measured_route(std::vector<ShuffleChoice>& choices, const ShuffleQuestion& asked, TestBench& bench);

/// All of them measured, or those by the equation, and `route` where it is measured.
[[nodiscard]] Tried<ShuffleChoice> best_shuffles(const ShuffleQuestion& asked, TestBench& bench);

}  // namespace ecube
