// SPDX-License-Identifier: Apache-2.0
// Comparing two runs, edge by edge.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "testbench/router/pin_comparison.h"

namespace ecube {

namespace {

std::string text_of(const CircuitEdge& edge) {
  static constexpr std::array<std::string_view, 9> what{
      "its probe leaves",           "is granted",      "its destination accepts it",
      "its first phit leaves",      "its tail leaves", "its sender is ready",
      "its first phit has arrived", "lets go",         "its receiver is ready"};
  std::string text =
      fmt::format("cycle {}, node {}: {}", edge.cycle, edge.node, what[static_cast<std::size_t>(edge.kind)]);
  if (edge.kind == CircuitEdge::Kind::grant || edge.kind == CircuitEdge::Kind::release) {
    text += fmt::format(" output {}", edge.output);
  }
  return text;
}

}  // namespace

const std::vector<CircuitEdge>& RecordedEdges::sorted() {
  std::sort(edges_.begin(), edges_.end());
  return edges_;
}

std::optional<std::string> first_difference(RecordedEdges& event, RecordedEdges& other, const std::string& name) {
  const std::vector<CircuitEdge>& a = event.sorted();
  const std::vector<CircuitEdge>& b = other.sorted();
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (in_a == a.end() && in_b == b.end()) return std::nullopt;
  // The earlier of the two edges is the one that the other run does not have.
  const bool missing = in_b == b.end() || (in_a != a.end() && *in_a < *in_b);
  const CircuitEdge& edge = missing ? *in_a : *in_b;
  // The next edge of the same message in the run that does not have this one.
  const auto& others = missing ? b : a;
  const auto next = std::find_if(missing ? in_b : in_a, others.end(), [&edge](const CircuitEdge& one) {
    return one.source == edge.source && one.probe == edge.probe && one.port == edge.port;
  });
  const std::string instead = next == others.end() ? "nothing more of this message" : text_of(*next);
  return fmt::format("  message {}->{} with its probe at cycle {}\n  the rules:  {}\n  {}: {}\n", edge.source,
                     edge.destination, edge.probe, missing ? text_of(edge) : instead, name,
                     missing ? instead : text_of(edge));
}

}  // namespace ecube
