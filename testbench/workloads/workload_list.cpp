// SPDX-License-Identifier: Apache-2.0
// The list of workloads.
#include "testbench/workloads/workload_list.h"

#include <algorithm>
#include <array>
#include <functional>

#include "models/family/plan.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/family/family_request.h"
#include "testbench/run/commands.h"

namespace ecube {

namespace {

struct Workload {
  std::string_view name;
  std::string_view help;
  std::function<std::unique_ptr<RunRequest>()> request;
};

/// What runs in rooms of its own; behind it come the collectives on vectors, each a row of their list.
const std::vector<Workload>& workloads() {
  static const std::vector<Workload> list = [] {
    std::vector<Workload> rows{
        {"exchange", "Multiphase complete exchange: every node has a block for every node", exchange_run_request},
        {"combine", "Global combine: vectors of all nodes are summed (or max, min, product), item by item",
         combine_run_request},
        {"shuffle", "Generalised shuffle: elements move as the bits of their address change places",
         shuffle_run_request},
        {"pingpong", "The time of one message, by length and distance", pingpong_run_request},
        {"barrier", "The time of a barrier of all nodes", barrier_run_request},
        {"traffic", "Messages by a pattern or from a file, in contention", traffic_run_request},
        {"program", "A program of your own in C++, or one of sw/examples", program_run_request},
        {"goal", "A schedule of sends, receives and calculations in GOAL's text", goal_run_request},
    };
    for (const Collective* collective : collectives()) {
      rows.push_back({collective->name, collective->help, [collective] { return family_run_request(*collective); }});
    }
    return rows;
  }();
  return list;
}

}  // namespace

void add_run(Command& app, Invocation& invocation) {
  Command& run = app.add_command("run", "One experiment: measured beside predicted");
  run.require_command();
  // From here on Ctrl-C ends a run in good order, calibration included.
  run.on_start([&invocation] { invocation.interruptible.emplace(); });
  for (const Workload& workload : workloads()) {
    const std::shared_ptr<RunRequest> request = workload.request();
    Command& command = run.add_command(std::string(workload.name), std::string(workload.help));
    command.on_named([request, &command] { request->declare(command); });
    command.on_run([request, &invocation] {
      const std::unique_ptr<Experiment> experiment = request->experiment(*invocation.benches);
      invocation.status = run_as_command(request->shared, *experiment, invocation.arguments, request->ignored());
    });
  }
}

std::unique_ptr<RunRequest> run_request(std::span<const std::string> words) {
  Command program("ecube", "");
  Command& run = program.add_command("run", "");
  run.require_command();
  const auto named = std::ranges::find_if(
      workloads(), [&](const Workload& workload) { return !words.empty() && workload.name == words.front(); });
  // One that has no such name is refused with the names that there are.
  const auto declared = named == workloads().end() ? std::span(workloads()) : std::span(&*named, 1);
  std::unique_ptr<RunRequest> request;
  for (const Workload& workload : declared) {
    request = workload.request();
    request->declare(run.add_command(std::string(workload.name), std::string(workload.help)));
  }
  std::vector<std::string> line{"run"};
  line.insert(line.end(), words.begin(), words.end());
  if (!program.run(line)) throw InputError("only options of a run are read here, not --help");
  return request;
}

std::vector<std::string_view> run_names() {
  std::vector<std::string_view> names;
  for (const Workload& workload : workloads()) names.push_back(workload.name);
  return names;
}

RunOptions::RunOptions(const std::string& name) : command(name, "") {
  // Options of output, and options that a study sets in other keys.
  static constexpr std::array<std::string_view, 15> others{
      "help", "output", "trace",    "export-goal", "trace-window", "trace-filter", "circuits", "contention",
      "json", "quiet",  "no-color", "machine",     "set",          "seed",         "params"};
  request = std::ranges::find(workloads(), name, &Workload::name)->request();
  request->declare(command);
  for (const OptionText& option : command.text().options) {
    for (const std::string& word : option.names) {
      if (!word.starts_with("--")) continue;
      if (std::ranges::find(others, word.substr(2)) == others.end()) names.push_back(word.substr(2));
    }
  }
}

}  // namespace ecube
