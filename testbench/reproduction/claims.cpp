// SPDX-License-Identifier: Apache-2.0
// The list of claims, read and judged; the table of origins, and the errors of predictions.
#include "testbench/reproduction/claims.h"

#include <fmt/core.h>

#include <cmath>
#include <iterator>

#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "testbench/text/csv.h"
#include "testbench/text/json_text.h"
#include "testbench/text/regular_expression.h"

namespace ecube {

extern const char* const claims_table;
extern const char* const origins_table;

namespace {

/// Whether `decider` begins with `kind`, which is then taken away.
bool taken(std::string_view& decider, std::string_view kind) {
  if (!decider.starts_with(kind)) return false;
  decider.remove_prefix(kind.size());
  return true;
}

bool names_result(std::string_view decider) {
  return decider != "-" && !decider.starts_with("test:") && !decider.starts_with("outside:");
}

void add_check(ClaimVerdict& verdict, std::string_view item, const Check& check,
               std::span<const KnownDifference> file) {
  const bool with_print = check.compared_with == ComparedWith::print;
  if (check.state() == CheckState::no_number) {
    verdict.reasons.push_back(check.reached.empty() ? check.statement : check.statement + ": " + check.reached);
  } else if (check.agrees) {
    ++verdict.agree;
    verdict.print_agrees = verdict.print_agrees || with_print;
  } else {
    verdict.print_differs = verdict.print_differs || with_print;
    verdict.differ.push_back(check.statement);
    verdict.instead.push_back(check.reached.empty() ? "it does not hold here" : check.reached);
    for (const KnownDifference& row : file) {
      const bool said = std::ranges::find(verdict.reasons, row.reason) != verdict.reasons.end();
      if (row.item == item && row.check == check.statement && !said) verdict.reasons.emplace_back(row.reason);
    }
  }
}

ClaimState state_of(const ClaimVerdict& verdict, bool tested) {
  if (!verdict.differ.empty()) {
    return verdict.print_differs && !verdict.print_agrees ? ClaimState::no : ClaimState::condition;
  }
  if (verdict.agree > 0) return ClaimState::holds;
  if (tested) return ClaimState::by_test;
  return verdict.reasons.empty() ? ClaimState::unchecked : ClaimState::undecidable;
}

}  // namespace

std::vector<Claim> parse_claims(std::string_view table) {
  std::vector<Claim> result;
  for (const std::vector<std::string>& row : table_rows(table, 4)) {
    const std::vector<std::string_view> deciders = split(row[3], ';');
    result.push_back({row[0], row[1], row[2], {deciders.begin(), deciders.end()}});
  }
  return result;
}

const std::vector<Claim>& claims() {
  static const std::vector<Claim> all = parse_claims(claims_table);
  return all;
}

std::set<std::string_view> results_of(const Claim& claim) {
  std::set<std::string_view> ids;
  for (const std::string& decider : claim.deciders) {
    if (names_result(decider)) ids.insert(std::string_view(decider).substr(0, decider.find('/')));
  }
  return ids;
}

TestResults parse_ctest(std::string_view printed) {
  //  3/54 Test #184: Cases/Suite.Name/2 ......   Passed    0.02 sec
  static const RegularExpression test(R"( Test [^:]*: ([^ ./]*/)?([^ ./]+\.[^ /]+))");
  TestResults results;
  for (const std::string_view line : split(printed, '\n')) {
    const std::vector<std::string_view> name = test.find(line);
    if (name.empty()) continue;
    const bool passed = line.find(" Passed ") != std::string_view::npos;
    const auto [one, fresh] = results.try_emplace(std::string(name[2]), passed);
    one->second = one->second && passed;
  }
  return results;
}

std::vector<std::string> tests_of(std::span<const Claim* const> claims) {
  std::set<std::string> names;
  for (const Claim* const claim : claims) {
    for (std::string_view decider : claim->deciders) {
      if (taken(decider, "test:")) names.emplace(decider);
    }
  }
  return {names.begin(), names.end()};
}

ClaimVerdict verdict_of(const Claim& claim, const DoneAgain& done, std::span<const KnownDifference> file,
                        const TestResults* tests) {
  ClaimVerdict verdict;
  bool tested = false;
  for (const std::string& text : claim.deciders) {
    std::string_view decider = text;
    if (taken(decider, "outside:")) verdict.reasons.emplace_back(decider);
    if (taken(decider, "test:")) {
      tested = true;
      if (tests == nullptr) continue;
      const auto test = tests->find(decider);
      if (test == tests->end()) {
        throw InputError("claim " + claim.id + ": no test " + std::string(decider) + " has run")
            .hint("./ecube test -N builds the tests");
      }
      add_check(verdict, "", statement_check(print, text, test->second, "the test fails"), {});
    }
    if (!names_result(text)) continue;
    const std::string_view item = decider.substr(0, decider.find('/'));
    const std::string_view words = item.size() < decider.size() ? decider.substr(item.size() + 1) : "";
    const auto found = done.find(item);
    std::size_t chosen = 0;
    for (const Check& check : found == done.end() ? std::vector<Check>{} : found->second) {
      if (check.statement.find(words) == std::string::npos) continue;
      ++chosen;
      add_check(verdict, item, check, file);
    }
    if (chosen == 0) throw InputError("claim " + claim.id + ": no check of " + text);
  }
  verdict.state = state_of(verdict, tested);
  return verdict;
}

std::string_view origin_of(std::string_view result, const Check& check) {
  const bool counted = check.tolerance && check.tolerance->reason == exactly.reason;
  if (check.compared_with != ComparedWith::print || !check.distance_percent || counted) return "";
  static const std::vector<std::vector<std::string>> rows = table_rows(origins_table, 3);
  for (const std::vector<std::string>& row : rows) {
    if (result.starts_with(row[0]) && check.statement.find(row[1]) != std::string::npos) return row[2];
  }
  return "";
}

void Predictions::add(const PublishedResult& result, const std::vector<Check>& checks) {
  const std::string_view what = result.what;
  const std::string paper(what.substr(0, what.find(',')));
  for (const Check& check : checks) {
    const std::string_view origin = origin_of(result.id, check);
    if (origin == "predicted") {
      off_[{paper, std::string(result.preset)}].emplace(std::abs(*check.distance_percent), check.statement);
    } else if (!origin.empty()) {
      others_.emplace(origin);
    }
  }
}

Json Predictions::rows() const {
  Json result = Json::array();
  for (const auto& [where, off] : off_) {
    const auto upper = std::next(off.begin(), static_cast<std::ptrdiff_t>(off.size() / 2));
    const double median = off.size() % 2 == 1 ? upper->first : (std::prev(upper)->first + upper->first) / 2;
    const auto& [worst_percent, worst] = *off.rbegin();
    result.push_back({{"paper", where.first},
                      {"machine", where.second},
                      {"numbers", off.size()},
                      {"median_percent", median},
                      {"worst_percent", worst_percent},
                      {"worst", worst}});
  }
  return result;
}

std::vector<std::string> Predictions::lines() const {
  std::vector<std::string> result;
  for (const Json& row : rows()) {
    const auto text = [&](const char* member) { return row[member].get<std::string>(); };
    const auto numbers = row["numbers"].get<std::size_t>();
    result.push_back(
        fmt::format("predicted by runs, {} on {}: {} {}, off by {:.0f} % in the median, {:.0f} % at worst ({})",
                    text("paper"), text("machine"), numbers, numbers == 1 ? "number" : "numbers",
                    row["median_percent"].get<double>(), row["worst_percent"].get<double>(), text("worst")));
  }
  if (!others_.empty()) {
    result.push_back(fmt::format(
        "no predictions: {} numbers that a preset was set from, {} that follow from it by arithmetic, {} what-ifs",
        others_.count("set"), others_.count("arithmetic"), others_.count("what-if")));
  }
  return result;
}

}  // namespace ecube
