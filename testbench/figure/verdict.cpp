// SPDX-License-Identifier: Apache-2.0
// Checks, verdicts and counts.
#include "testbench/figure/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ecube {

namespace {

std::string with_unit(double number, std::string_view unit) {
  return fmt::format("{:.6g}{}{}", number, unit.empty() ? "" : " ", unit);
}

double percent_from(double published, double reached) {
  return published == 0 ? 100 * reached : 100 * (reached - published) / std::abs(published);
}

}  // namespace

Check number_check(ComparedWith with, std::string statement, double published, double reached, Tolerance tolerance,
                   std::string_view unit) {
  const double off = percent_from(published, reached);
  return {.statement = std::move(statement),
          .compared_with = with,
          .published = with_unit(published, unit),
          .reached = with_unit(reached, unit),
          .agrees = std::abs(off) <= tolerance.percent,
          .distance_percent = off,
          .tolerance = tolerance};
}

Check range_check(ComparedWith with, std::string statement, double least, double most, double reached,
                  std::string_view unit) {
  const double nearest = std::clamp(reached, least, most);
  return {.statement = std::move(statement),
          .compared_with = with,
          .published = fmt::format("{:.6g} to {}", least, with_unit(most, unit)),
          .reached = with_unit(reached, unit),
          .agrees = reached == nearest,
          .distance_percent = percent_from(nearest, reached)};
}

Check text_check(ComparedWith with, std::string statement, std::string published, std::string reached) {
  const bool equal = published == reached;
  return {.statement = std::move(statement),
          .compared_with = with,
          .published = std::move(published),
          .reached = std::move(reached),
          .agrees = equal};
}

Check statement_check(ComparedWith with, std::string statement, bool holds, std::string reached) {
  return {.statement = std::move(statement), .compared_with = with, .reached = std::move(reached), .agrees = holds};
}

Check no_number_check(std::string statement, std::string reached) {
  return {.statement = std::move(statement), .compared_with = ComparedWith::nothing, .reached = std::move(reached)};
}

ItemState state_of(std::span<const Check> checks) {
  const auto some = [&](CheckState state) { return std::ranges::find(checks, state, &Check::state) != checks.end(); };
  const bool agrees_with_print = std::ranges::any_of(
      checks, [](const Check& check) { return check.compared_with == ComparedWith::print && check.agrees; });
  const bool differs = some(CheckState::differs);
  if (differs && !agrees_with_print) return ItemState::differs;
  return agrees_with_print && !differs && !some(CheckState::no_number) ? ItemState::reproduced : ItemState::part;
}

Verdict verdict_of(std::string_view item, std::span<const Check> checks, std::span<const KnownDifference> file) {
  const auto value = [](std::string_view text) { return text.empty() ? std::string_view("no value") : text; };
  Verdict verdict{.state = state_of(checks), .known = {}, .complaints = {}};
  for (const Check& check : checks) {
    if (check.state() != CheckState::differs) continue;
    const auto row = std::ranges::find_if(
        file, [&](const KnownDifference& one) { return one.item == item && one.check == check.statement; });
    if (row == file.end()) {
      verdict.complaints.push_back(
          fmt::format("\"{}\" differs and is not among the known differences", check.statement));
    } else if (row->printed != check.published || row->ours != check.reached) {
      verdict.complaints.push_back(
          fmt::format("\"{}\" is a known difference of {} from {} in print, and is now {} from {}", check.statement,
                      value(row->ours), value(row->printed), value(check.reached), value(check.published)));
    }
  }
  for (const KnownDifference& row : file) {
    if (row.item != item) continue;
    const auto named = std::ranges::find(checks, row.check, &Check::statement);
    if (named == checks.end()) {
      verdict.complaints.push_back(fmt::format("\"{}\" is among the known differences and is no check", row.check));
    } else if (named->state() != CheckState::differs) {
      verdict.complaints.push_back(fmt::format("\"{}\" is among the known differences and does not differ", row.check));
    } else if (named->published == row.printed && named->reached == row.ours) {
      verdict.known.push_back(&row);
    }
  }
  return verdict;
}

void VerdictCounts::add(const Verdict& verdict, std::span<const Check> all) {
  ++items[static_cast<std::size_t>(verdict.state)];
  not_on_file += verdict.as_on_file() ? 0 : 1;
  for (const Check& check : all) {
    ++checks[static_cast<std::size_t>(check.compared_with)][static_cast<std::size_t>(check.state())];
  }
}

std::vector<std::string> lines_of(const VerdictCounts& counts) {
  const std::size_t differ = counts.of(ItemState::differs);
  const std::size_t items = counts.of(ItemState::reproduced) + counts.of(ItemState::part) + differ;
  const auto compared = [&](ComparedWith with) {
    const std::size_t agree = counts.of(with, CheckState::agrees);
    const std::size_t other = counts.of(with, CheckState::differs);
    return fmt::format("of {} compared with {} {} agree and {} differ", agree + other, words_of(with), agree, other);
  };
  return {fmt::format("{} items: {} reproduced, {} reproduced in part, {} {}", items, counts.of(ItemState::reproduced),
                      counts.of(ItemState::part), differ, differ == 1 ? "differs" : "differ"),
          fmt::format("checks: {}, {}, {} have no number in print", compared(print), compared(ours),
                      counts.of(ComparedWith::nothing, CheckState::no_number)),
          counts.not_on_file == 0
              ? std::string("every verdict is the one on file")
              : fmt::format("{} of {} verdicts are not the ones on file", counts.not_on_file, items)};
}

std::string text_of(const Tolerance& tolerance) {
  return fmt::format("{:.4g} %: {}", tolerance.percent, tolerance.reason);
}

}  // namespace ecube
