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
  std::size_t found = 0;
  bool all = true;
  for (const Check& check : result.checks) {
    if (check.statement.find(words) == std::string::npos) continue;
    ++found;
    all = all && check.agrees;
  }
  EXPECT_GT(found, 0U) << words;
  return all;
}

/// What the checks say of the right formulas, worked out once.
template <class Formulas>
const Reproduction& right_by(Reproduction (*evaluate)(const Formulas&)) {
  static std::map<Reproduction (*)(const Formulas&), Reproduction> done;
  const auto [found, fresh] = done.try_emplace(evaluate);
  if (fresh) found->second = evaluate({});
  return found->second;
}

template <class Formulas, class Spoil>
void expect_no(Reproduction (*evaluate)(const Formulas&), std::string_view words, const Spoil& spoil) {
  EXPECT_TRUE(agrees(right_by(evaluate), words)) << words;
  Formulas wrong;
  spoil(wrong);
  EXPECT_FALSE(agrees(evaluate(wrong), words)) << words;
}

/// A formula whose results are changed.
template <class Result, class... Given, class Change>
std::function<Result(Given...)> changed(const std::function<Result(Given...)>& right, const Change& change) {
  return [right, change](Given... given) -> Result { return change(right(given...)); };
}
constexpr auto times = [](double factor) { return [factor](auto result) { return result * factor; }; };
constexpr auto plus = [](double more) { return [more](auto result) { return result + more; }; };

TEST(TheoryOfBokhari, WrongFormulasShow) {
  const auto no = [](std::string_view words, const auto& spoil) {
    expect_no<BokhariFormulas>(bokhari_times_by, words, spoil);
  };
  const auto more_startups = [](BokhariFormulas& by) {
    by.phase = changed(by.phase, [](const bokhari::Line& line) {
      return bokhari::Line{line.slope, line.intercept + 9};
    });
  };
  for (const std::string_view words : {"(4)", "(5) and (7)", "Property 8", "lines of the five", "{1111} and {22}"}) {
    no(words, more_startups);
  }
  no("{4} and {22}", [](BokhariFormulas& by) {
    by.phase = [right = by.phase](unsigned part, unsigned dim, const ExchangeRates& at) {
      return right(part, dim, {at.message, at.tau, at.rho / 2});
    };
  });
  no("positive slope", [](BokhariFormulas& by) {
    by.sums = changed(by.sums, [](const bokhari::Line& line) { return bokhari::Line{-line.slope, line.intercept}; });
  });
  no("Property 7: all", [](BokhariFormulas& by) { by.meeting = changed(by.meeting, times(2)); });
  no("Property 7: Direct", [](BokhariFormulas& by) { by.excess = changed(by.excess, times(2)); });
  no("Theorem 3", [](BokhariFormulas& by) {
    by.sums = [right = by.sums](const Partition& parts, unsigned dim, const ExchangeRates& at) {
      return bokhari::Line{right(parts, dim, at).slope, parts.parts()[0] * at.message};
    };
  });
  no("Schur-convex", [](BokhariFormulas& by) { by.convex = {[](double x) { return std::sqrt(x); }}; });
  no("Theta(sqrt d)", [](BokhariFormulas& by) {
    by.candidates = [](unsigned dim) {
      std::vector<unsigned> all(dim);
      std::iota(all.begin(), all.end(), 1U);
      return all;
    };
  });
  no("Theta(sqrt d)", [](BokhariFormulas& by) {
    by.candidates = changed(by.candidates, [](std::vector<unsigned> found) {
      found.erase(found.begin());
      return found;
    });
  });
}

TEST(TheoryOfNicolAndBokhari, WrongFormulasShow) {
  const auto no = [](std::string_view words, const auto& spoil) {
    expect_no<NicolFormulas>(nicol_analysis_by, words, spoil);
  };
  no("concave up to x*", [](NicolFormulas& by) { by.turn = changed(by.turn, plus(1)); });
  for (const std::string_view words : {"A_d rises or falls", "are better merged", "Theorem 1(i)"}) {
    no(words, [](NicolFormulas& by) { by.merge_below = changed(by.merge_below, times(16)); });
  }
  no("Delta_d rises", [](NicolFormulas& by) {
    by.s_bar = [](const Startup&) { return 1.0; };
    by.phase = [](const Startup& at, double x) { return -x * x * at.ratio; };
  });
  no("equation of s*", [](NicolFormulas& by) { by.ratio_at = changed(by.ratio_at, plus(0.01)); });
  no("Lemma 1: s* exists", [](NicolFormulas& by) { by.direct_up_to = changed(by.direct_up_to, times(0.5)); });
  no("Lemma 1: Direct", [](NicolFormulas& by) { by.direct_up_to = changed(by.direct_up_to, times(8)); });
  no("Lemma 1: Standard", [](NicolFormulas& by) { by.standard_from = changed(by.standard_from, times(0.5)); });
  no("Lemma 1: s* is not below", [](NicolFormulas& by) { by.s_bar = changed(by.s_bar, plus(1)); });
  no("Theorem 3: k* <= (2d + 2)",
     [](NicolFormulas& by) { by.most_phases = [](unsigned dim, double s) { return dim / s; }; });
  no("Theorem 3: the bound is 2",
     [](NicolFormulas& by) { by.most_phases = [](unsigned dim, double s) { return 4.0 * dim / s; }; });
  // Without a shuffle, one message more a phase: many phases no longer pay as the paper's P_d has it.
  for (const std::string_view words :
       {"P_d rises", "Theorem 1(ii)", "Corollary 1: two", "Theorem 2: no", "a barrier at each step"}) {
    no(words, [](NicolFormulas& by) {
      by.phase = [right = by.phase](const Startup& at, double x) {
        const double odd = std::abs(std::fmod(x + 1, 4) - 2);  // 1 at 0 and 2, 2 at 3, ..
        return right(at, x) * (1 + 6 * odd * odd);
      };
    });
  }
}

TEST(TheoryOfBlocks, AnotherShuffleOrPartnerShows) {
  const auto no = [](std::string_view words, const auto& spoil) {
    expect_no<ExchangeCode>(nicol_blocks_by, words, spoil);
  };
  const auto unshuffle = [](ExchangeCode& code) {
    code.shuffle = [](NodeId slot, unsigned dim) { return slot / 2 + (slot % 2 << (dim - 1)); };
  };
  for (const std::string_view words : {"Standard as printed", "bit j clear", "Multiphase as printed", "popcount"}) {
    no(words, unshuffle);
  }
  no("d shuffles", [](ExchangeCode& code) {
    code.shuffle = [](NodeId slot, unsigned dim) { return (slot + 1) % (NodeId{1} << dim); };
  });
  no("messages of", [](ExchangeCode& code) {
    code.partner = [](NodeId node, NodeId step, unsigned stop) {
      return node ^ (step + (step > 1 ? 1U : 0U)) % 4 << stop;
    };
  });
}

TEST(TheoryOfVanDeGeijn, WrongFormulasShow) {
  const auto no = [](std::string_view words, const auto& spoil) {
    expect_no<CombineFormulas>(combine_lemma_by, words, spoil);
  };
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
  no("case 2a: the same, reversed", [](CombineFormulas& by) {
    by.case_2a = changed(by.case_2a, [](const auto& sides) { return std::pair(sides.second, sides.first); });
  });
}

TEST(TheoryOfJohnssonAndHo, WrongFormulasShow) {
  const auto bounds = [](std::string_view words, const auto& spoil) {
    expect_no<ShuffleFormulas>(shuffle_bounds_by, words, spoil);
  };
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
  for (const std::string_view words : {"data, one port", "data, n ports", "Lemma 1: all"}) bounds(words, more_data);
  bounds("virtual permutations",
         [](ShuffleFormulas& by) { by.virtual_storage = [](unsigned order) { return order - 1; }; });
  for (const std::string_view words : {"K/2 steps are too few", "K/2 + 1 steps", "ceil(3K/4)"}) {
    bounds(words, [](ShuffleFormulas& by) { by.way_round = 1; });
  }
  bounds("disjoint paths", [](ShuffleFormulas& by) { by.detour = 1; });
  const auto sequences = [](std::string_view words, const auto& spoil) {
    expect_no<ShuffleFormulas>(shuffle_sequences_by, words, spoil);
  };
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
  for (const std::string_view words : {"start elsewhere: with", "before the end"}) {
    sequences(words, [&](ShuffleFormulas& by) { by.synchronised = changed(by.synchronised, backwards); });
  }
  for (const std::string_view words : {"half of A1", "A2 holds"}) {
    sequences(words, [&](ShuffleFormulas& by) { by.real_dimensions = changed(by.real_dimensions, backwards); });
  }
  for (const std::string_view words : {"addresses after each aligned", "aligned on v alone"}) {
    sequences(words,
              [](ShuffleFormulas& by) { by.aligned = [](unsigned node, unsigned value) { return value & ~node; }; });
  }
  for (const std::string_view words :
       {"vector reversal", "bit reversal", "a shuffle is", "transposition of 2^p", "consecutive to"}) {
    sequences(words, [](ShuffleFormulas& by) {
      by.named = [](std::string_view name, unsigned dim, std::uint64_t elements) {
        return DimensionPermutation::named(name == "bit-reversal" ? "vector-reversal" : "bit-reversal", dim, elements);
      };
    });
  }
  sequences("even orders", [](ShuffleFormulas& by) { by.elsewhere = [](unsigned order) { return 2 * (order - 1); }; });
  for (const std::string_view words : {"reshaping", "multi-sectioning"}) {
    sequences(words, [](ShuffleFormulas& by) {
      by.place = [right = by.place](const SectionedArray& array, unsigned element) {
        return (right(array, element) + 3) % (1U << (array.rows + array.columns));
      };
    });
  }
  ShuffleFormulas corrected;
  corrected.pairs_of_three = {{0b000, 0b111}, {0b001, 0b110}, {0b010, 0b101}, {0b011, 0b100}};
  EXPECT_TRUE(agrees(shuffle_sequences_by(corrected), "pairs of three"));
}

}  // namespace
}  // namespace theory_test
