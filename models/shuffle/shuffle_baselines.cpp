// SPDX-License-Identifier: Apache-2.0
// Dimension permutations as products.
#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <span>

#include "models/machine/error.h"
#include "models/shuffle/dimension_permutation.h"

namespace ecube {
namespace {

using Cycle = DimensionPermutation::Cycle;

/// Adds to `rounds` the exchanges that shift the values of `part` by one place to the left, the first to the last
/// place. Returns the number of rounds that they take.
std::size_t shift(std::span<const AddressDimension> part, std::vector<std::vector<Cycle>>& rounds) {
  if (part.size() < 2) return 0;
  const std::size_t half = std::bit_ceil(part.size()) / 2;
  const std::size_t round = std::max(shift(part.first(half), rounds), shift(part.subspan(half), rounds));
  if (rounds.size() <= round) rounds.resize(round + 1);
  rounds[round].push_back({part[half - 1], part.back()});
  return round + 1;
}

}  // namespace

std::vector<DimensionPermutation> transpositions(const DimensionPermutation& permutation) {
  std::vector<std::vector<Cycle>> rounds;
  std::vector<AddressDimension> alone;  // complemented, but not moved
  for (const Cycle& cycle : permutation.cycles()) {
    shift(cycle, rounds);
    if (cycle.size() == 1) alone.push_back(cycle.front());
  }
  if (rounds.empty() && !alone.empty()) rounds.emplace_back();
  if (!rounds.empty()) {
    for (const AddressDimension& dimension : alone) rounds.front().push_back({dimension});
  }
  // A dimension is complemented when it has received its value: in the last round in which it takes part.
  std::vector<DimensionPermutation> result;
  std::vector<AddressDimension> seen;
  for (std::size_t round = rounds.size(); round-- > 0;) {
    std::vector<AddressDimension> complemented;
    for (const Cycle& pair : rounds[round]) {
      for (const AddressDimension& dimension : pair) {
        if (std::find(seen.begin(), seen.end(), dimension) != seen.end()) continue;
        seen.push_back(dimension);
        if (permutation.complements(dimension)) complemented.push_back(dimension);
      }
    }
    result.emplace_back(rounds[round], complemented);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::vector<DimensionPermutation> two_aapcs(const DimensionPermutation& permutation, std::uint64_t elements) {
  std::vector<AddressDimension> moved;
  std::vector<bool> taken(max_storage_dimensions, false);
  std::vector<AddressDimension> complemented;
  for (const AddressDimension& dimension : permutation.dimensions()) {
    if (dimension.storage) {
      taken[dimension.bit] = true;
    } else {
      moved.push_back(dimension);
    }
    if (permutation.complements(dimension)) complemented.push_back(dimension);
  }
  std::vector<Cycle> first;  // {processor dimension, the storage dimension that keeps its value}
  for (unsigned bit = 0; bit < max_storage_dimensions && first.size() < moved.size(); ++bit) {
    if (elements % (std::uint64_t{2} << bit) != 0) break;
    if (!taken[bit]) first.push_back({moved[first.size()], AddressDimension{.storage = true, .bit = bit}});
  }
  if (first.size() < moved.size()) {
    const auto used = static_cast<unsigned>(std::count(taken.begin(), taken.end(), true));
    throw InputError("two all-to-all communications of " + std::to_string(moved.size()) +
                     " processor dimensions need as many storage dimensions that are in no cycle; --elements " +
                     std::to_string(elements) + " have " + std::to_string(first.size()))
        .valid("--elements as a multiple of 2^" + std::to_string(moved.size() + used));
  }
  // After the first permutation v_j holds the value of p_j, and p_j that of v_j. Sources of the second permutation:
  //   s_k for a dimension that takes the value of s_k
  //   v_j for a dimension that takes the value of p_j
  //   p_i for v_i, which takes its own value back
  std::map<AddressDimension, AddressDimension> kept;
  std::map<AddressDimension, AddressDimension> sources;
  for (const Cycle& pair : first) {
    kept[pair[0]] = pair[1];
    sources[pair[1]] = pair[0];
  }
  for (const Cycle& cycle : permutation.cycles()) {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const AddressDimension& source = cycle[(i + 1) % cycle.size()];
      sources[cycle[i]] = source.storage ? source : kept.at(source);
    }
  }
  std::vector<AddressDimension> begins = moved;
  for (const AddressDimension& dimension : permutation.dimensions()) begins.push_back(dimension);
  std::vector<Cycle> second;
  std::set<AddressDimension> done;
  for (const AddressDimension& begin : begins) {
    if (done.contains(begin)) continue;
    Cycle& cycle = second.emplace_back();
    for (AddressDimension at = begin; done.insert(at).second; at = sources.at(at)) cycle.push_back(at);
  }
  std::vector<DimensionPermutation> result;
  result.emplace_back(first, std::vector<AddressDimension>{});
  result.emplace_back(second, complemented);
  return result;
}

}  // namespace ecube
