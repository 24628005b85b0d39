// SPDX-License-Identifier: Apache-2.0
// Pages of counts.
#include "testbench/traffic/latency_counts.h"

#include <algorithm>
#include <cmath>

namespace ecube {

LatencyCounts::Page& LatencyCounts::page(std::uint64_t number) {
  if (number >= near_pages) return far_[number];
  if (number >= near_.size()) near_.resize(number + 1);
  std::unique_ptr<Page>& page = near_[number];
  if (page == nullptr) page = std::make_unique<Page>();
  return *page;
}

double LatencyCounts::mean() const {
  return messages_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(messages_);
}

Cycles LatencyCounts::quantile(double share) const {
  const auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(messages_)));
  std::uint64_t left = std::max<std::uint64_t>(rank, 1);
  const auto find = [&left](const Page& page) {
    std::size_t place = 0;
    while (place < width && page[place] < left) left -= page[place++];
    return place;
  };
  for (std::uint64_t number = 0; number < near_.size(); ++number) {
    if (near_[number] == nullptr) continue;
    if (const std::size_t place = find(*near_[number]); place < width) return number * width + place;
  }
  for (const auto& [number, page] : far_) {
    if (const std::size_t place = find(page); place < width) return number * width + place;
  }
  return 0;
}

std::size_t LatencyCounts::memory_bytes() const {
  const auto near = static_cast<std::size_t>(
      std::count_if(near_.begin(), near_.end(), [](const auto& page) { return page != nullptr; }));
  return (near + far_.size()) * sizeof(Page) + near_.capacity() * sizeof(near_[0]);
}

}  // namespace ecube
