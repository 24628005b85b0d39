// SPDX-License-Identifier: Apache-2.0
// Names of links in a hierarchy.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace ecube {

/// A link is named by its router and its dimension, as "cube.node5.router.link2": the router's name, and the dimension.
/// Nothing if `name` is not like that.
[[nodiscard]] inline std::optional<std::pair<std::string, unsigned>> parts_of_link_name(const std::string& name) {
  const std::size_t dot = name.rfind(".link");
  if (dot == std::string::npos) return std::nullopt;
  const char* const end = name.data() + name.size();
  unsigned dimension = 0;
  const auto [parsed_to, problem] = std::from_chars(name.data() + dot + 5, end, dimension);
  if (parsed_to != end || problem != std::errc()) return std::nullopt;
  return std::pair(name.substr(0, dot), dimension);
}

}  // namespace ecube
