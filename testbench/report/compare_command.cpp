// SPDX-License-Identifier: Apache-2.0
// Two runs on the terminal.
#include "testbench/report/compare_command.h"

#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "testbench/report/comparison.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

struct CompareArguments {
  std::string first;
  std::string second;
  bool json = false;
};

std::string figure(const std::optional<double>& value) {
  if (!value) return "-";
  const double magnitude = std::abs(*value);
  if (magnitude >= 1e15 || *value != std::floor(*value)) return fmt::format("{:.6g}", *value);
  return (*value < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(magnitude));
}

int compare_runs(const CompareArguments& arguments) {
  const RunFiles first = read_run(arguments.first);
  const RunFiles second = read_run(arguments.second);
  Comparison comparison;
  reading(arguments.first + " or " + arguments.second, [&] {
    comparison = compare(first, second);
    (void)command_of(first);
    (void)command_of(second);
  });
  if (arguments.json) {
    nlohmann::ordered_json json = {{"schema", 1}, {"command", "compare"}};
    json.update(comparison_json(comparison, first, second));
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("first:  {}\nsecond: {}\n\n", command_of(first), command_of(second));
  if (comparison.parameters.empty()) {
    fmt::print("all parameters are the same\n");
  } else {
    fmt::print("{:<26} {:>22} {:>22}\n", "parameter", "first", "second");
    for (const DifferentParameter& one : comparison.parameters) {
      fmt::print("{:<26} {:>22} {:>22}\n", one.key, one.first.value_or("-"), one.second.value_or("-"));
    }
  }
  fmt::print("\n{:<26} {:>22} {:>22} {:>10}\n", "term", "first", "second", "change");
  for (const ComparedTerm& one : comparison.terms) {
    const std::optional<double> change = one.change_percent();
    fmt::print("{:<26} {:>22} {:>22} {:>10}\n", one.name, figure(one.first), figure(one.second),
               one.first == one.second ? "same"
               : change                ? fmt::format("{:+.2f}%", *change)
                                       : "-");
  }
  fmt::print("\n");
  if (!comparison.same_links) {
    fmt::print("the cubes differ in size: links are not compared\n");
  } else if (comparison.links.empty()) {
    fmt::print("all links have the same numbers\n");
  } else {
    fmt::print("{} changed; most:\n{:<12} {:>28} {:>28}\n", counted(comparison.changed_links, "link"), "link",
               "blocked cycles", "busy cycles");
    const auto change = [](std::uint64_t before, std::uint64_t after) {
      return fmt::format("{} -> {}", grouped(before), grouped(after));
    };
    for (const ComparedLink& one : comparison.links) {
      fmt::print("{:<12} {:>28} {:>28}\n", one.link, change(one.first.blocked_cycles, one.second.blocked_cycles),
                 change(one.first.busy_cycles, one.second.busy_cycles));
    }
  }
  fmt::print("next: {} report {} --against {}\n", own_command(), shell_word(arguments.second),
             shell_word(arguments.first));
  return 0;
}

}  // namespace

void add_compare(Command& app, Invocation& invocation) {
  const auto arguments = std::make_shared<CompareArguments>();
  Command& command =
      app.add_command("compare", "Two runs: parameters that differ, and what changes term by term, link by link");
  command.add_option("first", arguments->first, "Run directory (run ... -o DIR)").required();
  command.add_option("second", arguments->second, "Run directory").required();
  command.add_flag("--json", arguments->json, "One JSON object on standard output");
  command.footer(
      "Examples:\n"
      "  ecube run exchange --dim 5 --schedule ordered -o runs/ordered\n"
      "  ecube run exchange --dim 5 --schedule xor -o runs/xor\n"
      "  ecube compare runs/ordered runs/xor\n"
      "  ecube report runs/xor --against runs/ordered");
  command.on_run([arguments, &invocation] { invocation.status = compare_runs(*arguments); });
}

}  // namespace ecube
