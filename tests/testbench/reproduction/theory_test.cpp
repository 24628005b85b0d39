// SPDX-License-Identifier: Apache-2.0
// Each formula of the papers' theory, made wrong, is found to be wrong by the check that it belongs to.
#include "testbench/reproduction/theory.h"

#include <bit>

#include "tests/test.h"

namespace theory_test {
namespace {

using namespace ecube;

/// Whether the check whose statement has these words agrees. There is one at least.
bool agrees(const Reproduction& result, std::string_view words) {
  std::vector<Check> found = result.checks;
  std::erase_if(found, [&](const Check& check) { return check.statement.find(words) == std::string::npos; });
  EXPECT_FALSE(found.empty()) << words;
  return std::ranges::all_of(found, &Check::agrees);
}

/// The checks of some formulas, and which of them have been seen to say no of wrong ones.
template <class Formulas>
class Shown {
 public:
  explicit Shown(std::string_view id, void (*evaluate)(Findings&, const Formulas&))
      : id_(id), evaluate_(evaluate), right_(checked({})) {}

  [[nodiscard]] Findings checked(const Formulas& by) const {
    Findings result(id_);
    evaluate_(result, by);
    result.add_statements();
    return result;
  }

  /// The checks with each of these words say no of formulas that are spoilt so.
  template <class Spoil>
  void operator()(std::initializer_list<std::string_view> all, const Spoil& spoil) {
    Formulas wrong;
    spoil(wrong);
    const Findings result = checked(wrong);
    for (const std::string_view words : all) {
      EXPECT_TRUE(agrees(right_, words)) << words;
      EXPECT_FALSE(agrees(result, words)) << words;
    }
    for (const Check& check : result.checks) {
      if (check.state() == CheckState::differs) said_no_.insert(check.statement);
    }
  }
  template <class Spoil>
  void operator()(std::string_view words, const Spoil& spoil) {
    (*this)({words}, spoil);
  }
  /// Each check has said no, of something wrong or of what is printed.
  void expect_all() const {
    for (const Check& check : right_.checks) {
      if (check.compared_with == ComparedWith::nothing) continue;
      EXPECT_TRUE(said_no_.contains(check.statement)) << check.statement;
    }
  }

 private:
  std::string_view id_;
  void (*evaluate_)(Findings&, const Formulas&);
  Findings right_;
  std::set<std::string> said_no_;
};

/// A formula whose results are changed.
template <class Result, class... Given, class Change>
std::function<Result(Given...)> changed(const std::function<Result(Given...)>& right, const Change& change) {
  return [right, change](Given... given) -> Result { return change(right(given...)); };
}
constexpr auto times = [](double factor) { return [factor](auto result) { return result * factor; }; };

TEST(TheoryOfVanDeGeijn, WrongFormulasShow) {
  Shown<CombineFormulas> no("vdg-lemma2", combine_lemma_by);
  const auto more = [](CombineFormulas::Formula& formula) { formula = changed(formula, times(1.01)); };
  no("Version 1 takes", [&](CombineFormulas& by) { more(by.version_1); });
  no("Lemma 2(1)", [&](CombineFormulas& by) { more(by.version_2); });
  no("half-duplex", [&](CombineFormulas& by) { more(by.version_2); });
  no("Lemma 2(2)", [&](CombineFormulas& by) { more(by.version_3); });
  no("Version 3 at", [&](CombineFormulas& by) { more(by.version_3); });
  no("Corollary 4", [](CombineFormulas& by) {
    by.corollary_4 = [right = by.corollary_4](const CombineRates& at, double items, unsigned dim, unsigned k) {
      return right(at, items, dim, k < dim ? k + 1 : k - 1);
    };
  });
  no("(p - 1)/log2 p", [](CombineFormulas& by) { by.speed_up = [](unsigned dim) { return std::exp2(dim) / dim; }; });
  no("Lemma 2(3)", [](CombineFormulas& by) {
    by.full_step = [](const CombineRates&, double startup, double items) { return startup + 1e6 / items; };
  });
  no("Lemma 2(4)", [](CombineFormulas& by) { by.full_leaves = changed(by.full_leaves, times(0.5)); });
  no("Lemma 2(5)", [](CombineFormulas& by) { by.halving_leaves = changed(by.halving_leaves, times(1.5)); });
  no("short start-ups", [](CombineFormulas& by) { by.startup_by_length = [](double /*items*/) { return 480; }; });
  no("Figures 4 and 6", [](CombineFormulas& by) { by.halve_from = changed(by.halve_from, times(2)); });
  no("case 2a: the same, reversed", [](CombineFormulas& by) {
    by.case_2a = changed(by.case_2a, [](const auto& sides) { return std::pair(sides.second, sides.first); });
  });
  no.expect_all();
}

TEST(TheoryOfJohnssonAndHo, WrongFormulasShow) {
  Shown<ShuffleFormulas> bounds("jh-bounds", shuffle_bounds_by);
  bounds("M (log M)!",
         [](ShuffleFormulas& by) { by.permutations = [](double elements) { return elements * elements; }; });
  bounds("2^(m - sigma)", [](ShuffleFormulas& by) { by.copies = [](unsigned dim, unsigned) { return dim; }; });
  bounds("start-ups of Lemma 2: real",
         [](ShuffleFormulas& by) { by.startups = [](unsigned real, unsigned) { return real; }; });
  const auto more_data = [](ShuffleFormulas& by) {
    by.data = [right = by.data](unsigned storage, unsigned real, bool one_port) {
      return right(storage, real, one_port) * (storage + 2) / (storage + 1);
    };
  };
  bounds({"data, one port", "data, n ports", "Lemma 1: all"}, more_data);
  bounds("virtual permutations",
         [](ShuffleFormulas& by) { by.virtual_storage = [](unsigned order) { return order - 1; }; });
  bounds({"K/2 steps are too few", "K/2 + 1 steps", "ceil(3K/4)"}, [](ShuffleFormulas& by) { by.way_round = 1; });
  bounds("where one subcube alone", [](ShuffleFormulas& by) {
    by.data = [](unsigned /*storage*/, unsigned /*real*/, bool /*one_port*/) { return 0; };
  });
  bounds("Corollary 2 with",
         [](ShuffleFormulas& by) { by.corrected_expansion = changed(by.corrected_expansion, times(1.5)); });
  bounds("disjoint paths", [](ShuffleFormulas& by) { by.detour = 1; });
  Shown<ShuffleFormulas> sequences("jh-sequences", shuffle_sequences_by);
  constexpr auto backwards = [](auto list) {
    std::reverse(list.begin(), list.end());
    list.push_back(list.front());
    return list;
  };
  constexpr std::string_view names[] = {"sequence of adjacent", "sequence of a fixed", "sequence of an extra"};
  for (std::size_t which = 0; which < 3; ++which) {
    sequences(names[which],
              [&](ShuffleFormulas& by) { by.sequences[which] = changed(by.sequences[which], backwards); });
  }
  sequences({"start elsewhere: with", "before the end"},
            [&](ShuffleFormulas& by) { by.synchronised = changed(by.synchronised, backwards); });
  sequences({"half of A1", "A2 holds"},
            [&](ShuffleFormulas& by) { by.real_dimensions = changed(by.real_dimensions, backwards); });
  sequences({"addresses after each aligned", "aligned on v alone"},
            [](ShuffleFormulas& by) { by.aligned = [](unsigned node, unsigned value) { return value & ~node; }; });
  sequences({"vector reversal", "bit reversal", "a shuffle is", "transposition of 2^p", "consecutive to"},
            [](ShuffleFormulas& by) {
              by.named = [](std::string_view name, unsigned dim, std::uint64_t elements) {
                return DimensionPermutation::named(name == "bit-reversal" ? "vector-reversal" : "bit-reversal", dim,
                                                   elements);
              };
            });
  sequences("even orders", [](ShuffleFormulas& by) { by.elsewhere = [](unsigned order) { return 2 * (order - 1); }; });
  sequences({"reshaping", "multi-sectioning"}, [](ShuffleFormulas& by) {
    by.place = [right = by.place](const SectionedArray& array, unsigned element) {
      return (right(array, element) + 3) % (1U << (array.rows + array.columns));
    };
  });
  sequences("even and odd data", [](ShuffleFormulas& by) { by.crosses = std::equal_to<unsigned>(); });
  sequences("with \"or\"", [](ShuffleFormulas& by) {
    by.theorem_1 = [right = by.theorem_1](unsigned order, unsigned pairs) {
      return order <= 3 && pairs > 4 ? pairs + 2 : right(order, pairs);
    };
  });
  sequences("never takes fewer", [](ShuffleFormulas& by) {
    by.a1_pipelined = changed(by.a1_pipelined, [](unsigned steps) { return steps / 2; });
  });
  sequences("complements:", [](ShuffleFormulas& by) {
    by.crosses_complemented = [](unsigned bit, unsigned local, bool /*flipped*/, bool complement) {
      return (bit != local) != complement;
    };
  });
  sequences({"Table 3: no other packet takes", "B_opt of A2^2"}, [](ShuffleFormulas& by) {
    for (auto& best : by.best_packets) best = changed(best, times(0.5));
  });
  sequences("linear in",
            [](ShuffleFormulas& by) { by.a1_one_port = [](unsigned order, unsigned pairs) { return order * pairs; }; });
  sequences("an AAPC", [](ShuffleFormulas& by) {
    by.exchanged = [](unsigned address, unsigned /*dim*/) { return address ^ 1U; };
  });
  ShuffleFormulas corrected;
  corrected.pairs_of_three = {{0b000, 0b111}, {0b001, 0b110}, {0b010, 0b101}, {0b011, 0b100}};
  EXPECT_TRUE(agrees(sequences.checked(corrected), "pairs of three"));
  bounds.expect_all();
  sequences.expect_all();
}

}  // namespace
}  // namespace theory_test
