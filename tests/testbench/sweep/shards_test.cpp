// SPDX-License-Identifier: Apache-2.0
// Shards of a study, and the scripts that give them to Slurm.
#include "testbench/sweep/shard.h"
#include "testbench/sweep/store/store.h"
#include "tests/test.h"

namespace ecube::shards_test {
namespace {

TEST(Shards, HaveEveryPointOnce) {
  for (std::uint64_t count = 1; count <= 9; ++count)
    for (std::uint64_t point = 0; point < 40; ++point) {
      unsigned have = 0;
      for (std::uint64_t i = 1; i <= count; ++i) {
        have += parse_shard(std::to_string(i) + "/" + std::to_string(count)).has(point) ? 1 : 0;
      }
      EXPECT_EQ(have, 1U);
    }
  for (const char* const text : {"", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1/100001", "1 /2"}) {
    EXPECT_THROW((void)parse_shard(text), InputError) << text;
  }
}

TEST(Shards, ComeFromTheBatchSystem) {
  std::map<std::string, std::string> variables;
  const auto shard = [&variables] {
    return shard_of_environment([&variables](const char* name) -> const char* {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  };
  EXPECT_FALSE(shard());
  variables = {{"SLURM_ARRAY_TASK_ID", "7"}, {"SLURM_ARRAY_TASK_MIN", "5"}, {"SLURM_ARRAY_TASK_COUNT", "4"}};
  ASSERT_TRUE(shard());
  EXPECT_EQ(shard()->index, 2U);
  EXPECT_EQ(shard()->count, 4U);
  variables = {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "3"}};
  ASSERT_TRUE(shard());
  EXPECT_EQ(shard()->index, 0U);
  EXPECT_EQ(shard()->count, 3U);
  variables = {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}};
  EXPECT_FALSE(shard());
  variables = {{"SLURM_ARRAY_TASK_ID", "9"}, {"SLURM_ARRAY_TASK_COUNT", "4"}};
  EXPECT_FALSE(shard());
}

TEST(Slurm, TasksAreSizedInMinutesAndWordsAreQuoted) {
  EXPECT_EQ(shards_for(3600, 10, 1, 1000), 6U);
  EXPECT_EQ(shards_for(3601, 10, 1, 1000), 7U);
  EXPECT_EQ(shards_for(3600, 10, 2, 1000), 3U);
  EXPECT_EQ(shards_for(1, 10, 1, 1000), 1U);
  EXPECT_EQ(shards_for(1e9, 10, 1, 50), 50U);
  EXPECT_EQ(shards_for(1e9, 10, 1, 1'000'000), 1000U);
  const ArrayJob job{.name = "mine",
                     .program = "/opt/it's/ecube",
                     .study = "/a b.toml",
                     .directory = "/out",
                     .shards = 6,
                     .cores = 2,
                     .minutes = 10,
                     .memory = Bytes{100} << 20,
                     .directives = {"--partition=short"}};
  const std::string script = array_script(job);
  EXPECT_EQ(script.find("#!/bin/bash\n"), 0U);
  for (const char* const line :
       {"#SBATCH --array=1-6\n", "#SBATCH --cpus-per-task=2\n", "#SBATCH --partition=short\n", "--mem=101M\n",
        "exec '/opt/it'\\''s/ecube' sweep '/a b.toml' -o /out -j 2 --quiet --shard \"$SLURM_ARRAY_TASK_ID\"/6\n"}) {
    EXPECT_HAS(script, line) << line;
  }
}

TEST(Slurm, TakesNoDirectivesFromTheNameOfAStudyOrADirectory) {
  ArrayJob job{.name = "x\" --mail-user=\"y $(z)\\", .program = "/ecube", .study = "/s.toml", .directory = "/out"};
  for (const std::string& script : {array_script(job), merge_script(job)}) {
    EXPECT_HAS(script, "#SBATCH --job-name=\"x__--mail-user__y___z__");
    EXPECT_LACKS(script, "y $(z)");
  }
  for (const char* const directory : {"/a\" --x", "/a%j", "/a\\b", "/a\nb"}) {
    job.directory = directory;
    EXPECT_THROW((void)array_script(job), InputError) << directory;
    EXPECT_THROW((void)merge_script(job), InputError) << directory;
  }
}

}  // namespace
}  // namespace ecube::shards_test
