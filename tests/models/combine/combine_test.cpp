// SPDX-License-Identifier: Apache-2.0
// Strategies of the global combine and their equations, against closed forms and a search over all strategies.
#include "models/combine/combine_cost.h"
#include "models/machine/error.h"
#include "tests/planted.h"
#include "tests/test.h"

namespace ecube::combine_test {
namespace {

Ports ports(std::uint32_t engines) { return Ports{.engines = engines}; }

CombineParameters parameters(double alpha, double beta, double gamma) {
  CombineParameters p;
  p.exchange = {.alpha_zero_us = alpha, .alpha_short_us = alpha, .alpha_us = alpha, .beta_us_per_item = beta};
  p.one_way = p.exchange;
  p.gamma_us_per_item = gamma;
  return p;
}

/// Corollary 4 (van de Geijn 1991): 2(d-k) alpha + (1 - 2^-(d-k)) n (2 beta + gamma)
/// + k (alpha + 2^-(d-k) n (beta + gamma)).
double corollary_4(unsigned dim, unsigned k, double items, double alpha, double beta, double gamma) {
  const unsigned halvings = dim - k;
  const double kept = std::ldexp(items, -static_cast<int>(halvings));
  return 2.0 * halvings * alpha + (items - kept) * (2 * beta + gamma) + k * (alpha + kept * (beta + gamma));
}

double cost(const CombineProblem& problem, const CombineParameters& p, const Strategy& strategy) {
  return combine_cost(problem, p, HalvingRule::by(strategy)).terms.total();
}

TEST(CombineParts, GoInDifferentDirectionsAtEveryStepAndEachInAllOfThem) {
  for (unsigned dim = 1; dim <= 8; ++dim)
    for (std::uint32_t engines = 0; engines <= 9; ++engines) {
      const CombineParts parts(ports(engines), dim);
      EXPECT_EQ(parts.count(), engines == 0 ? dim : std::min(engines, dim));
      std::vector<std::set<unsigned>> of_part(parts.count());
      for (unsigned step = 0; step < dim; ++step) {
        std::set<unsigned> at_once;
        for (unsigned part = 0; part < parts.count(); ++part) {
          at_once.insert(parts.direction(part, step));
          of_part[part].insert(parts.direction(part, step));
        }
        EXPECT_EQ(at_once.size(), parts.count());
      }
      for (const auto& directions : of_part) EXPECT_EQ(directions.size(), dim);
    }
}

TEST(CombineParts, OnePortGoesFromTheHighestDirectionToTheLowest) {
  const CombineParts parts(ports(1), 4);
  for (unsigned step = 0; step < 4; ++step) EXPECT_EQ(parts.direction(0, step), 3 - step);
}

TEST(CombineParts, CoverTheVectorAndDifferByAtMostOneItem) {
  for (std::uint64_t items = 0; items < 40; ++items) {
    const CombineParts parts(ports(Ports::n), 6);
    std::uint64_t next = 0;
    for (unsigned part = 0; part < 6; ++part) {
      EXPECT_EQ(parts.items(part, items).first, next);
      next += parts.items(part, items).count;
      EXPECT_LE(parts.items(0, items).count - parts.items(part, items).count, 1U);
    }
    EXPECT_EQ(next, items);
  }
}

TEST(CombineItems, HalvesAreNeighboursAndTheLowerOneIsTheLarger) {
  EXPECT_EQ((Items{10, 7}.lower()), (Items{10, 4}));
  EXPECT_EQ((Items{10, 7}.upper()), (Items{14, 3}));
  EXPECT_EQ((Items{10, 1}.upper()), (Items{11, 0}));
  EXPECT_EQ((Items{10, 0}.lower()), (Items{10, 0}));
}

TEST(CombineStrategy, ReadsDirection0First) {
  const Strategy strategy = Strategy::parse("0011", 4);
  EXPECT_FALSE(strategy.halves(0));
  EXPECT_TRUE(strategy.halves(3));
  EXPECT_EQ(strategy, Strategy::halving_from(2, 4));
  EXPECT_EQ(strategy.name(), "0011");
  EXPECT_EQ(Strategy::full(40).name(), std::string(40, '0'));
  EXPECT_EQ(Strategy::halving_from(17, 100).name(), "0 x 17, 1 x 83");
  EXPECT_EQ(Strategy::all(3).size(), 8U);
}

TEST(CombineStrategy, RefusesOtherDigitsAndLengths) {
  for (const char* digits : {"", "001", "00111", "0021", "0 11", "hybrid"}) {
    EXPECT_HAS(thrown<InputError>([&] { return Strategy::parse(digits, 4); }), "4 digits, 1 to halve");
  }
}

TEST(CombineCost, OfTheThreeVersionsIsThePapersForMultiplesOfP) {
  const double alpha = 525;
  const double beta = 2;
  const double gamma = 0.35;
  const CombineParameters p = parameters(alpha, beta, gamma);
  for (unsigned dim = 1; dim <= 8; ++dim) {
    const std::uint64_t nodes = std::uint64_t{1} << dim;
    for (const std::uint64_t items : {nodes, 3 * nodes, 40 * nodes}) {
      const auto n = static_cast<double>(items);
      const CombineProblem problem{.dim = dim, .items = items, .ports = {}};
      const double v1 = 2.0 * dim * (alpha + n * beta) + dim * n * gamma;
      const double v2 = dim * (alpha + n * beta + n * gamma);
      EXPECT_NEAR(tree_cost(problem, p).terms.total(), v1, 1e-9 * v1);
      CombineProblem to_root = problem;
      to_root.target = CombineTarget::root;
      EXPECT_NEAR(tree_cost(to_root, p).terms.total(), claimed("V26", v2, v1), 1e-9 * v2);
      for (unsigned k = 0; k <= dim; ++k) {  // version 3 with k = 0, version 2 with k = d
        const double hybrid = corollary_4(dim, k, n, alpha, beta, gamma);
        EXPECT_NEAR(cost(problem, p, Strategy::halving_from(k, dim)), hybrid, 1e-9 * hybrid);
        EXPECT_NEAR(cost(to_root, p, Strategy::halving_from(k, dim)), hybrid, 1e-9 * hybrid);
      }
    }
  }
}

TEST(CombineCost, OfUnevenVectorsCountsTheLargerHalves) {
  const double alpha = 7;
  const double beta = 3;
  const double gamma = 1;
  const CombineParameters p = parameters(alpha, beta, gamma);
  for (unsigned dim = 1; dim <= 6; ++dim)
    for (std::uint64_t items = 0; items < 200; ++items)
      for (unsigned k = 0; k <= dim; ++k) {
        const auto ceil_of = [items](unsigned halvings) {
          return std::ceil(std::ldexp(static_cast<double>(items), -static_cast<int>(halvings)));
        };
        double to_all = 2.0 * (dim - k) * alpha + k * (alpha + ceil_of(dim - k) * (beta + gamma));
        double to_root = to_all + (static_cast<double>(items) - ceil_of(dim - k)) * beta;
        for (unsigned i = 1; i <= dim - k; ++i) {
          to_all += (2 * beta + gamma) * ceil_of(i);
          to_root += (beta + gamma) * ceil_of(i);
        }
        CombineProblem problem{.dim = dim, .items = items, .ports = {}};
        EXPECT_NEAR(cost(problem, p, Strategy::halving_from(k, dim)), to_all, 1e-9);
        problem.target = CombineTarget::root;
        EXPECT_NEAR(cost(problem, p, Strategy::halving_from(k, dim)), to_root, 1e-9);
      }
}

TEST(CombineCost, OfManyPortsDividesTransmissionByTheirNumber) {
  const CombineParameters p = parameters(7, 3, 1);
  for (unsigned dim = 1; dim <= 6; ++dim)
    for (std::uint32_t k = 1; k <= dim; ++k) {
      const std::uint64_t items = (std::uint64_t{5} * k) << dim;
      const auto n = static_cast<double>(items);
      for (unsigned from = 0; from <= dim; ++from) {
        EXPECT_NEAR(cost({.dim = dim, .items = items, .ports = ports(k)}, p, Strategy::halving_from(from, dim)),
                    corollary_4(dim, claimed("V43", from, dim), n, 7, claimed("V42", 3.0 / k, 3), 1), 1e-9 * n);
      }
    }
}

TEST(CombineCost, ChargesStartUpsOneAfterTheOtherWhereTheyQueue) {
  const CombineParameters p = parameters(7, 3, 1);
  CombineProblem problem{.dim = 3, .items = 24, .ports = ports(Ports::n)};
  const double overlapped = combine_cost(problem, p, HalvingRule::by(Strategy::full(3))).terms.startup_us;
  problem.startups = Startups::queued;
  const CombineTerms queued = combine_cost(problem, p, HalvingRule::by(Strategy::full(3))).terms;
  EXPECT_EQ(queued.startup_us, overlapped);
  EXPECT_EQ(queued.queued_startup_us, 2 * overlapped);
}

TEST(CombineCost, KnowsTheProcessorsShareOfAlphaWhereStartUpsQueue) {
  // Of alpha = 20 the processor takes 10 and 4, so 6 + 8 beta = 14 are on the wire: start-ups end at 10, 20, 30,
  // messages arrive at 24, 34, 44, receipts 30 .. 34, 34 .. 38, 44 .. 48; one exchange alone takes 28.
  CombineParameters p = parameters(20, 1, 0);
  p.processor = ProcessorTimes{.startup_us = 10, .receipt_us = 4, .startup_zero_us = 10, .receipt_zero_us = 4};
  CombineProblem problem{.dim = 3, .items = 24, .ports = ports(Ports::n), .startups = Startups::queued};
  const CombineTerms all = combine_cost(problem, p, HalvingRule::by(Strategy::full(3))).terms;
  EXPECT_DOUBLE_EQ(all.total(), 3 * 48);
  EXPECT_DOUBLE_EQ(all.queued_startup_us, 3 * (48 - 28));
  // The root starts nothing: three messages arrive at 24, receipts until 36.
  problem.target = CombineTarget::root;
  EXPECT_DOUBLE_EQ(combine_cost(problem, p, HalvingRule::by(Strategy::full(3))).terms.total(), 3 * 36);
  // Parts of 9 and of 8 items: arrivals at 25 and, of the shorter one, at 34, receipts 25 .. 29, 34 .. 38.
  problem = {.dim = 2, .items = 17, .ports = ports(Ports::n), .startups = Startups::queued};
  EXPECT_DOUBLE_EQ(cost(problem, p, Strategy::full(2)), 2 * 38);
  // 2 items are halved, 1 goes to the root as it is. Both arrive at 17, as in the next step; one item is gathered.
  problem = {
      .dim = 2, .items = 3, .ports = ports(Ports::n), .startups = Startups::queued, .target = CombineTarget::root};
  EXPECT_DOUBLE_EQ(combine_cost(problem, p, HalvingRule::down_to(1)).terms.total(), 25 + 25 + 21);
}

/// On a line of 8 nodes partners in directions 2, 1 and 0 are 4, 2 and 1 hops apart, and as many circuits share a link.
TEST(CombineCost, OnALineHasTheHopsAndTheWaitsOfEveryDirection) {
  const std::vector<NodeId> nodes = {0, 1, 2, 3, 4, 5, 6, 7};
  CombineProblem problem{.dim = 3, .items = 10, .ports = {}};
  problem.network = std::make_shared<const LogicalCube>(*Topology::parse("mesh:8"), nodes);
  CombineParameters p = parameters(100, 2, 0);
  p.pad_us_per_item = 2;
  p.hop_us = 3;
  EXPECT_DOUBLE_EQ(cost(problem, p, Strategy::full(3)), 3 * 120 + (3 + 1) * 3 + 3 * (20 + 4 * 3) + (20 + 2 * 3));
  for (problem.items = 0; problem.items < 400; problem.items += 7) {
    const double best = cost(problem, p, best_strategy(problem, p));
    for (const Strategy& other : Strategy::all(3)) EXPECT_LE(best, cost(problem, p, other)) << problem.items;
  }
  // Stored packets do not wait, but are sent again at every hop, each behind an empty message.
  p.stored_us_per_item = 1;
  p.hop_short_us = 2;
  p.synchronised = true;
  problem.items = 10;
  EXPECT_DOUBLE_EQ(cost(problem, p, Strategy::full(3)), 3 * 120 + (3 + 1) * (3 + 2 + 10));
  // Where no start-up takes the processor, nothing queues on two ports, whose parts have other directions in each step.
  problem = {.dim = 3, .items = 64, .ports = ports(2), .network = problem.network};
  const double overlapped = cost(problem, p, Strategy::halving(3));
  problem.startups = Startups::queued;
  p.processor = ProcessorTimes{};
  EXPECT_DOUBLE_EQ(followed_cost(problem, p, HalvingRule::by(Strategy::halving(3)), false).terms.total(), overlapped);
}

TEST(CombineCost, TellsEmptyShortAndPaddedMessagesApart) {
  CombineParameters p = parameters(136, 1.6, 0.35);
  p.exchange.alpha_short_us = 75;
  p.exchange.alpha_zero_us = 64;
  p.short_items = 25;
  p.pad_us_per_item = 1.5;
  const auto full = [&](std::uint64_t items, std::uint64_t pad) {
    return cost({.dim = 1, .items = items, .ports = {}, .pad = pad}, p, Strategy::full(1));
  };
  EXPECT_DOUBLE_EQ(full(0, 0), 64);
  EXPECT_DOUBLE_EQ(full(25, 0), 75 + 25 * 1.95);
  EXPECT_DOUBLE_EQ(full(26, 0), 136 + 26 * 1.95);
  EXPECT_DOUBLE_EQ(full(5, 30), 136 + 5 * 1.95 + 45);
  EXPECT_DOUBLE_EQ(full(0, 10), 75 + 15);
  const CombineCost free = combine_cost({.dim = 1, .items = 9, .ports = {}}, {}, HalvingRule::by(Strategy::full(1)));
  EXPECT_EQ(free.steps[0].items, 9U);
  const CombineProblem uneven = {.dim = 2, .items = 17, .ports = ports(Ports::n)};
  EXPECT_EQ(combine_cost(uneven, {}, HalvingRule::by(Strategy::full(2))).steps[0].items, 9U) << "of 9 and 8";
}

/// A part of `items` items with the steps from `left` down still to go, on the node that keeps the larger halves:
/// the recursion of van de Geijn 1991, section 3.4, per step, for all parts at once.
double recursion(const std::vector<std::uint64_t>& parts, unsigned left, std::uint32_t strategy, bool root,
                 const CombineParameters& p) {
  const auto alpha = [&](const NeighbourCost& c, std::uint64_t items) {
    return items == 0 ? c.alpha_zero_us : items <= p.short_items ? c.alpha_short_us : c.alpha_us;
  };
  const auto message = [&](const NeighbourCost& c, std::uint64_t items) {
    return alpha(c, items) + c.beta_us_per_item * static_cast<double>(items);
  };
  const bool halve = (strategy >> left & 1U) != 0;
  double longest = 0;
  double gather = 0;
  double combining = 0;
  std::vector<std::uint64_t> kept;
  for (const std::uint64_t items : parts) {
    const std::uint64_t mine = halve ? items - items / 2 : items;
    longest = std::max(longest, message(root && !halve ? p.one_way : p.exchange, mine));
    if (halve) gather = std::max(gather, root ? message(p.one_way, items / 2) : message(p.exchange, mine));
    combining += p.gamma_us_per_item * static_cast<double>(mine);
    kept.push_back(mine);
  }
  return longest + combining + gather + (left == 0 ? 0 : recursion(kept, left - 1, strategy, root, p));
}

TEST(CombineBest, IsTheLeastOfAllStrategies) {
  const unsigned seed = 4;
  std::mt19937_64 random(seed);
  const auto pick = [&](std::initializer_list<double> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(random() % values.size()));
  };
  unsigned halving_somewhere = 0;
  for (unsigned trial = 0; trial < random_cases(1500); ++trial) {
    CombineProblem problem;
    problem.dim = 1 + static_cast<unsigned>(random() % 10);
    const std::uint64_t nodes = std::uint64_t{1} << problem.dim;
    const std::uint64_t sizes[] = {0, 1, nodes - 1, nodes, nodes + 1, 3 * nodes + 5, random() % 100'000, 60 * nodes};
    problem.items = sizes[random() % std::size(sizes)];
    problem.ports = ports(static_cast<std::uint32_t>(random() % (problem.dim + 1)));
    problem.target = random() % 2 == 0 ? CombineTarget::all : CombineTarget::root;
    CombineParameters p =
        parameters(pick({0, 1, 75, 136, 525, 10'000}), pick({0, 0.01, 0.4, 2, 50}), pick({0, 0.01, 0.35, 3, 100}));
    if (random() % 2 == 0) {
      p.short_items = random() % 200;
      p.exchange.alpha_short_us *= 0.55;
      p.exchange.alpha_zero_us *= 0.5;
      p.one_way.alpha_us *= 0.7;
      p.one_way.alpha_short_us *= 0.4;
      p.one_way.alpha_zero_us *= 0.35;
    }
    std::vector<std::uint64_t> parts;
    for (unsigned part = 0; part < problem.parts().count(); ++part) {
      parts.push_back(problem.parts().items(part, problem.items).count);
    }
    const bool root = problem.target == CombineTarget::root;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t strategy = 0; strategy < claimed("V13", nodes, nodes / 2); ++strategy) {
      least = std::min(least, recursion(parts, problem.dim - 1, strategy, claimed("V28", root, !root), p));
    }
    const Strategy best = best_strategy(problem, p);
    std::uint32_t bits = 0;
    for (unsigned j = 0; j < problem.dim; ++j) bits |= (best.halves(j) ? 1U : 0U) << j;
    if (bits != 0 && bits != nodes - 1) ++halving_somewhere;
    const double found = recursion(parts, problem.dim - 1, bits, root, p);
    ASSERT_NEAR(found, least, 1e-9 * least) << "seed " << seed << " trial " << trial;
    ASSERT_NEAR(cost(problem, p, best), found, 1e-9 * least) << "seed " << seed << " trial " << trial;
  }
  EXPECT_GT(halving_somewhere, random_cases(200));
}

TEST(CombineBest, IsTheorem1ForMultiplesOfP) {
  for (unsigned dim = 1; dim <= 12; ++dim)
    for (std::uint64_t multiple = 1; multiple < 3000; multiple += 1 + multiple / 3) {
      const std::uint64_t items = multiple << dim;
      for (const double gamma : {0.0, 0.35, 5.0}) {
        const CombineParameters p = parameters(525, 2, gamma);
        const CombineProblem problem{.dim = dim, .items = items, .ports = {}};
        const unsigned k = theorem_1(dim, static_cast<double>(items), 525, 2, gamma);
        EXPECT_NEAR(cost(problem, p, best_strategy(problem, p)),
                    corollary_4(dim, k, static_cast<double>(items), 525, 2, gamma), 1e-6);
      }
    }
}

TEST(CombineBest, SwitchesWhereFigure7Does) {
  // d = 6, alpha 525, beta 2, gamma 0.35: k falls from 6 at these lengths.
  const double from[] = {96'000, 6222.2, 1663.37, 567.57, 215.38, 86.78};
  EXPECT_EQ(theorem_1(6, 86, 525, 2, 0.35), 6U);
  for (unsigned k = 0; k < 6; ++k) {
    EXPECT_EQ(theorem_1(6, from[k] * 1.0001, 525, 2, 0.35), k);
    EXPECT_EQ(theorem_1(6, from[k] * 0.9999, 525, 2, 0.35), k + 1);
  }
  EXPECT_NEAR(corollary_4(6, 6, 320.84, 525, 2, 0.35), corollary_4(6, 0, 320.84, 525, 2, 0.35), 0.05);
  EXPECT_NEAR(corollary_4(6, 6, 320.84, 525, 2, 0.35), 7673.85, 0.05);
}

TEST(CombineBest, AnswersForTenThousandDimensions) {
  const CombineParameters p = parameters(525, 2, 0.35);
  const CombineProblem problem{.dim = 10'000, .items = 1'000'000, .ports = {}};
  const Strategy best = best_strategy(problem, p);
  EXPECT_EQ(best.dim(), 10'000U);
  EXPECT_LT(cost(problem, p, best), cost(problem, p, Strategy::full(10'000)));
}

TEST(CombineRule, AtRunTimeDecidesAsTheorem1ForMultiplesOfP) {
  const CombineParameters p = parameters(525, 2, 0.35);
  for (unsigned dim = 1; dim <= 10; ++dim)
    for (std::uint32_t k = 1; k <= dim; ++k)
      for (std::uint64_t multiple = 1; multiple < 400; multiple += 1 + multiple / 5) {
        const CombineProblem problem{.dim = dim, .items = (multiple * k) << dim, .ports = ports(k)};
        const HalvingRule rule = HalvingRule::run_time(claimed("V23", 525, 52), 2, 0.35, k);
        EXPECT_NEAR(combine_cost(problem, p, rule).terms.total(), cost(problem, p, best_strategy(problem, p)), 1e-6)
            << dim << " " << k << " " << multiple;
      }
  EXPECT_FALSE(HalvingRule::run_time(0, 0, 0, 1).halves(0, 10)) << "where nothing is saved";
}

TEST(CombineRule, HalvesDownToALength) {
  const HalvingRule rule = HalvingRule::down_to(25);
  EXPECT_TRUE(rule.halves(0, 26));
  EXPECT_FALSE(rule.halves(0, 25));
}

TEST(CombineRule, ThatLooksAtLengthsIsCostedOnTheBranchThatTakesLonger) {
  // 3 items: the lower half (2) is exchanged in full, the upper (1) halved once more; the second costs more start-ups.
  const CombineParameters p = parameters(100, 1, 1);
  const HalvingRule odd = HalvingRule::down_to(2);
  const CombineProblem problem{.dim = 2, .items = 5, .ports = {}};
  // 5 -> 3 | 2; 3 is halved (2 | 1), 2 is not: 100+3+3, 100+2+2, 100+2, 100+3 against 100+3+2, 100+2+2, 100+3.
  EXPECT_DOUBLE_EQ(combine_cost(problem, p, odd).terms.total(), 106 + 104 + 102 + 103);
  // 13 -> 7 | 6, where combining is all that counts: 6 items in full take longer than 7 halved, 60 + 61 > 70 + 42.
  const CombineProblem combining{.dim = 2, .items = 13, .ports = {}};
  EXPECT_DOUBLE_EQ(combine_cost(combining, parameters(1, 0, 10), HalvingRule::down_to(6)).terms.total(), 3 + 2 * 60);
}

TEST(CombineParams, AreReadAndRefused) {
  const CombineParameters p = parse_combine_parameters("alpha=136, alpha_short=75,short=25,beta=1.6,gamma=0.35");
  EXPECT_EQ(p.exchange.alpha_us, 136);
  EXPECT_EQ(p.one_way.alpha_short_us, 75);
  EXPECT_EQ(p.exchange.alpha_zero_us, 136);
  EXPECT_EQ(p.short_items, 25U);
  EXPECT_FALSE(p.one_alpha());
  EXPECT_TRUE(parse_combine_parameters("alpha=1,beta=2,gamma=3").one_alpha());
  for (const auto alpha : {&NeighbourCost::alpha_short_us, &NeighbourCost::alpha_us}) {
    CombineParameters slower = parameters(1, 2, 3);
    slower.one_way.*alpha = 2;
    EXPECT_FALSE(slower.one_alpha());
  }
  for (const char* text : {"", "alpha=1,beta=2", "alpha=1,beta=2,gama=3", "alpha=1,beta=2,gamma=-3",
                           "alpha=1,beta=2,gamma=x", "alpha=1,alpha=1,beta=2,gamma=3", "alpha=1,beta=2,gamma=3,short=2",
                           "alpha=1,beta=2,gamma=3,alpha_short=1,short=2.5"}) {
    EXPECT_THROW((void)parse_combine_parameters(text), InputError) << text;
  }
}

}  // namespace
}  // namespace ecube::combine_test
