// SPDX-License-Identifier: Apache-2.0
// Options of the collectives on vectors: as typed, and as checked values.
#pragma once

#include <nlohmann/json.hpp>

#include "models/family/plan_cost.h"
#include "sw/family/collective_run.h"
#include "testbench/combine/combine_request.h"

namespace ecube {

/// Largest dimension on several ports, where the blocks of a message are many ranges.
inline constexpr unsigned max_family_ports_dim = 10;
inline constexpr std::int64_t max_family_items = std::int64_t{1} << 30;

/// Options of a collective on vectors.
struct FamilyArguments {
  RunArguments run;
  NumberOption items{"--items", "Items of the vector", group::common, 1000, {0, max_family_items}};
  TextOption algorithm{"--algorithm", "", group::common, "best"};
  NumberOption root{"--root", "The node that has the whole vector", group::own, 0, {0}};
  NumberOption packets{"--packets", "Packets of a pipeline; 0: as many as the equation has best", group::own, 0, {0}};
  WordOption<CombineFunction> op{"--op", "{}", group::own, CombineFunction::sum, combine_functions};
  WordOption<ItemType> type{"--type", "{}", group::own, ItemType::float32, item_types};
  WordOption<Payload> payload = payload_option();
  TextOption params = combine_params_option();
};

/// The options that say what is done: items, algorithm, and what the collective needs of root, operation and packets.
[[nodiscard]] std::vector<OptionRow*> rows_of(FamilyArguments& arguments, const Collective& collective);

/// One way to do a collective, with its cost.
struct FamilyChoice {
  const CollectiveAlgorithm* algorithm = nullptr;
  CollectiveProblem problem;
  PlanCost cost{};
  double published_us = 0;
};

/// A checked question about a collective on a machine, which run, predict, best and explain begin with.
struct FamilyQuestion {
  const Collective* collective = nullptr;
  std::string name;  ///< of the machine
  Machine machine{};
  CollectiveProblem problem{};                     ///< packets 0: to be chosen
  const CollectiveAlgorithm* algorithm = nullptr;  ///< null: to be chosen
  CombineFunction function = CombineFunction::sum;
  ItemType type = ItemType::float32;
  CombineParameters parameters{};
};

/// Who uses csend and crecv on the iPSC/860, for use_combine_library().
inline constexpr std::string_view vectors_use = "collectives on vectors use";

/// The question without its parameters; `setup` says machine and dimension. InputError for whatever is wrong.
[[nodiscard]] FamilyQuestion family_question_of(const FamilyArguments& arguments, const Collective& collective,
                                                const RunSetup& setup);
/// The question with parameters fitted on `bench`, published ones or --params. A bench of calibration_dim is made where
/// none is given.
[[nodiscard]] FamilyQuestion family_question_of(FamilyArguments& arguments, const Collective& collective,
                                                TestBench* bench = nullptr);

/// One algorithm on the problem's ports, with the packets asked for or the best.
[[nodiscard]] FamilyChoice family_choice(const FamilyQuestion& question, const CollectiveAlgorithm& algorithm,
                                         Ports ports);
/// Every algorithm on every number of ports that the machine has, the least predicted time first; of equals the one
/// with fewer ports.
[[nodiscard]] std::vector<FamilyChoice> family_choices(const FamilyQuestion& question);
/// The algorithm asked for on all ports, or the best of all.
[[nodiscard]] FamilyChoice chosen(const FamilyQuestion& question);

[[nodiscard]] nlohmann::ordered_json family_workload_json(const FamilyQuestion& question, const FamilyChoice& choice);
[[nodiscard]] nlohmann::ordered_json family_predicted_json(const FamilyQuestion& question, const FamilyChoice& choice);
/// "trees in 12 packets"
[[nodiscard]] std::string way_of(const FamilyChoice& choice);
/// "trees in 12 packets over 6 ports"
[[nodiscard]] std::string name_of(const FamilyChoice& choice);
/// Machine, dimension and vector.
[[nodiscard]] std::string title_of(const FamilyQuestion& question);
/// What the machine does and the equation of this choice leaves out.
[[nodiscard]] std::vector<std::string> family_gaps(const FamilyQuestion& question, const FamilyChoice& choice);
/// The formula, its time, and how the vector's length changes it.
void print_family_equation(const FamilyChoice& choice);

}  // namespace ecube
