// SPDX-License-Identifier: Apache-2.0
// Checking the shared options, and the end of a run in words.
#include "testbench/run_arguments.h"

#include <fmt/core.h>

#include <array>
#include <nlohmann/json.hpp>

#include "models/presets.h"
#include "models/quantity.h"
#include "testbench/machine_file.h"

namespace ecube {

namespace {
enum class HierarchyChoice : std::uint8_t { automatic, full, flat };
constexpr Word<HierarchyChoice> hierarchies[] = {
    {"auto", HierarchyChoice::automatic}, {"full", HierarchyChoice::full}, {"flat", HierarchyChoice::flat}};

}  // namespace

void refuse_word(std::string_view option, std::string_view typed, std::span<const std::string_view> words) {
  std::string valid;
  for (const std::string_view word : words) valid += (valid.empty() ? "" : " | ") + std::string(word);
  throw ErrorText(fmt::format("unknown value {} for {}", ecube::quoted(typed), option))
      .hint(did_you_mean(typed, words))
      .valid(valid)
      .error();
}

std::int64_t in_range(std::string_view option, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) {
    throw ErrorText(fmt::format("{} {} is out of range", option, value))
        .valid(fmt::format("{} .. {}", least, most))
        .error();
  }
  return value;
}

std::vector<Setting> settings_of(const RunArguments& arguments) {
  std::vector<Setting> settings = load_machine(arguments.machine);
  for (const std::string& set : arguments.set) settings.push_back(parse_set(set));
  const auto option = [&settings](std::string_view key, const std::string& value, std::string_view name) {
    if (!value.empty()) settings.push_back(option_setting(key, value, fmt::format("{} {}", name, value)));
  };
  option("node.ports", arguments.ports, "--ports");
  option("node.startups", arguments.startups, "--startups");
  option("library.barrier", arguments.barrier, "--barrier");
  option("library.protocol", arguments.protocol, "--protocol");
  return settings;
}

unsigned dim_of(const RunArguments& arguments, const Machine& machine, std::int64_t max_dim) {
  const auto dim = static_cast<unsigned>(in_range("--dim", arguments.dim, 1, max_dim));
  if (dim <= max_simulated_dim) check_dimension(machine, dim);
  return dim;
}

RunConditions conditions_of(const RunArguments& arguments, const Machine& machine) {
  const auto refuse = [&](const Problem& problem) {
    throw ErrorText(fmt::format("--jitter {} {}", ecube::quoted(arguments.jitter), problem.message))
        .hint(problem.hint)
        .error();
  };
  const auto jitter = parse_time(arguments.jitter);
  if (!jitter) refuse(jitter.problem());
  const auto cycles = whole_cycles(*jitter, static_cast<std::uint64_t>(machine.clock_hz));
  if (!cycles) refuse(cycles.problem());
  return {.jitter = *cycles,
          .seed = static_cast<std::uint64_t>(in_range("--seed", arguments.seed, 0, std::int64_t{1} << 62))};
}

Hierarchy hierarchy_of(const RunArguments& arguments, unsigned dim) {
  switch (choose("--hierarchy", arguments.hierarchy, hierarchies)) {
    case HierarchyChoice::full:
      return Hierarchy::full;
    case HierarchyChoice::flat:
      return Hierarchy::flat;
    case HierarchyChoice::automatic:
      break;
  }
  return dim <= max_auto_full_dim ? Hierarchy::full : Hierarchy::flat;
}

nlohmann::ordered_json machine_json(const Machine& machine, unsigned dim) {
  const std::uint32_t engines = machine.node.ports.engines;
  const std::string ports = engines == 1 ? "one" : engines == Ports::n ? "n" : std::to_string(engines);
  return {{"name", machine.name}, {"dim", dim},    {"nodes", 1U << dim}, {"clock_mhz", machine.clock_hz / 1e6},
          {"engine", "event"},    {"ports", ports}};
}

RunMeasurement run_program(Cube& cube, Program& program) {
  RunMeasurement measurement;
  measurement.result = cube.run(program);
  const NetworkInterfaces& interfaces = cube.engine().interfaces();
  measurement.network = interfaces.statistics();
  measurement.waiting = interfaces.waiting_nodes(8);
  measurement.unfinished = interfaces.unfinished();
  measurement.escaped_error = interfaces.error() != nullptr;
  cube.unload();
  return measurement;
}

int report_outcome(const RunMeasurement& m, std::optional<bool> verified) {
  if (m.network.lost > 0) {
    const LostMessage& first = m.network.first_lost.front();
    fmt::print(stderr, "lost {} forced messages, the first {}->{} at cycle {}\n", m.network.lost, first.source,
               first.destination, first.at);
  }
  switch (m.result.status) {
    case RunResult::Status::finished:
      return m.network.lost > 0 ? 3 : verified == false ? 1 : 0;
    case RunResult::Status::fault:
      fmt::print(stderr, "stopped at cycle {}: {}\n", m.result.cycles, m.result.fault);
      return m.escaped_error && m.network.lost == 0 ? 1 : 3;
    case RunResult::Status::interrupted:
      fmt::print(stderr, "interrupted at cycle {}\n", m.result.cycles);
      return 130;
    case RunResult::Status::stalled:
      break;
  }
  fmt::print(stderr, "stalled at cycle {}: nothing can move, {} nodes have not finished\n", m.result.cycles,
             m.unfinished);
  for (const WaitingNode& wait : m.waiting) {
    static constexpr std::array<std::string_view, 5> what{"has nothing under way", "waits for a message from",
                                                          "waits for the other half of an exchange with",
                                                          "waits for a port to send to", "waits for its circuit to"};
    fmt::print(stderr, "  node {} {}", wait.node, what[static_cast<std::size_t>(wait.waits_for)]);
    if (wait.waits_for != WaitingNode::For::nothing) {
      fmt::print(stderr, " {} (type {}, since cycle {})",
                 wait.peer == any_node ? std::string("any node") : "node " + std::to_string(wait.peer), wait.type,
                 wait.since);
    }
    fmt::print(stderr, "\n");
  }
  return 3;
}

}  // namespace ecube
