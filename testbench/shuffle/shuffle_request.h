// SPDX-License-Identifier: Apache-2.0
// Options of the shuffle: as typed, and as checked requests.
#pragma once

#include <functional>
#include <optional>

#include "models/shuffle/shuffle_workload.h"
#include "testbench/run/run_arguments.h"

namespace ecube {

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
inline constexpr Word<bool> align_switches[] = {{"on", true}, {"off", false}};

/// Options of the shuffle as typed, before any is checked.
struct ShuffleArguments {
  RunArguments run;
  std::int64_t elements = 16;
  std::vector<std::string> cycles;
  std::string complement;
  std::string permutation;
  std::string algorithm;
  std::string packet = "1";
  std::string align = "on";
  std::int64_t extend = 0;
  std::string params;
};

/// Adds the options that name the permutation.
void add_permutation_options(Command& app, ShuffleArguments& arguments);
/// Adds the options that name the permutation, the algorithm and the packet.
void add_shuffle_options(Command& app, ShuffleArguments& arguments);

/// The workload of the options, without algorithm and packet. InputError for whatever is wrong with them.
[[nodiscard]] ShuffleWorkload permutation_of(const ShuffleArguments& arguments, const Machine& machine, unsigned dim);
/// The workload with algorithm and packet; the packet is 0 where the best is asked for.
[[nodiscard]] ShuffleWorkload shuffle_workload_of(const ShuffleArguments& arguments, const Machine& machine,
                                                  unsigned dim);
/// Why an algorithm does not suit a permutation, and the option that asks for it.
struct Unfit {
  enum class Where : std::uint8_t { mixed, real, complement };
  Where where = Where::mixed;
  std::string why;
};
/// Nothing if the algorithms of a workload suit its permutation and ports.
[[nodiscard]] std::optional<Unfit> unfit(const ShuffleWorkload& workload, unsigned dim);

/// `--packet` as typed, 1 .. `most`; nothing for "best", if "best" is offered. InputError for anything else.
[[nodiscard]] std::optional<std::uint32_t> packet_of(const std::string& text, std::uint64_t most, bool best_offered);

/// The parameters of the equation for packets of each size.
using PacketParameters = std::function<ShuffleParameters(std::uint64_t packet)>;
/// Given by `--params`.
[[nodiscard]] PacketParameters given_parameters(const ShuffleArguments& arguments);
/// Fitted on the machine.
[[nodiscard]] PacketParameters fitted_parameters(TestBench& bench, const Machine& machine);
/// Given by `--params`, or fitted on the machine by a test bench of its own.
[[nodiscard]] PacketParameters parameters_for(const ShuffleArguments& arguments, const Machine& machine);

/// "concurrent", "a1", "pipelined,a2", "a2x2,a1", "transpositions,concurrent,a1": the value of `--algorithm` for a
/// workload.
[[nodiscard]] std::string algorithm_name(const ShuffleWorkload& workload);

/// The number of 2-cycles in each round of A2 squared, over all stages; empty without A2 squared.
[[nodiscard]] std::vector<std::uint64_t> two_cycle_rounds(const ShuffleWorkload& workload, unsigned dim);
/// "3 2-cycles by a2x2: all at once", or in how many rounds and why; empty for fewer than two.
[[nodiscard]] std::string two_cycle_note(const ShuffleWorkload& workload, unsigned dim);

/// InputError where the elements do not fit into memory, or their numbers into the type.
void check_size(const ShuffleWorkload& workload, unsigned dim, bool folded = false);
/// Bytes that the elements of a run and, if its packets are known, their schedule take.
[[nodiscard]] Bytes required_memory(const ShuffleWorkload& workload, unsigned dim, bool folded = false);

}  // namespace ecube
