// SPDX-License-Identifier: Apache-2.0
// The table of rules in hw/README.md: it has a row for each rule, its names exist, and no planted fault is missing.
#include "tests/test.h"

namespace rules_test {
namespace {

namespace fs = std::filesystem;

/// The text of all files below `folder` with one of these extensions.
std::string source(const std::string& folder, const std::vector<std::string>& extensions) {
  std::string all;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(in_tree(folder)))) {
    const std::string extension = entry.path().extension().string();
    if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end()) all += file_text(entry.path());
  }
  return all;
}

struct Sources {
  std::string page = file_text(in_tree("hw/README.md"));
  std::string clocked = source("hw/clocked", {".h", ".cpp"});
  std::string event = source("hw/event", {".h", ".cpp"});
  std::string tests = source("tests", {".cpp"}) + file_text(in_tree("tests/hw/circuits.txt"));
  std::string faults = file_text(in_tree("tests/hw/planted.txt"));
};

/// The declaration or definition at `at`, with the comment above it.
std::string function_at(const std::string& text, std::size_t at) {
  std::size_t begin = text.rfind('\n', at) + 1;
  const std::string indent(text.find_first_not_of(' ', begin) - begin, ' ');
  for (std::size_t above = begin; above > 1;) {
    above = text.rfind('\n', above - 2) + 1;
    const std::string line = text.substr(text.find_first_not_of(' ', above), 8);
    if (!line.starts_with("//") && line != "template") break;
    begin = above;
  }
  std::size_t end = at;
  for (int depth = 0; depth > 0 || (text[end] != '{' && text[end] != ';'); ++end) {
    depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
  }
  const std::size_t end_of_line = text.find('\n', end);
  if (text[end] == '{' && text[end_of_line - 1] != '}') end = text.find("\n" + indent + "}", end);
  return text.substr(begin, std::max(end, end_of_line) - begin);
}

/// Where a function is declared, defined or called: `name`, `Class::name`, or `name(Type)`, an overload by the type of
/// its first argument.
std::vector<std::string> functions(const std::string& text, const std::string& name) {
  std::vector<std::string> found;
  const auto find = [&](const std::string& head, std::size_t from, std::size_t to) {
    for (std::size_t at = text.find(head, from); at < to; at = text.find(head, at + 1)) {
      const char before = text[at - 1];
      if (before == ' ' || before == '\n' || before == '&' || before == '*') found.push_back(function_at(text, at));
    }
  };
  if (const std::size_t type = name.find('('); type != std::string::npos) {
    for (const char* const constant : {"(const ", "("}) {
      find(name.substr(0, type) + constant + name.substr(type + 1, name.size() - type - 2) + "&", 0, text.size());
    }
    return found;
  }
  find(name + "(", 0, text.size());
  if (const std::size_t colons = name.find("::"); colons != std::string::npos) {  // in its class
    for (const char* const kind : {"\nclass ", "\nstruct "}) {
      const std::size_t at = text.find(kind + name.substr(0, colons) + " ");
      if (at != std::string::npos) find(name.substr(colons + 2) + "(", at, text.find("\n};", at));
    }
  }
  return found;
}

bool has_function(const std::string& text, const std::string& name) { return !functions(text, name).empty(); }

/// Whether a function mentions its rule; where it is overloaded, or declared and defined, one of the places does.
bool mentions(const std::string& text, const std::string& name, const std::string& rule) {
  std::string number = rule;
  number.insert(number.find('.'), "\\");
  const std::regex word("(^|[^0-9])" + number + "($|[^0-9])");
  const std::vector<std::string> places = functions(text, name);
  return std::any_of(places.begin(), places.end(),
                     [&](const std::string& place) { return std::regex_search(place, word); });
}

/// `file.name`: a rule of hw/rtl/properties, or an assertion of a module.
bool has_assertion(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return false;
  const fs::path folder = in_tree("hw/rtl");
  const std::string file = name.substr(0, dot) + ".sv";
  const std::string label = "(" + name.substr(dot + 1) + ")";
  return file_text(folder / "properties" / file).find("`ECUBE_RULE" + label) != std::string::npos ||
         file_text(folder / file).find("`ECUBE_ASSERT" + label) != std::string::npos ||
         file_text(folder / file).find("`ECUBE_NEIGHBOUR" + label) != std::string::npos;
}

bool has_test(const std::string& tests, const std::string& name) {
  const std::size_t dot = name.find('.');
  return dot != std::string::npos &&
         (tests.find("(" + name.substr(0, dot) + ", " + name.substr(dot + 1) + ")") != std::string::npos ||
          tests.find("\n== " + name + "\n") != std::string::npos);
}

/// A group of every match of an expression.
std::vector<std::string> matches(const std::string& text, const char* expression, std::size_t group) {
  std::vector<std::string> found;
  const std::regex all(expression);
  for (std::sregex_iterator at(text.begin(), text.end(), all), end; at != end; ++at) found.push_back((*at)[group]);
  return found;
}

std::vector<std::string> names_in(const std::string& cell) { return matches(cell, "`([^`]+)`", 1); }

std::set<std::string> rules_of(const std::string& text) {
  const std::vector<std::string> rules = matches(text, R"((^|\n)(\*\*|\| )(\d+\.\d+) )", 3);
  return {rules.begin(), rules.end()};
}

std::set<std::string> planted_in(const std::string& faults) {
  const std::vector<std::string> names = matches(faults, R"(\nfault (?!Event)(\w+))", 1);
  return {names.begin(), names.end()};
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
  for (const std::string& line : lines_in(sources.page.substr(begin, behind - begin))) {
    if (line.size() < 3 || std::isdigit(static_cast<unsigned char>(line[2])) == 0) continue;
    const std::vector<std::string> cells = pieces_of(line.substr(1), '|');
    const std::string rule = cells[0].substr(1, cells[0].size() - 2);
    expect(cells.size() == 6, rule, "a row has six cells");
    if (cells.size() != 6) continue;
    expect(rules.count(rule) == 1, rule, "there is no such rule");
    expect(listed.insert(rule).second, rule, "a second row");
    for (const unsigned cell : {1U, 2U, 4U, 5U}) expect(!names_in(cells[cell]).empty(), rule, "an empty cell");
    for (const auto& [cell, engine] : {std::pair(1, &sources.clocked), std::pair(2, &sources.event)}) {
      for (const std::string& name : names_in(cells[static_cast<std::size_t>(cell)])) {
        const bool there = has_function(*engine, name);
        expect(there, rule, name);
        expect(!there || mentions(*engine, name, rule), rule, name + " does not mention the rule");
      }
    }
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
  for (const std::string& fault : matches(file_text(in_tree("hw/event/EARLY.md")), "fault `(\\w+)`", 1))
    EXPECT_NE(sources.faults.find("\nfault " + fault + "\n"), std::string::npos) << fault;
}

/// The cells of each row, of three columns, that names something in the table that begins with `head`.
std::vector<std::vector<std::string>> table(const std::string& page, const std::string& head) {
  std::vector<std::vector<std::string>> rows;
  const std::size_t begin = page.find("\n| " + head);
  for (const std::string& line : lines_in(page.substr(begin, page.find("\n\n", begin) - begin))) {
    rows.push_back(pieces_of(line, '|'));
    if (rows.back().size() != 4 || names_in(rows.back()[3]).empty()) rows.pop_back();
  }
  EXPECT_GT(rows.size(), 10U) << head;
  return rows;
}

/// Rows of the table of shared decisions whose function or test is not there; empty when there are none.
std::string wrong_decisions(const std::string& page, const Sources& sources) {
  const std::string shared = source("models", {".h"}) + source("hw/observed", {".h"});
  std::string faults;
  for (const std::vector<std::string>& cells : table(page, "decided in")) {
    for (const std::string& name : names_in(cells[1])) faults += has_function(shared, name) ? "" : name + "\n";
    for (const std::string& name : names_in(cells[3])) faults += has_test(sources.tests, name) ? "" : name + "\n";
  }
  return faults;
}

TEST(Rules, ThatModelsDecideForBothEnginesHaveATableMadeByHand) {
  const Sources sources;
  EXPECT_EQ(wrong_decisions(sources.page, sources), "");
  std::string page = sources.page;
  page.replace(page.find("`inject_port` | 4.1"), 13, "`eject_port`");
  page.replace(page.find("ThatItNames"), 4, "What");
  EXPECT_EQ(wrong_decisions(page, sources), "eject_port\nSharedDecisions.AReceiveTakesTheSourceAndTypeWhatItNames\n");
}

/// Rules that the path of a message in hw/README.md names and that are not there, and functions that are not in the
/// files of their step; empty when there are none.
std::string missing_on_the_path(const std::string& page, const Sources& sources) {
  const std::set<std::string> rules = rules_of(sources.page);
  std::string missing;
  for (const std::vector<std::string>& cells : table(page, "what happens to the message")) {
    for (const std::string& rule : matches(cells[2], R"(\d+\.\d+)", 0))
      missing += rules.contains(rule) ? "" : rule + "\n";
    std::string files;
    for (const std::string& file : matches(cells[3], R"(\((event/[a-z_.]+)\))", 1))
      files += file_text(in_tree("hw/") + file);
    for (const std::string& name : names_in(cells[3])) missing += has_function(files, name) ? "" : name + "\n";
  }
  return missing;
}

TEST(Rules, OfThePathOfAMessageAreThere) {
  const Sources sources;
  std::string page = sources.page;
  EXPECT_EQ(missing_on_the_path(page, sources), "");
  for (const auto& [from, to] : {std::pair("`Engine::launch`", "`Engine::hurls`"), std::pair("| 4.3 to", "| 4.99 to"),
                                 std::pair("(event/processors.h)", "(event/planes.h)")}) {
    const std::size_t at = page.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    page.replace(at, std::string(from).size(), to);
  }
  EXPECT_EQ(missing_on_the_path(page, sources), "4.99\nEngine::hurls\nProcessors::serve\n");
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
      {"| `Routers::inject`", "| `Routers::ejects`", "2.2: Routers::ejects\n"},
      {"`next(RouterState)`", "`next(LinkState)`", "2.2: next(LinkState)\n"},
      {"`ecube_arbiter.one_winner`", "`ecube_arbiter.two_winners`", "2.3: ecube_arbiter.two_winners\n"},
      {"`Circuits.OneCircuitIsTheFirstDiagram`", "`Circuits.OneCircuit`", "3.2: Circuits.OneCircuit\n"},
      {"`TheHighestDimensionFirst`", "`TheLowestDimensionFirst`",
       "2.2: TheLowestDimensionFirst\nTheHighestDimensionFirst: in no row\n"},
      {"**2.4 Hold.**", "**2.8 Hold.**", "2.4: there is no such rule\n2.8: no row\n"},
      {"| 8.5 | `MessageLibrary::end_cycle` |", "| 8.5 | - |", "8.5: an empty cell\n"},
      {"| 6.8 | `MessageLibrary::store` |", "| 6.8 | `MessageLibrary::act` |",
       "6.8: MessageLibrary::act does not mention the rule\n"},
      {"`Engine::continue_programs` | - |", "`Engine::finished` | - |",
       "8.3: Engine::finished does not mention the rule\n"},
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
