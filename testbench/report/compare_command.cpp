// SPDX-License-Identifier: Apache-2.0
// Two runs on the terminal.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
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

std::string figure(const std::optional<double>& value) {
  if (!value) return "-";
  const double magnitude = std::abs(*value);
  if (magnitude >= 1e15 || *value != std::floor(*value)) return fmt::format("{:.6g}", *value);
  return (*value < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(magnitude));
}

/// A row for each of `names` that any run has another value of than the first.
void print_differences(const char* title, const std::vector<std::string>& names, std::size_t runs,
                       const std::function<std::string(const std::string&, std::size_t)>& value) {
  fmt::print("{:<32}", title);
  for (std::size_t run = 1; run <= runs; ++run) fmt::print(" {:>16}", run);
  fmt::print("\n");
  for (const std::string& name : names) {
    fmt::print("{:<32}", name);
    for (std::size_t run = 0; run < runs; ++run) fmt::print(" {:>16}", value(name, run));
    fmt::print("\n");
  }
}

/// Three runs and more: only their differences, each against the first.
void print_many(const std::vector<RunFiles>& runs, const std::vector<Comparison>& comparisons) {
  for (std::size_t i = 0; i < runs.size(); ++i) fmt::print("{}: {}\n", i + 1, command_of(runs[i]));
  fmt::print("\n");
  std::vector<std::string> keys;
  std::vector<std::string> terms;
  const auto note = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Comparison& one : comparisons) {
    for (const DifferentParameter& parameter : one.parameters) note(keys, parameter.key);
    for (const ComparedTerm& term : one.terms) {
      if (term.first != term.second) note(terms, term.name);
    }
  }
  const auto find = [](const auto& list, auto member, const std::string& name) {
    return std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.*member == name; });
  };
  print_differences("parameter", keys, runs.size(), [&](const std::string& key, std::size_t run) {
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
      const auto found = find(comparisons[i].parameters, &DifferentParameter::key, key);
      if (found == comparisons[i].parameters.end()) continue;
      if (run == 0) return found->first.value_or("-");
      if (run == i + 1) return found->second.value_or("-");
    }
    return std::string("as 1");
  });
  fmt::print("\n");
  print_differences("term", terms, runs.size(), [&](const std::string& term, std::size_t run) {
    const Comparison& comparison = comparisons[run == 0 ? 0 : run - 1];
    for (const Comparison& one : comparisons) {
      const Comparison& asked = run == 0 ? one : comparison;
      const auto found = find(asked.terms, &ComparedTerm::name, term);
      if (found != asked.terms.end()) return figure(run == 0 ? found->first : found->second);
    }
    return std::string("-");
  });
}

void print_two(const RunFiles& first, const RunFiles& second, const Comparison& comparison) {
  fmt::print("first:  {}\nsecond: {}\n\n", command_of(first), command_of(second));
  if (comparison.parameters.empty()) {
    fmt::print("all parameters are the same\n");
  } else {
    fmt::print("{:<26} {:>22} {:>22}\n", "parameter", "first", "second");
    for (const DifferentParameter& one : comparison.parameters) {
      fmt::print("{:<26} {:>22} {:>22}\n", one.key, one.first.value_or("-"), one.second.value_or("-"));
    }
  }
  fmt::print("\n{:<32} {:>18} {:>18} {:>10}\n", "term", "first", "second", "change");
  for (const ComparedTerm& one : comparison.terms) {
    const std::optional<double> change = one.change_percent();
    fmt::print("{:<32} {:>18} {:>18} {:>10}\n", one.name, figure(one.first), figure(one.second),
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
  fmt::print("next: {} report {} --against {}\n", own_command(), shell_word(second.directory),
             shell_word(first.directory));
}

int compare_runs(const CompareArguments& arguments) {
  std::vector<RunFiles> runs{read_run(arguments.first, RunPart::figures), read_run(arguments.second, RunPart::figures)};
  for (const std::string& one : arguments.more) runs.push_back(read_run(one, RunPart::figures));
  std::vector<Comparison> comparisons;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    reading(runs[0].directory + " or " + runs[i].directory, [&] {
      comparisons.push_back(compare(runs[0], runs[i]));
      (void)command_of(runs[0]);
      (void)command_of(runs[i]);
    });
  }
  if (!arguments.json) {
    if (comparisons.size() == 1) {
      print_two(runs[0], runs[1], comparisons[0]);
    } else {
      print_many(runs, comparisons);
    }
    return 0;
  }
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  json.update(comparison_json(comparisons[0], runs[0], runs[1]));
  for (std::size_t i = 1; i < comparisons.size(); ++i) {
    json["more"].push_back(comparison_json(comparisons[i], runs[0], runs[i + 1]));
  }
  print_json("compare", json);
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
