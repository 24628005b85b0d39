// SPDX-License-Identifier: Apache-2.0
// Options of the global combine: as typed, and as checked requests.
#pragma once

#include <nlohmann/json.hpp>

#include "testbench/combine/combine_experiment.h"
#include "testbench/run/run_arguments.h"

namespace ecube {

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
inline constexpr Word<bool> pad_switches[] = {{"on", true}, {"off", false}};
inline constexpr Word<Payload> combine_payloads[] = {
    {"bytes", Payload::bytes}, {"tags", Payload::tags}, {"none", Payload::none}};

/// The items that `--pad on` adds to every message (van de Geijn 1991, section 6).
inline constexpr std::uint64_t pad_items = 30;
inline constexpr std::int64_t max_run_combine_items = std::int64_t{1} << 30;
inline constexpr std::int64_t max_predicted_combine_items = std::int64_t{1} << 50;

/// Options of the combine as typed, before any is checked.
struct CombineArguments {
  RunArguments run;
  std::int64_t items = 1000;
  std::string strategy = "hybrid";
  std::string rule;
  std::string target = "all";
  std::int64_t root = 0;
  std::string op = "sum";
  std::string type = "float";
  std::string pad = "off";
  std::string payload = "bytes";
  std::string params;
};

/// The options, checked.
struct CombineRequest {
  CombineFunction function = CombineFunction::sum;
  ItemType type = ItemType::float32;
  CombineRule rule = CombineRule::best;
  CombineWorkload workload;  ///< without its rule, which may depend on parameters
};

/// Adds the options of the combine itself.
void add_combine_options(Command& app, CombineArguments& arguments);

/// On the iPSC/860 the combine is written with csend and crecv: this replaces the preset by the one with that library's
/// measurements, and prints a note.
void use_combine_library(RunArguments& arguments);

/// InputError for whatever is wrong with the options; items are at most `max_items`.
[[nodiscard]] CombineRequest combine_request_of(const CombineArguments& arguments, unsigned dim,
                                                std::int64_t max_items);

/// The rule that the strategy as typed stands for, which may depend on parameters. InputError if the word stands for no
/// rule.
[[nodiscard]] HalvingRule halving_rule_of(const CombineArguments& arguments, const CombineRequest& request,
                                          const CombineProblem& problem, const CombineParameters& parameters);

/// The strategy that a rule chooses when the larger half is kept every time.
[[nodiscard]] Strategy strategy_of(const HalvingRule& rule, const CombineProblem& problem);

/// The parameters for predictions, for items of `type`: fitted on the machine, or those that a paper printed
/// (InputError when there are none).
[[nodiscard]] CombineParameters combine_parameters_for(const RunArguments& arguments, TestBench& bench,
                                                       const Machine& machine, ItemType type);

/// The subject of a prediction, which predict, best and hull prepare before they use an equation.
struct CombineQuestion {
  CombineRequest request;
  Machine machine;  ///< the default one with --params
  CombineProblem problem;
  CombineParameters parameters;
  std::string name;
  nlohmann::ordered_json machine_json;
};

/// Adds --params.
void add_combine_params_option(Command& app, CombineArguments& arguments);

/// The question that the options ask: about the machine, with parameters measured on `bench` if there is one, or about
/// --params.
[[nodiscard]] CombineQuestion combine_question_of(CombineArguments& arguments, TestBench* bench = nullptr);

void print_combine_parameters(const CombineParameters& parameters);

}  // namespace ecube
