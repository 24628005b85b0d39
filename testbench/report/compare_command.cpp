// SPDX-License-Identifier: Apache-2.0
// Two runs on the terminal.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "testbench/report/comparison.h"
#include "testbench/run/commands.h"
#include "testbench/system/program_files.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

struct CompareArguments {
  std::string first;
  std::string second;
  std::vector<std::string> more;
  bool json = false;
};

using Json = nlohmann::ordered_json;

/// A value of a parameter or a figure.
std::string shown(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  const auto number = value.get<double>();
  const double magnitude = std::abs(number);
  if (magnitude >= 1e15 || number != std::floor(number)) return fmt::format("{:.6g}", number);
  return (number < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(magnitude));
}

/// Three runs and more: what any of them has otherwise than the first, a row each. `list` and `name`: the members of a
/// comparison, and what names their rows; `same`: what a run shows that is as the first.
void print_differences(const char* title, const std::vector<Json>& comparisons, const char* list, const char* name,
                       const std::string& same) {
  fmt::print("{:<32}", title);
  for (std::size_t run = 1; run <= comparisons.size() + 1; ++run) fmt::print(" {:>16}", run);
  fmt::print("\n");
  std::vector<std::string> rows;
  std::map<std::string, std::vector<std::string>> values;  // of each row, by run
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    for (const Json& one : comparisons[i][list]) {
      const auto [row, fresh] =
          values.emplace(one[name].get<std::string>(), std::vector<std::string>(comparisons.size() + 1, same));
      if (one["first"] != one["second"] && std::ranges::find(rows, row->first) == rows.end())
        rows.push_back(row->first);
      row->second[0] = shown(one["first"]);
      row->second[i + 1] = shown(one["second"]);
    }
  }
  for (const std::string& row : rows) {
    fmt::print("{:<32}", row);
    for (const std::string& value : values[row]) fmt::print(" {:>16}", value);
    fmt::print("\n");
  }
}

void print_many(const std::vector<RunFiles>& runs, const std::vector<Json>& comparisons) {
  for (std::size_t i = 0; i < runs.size(); ++i) fmt::print("{}: {}\n", i + 1, command_of(runs[i]));
  fmt::print("\n");
  print_differences("parameter", comparisons, "parameters", "key", "as 1");
  fmt::print("\n");
  print_differences("term", comparisons, "terms", "name", "-");
}

void print_two(const RunFiles& first, const RunFiles& second, const Json& comparison) {
  fmt::print("first:  {}\nsecond: {}\n\n", command_of(first), command_of(second));
  if (comparison["parameters"].empty()) {
    fmt::print("all parameters are the same\n");
  } else {
    fmt::print("{:<26} {:>22} {:>22}\n", "parameter", "first", "second");
    for (const Json& one : comparison["parameters"]) {
      fmt::print("{:<26} {:>22} {:>22}\n", one["key"].get<std::string>(), shown(one["first"]), shown(one["second"]));
    }
  }
  fmt::print("\n{:<32} {:>18} {:>18} {:>10}\n", "term", "first", "second", "change");
  for (const Json& one : comparison["terms"]) {
    const Json& change = one["change_percent"];
    fmt::print("{:<32} {:>18} {:>18} {:>10}\n", one["name"].get<std::string>(), shown(one["first"]),
               shown(one["second"]),
               one["first"] == one["second"] ? "same"
               : change.is_number()          ? fmt::format("{:+.2f}%", change.get<double>())
                                             : "-");
  }
  fmt::print("\n");
  if (comparison["same_links"] == false) {
    fmt::print("the networks have other links, which are not compared\n");
  } else if (comparison["links"].empty()) {
    fmt::print("all links have the same numbers\n");
  } else {
    fmt::print("{} changed; most:\n{:<12} {:>28} {:>28}\n",
               counted(comparison["changed_links"].get<std::uint64_t>(), "link"), "link", "blocked cycles",
               "busy cycles");
    for (const Json& one : comparison["links"]) {
      const auto change = [&one](const char* figure) {
        return shown(one["first"][figure]) + " -> " + shown(one["second"][figure]);
      };
      fmt::print("{:<12} {:>28} {:>28}\n", one["link"].get<std::string>(), change("blocked_cycles"),
                 change("busy_cycles"));
    }
  }
  fmt::print("next: {} report {} --against {}\n", own_command(), shell_word(second.directory),
             shell_word(first.directory));
}

int compare_runs(const CompareArguments& arguments) {
  std::vector<RunFiles> runs{read_run(arguments.first, RunPart::figures), read_run(arguments.second, RunPart::figures)};
  for (const std::string& one : arguments.more) runs.push_back(read_run(one, RunPart::figures));
  std::vector<Json> comparisons;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    reading(runs[0].directory + " or " + runs[i].directory, [&] {
      comparisons.push_back(compare(runs[0], runs[i]));
      (void)command_of(runs[0]);
      (void)command_of(runs[i]);
    });
  }
  if (arguments.json) {
    Json json = comparisons[0];
    for (std::size_t i = 1; i < comparisons.size(); ++i) json["more"].push_back(comparisons[i]);
    print_json("compare", json);
  } else if (comparisons.size() == 1) {
    print_two(runs[0], runs[1], comparisons[0]);
  } else {
    print_many(runs, comparisons);
  }
  return 0;
}

}  // namespace

void add_compare(Command& app, Invocation& invocation) {
  const auto arguments = std::make_shared<CompareArguments>();
  Command& command = app.add_command("compare", "Two runs: what differs, term by term, link by link");
  command.add_option("first", arguments->first, "Run directory (run ... -o DIR)").required();
  command.add_option("second", arguments->second, "Run directory").required();
  command.add_option("more", arguments->more,
                     "Further run directories; of three runs and more only differences are shown");
  command.add_flag("--json", arguments->json, "One JSON object on standard output");
  command.footer(
      "Examples:\n"
      "  ecube run exchange --dim 5 --schedule ordered -o runs/ordered\n"
      "  ecube run exchange --dim 5 --schedule xor -o runs/xor\n"
      "  ecube compare runs/ordered runs/xor\n"
      "  ecube compare runs/ordered runs/xor runs/shift\n"
      "  ecube report runs/xor --against runs/ordered");
  command.on_run([arguments, &invocation] { invocation.status = compare_runs(*arguments); });
}

}  // namespace ecube
