// SPDX-License-Identifier: Apache-2.0
// Places of nodes, links, and the ways of circuits.
#include "testbench/report/network_data.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>

namespace ecube {

namespace {

using Json = nlohmann::ordered_json;

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
  for (const Json& one : dark) {
    links.emplace(one[0], one[1], one[0].get<NodeId>() ^ one[2].get<NodeId>());
  }
  const Json none = Json::array();
  const auto column = [&](const char* name) -> const Json& {
    return circuits.is_null() ? none : circuits.at("columns").at(name);
  };
  const Json& sources = column("source");
  const Json& destinations = column("destination");
  const Json ports = circuits.is_null() || !circuits["columns"].contains("inject_port")
                         ? Json(Json::array_t(sources.size(), 0))
                         : column("inject_port");
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

}  // namespace ecube
