// SPDX-License-Identifier: Apache-2.0
// Each formula of the theory of exchanges, made wrong, is found to be wrong by the check that it belongs to.
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
constexpr auto plus = [](double more) { return [more](auto result) { return result + more; }; };

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
  no("Property 7: all", [](BokhariFormulas& by) { by.meeting = changed(by.meeting, times(2)); });
  no("Property 7: Direct", [](BokhariFormulas& by) { by.excess = changed(by.excess, times(2)); });
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
  no("Theta(log d)", [](BokhariFormulas& by) {
    by.search = [](std::span<const Wide> from, Wide block) {
      const auto after = std::find_if(from.begin(), from.end(), [&](Wide first) { return first > block; });
      const auto place = static_cast<std::size_t>(after - from.begin()) - 1;
      return std::pair(place, static_cast<unsigned>(place + 2));
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
  no.expect_all();
}

TEST(TheoryOfNicolAndBokhari, WrongFormulasShow) {
  Shown<NicolFormulas> no("nicol-analysis", nicol_analysis_by);
  no("concave up to x*", [](NicolFormulas& by) { by.turn = changed(by.turn, plus(1)); });
  no({"A_d rises or falls", "are better merged", "Theorem 1(i)"},
     [](NicolFormulas& by) { by.merge_below = changed(by.merge_below, times(16)); });
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

}  // namespace
}  // namespace theory_test
