// SPDX-License-Identifier: Apache-2.0
// From rows to locations.
#include "models/shuffle_plan.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace ecube {

std::uint64_t ShufflePlan::control_mask() const {
  std::uint64_t mask = 0;
  for (const Constituent& constituent : constituents_) mask |= std::uint64_t{1} << constituent.control;
  return mask;
}

std::uint64_t ShufflePlan::deposit(std::uint64_t rest, std::uint32_t controls) const {
  for (std::size_t j = 0; j < constituents_.size(); ++j) {
    rest |= std::uint64_t{controls >> j & 1U} << constituents_[j].control;
  }
  return rest;
}

std::uint32_t ShufflePlan::controls_of(std::uint64_t slot) const {
  std::uint32_t controls = 0;
  for (std::size_t j = 0; j < constituents_.size(); ++j) {
    controls |= static_cast<std::uint32_t>(slot >> constituents_[j].control & 1U) << j;
  }
  return controls;
}

bool ShufflePlan::odd_complements(std::uint32_t constituent, std::uint32_t from, std::uint32_t to) const {
  bool odd = false;
  for (std::uint32_t i = from; i <= to; ++i) odd ^= constituents_[constituent].complement[i - 1];
  return odd;
}

std::uint32_t ShufflePlan::parities(NodeId node) const {
  std::uint32_t parities = 0;
  for (std::size_t j = 0; j < constituents_.size(); ++j) {
    parities |= (hops(node & masks_[j], 0) & 1U) << j;
  }
  return parities;
}

std::uint64_t ShufflePlan::address(std::uint64_t slot, std::uint32_t parities, bool synchronised) const {
  const std::uint32_t controls = controls_of(slot) ^ parities;
  const std::uint64_t rest = slot & ~control_mask();
  if (in_set_[slot] == 0) return deposit(rest, controls);
  const InSet& set = sets_[in_set_[slot] - 1];
  if (synchronised) return deposit(rest, controls);
  // Aligned is v in the place of a_0.
  const bool odd = (parities >> set.constituent & 1U) != 0;
  return deposit(odd ? set.other : rest, controls ^ (odd ? std::uint32_t{1} << set.constituent : 0U));
}

std::uint64_t ShufflePlan::final_address(std::uint64_t slot, std::uint32_t parities) const {
  std::uint32_t controls = controls_of(slot) ^ parities;
  const std::uint64_t rest = slot & ~control_mask();
  const InSet* const set = in_set_[slot] == 0 ? nullptr : &sets_[in_set_[slot] - 1];
  for (std::uint32_t j = 0; j < constituents_.size(); ++j) {
    if (set != nullptr && set->constituent == j) continue;
    if (all_odd_[j]) controls ^= std::uint32_t{1} << j;
  }
  if (set == nullptr) return deposit(rest, controls);
  // v and a_0 have changed places: what stood for v belongs to a_0.
  const std::uint32_t bit = std::uint32_t{1} << set->constituent;
  const bool v = ((controls & bit) != 0) != set->counts_a;
  const bool a = (set->v != 0) != set->counts_v;
  controls = (controls & ~bit) | (a ? bit : 0U);
  return deposit(v == (set->v != 0) ? rest : set->other, controls);
}

ShufflePlan::ShufflePlan(std::vector<Constituent> constituents, std::uint64_t elements, std::uint32_t packet,
                         const RowSchedule& schedule)
    : constituents_(std::move(constituents)), elements_(elements), in_set_(elements, 0) {
  const auto beta = static_cast<std::uint32_t>(constituents_.size());
  const std::uint32_t patterns = std::uint32_t{1} << (beta - 1);
  const std::uint32_t all = 2 * patterns - 1;
  for (const Constituent& constituent : constituents_) {
    NodeId mask = 0;
    for (const unsigned dim : constituent.dims) mask |= NodeId{1} << dim;
    masks_.push_back(mask);
  }
  for (std::uint32_t j = 0; j < beta; ++j) all_odd_.push_back(odd_complements(j, 1, constituents_[j].order()));

  std::vector<std::uint64_t> rests;  // local addresses with control bits 0
  const std::uint64_t mask = control_mask();
  for (std::uint64_t address = 0; address < elements; ++address) {
    if ((address & mask) == 0) rests.push_back(address);
  }
  // A row is {controls, all controls complemented} of one rest; the pattern is the one of the two whose last bit is 0.
  const auto canonical = [&](std::uint32_t controls) { return controls < patterns ? controls : controls ^ all; };
  std::vector<std::vector<bool>> used(rests.size(), std::vector<bool>(patterns, false));
  const auto pair_of = [&](std::uint64_t slot_a, std::uint64_t slot_b, bool a_is_1) {
    return a_is_1 ? SlotPair{{slot_b, slot_a}} : SlotPair{{slot_a, slot_b}};
  };

  // Sets take two rests, v = 0 and v = 1, and in them the rows that differ in the controls of the other constituents.
  std::vector<std::vector<std::array<std::uint64_t, 4>>> set_slots(schedule.sets.size());  // [set][pair][2 v + a]
  std::size_t from = 0;
  for (std::size_t number = 0; number < schedule.sets.size(); ++number) {
    const std::uint32_t j = schedule.sets[number].constituent;
    const std::uint32_t bit = std::uint32_t{1} << j;
    const std::uint32_t order = constituents_[j].order();
    const std::uint32_t start = schedule.sets[number].start;
    for (std::size_t pair = from; pair + 1 < rests.size() && set_slots[number].size() < packet; pair += 2) {
      for (std::uint32_t pattern = 0; pattern < patterns && set_slots[number].size() < packet; ++pattern) {
        const std::uint32_t at_0 = (pattern & bit) != 0 ? pattern ^ all : pattern;  // with a_j = 0, v = 0
        const std::uint32_t at_1 = at_0 ^ all ^ bit;                                // with a_j = 0, v = 1
        if (used[pair][canonical(at_0)] || used[pair + 1][canonical(at_1)]) continue;
        used[pair][canonical(at_0)] = used[pair + 1][canonical(at_1)] = true;
        const std::array<std::uint64_t, 4> slots = {deposit(rests[pair], at_0), deposit(rests[pair], at_0 ^ all),
                                                    deposit(rests[pair + 1], at_1),
                                                    deposit(rests[pair + 1], at_1 ^ all)};
        for (std::size_t i = 0; i < slots.size(); ++i) {
          sets_.push_back({.constituent = j,
                           .v = static_cast<std::uint8_t>(i / 2),
                           .counts_v = odd_complements(j, start + 1, order),
                           .counts_a = odd_complements(j, 1, start),
                           .other = rests[i < 2 ? pair + 1 : pair]});
          in_set_[slots[i]] = static_cast<std::uint32_t>(sets_.size());
        }
        set_slots[number].push_back(slots);
      }
    }
    if (set_slots[number].size() < packet) throw std::logic_error("too few locations for the sets of a schedule");
  }
  std::vector<std::array<std::uint64_t, 2>> plain;
  for (std::size_t rest = 0; rest < rests.size(); ++rest) {
    for (std::uint32_t pattern = 0; pattern < patterns; ++pattern) {
      if (!used[rest][pattern]) plain.push_back({deposit(rests[rest], pattern), deposit(rests[rest], pattern ^ all)});
    }
  }

  steps_.resize(schedule.steps);
  std::size_t next = 0;
  for (const ScheduleRow& row : schedule.rows) {
    const SpecialSet* const set = row.set ? &schedule.sets[*row.set] : nullptr;
    const std::size_t count = set != nullptr ? packet : std::min<std::size_t>(packet, plain.size() - next);
    std::uint32_t flips[2] = {0, 0};  // bit j: an odd number of complements so far with a_0, with v
    for (const RowEntry& entry : row.entries) {
      const std::uint32_t j = entry.constituent;
      const Constituent& constituent = constituents_[j];
      const bool after = set != nullptr && entry.step > set->sync_after;
      if (constituent.complement[entry.index - 1] && !entry.fresh) flips[entry.extra ? 1 : 0] ^= std::uint32_t{1} << j;
      ShuffleExchange exchange{.constituent = j,
                               .dim = constituent.dims[entry.index - 1],
                               .flip = (flips[entry.extra ? 1 : 0] >> j & 1U) != 0,
                               .synchronised = after,
                               .first = static_cast<std::uint32_t>(pairs_.size()),
                               .count = static_cast<std::uint32_t>(count)};
      for (std::size_t i = 0; i < count; ++i) {
        if (set == nullptr) {
          const auto& slots = plain[next + i];
          pairs_.push_back(pair_of(slots[0], slots[1], (slots[0] >> constituent.control & 1U) != 0));
          continue;
        }
        const auto& slots = set_slots[*row.set][i];
        const std::size_t half = row.half;
        const std::uint64_t low = after ? slots[2 * half] : slots[half];
        const std::uint64_t high = after ? slots[2 * half + 1] : slots[2 + half];
        const bool swapped = !entry.extra && (low >> constituent.control & 1U) != 0;
        pairs_.push_back(pair_of(low, high, swapped));
      }
      steps_[entry.step - 1].exchanges.push_back(exchange);
    }
    if (set == nullptr) next += count;
  }
  for (std::size_t number = 0; number < schedule.sets.size(); ++number) {
    const SpecialSet& set = schedule.sets[number];
    for (const auto& slots : set_slots[number]) {
      steps_[set.sync_after - 1].synchronisations.push_back(
          {.constituent = set.constituent, .slot = {{slots[0], slots[1]}, {slots[2], slots[3]}}});
    }
  }
}

std::uint64_t ShufflePlan::elements_in_sequence() const {
  std::uint64_t sum = 0;
  for (const ShuffleStep& step : steps_) {
    std::uint32_t longest = 0;
    for (const ShuffleExchange& exchange : step.exchanges) longest = std::max(longest, exchange.count);
    sum += longest;
  }
  return sum;
}

}  // namespace ecube
