// SPDX-License-Identifier: Apache-2.0
// What a program is told before it runs.
#include "sw/program/job.h"

#include "tests/test.h"

namespace ecube::job_test {
namespace {

TEST(Job, HasTheParametersThatTheProgramDeclared) {
  const Job job({}, 5, 3, {{"n", {.type = ParameterType::whole, .whole = 12}}, {"on", {.type = ParameterType::flag}}});
  EXPECT_EQ(job.whole("n"), 12);
  EXPECT_FALSE(job.flag("on"));
  EXPECT_EQ(job.nodes(), 32U);
  EXPECT_EQ(thrown<std::logic_error>([&] { return job.whole("m"); }), "the program has declared no parameter 'm'");
  EXPECT_EQ(thrown<std::logic_error>([&] { return job.real("n"); }),
            "the program has declared its parameter 'n' as another type");
  EXPECT_EQ(thrown<std::logic_error>([&] { return job.costs(); }),
            "the costs of the machine are known to predict() only");
}

TEST(Job, PredictsAMessageByTheEquation) {
  ExchangeParameters p{.lambda_us = 100,
                       .lambda0_us = 80,
                       .tau_us_per_byte = 0.5,
                       .delta_us = 3,
                       .delta_hop_us = 10,
                       .tau_hop_us_per_byte = 0.25};
  const Job job({}, 3, 1, {}, p);
  EXPECT_DOUBLE_EQ(job.message_us(0, 0), 83);
  EXPECT_DOUBLE_EQ(job.message_us(0, 2), 103);
  EXPECT_DOUBLE_EQ(job.message_us(8, 0), 107);
  EXPECT_DOUBLE_EQ(job.message_us(8, 3), 107 + 3 * 12.0);
}

}  // namespace
}  // namespace ecube::job_test
