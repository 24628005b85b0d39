// SPDX-License-Identifier: Apache-2.0
// Options of the complete exchange: as typed, and as checked requests.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "models/exchange/exchange_cost.h"
#include "models/exchange/hull.h"
#include "testbench/collective/recommendation.h"
#include "testbench/exchange/exchange_experiment.h"
#include "testbench/run/experiment.h"
#include "testbench/run/run_arguments.h"

namespace ecube {

inline constexpr Word<BlockOrder> block_orders[] = {
    {"high", BlockOrder::high}, {"low", BlockOrder::low}, {"inplace", BlockOrder::inplace}};
inline constexpr Word<Schedule> exchange_schedules[] = {{"xor", Schedule::xor_pairs},
                                                        {"shift", Schedule::shift},
                                                        {"ordered", Schedule::ordered},
                                                        {"random", Schedule::random}};
inline constexpr Word<PairwiseSync> sync_switches[] = {{"on", PairwiseSync::on}, {"off", PairwiseSync::off}};
inline constexpr Word<Barrier> barrier_words[] = {
    {"none", Barrier::none}, {"phase", Barrier::phase}, {"step", Barrier::step}, {"clock", Barrier::clock}};
inline constexpr Word<Protocol> protocol_words[] = {
    {"none", Protocol::none}, {"forced", Protocol::forced}, {"unforced", Protocol::unforced}};
inline constexpr Word<IdentityShuffle> identity_words[] = {{"charge", IdentityShuffle::charge},
                                                           {"skip", IdentityShuffle::skip}};
inline constexpr Word<MaskPairing> pairing_switches[] = {{"on", MaskPairing::on}, {"off", MaskPairing::off}};
inline constexpr Word<Retuning> retunings[] = {
    {"together", Retuning::together}, {"after", Retuning::after}, {"each", Retuning::each}};
inline constexpr unsigned max_carried_dim = 12;

struct ExchangeArguments {
  RunArguments run;
  NumberOption bytes{"--bytes", "Bytes of a block",         group::common,
                     16,        {0, std::int64_t{1} << 30}, NumberOption::Unit::bytes};
  TextOption partition{"--partition", "Phases, as 3,3; direct, standard or best", group::common, "direct"};
  WordOption<BlockOrder> order{"--order", "Order of the blocks in memory: {}", group::own, BlockOrder::high,
                               block_orders};
  WordOption<PairwiseSync> sync{"--pairwise-sync", "on or off, for --schedule xor", group::own, PairwiseSync::on,
                                sync_switches};
  WordOption<MaskPairing> pairing{"--pair-masks",
                                  "on or off: whether a mask travels together with its complement, on several ports",
                                  group::own, MaskPairing::on, pairing_switches};
  WordOption<Retuning> retuning{
      "--retuning", "When planes are tuned (network.planes): together, after the permutation, or each alone",
      group::own, Retuning::together, retunings};
  WordOption<Schedule> schedule{"--schedule", "xor (pairwise); one-sided: shift, ordered or random", group::own,
                                Schedule::xor_pairs, exchange_schedules};
  WordOption<Payload> payload = payload_option();
  TextOption retune{"--retune", "Delays of re-tuning, for the hull over both block and delay, as 1us:10ms", group::own};
  TextOption params{"--params",
                    "In place of a machine: lambda=100,delta=10,tau=2,rho=1,barrier=0 (us, us/byte; delta_hop per hop)",
                    group::own};
  TextOption sizes{
      "--sizes",
      "Blocks of different sizes, of --bytes on average: zipf:1.1, uniform, either with a :SEED; or a file "
      "with lines \"from to bytes\"",
      group::own};
};

[[nodiscard]] Partition searched_partition(unsigned dim, Bytes bytes, const ExchangeParameters& parameters,
                                           const StageOptions& stages, bool quiet);
/// The partition as typed; `best` by `parameters`, in stages where `stages` has a value.
[[nodiscard]] Partition partition_of(const ExchangeArguments& arguments, const Machine& machine, unsigned dim,
                                     Bytes bytes, const ExchangeParameters& parameters, const ExchangeOptions& options,
                                     const std::optional<StageOptions>& stages);
/// "ports": the number of ports that an exchange uses; "pair_masks": "on", "off", or null where no masks can be paired.
void add_ports_json(nlohmann::ordered_json& workload, bool staged, Ports ports, MaskPairing pairing);
/// A line for each typed option that has no effect on an exchange with this barrier, in stages or not.
[[nodiscard]] std::string idle_options_note(const ExchangeArguments& arguments, bool staged, Barrier barrier);
/// How partners on the xor schedule synchronise, a line; empty where they do not and nothing depends on it.
[[nodiscard]] std::string synchronisation_note(const RunSetup& setup, PairwiseSync sync);
[[nodiscard]] Bytes required_memory(const RunSetup& setup, const ExchangeWorkload& workload, bool folded = false);
/// Memory for the contents of all blocks at most; above max_carried_dim, where no run carries any, more than there is.
[[nodiscard]] Bytes contents_memory(const Topology& topology, Bytes block);
void require_block_memory(const RunSetup& setup, const ExchangeWorkload& workload);
/// The workload without its partition, which may depend on parameters. InputError for a schedule that the network
/// lacks.
[[nodiscard]] ExchangeWorkload described_exchange(const ExchangeArguments& arguments, const Machine& machine,
                                                  const Topology& topology);
/// The same for a run: InputError also where there is no memory for its blocks.
[[nodiscard]] ExchangeWorkload exchange_workload_of(const ExchangeArguments& arguments, const RunSetup& setup);

struct ExchangeQuestion {
  std::string name;  ///< of the machine, or --params
  Machine machine;
  unsigned dim = 0;
  ExchangeParameters parameters;
  ExchangeOptions options;
  std::optional<StageOptions> stages;  ///< on several ports
  nlohmann::ordered_json machine_json;

  [[nodiscard]] bool of_cube() const { return machine.on_cube(); }
  /// Up to max_simulated_dim.
  [[nodiscard]] Topology topology() const { return machine.topology(dim); }
  /// The number of dimensions, which parts of partitions add up to.
  [[nodiscard]] unsigned dims() const {
    return of_cube() ? dim : static_cast<unsigned>(topology().dimensions().size());
  }
};
[[nodiscard]] ExchangeQuestion exchange_question_of(const ExchangeArguments& arguments, TestBench* bench = nullptr);

/// From this dimension on sizes and times are given as logarithms.
inline constexpr unsigned max_dim_in_bytes = 1000;
/// "{5,5,5,5}", or for many phases "20 x 5" and "7 x 6 + 13 x 5".
[[nodiscard]] std::string short_name(const Partition& partition);
void print_hull_parameters(const ExchangeQuestion& question, const HullParameters& parameters);

/// "masks with their complements" or "single masks", of a question on several ports.
[[nodiscard]] std::string_view pairing_name(const ExchangeQuestion& question);
void print_staged_parameters(const ExchangeQuestion& question);

[[nodiscard]] nlohmann::ordered_json parts_json(const Partition& partition);

/// Terms in us; `staged`: with the terms that only an exchange in stages has.
[[nodiscard]] nlohmann::ordered_json exchange_terms_json(const ExchangeTerms& terms, bool staged);
[[nodiscard]] nlohmann::ordered_json exchange_parameters_json(const ExchangeParameters& parameters);
/// "predicted": the equation, its terms and its parameters. `average_us`: with the average distance for every message.
[[nodiscard]] nlohmann::ordered_json exchange_prediction_json(const ExchangeTerms& terms, double average_us,
                                                              const ExchangeParameters& parameters, bool staged);

[[nodiscard]] std::unique_ptr<Experiment> exchange_run(const ExchangeArguments& arguments, Benches& benches);
[[nodiscard]] std::unique_ptr<RunRequest> exchange_run_request();

}  // namespace ecube
