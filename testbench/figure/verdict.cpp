// SPDX-License-Identifier: Apache-2.0
// Checks, verdicts and counts.
#include "testbench/figure/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
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
  bool agrees_with_print = false;
  bool differs = false;
  bool incomplete = false;
  for (const Check& check : checks) {
    const CheckState state = check.state();
    agrees_with_print = agrees_with_print || (check.compared_with == ComparedWith::print && check.agrees);
    differs = differs || state == CheckState::differs;
    incomplete = incomplete || state == CheckState::no_number;
  }
  if (differs && !agrees_with_print) return ItemState::differs;
  return agrees_with_print && !differs && !incomplete ? ItemState::reproduced : ItemState::part;
}

Verdict verdict_of(std::string_view item, std::span<const Check> checks, std::span<const KnownDifference> file) {
  Verdict verdict{
      .state = state_of(checks), .known = {}, .moved = {}, .unlisted = {}, .no_longer = {}, .nonexistent = {}};
  for (const KnownDifference& row : file) {
    if (row.item != item) continue;
    const auto named = std::ranges::find(checks, row.check, &Check::statement);
    if (named == checks.end()) {
      verdict.nonexistent.push_back(&row);
    } else if (named->state() != CheckState::differs) {
      verdict.no_longer.push_back(&row);
    } else if (named->published == row.printed && named->reached == row.ours) {
      verdict.known.push_back(&row);
    } else {
      verdict.moved.push_back(&row);
    }
  }
  for (const Check& check : checks) {
    const bool listed =
        std::ranges::find(verdict.known, check.statement, &KnownDifference::check) != verdict.known.end();
    if (check.state() == CheckState::differs && !listed) verdict.unlisted.push_back(&check);
  }
  return verdict;
}

void VerdictCounts::add(const Verdict& verdict, std::span<const Check> checks) {
  ++(verdict.state == ItemState::reproduced ? reproduced : verdict.state == ItemState::part ? part : differs);
  if (!verdict.as_on_file()) ++not_on_file;
  for (const Check& check : checks) {
    switch (check.compared_with) {
      case ComparedWith::print:
        ++(check.agrees ? print_agrees : print_differs);
        break;
      case ComparedWith::own_arithmetic:
        ++(check.agrees ? own_agrees : own_differs);
        break;
      case ComparedWith::nothing:
        ++no_number;
        break;
    }
  }
}

std::vector<std::string> lines_of(const VerdictCounts& counts) {
  const std::size_t items = counts.reproduced + counts.part + counts.differs;
  return {fmt::format("{} items: {} reproduced, {} reproduced in part, {} {}", items, counts.reproduced, counts.part,
                      counts.differs, counts.differs == 1 ? "differs" : "differ"),
          fmt::format(
              "checks: of {} compared with print {} agree and {} differ, of {} compared with own arithmetic {} agree "
              "and {} differ, {} have no number in print",
              counts.print_agrees + counts.print_differs, counts.print_agrees, counts.print_differs,
              counts.own_agrees + counts.own_differs, counts.own_agrees, counts.own_differs, counts.no_number),
          counts.not_on_file == 0
              ? std::string("every verdict is the one on file")
              : fmt::format("{} of {} verdicts are not the ones on file", counts.not_on_file, items)};
}

std::string_view words_of(CheckState state) {
  constexpr std::array<std::string_view, 3> words = {"agrees", "differs", "no number in print"};
  return words[static_cast<std::size_t>(state)];
}

std::string_view words_of(ComparedWith with) {
  constexpr std::array<std::string_view, 3> words = {"print", "own arithmetic", "nothing"};
  return words[static_cast<std::size_t>(with)];
}

std::string_view word_of(ItemState state) {
  return state == ItemState::part ? std::string_view("part") : words_of(state);
}

std::string_view words_of(ItemState state) {
  constexpr std::array<std::string_view, 3> words = {"reproduced", "reproduced in part", "differs"};
  return words[static_cast<std::size_t>(state)];
}

std::string text_of(const Tolerance& tolerance) {
  return fmt::format("{:.4g} %: {}", tolerance.percent, tolerance.reason);
}

std::vector<std::string> complaints(const Verdict& verdict) {
  const auto value = [](std::string_view text) { return text.empty() ? std::string_view("no value") : text; };
  std::vector<std::string> sentences;
  for (const Check* const check : verdict.unlisted) {
    const auto moved = std::ranges::find(verdict.moved, check->statement, &KnownDifference::check);
    sentences.push_back(moved == verdict.moved.end()
                            ? fmt::format("\"{}\" differs and is not among the known differences", check->statement)
                            : fmt::format("\"{}\" is a known difference of {} from {} in print, and is now {} from {}",
                                          check->statement, value((*moved)->ours), value((*moved)->printed),
                                          value(check->reached), value(check->published)));
  }
  for (const KnownDifference* const row : verdict.no_longer) {
    sentences.push_back(fmt::format("\"{}\" is among the known differences and does not differ", row->check));
  }
  for (const KnownDifference* const row : verdict.nonexistent) {
    sentences.push_back(fmt::format("\"{}\" is among the known differences and is no check", row->check));
  }
  return sentences;
}

}  // namespace ecube
