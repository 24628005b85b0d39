// SPDX-License-Identifier: Apache-2.0
// From circuits.csv, dark.csv and programs.csv to the data of a replay.
#include <fmt/core.h>

#include <limits>
#include <set>
#include <sstream>
#include <tuple>

#include "models/machine/error.h"
#include "testbench/report/run_data.h"
#include "testbench/trace/machine_trace.h"

namespace ecube {

namespace {

constexpr const char* circuits_name = "circuits.csv";

/// A page of so many circuits has less than 3 MB, of which ECharts takes 1.1 MB.
constexpr std::size_t most_circuits = 12'000;

/// Columns of circuits.csv by name. With more circuits than a page holds, those whose probes are driven first:
/// `complete_until` is the edge before which no probe is missing, null when every circuit is there. null without
/// circuits.csv. InputError when the file cannot be read. `with_ports`: with the inject port, which is
/// the plane, or names the channel.
Json circuits_data(const PublishedFiles& files, std::uint64_t count, bool with_ports) {
  if (!files.has(circuits_name)) return nullptr;
  std::optional<std::uint64_t> until;
  // More probes than fit are driven at the very first edge, so the page has the first circuits of the file instead.
  bool from_the_front = false;
  std::vector<std::uint64_t> probes;
  std::vector<std::string> row;
  for (TableReader all(files, circuits_name); all.next(row);) probes.push_back(all.number(row, "probe"));
  if (probes.size() > most_circuits) {
    const auto place = probes.begin() + most_circuits;
    std::nth_element(probes.begin(), place, probes.end());
    until = *place;
    from_the_front = *std::min_element(probes.begin(), place) == *place;
  }
  std::vector<const char*> names{
      "source",         "destination",        "phase", "bytes", "hops", "probe", "first_data", "tail", "receiver_ready",
      "blocked_cycles", "port_blocked_cycles"};
  if (with_ports) names.push_back("inject_port");
  Json data = {{"count", count}, {"complete_until", until ? Json(*until) : Json()}, {"columns", Json::object()}};
  Json& columns = data["columns"];
  for (const char* const name : names) columns[name] = Json::array();
  Json& grants = columns["grants"] = Json::array();
  TableReader table(files, circuits_name);
  const std::size_t grants_of_row = table.column("grants");
  for (const char* const name : names) (void)table.column(name);
  while (grants.size() < most_circuits && table.next(row)) {
    if (until && !from_the_front && table.number(row, "probe") >= *until) continue;
    for (const char* const name : names) columns[name].push_back(table.number(row, name));
    Json& edges = grants.emplace_back(Json::array());
    std::istringstream text(row[grants_of_row]);
    for (std::uint64_t edge = 0; text >> edge;) edges.push_back(edge);
  }
  return data;
}

/// Lines of dark.csv that begin to close before an edge, as lists of node, plane, mask, edges from and until, and that
/// of the ask; null without dark.csv. InputError when the file cannot be read.
Json dark_data(const PublishedFiles& files, std::uint64_t before) {
  const std::string name_of_file = "dark.csv";
  if (!files.has(name_of_file)) return nullptr;
  TableReader table(files, name_of_file);
  Json data = Json::array();
  for (std::vector<std::string> row; table.next(row);) {
    Json& line = data.emplace_back();
    for (const char* const name : {"node", "plane", "mask", "from", "until", "asked"}) {
      line.push_back(row[table.column(name)].empty() ? Json() : Json(table.number(row, name)));
    }
    if (line[5] >= before) data.erase(data.size() - 1);
  }
  return data;
}

/// programs.csv up to an edge: the names of the states, and for every node its changes as lists of edges, states,
/// phases, steps, and on planes whether node-cycles are exposed. null without programs.csv. InputError when the file
/// cannot be read.
Json programs_data(const PublishedFiles& files, std::uint64_t nodes, std::uint64_t until) {
  const std::string name_of_file = "programs.csv";
  if (!files.has(name_of_file)) return nullptr;
  TableReader table(files, name_of_file);
  (void)table.column("node");
  Json none;
  for (const char* const name : {"from", "state", "phase", "step"}) {
    (void)table.column(name);
    none[name] = Json::array();
  }
  const bool planes = std::ranges::find(table.columns, "tuning") != table.columns.end();
  if (planes) none["exposed"] = Json::array();
  Json data = {{"states", program_state_names}, {"nodes", Json::array_t(nodes, none)}};
  for (std::vector<std::string> row; table.next(row);) {
    const std::uint64_t edge = table.number(row, "from");
    if (edge >= until) break;  // in order of time
    const std::uint64_t node = table.number(row, "node");
    const std::string& state = row[table.column("state")];
    const auto name = std::find(program_state_names.begin(), program_state_names.end(), state);
    if (node >= nodes || name == program_state_names.end()) {
      throw InputError(fmt::format("{} has a node or a state that this cube does not have: {} {}",
                                   ecube::quoted(files.shown(name_of_file)), node, ecube::quoted(state)))
          .hint("run it again with this version");
    }
    Json& changes = data["nodes"][node];
    changes["from"].push_back(edge);
    changes["state"].push_back(name - program_state_names.begin());
    for (const char* const count : {"phase", "step"}) changes[count].push_back(table.number(row, count));
    if (planes) changes["exposed"].push_back(row[table.column("tuning")] == "exposed");
  }
  return data;
}

constexpr double between_pictures = 1.3;

/// "+x", "dim 2", and "x + 3" of the links of a complete dimension.
std::string name_of(const Topology& topology, unsigned output) {
  std::string name = topology.output_name(0, output);
  if (const std::size_t to = name.find(" to "); to != std::string::npos) name.replace(to, 4, " + ");
  return name;
}

}  // namespace

std::vector<std::pair<double, double>> places_of(const Topology& topology) {
  std::vector<std::pair<double, double>> places(topology.nodes());
  double width = 0;
  double height = 0;
  bool to_the_right = true;
  for (unsigned i = 0; i < topology.dimensions().size(); ++i) {
    const auto [radix, kind] = topology.dimensions()[i];
    std::pair<double, double> step = {1, 0};
    if (i == 1) step = {0, -1};
    const bool slants = i == 2 && topology.stride(2) == 4 && radix == 2;
    if (slants) step = {0.42, -0.36};
    if (i > 1 && !slants) {
      step = to_the_right ? std::pair(width + between_pictures, 0.36) : std::pair(0.4, -height - between_pictures);
      to_the_right = !to_the_right;
    }
    // The bow is across the step, and as deep for all radices.
    const double middle = (radix - 1) / 2.0;
    const double bow = radix == 2 || kind == Topology::Kind::line ? 0 : 0.35 / (middle * middle);
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      const double digit = node / topology.stride(i) % radix;
      const double across = bow * ((digit - middle) * (digit - middle) - middle * middle);
      places[node].first += digit * step.first + (i % 2 == 0 ? 0 : across);
      places[node].second += digit * step.second - (i % 2 == 0 ? across : 0);
    }
    const auto [left, right] = std::minmax_element(places.begin(), places.end());
    const auto above = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [top, bottom] = std::minmax_element(places.begin(), places.end(), above);
    width = right->first - left->first;
    height = bottom->second - top->second;
  }
  return places;
}

Json network_data(const Topology& topology, const Json& circuits, const Json& dark) {
  Json data = {{"outputs", Json::array()},
               {"links", Json::array()},
               {"places", places_of(topology)},
               {"paths", Json::array()},
               {"planes", topology.planes()}};
  for (unsigned output = 0; output < topology.outputs(); ++output) data["outputs"].push_back(name_of(topology, output));
  std::set<std::tuple<NodeId, unsigned, NodeId>> links;
  if (topology.planes() == 0) {
    for_each_link(topology, [&](LinkId link) {
      links.emplace(link.node, link.output, topology.neighbour(link.node, link.output));
    });
  }
  for (const Json& one : dark) links.emplace(one[0], one[1], one[0].get<NodeId>() ^ one[2].get<NodeId>());
  const Json columns = circuits.is_null() ? Json::object() : circuits.at("columns");
  const Json sources = columns.value("source", Json::array());
  const Json destinations = columns.value("destination", Json::array());
  const Json ports = columns.value("inject_port", Json(Json::array_t(sources.size(), 0)));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Json& path = data["paths"].emplace_back(Json::array());
    topology.along(sources[i].get<NodeId>() % topology.nodes(), destinations[i].get<NodeId>() % topology.nodes(),
                   ports[i].get<unsigned>() % topology.outputs(),
                   [&](LinkId link) { path.push_back(std::uint64_t{link.node} * topology.outputs() + link.output); });
    if (topology.planes() != 0) links.emplace(sources[i], ports[i], destinations[i]);
  }
  data["links"] = links;
  return data;
}

Json replay_data(const RunFiles& run) {
  const Machine machine = machine_of(run);
  Json data = {{"directory", run.directory}, {"command", command_of(run)}, {"summary", run.summary}};
  data["timing"] = {{"route_cycles", machine.router.route_cycles},
                    {"worms", machine.network.switching == Switching::wormhole},
                    {"accept_cycles", machine.network.accept_cycles},
                    {"phit_bytes", machine.link.phit_bytes},
                    {"phit_cycles", machine.phit_cycles().num / machine.phit_cycles().den},
                    {"buffer_phits", machine.buffer_phits()}};
  const Json& network = run.summary.at("network");
  const unsigned planes = machine.network.planes;
  const bool with_ports = planes != 0 || machine.link.channels != 1;
  data["circuits"] = circuits_data(run.files, network.value("circuits", std::uint64_t{0}), with_ports);
  data["programs"] = data["dark"] = nullptr;
  if (!data["circuits"].is_null()) {
    const Json shown = data["circuits"]["complete_until"];
    const auto until = shown.is_null() ? std::numeric_limits<std::uint64_t>::max() : shown.get<std::uint64_t>();
    data["programs"] = programs_data(run.files, run.summary.at("machine").at("nodes"), until);
    data["dark"] = dark_data(run.files, until);
  }
  Topology topology = *Topology::parse(run.summary.at("machine").at("topology").get<std::string>());
  topology =
      planes != 0 ? Topology::on_planes(topology.label_bits(), planes) : topology.with_channels(machine.link.channels);
  if (!topology.is_plain_cube()) data["network"] = network_data(topology, data["circuits"], data["dark"]);
  return data;
}

}  // namespace ecube
