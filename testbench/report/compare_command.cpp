// SPDX-License-Identifier: Apache-2.0
// Two runs: parameters, terms and links that differ, and these on the terminal.
#include <fmt/core.h>

#include <cmath>

#include "models/machine/machine_parameters.h"
#include "testbench/report/run_data.h"
#include "testbench/run/commands.h"
#include "testbench/run/figures.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

std::string text(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// The failures of a run, as for --fail.
Json failures_in(const Json& summary) {
  if (!summary.contains("failures")) return nullptr;
  std::string all;
  for (const Json& failure : summary["failures"]) {
    all += (all.empty() ? "" : ",") + text(failure.at("node"));
    if (!failure.at("output").is_null()) all += ":" + text(failure.at("output"));
    all += "@" + text(failure.at("from_cycle")) + " cycles";
  }
  return all;
}

Json different_parameters(const RunFiles& first, const RunFiles& second) {
  Json result = Json::array();
  const auto add = [&result](const std::string& key, const Json& a, const Json& b) {
    if (a != b) result.push_back({{"key", key}, {"first", a}, {"second", b}});
  };
  const auto compare_members = [&add](const Json& a, const Json& b) {
    for (const auto& [key, value] : a.items()) add(key, text(value), b.contains(key) ? Json(text(b[key])) : Json());
    for (const auto& [key, value] : b.items()) {
      if (!a.contains(key)) add(key, nullptr, text(value));
    }
  };
  add("command", first.summary.at("command"), second.summary.at("command"));
  compare_members(first.summary.at("machine"), second.summary.at("machine"));
  add("failures", failures_in(first.summary), failures_in(second.summary));
  compare_members(first.summary.value("workload", Json::object()), second.summary.value("workload", Json::object()));
  const Machine one = machine_of(first);
  const Machine other = machine_of(second);
  for (const Option& option : options()) {
    const auto value = [&option](const Machine& machine) {
      return applies(option, machine) ? Json(option.write(option, machine)) : Json();
    };
    if (option.same_as.empty()) add(std::string(option.key), value(one), value(other));
  }
  return result;
}

/// The figures of two runs, and the measured times of their phases, stages and steps.
Json compared_terms(const Json& first, const Json& second) {
  Json terms = Json::array();
  std::map<std::string, std::size_t> places;
  for (const char* const side : {"first", "second"}) {
    const Json& summary = side == std::string_view("first") ? first : second;
    const auto add = [&](std::string name, const Json& value, std::string_view unit, const std::string& member) {
      if (!value.is_number()) return;
      std::replace(name.begin(), name.end(), '_', ' ');
      const auto [place, fresh] = places.emplace(name, terms.size());
      if (fresh) {
        terms.push_back({{"name", name}, {"unit", unit}, {"member", member}, {"first", nullptr}, {"second", nullptr}});
      }
      terms[place->second][side] = value.get<double>();
    };
    for (const Figure& figure : figures()) {
      add(std::string(figure.column), value_in(summary, figure), figure.unit, std::string(figure.member));
    }
    for (const auto& [member, singular] :
         {std::pair("phases", "phase"), std::pair("stages", "stage"), std::pair("steps", "step")}) {
      const Json parts = summary.value(member, Json::array());
      for (std::size_t i = 0; i < parts.size(); ++i) {
        add(fmt::format("{} {} measured us", singular, i + 1), parts[i].value("measured_us", Json()), "us",
            fmt::format("{}[{}].measured_us", member, i));
      }
    }
  }
  for (Json& term : terms) {
    const Json before = term["first"];
    const Json after = term["second"];
    Json& change = term["change_percent"];
    if (!before.is_number() || !after.is_number() || before == 0.0) continue;
    change = 100.0 * (after.get<double>() - before.get<double>()) / before.get<double>();
  }
  return terms;
}

constexpr std::array<const char*, 3> link_figures{"blocked_cycles", "busy_cycles", "bytes"};
using LinkFigures = std::array<std::uint64_t, link_figures.size()>;

std::map<std::pair<std::uint64_t, std::uint64_t>, LinkFigures> links_of(const RunFiles& run) {
  TableReader table(run.files, "links.csv");
  std::map<std::pair<std::uint64_t, std::uint64_t>, LinkFigures> links;
  for (std::vector<std::string> row; table.next(row);) {
    const auto number = [&](const char* column) { return table.number(row, column); };
    LinkFigures& figures = links[{number("node"), number("output")}];
    std::transform(link_figures.begin(), link_figures.end(), figures.begin(), number);
  }
  return links;
}

struct ChangedLink {
  std::string name;  ///< "7:1"
  LinkFigures before;
  LinkFigures after;

  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> change() const {
    const auto distance = [this](std::size_t i) {
      return std::max(before[i], after[i]) - std::min(before[i], after[i]);
    };
    return {distance(0), distance(1)};
  }
};

Json figures_json(const LinkFigures& figures) {
  Json json;
  for (std::size_t i = 0; i < figures.size(); ++i) json[link_figures[i]] = figures[i];
  return json;
}

struct CompareArguments {
  std::string first;
  std::string second;
  std::vector<std::string> more;
  bool json = false;
};

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
  fmt::print("\n{:<32}", title);
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
    for (std::size_t i = 0; i < runs.size(); ++i) fmt::print("{}: {}\n", i + 1, command_of(runs[i]));
    print_differences("parameter", comparisons, "parameters", "key", "as 1");
    print_differences("term", comparisons, "terms", "name", "-");
  }
  return 0;
}

}  // namespace

Json compare(const RunFiles& first, const RunFiles& second) {
  const auto before = links_of(first);
  const auto after = links_of(second);
  const bool same = before.size() == after.size();
  std::vector<ChangedLink> changed;
  for (const auto& [link, figures] : before) {
    const auto found = after.find(link);
    if (!same || found == after.end() || found->second == figures) continue;
    changed.push_back({fmt::format("{}:{}", link.first, link.second), figures, found->second});
  }
  std::ranges::stable_sort(changed, std::greater(), &ChangedLink::change);
  Json json = {{"runs", {first.directory, second.directory}},
               {"parameters", different_parameters(first, second)},
               {"terms", compared_terms(first.summary, second.summary)},
               {"same_links", same},
               {"changed_links", changed.size()},
               {"links", Json::array()}};
  constexpr std::size_t most_compared_links = 20;
  changed.resize(std::min(changed.size(), most_compared_links));
  for (const ChangedLink& one : changed) {
    json["links"].push_back(
        {{"link", one.name}, {"first", figures_json(one.before)}, {"second", figures_json(one.after)}});
  }
  return json;
}

void add_compare(Command& app, Invocation& invocation) {
  const auto [command, arguments] = add_action<CompareArguments>(
      app, invocation, "compare", "Two runs: what differs, term by term, link by link", compare_runs);
  command.add_option("first", arguments.first, "Run directory (run ... -o DIR)", {.required = true});
  command.add_option("second", arguments.second, "Run directory", {.required = true});
  command.add_option("more", arguments.more,
                     "Further run directories; of three runs and more only differences are shown");
  command.add_flag("--json", arguments.json, "One JSON object on standard output");
}

}  // namespace ecube
