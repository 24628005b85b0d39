// SPDX-License-Identifier: Apache-2.0
// Studies from the command line.
#include "testbench/sweep_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "testbench/sweep/manager.h"
#include "testbench/sweep/worker.h"
#include "testbench/text.h"

namespace ecube {

namespace {

struct SweepArguments {
  std::string study;
  std::string directory;
  std::int64_t workers = 0;
  bool again = false;
  bool quiet = false;
  bool json = false;
};

std::string axis_text(const StudyPoint& point) {
  std::string text;
  for (const StudyValue& value : point.axis)
    text += fmt::format("{}{}={}", text.empty() ? "" : "  ", value.key, value.value);
  return text;
}

int sweep(const SweepArguments& arguments) {
  const Study study = read_study(arguments.study);
  const std::int64_t cores = std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  SweepOptions options{.again = arguments.again, .quiet = arguments.quiet || arguments.json};
  options.workers = static_cast<unsigned>(arguments.workers == 0 ? cores : in_range("-j", arguments.workers, 1, 1024));
  const std::string directory = arguments.directory.empty() ? "sweeps/" + study.name : arguments.directory;
  Store store(directory, study);
  const SweepOutcome outcome = run_sweep(study, store, options);
  const std::uint64_t done = store.done();
  const std::uint64_t failed = store.failed();
  if (arguments.json) {
    const nlohmann::ordered_json json = {{"schema", 1},
                                         {"command", "sweep"},
                                         {"study", study.name},
                                         {"store", store.file()},
                                         {"points", outcome.points},
                                         {"ran", outcome.ran},
                                         {"done", done},
                                         {"failed", failed},
                                         {"left", outcome.left},
                                         {"seconds", outcome.seconds}};
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}: {} points ran in {:.1f} s, {} of them failed\n", study.name, grouped(outcome.ran), outcome.seconds,
               grouped(outcome.failed));
    fmt::print("{} holds {} results and {} failures of {} points\n", store.file(), grouped(done), grouped(failed),
               grouped(outcome.points));
    if (outcome.left > 0) fmt::print("{} are left: run it again to go on\n", grouped(outcome.left));
    if (failed > 0) {
      fmt::print("why they failed: sqlite3 {} \"SELECT number, error FROM points WHERE status = 'failed'\"\n",
                 store.file());
    }
  }
  if (outcome.interrupted) return 130;
  return failed > 0 ? 1 : 0;
}

int plan(const SweepArguments& arguments) {
  const Study study = read_study(arguments.study);
  if (!arguments.json) {
    fmt::print("{}: {} points of run {} on {}\n\n{:>8}  {:<12}  {}\n", study.name, grouped(count_points(study)),
               study.run, study.machine, "point", "id", "values");
  }
  for_each_point(study, [&](const StudyPoint& point) {
    if (arguments.json) {
      nlohmann::ordered_json axis = nlohmann::ordered_json::object();
      for (const StudyValue& value : point.axis) axis[value.key] = value.value;
      fmt::print("{}\n", nlohmann::ordered_json({{"number", point.number},
                                                 {"id", point.id},
                                                 {"axis", axis},
                                                 {"seed", point.seed},
                                                 {"arguments", point.arguments}})
                             .dump());
    } else {
      fmt::print("{:>8}  {:<12}  {}{}\n", point.number, point.id.substr(0, 12), axis_text(point),
                 study.repetitions > 1 ? fmt::format("  seed={}", point.seed) : "");
    }
    return true;
  });
  return 0;
}

}  // namespace

void add_sweep(CLI::App& app, Invocation& invocation) {
  const auto arguments = std::make_shared<SweepArguments>();
  CLI::App* const command = app.add_subcommand("sweep", "A study: many runs along axes, resumable, on all cores");
  command->add_option("study", arguments->study, "STUDY.toml");
  command->add_option("-o,--output", arguments->directory, "Directory of the results; sweeps/NAME when not given");
  command->add_option("-j", arguments->workers, "Worker processes; one for each core when not given");
  command->add_flag("--again", arguments->again, "Run failed points again too");
  command->add_flag("--quiet", arguments->quiet, "No progress");
  command->add_flag("--json", arguments->json, "One JSON object on standard output");
  command->callback([command, arguments, &invocation] {
    if (!command->get_subcommands().empty()) return;
    if (arguments->study.empty()) {
      throw ErrorText("no study to run")
          .hint("ecube sweep STUDY.toml -o DIR; studies come with it in testbench/studies")
          .error();
    }
    invocation.status = sweep(*arguments);
  });
  const auto of_plan = std::make_shared<SweepArguments>();
  CLI::App* const plan_command = command->add_subcommand("plan", "The points of a study, with their ids");
  plan_command->add_option("study", of_plan->study, "STUDY.toml")->required();
  plan_command->add_flag("--json", of_plan->json, "A JSON object for each point, one a line");
  plan_command->callback([of_plan, &invocation] { invocation.status = plan(*of_plan); });

  const auto dim = std::make_shared<unsigned>(4);
  CLI::App* const worker = app.add_subcommand("sweep-worker", "")->group("");
  worker->add_option("--dim", *dim, "");
  worker->callback([dim, &invocation] { invocation.status = run_worker(*dim); });
}

}  // namespace ecube
