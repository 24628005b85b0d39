// SPDX-License-Identifier: Apache-2.0
// One global combine: configuration in, measurement out. Its options as typed and as checked requests, and candidates.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/family/plan.h"
#include "models/fit/equation_gaps.h"
#include "sw/combine/global_combine.h"
#include "testbench/collective/recommendation.h"
#include "testbench/machine/test_bench.h"
#include "testbench/run/experiment.h"
#include "testbench/run/run_arguments.h"
#include "testbench/text/json_text.h"

namespace ecube {

using CombineExperiment = WorkloadOn<CombineWorkload>;

/// Steps of one place in time: combining forward, then gathering or broadcasting back.
struct CombineStepMeasurement {
  unsigned step = 0;
  bool back = false;
  std::optional<CombineStep> predicted{};  ///< none if the longest path has no such step
  double us = 0;                           ///< from the end of the step before on the last node, to the end of this one
  std::uint64_t blocked_circuits = 0;
};

struct CombineMeasurement : DataMeasurement {
  std::vector<CombineStepMeasurement> steps;
  CombineCost predicted;

  [[nodiscard]] double error_percent() const { return deviation_percent(run.result.us, predicted.terms.total()); }
};

/// Dimension, ports, start-ups and handshake of `setup`: on the ideal engine partners always meet; messages are level
/// where they do not.
void adapt(CombineWorkload& workload, const RunSetup& setup);

[[nodiscard]] IdealCosts ideal_costs(const CombineParameters& parameters, std::uint32_t item_bytes);

/// Runs `combine`, made for this, beside its equation. `parameters` are the costs on the ideal engine, too.
[[nodiscard]] CombineMeasurement run_combine(TestBench& bench, const CombineExperiment& experiment,
                                             const CombineParameters& parameters, GlobalCombine& combine);

[[nodiscard]] inline CombineMeasurement run_combine(TestBench& bench, const CombineExperiment& experiment,
                                                    const CombineParameters& parameters) {
  GlobalCombine combine(experiment.workload, experiment.setup.dim);
  return run_combine(bench, experiment, parameters, combine);
}

/// How the hybrid chooses its strategy: the least predicted time, by length at each step, or down to 25 items (van de
/// Geijn 1991, Theorem 1, Note 3 and section 6).
enum class CombineRule : std::uint8_t { best, run_time, short25 };

inline constexpr Word<CombineRule> combine_rules[] = {
    {"best", CombineRule::best}, {"runtime", CombineRule::run_time}, {"short25", CombineRule::short25}};
inline constexpr Word<CombineTarget> combine_targets[] = {{"all", CombineTarget::all}, {"root", CombineTarget::root}};
inline constexpr Word<CombineFunction> combine_functions[] = {{"sum", CombineFunction::sum},
                                                              {"max", CombineFunction::max},
                                                              {"min", CombineFunction::min},
                                                              {"product", CombineFunction::product}};
inline constexpr Word<ItemType> item_types[] = {{"float", ItemType::float32},
                                                {"double", ItemType::float64},
                                                {"int32", ItemType::int32},
                                                {"int64", ItemType::int64}};

/// The items that `--pad on` adds to every message (van de Geijn 1991, section 6).
inline constexpr std::uint64_t pad_items = 30;
inline constexpr std::int64_t max_run_combine_items = std::int64_t{1} << 30;
inline constexpr std::int64_t max_predicted_combine_items = std::int64_t{1} << 50;

/// Options of the combine and of the collectives on vectors.
struct VectorArguments {
  RunArguments run;
  NumberOption items{"--items", "Items of the vector", group::common, 1000, {0, max_predicted_combine_items}};
  NumberOption root{"--root", "The node that has the whole vector, and root of trees", group::own, 0, {0}};
  WordOption<CombineFunction> op{"--op", "{}", group::own, CombineFunction::sum, combine_functions};
  WordOption<ItemType> type{"--type", "{}", group::own, ItemType::float32, item_types};
  WordOption<Payload> payload = payload_option();
  TextOption params{
      "--params",
      "In place of a machine: alpha=525,beta=2,gamma=0.35 (us, us/item; alpha_short with short=ITEMS, alpha_zero)",
      group::own};
  std::optional<std::int64_t> node{};  ///< of `explain`

  /// `rooted`: a root is asked for; `timed`: times are.
  [[nodiscard]] std::vector<Effect> effects(const std::string& question, const Machine& machine, bool rooted,
                                            bool timed) const;
  /// The nodes of a logical cube, and the one that `explain` is asked about: the node given, or the root.
  struct Explained {
    std::vector<NodeId> nodes;  ///< [label in the cube]
    NodeId label;
    [[nodiscard]] NodeId node() const { return nodes[label]; }
  };
  [[nodiscard]] Explained explained(const Topology& topology, NodeId root_label) const;
};

struct CombineArguments : VectorArguments {
  TextOption strategy{"--strategy",
                      "v1 (tree and broadcast), v2 (full vectors), v3 (halves), hybrid, best (of v1 and all hybrids), "
                      "or d digits, 1 to halve, direction 0 first",
                      group::common, "hybrid"};
  WordOption<CombineRule> rule{
      "--rule",
      "How the hybrid chooses: best (least predicted), runtime (by length at each step) or short25 (halve down to 25 "
      "items)",
      group::own, CombineRule::best, combine_rules};
  WordOption<CombineTarget> target{"--target", "Who gets the result: {}", group::own, CombineTarget::all,
                                   combine_targets};
  WordOption<bool> pad{"--pad", "on: every message is 30 items longer, so that none is short", group::own, false,
                       on_off};

  [[nodiscard]] std::vector<Effect> effects(const std::string& question, const Machine& machine) const;
  [[nodiscard]] std::vector<OptionRow*> rows() { return {&items, &strategy, &rule, &target, &root, &op, &type, &pad}; }
  [[nodiscard]] std::vector<OptionRow*> question_rows() {
    return {&items, &strategy, &rule, &target, &root, &op, &type, &pad, &params, &run.embed};
  }
};

/// On the iPSC/860 the combine and the collectives on vectors are written with csend and crecv: this replaces the
/// preset by the one with that library's measurements, and prints a note.
void use_combine_library(RunArguments& arguments, std::string_view who = "the combine uses");

/// The workload without its rule, which may depend on parameters.
[[nodiscard]] CombineWorkload combine_workload_of(const CombineArguments& arguments, unsigned dim,
                                                  std::int64_t max_items);

/// Sets the rule and the tree of the strategy as typed, which may depend on parameters: `best` is the one with the
/// least predicted time. InputError if the word stands for no strategy.
void choose_strategy(const CombineArguments& arguments, CombineWorkload& workload, const CombineParameters& parameters);
/// The strategy that the rule chooses when the larger half is kept every time.
[[nodiscard]] Strategy strategy_of(const CombineWorkload& workload);

/// For predictions of items of `type`: fitted on the machine, or printed by a paper (InputError when there are none).
[[nodiscard]] CombineParameters combine_parameters_for(const RunArguments& arguments, TestBench& bench,
                                                       const Machine& machine, ItemType type);

struct CombineQuestion {
  CombineWorkload workload;
  Machine machine;  ///< the default one with --params
  CombineParameters parameters;
  std::string name;
  Json machine_json;
};

/// About the machine, with parameters measured on `bench`, or about --params.
[[nodiscard]] CombineQuestion combine_question_of(CombineArguments& arguments, TestBench& bench,
                                                  std::int64_t max_dim = max_predicted_dim);
/// What the equation leaves out, of every strategy; nothing with --params.
[[nodiscard]] std::vector<std::string> combine_gaps(const CombineQuestion& question);
/// The messages of all steps and of those back, without items.
[[nodiscard]] CollectivePlan plan_of(const CombineWorkload& workload);

[[nodiscard]] std::unique_ptr<Experiment> combine_run(CombineArguments arguments, Benches& benches);

void print_combine_parameters(const CombineParameters& parameters);

void print_network_terms(const CombineTerms& terms);
[[nodiscard]] Json terms_json(const CombineTerms& terms);
[[nodiscard]] Json predicted_json(const CombineTerms& terms, const CombineParameters& p);
[[nodiscard]] Json strategy_json(const Strategy& strategy);
[[nodiscard]] Json workload_json(CombineArguments arguments, const CombineWorkload& workload, const Strategy& strategy);
/// The parameters of a question about a combine or a collective on vectors: --params, under which start-ups overlap, or
/// as combine_parameters_for() has them.
template <class Question, class Problem>
void ask_parameters(Question& question, Problem& problem, const VectorArguments& arguments, TestBench& bench) {
  if (arguments.params.given()) {
    question.parameters = parse_combine_parameters(arguments.params.value());
    problem.startups = Startups::overlapped;
    question.name = "--params";
    return;
  }
  question.parameters = combine_parameters_for(arguments.run, bench, question.machine, arguments.type.value());
}

/// Items of a message; null for none. For a person "5", "0 .. 11" or "-".
[[nodiscard]] Json items_json(const Items& items);
[[nodiscard]] std::string items_text(const Json& items);

/// "strategy 0011", "tree".
[[nodiscard]] std::string algorithm_name(const CombineWorkload& workload, const Strategy& strategy);

/// The fastest strategy over one number of ports, version 1 included.
struct CombineChoice : Candidate {
  Strategy strategy = Strategy::full(1);
  bool tree = false;  ///< version 1
  CombineTerms terms{};
};

/// The choice for every number of ports up to the machine's: first the one with the least predicted time, of equals
/// the one on most ports.
[[nodiscard]] std::vector<CombineChoice> combine_choices(const CombineQuestion& question);

/// Runs candidates on `bench`, which is for the dimension up to max_tried_dim, where the equation leaves out something
/// and the candidates together send few enough messages.
[[nodiscard]] Tried<CombineChoice> tried_combines(const CombineArguments& arguments, const CombineQuestion& question,
                                                  TestBench& bench);

}  // namespace ecube
