// SPDX-License-Identifier: Apache-2.0
// How many messages had each latency.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "models/machine/cube.h"

namespace ecube {

/// A count for every latency in cycles, from which mean and percentiles follow exactly. Memory grows with the spread of
/// the latencies, not with the number of messages.
class LatencyCounts {
 public:
  void add(Cycles latency) {
    const std::uint64_t number = latency / width;
    Page* const known = number < near_.size() ? near_[number].get() : nullptr;
    ++(known != nullptr ? *known : page(number))[latency % width];
    ++messages_;
    sum_ += latency;
    max_ = std::max(max_, latency);
  }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  /// 0 without messages, as the other figures.
  [[nodiscard]] double mean() const;
  [[nodiscard]] Cycles max() const { return max_; }
  /// The smallest latency that this share of the messages does not exceed.
  [[nodiscard]] Cycles quantile(double share) const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t width = 512;
  using Page = std::array<std::uint64_t, width>;  ///< counts of so many latencies, one after the other

  [[nodiscard]] Page& page(std::uint64_t number);  ///< made, if there is none

  /// Most latencies are near one another: their pages are found by number, all others in the map.
  static constexpr std::uint64_t near_pages = 4096;
  std::vector<std::unique_ptr<Page>> near_;
  std::map<std::uint64_t, Page> far_;
  std::uint64_t messages_ = 0;
  std::uint64_t sum_ = 0;
  Cycles max_ = 0;
};

}  // namespace ecube
