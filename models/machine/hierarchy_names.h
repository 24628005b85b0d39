// SPDX-License-Identifier: Apache-2.0
// How much of a cube is SystemC modules, and the names of its parts, used by its modules, waveforms and statistics.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "models/machine/cube.h"
#include "models/machine/spelling.h"

namespace ecube {

/// full: an sc_module for every node and router. flat: the cube alone. Cycles are the same.
enum class Hierarchy : std::uint8_t { full, flat };

/// Above this dimension Hierarchy::full costs more memory than the machine itself, and `auto` means flat.
inline constexpr unsigned max_auto_full_dim = 14;

/// For a cube named `cube`: "cube.node5", "cube.node5.router", "cube.node5.router.link2".
class HierarchyNames {
 public:
  /// Test benches call the machine that they run `cube`.
  explicit HierarchyNames(std::string cube = "cube") : cube_(std::move(cube)) {}

  [[nodiscard]] const std::string& cube() const { return cube_; }
  [[nodiscard]] std::string node(NodeId node) const { return cube_ + "." + part_of_node(node); }
  [[nodiscard]] std::string program(NodeId node) const { return this->node(node) + ".program"; }
  [[nodiscard]] std::string router(NodeId node) const { return this->node(node) + "." + router_part; }
  /// A link or an eject port of a router that has so many links.
  [[nodiscard]] std::string output(NodeId node, unsigned output, unsigned links) const {
    return router(node) + "." + part_of_output(output, links);
  }

  // The last parts of these names.
  static constexpr const char* router_part = "router";
  [[nodiscard]] static std::string part_of_node(NodeId node) { return "node" + std::to_string(node); }
  [[nodiscard]] static std::string part_of_output(unsigned output, unsigned links) {
    return output < links ? "link" + std::to_string(output) : "eject" + std::to_string(output - links);
  }

 private:
  std::string cube_;
};

/// The router's name and the dimension in the name of a link; empty if `name` is not the name of a link.
[[nodiscard]] inline std::optional<std::pair<std::string, unsigned>> parts_of_link_name(const std::string& name) {
  const std::size_t dot = name.rfind(".link");
  if (dot == std::string::npos) return std::nullopt;
  const auto dimension = whole_number(std::string_view(name).substr(dot + 5));
  if (!dimension || *dimension > std::numeric_limits<unsigned>::max()) return std::nullopt;
  return std::pair(name.substr(0, dot), static_cast<unsigned>(*dimension));
}

}  // namespace ecube
