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

  /// The checks with each of these words say no of formulas that are spoilt so, or of what is planted.
  template <class Spoil>
  void operator()(std::initializer_list<std::string_view> all, const Spoil& spoil) {
    Formulas wrong;
    spoil(wrong);
    const Findings result = checked(wrong);
    planted() = {};
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

TEST(TheoryOfBokhari, WrongFormulasShow) {
  Shown<BokhariFormulas> no("bokhari-times", bokhari_times_by);
  const auto more_startups = [](BokhariFormulas& by) {
    by.phase = changed(by.phase, [](const bokhari::Line& line) {
      return bokhari::Line{line.slope, line.intercept + 9};
    });
  };
  no({"(4)", "(5) and (7)", "Property 8", "lines of the five", "{1111} and {22}"}, more_startups);
  no("{4} and {22}", [](BokhariFormulas& by) {
    by.phase = [right = by.phase](unsigned part, unsigned dim, const ExchangeRates& at) {
      return right(part, dim, {at.message, at.tau, at.rho / 2});
    };
  });
  no("positive slope", [](BokhariFormulas& by) {
    by.sums = changed(by.sums, [](const bokhari::Line& line) { return bokhari::Line{-line.slope, line.intercept}; });
  });
  no("Property 7: all", [](BokhariFormulas&) { planted() = {"meeting", "x2"}; });
  no("Property 7: Direct", [](BokhariFormulas&) { planted() = {"excess over Direct", "x2"}; });
  no("Theorem 3", [](BokhariFormulas& by) {
    by.sums = [right = by.sums](const Partition& parts, unsigned dim, const ExchangeRates& at) {
      return bokhari::Line{right(parts, dim, at).slope, parts.parts()[0] * at.message};
    };
  });
  no("Property 7: only", [](BokhariFormulas& by) {
    by.sums = [right = by.sums](const Partition& parts, unsigned dim, const ExchangeRates& at) {
      const bool apart = parts.size() == 2 && parts.parts()[0] > parts.parts()[1] + 1;
      return right(parts, dim, apart ? ExchangeRates{at.message / 2, at.tau / 2, at.rho / 2} : at);
    };
  });
  no({"Property 4, proof", "(8) to (13)", "(14) with", "(15)"}, [](BokhariFormulas& by) {
    by.equipartition = [](unsigned e, unsigned n) {
      const Partition right = Partition::equipartition(e, n);
      std::vector<unsigned> parts(right.parts().begin(), right.parts().end());
      if (n % 2 == 0 && parts.back() > 1) {
        ++parts.front();
        --parts.back();
      }
      return Partition(parts);
    };
  });
  no("two faces at most", [](BokhariFormulas& by) {
    by.sums = [](const Partition& parts, unsigned /*dim*/, const ExchangeRates& /*at*/) {
      const auto n = static_cast<double>(parts.size());
      return bokhari::Line{n * n, 1e6 / n};
    };
  });
  no("Theta(log d)", [](BokhariFormulas&) { planted() = {"comparisons", "x9"}; });
  no("Schur-convex", [](BokhariFormulas&) { planted() = {"sum of powers", "x-1"}; });
  no("Theta(sqrt d)", [](BokhariFormulas& by) {
    by.candidates = [](unsigned dim) {
      std::set<unsigned> all;
      for (unsigned n = 1; n <= dim; ++n) all.insert(n);
      return all;
    };
  });
  no("Theta(sqrt d)", [](BokhariFormulas& by) {
    by.candidates = changed(by.candidates, [](std::set<unsigned> found) {
      found.erase(found.begin());
      return found;
    });
  });
  no.expect_all();
}

TEST(TheoryOfNicolAndBokhari, WrongFormulasShow) {
  Shown<NicolFormulas> no("nicol-analysis", nicol_analysis_by);
  no("concave up to x*", [](NicolFormulas&) { planted() = {"x*", "+1"}; });
  no({"A_d rises or falls", "are better merged", "Theorem 1(i)"}, [](NicolFormulas&) {
    planted() = {"merged below", "x16"};
  });
  no("Delta_d rises",
     [](NicolFormulas& by) { by.phase = [](const Startup& at, double x) { return -x * x * at.ratio; }; });
  no("equation of s*", [](NicolFormulas&) { planted() = {"equation of s*", "+0.01"}; });
  no("Lemma 1: s* exists", [](NicolFormulas&) { planted() = {"Direct up to", "x0.5"}; });
  no("Lemma 1: Direct", [](NicolFormulas&) { planted() = {"Direct up to", "x8"}; });
  no("Lemma 1: Standard", [](NicolFormulas&) { planted() = {"Standard from", "x0.5"}; });
  no("Lemma 1: s* is not below", [](NicolFormulas&) { planted() = {"s-bar", "+1"}; });
  no("Theorem 3: k* <= (2d + 2)", [](NicolFormulas&) { planted() = {"most phases", "x0.1"}; });
  no("Theorem 3: the bound is 2", [](NicolFormulas&) { planted() = {"most phases", "x2"}; });
  // Without a shuffle, one message more a phase: many phases no longer pay as the paper's P_d has it.
  no({"P_d rises", "Theorem 1(ii)", "Corollary 1: two", "Theorem 2: no", "a barrier at each step"},
     [](NicolFormulas& by) {
       by.phase = [right = by.phase](const Startup& at, double x) {
         const double odd = std::abs(std::fmod(x + 1, 4) - 2);  // 1 at 0 and 2, 2 at 3, ..
         return right(at, x) * (1 + 6 * odd * odd);
       };
     });
  no.expect_all();
}

TEST(TheoryOfBlocks, AnotherShuffleOrPartnerShows) {
  Shown<ExchangeCode> no("nicol-blocks", nicol_blocks_by);
  const auto unshuffle = [](ExchangeCode& code) {
    code.shuffle = [](NodeId slot, unsigned dim) { return slot / 2 + (slot % 2 << (dim - 1)); };
  };
  no({"Standard as printed", "bit j clear", "Multiphase as printed", "popcount"}, unshuffle);
  no("d shuffles", [](ExchangeCode& code) {
    code.shuffle = [](NodeId slot, unsigned dim) { return (slot + 1) % (NodeId{1} << dim); };
  });
  no("single links", [](ExchangeCode& code) {
    code.partner = [](NodeId node, NodeId step, unsigned stop) { return node ^ (stop == 0 ? step : 3U << (stop - 1)); };
  });
  // Where all four dimensions change, halves of addresses are exchanged: 0011 and 0001 meet on the way to 1100 and
  // 0100.
  no("no step loads a link twice", [](ExchangeCode& code) {
    code.partner = [](NodeId node, NodeId step, unsigned stop) {
      const NodeId halves = (node & 0b1100U) >> 2U | (node & 0b0011U) << 2U;
      return stop == 0 && step == 0b1111 ? (node & ~0b1111U) | halves : node ^ step << stop;
    };
  });
  no("blocks have to be sent",
     [](ExchangeCode& code) { code.shuffle = [](NodeId slot, unsigned /*dim*/) { return slot; }; });
  no("messages of", [](ExchangeCode& code) {
    code.partner = [](NodeId node, NodeId step, unsigned stop) {
      return node ^ (step + (step > 1 ? 1U : 0U)) % 4 << stop;
    };
  });
  no.expect_all();
}

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
