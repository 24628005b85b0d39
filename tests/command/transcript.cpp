// SPDX-License-Identifier: Apache-2.0
#include "tests/command/transcript.h"

#include <fmt/core.h>

namespace transcript {
namespace {

using nlohmann::json;

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

std::pair<std::string, std::string> cut(const std::string& text, const std::string& at) {
  const std::size_t found = text.find(at);
  if (found == std::string::npos) return {text, ""};
  return {text.substr(0, found), text.substr(found + at.size())};
}

/// The lines of a test, in turns with every value of its names.
std::vector<std::vector<Row>> turns_of(const Test& test) {
  std::vector<std::vector<Row>> turns{test.rows};
  for (const auto& [name, values] : test.repeated) {
    std::vector<std::vector<Row>> more;
    for (const std::vector<Row>& turn : turns)
      for (const std::string& value : values)
        for (Row& row : more.emplace_back(turn)) replace_all(row.text, "{" + name + "}", value);
    turns = std::move(more);
  }
  return turns;
}

/// One turn of a test in a folder of its own: the last command, what it has said, and what does not hold.
class Turn {
 public:
  explicit Turn(std::vector<std::string>& complaints) : complaints_(complaints) {}

  void take(const Row& row) {
    row_ = &row;
    if (row.kind != '|') file_.clear();
    switch (row.kind) {
      case '>':
        file_ = directory_ / row.text;
        std::ofstream(file_).close();
        return;
      case '|':
        std::ofstream(file_, std::ios::app) << row.text << '\n';
        return;
      case '$':
      case '&':
        end();
        command_ = {row.kind, filled(row.text), row.where};
        status_ = 0;
        run();
        return;
      case '=':
        status_ = std::stoi(row.text);
        return;
      case '?':
      case '!': {
        std::string words = filled(row.text);
        replace_all(words, "\\n", "\n");
        if ((outcome_.output.find(words) != std::string::npos) != (row.kind == '?'))
          complain(row.kind == '?' ? "lacks" : "has");
        return;
      }
      case '@':
        members(row.text);
        return;
      case ':':
        kept_[row.text] = object();
        return;
      default:
        complain("is no row");
    }
  }

  /// The status of the last command.
  void end() {
    if (command_.kind == ' ') return;
    row_ = &command_;
    if (outcome_.status != status_) complain(fmt::format("ends with {} in place of {}:", outcome_.status, status_));
  }

 private:
  void run() {
    std::string line = command_.text;
    replace_all(line, "'", R"('\'')");
    outcome_ =
        shell(fmt::format("cd {0} && root='{1}' sanitized={5} BASH_ENV='{1}/tests/command/transcripts/functions.sh' "
                          "PATH=\"$(dirname {2}):$PATH\" exec bash -o pipefail -c '{3}' </dev/null 2>{4}",
                          directory_ / "", in_tree(), ecube_program(), line,
                          command_.kind == '&' ? "&1" : errors_ / "said", sanitized ? "yes" : ""));
  }

  void complain(const std::string& how) {
    complaints_.push_back(fmt::format("{}: {} {}\n{}\n{}\n{}", row_->where, how, row_->text, command_.text,
                                      outcome_.output.substr(0, 5000), file_text(errors_ / "said")));
  }

  /// The object that the last command has printed.
  json object() const { return json::parse(outcome_.output, nullptr, false); }

  static json at(const json& all, const std::string& path) {
    const json::json_pointer pointer(path);
    return all.contains(pointer) ? all.at(pointer) : json();
  }

  /// The text with members of kept objects in their places, `{best:/best/run}`; of a list with commas.
  std::string filled(std::string text) const {
    static const std::regex place(R"(\{(\w+:/[^}]*)\})");
    for (std::smatch found; std::regex_search(text, found, place);) {
      const json value = value_of(found[1]);
      std::string word = value.is_string() ? value.get<std::string>() : value.dump();
      if (value.is_array()) word = word.substr(1, word.size() - 2);
      text = found.prefix().str() + word + found.suffix().str();
    }
    return text;
  }

  /// A row of one member, or, with `/*` in its paths, of every element of a list, which has some.
  void members(const std::string& text) {
    const std::size_t each = text.find("/*");
    if (each == std::string::npos) return member(text);
    const json list = at(object(), text.substr(0, each));
    if (!list.is_array() || list.empty()) return complain("is no list of");
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::string one = text;
      replace_all(one, "/*", fmt::format("/{}", i));
      member(one);
    }
  }

  /// `/measured/us ~ 5.5 0.1`: a member of the object, how it compares, and what with.
  void member(const std::string& text) {
    const auto [path, rest] = cut(text, " ");
    const auto [how, with] = cut(rest, " ");
    const json all = object();
    if (all.is_discarded() || !path.starts_with("/")) return complain("is no member of");
    const json found = at(all, path);
    if (how == "none" ? all.contains(json::json_pointer(path)) : !compares(found, how, with))
      complain(found.dump() + " is not");
  }

  bool compares(const json& found, const std::string& how, const std::string& with) const {
    if (how == "has") return found.is_string() && found.get<std::string>().find(with) != std::string::npos;
    if (how == "~") {  // a value, and how far from it
      const std::size_t blank = with.rfind(' ');
      const json value = value_of(with.substr(0, blank));
      if (blank == std::string::npos || !found.is_number() || !value.is_number()) return false;
      return std::abs(found.get<double>() - value.get<double>()) <= std::stod(with.substr(blank + 1));
    }
    const json value = value_of(with);
    if (value.is_discarded()) return false;
    if (how == "=") return found == value;
    if (how == "!=") return found != value;
    if (how == "size") return found.is_structured() && value == found.size();
    if (!found.is_number() || !value.is_number()) return false;
    return how == "<"    ? found < value
           : how == "<=" ? found <= value
           : how == ">"  ? found > value
                         : how == ">=" && found >= value;
  }

  /// A value as JSON writes it, or a member of an object that was kept: `event:/measured/us`.
  json value_of(const std::string& text) const {
    const auto [name, path] = cut(text, ":");
    const auto kept = kept_.find(name);
    if (kept == kept_.end()) return json::parse(text, nullptr, false);
    return kept->second.contains(json::json_pointer(path)) ? kept->second.at(json::json_pointer(path))
                                                           : json(json::value_t::discarded);
  }

  std::vector<std::string>& complaints_;
  const Directory directory_;
  const Directory errors_;
  std::map<std::string, json> kept_;
  const Row* row_ = nullptr;
  std::string file_;
  Row command_;
  Outcome outcome_;
  int status_ = 0;
};

}  // namespace

std::vector<Test> read(const std::string& text, const std::string& file) {
  std::vector<Test> tests;
  std::size_t number = 0;
  for (const std::string& line : lines_in(text)) {
    ++number;
    if (line.empty() || line.starts_with("#")) continue;
    const std::string rest = line.substr(std::min<std::size_t>(2, line.size()));
    if (line.starts_with("== ")) {
      const auto [suite, name] = cut(line.substr(3), ".");
      tests.push_back({.suite = suite, .name = name});
    } else if (tests.empty()) {
      tests.push_back({"Transcript", "BeginsWithATest", {}, {{' ', line, fmt::format("{}:{}", file, number)}}, 1});
    } else if (line.starts_with("* ")) {
      const auto [words, values] = cut(rest, " ");
      const auto [name, one_of] = cut(words, "/");
      if (!one_of.empty()) tests.back().one_of = std::stoul(one_of);
      auto& repeated = tests.back().repeated.emplace_back(name, std::vector<std::string>());
      for (std::string left = values + " | "; !left.empty();) {
        const auto [value, others] = cut(left, " | ");
        repeated.second.push_back(value);
        left = others;
      }
    } else {
      const bool row = line.size() == 1 || line[1] == ' ';
      tests.back().rows.push_back({row ? line[0] : ' ', row ? rest : line, fmt::format("{}:{}", file, number)});
    }
  }
  return tests;
}

std::vector<std::string> complaints(const Test& test) {
  std::vector<std::string> all;
  if (test.rows.empty()) all.emplace_back("a test without rows");
  const std::vector<std::vector<Row>> turns = turns_of(test);
  const std::size_t one_of = all_cases ? 1 : std::min(test.one_of, turns.size());
  for (std::size_t i = Sample().seed() % one_of; i < turns.size(); i += one_of) {
    Turn turn(all);
    for (const Row& row : turns[i]) turn.take(row);
    turn.end();
  }
  return all;
}

}  // namespace transcript
