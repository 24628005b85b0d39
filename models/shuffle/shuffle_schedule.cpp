// SPDX-License-Identifier: Apache-2.0
// Rows and steps of generalised shuffles.
#include "models/shuffle/shuffle_schedule.h"

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <numeric>
#include <stdexcept>

namespace ecube {
namespace {

using Orders = std::span<const std::uint32_t>;

std::uint32_t sum_of(Orders orders) { return std::accumulate(orders.begin(), orders.end(), 0U); }
std::uint32_t largest_of(Orders orders) { return *std::max_element(orders.begin(), orders.end()); }

/// o_j: dimensions of constituents 1 .. j. A row goes through constituent j, then j - 1, .., then 0, then the last.
std::uint32_t offset(Orders orders, std::size_t j) { return sum_of(orders.subspan(1, j)); }

void append_chain(ScheduleRow& row, std::uint32_t constituent, std::uint32_t from, std::uint32_t to, std::uint32_t step,
                  bool extra = false) {
  for (std::uint32_t i = from; i <= to; ++i) {
    row.entries.push_back({step + i - from, constituent, i, extra, extra && i == from});
  }
}

/// Sorts entries by step and counts the steps.
RowSchedule finished(RowSchedule schedule) {
  for (ScheduleRow& row : schedule.rows) {
    std::ranges::sort(row.entries, [](const RowEntry& a, const RowEntry& b) { return a.step < b.step; });
    if (!row.entries.empty()) schedule.steps = std::max(schedule.steps, row.entries.back().step);
  }
  return schedule;
}

/// The rows of A1 in parts of so many rows: row q of part p makes sigma + 1 exchanges, number 0 .. sigma in the step
/// `step(q, number)`, with a_(p + 1) first and last.
template <class Step>
RowSchedule a1_in_parts(std::uint32_t order, std::uint32_t rows, std::uint32_t part, const Step& step) {
  RowSchedule schedule;
  schedule.rows.resize(rows);
  for (std::uint32_t q = 0; q < rows; ++q) {
    for (std::uint32_t number = 0; number <= order; ++number) {
      schedule.rows[q].entries.push_back(
          {.step = step(q, number), .index = (q / part + number) % order + 1, .fresh = number == 0});
    }
  }
  return finished(std::move(schedule));
}

/// Rows in blocks, block j starting with constituent j: in each round every row takes its next constituent as one
/// chain, at the first starting time that no other row has taken. Calls place(row, constituent, start) for each;
/// returns the steps, or 0 as soon as they would be `limit` or more.
template <class Place>
std::uint32_t place_blocks(Orders orders, std::span<const std::uint32_t> blocks, std::uint32_t limit,
                           const Place& place) {
  struct Block {
    std::uint32_t free = 1;
    std::uint32_t block;
    std::uint32_t index;
    std::uint32_t left;  // dimensions that it has not gone through
    auto operator<=>(const Block&) const = default;
  };
  const auto count = static_cast<std::uint32_t>(orders.size());
  std::vector<Block> rows;
  for (std::uint32_t block = 0; block < count; ++block) {
    for (std::uint32_t i = 0; i < blocks[block]; ++i) {
      rows.push_back({.block = block, .index = static_cast<std::uint32_t>(rows.size()), .left = sum_of(orders)});
    }
  }
  // A row waits at most for each of the others in each round.
  const std::uint32_t starts = sum_of(orders) + count * static_cast<std::uint32_t>(rows.size()) + 1;
  std::vector<bool> taken(std::size_t{count} * starts);
  std::uint32_t steps = 0;
  for (std::uint32_t round = 0; round < count; ++round) {
    std::sort(rows.begin(), rows.end());
    for (Block& row : rows) {
      const std::uint32_t j = (row.block + round) % count;
      std::uint32_t start = row.free;
      while (taken[j * starts + start]) ++start;
      taken[j * starts + start] = true;
      place(row.index, j, start);
      row.free = start + orders[j];
      row.left -= orders[j];
      steps = std::max(steps, row.free + row.left - 1);
      if (steps >= limit) return 0;
    }
  }
  return steps;
}

/// Visits all ways to share out `rows` rows over the blocks.
template <class Visit>
void compositions(std::vector<std::uint32_t>& blocks, std::size_t block, std::uint32_t rows, const Visit& visit) {
  if (block + 1 == blocks.size()) {
    blocks[block] = rows;
    visit();
    return;
  }
  for (std::uint32_t here = 0; here <= rows; ++here) {
    blocks[block] = here;
    compositions(blocks, block + 1, rows - here, visit);
  }
}

/// ceil((sigma - 3) / 2), not below 0: sets of a constituent.
std::uint32_t sets_of(std::uint32_t order) { return order <= 3 ? 0 : (order - 2) / 2; }

/// Rows that follow one another around a cycle of `period` >= sigma_r starting points, of which only `rows` exist; with
/// all sets of every constituent in `elsewhere`, which is then the concurrent schedule.
RowSchedule cyclic_schedule(Orders orders, std::uint32_t rows, std::uint32_t period, bool elsewhere) {
  struct Special {
    std::uint32_t set;
    std::uint32_t half;
  };
  std::vector<std::optional<Special>> special(period);
  std::vector<SpecialSet> sets;
  for (std::uint32_t j = 0; elsewhere && j < orders.size(); ++j) {
    const std::uint32_t f = sets_of(orders[j]);
    for (std::uint32_t l = 0; l < f; ++l) {
      for (std::uint32_t h = 0; h < 2; ++h) {
        special[(offset(orders, j) + 2 * l + h + period - 2 * f % period) % period] =
            Special{static_cast<std::uint32_t>(sets.size()), h};
      }
      sets.push_back({.constituents = std::uint32_t{1} << j, .start = 2 * f + 1 - 2 * l});
    }
  }
  // Of the surplus, plain rows are dropped first, then as few whole sets as needed, those that come first.
  std::uint32_t surplus = period - rows;
  const std::uint32_t plain = period - 2 * static_cast<std::uint32_t>(sets.size());
  const std::uint32_t dropped_sets = surplus > plain ? (surplus - plain + 1) / 2 : 0;
  surplus -= std::min(surplus, 2 * dropped_sets);

  RowSchedule schedule;
  std::vector<std::uint32_t> come;  // sets in the order in which their rows come
  for (std::uint32_t q = 0; q < period; ++q) {
    if (!special[q] && surplus > 0) {
      --surplus;
      continue;
    }
    ScheduleRow row;
    if (special[q]) {
      const auto number = static_cast<std::uint32_t>(std::ranges::find(come, special[q]->set) - come.begin());
      if (number == come.size()) {
        come.push_back(special[q]->set);
        if (number >= dropped_sets) schedule.sets.push_back(sets[special[q]->set]);
      }
      if (number < dropped_sets) continue;
      row.set = number - dropped_sets;
      row.half = special[q]->half;
    }
    for (std::uint32_t j = 0; j < orders.size(); ++j) {
      // e_j(q): the step at which row q begins constituent j.
      const std::uint32_t begin = (q + period - offset(orders, j) % period) % period + 1;
      if (row.set && schedule.sets[*row.set].constituents == std::uint32_t{1} << j) {
        const std::uint32_t start = schedule.sets[*row.set].start;
        append_chain(row, j, start, orders[j], 1 + row.half, true);
        append_chain(row, j, 1, start, begin);
      } else {
        append_chain(row, j, 1, orders[j], begin);
      }
    }
    schedule.rows.push_back(std::move(row));
  }
  schedule = finished(std::move(schedule));
  synchronise_sets(schedule);
  return schedule;
}

/// Turns a schedule of one constituent over blocks into one over rows: a step becomes `length` steps, in which each row
/// of a block goes through all constituents in turn, each row beginning with another one.
RowSchedule in_blocks(const RowSchedule& of_blocks, std::uint32_t beta, std::uint32_t length, std::uint32_t rows) {
  RowSchedule schedule;
  schedule.sets = of_blocks.sets;
  for (SpecialSet& set : schedule.sets) {
    set.constituents = (std::uint32_t{1} << beta) - 1;
    set.sync_after *= length;
  }
  for (const ScheduleRow& block : of_blocks.rows) {
    for (std::uint32_t lane = 0; lane < length && schedule.rows.size() < rows; ++lane) {
      ScheduleRow& row = schedule.rows.emplace_back();
      row.set = block.set;
      row.half = block.half;
      row.lane = lane;
      for (const RowEntry& entry : block.entries) {
        for (std::uint32_t j = 0; j < beta; ++j) {
          RowEntry one = entry;
          one.constituent = j;
          one.step = (entry.step - 1) * length + (j + length - lane) % length + 1;
          row.entries.push_back(one);
        }
      }
    }
  }
  return finished(std::move(schedule));
}

/// AAPC i: dimension i of all constituents with at least i dimensions, by blocks of rows.
struct AapcStage {
  std::vector<std::uint32_t> constituents;
  std::uint32_t block;
};

std::vector<AapcStage> aapc_stages(Orders orders) {
  std::vector<AapcStage> stages;
  for (std::uint32_t i = 1; i <= largest_of(orders); ++i) {
    AapcStage stage;
    for (std::uint32_t j = 0; j < orders.size(); ++j) {
      if (orders[j] >= i) stage.constituents.push_back(j);
    }
    const auto count = static_cast<std::uint32_t>(stage.constituents.size());
    stage.block = i == 1 || stages.back().block % count == 0 ? count : stages.back().block;
    stages.push_back(std::move(stage));
  }
  return stages;
}

/// The number of steps before each AAPC of row `q`: the row waits until all rows of its block have finished the AAPC
/// before, and until the blocks before have finished this AAPC.
std::vector<std::uint64_t> starts_of(const std::vector<AapcStage>& stages, std::uint64_t q) {
  std::vector<std::uint64_t> starts = {q / stages.front().block * stages.front().block};
  for (std::size_t i = 1; i < stages.size(); ++i) {
    const std::uint64_t before = stages[i - 1].block;
    starts.push_back(starts.back() + before + q % before / stages[i].block * stages[i].block);
  }
  return starts;
}

/// Rows of a block of the concurrent AAPC.
std::uint64_t concurrent_block(std::uint64_t beta) { return std::uint64_t{1} << (beta - 1); }

/// The step of SpecialSet::sync_after for a set with these rows.
std::uint32_t synchronisation_of(const std::array<const ScheduleRow*, 2>& halves, std::uint32_t constituents,
                                 std::uint32_t steps) {
  for (std::uint32_t step = 1; step < steps; ++step) {
    std::map<std::uint32_t, int> ahead;  // [constituent] exchanges of the first row less those of the second
    bool between = true;
    for (const ScheduleRow* const row : halves) {
      for (const RowEntry& entry : row->entries) {
        const bool done = entry.step <= step;
        if ((constituents >> entry.constituent & 1U) != 0 && entry.extra != done) between = false;
        if (done) ahead[entry.constituent] += row == halves[0] ? 1 : -1;
      }
    }
    if (between && std::ranges::all_of(ahead, [](const auto& one) { return one.second == 0; })) return step;
  }
  throw std::logic_error("a set of rows has no synchronisation point");
}

}  // namespace

void synchronise_sets(RowSchedule& schedule) {
  std::vector<std::array<const ScheduleRow*, 2>> halves(schedule.sets.size());
  for (const ScheduleRow& row : schedule.rows) {
    if (row.set) halves[*row.set][row.half] = &row;
  }
  for (std::size_t number = 0; number < halves.size(); ++number) {
    SpecialSet& set = schedule.sets[number];
    set.sync_after = synchronisation_of(halves[number], set.constituents, schedule.steps);
  }
}

std::uint64_t least_pipelined_steps(Orders orders, std::uint64_t rows) {
  const std::uint64_t beta = orders.size();
  return std::max<std::uint64_t>(rows + largest_of(orders), (rows + beta - 1) / beta + sum_of(orders)) - 1;
}

std::uint64_t pipelined_steps(Orders orders, std::uint64_t rows) {
  const bool exact = orders.size() <= 2 || rows >= sum_of(orders);
  return exact ? least_pipelined_steps(orders, rows)
               : pipelined_schedule(orders, static_cast<std::uint32_t>(rows)).steps;
}

std::uint64_t concurrent_steps(Orders orders, std::uint64_t rows) {
  const std::uint64_t plain = pipelined_steps(orders, rows);
  if (largest_of(orders) < 4) return plain;
  return std::min(plain, std::max<std::uint64_t>(rows, sum_of(orders) + 1) + 2);
}

RowSchedule one_port_schedule(Orders orders, std::uint32_t rows) {
  RowSchedule schedule;
  schedule.rows.resize(rows);
  std::uint32_t step = 0;
  for (std::uint32_t j = 0; j < orders.size(); ++j) {
    for (std::uint32_t i = 1; i <= orders[j]; ++i) {
      for (ScheduleRow& row : schedule.rows) row.entries.push_back({++step, j, i, false, false});
    }
  }
  return finished(std::move(schedule));
}

RowSchedule pipelined_schedule(Orders orders, std::uint32_t rows) {
  if (rows >= sum_of(orders)) return cyclic_schedule(orders, rows, rows, false);
  std::vector<std::uint32_t> blocks(orders.size());
  blocks.back() = rows;
  std::vector<std::uint32_t> best = blocks;
  std::uint32_t least = UINT32_MAX;
  const std::uint64_t bound = least_pipelined_steps(orders, rows);
  compositions(blocks, 0, rows, [&] {
    if (least <= bound) return;
    const std::uint32_t steps = place_blocks(orders, blocks, least, [](auto...) {});
    if (steps == 0) return;
    least = steps;
    best = blocks;
  });
  RowSchedule schedule;
  schedule.rows.resize(rows);
  place_blocks(orders, best, UINT32_MAX, [&](std::uint32_t row, std::uint32_t j, std::uint32_t start) {
    append_chain(schedule.rows[row], j, 1, orders[j], start);
  });
  return finished(std::move(schedule));
}

RowSchedule limited_schedule(Orders orders, std::uint32_t rows, std::uint32_t ports) {
  struct Progress {
    std::uint32_t done = 0;
    std::uint32_t row;
  };
  const std::uint32_t dims = sum_of(orders);
  const std::vector<RowEntry> chain = one_port_schedule(orders, 1).rows.front().entries;  // all dimensions in order
  RowSchedule schedule;
  schedule.rows.resize(rows);
  std::vector<Progress> progress;
  for (std::uint32_t row = 0; row < rows; ++row) progress.push_back({.row = row});
  for (std::uint32_t step = 1, left = rows * dims; left > 0; ++step) {
    std::ranges::stable_sort(progress, [](const Progress& a, const Progress& b) { return a.done > b.done; });
    std::vector<bool> used(dims, false);
    std::uint32_t busy = 0;
    for (Progress& row : progress) {
      if (busy == ports) break;
      if (row.done == dims || used[row.done]) continue;
      used[row.done] = true;
      ++busy;
      --left;
      RowEntry entry = chain[row.done++];
      entry.step = step;
      schedule.rows[row.row].entries.push_back(entry);
    }
  }
  return finished(std::move(schedule));
}

RowSchedule a1_schedule(std::uint32_t order, std::uint32_t rows, bool one_port) {
  const std::uint32_t part = one_port ? rows : (rows + order - 1) / order;  // their exchanges follow one another
  return a1_in_parts(order, rows, part, [part](auto q, auto number) { return number * part + q % part + 1; });
}

RowSchedule a1_pipelined_schedule(std::uint32_t order, std::uint32_t rows) {
  return a1_in_parts(order, rows, rows, [order, rows](auto q, auto number) {
    return q + (number < order ? number : std::max(rows, order)) + 1;
  });
}

RowSchedule concurrent_schedule(Orders orders, std::uint32_t rows) {
  const std::uint32_t period = std::max(rows, sum_of(orders) + 1);
  if (largest_of(orders) < 4 || pipelined_steps(orders, rows) <= period + 2) return pipelined_schedule(orders, rows);
  return cyclic_schedule(orders, rows, period, true);
}

std::uint64_t aapc_steps(Orders orders, std::uint64_t rows) {
  const std::vector<AapcStage> stages = aapc_stages(orders);
  const AapcStage& last = stages.back();
  // A last row that is alone in its block has finished after as many steps as there are constituents.
  const bool alone = (rows - 1) % last.block == 0;
  return starts_of(stages, rows - 1).back() + (alone ? last.constituents.size() : last.block);
}

std::uint64_t concurrent_aapc_steps(std::uint64_t beta, std::uint64_t order, std::uint64_t rows) {
  if (beta == aapc_of_three_beta && order == aapc_of_three_order && has_aapc_of_three(rows)) return rows + 2 * beta;
  const std::uint64_t plain = aapc_steps(std::vector<std::uint32_t>(beta, static_cast<std::uint32_t>(order)), rows);
  const std::uint64_t length = concurrent_block(beta);
  if (order < 4 || rows % length != 0) return plain;
  return std::min(plain, length * (std::max(rows / length, order + 1) + 2));
}

RowSchedule aapc_schedule(Orders orders, std::uint32_t rows) {
  const std::vector<AapcStage> stages = aapc_stages(orders);
  RowSchedule schedule;
  for (std::uint32_t q = 0; q < rows; ++q) {
    ScheduleRow& row = schedule.rows.emplace_back();
    const std::vector<std::uint64_t> starts = starts_of(stages, q);
    for (std::uint32_t i = 0; i < stages.size(); ++i) {
      const AapcStage& stage = stages[i];
      const std::uint32_t lane = q % stage.block;
      for (std::uint32_t place = 0; place < stage.constituents.size(); ++place) {
        const std::uint32_t turn = (place + stage.block - lane) % stage.block;
        row.entries.push_back(
            {static_cast<std::uint32_t>(starts[i]) + turn + 1, stage.constituents[place], i + 1, false, false});
      }
    }
  }
  return finished(std::move(schedule));
}

RowSchedule concurrent_aapc_schedule(std::uint32_t beta, std::uint32_t order, std::uint32_t rows) {
  if (beta == aapc_of_three_beta && order == aapc_of_three_order && has_aapc_of_three(rows)) {
    return *aapc_of_three(rows);
  }
  const std::vector<std::uint32_t> orders(beta, order);
  if (concurrent_aapc_steps(beta, order, rows) == aapc_steps(orders, rows)) return aapc_schedule(orders, rows);
  const auto length = static_cast<std::uint32_t>(concurrent_block(beta));
  const std::uint32_t blocks = rows / length;
  return in_blocks(cyclic_schedule(Orders(&order, 1), blocks, std::max(blocks, order + 1), true), beta, length, rows);
}

}  // namespace ecube
