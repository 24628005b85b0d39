// SPDX-License-Identifier: Apache-2.0
// Published results by name.
#include "testbench/reproduce_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/error.h"
#include "testbench/progress_line.h"
#include "testbench/reproduction/files.h"
#include "testbench/reproduction/results.h"
#include "testbench/run/output_directory.h"
#include "testbench/text.h"

namespace ecube {

namespace {

struct Arguments {
  std::vector<std::string> ids;
  std::string directory = "reproduced";
  bool no_pictures = false;
  bool json = false;
  bool quiet = false;
  bool no_color = false;
};

void print_checks(const Reproduction& reproduction, const Style& style) {
  std::size_t widest = 0;
  for (const Check& check : reproduction.checks) widest = std::max(widest, check.statement.size());
  for (const Check& check : reproduction.checks) {
    std::string line = fmt::format("  {} {:<{}}", check.holds ? style.good("ok") : style.bad("NO"), check.statement,
                                   check.published.empty() && check.reached.empty() ? 0 : widest);
    if (!check.published.empty()) line += fmt::format("  {:>14}", check.published);
    if (!check.reached.empty()) line += fmt::format("  {:>14}", check.reached);
    if (check.distance_percent) line += fmt::format("  {:>9}", percent(*check.distance_percent));
    fmt::print("{}\n", line);
  }
}

nlohmann::ordered_json json_of(const PublishedResult& result, const Reproduction& reproduction,
                               const std::vector<std::string>& files, const std::string& directory) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const Check& check : reproduction.checks) {
    nlohmann::ordered_json one = {{"statement", check.statement}, {"holds", check.holds}};
    if (!check.published.empty()) one["published"] = check.published;
    if (!check.reached.empty()) one["reached"] = check.reached;
    if (check.distance_percent) one["distance_percent"] = *check.distance_percent;
    checks.push_back(one);
  }
  nlohmann::ordered_json paths = nlohmann::ordered_json::array();
  for (const std::string& file : files) paths.push_back((std::filesystem::path(directory) / file).string());
  return {
      {"id", result.id},  {"what", result.what}, {"pass", reproduction.pass()}, {"verdict", reproduction.conclusion()},
      {"checks", checks}, {"files", paths}};
}

std::vector<const PublishedResult*> chosen(const std::vector<std::string>& ids) {
  std::vector<std::string_view> valid = {"list", "all"};
  for (const PublishedResult& result : published_results()) valid.push_back(result.id);
  std::vector<const PublishedResult*> results;
  for (const std::string& id : ids) {
    if (std::find(valid.begin(), valid.end(), id) == valid.end()) refuse_word("reproduce", id, valid);
    if (id == "list" && ids.size() > 1) throw ErrorText("list goes with no other id").error();
  }
  for (const PublishedResult& result : published_results()) {
    const bool wanted =
        std::any_of(ids.begin(), ids.end(), [&](const std::string& id) { return id == "all" || id == result.id; });
    if (wanted) results.push_back(&result);
  }
  return results;
}

int list(bool json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const PublishedResult& result : published_results()) {
    if (json) {
      all.push_back({{"id", result.id}, {"what", result.what}});
    } else {
      fmt::print("{:<15} {}\n", result.id, result.what);
    }
  }
  if (json) {
    fmt::print("{}\n",
               nlohmann::ordered_json({{"schema", 1}, {"command", "reproduce list"}, {"results", all}}).dump(2));
  }
  return 0;
}

int run(const Arguments& arguments) {
  const std::vector<const PublishedResult*> results = chosen(arguments.ids);
  if (arguments.ids.front() == "list") return list(arguments.json);
  if (!arguments.no_pictures && !has_gnuplot()) {
    throw ErrorText("pictures are drawn by gnuplot, which is not installed")
        .hint("install the Debian package gnuplot-nox, or use --no-pictures")
        .error();
  }
  OutputDirectory directory(arguments.directory);
  TestBench bench(reproduction_dim);
  const Style style(1, !arguments.no_color);
  StepProgress progress(results.size(), arguments.quiet);
  const bool all = std::find(arguments.ids.begin(), arguments.ids.end(), "all") != arguments.ids.end();
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::vector<Reproduction> reproductions(results.size());
  std::vector<PageEntry> entries;
  std::size_t passed = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const PublishedResult& result = *results[i];
    progress.begin(result.id);
    Reproduction& reproduction = reproductions[i];
    reproduction = result.reproduce(bench);
    passed += reproduction.pass() ? 1 : 0;
    const std::vector<std::string> files =
        write_figure(directory.folder(), result.id, reproduction, !arguments.no_pictures);
    entries.push_back({.id = std::string(result.id),
                       .what = std::string(result.what),
                       .reproduction = &reproduction,
                       .files = files});
    json.push_back(json_of(result, reproduction, files, directory.path()));
    if (arguments.json) continue;
    progress.clear();
    fmt::print("{}  {}\n\n", result.id, result.what);
    for (const Panel& panel : reproduction.panels) {
      if (const auto* const grid = std::get_if<Grid>(&panel)) print_grid(*grid);
    }
    print_checks(reproduction, style);
    const std::string conclusion = reproduction.conclusion();
    fmt::print("verdict: {}\n", reproduction.pass() ? conclusion : style.bad(conclusion));
    fmt::print("files: {}\n", [&] {
      std::string names;
      for (const std::string& file : files)
        names += fmt::format("{}{}/{}", names.empty() ? "" : "  ", directory.path(), file);
      return names;
    }());
    if (i + 1 < results.size()) fmt::print("\n");
  }
  progress.clear();
  if (all) write_page(directory.folder(), entries);
  directory.publish();
  if (arguments.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"schema", 1}, {"command", "reproduce"}, {"results", json}}).dump(2));
  } else if (results.size() > 1) {
    fmt::print("\n{} of {} pass{}\n", passed, results.size(),
               all ? fmt::format("; all on one page: {}/index.html", directory.path()) : "");
  }
  return passed == results.size() ? 0 : 1;
}

}  // namespace

void add_reproduce(CLI::App& app, Invocation& invocation) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* const command =
      app.add_subcommand("reproduce", "Published tables and figures, done again: data, picture, and a verdict on each");
  command->add_option("id", arguments->ids, "list, all, or the names of results")->required();
  command->add_option("-o,--output", arguments->directory, "Directory for data, pictures and page")
      ->capture_default_str();
  command->add_flag("--no-pictures", arguments->no_pictures, "Data and verdicts alone; needs no gnuplot");
  command->add_flag("--json", arguments->json, "One JSON object on standard output");
  command->add_flag("--quiet", arguments->quiet, "No progress");
  command->add_flag("--no-color", arguments->no_color, "No colours");
  command->footer(
      "Exit status 1 when a check does not hold.\n\n"
      "Examples:\n  ecube reproduce list\n  ecube reproduce nicol-fig3 jh-fig11\n  ecube reproduce all -o pages");
  command->callback([arguments, &invocation] { invocation.status = run(*arguments); });
}

}  // namespace ecube
