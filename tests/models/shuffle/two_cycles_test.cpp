// SPDX-License-Identifier: Apache-2.0
// Several real 2-cycles at once: every hop of every element moved by hand, every link of every step checked.
#include "models/shuffle/shuffle_workload.h"
#include "tests/test.h"

namespace ecube::two_cycles_test {
namespace {

using Steps = std::vector<std::vector<TwoCycleHop>>;

constexpr unsigned seed = 31;

/// `beta` pairs of the dimensions 0 .. 2 beta - 1, drawn at random.
std::vector<LabelBits> random_cycles(std::mt19937_64& random, unsigned beta) {
  std::vector<unsigned> dims(std::size_t{2} * beta);
  std::iota(dims.begin(), dims.end(), 0U);
  std::shuffle(dims.begin(), dims.end(), random);
  std::vector<LabelBits> cycles;
  for (unsigned c = 0; c < beta; ++c) cycles.push_back({{dims[std::size_t{2} * c], dims[std::size_t{2} * c + 1]}});
  return cycles;
}

Steps steps_of(const TwoCyclePlan& plan) {
  Steps steps;
  for (std::uint64_t step = 1; step <= plan.steps(); ++step) steps.push_back(plan.hops(step));
  return steps;
}

/// Moves every element of every node of a cube of 2 beta dimensions by its hops alone, without the rest of the
/// schedule. Faults are: a link that carries two messages in a step; a message of more than `packet` elements; an
/// element that is sent before it has come or while it is elsewhere; and at the end an element at another node than its
/// first node's label with exchanged bits, or at another local address.
std::optional<std::string> fault_of(const Steps& steps, const std::vector<LabelBits>& cycles, std::uint64_t elements,
                                    std::uint64_t packet) {
  const auto dims = static_cast<unsigned>(2 * cycles.size());
  const NodeId nodes = NodeId{1} << dims;
  constexpr std::uint32_t none = ~0U;
  const auto at = [&](NodeId node, std::uint64_t address) { return node * elements + address; };
  // [node][address]: the number of the element that rests there; [cycle]: the number of the element on its way, and the
  // step at which it came.
  std::vector<std::uint32_t> resting(nodes * elements);
  std::iota(resting.begin(), resting.end(), 0U);
  struct OnItsWay {
    std::uint32_t element = none;
    std::size_t since = 0;
  };
  std::vector<std::vector<OnItsWay>> on_its_way(cycles.size(), std::vector<OnItsWay>(nodes * elements));
  std::vector<std::uint32_t> came(nodes * elements, none);  // the step in which an element came to rest
  for (std::size_t step = 0; step < steps.size(); ++step) {
    std::vector<bool> used(std::size_t{nodes} * dims, false);
    struct Arrival {
      bool rests;
      std::uint32_t cycle;
      std::uint64_t place;
      std::uint32_t element;
    };
    std::vector<Arrival> arrivals;
    for (const TwoCycleHop& hop : steps[step]) {
      const std::string where = "step " + std::to_string(step + 1) + " p" + std::to_string(hop.dim);
      if (hop.elements.empty() || hop.elements.size() > packet) return where + ": length of a message";
      const LabelBits& bits = cycles[hop.cycle];
      for (NodeId node = 0; node < nodes; ++node) {
        const bool differ = (node >> bits.dim[0] & 1U) != (node >> bits.dim[1] & 1U);
        if (differ == hop.second) continue;
        if (used[std::size_t{node} * dims + hop.dim]) return where + ": link used twice";
        used[std::size_t{node} * dims + hop.dim] = true;
        const NodeId to = node ^ (NodeId{1} << hop.dim);
        for (const std::uint64_t address : hop.elements) {
          std::uint32_t element = none;
          if (hop.second) {
            OnItsWay& waiting = on_its_way[hop.cycle][at(node, address)];
            if (waiting.element == none || waiting.since >= step) return where + ": second hop of nothing";
            element = waiting.element;
            waiting = {};
          } else {
            std::uint32_t& place = resting[at(node, address)];
            if (place == none || (came[at(node, address)] != none && came[at(node, address)] >= step)) {
              return where + ": first hop of nothing";
            }
            element = place;
            place = none;
          }
          arrivals.push_back({hop.second, hop.cycle, at(to, address), element});
        }
      }
    }
    for (const Arrival& one : arrivals) {
      if (one.rests) {
        if (resting[one.place] != none) return "step " + std::to_string(step + 1) + ": place taken";
        resting[one.place] = one.element;
        came[one.place] = static_cast<std::uint32_t>(step);
      } else {
        if (on_its_way[one.cycle][one.place].element != none) return "step " + std::to_string(step + 1) + ": two wait";
        on_its_way[one.cycle][one.place] = {one.element, step};
      }
    }
  }
  for (NodeId node = 0; node < nodes; ++node) {
    NodeId to = node;
    for (const LabelBits& bits : cycles) {
      const NodeId low = node >> bits.dim[0] & 1U;
      const NodeId high = node >> bits.dim[1] & 1U;
      to &= ~((NodeId{1} << bits.dim[0]) | (NodeId{1} << bits.dim[1]));
      to |= (high << bits.dim[0]) | (low << bits.dim[1]);
    }
    for (std::uint64_t address = 0; address < elements; ++address) {
      if (resting[at(to, address)] != at(node, address)) return "element " + std::to_string(address) + " astray";
    }
  }
  return std::nullopt;
}

TEST(TwoCyclePlan, BringsEveryElementToItsPlaceAndUsesNoLinkTwice) {
  std::mt19937_64 random(seed);
  for (unsigned beta = 1; beta <= 4; ++beta)
    for (std::uint64_t k = 1; k <= std::uint64_t{12} * beta; ++k) {
      const std::vector<LabelBits> cycles = random_cycles(random, beta);
      for (std::uint64_t packet = 1; packet <= 5; ++packet) {
        if (beta == 4 && (k + packet) % 3 != 0) continue;
        const TwoCyclePlan plan(cycles, k, packet);
        const auto fault = fault_of(steps_of(plan), cycles, k, packet);
        ASSERT_FALSE(fault.has_value()) << *fault << " beta " << beta << " K " << k << " B " << packet << " seed "
                                        << seed;
      }
    }
}

/// The sum over the steps of the elements in the longest message.
std::uint64_t elements_in_sequence(const TwoCyclePlan& plan) {
  std::uint64_t sum = 0;
  for (std::uint64_t step = 1; step <= plan.steps(); ++step) {
    std::size_t longest = 0;
    for (const TwoCycleHop& hop : plan.hops(step)) longest = std::max(longest, hop.elements.size());
    sum += longest;
  }
  return sum;
}

TEST(TwoCyclePlan, TakesHalfOfTheElementsAndOneStep) {
  std::mt19937_64 random(seed);
  for (unsigned beta = 1; beta <= 4; ++beta)
    for (std::uint64_t m = 2; m <= 6; ++m) {
      const std::uint64_t k = std::uint64_t{2} * beta * m;
      const TwoCyclePlan plan(random_cycles(random, beta), k, 1);
      EXPECT_EQ(plan.steps(), k / 2 + 1) << "beta " << beta << " K " << k;
      EXPECT_EQ(elements_in_sequence(plan), k / 2 + 1);
      // For other K the last slots are short: beta ceil(K / 2 beta) + 1.
      for (std::uint64_t less = 1; less < std::uint64_t{2} * beta; ++less) {
        EXPECT_EQ(TwoCyclePlan(plan.cycles(), k - less, 1).steps(), k / 2 + 1) << "beta " << beta << " K " << k - less;
      }
    }
}

TEST(TwoCyclePlan, ServesElementAfterElementInTheStepsOfItsDescription) {
  // Element e, group g = e mod beta, path h, slot q: cycle (g + s) mod beta in stage s, in steps s m + q + 1 and + 2.
  std::mt19937_64 random(seed);
  for (unsigned beta = 1; beta <= 4; ++beta)
    for (std::uint64_t m = 2; m <= 5; ++m) {
      const std::vector<LabelBits> cycles = random_cycles(random, beta);
      const std::uint64_t elements = std::uint64_t{2} * beta * m;
      const Steps steps = steps_of(TwoCyclePlan(cycles, elements, 1));
      std::uint64_t hops = 0;
      for (std::uint64_t e = 0; e < elements; ++e)
        for (std::uint64_t s = 0; s < beta; ++s) {
          const auto cycle = static_cast<std::uint32_t>((e % beta + s) % beta);
          const std::uint64_t path = e / beta % 2;
          for (const std::uint64_t hop : {0U, 1U}) {
            const std::uint64_t step = s * m + e / (std::uint64_t{2} * beta) + 1 + hop;
            const unsigned dim = cycles[cycle].dim[(path + hop) % 2];
            const auto& of_step = steps.at(step - 1);
            hops += static_cast<std::uint64_t>(std::count_if(of_step.begin(), of_step.end(), [&](const auto& one) {
              return one.cycle == cycle && one.dim == dim && one.second == (hop == 1) &&
                     one.elements == std::vector<std::uint64_t>{e};
            }));
          }
        }
      EXPECT_EQ(hops, elements * beta * 2) << "beta " << beta << " m " << m;
    }
}

TEST(TwoCyclePlan, OfAWrongScheduleIsFoundWrong) {
  const std::vector<LabelBits> cycles = {{{0, 1}}, {{2, 3}}, {{4, 5}}};
  const Steps right = steps_of(TwoCyclePlan(cycles, 24, 1));
  ASSERT_FALSE(fault_of(right, cycles, 24, 1).has_value());
  // Both paths in the same order: two elements need one link.
  Steps wrong = right;
  for (auto& step : wrong)
    for (TwoCycleHop& hop : step) hop.dim = cycles[hop.cycle].dim[hop.second ? 1 : 0];
  EXPECT_EQ(fault_of(wrong, cycles, 24, 1), "step 1 p0: link used twice");
  // A stage of one packet: the next cycle needs an element while it is still on its way.
  wrong = steps_of(TwoCyclePlan(cycles, 24, 4));
  EXPECT_EQ(wrong.size(), 6U);
  wrong[1].insert(wrong[1].end(), wrong[2].begin(), wrong[2].end());
  wrong.erase(wrong.begin() + 2);
  EXPECT_EQ(fault_of(wrong, cycles, 24, 4), "step 2 p0: first hop of nothing");
  // A second hop that is left out; one in the step of its first hop; an element in another cycle's place.
  wrong = right;
  wrong.back().pop_back();
  EXPECT_TRUE(fault_of(wrong, cycles, 24, 1).value_or("").ends_with("astray"));
  wrong = right;
  wrong[0].insert(wrong[0].end(), wrong[1].begin(), wrong[1].end());
  EXPECT_TRUE(fault_of(wrong, cycles, 24, 1).has_value());
  wrong = right;
  std::swap(wrong[0].front().elements, wrong[0].back().elements);
  EXPECT_TRUE(fault_of(wrong, cycles, 24, 1).has_value());
  EXPECT_EQ(fault_of(right, cycles, 24, 0), "step 1 p0: length of a message");
}

DimensionPermutation permutation_of(const std::vector<LabelBits>& cycles) {
  std::vector<DimensionPermutation::Cycle> list;
  for (const LabelBits& bits : cycles) {
    list.push_back({{.storage = false, .bit = bits.dim[1]}, {.storage = false, .bit = bits.dim[0]}});
  }
  return {std::move(list), {}};
}

TEST(TwoCycleCost, IsWhatThePlanTakesAndNeverBelowTheLowerBound) {
  std::mt19937_64 random(seed);
  for (unsigned beta = 1; beta <= 4; ++beta) {
    const std::vector<LabelBits> cycles = random_cycles(random, beta);
    ShuffleWorkload workload{.permutation = permutation_of(cycles), .ports = {.engines = Ports::n}};
    for (std::uint64_t k = 1; k <= std::uint64_t{14} * beta; ++k)
      for (std::uint64_t packet = 1; packet <= k; ++packet) {
        const TwoCyclePlan plan(cycles, k, packet);
        const ShuffleCount count = a2x2_count(beta, k, packet);
        ASSERT_EQ(count.steps, elements_in_sequence(plan)) << "beta " << beta << " K " << k << " B " << packet;
        ASSERT_EQ(count.startups, plan.steps()) << "beta " << beta << " K " << k << " B " << packet;
        const std::uint64_t m = k / (std::uint64_t{2} * beta);
        if (k % (std::uint64_t{2} * beta) == 0 && 2 * packet <= m) {
          // (K/2 + B) t_c + (ceil(K / 2B) + 1) tau.
          EXPECT_EQ(count.steps, k / 2 + packet);
          EXPECT_EQ(count.startups, (k / 2 + packet - 1) / packet + 1);
        } else {
          // Filled with empty slots: at most max(ceil(K / 2B), 2 beta) + 1 packets where 2 beta divides K.
          const std::uint64_t filled =
              std::max<std::uint64_t>((k + 2 * packet - 1) / (2 * packet), std::uint64_t{2} * beta) + 1;
          if (k % (std::uint64_t{2} * beta) == 0) {
            EXPECT_LE(count.startups, filled);
          }
        }
        for (const ShuffleParameters& p : {ShuffleParameters{.tau_us = 0, .tc_us_per_element = 1},
                                           ShuffleParameters{.tau_us = 1, .tc_us_per_element = 0}}) {
          if (k % 2 != 0) continue;
          workload.elements = k;
          EXPECT_GE(shuffle_cost(count, p).total(), lower_bound_us(workload, p));
        }
      }
  }
}

TEST(TwoCycleCost, OfTogetherIsNeverMoreThanOfOneAfterTheOther) {
  for (std::uint64_t beta = 1; beta <= 5; ++beta)
    for (std::uint64_t k = 2; k <= 120; k += 2)
      for (std::uint64_t packet = 1; packet <= k / 2; ++packet) {
        const ShuffleCount together = a2x2_count(beta, k, packet);
        const ShuffleCount one = a2x2_count(1, k, packet);
        EXPECT_LE(together.steps, beta * one.steps) << "beta " << beta << " K " << k << " B " << packet;
        EXPECT_LE(together.startups, beta * one.startups) << "beta " << beta << " K " << k << " B " << packet;
      }
}

TEST(TwoCycleCost, HasItsBestPacketWhereTheFormulaSays) {
  const auto us = [](std::uint64_t beta, std::uint64_t k, std::uint64_t packet, const ShuffleParameters& p) {
    return shuffle_cost(a2x2_count(beta, k, packet), p).total();
  };
  for (const std::uint64_t beta : {1U, 2U, 3U, 4U})
    for (const std::uint64_t m : {8U, 64U, 500U}) {
      const std::uint64_t k = 2 * beta * m;
      for (const double tau : {0.0, 1.0, 10.0, 100.0, 1000.0, 100'000.0}) {
        ShuffleParameters p{.tau_us = tau, .tc_us_per_element = 1};
        double least = us(beta, k, 1, p);
        for (std::uint64_t packet = 2; packet <= m; ++packet) least = std::min(least, us(beta, k, packet, p));
        const double formula = best_a2x2_packet(beta, k, p);
        const auto nearest = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::lround(formula)), 1, m);
        // Where the last packet is not full, the time has a start-up more than the formula.
        EXPECT_LE(us(beta, k, nearest, p), 1.02 * least + tau) << "beta " << beta << " m " << m << " tau " << tau;
        ShuffleWorkload workload{.permutation = permutation_of({}), .elements = k, .real = RealAlgorithm::a2x2};
        std::vector<LabelBits> cycles;
        for (unsigned c = 0; c < beta; ++c) cycles.push_back({{2 * c, 2 * c + 1}});
        workload.permutation = permutation_of(cycles);
        workload.ports.engines = Ports::n;
        const auto dim = static_cast<unsigned>(2 * beta);
        EXPECT_EQ(ShuffleFormula(workload, dim).largest_packet(), m);
        workload.packet = best_packet_choice(workload, dim, [&](std::uint64_t) { return p; }).packet;
        EXPECT_DOUBLE_EQ(us(beta, k, workload.packet, p), least);
      }
    }
}

TEST(RealParts, OnFewPortsTakeRounds) {
  ShuffleWorkload workload{.permutation = permutation_of({{{0, 1}}, {{2, 3}}, {{4, 5}}, {{6, 7}}, {{8, 9}}}),
                           .elements = 40,
                           .real = RealAlgorithm::a2x2};
  const auto rounds = [&](std::uint32_t ports) {
    workload.ports.engines = ports;
    std::vector<std::size_t> sizes;
    for (const auto& round : real_parts(factor(workload.permutation), workload, 10).rounds) {
      sizes.push_back(round.size());
    }
    return sizes;
  };
  using Sizes = std::vector<std::size_t>;
  EXPECT_EQ(rounds(Ports::n), Sizes{5});
  EXPECT_EQ(rounds(10), Sizes{5});
  EXPECT_EQ(rounds(9), (Sizes{2, 3}));
  EXPECT_EQ(rounds(5), (Sizes{1, 2, 2}));
  EXPECT_EQ(rounds(3), (Sizes{1, 1, 1, 1, 1}));
  workload.ports.engines = 6;
  EXPECT_EQ(count_of(workload, 10).steps, (2 * 10 + 1) + (3 * 7 + 1));
  EXPECT_EQ(formula_of(workload, 10)->steps, (2 * 10 + 1) + (3 * 7 + 1));
  workload.real = RealAlgorithm::a2x2_sequential;
  EXPECT_EQ(rounds(Ports::n), (Sizes{1, 1, 1, 1, 1}));
  EXPECT_EQ(count_of(workload, 10).steps, 5 * (20 + 1));
}

TEST(RealParts, GiveTheTwoCyclesToA2SquaredAndTheRestToTheOther) {
  const DimensionPermutation permutation(
      {{{.storage = false, .bit = 0}, {.storage = false, .bit = 1}},
       {{.storage = false, .bit = 2}, {.storage = false, .bit = 3}, {.storage = false, .bit = 4}},
       {{.storage = false, .bit = 5}, {.storage = false, .bit = 6}},
       {{.storage = false, .bit = 7}, {.storage = false, .bit = 8}}},
      {{.storage = false, .bit = 5}});
  ShuffleWorkload workload{.permutation = permutation, .elements = 8, .two_cycles = RealAlgorithm::a2x2};
  workload.ports.engines = Ports::n;
  RealParts parts = real_parts(factor(permutation), workload, 9);
  EXPECT_EQ(parts.by_a1.size(), 2U);
  EXPECT_EQ(parts.by_a2.size(), 0U);
  ASSERT_EQ(parts.rounds.size(), 1U);
  EXPECT_EQ(parts.rounds[0].size(), 2U);
  workload.real = RealAlgorithm::a2;
  EXPECT_EQ(real_parts(factor(permutation), workload, 9).by_a2.size(), 2U);
  workload.two_cycles.reset();
  parts = real_parts(factor(permutation), workload, 9);
  EXPECT_EQ(parts.by_a2.size(), 4U);
  EXPECT_TRUE(parts.rounds.empty());
}

}  // namespace
}  // namespace ecube::two_cycles_test
