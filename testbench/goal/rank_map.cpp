// SPDX-License-Identifier: Apache-2.0
// Ranks on nodes, by word or file.
#include "testbench/goal/rank_map.h"

#include <fmt/core.h>

#include <numeric>

#include "testbench/text/number_line.h"

namespace ecube {

namespace {

std::vector<NodeId> read_map(const std::string& file, std::size_t ranks, NodeId last) {
  constexpr std::string_view words = "number | gray | a file with the node of rank 0, 1, .. in its lines";
  std::istringstream stream = open_text(file, "map of ranks", words);
  std::vector<NodeId> nodes;
  std::vector<bool> taken(std::size_t{last} + 1, false);
  std::string text;
  for (std::uint32_t number = 1; std::getline(stream, text); ++number) {
    NumberLine line(text, {.where = file, .line = number, .text = text}, "the node of one rank, as 5");
    if (line.blank()) continue;
    const auto node = static_cast<NodeId>(line.number("node", last));
    if (taken[node]) line.refuse(fmt::format("node {} has a rank already", node), "one rank for each node");
    if (nodes.size() == ranks) line.refuse(fmt::format("the schedule has {} ranks", ranks), "one line for each rank");
    line.end("one");
    taken[node] = true;
    nodes.push_back(node);
  }
  if (nodes.size() < ranks) {
    throw InputError(fmt::format("{} has nodes for {} of {} ranks", ecube::quoted(file), nodes.size(), ranks))
        .hint("one line for each rank");
  }
  return nodes;
}

}  // namespace

std::vector<NodeId> nodes_of_ranks(const std::string& map, std::size_t ranks, const Topology& topology) {
  if (map != "number" && map != "gray") return read_map(map, ranks, topology.nodes() - 1);
  std::vector<NodeId> nodes(ranks);
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  if (map == "gray") {
    if (!topology.is_cube()) {
      throw InputError("--map gray is the gray code of a cube, and this is " + topology.name())
          .valid("--map number | --map FILE");
    }
    for (NodeId& node : nodes) node ^= node >> 1;
  }
  return nodes;
}

double mean_hops(const GoalSchedule& schedule, const Topology& topology, const std::vector<NodeId>& node_of) {
  std::uint64_t messages = 0;
  std::uint64_t hops = 0;
  for (std::size_t rank = 0; rank < schedule.ranks(); ++rank) {
    for (std::uint32_t i = schedule.first[rank]; i < schedule.first[rank + 1]; ++i) {
      const GoalOperation& one = schedule.operations[i];
      if (one.kind != GoalKind::send) continue;
      ++messages;
      hops += topology.hops(node_of[rank], node_of[one.peer]);
    }
  }
  return messages == 0 ? 0 : static_cast<double>(hops) / static_cast<double>(messages);
}

}  // namespace ecube
