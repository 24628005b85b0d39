// SPDX-License-Identifier: Apache-2.0
// From circuits.csv and programs.csv to the data of a replay.
#include "testbench/report/circuit_data.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <vector>

#include "models/machine/error.h"
#include "testbench/report/table_file.h"
#include "testbench/trace/machine_trace.h"

namespace ecube {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* circuits_name = "circuits.csv";

/// A page of so many circuits has less than 3 MB, of which ECharts takes 1.1 MB.
constexpr std::size_t most_circuits = 12'000;

/// The edge before which no probe is missing on the page; nothing when all circuits fit. `from_the_front`: more probes
/// than fit are driven at the very first edge, so the page has the first circuits of the file instead.
struct Completeness {
  std::optional<std::uint64_t> until;
  bool from_the_front = false;
};

Completeness completeness_of(const PublishedFiles& files) {
  TableReader table(files, circuits_name);
  const std::size_t probe = table.column("probe");
  std::vector<std::uint64_t> probes;
  for (std::vector<std::string> row; table.next(row);) probes.push_back(table.number(row, probe));
  if (probes.size() <= most_circuits) return {};
  const auto place = probes.begin() + most_circuits;
  std::nth_element(probes.begin(), place, probes.end());
  return {.until = *place, .from_the_front = *std::min_element(probes.begin(), place) == *place};
}

}  // namespace

Json circuits_data(const PublishedFiles& files, std::uint64_t count, bool with_ports) {
  if (!files.has(circuits_name)) return nullptr;
  const auto [until, from_the_front] = completeness_of(files);
  std::vector<const char*> names{
      "source",         "destination",        "phase", "bytes", "hops", "probe", "first_data", "tail", "receiver_ready",
      "blocked_cycles", "port_blocked_cycles"};
  if (with_ports) names.push_back("inject_port");
  Json data = {{"count", count}, {"complete_until", until ? Json(*until) : Json()}, {"columns", Json::object()}};
  TableReader table(files, circuits_name);
  std::vector<std::size_t> columns(names.size());
  std::vector<Json::array_t*> values(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    columns[i] = table.column(names[i]);
    data["columns"][names[i]] = Json::array();
  }
  Json grants = Json::array();
  for (std::size_t i = 0; i < names.size(); ++i) values[i] = &data["columns"][names[i]].get_ref<Json::array_t&>();
  const std::size_t probe = table.column("probe");
  const std::size_t grant_column = table.column("grants");
  for (std::vector<std::string> row; grants.size() < most_circuits && table.next(row);) {
    if (until && !from_the_front && table.number(row, probe) >= *until) continue;
    for (std::size_t i = 0; i < names.size(); ++i) values[i]->push_back(table.number(row, columns[i]));
    Json& edges = grants.emplace_back(Json::array());
    std::istringstream text(row[grant_column]);
    for (std::uint64_t edge = 0; text >> edge;) edges.push_back(edge);
  }
  data["columns"]["grants"] = std::move(grants);
  return data;
}

Json dark_data(const PublishedFiles& files, std::uint64_t before) {
  const std::string name_of_file = "dark.csv";
  if (!files.has(name_of_file)) return nullptr;
  TableReader table(files, name_of_file);
  Json data = Json::array();
  for (std::vector<std::string> row; table.next(row);) {
    Json& line = data.emplace_back();
    for (const char* const name : {"node", "plane", "mask", "from", "until"}) {
      const std::size_t column = table.column(name);
      line.push_back(row[column].empty() ? Json() : Json(table.number(row, column)));
    }
    if (line[3] >= before) data.erase(data.size() - 1);
  }
  return data;
}

Json programs_data(const PublishedFiles& files, std::uint64_t nodes, std::uint64_t until) {
  const std::string name_of_file = "programs.csv";
  if (!files.has(name_of_file)) return nullptr;
  TableReader table(files, name_of_file);
  const std::size_t node = table.column("node");
  const std::size_t from = table.column("from");
  const std::size_t state = table.column("state");
  const std::size_t phase = table.column("phase");
  const std::size_t step = table.column("step");
  struct Changes {
    std::vector<std::uint64_t> from, state, phase, step;
  };
  std::vector<Changes> all(nodes);
  for (std::vector<std::string> row; table.next(row);) {
    const std::uint64_t edge = table.number(row, from);
    if (edge >= until) break;  // in order of time
    const std::uint64_t of = table.number(row, node);
    const auto name = std::find(program_state_names.begin(), program_state_names.end(), row[state]);
    if (of >= nodes || name == program_state_names.end()) {
      throw InputError(fmt::format("{} has a node or a state that this cube does not have: {} {}",
                                   ecube::quoted(files.shown(name_of_file)), of, ecube::quoted(row[state])))
          .hint("run it again with this version");
    }
    Changes& changes = all[of];
    changes.from.push_back(edge);
    changes.state.push_back(static_cast<std::uint64_t>(name - program_state_names.begin()));
    changes.phase.push_back(table.number(row, phase));
    changes.step.push_back(table.number(row, step));
  }
  Json data = {{"states", program_state_names}, {"nodes", Json::array()}};
  for (const Changes& changes : all) {
    data["nodes"].push_back(
        {{"from", changes.from}, {"state", changes.state}, {"phase", changes.phase}, {"step", changes.step}});
  }
  return data;
}

}  // namespace ecube
