// SPDX-License-Identifier: Apache-2.0
// From the rows of a schedule to locations, and from the slots of 2-cycles to packets and hops.
#include "models/shuffle/shuffle_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <utility>

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

std::uint32_t ShufflePlan::odd_complements(std::uint32_t constituent, std::uint32_t count) const {
  const std::vector<bool>& complement = constituents_[constituent].complement;
  return static_cast<std::uint32_t>(std::count(complement.begin(), complement.begin() + count, true) % 2)
         << constituent;
}

std::uint32_t ShufflePlan::parities(NodeId node) const {
  std::uint32_t parities = 0;
  for (std::size_t j = 0; j < constituents_.size(); ++j) {
    parities |= (hops(node & masks_[j], 0) & 1U) << j;
  }
  return parities;
}

std::uint64_t ShufflePlan::rest_for(const InSet& set, std::uint64_t rest, std::uint32_t v) const {
  return std::bit_width(v ^ set.v) == std::bit_width(set.constituents) ? set.other : rest;
}

std::uint64_t ShufflePlan::address(std::uint64_t slot, std::uint32_t parities, bool synchronised) const {
  const std::uint32_t controls = controls_of(slot);
  const std::uint64_t rest = slot & ~control_mask();
  if (in_set_[slot] == 0 || synchronised) return deposit(rest, controls ^ parities);
  // In a set, v is aligned in place of a_0.
  const InSet& set = sets_[in_set_[slot] - 1];
  const std::uint32_t odd = parities & set.constituents;
  return deposit(rest_for(set, rest, set.v ^ odd), controls ^ parities ^ odd);
}

std::uint64_t ShufflePlan::final_address(std::uint64_t slot, std::uint32_t parities) const {
  const std::uint32_t controls = controls_of(slot) ^ parities;
  const std::uint64_t rest = slot & ~control_mask();
  if (in_set_[slot] == 0) return deposit(rest, controls ^ all_odd_);
  // v and a_0 have changed places: the value for v belongs to a_0.
  const InSet& set = sets_[in_set_[slot] - 1];
  const std::uint32_t mask = set.constituents;
  const std::uint32_t v = (controls ^ set.counts_a) & mask;
  const std::uint32_t a = (set.v ^ set.counts_a ^ all_odd_) & mask;
  return deposit(rest_for(set, rest, v), ((controls ^ all_odd_) & ~mask) | a);
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
  for (std::uint32_t j = 0; j < beta; ++j) all_odd_ |= odd_complements(j, constituents_[j].order());

  std::vector<std::uint64_t> rests;  // local addresses with control bits 0
  const std::uint64_t mask = control_mask();
  for (std::uint64_t address = 0; address < elements; ++address) {
    if ((address & mask) == 0) rests.push_back(address);
  }
  // A row is a pair {controls, all controls complemented} of one rest; its pattern is the smaller of the two.
  const auto canonical = [&](std::uint32_t controls) { return controls < patterns ? controls : controls ^ all; };
  std::vector<std::vector<bool>> used(rests.size(), std::vector<bool>(patterns, false));

  // A set takes two rests, for v = 0 and v = 1 (for AAPC, for the highest bit of v = 0 and 1). Sets in which one
  // constituent starts elsewhere share two rests: each takes the rows with other controls of the other constituents.
  // One of AAPC takes all rows, by lanes.
  std::vector<std::vector<SetLocations>> set_slots(schedule.sets.size());  // [set][pair]
  for (std::size_t number = 0; number < schedule.sets.size(); ++number) {
    const SpecialSet& set = schedule.sets[number];
    const std::uint32_t bits = set.constituents;
    const bool one = std::has_single_bit(bits);
    std::uint32_t counts_a = 0;
    for (std::uint32_t j = 0; j < beta; ++j) {
      if ((bits >> j & 1U) != 0) counts_a |= odd_complements(j, set.start);
    }
    for (std::size_t pair = 0; pair + 1 < rests.size() && set_slots[number].size() < packet; pair += 2) {
      for (std::uint32_t pattern = 0; pattern < patterns && set_slots[number].size() < packet; ++pattern) {
        const std::uint32_t at_0 = (pattern & bits) != 0 ? pattern ^ all : pattern;  // with a_j = 0, v = 0
        const std::uint32_t at_1 = at_0 ^ all ^ bits;                                // with a_j = 0, v = 1
        if (used[pair][canonical(at_0)] || used[pair + 1][canonical(at_1)]) continue;
        SetLocations& slots = set_slots[number].emplace_back(one ? 4 : std::size_t{4} * patterns);
        for (std::uint32_t at = 0; at < slots.size(); ++at) {
          const std::uint32_t lane = at / 4;
          const std::uint32_t v = at / 2 % 2;
          const std::uint32_t controls = (v != 0 ? at_1 : at_0) ^ lane;
          used[pair + v][canonical(controls)] = true;
          slots[at] = deposit(rests[pair + v], at % 2 != 0 ? controls ^ all : controls);
          sets_.push_back({.constituents = bits,
                           .v = one ? v * bits : lane ^ (v != 0 ? all : 0U),
                           .counts_a = counts_a,
                           .other = rests[pair + (v ^ 1U)]});
          in_set_[slots[at]] = static_cast<std::uint32_t>(sets_.size());
        }
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
        std::array<std::uint64_t, 2> slots{};  // low, high
        if (set == nullptr) {
          slots = plain[next + i];
        } else {
          const std::uint64_t* const lane = &set_slots[*row.set][i][std::size_t{4} * row.lane];
          const std::size_t low = after ? 2 * std::size_t{row.half} : row.half;
          slots = {lane[low], lane[low + (after ? 1 : 2)]};
        }
        if ((entry.extra ? row.lane >> j : slots[0] >> constituent.control) % 2 != 0) std::swap(slots[0], slots[1]);
        pairs_.push_back({{slots[0], slots[1]}});
      }
      steps_[entry.step - 1].exchanges.push_back(exchange);
    }
    if (set == nullptr) next += count;
  }
  for (std::size_t number = 0; number < schedule.sets.size(); ++number) {
    const SpecialSet& set = schedule.sets[number];
    for (const SetLocations& slots : set_slots[number]) {
      for (std::uint32_t j = 0; j < beta; ++j) {
        if ((set.constituents >> j & 1U) != 0) synchronise(steps_[set.sync_after - 1], set, slots, j);
      }
    }
  }
}

/// Complementing v_j and a_j leads to another lane; for the highest j of the set, to the complements in the lane whose
/// other bits all differ.
void ShufflePlan::synchronise(ShuffleStep& step, const SpecialSet& set, const SetLocations& slots, std::uint32_t j) {
  const auto last = static_cast<std::uint32_t>(slots.size() - 1);
  for (std::uint32_t at = 0; at <= last; ++at) {
    const std::uint32_t to = at ^ (set.constituents >> j == 1 ? last : 4 * (std::uint32_t{1} << j));
    if (at < to) step.synchronisations.push_back({.constituent = j, .slot = {slots[at], slots[to]}});
  }
}

std::uint64_t ShufflePlan::elements_in_sequence() const {
  std::uint64_t sum = 0;
  for (const ShuffleStep& step : steps_) {
    if (!step.exchanges.empty()) sum += std::ranges::max(step.exchanges, {}, &ShuffleExchange::count).count;
  }
  return sum;
}

TwoCyclePlan::TwoCyclePlan(std::vector<LabelBits> cycles, std::uint64_t elements, std::uint64_t packet)
    : cycles_(std::move(cycles)), elements_(elements) {
  if (cycles_.empty() || elements == 0 || packet == 0) throw std::logic_error("2-cycles without cycles or elements");
  const std::uint64_t parts = 2 * cycles_.size();
  slots_ = (elements + parts - 1) / parts;
  packet_ = std::min(packet, slots_);
  stage_ = std::max(slots_, 2 * packet_);
  packets_ = ((cycles_.size() - 1) * stage_ + slots_ - 1) / packet_ + 1;
}

void TwoCyclePlan::packet(std::uint32_t cycle, std::uint32_t path, std::uint64_t number,
                          std::vector<std::uint64_t>& elements) const {
  elements.clear();
  const std::uint64_t beta = cycles_.size();
  const std::uint64_t end = std::min((number + 1) * packet_, beta * stage_);
  for (std::uint64_t at = number * packet_; at < end; ++at) {
    const std::uint64_t slot = at % stage_;
    if (slot >= slots_) continue;
    const std::uint64_t group = (cycle + beta - at / stage_) % beta;
    const std::uint64_t element = group + beta * (path + 2 * slot);
    if (element < elements_) elements.push_back(element);
  }
}

std::vector<TwoCycleHop> TwoCyclePlan::hops(std::uint64_t step) const {
  std::vector<TwoCycleHop> result;
  for (std::uint32_t cycle = 0; cycle < cycles_.size(); ++cycle) {
    for (std::uint32_t path = 0; path < 2; ++path) {
      for (const bool second : {false, true}) {
        const std::uint64_t first_step = second ? step - 1 : step;
        if (first_step < 1 || first_step > packets_) continue;
        TwoCycleHop hop{.cycle = cycle, .dim = cycles_[cycle].dim[second ? 1 - path : path], .second = second};
        packet(cycle, path, first_step - 1, hop.elements);
        if (!hop.elements.empty()) result.push_back(std::move(hop));
      }
    }
  }
  return result;
}

}  // namespace ecube
