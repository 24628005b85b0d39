// SPDX-License-Identifier: Apache-2.0
// The list of claims, read and judged.
#include "testbench/reproduction/claims.h"

#include <algorithm>
#include <regex>
#include <set>

#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "testbench/text/csv.h"

namespace ecube {

extern const char* const claims_table;

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
  static const std::regex test(R"( Test [^:]*: (?:[^ ./]*/)?([^ ./]+\.[^ /]+))");
  TestResults results;
  for (const std::string_view line : split(printed, '\n')) {
    std::cmatch name;
    if (!std::regex_search(line.begin(), line.end(), name, test)) continue;
    const bool passed = line.find(" Passed ") != std::string_view::npos;
    const auto [one, fresh] = results.try_emplace(name.str(1), passed);
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

namespace {

/// What decided a claim so far.
class ClaimCount {
 public:
  ClaimVerdict verdict{};

  void add_check(std::string_view item, const Check& check, std::span<const KnownDifference> file) {
    const bool with_print = check.compared_with == ComparedWith::print;
    if (check.state() == CheckState::no_number) {
      verdict.reasons.push_back(check.reached.empty() ? check.statement : check.statement + ": " + check.reached);
    } else if (check.agrees) {
      ++verdict.agree;
      print_agrees_ += with_print ? 1 : 0;
    } else {
      print_differs_ += with_print ? 1 : 0;
      verdict.differ.push_back(check.statement);
      verdict.instead.push_back(check.reached.empty() ? "it does not hold here" : check.reached);
      for (const KnownDifference& row : file) {
        const bool said = std::ranges::find(verdict.reasons, row.reason) != verdict.reasons.end();
        if (row.item == item && row.check == check.statement && !said) verdict.reasons.emplace_back(row.reason);
      }
    }
  }
  [[nodiscard]] ClaimVerdict decided(bool tested) {
    if (!verdict.differ.empty()) {
      verdict.state = print_agrees_ == 0 && print_differs_ > 0 ? ClaimState::no : ClaimState::condition;
    } else if (verdict.agree > 0) {
      verdict.state = ClaimState::holds;
    } else if (tested) {
      verdict.state = ClaimState::by_test;
    } else if (!verdict.reasons.empty()) {
      verdict.state = ClaimState::undecidable;
    }
    return std::move(verdict);
  }

 private:
  std::size_t print_agrees_ = 0;
  std::size_t print_differs_ = 0;
};

}  // namespace

ClaimVerdict verdict_of(const Claim& claim, const DoneAgain& done, std::span<const KnownDifference> file,
                        const TestResults* tests) {
  ClaimCount count;
  bool tested = false;
  for (const std::string& text : claim.deciders) {
    std::string_view decider = text;
    if (taken(decider, "outside:")) count.verdict.reasons.emplace_back(decider);
    if (taken(decider, "test:")) {
      tested = true;
      if (tests == nullptr) continue;
      const auto test = tests->find(decider);
      if (test == tests->end()) {
        throw InputError("claim " + claim.id + ": no test " + std::string(decider) + " has run")
            .hint("./ecube test -N builds the tests");
      }
      count.add_check("", statement_check(print, text, test->second, "the test fails"), {});
    }
    if (!names_result(text)) continue;
    const std::string_view item = decider.substr(0, decider.find('/'));
    const std::string_view words = item.size() < decider.size() ? decider.substr(item.size() + 1) : "";
    const auto found = done.find(item);
    std::size_t chosen = 0;
    for (const Check& check : found == done.end() ? std::vector<Check>{} : found->second) {
      if (check.statement.find(words) == std::string::npos) continue;
      ++chosen;
      count.add_check(item, check, file);
    }
    if (chosen == 0) throw InputError("claim " + claim.id + ": no check of " + text);
  }
  return count.decided(tested);
}

std::string_view words_of(ClaimState state) {
  constexpr std::string_view words[claim_states] = {"holds",     "holds with a condition",    "does not hold",
                                                    "by a test", "undecidable by simulation", "not yet checked"};
  return words[static_cast<std::size_t>(state)];
}

}  // namespace ecube
