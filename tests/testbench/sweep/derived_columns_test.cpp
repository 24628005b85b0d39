// SPDX-License-Identifier: Apache-2.0
// Derived columns: expressions of strangers.
#include <rapidcheck.h>

#include "tests/test.h"
#include "tests/testbench/sweep/studies.h"

namespace ecube::derived_columns_test {
namespace {

const std::vector<std::string>& hostile_expressions() {
  static const std::vector<std::string> all{
      // Ends of the expression, followed by further text.
      "1) AS x FROM points; ATTACH 'evil' AS p; CREATE TABLE p.t(a); --", "1) AS x FROM (SELECT 1",
      "1) FROM points UNION SELECT (1", "1; DROP TABLE points", "1 -- x", "1 /* x */", "1 /* x", "1)", "(1", ")1(",
      "'open", "\"open", "[open", "`open", "'a' || 'it''s", std::string("1\0; DROP TABLE points", 21), "1;", "1, 2",
      // Queries, aggregates and windows.
      "(SELECT 1)", "(VALUES (1))", "EXISTS (SELECT 1)",
      "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)",
      "bytes IN (SELECT number FROM points)", "bytes IN points", "bytes IN [meta]", "bytes IN bytes",
      "bytes IN json_each('[1]')", "count(*) OVER ()", "row_number() OVER (ORDER BY bytes)",
      "sum(bytes) FILTER (WHERE bytes > 1)", "sum(bytes)", "count(*)", "max(bytes)", "min((bytes))", "group_concat(id)",
      // Parameters.
      "?1", "?", ":name", "@name", "$name",
      // Functions that read, write, or take much memory.
      "load_extension('x')", "\"load_extension\"('x')", "[readfile]('/etc/passwd')", "readfile('/etc/passwd')",
      "writefile('evil', 'x')", "edit('x')", "fts3_tokenizer('x')", "zeroblob(1000000000)", "randomblob(9)",
      "hex(zeroblob(1000000000))", "printf('%.*c', 1000000000, 'x')", "format('%1000000000d', 1)",
      "replace('aaaa', 'a', 'aaaaaaaa')", "json_extract(result, '$')", "bytes -> '$'",
      // Names that are no columns of results.
      "result", "arguments", "rowid", "points.result", "main.points.result", "\"no such column\"", "abs",
      // Words and signs of SQL that derived columns may not have.
      "x'41'", "bytes LIKE '%%%%%%'", "bytes COLLATE nocase", "RAISE(ABORT, 'x')", "CURRENT_TIMESTAMP", "PRAGMA x",
      // No grammar.
      "", " ", "bytes bytes", "abs()", "CASE", "CAST(bytes AS bytes", "1 +", "1abc", "pow(2)",
      // Too much.
      std::string(60, '(') + "1" + std::string(60, ')'), std::string(3000, '1'), "1" + std::string(900, '+') + "1"};
  return all;
}

TEST(Derived, IsOneHarmlessExpressionOrRefused) {
  Study ours = study("[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 4]\n[derived]\nx = \"1\"\n");
  for (const std::string& expression : hostile_expressions()) {
    ours.derived[0].expression = expression;
    const std::string what = thrown<InputError>([&] { check_columns(ours); });
    EXPECT_TRUE(what.starts_with("the derived column 'x' ")) << expression << ": " << what;
    EXPECT_HAS(what, "--> my.toml:6:5");
  }
}

TEST(Derived, SaysWhatWasMeant) {
  const auto why = [](const std::string& expression) -> std::string {
    Study ours = study(
        "[[axis]]\nkey = \"router.route\"\nvalues = [1]\n[[axis]]\nkey = \"order\"\nvalues = [\"low\"]\n[derived]\nx = "
        "\"1\"\n");
    ours.derived[0].expression = expression;
    return thrown<InputError>([&] { check_columns(ours); });
  };
  EXPECT_HAS(why("2 * measured_ms"), "did you mean 'measured_us'?");
  EXPECT_HAS(why("sqr(2)"), "did you mean 'sqrt'?");
  EXPECT_HAS(why("router.route"), "[router.route]");
  EXPECT_HAS(why("order"), "write [order]");
  EXPECT_HAS(why("1 +"), "syntax error");
  EXPECT_HAS(why("pow(2)"), "wrong number of arguments");
  EXPECT_HAS(why("--1"), "two minus signs");
  EXPECT_EQ(why("[order] || \"router.route\" || `id`"), "");
}

TEST(Derived, HasColumnsNumbersTextsOperatorsAndFunctions) {
  const Directory directory;
  // Worked out by hand for bytes = 4, seed = 1, 400 cycles in 10 us.
  const std::vector<std::pair<std::string, double>> all{
      {"2 * measured_us", 20},
      {"measured_us / bytes", 2.5},
      {"Measured_US + [bytes] - \"bytes\" * `seed`", 10},
      {"CASE WHEN bytes >= 4 AND NOT bytes = 5 THEN 1.5e+1 ELSE 0x10 END", 15},
      {"CASE (bytes) WHEN 4 THEN (7) END", 7},
      {"max(bytes, 9) + min(bytes, (3), 5)", 12},
      {"round(sqrt(bytes) + log2(8) + pow(2, 3), 1)", 13},
      {"coalesce(error_percent, predicted_us, -1)", -1},
      {"- (-bytes)", 4},
      {"length('it''s -- no /* comment; (here' || substr(id, 1, 2))", 30},
      {"instr('a;b', ';')", 2},
      {"bytes IN (1, 4) AND bytes BETWEEN (1) AND 5", 1},
      {"iif(error_percent IS NULL, CAST('12' AS INTEGER), 0)", 12},
      {"(bytes << 2) | 1", 17},
      {"\n measured_us\n  * 3 ", 30},
      {"verified IS NOT NULL", 0},
      {"pi() > 3", 1}};
  std::string text = "run = \"exchange\"\n[[axis]]\nkey = \"bytes\"\nvalues = [4]\n[derived]\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    text += "x" + std::to_string(i) + " = \"\"\"" + all[i].first + " \"\"\"\n";
  }
  const Study ours = parse_study(text, "my.toml");
  {
    Store store(directory / "a", ours);
    store.add(points(ours)[0],
              {.done = true, .wall_s = 0.5, .outcome = R"({"measured": {"cycles": 400, "us": 10.0}})"});
    EXPECT_TRUE(store.commit());
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ((results(directory / "a", "x" + std::to_string(i))),
              (std::map<std::uint64_t, double>{{0, all[i].second}}))
        << all[i].first;
  }
}

TEST(Derived, FailsAtItsPoint) {
  const Directory directory;
  const Study ours = study(
      "[[axis]]\nkey = \"bytes\"\nvalues = [1, 2, 4]\n[derived]\n"
      "worst = \"abs(iif(bytes = 2, -9223372036854775807 - 1, bytes))\"\ntwice = \"2 * bytes\"\n"
      "large = \"iif(bytes = 4, abs(-9223372036854775808), abs(-7.5) + abs('0.5') - abs(-1))\"\n");
  {
    Store store(directory / "a", ours);
    for (const StudyPoint& point : points(ours)) {
      store.add(point, {.done = true, .wall_s = 0.5, .outcome = R"({"measured": {"cycles": 400}})"});
    }
    EXPECT_TRUE(store.commit());
  }
  using Row = std::vector<nlohmann::ordered_json>;
  std::vector<Row> rows;
  StoreReader(directory / "a")
      .results([](const auto&) {}, [&rows](const Row& row) { rows.emplace_back(row.end() - 3, row.end()); });
  EXPECT_EQ(rows, (std::vector<Row>{{7, 2, 1}, {7, 4, nullptr}, {nullptr, 8, 4}}));
}

TEST(Derived, TakesAnyTextWithoutHarm) {
  Study ours = study("[[axis]]\nkey = \"bytes\"\nvalues = [1]\n[derived]\nx = \"1\"\n");
  const std::vector<std::string> words{"(",  ")",  "'",     "\"",  "[",      "]",    "`",      "--",   "/*",  "*/",
                                       ";",  ",",  "bytes", "1",   "SELECT", "FROM", "points", "abs",  "max", "IN",
                                       "AS", "||", "-",     " ",   "\n",     "OVER", "x",      "CASE", "END", "?1",
                                       ".",  "e",  "NULL",  "NOT", "VALUES", "meta", "0x",     "+",    " "};
  const auto accepts = [&](const std::string& text) {
    ours.derived[0].expression = text;
    try {
      check_columns(ours);
    } catch (const InputError&) {
      return false;
    }
    // An accepted expression is one value, in whatever context.
    ours.derived[0].expression = "coalesce((" + text + "), 1)";
    check_columns(ours);
    return true;
  };
  EXPECT_TRUE(rc::check([&] {
    std::string text;
    for (unsigned left = *rc::gen::inRange(0U, 9U); left > 0; --left) text += *rc::gen::elementOf(words);
    accepts(text);
  }));
  for (const char* const text : {"1", "bytes", "abs(bytes)", "-bytes + 1", "CASE bytes WHEN 1 THEN 2 END"})
    EXPECT_TRUE(accepts(text)) << text;
}

}  // namespace
}  // namespace ecube::derived_columns_test
