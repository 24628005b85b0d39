// SPDX-License-Identifier: Apache-2.0
// Measured against predicted, family by family.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>

#include "models/machine/error.h"
#include "testbench/figure/figure.h"
#include "testbench/report/page.h"
#include "testbench/run/commands.h"
#include "testbench/run/progress_line.h"
#include "testbench/system/program_files.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/csv.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"
#include "testbench/validation/validation.h"

namespace ecube {

namespace {

struct Arguments {
  std::vector<std::string> families;
  std::vector<std::string> set;
  std::int64_t seed = 1;
  std::string directory;
  bool map = false;
  bool json = false;
  bool quiet = false;
  bool no_color = false;
};

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
    const std::string family = csv_quoted("broken: " + one.assumption);
    if (one.seeds.empty()) line(family, one.point);
    for (const ValidationPoint& point : one.seeds) line(family, point);
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

nlohmann::ordered_json residual_json(const ValidationPoint& point) {
  return {{"run", point.run},
          {"predicted_us", point.predicted_us},
          {"measured_us", point.measured_us},
          {"error_percent", point.error_percent()}};
}

nlohmann::ordered_json json_of(const ValidationFamily& family) {
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

ValidationSetup setup_of(const Arguments& arguments, Benches& benches) {
  return {.benches = benches,
          .changes = arguments.set,
          .seed = static_cast<std::uint64_t>(in_range("--seed", arguments.seed, 0, std::int64_t{1} << 62))};
}

void add_spread(nlohmann::ordered_json& json, const ErrorSpread& spread) {
  json["seeds"] = spread.runs;
  json["stalled"] = spread.stalled;
  json["stalled_percent"] = spread.stalled_percent();
  json["median_error_percent"] = json_or_null(spread.median_percent);
  json["p5_error_percent"] = json_or_null(spread.low_percent);
  json["p95_error_percent"] = json_or_null(spread.high_percent);
}

nlohmann::ordered_json json_of(const BrokenAssumption& one) {
  nlohmann::ordered_json json = {{"assumption", one.assumption}};
  json.update(residual_json(one.point));
  json.update({{"blocked_circuits", one.point.blocked_circuits},
               {"serialised_circuits", one.point.serialised_circuits},
               {"lost_messages", one.point.lost_messages},
               {"finished", one.point.finished}});
  if (!one.seeds.empty()) add_spread(json, spread_of(one.seeds));
  return json;
}

void print_jitter(const std::vector<BrokenAssumption>& broken) {
  fmt::print("\njitter, seeds 1 to {}: error of the runs that finished\n\n", jitter_seeds);
  fmt::print("{:>10} {:>10} {:>10} {:>8}  assumption; run of seed 1\n", "5%", "median", "95%", "stalled");
  const auto word = [](const std::optional<double>& value) { return value ? percent(*value) : std::string("-"); };
  for (const BrokenAssumption& one : broken) {
    if (one.seeds.empty()) continue;
    const ErrorSpread spread = spread_of(one.seeds);
    fmt::print("{:>10} {:>10} {:>10} {:>7.1f}%  {}\n{:>43}{}\n", word(spread.low_percent), word(spread.median_percent),
               word(spread.high_percent), spread.stalled_percent(), one.assumption, "", one.point.run);
  }
  fmt::print("stalled: share of the seeds whose runs did not finish; they have no error\n");
}

void print_broken(const std::vector<BrokenAssumption>& broken) {
  fmt::print("\nwhere assumptions do not hold, on purpose: how wrong the equation is then\n\n");
  fmt::print("{:>10} {:>8} {:>8}  assumption; run\n", "error", "blocked", "serial");
  for (const BrokenAssumption& one : broken) {
    if (!one.seeds.empty()) continue;
    fmt::print("{:>10} {:>8} {:>8}  {}\n{:>30}{}{}\n",
               one.point.finished ? percent(one.point.error_percent()) : "stalled", grouped(one.point.blocked_circuits),
               grouped(one.point.serialised_circuits), one.assumption, "", one.point.run,
               one.point.lost_messages > 0 ? fmt::format("; {} messages lost", one.point.lost_messages) : "");
  }
  fmt::print("blocked: circuits that waited for a link; serial: exchanges of which one half waited for the other\n");
  print_jitter(broken);
}

nlohmann::ordered_json json_of(const MapCell& cell) {
  nlohmann::ordered_json json = {{"equation", cell.equation->workload},
                                 {"machine", cell.equation->preset},
                                 {"algorithm", cell.equation->what},
                                 {"dim", cell.dim},
                                 {"size", cell.size},
                                 {"unit", cell.equation->unit},
                                 {"jitter_us", cell.jitter_us},
                                 {"run", cell.run},
                                 {"bin", words_of(bin_of(cell.spread))}};
  add_spread(json, cell.spread);
  return json;
}

void print_map(const std::vector<MapCell>& cells, const Reproduction& map) {
  fmt::print("error of the equations over size, dimension and jitter: the median over {} seeds, in percent\n\n",
             map_seeds);
  // The last panel is the legend of the picture's colours.
  for (std::size_t i = 0; i + 1 < map.panels.size(); ++i) print_grid(std::get<Grid>(map.panels[i]));
  std::map<std::pair<const MappedEquation*, ErrorBin>, std::size_t> counts;
  for (const MapCell& cell : cells) ++counts[{cell.equation, bin_of(cell.spread)}];
  fmt::print("{:<22}", "cells");
  constexpr std::array bins = {ErrorBin::one, ErrorBin::five, ErrorBin::twenty, ErrorBin::above, ErrorBin::stalled};
  for (const ErrorBin bin : bins) fmt::print(" {:>8}", words_of(bin));
  fmt::print("  algorithm\n");
  const MappedEquation* last = nullptr;
  for (const MapCell& cell : cells) {
    if (cell.equation == last) continue;
    last = cell.equation;
    fmt::print("{:<22}", fmt::format("{} {}", last->workload, last->preset));
    for (const ErrorBin bin : bins) fmt::print(" {:>8}", counts[{last, bin}]);
    fmt::print("  {}\n", last->what);
  }
}

/// Grids alone: tables, for which nothing is drawn.
std::string map_page(const Arguments& arguments, const Reproduction& map) {
  std::string command = own_command() + " validate --map";
  for (const std::string& name : arguments.families) command += " " + name;
  for (const std::string& change : arguments.set) command += " --set " + shell_word(change);
  const nlohmann::ordered_json entry = {
      {"id", "error-map"},          {"what", "How far each equation is off, error map: size, dimension and jitter"},
      {"panels", panels_json(map)}, {"checks", nlohmann::ordered_json::array()},
      {"command", command},         {"files", nlohmann::ordered_json::array({"error-map.csv"})}};
  return results_page("How far the equations are off", command, {}, true, nlohmann::ordered_json::array({entry}),
                      PageCharts::none);
}

int run_map(const Arguments& arguments) {
  for (const std::string& name : arguments.families) {
    constexpr std::array<std::string_view, 3> valid = {"exchange", "combine", "shuffle"};
    if (std::find(valid.begin(), valid.end(), name) == valid.end()) refuse_word("validate --map", name, valid);
  }
  std::vector<const MappedEquation*> equations;
  for (const MappedEquation& equation : mapped_equations()) {
    const auto& wanted = arguments.families;
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), equation.workload) != wanted.end()) {
      equations.push_back(&equation);
    }
  }
  std::optional<StagedFiles> directory;
  if (!arguments.directory.empty()) directory.emplace(arguments.directory);
  Benches benches(sampled_validation_dim);
  const ValidationSetup setup = setup_of(arguments, benches);
  CountProgress progress(equations.size() * std::size(map_dims), "steps", arguments.quiet);
  std::vector<MapCell> cells;
  for (const MappedEquation* const equation : equations) {
    for (const unsigned dim : map_dims) {
      progress.next(fmt::format("{} on {}, d {}", equation->workload, equation->preset, dim));
      for (MapCell& cell : map_cells(setup, *equation, dim)) cells.push_back(std::move(cell));
    }
  }
  progress.clear();
  const Reproduction map = error_map(cells);
  std::vector<std::string> files;
  if (directory) {
    directory->write("error-map.csv", map_text(cells));
    directory->write("error-map.html", map_page(arguments, map));
    directory->move_each();
    for (const char* const name : {"error-map.csv", "error-map.html"}) {
      files.push_back(directory->directory().path() + "/" + name);
    }
  }
  if (arguments.json) {
    const auto json = [](const MapCell& cell) { return json_of(cell); };
    print_json("validate", {{"map", json_list(cells, json)}, {"files", files}});
    return 0;
  }
  print_map(cells, map);
  for (std::size_t i = 0; i < files.size(); ++i) fmt::print("{}{}", i == 0 ? "\nfiles: " : "  ", files[i]);
  if (!files.empty()) fmt::print("\n");
  return 0;
}

/// The families that are asked for. A workload, the first word of a name, stands for all of its families.
std::vector<FamilyPlan> wanted_families(const std::vector<std::string>& names) {
  std::vector<FamilyPlan> plans = validation_families();
  const auto workload_of = [](const FamilyPlan& plan) {
    return std::string_view(plan.name).substr(0, plan.name.find(' '));
  };
  std::vector<std::string_view> valid;
  for (const FamilyPlan& plan : plans) {
    if (std::find(valid.begin(), valid.end(), workload_of(plan)) == valid.end()) valid.push_back(workload_of(plan));
  }
  for (const FamilyPlan& plan : plans) valid.push_back(plan.name);
  for (const std::string& name : names) {
    if (std::find(valid.begin(), valid.end(), name) == valid.end()) refuse_word("validate", name, valid);
  }
  std::erase_if(plans, [&](const FamilyPlan& plan) {
    return !names.empty() && std::ranges::none_of(names, [&](const std::string& name) {
      return plan.name == name || workload_of(plan) == name;
    });
  });
  return plans;
}

void print_families(const std::vector<ValidationFamily>& families, const std::vector<BrokenAssumption>& broken,
                    const Arguments& arguments) {
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

int run(const Arguments& arguments) {
  if (arguments.map) return run_map(arguments);
  const std::vector<FamilyPlan> plans = wanted_families(arguments.families);
  std::optional<StagedFiles> directory;
  if (!arguments.directory.empty()) directory.emplace(arguments.directory);
  Benches benches(sampled_validation_dim);
  const ValidationSetup setup = setup_of(arguments, benches);
  CountProgress progress(plans.size() + (arguments.families.empty() ? 1 : 0), "steps", arguments.quiet);
  std::vector<ValidationFamily> families;
  for (const FamilyPlan& plan : plans) {
    progress.next(plan.name);
    families.push_back(plan.run(setup));
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
  const auto passed = static_cast<std::size_t>(
      std::count_if(families.begin(), families.end(), [](const ValidationFamily& one) { return one.pass(); }));
  const int status = passed == families.size() ? 0 : 1;
  if (arguments.json) {
    const auto json = [](const auto& one) { return json_of(one); };
    print_json("validate", {{"families", json_list(families, json)}, {"broken_assumptions", json_list(broken, json)}});
    return status;
  }
  print_families(families, broken, arguments);
  fmt::print("\n{} of {} families pass\n", passed, families.size());
  return status;
}

}  // namespace

void add_validate(Command& app, Invocation& invocation) {
  const auto arguments = std::make_shared<Arguments>();
  Command& command = app.add_command("validate", "Measured against predicted, with tolerances");
  command.add_option("family", arguments->families,
                     "a workload (exchange, scatter, ..), or one family by its name; default all");
  command
      .add_option("--set", arguments->set,
                  "Any machine parameter of the presets, as key=value; repeatable. A changed machine shows what a "
                  "family's tolerance depends on; the keys are in ecube machines --options")
      .one_value_each();
  command.add_option("--seed", arguments->seed, "Seed of the sampled families").show_default();
  command.add_option("-o,--output", arguments->directory, "Directory for validate.csv, a line for every run");
  command.add_flag(
      "--map", arguments->map,
      "In place of the families: how far each equation is off over size, dimension and jitter, as a table, "
      "and with -o as error-map.csv and a page, error-map.html");
  command.add_flag("--json", arguments->json, "One JSON object on standard output");
  command.add_flag("--quiet", arguments->quiet, "No progress");
  command.add_flag("--no-color", arguments->no_color, "No colours");
  command.on_run([arguments, &invocation] { invocation.status = run(*arguments); });
}

}  // namespace ecube
