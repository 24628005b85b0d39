// SPDX-License-Identifier: Apache-2.0
// Fields of CSV files, there and back.
#include "testbench/text/csv.h"

#include "tests/test.h"

namespace ecube::csv_test {
namespace {

using Fields = std::vector<std::string>;

TEST(Csv, QuotesOnlyWhatHasToBe) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_quoted("plain"), "\"plain\"");
}

TEST(Csv, LeavesNoFormulaToASpreadsheet) {
  for (const char* const formula : {"=1+1", "+1+1", "-1e", "-", "--1", "+-1", "@SUM(A1)", "\tx"}) {
    EXPECT_EQ(csv_field(formula), std::string("'") + formula);
    EXPECT_EQ(csv_quoted(formula), "\"'" + std::string(formula) + "\"");
  }
  EXPECT_EQ(csv_field("=a,b"), "\"'=a,b\"");
  for (const char* const number : {"-5.2", "+1", "-1e-3", "7"}) EXPECT_EQ(csv_field(number), number);
  EXPECT_EQ(csv_field("1-1"), "1-1");
}

TEST(Csv, IsReadAsItWasWritten) {
  EXPECT_EQ(csv_fields(""), Fields{""});
  EXPECT_EQ(csv_fields("a,,b\r"), (Fields{"a", "", "b"}));
  const Fields texts{"", "a", "a,b", "\"", "\"\"", "say \"no\", twice", ","};
  std::string line;
  for (const std::string& text : texts) line += (line.empty() ? "x," : ",") + csv_field(text);
  Fields read{"x"};
  read.insert(read.end(), texts.begin(), texts.end());
  EXPECT_EQ(csv_fields(line), read);
  std::string quoted = "x";
  for (const std::string& text : texts) quoted += "," + csv_quoted(text);
  EXPECT_EQ(csv_fields(quoted), read);
}

}  // namespace
}  // namespace ecube::csv_test
