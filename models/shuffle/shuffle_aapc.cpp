// SPDX-License-Identifier: Apache-2.0
// The schedules of three constituents of order 4, row by row.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "models/machine/spelling.h"
#include "models/shuffle/shuffle_schedule.h"

namespace ecube {

extern const std::string_view aapc_of_three_tables;

namespace {

constexpr std::uint32_t aapc_kinds = aapc_of_three_beta;  // constituents
constexpr std::uint32_t aapc_dims = aapc_of_three_order;  // of each of them

struct AapcTable {
  std::vector<std::string_view> rows;
  std::uint32_t window = 0;
};

/// The tables of aapc_of_three.txt.
const std::vector<AapcTable>& aapc_tables() {
  static const std::vector<AapcTable> tables = [] {
    std::vector<AapcTable> read;
    for (const std::string_view line : split(aapc_of_three_tables, '\n')) {
      if (line.empty() || line.starts_with('#')) continue;
      if (const auto window = whole_number(line)) {
        read.push_back({.rows = {}, .window = static_cast<std::uint32_t>(*window)});
      } else {
        read.back().rows.push_back(line);
      }
    }
    return read;
  }();
  return tables;
}

/// Set n is of constituent n / 2; the first set of each starts in a_3, the second in a_2.
constexpr std::uint32_t aapc_sets = 2 * aapc_kinds;
constexpr std::uint32_t rows_in_sets = 2 * aapc_sets;

constexpr std::uint32_t constituent_of(std::uint32_t set) { return set / 2; }
constexpr std::uint32_t start_of(std::uint32_t set) { return 3 - set % 2; }

/// The table that makes up `rows` with a whole number of further windows, or null.
const AapcTable* table_for(std::uint64_t rows) {
  const auto fits = [rows](const AapcTable& table) {
    return rows == table.rows.size() ||
           (table.window > 0 && rows > table.rows.size() && (rows - table.rows.size()) % aapc_kinds == 0);
  };
  const auto table = std::ranges::find_if(aapc_tables(), fits);
  return table == aapc_tables().end() ? nullptr : &*table;
}

/// A row of a table with `more` steps inserted after the window, all of them waits.
std::string widened(std::string_view row, const AapcTable& table, std::uint32_t more) {
  if (more == 0) return std::string(row);
  const std::size_t end = table.window + aapc_kinds - 1;
  return std::string(row.substr(0, end)) + std::string(more, '.') + std::string(row.substr(end));
}

/// Row `lane` of the `number`-th block of beta rows. Blocks follow one another through the table's window and `more`
/// further windows. Up to the table's window, the row is that of the table's block of the same number; from the last
/// window on, that of the table's block with equal progress.
std::string in_windows(const AapcTable& table, std::uint32_t number, std::uint32_t lane, std::uint32_t more) {
  const std::uint32_t first = table.window - 1;  // counted from 0
  const auto row_of = [&](std::uint32_t block) { return table.rows[rows_in_sets + block * aapc_kinds + lane]; };
  std::string row = widened(std::string(table.rows.front().size(), '.'), table, more * aapc_kinds);
  if (number < aapc_dims) row.replace(0, first, row_of(number).substr(0, first));
  if (number >= more) {
    const std::size_t after = first + aapc_kinds;
    row.replace(after + std::size_t{more} * aapc_kinds, row.npos, row_of(number - more).substr(after));
  }
  for (std::uint32_t window = 0; window <= more; ++window) {
    if (number < window || number >= window + aapc_dims) continue;
    for (std::uint32_t step = 0; step < aapc_kinds; ++step) {
      row[first + std::size_t{window} * aapc_kinds + step] = static_cast<char>('a' + (lane + step) % aapc_kinds);
    }
  }
  return row;
}

/// The dimensions of a row in their order: set < aapc_sets, or a plain row.
ScheduleRow row_of_text(std::string_view text, std::uint32_t set) {
  ScheduleRow row;
  std::array<std::uint32_t, aapc_kinds> done = {};
  for (std::uint32_t step = 1; step <= text.size(); ++step) {
    if (text[step - 1] == '.') continue;
    const auto constituent = static_cast<std::uint32_t>(text[step - 1] - 'a');
    const bool elsewhere = set < aapc_sets && constituent == constituent_of(set);
    const std::uint32_t number = done[constituent]++;
    const std::uint32_t from = elsewhere ? start_of(set) - 1 : 0;
    const bool extra = elsewhere && from + number < aapc_dims;
    row.entries.push_back({.step = step,
                           .constituent = constituent,
                           .index = (from + number) % aapc_dims + 1,
                           .extra = extra,
                           .fresh = extra && number == 0});
  }
  return row;
}

void add_sets(RowSchedule& schedule, const AapcTable& table, std::uint32_t more) {
  for (std::uint32_t set = 0; set < aapc_sets; ++set) {
    for (std::uint32_t half = 0; half < 2; ++half) {
      ScheduleRow& row = schedule.rows.emplace_back(
          row_of_text(widened(table.rows[std::size_t{2} * set + half], table, more * aapc_kinds), set));
      row.set = set;
      row.half = half;
    }
    schedule.sets.push_back({.constituents = std::uint32_t{1} << constituent_of(set), .start = start_of(set)});
  }
}

}  // namespace

bool has_aapc_of_three(std::uint64_t rows) { return table_for(rows) != nullptr; }

std::optional<RowSchedule> aapc_of_three(std::uint32_t rows) {
  const AapcTable* const table = table_for(rows);
  if (table == nullptr) return std::nullopt;
  const std::uint32_t more = (rows - static_cast<std::uint32_t>(table->rows.size())) / aapc_kinds;
  RowSchedule schedule;
  schedule.steps = rows + 2 * aapc_kinds;
  add_sets(schedule, *table, more);
  synchronise_sets(schedule);
  std::size_t next = rows_in_sets;
  if (table->window > 0) {
    for (std::uint32_t number = 0; number < aapc_dims + more; ++number) {
      for (std::uint32_t lane = 0; lane < aapc_kinds; ++lane) {
        schedule.rows.push_back(row_of_text(in_windows(*table, number, lane, more), aapc_sets));
      }
    }
    next += std::size_t{aapc_kinds} * aapc_dims;
  }
  for (; next < table->rows.size(); ++next) {
    schedule.rows.push_back(row_of_text(widened(table->rows[next], *table, more * aapc_kinds), aapc_sets));
  }
  return schedule;
}

}  // namespace ecube
