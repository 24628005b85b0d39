// SPDX-License-Identifier: Apache-2.0
// Damaged input is taken or refused with a message; nothing else happens.
#include "tests/fuzz/inputs.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "tests/directory.h"
#include "tests/effort.h"
#include "tests/fuzz/bounded_run.h"
#include "tests/fuzz/mutator.h"

namespace inputs_test {
namespace {

/// Damages the seeds of a target, and says how many texts were taken and refused.
void fuzz(const FuzzTarget& target, std::uint64_t cases, std::uint64_t seed) {
  const Directory directory;
  const FuzzPlace place = fuzz_place(directory / "");
  const std::vector<std::string> seeds = target.seeds(place);
  for (const std::string& text : seeds) EXPECT_TRUE(target.takes(text, place) || target.name == "option") << text;
  std::uint64_t taken = 0;
  for (std::uint64_t number = 0; number < cases; ++number) {
    Draws draws(seed + number);
    const std::string& good = seeds[draws.up_to(seeds.size() - 1)];
    const std::string text = damaged(good, seeds[draws.up_to(seeds.size() - 1)], draws);
    // A crash prints nothing of its own.
    if (given("ECUBE_CASES", 0) == 1) std::fprintf(stderr, "%s\n", text.c_str());
    try {
      taken += target.takes(text, place) ? 1 : 0;
    } catch (const std::exception& error) {
      ADD_FAILURE() << target.name << ", ECUBE_SEED=" << seed + number << " ECUBE_CASES=1: " << error.what() << "\n"
                    << text;
    }
  }
  // The campaign (run) adds these lines up: numbers, each with its word.
  std::printf("%s from seed %llu, counts: %llu texts %llu taken %llu refused\n", target.name.c_str(),
              static_cast<unsigned long long>(seed), static_cast<unsigned long long>(cases),
              static_cast<unsigned long long>(taken), static_cast<unsigned long long>(cases - taken));
  if (cases < 500) return;
  // A reader that takes everything, or nothing, is not tested by this.
  EXPECT_GT(taken, 0U);
  EXPECT_LT(taken, cases);
}

class Fuzz : public testing::TestWithParam<std::size_t> {};

TEST_P(Fuzz, TakesOrRefusesAnyText) {
  // Readers of files take longest.
  const std::string& name = fuzz_targets()[GetParam()].name;
  const std::size_t cases = name == "run-directory" ? 500 : name == "traffic-file" ? 1000 : 3000;
  fuzz(fuzz_targets()[GetParam()], given("ECUBE_CASES", random_cases(cases)), given("ECUBE_SEED", 1));
}

INSTANTIATE_TEST_SUITE_P(Of, Fuzz, testing::Range(std::size_t{0}, fuzz_targets().size()), [](const auto& target) {
  std::string name = fuzz_targets()[target.param].name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// A reader that fails on some text is found within the cases of the default test, with the seed of that text.
TEST(FuzzItself, FindsAReaderThatFailsOnSomeText) {
  FuzzTarget wrong = fuzz_targets()[0];
  wrong.takes = [reads = wrong.takes](const std::string& text, const FuzzPlace& place) {
    if (text.find("1e99") != std::string::npos && text.find("link") != std::string::npos)
      throw std::runtime_error("planted");
    return reads(text, place);
  };
  testing::TestPartResultArray found;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &found);
    fuzz(wrong, random_cases(3000), 1);
  }
  ASSERT_GT(found.size(), 0);
  const std::string message = found.GetTestPartResult(0).message();
  EXPECT_NE(message.find("ECUBE_SEED="), std::string::npos) << message;
  EXPECT_NE(message.find("planted"), std::string::npos) << message;
}

}  // namespace
}  // namespace inputs_test
