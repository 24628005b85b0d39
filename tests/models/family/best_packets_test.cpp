// SPDX-License-Identifier: Apache-2.0
// The best number of packets of every collective that pipelines, against all numbers tried one by one.
#include "models/collectives/collectives.h"
#include "models/family/plan_cost.h"
#include "tests/test.h"

namespace ecube::best_packets_test {
namespace {

TEST(BestPackets, AreThoseOfTheLeastTimeOfAllNumbers) {
  std::uint64_t tried = 0;
  for (const Collective* const collective : collectives()) {
    for (const CollectiveAlgorithm& algorithm : collective->algorithms) {
      if (!algorithm.packets) continue;
      for (const double alpha_us : {0.0, 0.5, 136.0, 525.0}) {
        for (const double beta_us : {0.25, 1.5, 2.0}) {
          CombineParameters parameters;
          parameters.exchange.alpha_us = alpha_us;
          parameters.exchange.alpha_short_us = alpha_us;
          parameters.exchange.beta_us_per_item = beta_us;
          parameters.one_way = parameters.exchange;
          parameters.gamma_us_per_item = 0.35;
          for (const std::uint64_t items : {0U, 1U, 7U, 100U, 1000U, 2999U}) {
            for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}}) {
              CollectiveProblem problem{.dim = 6, .items = items, .ports = {.engines = engines}};
              const std::uint64_t found = best_packets(algorithm, problem, parameters);
              problem.packets = found;
              const double time = algorithm.published_us(problem, parameters);
              for (problem.packets = 1; problem.packets <= items; ++problem.packets) {
                ASSERT_GE(algorithm.published_us(problem, parameters), time)
                    << collective->name << " " << algorithm.name << ", " << items << " items, alpha " << alpha_us
                    << ", beta " << beta_us << ": " << problem.packets << " packets beat " << found;
              }
              ++tried;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(tried, 100U);
}

}  // namespace
}  // namespace ecube::best_packets_test
