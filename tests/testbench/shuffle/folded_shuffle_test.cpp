// SPDX-License-Identifier: Apache-2.0
// Shuffles of one node in the place of all: the figures of the whole machine, or none.
#include "testbench/sweep/point_runner.h"
#include "tests/draws.h"
#include "tests/test.h"

namespace ecube::folded_shuffle_test {
namespace {

std::vector<std::string> drawn_shuffle(Draws& draws) {
  const auto dim = static_cast<unsigned>(2 + draws.up_to(3));
  std::vector<std::string> words{"shuffle", "--dim", std::to_string(dim)};
  const auto add = [&words](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  // A cycle of some of the dimensions, with a storage dimension or without.
  std::vector<std::string> dimensions;
  for (unsigned dimension = 0; dimension < dim; ++dimension) dimensions.push_back("p" + std::to_string(dimension));
  for (std::size_t left = dimensions.size(); left > 1; --left) {
    std::swap(dimensions[left - 1], dimensions[draws.up_to(left - 1)]);
  }
  dimensions.resize(2 + draws.up_to(dim - 2));
  if (draws.up_to(2) > 0) dimensions.emplace_back("s0");
  std::string cycle;
  for (const std::string& dimension : dimensions) cycle.append(cycle.empty() ? "" : ",").append(dimension);
  add({"--cycle", cycle, "--elements", draws.of({"8", "16", "24"}), "--packet", draws.of({"1", "2", "4"})});
  add({"--machine", draws.of({"ideal", "cm2", "ideal", "ipsc860"}), "--ports", draws.of({"one", "n"})});
  if (draws.up_to(3) == 0) add({"--set", "node.startups=queued", "--set", "library.receive=9 cycles"});
  if (draws.up_to(3) == 0) add({"--align", "off"});
  return words;
}

TEST(FoldedShuffle, IsTheWholeMachinesOrIsRefused) {
  PointRunner runner(5);
  unsigned folded = 0;
  unsigned refused = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(all_cases ? 5'000 : 300); ++seed) {
    Draws draws(seed);
    const std::vector<std::string> words = drawn_shuffle(draws);
    std::string line = "seed " + std::to_string(seed);
    for (const std::string& word : words) line.append(" ").append(word);
    const auto outcome = [&](const char* fold) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {"--fold", fold});
      return runner.run(all);
    };
    PointOutcome whole = outcome("off");
    if (whole.status != 0) continue;  // an algorithm that this cycle or machine does not have
    PointOutcome one = outcome("on");
    if (one.status == 2) {
      ASSERT_EQ(one.error.find("--fold on: the run cannot be folded: "), 0U) << line << ": " << one.error;
      ++refused;
      continue;
    }
    ASSERT_EQ(one.status, 0) << line << ": " << one.error;
    ++folded;
    ASSERT_EQ(one.result["folded"], true) << line;
    ASSERT_EQ(one.result["verified"], nullptr) << line;
    for (const char* const key : {"host", "simulation", "verified", "folded", "verified_nodes"}) {
      one.result.erase(key);
      whole.result.erase(key);
    }
    ASSERT_EQ(one.result, whole.result) << line;
  }
  EXPECT_GT(folded, refused / 10);
  EXPECT_GT(refused, folded / 10);
}

}  // namespace
}  // namespace ecube::folded_shuffle_test
