// SPDX-License-Identifier: Apache-2.0
// Options of the collectives on vectors: as typed, and as checked values.
#pragma once

#include <nlohmann/json.hpp>

#include "models/family/plan_cost.h"
#include "sw/family/collective_run.h"
#include "testbench/combine/combine_request.h"

namespace ecube {

/// Options as typed, before any is checked.
struct FamilyArguments {
  RunArguments run;
  std::int64_t items = 1000;
  std::string algorithm = "best";
  std::int64_t root = 0;
  std::int64_t packets = 0;
  std::string op = "sum";
  std::string type = "float";
  std::string payload = "bytes";
  std::string params;
};

/// Largest dimension on several ports, where the blocks of a message are many ranges.
inline constexpr unsigned max_family_ports_dim = 10;
inline constexpr std::int64_t max_family_items = std::int64_t{1} << 30;

/// The options that say what is done: items, algorithm, and what the collective needs of root, operation and packets.
void add_family_options(Command& app, const Collective& collective, FamilyArguments& arguments);

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

/// On the iPSC/860 these collectives are written with csend and crecv, as the combine is: replaces the preset, and
/// prints a note.
void use_vector_library(RunArguments& arguments);

/// The question without its parameters; `setup` says machine and dimension. InputError for whatever is wrong.
[[nodiscard]] FamilyQuestion family_question_of(const FamilyArguments& arguments, const Collective& collective,
                                                const RunSetup& setup);
/// The question with parameters fitted on `bench`, published ones or --params.
[[nodiscard]] FamilyQuestion family_question_of(FamilyArguments& arguments, const Collective& collective);

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
/// "trees in 12 packets over 6 ports"
[[nodiscard]] std::string name_of(const FamilyChoice& choice);
/// Machine, dimension, vector, and an empty line.
void print_family_question(const FamilyQuestion& question);
/// What the machine does and the equation of this choice leaves out.
[[nodiscard]] std::vector<std::string> family_gaps(const FamilyQuestion& question, const FamilyChoice& choice);
/// The formula, its time, and how the vector's length changes it.
void print_family_equation(const FamilyChoice& choice);

}  // namespace ecube
