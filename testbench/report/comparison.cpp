// SPDX-License-Identifier: Apache-2.0
// Parameters, terms and links of two runs.
#include "testbench/report/comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
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

/// Calls `add` with name, value, unit and member of the figures of a run, and of the measured times of its phases,
/// stages and steps.
template <typename Add>
void for_each_term(const Json& summary, const Add& add) {
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

Json compared_terms(const Json& first, const Json& second) {
  Json terms = Json::array();
  std::map<std::string, std::size_t> places;
  for (const char* const side : {"first", "second"}) {
    for_each_term(side == std::string_view("first") ? first : second, [&](std::string name, const Json& value,
                                                                          std::string_view unit,
                                                                          const std::string& member) {
      if (!value.is_number()) return;
      std::replace(name.begin(), name.end(), '_', ' ');
      const auto [place, fresh] = places.emplace(name, terms.size());
      if (fresh) {
        terms.push_back({{"name", name}, {"unit", unit}, {"member", member}, {"first", nullptr}, {"second", nullptr}});
      }
      terms[place->second][side] = value.get<double>();
    });
  }
  for (Json& term : terms) {
    const bool both = term["first"].is_number() && term["second"].is_number() && term["first"] != 0.0;
    const auto change = [&] {
      const auto before = term["first"].get<double>();
      return 100.0 * (term["second"].get<double>() - before) / before;
    };
    term["change_percent"] = both ? Json(change()) : Json();
  }
  return terms;
}

constexpr std::array<const char*, 3> link_figures{"blocked_cycles", "busy_cycles", "bytes"};
using LinkFigures = std::array<std::uint64_t, link_figures.size()>;

std::map<std::pair<std::uint64_t, std::uint64_t>, LinkFigures> links_of(const RunFiles& run) {
  constexpr std::size_t all = std::size_t{1} << 32;
  const TableFile table = read_links(run.files, all);
  std::map<std::pair<std::uint64_t, std::uint64_t>, LinkFigures> links;
  for (const auto& row : table.rows) {
    const auto number = [&](const char* column) { return table.number(row, table.column(column)); };
    LinkFigures& figures = links[{number("node"), number("output")}];
    std::transform(link_figures.begin(), link_figures.end(), figures.begin(), number);
  }
  return links;
}

/// A link with its figures in both runs.
struct ChangedLink {
  std::string name;  ///< "7:1"
  LinkFigures before;
  LinkFigures after;

  /// By how much its blocked and its busy cycles changed.
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

}  // namespace ecube
