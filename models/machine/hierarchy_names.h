// SPDX-License-Identifier: Apache-2.0
// How much of a cube is SystemC modules, and the names of its parts, used by its modules, waveforms and statistics.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "models/machine/cube.h"

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

  /// The link that has this name at a router with so many links; empty where none has.
  [[nodiscard]] std::optional<LinkId> link(const std::string& name, unsigned links) const {
    const auto number_behind = [&name](const char* part) {
      const std::size_t at = name.rfind(part) + std::string(part).size();
      return static_cast<unsigned>(at < name.size() ? std::strtoul(name.c_str() + at, nullptr, 10) : 0);
    };
    // Whatever is read: only the name of a link is the name that these numbers make.
    const LinkId link{number_behind(".node"), number_behind(".link")};
    return output(link.node, link.output, links) == name && link.output < links ? std::optional(link) : std::nullopt;
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

}  // namespace ecube
