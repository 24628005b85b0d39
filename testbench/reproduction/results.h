// SPDX-License-Identifier: Apache-2.0
// All published tables and figures that are done again, by paper, and what the functions that do it use: the points of
// a grid for which a statement is right, how far times are off, curves, panels, and rows in print.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <initializer_list>
#include <span>

#include "testbench/figure/figure.h"
#include "testbench/reproduction/measured_machine.h"

namespace ecube {

struct Tally {
  std::size_t points = 0;
  std::size_t right = 0;
  std::string first_wrong{};
  bool some = false;  ///< one right point is enough

  void add(bool equal, const std::string& where) {
    ++points;
    right += equal ? 1 : 0;
    if (!equal && first_wrong.empty()) first_wrong = where;
  }
  /// The place is put into words only if it is the first wrong one.
  template <class... Words>
  requires(sizeof...(Words) > 0) void add(bool equal, fmt::format_string<const Words&...> where,
                                          const Words&... words) {
    add(equal, equal || !first_wrong.empty() ? std::string() : fmt::format(where, words...));
  }
  /// Agrees if all points are right, or some, and if there are any.
  [[nodiscard]] Check check(ComparedWith with, const std::string& what) const {
    std::string reached = fmt::format("{} of {} points", right, points);
    if (!some && !first_wrong.empty()) reached += ", not at " + first_wrong;
    return statement_check(with, what, right > 0 && (some || right == points), std::move(reached));
  }
};

/// How far results are from what is expected, at most.
struct Furthest {
  double percent = 0;

  void add(double reached, double expected) { percent = std::max(percent, 100 * std::abs(reached / expected - 1)); }
};

/// The chart that panels.tsv has for a result or a part of it: title, axes and series without points. `words` are for
/// what stands in braces there.
[[nodiscard]] Chart chart_in_words(std::string_view name, fmt::format_args words);
[[nodiscard]] Chart chart_of(std::string_view name, const auto&... words) {
  return chart_in_words(name, fmt::make_format_args(words...));
}

/// A row of checks.tsv.
struct ListedCheck {
  std::string item;  ///< or what the ids of several items begin with
  std::string name;
  ComparedWith with;
  std::string statement;
  std::string unit;
  Tolerance tolerance;
};

/// A result while it is done again: its panels and checks so far, and the points of the statements that statements.tsv
/// has for it.
class Findings {
 public:
  Panels panels{};
  std::vector<Check> checks{};
  std::string remarks{};  ///< those that have numbers in them, in place of the result's own

  explicit Findings(std::string_view id);

  void add(Check check) { checks.push_back(std::move(check)); }
  void no_number(std::string statement, std::string reached = {}) {
    add(no_number_check(std::move(statement), std::move(reached)));
  }

  [[nodiscard]] std::string_view id() const { return id_; }
  /// A new panel: the grid that panels.tsv has for this name, without rows. Good until the next panel is added.
  Grid& grid(std::string_view name);
  /// The same of a chart, without points.
  Chart& chart(std::string_view name, const auto&... words) {
    return std::get<Chart>(panels.emplace_back(chart_of(name, words...)));
  }
  /// The points of a statement, by its name in the table.
  [[nodiscard]] Tally& operator[](std::string_view name);
  [[nodiscard]] Tally& operator[](std::size_t number) { return statements_[number].points; }
  /// Adds the statements as checks, those without a number in print, too, in the order of the table, unless they have
  /// been added.
  void add_statements() {
    for (const Statement& one : statements_) {
      const bool decided = one.with != ComparedWith::nothing;
      add(decided ? one.points.check(one.with, one.text) : no_number_check(one.text));
    }
    statements_.clear();
  }

  // Each adds a check, as verdict.h has it, by its name in checks.tsv; `words` are for what stands in braces there.
  void number(std::string_view name, auto published, auto reached, const auto&... words) {
    const ListedCheck& row = listed(name);
    add(number_check(row.with, said(row, words...), static_cast<double>(published), static_cast<double>(reached),
                     row.tolerance, row.unit));
  }
  void range(std::string_view name, double least, double most, auto reached, const auto&... words) {
    const ListedCheck& row = listed(name);
    add(range_check(row.with, said(row, words...), least, most, static_cast<double>(reached), row.unit));
  }
  void text(std::string_view name, std::string published, std::string reached, const auto&... words) {
    const ListedCheck& row = listed(name);
    add(text_check(row.with, said(row, words...), std::move(published), std::move(reached)));
  }
  /// All are off by less than the tolerance.
  void within(std::string_view name, const Furthest& furthest, const auto&... words) {
    const double off = furthest.percent;
    statement(name, off < listed(name).tolerance.percent,
              off < 1e-9 ? "equal" : fmt::format("furthest off {:.2g} %", off), words...);
  }
  void statement(std::string_view name, bool holds, std::string reached = {}, const auto&... words) {
    const ListedCheck& row = listed(name);
    add(statement_check(row.with, said(row, words...), holds, std::move(reached)));
  }

 private:
  [[nodiscard]] const ListedCheck& listed(std::string_view name) const;
  [[nodiscard]] static std::string said(const ListedCheck& row, const auto&... words) {
    return fmt::format(fmt::runtime(row.statement), words...);
  }

  struct Statement {
    Tally points;
    ComparedWith with;
    std::string text;
    std::string_view name;
  };
  std::string_view id_;
  std::deque<Statement> statements_;
};

struct PublishedResult {
  std::string_view id;
  std::string_view what;
  /// The preset on which the result is measured; empty where no machine runs.
  std::string_view preset;
  /// Sentences: errata, and parts that our copy of the paper has lost.
  std::string_view remarks;
  void (*function)(Findings& result, MeasuredMachine& machine);

  /// `machine` is that preset, as the user changed it.
  [[nodiscard]] Findings reproduce(TestBench& bench, const Machine& machine) const;
};

/// The largest dimension of any result.
inline constexpr unsigned reproduction_dim = 12;

/// In the order of the papers.
[[nodiscard]] std::span<const PublishedResult> published_results();

/// A row for each check that differs, in the order of the items. `reproduce` fails when another check differs, and when
/// one of these no longer does.
[[nodiscard]] std::span<const KnownDifference> known_differences();

/// A row of a table or figure as the paper prints it.
struct PrintedRow {
  std::string name;
  std::string text;
  friend bool operator==(const PrintedRow&, const PrintedRow&) = default;
};
/// All of them, as [row]{result, name, text}.
[[nodiscard]] const std::vector<std::vector<std::string>>& printed_rows();
/// Those of a result; row 2 of it is judged under the name "row 2 of RESULT, NAME".
[[nodiscard]] std::vector<PrintedRow> printed(std::string_view result);

/// Adds a check and a row of its grid for each parameter that printed.tsv has for the result, as "64 us". `fitted`:
/// what they are on the machine, in the same order.
void add_fitted(Findings& result, std::initializer_list<double> fitted);

}  // namespace ecube
