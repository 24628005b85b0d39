// SPDX-License-Identifier: Apache-2.0
// Measured against predicted, family by family.
#include <fmt/core.h>

#include <algorithm>

#include "testbench/run/commands.h"
#include "testbench/run/progress_line.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/csv.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"
#include "testbench/validation/validation.h"

namespace ecube {

namespace {

std::string points_text(const std::vector<ValidationFamily>& families, const std::vector<BrokenAssumption>& broken) {
  std::string text =
      "family,run,predicted_us,measured_us,error_percent,blocked_circuits,port_blocked_circuits,"
      "serialised_circuits,lost_messages,verified,finished\n";
  const auto line = [&](const std::string& family, const ValidationPoint& p) {
    text += fmt::format("{},{},{:.9g},{:.9g},{:.6f},{},{},{},{},{},{}\n", family, csv_quoted(p.run), p.predicted_us,
                        p.measured_us, p.error_percent(), p.blocked_circuits, p.port_blocked_circuits,
                        p.serialised_circuits, p.lost_messages, p.verified, p.finished);
  };
  for (const ValidationFamily& family : families) {
    for (const ValidationPoint& point : family.points) line(family.name, point);
  }
  for (const BrokenAssumption& one : broken) {
    for (const ValidationPoint& point : one.points) line(csv_quoted("broken: " + one.assumption), point);
  }
  return text;
}

void print_point(const ValidationPoint& point) {
  fmt::print("    {:>14.3f} {:>14.3f} {:>9}  {}\n", point.predicted_us, point.measured_us,
             percent(point.error_percent()), point.run);
}

void print_family(const ValidationFamily& family, std::size_t width, const Style& style) {
  const std::string verdict = family.pass() ? style.good("pass") : style.bad("FAIL");
  fmt::print("{:<{}} {:>6} {:>10} {:>10} {:>9.3f}%  {}\n", family.name, width, grouped(family.points.size()),
             percent(family.worst().error_percent()), fmt::format("{:.3f}%", family.rms_percent()),
             family.tolerance_percent, verdict);
  if (family.pass()) return;
  fmt::print("    {:>14} {:>14} {:>9}\n", "predicted us", "measured us", "error");
  print_point(family.worst());
  for (const ValidationPoint& point : family.points) {
    if (point.assumptions_held()) continue;
    print_point(point);
    fmt::print("      {}: {} circuits blocked, {} messages lost, data {}\n",
               point.finished ? "an assumption did not hold" : "did not finish", point.blocked_circuits,
               point.lost_messages, point.verified ? "verified" : "not verified");
    break;
  }
}

Json residual_json(const ValidationPoint& point) {
  return {{"run", point.run},
          {"predicted_us", point.predicted_us},
          {"measured_us", point.measured_us},
          {"error_percent", point.error_percent()}};
}

Json json_of(const ValidationFamily& family) {
  return {{"name", family.name},
          {"points", family.points.size()},
          {"worst_error_percent", family.worst().error_percent()},
          {"rms_error_percent", family.rms_percent()},
          {"tolerance_percent", family.tolerance_percent},
          {"reason", family.reason},
          {"grid", family.grid},
          {"broken_assumptions", family.broken()},
          {"pass", family.pass()},
          {"residuals", json_list(family.points, residual_json)}};
}

Json json_of(const BrokenAssumption& one) {
  Json json = {{"assumption", one.assumption}};
  const ValidationPoint& first = one.points.front();
  json.update(residual_json(first));
  json.update({{"blocked_circuits", first.blocked_circuits},
               {"serialised_circuits", first.serialised_circuits},
               {"lost_messages", first.lost_messages},
               {"finished", first.finished}});
  if (one.has_jitter()) add_spread(json, spread_of(one.points));
  return json;
}

void print_jitter(const std::vector<BrokenAssumption>& broken) {
  fmt::print("\njitter, seeds 1 to {}: error of the runs that finished\n\n", jitter_seeds);
  fmt::print("{:>10} {:>10} {:>10} {:>8}  assumption; run of seed 1\n", "5%", "median", "95%", "stalled");
  const auto word = [](const std::optional<double>& value) { return value ? percent(*value) : std::string("-"); };
  for (const BrokenAssumption& one : broken) {
    if (!one.has_jitter()) continue;
    const ErrorSpread spread = spread_of(one.points);
    fmt::print("{:>10} {:>10} {:>10} {:>7.1f}%  {}\n{:>43}{}\n", word(spread.low_percent), word(spread.median_percent),
               word(spread.high_percent), spread.stalled_percent(), one.assumption, "", one.points.front().run);
  }
  fmt::print("stalled: share of the seeds whose runs did not finish; they have no error\n");
}

void print_broken(const std::vector<BrokenAssumption>& broken) {
  fmt::print("\nwhere assumptions do not hold, on purpose: how wrong the equation is then\n\n");
  fmt::print("{:>10} {:>8} {:>8}  assumption; run\n", "error", "blocked", "serial");
  for (const BrokenAssumption& one : broken) {
    if (one.has_jitter()) continue;
    const ValidationPoint& point = one.points.front();
    fmt::print("{:>10} {:>8} {:>8}  {}\n{:>30}{}{}\n", point.finished ? percent(point.error_percent()) : "stalled",
               grouped(point.blocked_circuits), grouped(point.serialised_circuits), one.assumption, "", point.run,
               point.lost_messages > 0 ? fmt::format("; {} messages lost", point.lost_messages) : "");
  }
  fmt::print("blocked: circuits that waited for a link; serial: exchanges of which one half waited for the other\n");
  print_jitter(broken);
}

/// The families that are asked for. A workload stands for all of its families.
std::vector<ValidationFamily> wanted_families(const std::vector<std::string>& names) {
  std::vector<ValidationFamily> families = validation_families();
  std::vector<std::string> words;
  for (const ValidationFamily& one : families) {
    if (std::ranges::find(words, one.workload()) == words.end()) words.push_back(one.workload());
  }
  for (const ValidationFamily& one : families) words.push_back(one.name);
  const std::vector<std::string_view> valid(words.begin(), words.end());
  for (const std::string& name : names) {
    if (std::ranges::find(valid, name) == valid.end()) refuse_word("validate", name, valid);
  }
  std::erase_if(families, [&](const ValidationFamily& one) {
    return !names.empty() && std::ranges::find(names, one.name) == names.end() &&
           std::ranges::find(names, one.workload()) == names.end();
  });
  return families;
}

void print_families(const std::vector<ValidationFamily>& families, const std::vector<BrokenAssumption>& broken,
                    const ValidateArguments& arguments) {
  const Style style(1, !arguments.no_color);
  fmt::print("measured against predicted, parameters fitted on each machine, real distances\n\n");
  std::size_t width = 24;
  for (const ValidationFamily& family : families) width = std::max(width, family.name.size());
  fmt::print("{:<{}} {:>6} {:>10} {:>10} {:>10}\n", "family", width, "points", "worst", "rms", "tolerance");
  for (const ValidationFamily& family : families) print_family(family, width, style);
  fmt::print("\ntolerances:\n");
  for (const ValidationFamily& family : families) {
    fmt::print("  {}: {:g} %, {}\n", family.name, family.tolerance_percent, family.reason);
  }
  fmt::print("\nwhat was varied:\n");
  for (std::size_t i = 0; i < families.size(); ++i) {
    if (i == 0 || families[i].grid != families[i - 1].grid)
      fmt::print("  {}: {}\n", families[i].name, families[i].grid);
  }
  std::size_t points = 0;
  std::size_t violated = 0;
  for (const ValidationFamily& family : families) {
    points += family.points.size();
    violated += family.broken();
  }
  fmt::print("\nassumptions (no circuit blocked by another, no message lost, data in place): {} in {} of {} runs\n",
             violated == 0 ? "held" : "DID NOT HOLD", grouped(violated == 0 ? points : violated), grouped(points));
  if (!broken.empty()) print_broken(broken);
}

int run_validation(const ValidateArguments& arguments) {
  if (arguments.map) return run_error_map(arguments);
  std::vector<ValidationFamily> families = wanted_families(arguments.families);
  std::optional<StagedFiles> directory;
  if (!arguments.directory.empty()) directory.emplace(arguments.directory);
  ValidationSetup setup(arguments);
  CountProgress progress(families.size() + (arguments.families.empty() ? 1 : 0), "steps", arguments.quiet);
  for (ValidationFamily& family : families) {
    progress.next(family.name);
    family.run(setup);
  }
  std::vector<BrokenAssumption> broken;
  if (arguments.families.empty()) {
    progress.next("broken assumptions");
    broken = break_assumptions(setup);
  }
  progress.clear();
  if (directory) {
    directory->write("validate.csv", points_text(families, broken));
    directory->move_each();
  }
  const auto passed = static_cast<std::size_t>(std::ranges::count_if(families, &ValidationFamily::pass));
  const int status = passed == families.size() ? 0 : 1;
  if (arguments.json) {
    const auto json = [](const auto& one) { return json_of(one); };
    return print_json(
        "validate", {{"families", json_list(families, json)}, {"broken_assumptions", json_list(broken, json)}}, status);
  }
  print_families(families, broken, arguments);
  fmt::print("\n{} of {} families pass\n", passed, families.size());
  return status;
}

}  // namespace

void add_validate(Command& app, Invocation& invocation) {
  const auto [command, arguments] = add_action<ValidateArguments>(
      app, invocation, "validate", "Measured against predicted, with tolerances", run_validation);
  command.add_option("family", arguments.families,
                     "a workload (exchange, scatter, ..), or one family by its name; default all");
  command.add_option("--set", arguments.set,
                     "Any machine parameter of the presets, as key=value; repeatable. A changed machine shows what a "
                     "family's tolerance depends on; the keys are in ecube machines --options",
                     {.one_value_each = true});
  command.add_option("--seed", arguments.seed, "Seed of the sampled families", {.show_default = true});
  command.add_option("-o,--output", arguments.directory, "Directory for validate.csv, a line for every run");
  command.add_flag(
      "--map", arguments.map,
      "In place of the families: how far each equation is off over size, dimension and jitter, as a table, "
      "and with -o as error-map.csv and a page, error-map.html");
  command.add_flag("--json", arguments.json, "One JSON object on standard output");
  command.add_flag("--quiet", arguments.quiet, "No progress");
  command.add_flag("--no-color", arguments.no_color, "No colours");
}

}  // namespace ecube
