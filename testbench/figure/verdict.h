// SPDX-License-Identifier: Apache-2.0
// Checks of a reproduced result, and the verdict from them: each check agrees, differs, or has no number in print.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ecube {

/// print: a number, formula, table entry or statement of the paper. own_arithmetic: numbers worked out by hand from
/// what the paper prints, or another computation of this project. nothing: our source of the paper has no number.
enum class ComparedWith : std::uint8_t { print, own_arithmetic, nothing };
inline constexpr auto print = ComparedWith::print;
inline constexpr auto ours = ComparedWith::own_arithmetic;

enum class CheckState : std::uint8_t { agrees, differs, no_number };

/// How far from the published number a result may be and still agree, and why so far.
struct Tolerance {
  double percent = 0;
  std::string_view reason;
};

/// Of counts, and of numbers that are worked out with the printed parameters.
inline constexpr Tolerance exactly = {0, "a whole number"};
inline constexpr Tolerance set_to_print = {0.03, "the preset is set to what is printed, in whole cycles"};
inline constexpr Tolerance read_off = {10, "the text says \"about\" of what it reads off a plot"};

/// One statement of the paper beside the value reached.
struct Check {
  std::string statement;  ///< unique within its item
  ComparedWith compared_with = ComparedWith::print;
  std::string published{};  ///< the value in print, or worked out by hand
  std::string reached{};    ///< by calculation or on the machine
  bool agrees = false;      ///< without meaning where nothing is compared
  /// Of numbers: (reached - published) / published, or the distance from the nearer end of a printed range.
  std::optional<double> distance_percent{};
  std::optional<Tolerance> tolerance{};

  [[nodiscard]] CheckState state() const {
    if (compared_with == ComparedWith::nothing) return CheckState::no_number;
    return agrees ? CheckState::agrees : CheckState::differs;
  }
};

/// Agrees if |reached - published| <= tolerance.percent of |published|.
[[nodiscard]] Check number_check(ComparedWith with, std::string statement, double published, double reached,
                                 Tolerance tolerance, std::string_view unit);
/// Agrees if least <= reached <= most: the paper gives a range.
[[nodiscard]] Check range_check(ComparedWith with, std::string statement, double least, double most, double reached,
                                std::string_view unit);
/// Agrees if both texts are equal.
[[nodiscard]] Check text_check(ComparedWith with, std::string statement, std::string published, std::string reached);
/// Agrees if `holds`.
[[nodiscard]] Check statement_check(ComparedWith with, std::string statement, bool holds, std::string reached = {});
/// The paper, or our copy of it, has no number to compare with.
[[nodiscard]] Check no_number_check(std::string statement, std::string reached = {});

/// reproduced: every check agrees, some of them with print, and none lacks a printed number. differs: no check agrees
/// with print, and one differs. part: everything between.
enum class ItemState : std::uint8_t { reproduced, part, differs };

[[nodiscard]] ItemState state_of(std::span<const Check> checks);

/// A difference from print that is understood. `item` and `check` name it; `printed` and `ours` are its two values, and
/// another value of either is another difference.
struct KnownDifference {
  std::string_view item;
  std::string_view check;
  std::string_view printed;
  std::string_view ours;
  std::string_view reason;
};

/// An item's state, and how its differences compare with those on file.
struct Verdict {
  ItemState state = ItemState::reproduced;
  std::vector<const KnownDifference*> known;  ///< of checks that differ, with the values on file
  /// Why the verdict is not the one on file, a sentence for each cause: a check differs that is not on file, or not
  /// with these values; one on file does not differ, or is no check.
  std::vector<std::string> complaints;

  /// Whether the checks that differ are exactly those on file.
  [[nodiscard]] bool as_on_file() const { return complaints.empty(); }
};

/// The result points into `file`; only the rows of `item` in it count.
[[nodiscard]] Verdict verdict_of(std::string_view item, std::span<const Check> checks,
                                 std::span<const KnownDifference> file);

/// The verdicts of a list of items, counted.
struct VerdictCounts {
  std::array<std::size_t, 3> items{};                  ///< by ItemState
  std::array<std::array<std::size_t, 3>, 3> checks{};  ///< by ComparedWith and CheckState
  std::size_t not_on_file = 0;                         ///< items

  void add(const Verdict& verdict, std::span<const Check> all);
  [[nodiscard]] std::size_t of(ItemState state) const { return items[static_cast<std::size_t>(state)]; }
  [[nodiscard]] std::size_t of(ComparedWith with, CheckState state) const {
    return checks[static_cast<std::size_t>(with)][static_cast<std::size_t>(state)];
  }
};

/// "30 items: 12 reproduced, 17 reproduced in part, 1 differs", the checks, and whether the verdicts are those on file.
[[nodiscard]] std::vector<std::string> lines_of(const VerdictCounts& counts);

[[nodiscard]] constexpr std::string_view words_of(CheckState state) {
  return std::array{"agrees", "differs", "no number in print"}[static_cast<std::size_t>(state)];
}
[[nodiscard]] constexpr std::string_view words_of(ComparedWith with) {
  return std::array{"print", "own arithmetic", "nothing"}[static_cast<std::size_t>(with)];
}
[[nodiscard]] constexpr std::string_view words_of(ItemState state) {
  return std::array{"reproduced", "reproduced in part", "differs"}[static_cast<std::size_t>(state)];
}
/// "part" for short.
[[nodiscard]] constexpr std::string_view word_of(ItemState state) {
  return state == ItemState::part ? "part" : words_of(state);
}

/// "1.5 %: REASON"
[[nodiscard]] std::string text_of(const Tolerance& tolerance);

}  // namespace ecube
