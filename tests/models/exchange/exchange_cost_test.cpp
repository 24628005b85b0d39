// SPDX-License-Identifier: Apache-2.0
// The cost of the complete exchange, compared with published numbers and with counted messages, hops and bytes.
#include "models/exchange/exchange_cost.h"

#include "models/machine/error.h"
#include "tests/models/parameter_numbers.h"
#include "tests/planted.h"
#include "tests/test.h"

namespace ecube::exchange_cost_test {
namespace {

/// Bokhari 1993, Figure 1.
ExchangeParameters figure_1() { return parse_exchange_parameters("lambda=100,delta=10,tau=2,rho=1"); }

/// Nicol & Bokhari 1994, section 4, a synchronisation message before every transfer.
ExchangeParameters ipsc860(unsigned dim) {
  return {.lambda_us = 95.0,
          .lambda0_us = 82.5,
          .tau_us_per_byte = 0.394,
          .delta_hop_us = 10.3,
          .rho_us_per_byte = 0.54,
          .barrier_us = 150.0 * dim,
          .pairwise_sync_messages = true,
          .source = "published"};
}

ExchangeOptions averaged(IdentityShuffle identity = IdentityShuffle::charge) {
  return {.hops = HopCount::average, .identity_shuffle = identity};
}

double cost(std::vector<unsigned> parts, double m, const ExchangeParameters& parameters,
            const ExchangeOptions& options = {}) {
  return exchange_cost(Partition(std::move(parts)), m, parameters, options).total();
}

void expect_line(std::vector<unsigned> parts, double slope, double intercept, const ExchangeOptions& options) {
  const Partition partition(std::move(parts));
  const ExchangeParameters parameters = ipsc860(partition.dim());
  const double at_0 = exchange_cost(partition, 0, parameters, options).total();
  const double at_1000 = exchange_cost(partition, 1000, parameters, options).total();
  EXPECT_NEAR(at_0, intercept, 1e-9) << partition.braced_name();
  EXPECT_NEAR((at_1000 - at_0) / 1000, slope, 1e-9) << partition.braced_name();
}

TEST(Ipsc860, HasThePublishedLines) {
  expect_line({2, 3}, 55.048, 3790, averaged());
  expect_line({5}, 29.494, 7849, averaged());
  expect_line({2, 2, 2}, 160.416, 4853.7, averaged());
  expect_line({3, 3}, 113.248, 5150.2, averaged());
  expect_line({6}, 59.382, 15975.9, averaged());
}

TEST(Figure1, LinesMeetAtItsVertices) {
  const ExchangeParameters p = figure_1();
  const auto meet = [&](const std::vector<std::vector<unsigned>>& partitions, double m, double t) {
    for (const auto& parts : partitions) EXPECT_NEAR(cost(parts, m, p) / t, 1, 1e-14) << Partition(parts).braced_name();
  };
  meet({{1, 1, 1, 1}, {1, 1, 2}, {2, 2}}, 55.0 / 12, 3080.0 / 3);
  meet({{2, 2}, {4}}, 495.0 / 17, 50820.0 / 17);
  meet({{1, 1, 1, 1, 1, 1}, {2, 2, 1, 1}, {2, 2, 2}}, 55.0 / 48, 1540);
  meet({{2, 2, 2}, {3, 3}}, 275.0 / 64, 6105.0 / 2);
  meet({{3, 3}, {6}}, 2695.0 / 81, 1073380.0 / 81);
  const double common = cost({3, 3}, 55, p);
  EXPECT_NEAR(cost({2, 4}, 55, p), common, 1e-9);
  EXPECT_NEAR(cost({5, 1}, 55, p), common, 1e-9);
}

TEST(Terms, AreWhatANodeSendsAndMoves) {
  constexpr double m = 24;
  for (unsigned d = 1; d <= 7; ++d)
    for (const Partition& partition : compositions_of(d)) {
      double messages = 0;
      double hop_count = 0;
      double bytes = 0;
      double moved = 0;
      for (const Phase& phase : phases(partition, BlockOrder::high)) {
        for (NodeId step = 1; step < phase.size(); ++step) {
          messages += 1;
          hop_count += hops(0, phase.partner(0, step));
          bytes += phase.slots(step).count() * m;
        }
        moved += static_cast<double>(NodeId{1} << d) * m;
      }
      ExchangeParameters p{.lambda_us = 3,
                           .tau_us_per_byte = 11,
                           .delta_us = 5,
                           .delta_hop_us = 7,
                           .rho_us_per_byte = 13,
                           .barrier_us = 17};
      const ExchangeTerms terms = exchange_cost(partition, m, p, {});
      EXPECT_EQ(terms.startup_us, 3 * messages) << partition.braced_name();
      EXPECT_EQ(terms.distance_us, 5 * messages + 7 * hop_count) << partition.braced_name();
      EXPECT_EQ(terms.transmission_us, 11 * bytes) << partition.braced_name();
      EXPECT_EQ(terms.permutation_us, 13 * moved) << partition.braced_name();
      EXPECT_EQ(terms.barrier_us, 17 * static_cast<double>(partition.size())) << partition.braced_name();
      EXPECT_EQ(exchange_cost(partition, m, p, averaged()).distance_us, messages * (5 + 7 * d / 2.0));
      EXPECT_EQ(exchange_cost(partition, m, p, {.barrier = Barrier::step}).barrier_us, 17 * messages);
      EXPECT_EQ(exchange_cost(partition, m, p, {.barrier = Barrier::none}).barrier_us, 0);
    }
}

TEST(Terms, OfAPhaseDoNotDependOnItsPlace) {
  const ExchangeParameters p = ipsc860(6);
  ExchangeTerms sum = phase_cost(1, 6, 40, p, {});
  sum += phase_cost(claimed("N19", 3U, 1U), 6, 40, p, {});
  sum += phase_cost(2, 6, 40, p, {});
  EXPECT_DOUBLE_EQ(sum.total(), cost({3, 2, 1}, 40, p));
}

TEST(Terms, WithSynchronisationMessagesAddAStartupAndTheDistanceAgain) {
  ExchangeParameters with = ipsc860(5);
  with.delta_us = 4;
  ExchangeParameters without = with;
  without.pairwise_sync_messages = false;
  const Partition partition({2, 3});
  for (const ExchangeOptions& options : {ExchangeOptions{}, averaged()}) {
    const ExchangeTerms more = exchange_cost(partition, 16, with, options);
    const ExchangeTerms less = exchange_cost(partition, 16, without, options);
    EXPECT_DOUBLE_EQ(more.startup_us, less.startup_us + 10 * 82.5);
    EXPECT_DOUBLE_EQ(more.distance_us, 2 * less.distance_us);
    EXPECT_EQ(more.transmission_us, less.transmission_us);
    EXPECT_EQ(more.barrier_us, less.barrier_us);
  }
}

TEST(Terms, ChargeNoPermutationWhereNothingIsPermuted) {
  const ExchangeParameters p = figure_1();
  const ExchangeOptions inplace{.order = BlockOrder::inplace};
  const ExchangeOptions skip{.identity_shuffle = IdentityShuffle::skip};
  EXPECT_EQ(exchange_cost(Partition({2, 2}), 8, p, inplace).permutation_us, 0);
  EXPECT_EQ(exchange_cost(Partition({4}), 8, p, inplace).permutation_us, 0);
  EXPECT_EQ(exchange_cost(Partition({4}), 8, p, skip).permutation_us, 0);
  EXPECT_EQ(exchange_cost(Partition({4}), 8, p, {}).permutation_us, 8 * 16);
  EXPECT_EQ(exchange_cost(Partition({2, 2}), 8, p, skip).permutation_us, 2 * 8 * 16);
  // t_direct as printed: (2^d - 1)[tau m + (lambda + delta)]
  EXPECT_EQ(exchange_cost(Partition({4}), 8, p, skip).total(), 15 * (2 * 8 + 110));
}

TEST(LargeCubes, AreCostedWhileADoubleHoldsTheTime) {
  const ExchangeParameters p = figure_1();
  EXPECT_DOUBLE_EQ(cost({1000}, 0, p), 110 * std::ldexp(1.0, 1000));
  EXPECT_DOUBLE_EQ(cost({500, 500}, 1, p), (2 * 2 + 2 * 1) * std::ldexp(1.0, 1000));
  EXPECT_EQ(exchange_cost(Partition::standard(10'000), 0, p, {}).total(), 10'000 * 110.0);
  ExchangeParameters free_startups;
  EXPECT_EQ(exchange_cost(Partition::direct(10'000), 0, free_startups, {}).total(), 0);
}

TEST(LargeCubes, BeyondThatAreRefusedWithTheLargestDimension) {
  const auto error_of = [](const Partition& partition, double m, const ExchangeParameters& p) -> std::string {
    return thrown<InputError>([&] { return exchange_cost(partition, m, p, {}); });
  };
  // Direct: 2^d (110 + 3 m) < 2^1024; Standard: 2 d m 2^d. With m = 64 Standard is the larger from d = 3 up:
  // 2 * 64 d < 2^(1024 - d), 128 * 1007 = 2^16.98 < 2^17.
  EXPECT_EQ(error_of(Partition::direct(10'000), 64, figure_1()),
            "the time of an exchange in 1 phase with blocks of 64 B at --dim 10000 is beyond 1.8e308 us, the largest "
            "number there is\n  with these blocks and parameters every partition can be costed up to --dim 1007");
  EXPECT_EQ(error_of(Partition::standard(1007), 64, figure_1()), "");
  EXPECT_EQ(error_of(Partition::direct(1007), 64, figure_1()), "");
  EXPECT_NE(error_of(Partition::standard(1008), 64, figure_1()), "");
  ExchangeParameters huge = figure_1();
  huge.lambda_us = 0.8e308;  // once at d = 1, three times for Direct at d = 2
  EXPECT_EQ(error_of(Partition::direct(2), 0, huge),
            "the time of an exchange in 1 phase with blocks of 0 B at --dim 2 is beyond 1.8e308 us, the largest "
            "number there is\n  with these blocks and parameters every partition can be costed up to --dim 1");
  EXPECT_EQ(error_of(Partition::standard(2), 0, huge), "");
  EXPECT_THROW((void)phase_cost(2, 2, 0, huge, {}), InputError);
}

TEST(Params, AreRead) {
  const ExchangeParameters p =
      parse_exchange_parameters(" lambda = 100, delta=10,tau=2.5e-1,rho=1,barrier=750,delta_hop=.5,lambda0=80");
  EXPECT_EQ(numbers(p), (std::vector<double>{100, 80, 0.25, 10, 0.5, 1, 750, 0, 0, 0}));
  EXPECT_FALSE(p.pairwise_sync_messages);
  EXPECT_EQ(p.source, "given");
  EXPECT_EQ(parse_exchange_parameters("tau=1,lambda=7").lambda0_us, 7);
  EXPECT_EQ(parse_exchange_parameters("tau=0,lambda=0").tau_us_per_byte, 0);
  EXPECT_HAS(thrown<InputError>([&] { return parse_exchange_parameters(""); }), "--params is empty");
}

TEST(ExchangeCostErrors, SayThatParametersAreTooLargeWhereNoDimensionWouldDo) {
  ExchangeParameters p{.lambda_us = 1.5e308, .delta_us = 1.5e308};
  EXPECT_HAS(thrown<InputError>([&] { return exchange_cost(Partition::direct(1), 8, p, {}); }),
             "\n  the parameters are too large");
}

}  // namespace
}  // namespace ecube::exchange_cost_test
