// SPDX-License-Identifier: Apache-2.0
#include "models/exchange/staged_search.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "models/machine/error.h"

namespace ecube {
namespace {

void require_searchable(unsigned dim) {
  if (dim <= max_staged_search_dim) return;
  throw InputError("on several ports the best partition is found by trying them all, which takes too long at --dim " +
                   std::to_string(dim))
      .valid("--dim 1 .. " + std::to_string(max_staged_search_dim) + " | --ports one");
}

/// The partition of `partitions` that takes the least time; of equals the one with fewest phases.
template <class Lengths>
const Partition& best_of(const std::vector<Partition>& partitions, BlockOrder order, const Lengths& lengths_of,
                         const ExchangeParameters& parameters, const StageOptions& options,
                         const OnTrial& on_partition = {}) {
  std::vector<std::pair<double, const Partition*>> bounds;
  for (const Partition& partition : partitions) {
    const ExchangeStages stages(partition, order);
    bounds.emplace_back(least_staged_us(stages, lengths_of(partition), parameters, options), &partition);
  }
  std::stable_sort(bounds.begin(), bounds.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const Partition* best = nullptr;
  double least = 0;
  constexpr double rounding = 1 - 1e-12;
  for (const auto& [bound, partition] : bounds) {
    if (best != nullptr && bound * rounding > least) break;
    if (on_partition) on_partition(partitions.size());
    const double us = staged_cost(*partition, lengths_of(*partition), parameters, options).total();
    const bool fewer = best != nullptr && partition->size() < best->size();
    if (best == nullptr || us < least * rounding || (us * rounding <= least && fewer)) {
      best = partition;
      least = us;
    }
  }
  return *best;
}

/// Equal parts of a hull's blocks. For parts without bytes the limit of the time is meant: lambda, not lambda0.
std::vector<double> hull_lengths(double bytes, const Partition& partition) {
  constexpr double next_to_none = 1e-9;
  const std::size_t parts = partition.size();
  return std::vector<double>(parts, std::max(bytes, next_to_none) / static_cast<double>(parts));
}

}  // namespace

Partition best_staged_partition(unsigned dim, Bytes bytes, const ExchangeParameters& parameters,
                                const StageOptions& options, const OnTrial& on_partition) {
  require_searchable(dim);
  const auto lengths = [bytes](const Partition& partition) {
    return part_lengths(bytes, static_cast<unsigned>(partition.size()));
  };
  return best_of(partitions_of(dim), options.exchange.order, lengths, parameters, options, on_partition);
}

StagedHull::StagedHull(unsigned dim, const ExchangeParameters& parameters, const StageOptions& options,
                       const OnTrial& on_size)
    : parameters_(parameters), options_(options) {
  require_searchable(dim);
  partitions_ = partitions_of(dim);
  lines_ = parameters.short_bytes == 0 && options.exchange.barrier != Barrier::step &&
           options.service.startups != Startups::queued && !options.service.ports.shared(dim);
  if (lines_) {
    follow_lines();
  } else {
    search(on_size);
  }
}

double StagedHull::us(const Partition& partition, double bytes) const {
  return staged_cost(partition, hull_lengths(bytes, partition), parameters_, options_).total();
}

const Partition& StagedHull::best_at(double bytes) const {
  const auto lengths = [bytes](const Partition& partition) { return hull_lengths(bytes, partition); };
  return best_of(partitions_, options_.exchange.order, lengths, parameters_, options_);
}

void StagedHull::follow_lines() {
  std::vector<RealHopsFace> lines;
  for (const Partition& partition : partitions_) {
    const double at_1 = us(partition, 1);
    const double slope = us(partition, 2) - at_1;
    lines.push_back({.partition = partition, .slope_us_per_byte = slope, .intercept_us = at_1 - slope});
  }
  faces_ = lower_envelope(lines);
}

void StagedHull::search(const OnTrial& on_size) {
  std::vector<double> sizes = {0, 1};
  constexpr double factor = 1.189207115002721;  // 2^(1/4)
  for (double size = factor; size < max_staged_hull_bytes; size *= factor) {
    if (std::floor(size) > sizes.back()) sizes.push_back(std::floor(size));
  }
  sizes.push_back(max_staged_hull_bytes);
  const Partition* at = &best_at(sizes.front());
  faces_.push_back({*at, 0});
  double below = 0;
  const auto narrow = [this](double low, double high, const Partition& lower, const Partition& upper,
                             const auto& self) -> void {
    if (lower == upper) return;
    if (high - low <= 1) {
      faces_.push_back({upper, high});
      return;
    }
    const double middle = std::floor((low + high) / 2);
    const Partition& between = best_at(middle);
    self(low, middle, lower, between, self);
    self(middle, high, between, upper, self);
  };
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    if (on_size) on_size(sizes.size() - 1);
    const Partition& here = best_at(sizes[i]);
    narrow(below, sizes[i], *at, here, narrow);
    at = &here;
    below = sizes[i];
  }
}

}  // namespace ecube
