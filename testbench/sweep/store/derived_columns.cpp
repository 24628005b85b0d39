// SPDX-License-Identifier: Apache-2.0
// Expressions, word by word.
#include "testbench/sweep/store/derived_columns.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/machine/spelling.h"

namespace ecube {

namespace {

constexpr std::array<std::string_view, 38> functions{
    "abs",   "acos",  "asin",   "atan",   "atan2",  "ceil",   "ceiling", "coalesce", "cos",   "cosh",
    "exp",   "floor", "ifnull", "iif",    "instr",  "length", "ln",      "log",      "log10", "log2",
    "lower", "max",   "min",    "mod",    "nullif", "pi",     "pow",     "power",    "round", "sign",
    "sin",   "sinh",  "sqrt",   "substr", "tan",    "tanh",   "trunc",   "upper"};

/// All other words of SQL are refused, above all those that begin a query or reach beyond a row.
constexpr std::array<std::string_view, 22> keywords{
    "and",    "as",  "between", "case", "cast",    "else", "end",  "false", "in",   "integer", "is",
    "isnull", "not", "notnull", "null", "numeric", "or",   "real", "text",  "then", "true",    "when"};

/// Keywords behind which a parenthesis may open.
constexpr std::array<std::string_view, 10> before_parenthesis{"and", "between", "case", "cast", "else",
                                                              "in",  "is",      "not",  "or",   "then"};

constexpr unsigned max_depth = 50;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

template <typename Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string joined(std::span<const std::string_view> words) {
  std::string result;
  for (const std::string_view word : words) result += (result.empty() ? "" : " ") + std::string(word);
  return result;
}

/// Reads one expression and refuses everything that is not harmless. SQLite checks the grammar; this class checks that
/// the expression ends where its text ends, and which data it can reach.
class Expression {
 public:
  Expression(const DerivedColumn& column, const std::vector<std::string>& columns)
      : column_(column), columns_(columns), text_(column.expression) {}

  void check() {
    if (text_.size() > max_expression_bytes) {
      refuse(fmt::format("is longer than {} characters", max_expression_bytes));
    }
    for (skip(); at_ < text_.size(); skip()) word();
    if (!open_.empty()) refuse("has a parenthesis that is not closed");
    if (last_ == Last::nothing) refuse("is empty");
  }

 private:
  /// The kind of the last word, which decides whether a parenthesis may open.
  enum class Last : std::uint8_t { nothing, operation, value, function, keyword };
  /// An open parenthesis.
  struct Open {
    std::string function{};  ///< the function whose arguments it encloses; empty for any other
    unsigned commas = 0;
  };

  [[noreturn]] void refuse(const std::string& what, std::string_view hint = {}, std::string_view valid = {}) const {
    throw ErrorText(fmt::format("the derived column {} {}", ecube::quoted(column_.name), what))
        .at(column_.place, hint)
        .valid(valid)
        .error();
  }
  [[nodiscard]] bool next_is(std::string_view text) const { return text_.substr(at_).starts_with(text); }
  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  void word() {
    const char c = text_[at_];
    if (c == '\'') return quoted_text();
    if (c == '"' || c == '`' || c == '[') return quoted_name();
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number();
    if (is_letter(c)) return bare_word();
    if (c == '(' || c == ')' || c == ',') return parenthesis();
    operation();
  }

  void quoted_text() {
    const std::size_t end = end_of_quoted('\'');
    if (end == std::string_view::npos) refuse("has a text that does not end", "a text ends with '");
    at_ = end;
    value();
  }
  /// The place behind the closing mark; a doubled mark stands for itself.
  [[nodiscard]] std::size_t end_of_quoted(char mark) const {
    for (std::size_t end = at_ + 1; end < text_.size(); ++end) {
      if (text_[end] == '\0') break;
      if (text_[end] != mark) continue;
      if (mark == ']' || end + 1 == text_.size() || text_[end + 1] != mark) return end + 1;
      ++end;
    }
    return std::string_view::npos;
  }

  void quoted_name() {
    const char mark = text_[at_] == '[' ? ']' : text_[at_];
    const std::size_t end = end_of_quoted(mark);
    if (end == std::string_view::npos) refuse("has a name that does not end", fmt::format("it ends with {}", mark));
    const std::string_view name = text_.substr(at_ + 1, end - at_ - 2);
    at_ = end;
    must_be_column(name);
    value();
  }

  /// Digits, a fraction, an exponent; hexadecimal likewise. SQLite refuses texts that are no numbers.
  void number() {
    while (at_ < text_.size() && (is_digit(text_[at_]) || is_letter(text_[at_]) || text_[at_] == '.')) {
      const bool exponent = text_[at_] == 'e' || text_[at_] == 'E';
      ++at_;
      if (exponent && at_ + 1 < text_.size() && (next_is("+") || next_is("-")) && is_digit(text_[at_ + 1])) ++at_;
    }
    value();
  }

  void bare_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view as_typed = text_.substr(begin, at_ - begin);
    const std::string name = lowered(as_typed);
    if (contains(keywords, name)) {
      // "case (x)" is fine, "end (x)" is not; NULL, TRUE, FALSE and END are values.
      last_ = contains(before_parenthesis, name) || name == "when" ? Last::keyword : Last::value;
      last_word_ = name;
      return;
    }
    const std::size_t behind = std::min(text_.find_first_not_of(" \t\n\r", at_), text_.size());
    if (behind < text_.size() && text_[behind] == '(') {
      if (!contains(functions, name)) {
        refuse(fmt::format("calls {}", ecube::quoted(as_typed)), did_you_mean(name, functions),
               "functions " + joined(functions));
      }
      last_ = Last::function;
      last_word_ = name;
      return;
    }
    if (sqlite3_keyword_check(name.data(), static_cast<int>(name.size())) != 0) {
      const bool column = contains(columns_, name);
      refuse(fmt::format("has the word {}", ecube::quoted(as_typed)),
             column ? fmt::format("it is a word of SQL too: write [{}] for the column", name)
                    : std::string("a derived column is an expression, not a query"),
             column ? std::string() : "words of SQL and or not is null in between case when then else end cast as");
    }
    must_be_column(as_typed);
    value();
  }

  void must_be_column(std::string_view name) const {
    for (const std::string& column : columns_) {
      if (lowered(column) == lowered(name)) return;
    }
    const std::string beginning = lowered(name) + ".";
    for (const std::string& column : columns_) {
      if (column.starts_with(beginning)) {
        refuse(fmt::format("names {}, and there is no such column", ecube::quoted(name)),
               fmt::format("names with points are written in brackets: [{}]", column));
      }
    }
    const std::vector<std::string_view> views(columns_.begin(), columns_.end());
    refuse(fmt::format("names {}, and there is no such column", ecube::quoted(name)), did_you_mean(name, views),
           "columns " + joined(views));
  }

  void value() {
    // Two values side by side are no expression: x'41', "abs"'x'.
    if (last_ == Last::value && last_word_.empty()) refuse("has two values with no operator between them");
    // "x IN name" would read a table.
    if (last_ == Last::keyword && last_word_ == "in") refuse("has IN without a list", "as in (1, 2)");
    last_ = Last::value;
    last_word_.clear();
  }

  void parenthesis() {
    const char c = text_[at_++];
    if (c == '(') {
      if (last_ == Last::value) refuse("has a parenthesis behind a value", "an operator is missing, or a function");
      if (open_.size() == max_depth) refuse(fmt::format("has more than {} parentheses within each other", max_depth));
      open_.push_back({.function = last_ == Last::function ? last_word_ : std::string()});
      last_ = Last::operation;
    } else if (c == ',') {
      if (open_.empty()) refuse("is more than one expression", "a comma separates arguments of a function");
      ++open_.back().commas;
      last_ = Last::operation;
    } else {
      if (open_.empty()) refuse("closes a parenthesis that it did not open");
      // With one argument they are aggregates over all rows, and the table of results would have one row.
      if ((open_.back().function == "min" || open_.back().function == "max") && open_.back().commas == 0) {
        refuse(fmt::format("takes the {} of one value", open_.back().function),
               fmt::format("of two or more of the same row: {}(a, b)", open_.back().function));
      }
      open_.pop_back();
      last_ = Last::value;
    }
    last_word_.clear();
  }

  void operation() {
    if (next_is("--") || next_is("/*")) {
      refuse("has a comment", next_is("--") ? "two minus signs begin one: write - (-x)" : "");
    }
    if (next_is("->")) refuse("has the operator '->'");
    static constexpr std::array<std::string_view, 20> operations{
        "||", "<<", ">>", "<=", ">=", "<>", "==", "!=", "+", "-", "*", "/", "%", "<", ">", "=", "&", "|", "~", "."};
    for (const std::string_view one : operations) {
      if (!next_is(one)) continue;
      if (one == ".") refuse("has a point outside a number", "names with points are written in brackets: [link.phit]");
      at_ += one.size();
      last_ = Last::operation;
      last_word_.clear();
      return;
    }
    refuse(fmt::format("has a character that no expression has: {}", ecube::quoted(text_.substr(at_, 1))), "",
           "columns, numbers, 'texts', + - * / % || = <> < <= > >= & | ~ << >> and functions");
  }

  const DerivedColumn& column_;
  const std::vector<std::string>& columns_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  Last last_ = Last::nothing;
  std::string last_word_;  ///< a keyword or a function
};

}  // namespace

std::span<const std::string_view> derived_functions() { return functions; }

void check_derived(const std::vector<DerivedColumn>& derived, const std::vector<std::string>& columns) {
  if (derived.size() > max_derived) {
    throw ErrorText(fmt::format("a study has at most {} derived columns", max_derived))
        .at(derived[max_derived].place)
        .error();
  }
  for (const DerivedColumn& column : derived) {
    if (contains(columns, column.name)) {
      throw ErrorText(fmt::format("a derived column cannot be called {}: there is one", ecube::quoted(column.name)))
          .at(column.place, "give it another name")
          .error();
    }
    Expression(column, columns).check();
  }
}

}  // namespace ecube
