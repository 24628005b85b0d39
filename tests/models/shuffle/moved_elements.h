// SPDX-License-Identifier: Apache-2.0
// The conditions of a schedule of a generalised shuffle, and elements moved by its plan.
#pragma once

#include "models/shuffle/shuffle_plan.h"
#include "models/shuffle/shuffle_workload.h"
#include "tests/test.h"

namespace ecube {

using Orders = std::vector<std::uint32_t>;

/// Constituents of these orders on neighbouring dimensions, with control bits s0, s1, ..
inline DimensionPermutation mixed(const Orders& orders, std::uint64_t complement_seed = 0) {
  std::vector<DimensionPermutation::Cycle> cycles;
  std::vector<AddressDimension> complemented;
  unsigned next = 0;
  std::mt19937_64 random(complement_seed);
  for (unsigned j = 0; j < orders.size(); ++j) {
    DimensionPermutation::Cycle cycle;
    for (unsigned i = 0; i < orders[j]; ++i) cycle.insert(cycle.begin(), {.storage = false, .bit = next++});
    cycle.push_back({.storage = true, .bit = j});
    for (const AddressDimension& dimension : cycle) {
      if (complement_seed != 0 && random() % 2 == 0) complemented.push_back(dimension);
    }
    cycles.push_back(std::move(cycle));
  }
  return {std::move(cycles), std::move(complemented)};
}

/// Moves elements by a plan and checks their final places: by aligned locations, or by kept addresses.
inline ::testing::AssertionResult moves_elements_right(const DimensionPermutation& permutation, const ShufflePlan& plan,
                                                       unsigned dim, bool aligned) {
  const Factors factors = factor(permutation);
  const NodeId nodes = NodeId{1} << dim;
  const std::uint64_t k = plan.elements();
  std::vector<std::vector<Address>> memory(nodes, std::vector<Address>(k));
  const auto place = [&](NodeId node, std::uint64_t slot, bool synchronised) {
    return aligned ? slot : plan.address(slot, plan.parities(node), synchronised);
  };
  for (NodeId node = 0; node < nodes; ++node) {
    std::vector<bool> filled(k, false);
    for (std::uint64_t slot = 0; slot < k; ++slot) {
      const std::uint64_t address = plan.address(slot, plan.parities(node), false);
      if (address >= k || filled[address]) return ::testing::AssertionFailure() << "the alignment is no permutation";
      filled[address] = true;
      memory[node][place(node, slot, false)] = {.node = node, .local = address};
    }
  }
  for (const ShuffleStep& step : plan.steps()) {
    std::set<unsigned> dims;
    for (const ShuffleExchange& exchange : step.exchanges) {
      if (!dims.insert(exchange.dim).second) return ::testing::AssertionFailure() << "a dimension twice in a step";
      for (NodeId node = 0; node < nodes; ++node) {
        const NodeId other = node ^ NodeId { 1 } << exchange.dim;
        if (node > other) continue;
        for (const SlotPair& pair : plan.pairs(exchange)) {
          const std::uint64_t mine = ShufflePlan::moved(pair, exchange, node, plan.parities(node));
          const std::uint64_t theirs = ShufflePlan::moved(pair, exchange, other, plan.parities(other));
          if (mine != theirs) return ::testing::AssertionFailure() << "partners exchange different locations";
          std::swap(memory[node][place(node, mine, exchange.synchronised)],
                    memory[other][place(other, theirs, exchange.synchronised)]);
        }
      }
    }
    for (const Synchronisation& sync : step.synchronisations)
      for (NodeId node = 0; aligned && node < nodes; ++node) {
        if ((plan.parities(node) >> sync.constituent & 1U) == 0) continue;
        std::swap(memory[node][sync.slot[0]], memory[node][sync.slot[1]]);
      }
  }
  for (NodeId node = 0; node < nodes; ++node)
    for (std::uint64_t slot = 0; slot < k; ++slot) {
      const Address origin = memory[node][place(node, slot, true)];
      const Address now{node, factors.local(plan.final_address(slot, plan.parities(node)))};
      if (!(permutation.destination(origin) == now)) {
        return ::testing::AssertionFailure()
               << "element " << origin.node << "|" << origin.local << " is at " << node << "|" << now.local;
      }
    }
  return ::testing::AssertionSuccess();
}

/// Both ways.
inline ::testing::AssertionResult moves_elements_right(const DimensionPermutation& permutation, const ShufflePlan& plan,
                                                       unsigned dim) {
  for (const bool aligned : {true, false}) {
    const auto right = moves_elements_right(permutation, plan, dim, aligned);
    if (!right)
      return ::testing::AssertionFailure() << right.message() << (aligned ? ", aligned, " : ", ") << permutation.name();
  }
  return ::testing::AssertionSuccess();
}

/// Every row goes through all dimensions, each constituent's in order, and never through two at once; no dimension is
/// in two rows at once.
inline bool is_sound(const RowSchedule& schedule, const Orders& orders) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> used;
  for (const ScheduleRow& row : schedule.rows) {
    std::set<std::uint32_t> steps;
    std::vector<std::vector<std::uint32_t>> indexes(orders.size());
    for (const RowEntry& entry : row.entries) {
      if (!steps.insert(entry.step).second) return false;
      if (!used.insert({entry.step, entry.constituent, entry.index}).second) return false;
      indexes[entry.constituent].push_back(entry.index);
    }
    for (std::size_t j = 0; j < orders.size(); ++j) {
      std::vector<std::uint32_t> expected(orders[j]);
      std::iota(expected.begin(), expected.end(), 1U);
      if (row.set && (schedule.sets[*row.set].constituents >> j & 1U) != 0) {
        const std::uint32_t start = schedule.sets[*row.set].start;
        std::rotate(expected.begin(), expected.begin() + start - 1, expected.end());
        expected.push_back(start);
      }
      if (indexes[j] != expected) return false;
    }
  }
  return true;
}

}  // namespace ecube
