// SPDX-License-Identifier: Apache-2.0
// Parameters, terms and links of two runs.
#include "testbench/report/comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "models/machine/machine_parameters.h"
#include "models/presets/settings.h"
#include "testbench/report/table_file.h"
#include "testbench/run/figures.h"

namespace ecube {

namespace {

using Json = nlohmann::ordered_json;

std::string text(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// The failures of a run, as for --fail.
std::optional<std::string> failures_in(const Json& summary) {
  if (!summary.contains("failures")) return std::nullopt;
  std::string all;
  for (const Json& failure : summary["failures"]) {
    all += (all.empty() ? "" : ",") + text(failure.at("node"));
    if (!failure.at("output").is_null()) all += ":" + text(failure.at("output"));
    all += "@" + text(failure.at("from_cycle")) + " cycles";
  }
  return all;
}

std::vector<DifferentParameter> different_parameters(const RunFiles& first, const RunFiles& second) {
  std::vector<DifferentParameter> result;
  const auto add = [&result](const std::string& key, std::optional<std::string> a, std::optional<std::string> b) {
    if (a != b) result.push_back({key, std::move(a), std::move(b)});
  };
  const auto compare_members = [&add](const Json& a, const Json& b) {
    for (const auto& [key, value] : a.items()) {
      add(key, text(value), b.contains(key) ? std::optional(text(b[key])) : std::nullopt);
    }
    for (const auto& [key, value] : b.items()) {
      if (!a.contains(key)) add(key, std::nullopt, text(value));
    }
  };
  add("command", text(first.summary.at("command")), text(second.summary.at("command")));
  compare_members(first.summary.at("machine"), second.summary.at("machine"));
  add("failures", failures_in(first.summary), failures_in(second.summary));
  compare_members(first.summary.value("workload", Json::object()), second.summary.value("workload", Json::object()));
  const Machine one = machine_of(first);
  const Machine other = machine_of(second);
  for (const Option& option : options()) {
    const auto value = [&option](const Machine& machine) -> std::optional<std::string> {
      return applies(option, machine) ? std::optional(option.write(option, machine)) : std::nullopt;
    };
    if (option.same_as.empty()) add(std::string(option.key), value(one), value(other));
  }
  return result;
}

/// The figures of a run, and the measured times of its phases, stages and steps.
std::vector<ComparedTerm> terms_of(const Json& summary) {
  std::vector<ComparedTerm> result;
  const auto add = [&result](std::string name, const Json& value, std::string_view unit, std::string member) {
    if (!value.is_number()) return;
    std::replace(name.begin(), name.end(), '_', ' ');
    result.push_back({std::move(name), unit, std::move(member), value.get<double>(), {}});
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
  return result;
}

std::vector<ComparedTerm> compared_terms(const Json& first, const Json& second) {
  std::vector<ComparedTerm> result = terms_of(first);
  for (ComparedTerm& term : terms_of(second)) {
    std::swap(term.first, term.second);
    const auto found = std::ranges::find_if(result, [&term](const auto& one) { return one.name == term.name; });
    if (found == result.end()) {
      result.push_back(std::move(term));
    } else {
      found->second = term.second;
    }
  }
  return result;
}

std::map<std::pair<std::uint64_t, std::uint64_t>, LinkFigures> links_of(const RunFiles& run) {
  constexpr std::size_t all = std::size_t{1} << 32;
  const TableFile table = read_links(run.files, all);
  const std::size_t node = table.column("node");
  const std::size_t output = table.column("output");
  const std::size_t blocked = table.column("blocked_cycles");
  const std::size_t busy = table.column("busy_cycles");
  const std::size_t bytes = table.column("bytes");
  std::map<std::pair<std::uint64_t, std::uint64_t>, LinkFigures> links;
  for (const auto& row : table.rows) {
    links[{table.number(row, node), table.number(row, output)}] = {table.number(row, blocked), table.number(row, busy),
                                                                   table.number(row, bytes)};
  }
  return links;
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

std::optional<double> ComparedTerm::change_percent() const {
  if (!first || !second || *first == 0) return std::nullopt;
  return 100.0 * (*second - *first) / *first;
}

Comparison compare(const RunFiles& first, const RunFiles& second) {
  Comparison result{.parameters = different_parameters(first, second),
                    .terms = compared_terms(first.summary, second.summary),
                    .links = {}};
  const auto before = links_of(first);
  const auto after = links_of(second);
  result.same_links = before.size() == after.size();
  if (!result.same_links) return result;
  for (const auto& [link, figures_before] : before) {
    const auto found = after.find(link);
    if (found == after.end() || found->second == figures_before) continue;
    result.links.push_back(
        {std::to_string(link.first) + ":" + std::to_string(link.second), figures_before, found->second});
  }
  result.changed_links = result.links.size();
  const auto more = [](const ComparedLink& a, const ComparedLink& b) {
    const auto key = [](const ComparedLink& link) {
      return std::pair(distance(link.first.blocked_cycles, link.second.blocked_cycles),
                       distance(link.first.busy_cycles, link.second.busy_cycles));
    };
    return key(a) > key(b);
  };
  std::stable_sort(result.links.begin(), result.links.end(), more);
  result.links.resize(std::min(result.links.size(), most_compared_links));
  return result;
}

Json comparison_json(const Comparison& comparison, const RunFiles& first, const RunFiles& second) {
  const auto optional = [](const auto& value) { return value ? Json(*value) : Json(); };
  const auto figures_json = [](const LinkFigures& link) {
    return Json({{"blocked_cycles", link.blocked_cycles}, {"busy_cycles", link.busy_cycles}, {"bytes", link.bytes}});
  };
  Json json = {{"runs", {first.directory, second.directory}}, {"parameters", Json::array()}, {"terms", Json::array()}};
  for (const DifferentParameter& one : comparison.parameters) {
    json["parameters"].push_back({{"key", one.key}, {"first", optional(one.first)}, {"second", optional(one.second)}});
  }
  for (const ComparedTerm& one : comparison.terms) {
    json["terms"].push_back({{"name", one.name},
                             {"unit", one.unit},
                             {"member", one.member},
                             {"first", optional(one.first)},
                             {"second", optional(one.second)},
                             {"change_percent", optional(one.change_percent())}});
  }
  json["same_links"] = comparison.same_links;
  json["changed_links"] = comparison.changed_links;
  json["links"] = Json::array();
  for (const ComparedLink& one : comparison.links) {
    json["links"].push_back(
        {{"link", one.link}, {"first", figures_json(one.first)}, {"second", figures_json(one.second)}});
  }
  return json;
}

}  // namespace ecube
