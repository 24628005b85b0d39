// SPDX-License-Identifier: Apache-2.0
// Tables of results: what they are, their words, what is printed, and known differences.
#include "testbench/reproduction/results.h"

#include <stdexcept>

#include "models/machine/spelling.h"
#include "testbench/reproduction/result_functions.h"
#include "testbench/text/csv.h"

namespace ecube {

extern const char* const results_table;
extern const char* const checks_table;
extern const char* const known_differences_table;
extern const char* const panels_table;
extern const char* const printed_table;
extern const char* const statements_table;

namespace {

/// "-" is nothing.
std::string_view text_of(const std::string& field) { return field == "-" ? std::string_view() : field; }

/// Name, title; of a chart its axes and series, of a grid its corner and columns.
const std::vector<std::string>& panel(std::string_view name) {
  static const std::vector<std::vector<std::string>> rows = table_rows(panels_table, 5);
  const auto found = std::ranges::find_if(rows, [&](const std::vector<std::string>& row) { return row[0] == name; });
  if (found == rows.end()) throw std::logic_error("panels.tsv has no " + std::string(name));
  return *found;
}

/// "label|log|least|most"; what comes last may be left out.
Axis axis_of(const std::string& text) {
  const std::vector<std::string_view> parts = split(text, '|');
  Axis axis{.label = std::string(parts[0]), .logarithmic = parts.size() > 1 && parts[1] == "log"};
  if (parts.size() > 2) axis.least = std::stod(std::string(parts[2]));
  if (parts.size() > 3) axis.most = std::stod(std::string(parts[3]));
  return axis;
}

/// "measured 0 faces of the hull": kind, colour and name.
Series series_of(std::string_view text) {
  constexpr std::array<std::string_view, 4> kinds = {"predicted", "measured", "published", "outline"};
  const std::vector<std::string_view> words = split(text, ' ');
  return {.name = std::string(text.substr(words[0].size() + words[1].size() + 2)),
          .kind = static_cast<SeriesKind>(std::ranges::find(kinds, words[0]) - kinds.begin()),
          .colour = static_cast<unsigned>(std::stoul(std::string(words[1])))};
}

}  // namespace

std::span<const PublishedResult> published_results() {
  // Id, what it is, preset, remarks, the function that makes it.
  static const std::vector<std::vector<std::string>> rows = table_rows(results_table, 5);
  static const std::vector<PublishedResult> results = [] {
    std::vector<PublishedResult> all;
    for (const std::vector<std::string>& row : rows) {
      all.push_back({row[0], row[1], text_of(row[2]), text_of(row[3]), result_functions.at(all.size())});
    }
    return all;
  }();
  return results;
}

std::span<const KnownDifference> known_differences() {
  // Item, check, printed, ours, reason; "=" is the reason of the row before.
  static const std::vector<std::vector<std::string>> rows = table_rows(known_differences_table, 5);
  static const std::vector<KnownDifference> file = [] {
    std::vector<KnownDifference> result;
    for (const std::vector<std::string>& row : rows) {
      const std::string_view reason = row[4] == "=" ? result.back().reason : row[4];
      result.push_back({row[0], row[1], text_of(row[2]), text_of(row[3]), reason});
    }
    return result;
  }();
  return file;
}

Chart chart_in_words(std::string_view name, fmt::format_args words) {
  const std::vector<std::string>& row = panel(name);
  Chart chart{.title = fmt::vformat(row[1], words),
              .x = axis_of(fmt::vformat(row[2], words)),
              .y = axis_of(fmt::vformat(row[3], words))};
  if (row[4] == "-") return chart;
  for (const std::string_view series : split(row[4], '|')) chart.series.push_back(series_of(series));
  return chart;
}

Grid& Findings::grid(std::string_view name) {
  const std::vector<std::string>& row = panel(name);
  Grid& made = std::get<Grid>(panels.emplace_back(Grid{.title = row[1], .corner = std::string(text_of(row[2]))}));
  if (row[3] == "-") return made;
  for (const std::string_view column : split(row[3], '|')) made.columns.emplace_back(column);
  return made;
}

const std::vector<std::vector<std::string>>& printed_rows() {
  static const std::vector<std::vector<std::string>> rows = table_rows(printed_table, 3);
  return rows;
}

std::vector<PrintedRow> printed(std::string_view result) {
  std::vector<PrintedRow> of_result;
  for (const std::vector<std::string>& row : printed_rows()) {
    if (row[0] != result) continue;
    of_result.push_back({row[1], judged(row[2], "row {} of {}, {}", of_result.size(), result, row[1])});
  }
  return of_result;
}

bool Planted::has(std::string_view name) const {
  return std::ranges::any_of(split(subjects, '|'),
                             [&](std::string_view words) { return name.find(words) != std::string_view::npos; });
}

Planted& planted() {
  static Planted one;
  return one;
}

Findings::Findings(std::string_view id) : id_(id) {
  // Item, name, what it is compared with, statement; "ours, some" where one right point is enough.
  static const std::vector<std::vector<std::string>> rows = table_rows(statements_table, 4);
  for (const std::vector<std::string>& row : rows) {
    if (row[0] != id) continue;
    const bool some = row[2] == "ours, some";
    const ComparedWith unprinted = row[2] == "nothing" ? ComparedWith::nothing : ours;
    statements_.push_back({{.some = some}, row[2] == "print" ? print : unprinted, row[3], row[1]});
  }
}

Tally& Findings::operator[](std::string_view name) {
  const auto found = std::ranges::find(statements_, name, &Statement::name);
  if (found == statements_.end()) throw std::logic_error("statements.tsv has no " + std::string(name));
  return found->points;
}

const ListedCheck& Findings::listed(std::string_view name) const {
  // Item, name, what it is compared with, statement, unit, tolerance in per cent and its reason; "=" is the reason of
  // the last row that has one.
  static const std::vector<ListedCheck> all = [] {
    std::vector<ListedCheck> rows;
    static std::deque<std::string> reasons;
    for (const std::vector<std::string>& row : table_rows(checks_table, 7)) {
      if (row[6] != "-" && row[6] != "=") reasons.push_back(row[6]);
      const Tolerance tolerance = row[5] == "-" ? exactly : Tolerance{std::stod(row[5]), reasons.back()};
      rows.push_back(
          {row[0], row[1], row[2] == "print" ? print : ours, row[3], std::string(text_of(row[4])), tolerance});
    }
    return rows;
  }();
  const auto found =
      std::ranges::find_if(all, [&](const ListedCheck& row) { return row.name == name && id_.starts_with(row.item); });
  if (found == all.end()) throw std::logic_error("checks.tsv has no " + std::string(name));
  return *found;
}

void add_fitted(Findings& result, std::initializer_list<double> fitted) {
  Grid& grid = result.grid(result.id());
  const double* next = fitted.begin();
  for (const auto& [name, text] : printed(result.id())) {
    const std::vector<std::string_view> parts = split(text, ' ');
    const double reached = judged(*next++, "fitted {}", name);
    result.add(number_check(print, name, std::stod(text), reached, set_to_print, parts.size() > 1 ? parts[1] : ""));
    grid.add(name) = {{result.checks.back().published}, {result.checks.back().reached}};
  }
}

Findings PublishedResult::reproduce(TestBench& bench, const Machine& machine) const {
  Findings result(id);
  MeasuredMachine measured(bench, machine);
  function(result, measured);
  result.add_statements();
  if (result.remarks.empty()) result.remarks = remarks;
  return result;
}

}  // namespace ecube
