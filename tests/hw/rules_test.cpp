// SPDX-License-Identifier: Apache-2.0
// The table of rules in hw/README.md: it has a row for each rule, its names exist, and no planted fault is missing.
#include "tests/test.h"

namespace rules_test {
namespace {

namespace fs = std::filesystem;

/// The text of all files below `folder` with one of these extensions.
std::string source(const std::string& folder, const std::vector<std::string>& extensions) {
  std::string all;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(ECUBE_ROOT) / folder)) {
    const std::string extension = entry.path().extension().string();
    if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end()) all += file_text(entry.path());
  }
  return all;
}

struct Sources {
  std::string page = file_text(ECUBE_ROOT "/hw/README.md");
  std::string clocked = source("hw/clocked", {".h", ".cpp"});
  std::string event = source("hw/event", {".h", ".cpp"});
  std::string tests = source("tests", {".cpp"});
  std::string faults = file_text(ECUBE_ROOT "/tests/hw/planted.txt");
};

/// Whether `word` is in `text` and is not the end of a longer word.
bool has_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if (at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 && text[at - 1] != '_')) return true;
  }
  return false;
}

/// `name`, `Class::name` or `name(Type)`: a function, a function of a class, or an overload by the type of its first
/// argument.
bool has_function(const std::string& text, const std::string& name) {
  if (const std::size_t type = name.find('('); type != std::string::npos) {
    return has_word(text, name.substr(0, type) + "(const " + name.substr(type + 1, name.size() - type - 2) + "&");
  }
  if (has_word(text, name + "(")) return true;
  const std::size_t colons = name.find("::");
  if (colons == std::string::npos) return false;
  // Defined in its class.
  const std::string of = name.substr(0, colons);
  for (const std::string& head : {"\nclass " + of, "\nstruct " + of}) {
    const std::size_t at = text.find(head + " ");
    if (at == std::string::npos) continue;
    return has_word(text.substr(at, text.find("\n};", at) - at), name.substr(colons + 2) + "(");
  }
  return false;
}

/// `file.name`: a rule of hw/rtl/properties, or an assertion of a module.
bool has_assertion(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return false;
  const fs::path folder = fs::path(ECUBE_ROOT) / "hw/rtl";
  const std::string file = name.substr(0, dot) + ".sv";
  const std::string label = "(" + name.substr(dot + 1) + ")";
  return file_text(folder / "properties" / file).find("`ECUBE_RULE" + label) != std::string::npos ||
         file_text(folder / file).find("`ECUBE_ASSERT" + label) != std::string::npos ||
         file_text(folder / file).find("`ECUBE_NEIGHBOUR" + label) != std::string::npos;
}

bool has_test(const std::string& tests, const std::string& name) {
  const std::size_t dot = name.find('.');
  return dot != std::string::npos &&
         tests.find("(" + name.substr(0, dot) + ", " + name.substr(dot + 1) + ")") != std::string::npos;
}

std::vector<std::string> names_in(const std::string& cell) {
  std::vector<std::string> names;
  const std::regex name("`([^`]+)`");
  for (std::sregex_iterator at(cell.begin(), cell.end(), name), end; at != end; ++at) names.push_back((*at)[1]);
  return names;
}

std::set<std::string> rules_of(const std::string& text) {
  std::set<std::string> rules;
  const std::regex rule(R"((^|\n)(\*\*|\| )(\d+\.\d+) )");
  for (std::sregex_iterator at(text.begin(), text.end(), rule), end; at != end; ++at) rules.insert((*at)[3]);
  return rules;
}

std::set<std::string> planted_in(const std::string& faults) {
  std::set<std::string> names;
  const std::regex planted(R"(\nfault (?!Event)(\w+))");
  for (std::sregex_iterator at(faults.begin(), faults.end(), planted), end; at != end; ++at) names.insert((*at)[1]);
  return names;
}

/// Whether a function, with the comment before it, mentions its rule; where it is overloaded, or declared and defined,
/// one of the places does.
bool mentions(const std::string& text, const std::string& name, const std::string& rule) {
  const std::size_t type = name.find('(');
  const std::size_t colons = name.find("::");
  const std::string head = type != std::string::npos
                               ? name.substr(0, type) + "(const " + name.substr(type + 1, name.size() - type - 2) + "&"
                               : name.substr(colons == std::string::npos ? 0 : colons + 2) + "(";
  for (std::size_t at = text.find(head); at != std::string::npos; at = text.find(head, at + 1)) {
    const std::size_t from = text.rfind("\n\n", at);
    const std::string function = text.substr(from, text.find("\n}\n", at) - from);
    for (std::size_t found = function.find(rule); found != std::string::npos; found = function.find(rule, found + 1)) {
      const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
      if (!is_digit(function[found - 1]) && !is_digit(function[found + rule.size()])) return true;
    }
  }
  return false;
}

/// The mistakes of the table; empty when there are none.
std::string wrong(const Sources& sources) {
  const std::size_t begin = sources.page.find("\n## 11.");
  if (begin == std::string::npos) return "there is no table";
  const std::size_t behind = std::min(sources.page.find("\n## 12."), sources.page.size());
  const std::set<std::string> rules = rules_of(sources.page.substr(0, begin) + sources.page.substr(behind));
  const std::set<std::string> planted = planted_in(sources.faults);
  std::set<std::string> listed;
  std::set<std::string> named_faults;
  std::string faults;
  const auto expect = [&](bool good, const std::string& rule, const std::string& what) {
    if (!good) faults += rule + ": " + what + "\n";
  };
  std::istringstream table(sources.page.substr(begin, behind - begin));
  for (std::string line; std::getline(table, line);) {
    if (line.size() < 3 || std::isdigit(static_cast<unsigned char>(line[2])) == 0) continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(1));
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
    const std::string rule = cells[0].substr(1, cells[0].size() - 2);
    expect(cells.size() == 6, rule, "a row has six cells");
    if (cells.size() != 6) continue;
    expect(rules.count(rule) == 1, rule, "there is no such rule");
    expect(listed.insert(rule).second, rule, "a second row");
    for (const unsigned cell : {1U, 2U, 4U, 5U}) expect(!names_in(cells[cell]).empty(), rule, "an empty cell");
    for (const std::string& name : names_in(cells[1])) {
      const bool there = has_function(sources.clocked, name);
      expect(there, rule, name);
      expect(!there || mentions(sources.clocked, name, rule), rule, name + " does not mention the rule");
    }
    for (const std::string& name : names_in(cells[2])) expect(has_function(sources.event, name), rule, name);
    for (const std::string& name : names_in(cells[3])) expect(has_assertion(name), rule, name);
    for (const std::string& name : names_in(cells[4])) expect(has_test(sources.tests, name), rule, name);
    for (const std::string& name : names_in(cells[5])) {
      expect(planted.count(name) == 1, rule, name);
      named_faults.insert(name);
    }
  }
  for (const std::string& rule : rules) expect(listed.count(rule) == 1, rule, "no row");
  for (const std::string& fault : planted) expect(named_faults.count(fault) == 1, fault, "in no row");
  return faults;
}

TEST(Rules, HaveAFunctionInBothEnginesATestAndAFault) {
  const Sources sources;
  EXPECT_GT(rules_of(sources.page).size(), 50U);
  EXPECT_GT(planted_in(sources.faults).size(), 60U);
  EXPECT_EQ(wrong(sources), "");
}

/// Rows of the table of shared decisions whose function or test is not there; empty when there are none.
std::string wrong_decisions(const std::string& page, const Sources& sources) {
  const std::string models = source("models", {".h"});
  std::string faults;
  unsigned rows = 0;
  std::istringstream table(
      page.substr(page.find("\n| decided in"), page.find("\n## 1.") - page.find("\n| decided in")));
  for (std::string line; std::getline(table, line);) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
    if (cells.size() != 4 || !cells[1].starts_with(" `")) continue;
    ++rows;
    for (const std::string& name : names_in(cells[1])) faults += has_function(models, name) ? "" : name + "\n";
    for (const std::string& name : names_in(cells[3])) faults += has_test(sources.tests, name) ? "" : name + "\n";
  }
  return rows < 4 ? "there is no table" : faults;
}

TEST(Rules, ThatModelsDecideForBothEnginesHaveATableMadeByHand) {
  const Sources sources;
  EXPECT_EQ(wrong_decisions(sources.page, sources), "");
  std::string page = sources.page;
  page.replace(page.find("`inject_port` | 4.1"), 13, "`eject_port`");
  page.replace(page.find("ThatItNames"), 4, "What");
  EXPECT_EQ(wrong_decisions(page, sources), "SharedDecisions.AReceiveTakesTheSourceAndTypeWhatItNames\neject_port\n");
}

/// Functions and rules that the way of a message in hw/event/README.md names and that are not there; empty when there
/// are none.
std::string missing_on_the_way(const std::string& page, const Sources& sources) {
  const std::set<std::string> rules = rules_of(sources.page);
  const std::regex rule(R"(\d+\.\d+)");
  std::string missing;
  unsigned steps = 0;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
    if (cells.size() != 4 || names_in(cells[3]).empty() || !std::regex_search(cells[2], rule)) continue;
    ++steps;
    for (std::sregex_iterator at(cells[2].begin(), cells[2].end(), rule), end; at != end; ++at) {
      if (rules.count(at->str()) == 0) missing += at->str() + "\n";
    }
    for (const std::string& name : names_in(cells[3])) {
      if (!has_function(sources.event, name)) missing += name + "\n";
    }
  }
  return steps < 10 ? "no way of ten steps" : missing;
}

TEST(Rules, OfTheWayOfAMessageAreThere) {
  const Sources sources;
  std::string page = file_text(ECUBE_ROOT "/hw/event/README.md");
  EXPECT_EQ(missing_on_the_way(page, sources), "");
  for (const auto& [from, to] :
       {std::pair("`Engine::launch`", "`Engine::hurls`"), std::pair("| 4.3 to", "| 4.99 to")}) {
    const std::size_t at = page.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    page.replace(at, std::string(from).size(), to);
  }
  EXPECT_EQ(missing_on_the_way(page, sources), "4.99\nEngine::hurls\n");
}

/// A change of the table, which the check has to notice and to name.
struct Change {
  const char* from;
  const char* to;
  const char* noticed;
};

TEST(Rules, AreMissedWhereTheyAreWrong) {
  const Change changes[] = {
      {"| 2.3 | `winner` |", "| 2.3 | `looser` |", "2.3: looser\n"},
      {"`Routers::inject`", "`Routers::ejects`", "2.2: Routers::ejects\n"},
      {"`next(RouterState)`", "`next(LinkState)`", "2.2: next(LinkState)\n"},
      {"`ecube_arbiter.one_winner`", "`ecube_arbiter.two_winners`", "2.3: ecube_arbiter.two_winners\n"},
      {"`Circuits.OneCircuitIsTheFirstDiagram`", "`Circuits.OneCircuit`", "3.2: Circuits.OneCircuit\n"},
      {"`TheHighestDimensionFirst`", "`TheLowestDimensionFirst`",
       "2.2: TheLowestDimensionFirst\nTheHighestDimensionFirst: in no row\n"},
      {"**2.4 Hold.**", "**2.8 Hold.**", "2.4: there is no such rule\n2.8: no row\n"},
      {"| 8.5 | `MessageLibrary::end_cycle` |", "| 8.5 | - |", "8.5: an empty cell\n"},
      {"| 6.8 | `MessageLibrary::store` |", "| 6.8 | `MessageLibrary::act` |",
       "6.8: MessageLibrary::act does not mention the rule\n"},
  };
  Sources sources;
  const std::string page = sources.page;
  for (const Change& change : changes) {
    const std::size_t at = page.find(change.from);
    ASSERT_NE(at, std::string::npos) << change.from;
    sources.page = page;
    sources.page.replace(at, std::string(change.from).size(), change.to);
    EXPECT_EQ(wrong(sources), change.noticed);
  }
}

}  // namespace
}  // namespace rules_test
