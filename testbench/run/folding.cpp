// SPDX-License-Identifier: Apache-2.0
// What speaks against a folded run, and what the output says of one.
#include "testbench/run/folding.h"

#include <fmt/core.h>

#include "hw/folded/cube.h"
#include "testbench/run/circuit_log.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

constexpr Word<Fold> folds[] = {{"off", Fold::off}, {"auto", Fold::automatic}, {"on", Fold::on}};

/// An output that tells about single nodes or circuits; empty where there is none.
std::string unfolded_output(const RunArguments& arguments, const RunSetup& setup) {
  if (arguments.circuits) return "--circuits lists the circuits of all nodes";
  if (!arguments.trace.empty()) return "--trace shows all nodes";
  if (arguments.contention) return "--contention tells of all circuits, and folded runs have no contention";
  if (!arguments.export_goal.empty()) return "--export-goal writes the programs of all nodes";
  if (!arguments.directory.empty() && leaves_node_times(setup.machine, setup.dim)) {
    return "a run directory of detailed nodes has the times of all nodes (node_times.csv)";
  }
  return {};
}

}  // namespace

void add_fold_option(Command& app, RunArguments& arguments) {
  app.add_option(
         "--fold", arguments.fold,
         "auto: simulate node 0 for all nodes, with the same cycles, where all do the same at the same time and no two "
         "circuits meet; on: refuse other runs; off")
      .show_default()
      .group("engine");
}

void read_fold(RunSetup& setup, const RunArguments& arguments) {
  setup.fold = choose("--fold", arguments.fold, folds);
  if (setup.fold == Fold::off) return;
  if (setup.engine != EngineChoice::event) {
    settle_fold(setup, fmt::format("--engine {} simulates all nodes", word_of(setup.engine, engines)));
  }
  if (setup.machine.network.planes == 0 && !setup.topology().is_cube())
    settle_fold(setup, "only the nodes of a cube all do the same");
  settle_fold(setup, why_never_folded(setup.machine, setup.conditions));
  settle_fold(setup, unfolded_output(arguments, setup));
}

void settle_fold(RunSetup& setup, const std::string& reason) {
  if (reason.empty() || !setup.may_fold()) return;
  if (setup.fold == Fold::on) {
    throw InputError(fmt::format("--fold on: the run cannot be folded: {}", reason))
        .hint("--fold auto then simulates all nodes");
  }
  setup.not_folded = reason;
}

bool run_folded(RunSetup& setup, const std::function<void()>& run) {
  if (!setup.may_fold()) return false;
  try {
    run();
    return true;
  } catch (const NotFolded& reason) {
    settle_fold(setup, reason.what());
  }
  require_machine_memory(setup.dim);
  return false;
}

void add_fold_json(nlohmann::ordered_json& json, const RunSetup& setup, bool folded, NodeId verified_nodes) {
  if (setup.fold == Fold::off) return;
  json["folded"] = folded;
  if (folded) {
    json["verified_nodes"] = verified_nodes;
  } else {
    json["not_folded"] = setup.not_folded;
  }
}

std::string fold_text(const RunSetup& setup, bool folded) {
  if (setup.fold == Fold::off) return {};
  if (!folded) return fmt::format("not folded: {}\n", setup.not_folded);
  return fmt::format(
      "folded: node 0 was simulated, and stands for all {} nodes; the bytes of the others were not verified\n",
      grouped(std::uint64_t{1} << setup.dim));
}

}  // namespace ecube
