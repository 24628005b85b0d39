// SPDX-License-Identifier: Apache-2.0
// A row of the table points, and its checksum.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ecube {

/// A row of the table points.
struct StoredPoint {
  std::int64_t number = 0;
  std::string id{};
  std::string status{};                ///< done or failed
  std::optional<std::string> error{};  ///< of a failed one
  std::string axis{};                  ///< JSON: value by key
  std::int64_t seed = 0;
  std::int64_t repetition = 0;
  std::string arguments{};  ///< JSON
  double wall_s = 0;
  std::optional<std::string> result{};  ///< JSON, of a done one

  [[nodiscard]] bool done() const { return status == "done"; }
};

/// 32 hexadecimal digits, a hash of all columns of the row. The checksum finds bits that have changed by accident. It
/// does not find changes on purpose: anybody can compute it.
[[nodiscard]] std::string checksum(const StoredPoint& point);

}  // namespace ecube
