// SPDX-License-Identifier: Apache-2.0
// A run directory that a program of schema 1 left: schema1, by the command in its provenance.json.
#include <gtest/gtest.h>

#include "testbench/report/run_data.h"
#include "testbench/sweep/sweep_manager.h"
#include "tests/places.h"

namespace ecube::earlier_schema_test {
namespace {

TEST(EarlierSchema, IsReadWithTheMembersThatTheSameRunHasToday) {
  const RunFiles run = read_run(in_tree("tests/testbench/report/schema1"), RunPart::everything);
  EXPECT_EQ(run.provenance.at("schema"), 1);
  Benches benches(2);
  nlohmann::json today =
      run_point({"exchange", "--dim", "2", "--partition", "1,1", "--fail", "0:0@1s,3@2s"}, benches).result;
  nlohmann::json earlier = run.summary;  // without the order of members
  today.erase("host");
  earlier.erase("host");
  today["schema"] = 1;
  for (const char* const since : {"delta_us", "tau_us_per_byte_and_hop"}) {  // of such a run only where they were not 0
    EXPECT_EQ(today["predicted"]["parameters"].erase(since), 1U);
  }
  EXPECT_EQ(earlier, today);
  EXPECT_EQ(earlier.at("phases").size(), 2U);
  EXPECT_EQ(earlier.at("failures").size(), 2U);
}

TEST(EarlierSchema, HasItsLinksCompared) {
  const RunFiles run = read_run(in_tree("tests/testbench/report/schema1"), RunPart::figures);
  TableReader links(run.files, "links.csv");
  std::vector<std::vector<std::string>> rows;
  for (std::vector<std::string> row; links.next(row);) rows.push_back(row);
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(links.number(rows[1], "node"), 0U);
  EXPECT_EQ(links.number(rows[1], "output"), 1U);
  EXPECT_EQ(links.number(rows[1], "to"), 2U);
  const auto comparison = compare(run, run);
  EXPECT_EQ(comparison["same_links"], true);
  EXPECT_TRUE(comparison["parameters"].empty());
}

}  // namespace
}  // namespace ecube::earlier_schema_test
