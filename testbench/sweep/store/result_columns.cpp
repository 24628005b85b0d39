// SPDX-License-Identifier: Apache-2.0
// Units of axis values; expressions as SQLite's authorizer lets them pass.
#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>

#include "models/machine/quantity.h"
#include "models/machine/spelling.h"
#include "testbench/run/figures.h"
#include "testbench/sweep/store/store.h"
#include "testbench/text/csv.h"
#include "testbench/text/regular_expression.h"

namespace ecube {

/// Units as models/machine/quantity.h has them: how one is spelled, the unit of its kind, and how many of these it is.
extern const char* const units_table;

namespace {

/// The table that an expression may read, and may not name.
constexpr std::string_view row_table = "ecube's one row";

constexpr std::size_t max_derived = 100;
constexpr std::size_t max_expression_bytes = 2000;
constexpr unsigned max_depth = 50;

bool same_letters(std::string_view a, std::string_view b) {
  return sqlite3_strnicmp(a.data(), b.data(), static_cast<int>(std::min(a.size(), b.size()))) == 0 &&
         a.size() == b.size();
}

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view one) { return same_letters(one, word); });
}

/// One SELECT, of the row and of known functions: an expression that asks for another SELECT is a query of its own.
int only_the_row(void* selects, int action, const char* first, const char* second, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
      return (*static_cast<unsigned*>(selects))++ == 0 ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_READ:
      return first == row_table ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION:
      return contains(derived_functions, second) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

/// The text without what stands in quotes or brackets, each of which leaves its first mark.
std::string unquoted(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    result += text[at];
    constexpr std::string_view marks = "'\"`[";
    if (marks.find(text[at]) != std::string_view::npos) {
      at = std::min(text.find(text[at] == '[' ? ']' : text[at], at + 1), text.size());
    }
  }
  return result;
}

std::string sql_name(std::string_view name) {
  std::string result = "\"";
  for (const char c : name) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

class Expressions {
 public:
  explicit Expressions(const std::vector<std::string>& columns)
      : tables_(SQLite::Database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)) {
    for (const StoreTable& table : store_tables) tables_.sql().exec(std::string(table.statement));
    std::string names;
    for (const std::string& column : columns) {
      if (contains(columns_, column)) continue;
      columns_.emplace_back(column);
      names += (names.empty() ? "" : ", ") + sql_name(column);
    }
    // Without a rowid, which would be one more column.
    tables_.sql().exec(fmt::format("CREATE TABLE {}({}, PRIMARY KEY ({})) WITHOUT ROWID", sql_name(row_table), names,
                                   sql_name(columns.front())));
  }

  void check(const DerivedColumn& column) {
    const std::string& text = column.expression;
    if (text.size() > max_expression_bytes) {
      refuse(column, fmt::format("is longer than {} characters", max_expression_bytes));
    }
    check_signs(column);
    const std::string table = sql_name(row_table);
    compile(column, fmt::format("SELECT (\n{}\n) FROM {}", text, table));
    // Where no aggregate can be: with it the table of results would have one row.
    compile(column, fmt::format("SELECT 1 FROM {} WHERE (\n{}\n)", table, text));
  }

 private:
  [[noreturn]] static void refuse(const DerivedColumn& column, const std::string& what, std::string_view hint = {},
                                  std::string_view valid = {}) {
    throw InputError(fmt::format("the derived column {} {}", ecube::quoted(column.name), what))
        .at(column.place, hint)
        .valid(valid);
  }

  /// What the authorizer does not hear of.
  static void check_signs(const DerivedColumn& column) {
    const std::string text = unquoted(column.expression);
    if (column.expression.find(row_table) != std::string::npos) refuse(column, "names a table");
    if (column.expression.find('\0') != std::string::npos) refuse(column, "has a character that no expression has");
    if (text.find("--") != std::string::npos)
      refuse(column, "has a comment", "two minus signs begin one: write - (-x)");
    if (text.find("/*") != std::string::npos) refuse(column, "has a comment");
    if (text.find("x'") != std::string::npos || text.find("X'") != std::string::npos) {
      refuse(column, "has bytes, as x'41'", "texts are 'texts'");
    }
    static const RegularExpression collate("(^|[^A-Za-z_])collate([^A-Za-z_]|$)",
                                           RegularExpression::Letters::of_either_case);
    if (collate.is_in(text)) refuse(column, "has the word 'COLLATE'");
    unsigned depth = 0;
    for (const char c : text) {
      depth += c == '(' ? 1 : 0;
      depth -= c == ')' && depth > 0 ? 1 : 0;
      if (depth > max_depth) refuse(column, fmt::format("has more than {} parentheses within each other", max_depth));
    }
  }

  void compile(const DerivedColumn& column, const std::string& statement) {
    sqlite3* const handle = tables_.sql().getHandle();
    unsigned selects = 0;
    sqlite3_set_authorizer(handle, only_the_row, &selects);
    sqlite3_stmt* compiled = nullptr;
    const char* rest = nullptr;
    const int problem =
        sqlite3_prepare_v3(handle, statement.c_str(), static_cast<int>(statement.size()) + 1, 0, &compiled, &rest);
    const std::string why = problem == SQLITE_OK ? "" : sqlite3_errmsg(handle);
    const bool one = compiled != nullptr && *rest == '\0';
    const bool parameters = compiled != nullptr && sqlite3_bind_parameter_count(compiled) > 0;
    sqlite3_finalize(compiled);
    if (!why.empty()) explain(column, why);
    if (!one) refuse(column, "is more than one expression");
    if (parameters) refuse(column, "has a parameter, and nothing gives it a value");
  }

  [[noreturn]] void explain(const DerivedColumn& column, const std::string& why) const {
    const auto behind = [&why](std::string_view words) {
      return why.starts_with(words) ? std::string_view(why).substr(words.size()) : std::string_view();
    };
    if (const std::string_view name = behind("no such column: "); !name.empty()) {
      const std::string what = fmt::format("names {}, and there is no such column", ecube::quoted(name));
      for (const std::string_view one : columns_) {
        if (one.find('.') != std::string_view::npos && same_letters(one.substr(0, name.size()), name)) {
          refuse(column, what, fmt::format("names with points are written in brackets: [{}]", one));
        }
      }
      refuse(column, what, did_you_mean(name, columns_), "columns " + joined(columns_, " "));
    }
    for (const std::string_view words : {"no such function: ", "not authorized to use function: "}) {
      const std::string_view name = behind(words);
      if (name.empty()) continue;
      refuse(column, fmt::format("calls {}", ecube::quoted(name)), did_you_mean(name, derived_functions),
             "functions " + joined(derived_functions, " "));
    }
    if (const std::string_view near = behind("near \""); !near.empty()) {
      const std::string_view word = near.substr(0, near.find('"'));
      if (contains(columns_, word)) {
        refuse(column, fmt::format("has the word {}", ecube::quoted(word)),
               fmt::format("it is a word of SQL too: write [{}] for the column", word));
      }
    }
    refuse(column, "is no SQL expression: " + why,
           "as us_per_byte = \"measured_us / bytes\"; names with points in [brackets]");
  }

  StoreDatabase tables_;
  std::vector<std::string_view> columns_;
};

constexpr std::array<std::string_view, 5> of_the_point{"number", "id", "seed", "repetition", "wall_s"};

}  // namespace

std::optional<ScaledValue> scaled(std::string_view text) {
  static const std::vector<std::vector<std::string>> units = table_rows(units_table, 3);
  const std::size_t digits = text.find_last_of("0123456789");
  if (digits == std::string_view::npos) return std::nullopt;
  const std::string_view unit = trimmed(text.substr(digits + 1));
  const Parsed<Ratio> number = parse_ratio(text.substr(0, digits + 1));
  if (!number) return std::nullopt;
  if (unit.empty()) return ScaledValue{(*number).value(), {}};
  const auto known = std::ranges::find_if(units, [unit](const auto& row) { return row[0] == unit; });
  if (known == units.end()) return std::nullopt;
  return ScaledValue{(*number).value() * std::stod((*known)[2]), (*known)[1]};
}

std::vector<AxisScale> axis_scales(const Study& study) {
  std::vector<AxisScale> result;
  for (const StudyAxis& axis : study.axes) {
    for (std::size_t key = 0; key < axis.keys.size(); ++key) {
      AxisScale scale{.key = axis.keys[key]};
      scale.numeric = axis.kind == StudyAxis::Kind::listed;
      for (std::size_t place = 0; scale.numeric && place < axis.values.size(); ++place) {
        const std::optional<ScaledValue> value = scaled(axis.values[place][key]);
        if (place == 0 && value) scale.unit = value->unit;
        scale.numeric = value && value->unit == scale.unit;
      }
      // "0011" is a strategy, not eleven.
      if (scale.unit.empty() && key < axis.quoted.size() && axis.quoted[key]) scale.numeric = false;
      if (!scale.numeric) scale.unit.clear();
      result.push_back(std::move(scale));
    }
  }
  return result;
}

void check_derived(const std::vector<DerivedColumn>& derived, const std::vector<std::string>& columns) {
  if (derived.size() > max_derived) {
    throw InputError(fmt::format("a study has at most {} derived columns", max_derived)).at(derived[max_derived].place);
  }
  if (derived.empty()) return;
  Expressions expressions(columns);
  const std::vector<std::string_view> names(columns.begin(), columns.end());
  for (const DerivedColumn& column : derived) {
    if (contains(names, column.name)) {
      throw InputError(fmt::format("a derived column cannot be called {}: there is one", ecube::quoted(column.name)))
          .at(column.place, "give it another name");
    }
    expressions.check(column);
  }
}

std::vector<std::string> result_columns(const std::vector<AxisScale>& axes) {
  std::vector<std::string> names(of_the_point.begin(), of_the_point.end());
  for (const AxisScale& axis : axes) names.push_back(axis.key);
  for (const Figure& figure : figures()) names.emplace_back(figure.column);
  return names;
}

std::string results_query(const std::vector<AxisScale>& axes, const std::vector<DerivedColumn>& derived) {
  std::string columns = "number, id, seed, repetition, wall_s";
  for (const AxisScale& axis : axes) {
    columns += fmt::format(", json_extract(axis, '$.\"{}\"') AS {}", axis.key, sql_name(axis.key));
  }
  for (const Figure& figure : figures()) {
    columns += fmt::format(", json_extract(result, '$.{}') AS {}", figure.member, figure.column);
  }
  const std::string rows = fmt::format(" FROM (SELECT {} FROM points WHERE status = 'done')", columns);
  check_derived(derived, result_columns(axes));
  std::string all = "*";
  for (const DerivedColumn& column : derived) {
    all += fmt::format(", (\n{}\n) AS {}", column.expression, sql_name(column.name));
  }
  return fmt::format("SELECT {}{}", all, rows);
}

}  // namespace ecube
