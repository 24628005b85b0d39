// SPDX-License-Identifier: Apache-2.0
// Options of the complete exchange as typed and as checked requests, its candidates, its hull, and unequal blocks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/exchange/exchange_cost.h"
#include "models/exchange/hull.h"
#include "testbench/collective/recommendation.h"
#include "testbench/exchange/exchange_experiment.h"
#include "testbench/run/experiment.h"
#include "testbench/run/run_arguments.h"
#include "testbench/text/json_text.h"

namespace ecube {

inline constexpr Word<BlockOrder> block_orders[] = {
    {"high", BlockOrder::high}, {"low", BlockOrder::low}, {"inplace", BlockOrder::inplace}};
inline constexpr Word<Schedule> exchange_schedules[] = {{"xor", Schedule::xor_pairs},
                                                        {"shift", Schedule::shift},
                                                        {"ordered", Schedule::ordered},
                                                        {"random", Schedule::random},
                                                        {"masks", Schedule::masks}};
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
  WordOption<Schedule> schedule{"--schedule",
                                "xor (pairwise); one-sided: shift, ordered, random or masks (the order of xor)",
                                group::own, Schedule::xor_pairs, exchange_schedules};
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
  NumberOption node{"--node", "Whose messages", group::own, 0, {0}};

  /// Whether --sizes are those of a file.
  [[nodiscard]] bool sizes_from_file() const;
  [[nodiscard]] std::vector<Effect> effects(const std::string& question, const Machine& machine) const;
};

/// The partition as typed; `best` is the fastest by the equation.
[[nodiscard]] Partition partition_of(const ExchangeArguments& arguments, const ExchangeEquation& equation, Bytes bytes);
/// "workload" of an exchange: members of the `rows` that a command has, what was checked or chosen in the place of what
/// was typed; "barrier" and "identity_shuffle"; "ports", how many it uses; "pair_masks", null where no masks can be
/// paired; "retuning" on planes.
[[nodiscard]] Json exchange_json(const ExchangeWorkload& workload, const Machine& machine,
                                 const std::vector<const OptionRow*>& rows);
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

struct ExchangeQuestion : ExchangeEquation {
  std::string name;  ///< of the machine, or --params
  Json machine_json;
  ExchangeWorkload workload{};  ///< block and partition are not in the question

  [[nodiscard]] bool of_cube() const { return machine.on_cube(); }
  /// Up to max_simulated_dim.
  [[nodiscard]] Topology topology() const { return machine.topology(dim); }
  /// The number of dimensions, which parts of partitions add up to.
  [[nodiscard]] unsigned dims() const {
    return of_cube() ? dim : static_cast<unsigned>(topology().dimensions().size());
  }
};
[[nodiscard]] ExchangeQuestion exchange_question_of(const ExchangeArguments& arguments, TestBench& bench);

/// From this dimension on sizes and times are given as logarithms.
inline constexpr unsigned max_dim_in_bytes = 1000;
/// "{5,5,5,5}", or for many phases "20 x 5" and "7 x 6 + 13 x 5".
[[nodiscard]] std::string short_name(const Partition& partition);
void print_hull_parameters(const ExchangeQuestion& question, const HullParameters& parameters);

/// Of a question with real hops; on several ports also how blocks are cut and masks paired.
void print_real_parameters(const ExchangeQuestion& question);

[[nodiscard]] Json parts_json(const Partition& partition);

/// Terms in us; `staged`: with the terms that only an exchange in stages has.
[[nodiscard]] Json exchange_terms_json(const ExchangeTerms& terms, bool staged);
/// "predicted": the equation, its terms and its parameters. `average_us`: with the average distance for every message.
[[nodiscard]] Json exchange_prediction_json(const ExchangeTerms& terms, double average_us,
                                            const ExchangeParameters& parameters, bool staged);

[[nodiscard]] std::unique_ptr<Experiment> exchange_run(const ExchangeArguments& arguments, Benches& benches);
[[nodiscard]] std::unique_ptr<RunRequest> exchange_run_request();

struct ExchangeWay {
  Schedule schedule = Schedule::xor_pairs;
  PairwiseSync sync = PairwiseSync::on;  ///< means nothing on one-sided schedules
};

/// Its measured time is a median.
struct ExchangeCandidate : Candidate {
  Partition partition = Partition::direct(1);
  ExchangeWay way{};
  double average_distance_us = 0;      ///< predicted with d/2 hops for every message
  std::uint64_t unfinished = 0;        ///< runs
  std::uint64_t blocked_circuits = 0;  ///< of the run with the first seed
  std::uint64_t serialised_circuits = 0;

  [[nodiscard]] double ahead_us() const { return measured_us ? *predicted_us - *measured_us : 0; }
  [[nodiscard]] bool ahead() const;
};

/// Runs an exchange in the way given, or as typed on the xor schedule, without data, on the machine of `setup`.
[[nodiscard]] ExchangeCandidate measured_exchange(TestBench& bench, const ExchangeArguments& arguments,
                                                  const RunSetup& setup, const Partition& partition,
                                                  std::optional<ExchangeWay> way = {});

/// The partitions with the least predicted time on all ports of the machine, on fewer and on one, the fastest first.
[[nodiscard]] std::vector<ExchangeCandidate> exchange_choices(const ExchangeQuestion& question, Bytes bytes,
                                                              bool quiet);

/// The bytes of a message in the phase over the fewest dimensions: block 2^(d - d_i), up to 2^max_simulated_dim.
[[nodiscard]] Bytes longest_message(Bytes block, const Partition& partition);

[[nodiscard]] std::vector<std::string> exchange_gaps(const Machine& machine, unsigned dim, Bytes block,
                                                     const Partition& partition, const ExchangeOptions& options);
/// Runs partitions over every number of ports on `bench`, which is for the dimension up to max_tried_dim, where the
/// equation leaves out something and they together send few enough messages. InputError for whatever is wrong with the
/// options.
[[nodiscard]] Tried<ExchangeCandidate> tried_exchanges(const ExchangeArguments& arguments,
                                                       const ExchangeQuestion& question, TestBench& bench);

[[nodiscard]] int measured_best(const ExchangeArguments& arguments);
/// Whether measured_best() runs every partition, or those of the least predicted time, with synchronisation as typed.
[[nodiscard]] bool tries_all(const Topology& topology);

/// Above max_dim_in_bytes faces begin at log2(2^d m), the first of them at no number.
struct ExchangeFaces {
  std::vector<RealHopsFace> faces{};
  bool lines = true;  ///< times are linear: faces have slopes and intercepts
};

struct ExchangeHull {
  ExchangeFaces faces;
  Json json;                    ///< the members of `hull exchange --json`
  std::function<void()> print;  ///< the table, on standard output
};

/// By the equation; crossovers are measured too where there is a bench. The question must outlive the hull.
[[nodiscard]] ExchangeHull exchange_hull(const ExchangeArguments& arguments, const ExchangeQuestion& question,
                                         TestBench* bench);

/// The best partitions on planes from a delay of re-tuning on.
struct HullFromDelay {
  double from_us = 0;
  ExchangeFaces faces;
};
/// By the equation: `told_of_decade`, and where the list of partitions changes, to 1e-6 of the delay.
[[nodiscard]] std::vector<HullFromDelay> hulls_over_delays(ExchangeQuestion question, double from_us, double to_us,
                                                           int told_of_decade);
/// [{"from_us", "faces": as in ExchangeHull}]
[[nodiscard]] Json delays_json(const std::vector<HullFromDelay>& hulls);

// Blocks that differ in size (--sizes), beside the equation for equal ones.

[[nodiscard]] std::unique_ptr<Experiment> unequal_exchange_run(const ExchangeArguments& arguments, Benches& benches);
[[nodiscard]] int predict_unequal_exchange(const ExchangeArguments& arguments);
[[nodiscard]] int best_unequal_exchange(const ExchangeArguments& arguments);

}  // namespace ecube
