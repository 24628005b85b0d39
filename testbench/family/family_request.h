// SPDX-License-Identifier: Apache-2.0
// Options of the collectives on vectors: as typed, and as checked values.
#pragma once

#include <memory>

#include "models/family/plan.h"
#include "sw/family/collective_run.h"
#include "testbench/combine/combine_request.h"
#include "testbench/run/commands.h"
#include "testbench/text/json_text.h"

namespace ecube {

/// Largest dimension on several ports, where the blocks of a message are many ranges.
inline constexpr unsigned max_family_ports_dim = 10;

struct FamilyArguments : VectorArguments {
  TextOption algorithm{"--algorithm", "", group::common, "best"};
  NumberOption packets{"--packets", "Packets of a pipeline; 0: as many as the equation has best", group::own, 0, {0}};

  [[nodiscard]] std::vector<Effect> effects(const std::string& question, const Machine& machine) const {
    return VectorArguments::effects(question, machine, true, question != "check" || algorithm.value() == "best");
  }
};

/// The options that say what is done: items, algorithm, what the collective needs of root, operation and packets, and
/// the nodes of a logical cube.
[[nodiscard]] std::vector<OptionRow*> rows_of(FamilyArguments& arguments, const Collective& collective);

struct FamilyQuestion {
  const Collective* collective = nullptr;
  std::string name;  ///< of the machine
  Machine machine{};
  Json machine_json{};                             ///< of a question without a run
  CollectiveProblem problem{};                     ///< packets 0: to be chosen
  const CollectiveAlgorithm* algorithm = nullptr;  ///< null: to be chosen
  CombineFunction function = CombineFunction::sum;
  ItemType type = ItemType::float32;
  CombineParameters parameters{};
};

/// A question whose algorithm, ports and packets have been chosen.
struct FamilyChoice : FamilyQuestion {
  PlanCost cost{};
  double published_us = 0;
  std::string ignored{};  ///< a line about --packets where the best algorithm, whatever they are, has no pipeline
};

/// Who uses csend and crecv on the iPSC/860, for use_combine_library().
inline constexpr std::string_view vectors_use = "collectives on vectors use";

/// The question without its parameters; `setup` says machine and dimension. InputError for whatever is wrong.
[[nodiscard]] FamilyQuestion family_question_of(const FamilyArguments& arguments, const Collective& collective,
                                                const RunSetup& setup);
/// With parameters fitted on `bench`, published ones or --params.
[[nodiscard]] FamilyQuestion family_question_of(FamilyArguments& arguments, const Collective& collective,
                                                TestBench& bench);

[[nodiscard]] FamilyChoice family_choice(const FamilyQuestion& question, const CollectiveAlgorithm& algorithm,
                                         Ports ports);
/// Every algorithm on every number of ports, the least predicted time first; of equals the one with fewer ports.
[[nodiscard]] std::vector<FamilyChoice> family_choices(const FamilyQuestion& question);
[[nodiscard]] FamilyChoice chosen(const FamilyQuestion& question);

[[nodiscard]] Json family_workload_json(FamilyArguments arguments, const FamilyChoice& choice);
[[nodiscard]] Json family_predicted_json(const FamilyChoice& choice);
[[nodiscard]] std::string way_of(const FamilyChoice& choice);
/// "trees in 12 packets over 6 ports"
[[nodiscard]] std::string name_of(const FamilyChoice& choice);
/// What the machine does and the equation of this choice leaves out.
[[nodiscard]] std::vector<std::string> family_gaps(const FamilyChoice& choice);
void print_family_equation(const FamilyChoice& choice);

struct FamilyMeasurement : DataMeasurement {
  std::vector<double> step_us;  ///< from the end of the step before on the last node, to the end of this one
};

/// The workload of a choice on the machine of `setup`, with random items drawn with its seed.
[[nodiscard]] CollectiveWorkload family_workload(const FamilyChoice& choice, const RunSetup& setup, Payload payload);

/// Runs `collective`, made for this setup. The choice's parameters are also the costs on the ideal engine.
[[nodiscard]] FamilyMeasurement run_family(TestBench& bench, const RunSetup& setup, const FamilyChoice& choice,
                                           CollectiveRun& collective);

[[nodiscard]] std::unique_ptr<Experiment> family_run(FamilyArguments arguments, const Collective& collective,
                                                     Benches& benches);

void add_family_questions(const Questions& to, const Collective& collective);

[[nodiscard]] std::unique_ptr<RunRequest> family_run_request(const Collective& collective);

}  // namespace ecube
