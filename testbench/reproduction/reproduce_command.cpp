// SPDX-License-Identifier: Apache-2.0
// Published results by name.
#include <fmt/format.h>

#include <filesystem>
#include <thread>

#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "models/presets/presets.h"
#include "testbench/figure/figure.h"
#include "testbench/report/page.h"
#include "testbench/reproduction/claims.h"
#include "testbench/run/commands.h"
#include "testbench/run/progress_line.h"
#include "testbench/system/child_process.h"
#include "testbench/system/program_files.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

struct Arguments {
  std::vector<std::string> ids;
  std::vector<std::string> set;
  std::string directory = "reproduced";
  bool all = false;
  bool no_pictures = false;
  bool json = false;
  bool quiet = false;
  bool no_color = false;
};

/// Statement, printed, reached and distance of each check in columns, in the order state, compared with, the rest.
void print_checks(const Findings& findings, const Style& style) {
  std::size_t widest = 0;
  for (const Check& check : findings.checks) {
    if (!check.published.empty() || !check.reached.empty()) widest = std::max(widest, check.statement.size());
  }
  for (const Check& check : findings.checks) {
    const CheckState state = check.state();
    const std::string word =
        fmt::format("{:<9}", state == CheckState::no_number ? std::string_view("no number") : words_of(state));
    std::string line = fmt::format("  {}  {:<14}  {:<{}}",
                                   state == CheckState::agrees    ? style.good(word)
                                   : state == CheckState::differs ? style.bad(word)
                                                                  : style.warn(word),
                                   words_of(check.compared_with), check.statement, widest);
    if (!check.published.empty()) line += fmt::format("  {:>14}", check.published);
    if (!check.reached.empty()) line += fmt::format("  {:>14}", check.reached);
    if (check.distance_percent) line += fmt::format("  {:>9}", percent(*check.distance_percent));
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  }
  std::set<std::string> told;
  for (const Check& check : findings.checks) {
    if (!check.tolerance || !told.insert(text_of(*check.tolerance)).second) continue;
    fmt::print("{} {}\n", told.size() == 1 ? "tolerances:" : "           ", text_of(*check.tolerance));
  }
}

Json json_of(std::string_view result, const Check& check, const Verdict& verdict) {
  Json one = {{"statement", check.statement},
              {"holds", check.state() != CheckState::differs},
              {"state", words_of(check.state())},
              {"compared_with", words_of(check.compared_with)}};
  if (!check.published.empty()) one["published"] = check.published;
  if (!check.reached.empty()) one["reached"] = check.reached;
  if (check.distance_percent) one["distance_percent"] = *check.distance_percent;
  if (check.tolerance) {
    one["tolerance_percent"] = check.tolerance->percent;
    one["tolerance_reason"] = check.tolerance->reason;
  }
  if (const std::string_view origin = origin_of(result, check); !origin.empty()) one["origin"] = origin;
  for (const KnownDifference* const row : verdict.known) {
    if (row->check == check.statement) one["known_difference"] = row->reason;
  }
  return one;
}

Json json_of(const PublishedResult& result, const Findings& findings, const Verdict& verdict,
             const std::vector<std::string>& files) {
  const auto check_json = [&](const Check& check) { return json_of(result.id, check, verdict); };
  std::string sentence = fmt::format("{}, {} on file", words_of(verdict.state), verdict.as_on_file() ? "as" : "not as");
  for (const std::string& complaint : verdict.complaints) sentence += "; " + complaint;
  return {{"id", result.id},
          {"what", result.what},
          {"pass", verdict.as_on_file()},
          {"state", word_of(verdict.state)},
          {"verdict", sentence},
          {"remarks", findings.remarks},
          {"checks", json_list(findings.checks, check_json)},
          {"files", files}};
}

Json json_of(const VerdictCounts& counts) {
  return {{"reproduced", counts.of(ItemState::reproduced)},
          {"part", counts.of(ItemState::part)},
          {"differs", counts.of(ItemState::differs)},
          {"not_on_file", counts.not_on_file},
          {"checks",
           {{"print_agrees", counts.of(print, CheckState::agrees)},
            {"print_differs", counts.of(print, CheckState::differs)},
            {"own_arithmetic_agrees", counts.of(ours, CheckState::agrees)},
            {"own_arithmetic_differs", counts.of(ours, CheckState::differs)},
            {"no_number_in_print", counts.of(ComparedWith::nothing, CheckState::no_number)}}}};
}

std::vector<const PublishedResult*> chosen(const std::vector<std::string>& ids) {
  std::vector<std::string_view> valid = {"list", "all", "claims"};
  for (const PublishedResult& result : published_results()) valid.push_back(result.id);
  std::vector<const PublishedResult*> results;
  for (const std::string& id : ids) {
    if (std::ranges::find(valid, id) == valid.end()) refuse_word("reproduce", id, valid);
    if (id == "list" && ids.size() > 1) throw InputError("list goes with no other id");
    if (id == "claims") throw InputError("claims comes first, and the numbers of claims after it");
  }
  for (const PublishedResult& result : published_results()) {
    const bool wanted = std::ranges::any_of(ids, [&](const std::string& id) { return id == "all" || id == result.id; });
    if (wanted) results.push_back(&result);
  }
  return results;
}

int list(bool json) {
  Json all = Json::array();
  for (const PublishedResult& result : published_results()) {
    all.push_back({{"id", result.id}, {"what", result.what}});
    if (!json) fmt::print("{:<15} {}\n", result.id, result.what);
  }
  return json ? print_json("reproduce list", {{"results", all}}) : 0;
}

/// The preset of a result with the user's changes. InputError for a change that the preset cannot take.
Machine machine_of(const PublishedResult& result, const std::vector<std::string>& changes) {
  if (result.preset.empty()) return {};
  std::vector<Setting> settings = preset_settings(preset(result.preset));
  for (const std::string& change : changes) settings.push_back(parse_set(change));
  return resolve(settings);
}

/// The command that does these results again, with the changes of the machine.
std::string command_of(const std::vector<std::string>& ids, const Arguments& arguments) {
  std::string line = own_command() + " reproduce";
  for (const std::string& id : ids) line += " " + id;
  for (const std::string& change : arguments.set) line += " --set " + shell_word(change);
  return line;
}

/// The claims of the command line: all, or the papers and claims after "claims".
std::vector<const Claim*> chosen_claims(const Arguments& arguments) {
  const std::span<const std::string> wanted = std::span(arguments.ids).subspan(1);
  std::vector<std::string_view> valid;
  for (const Paper& paper : papers) valid.push_back(paper.word);
  for (const Claim& claim : claims()) valid.push_back(claim.id);
  for (const std::string& word : wanted) {
    if (std::ranges::find(valid, word) != valid.end()) continue;
    throw InputError("no claim " + ecube::quoted(word))
        .hint(did_you_mean(word, valid))
        .valid("bokhari, nicol, van-de-geijn, johnsson-ho; B1 .. B80, N1 .. N69, V1 .. V46, J1 .. J98");
  }
  std::vector<const Claim*> result;
  for (const Claim& claim : claims()) {
    const auto names = [&](const std::string& word) { return word == claim.id || word == claim.paper().word; };
    if (wanted.empty() || std::ranges::any_of(wanted, names)) result.push_back(&claim);
  }
  return result;
}

/// Runs the tests of this program's build tree. InputError where there is none.
TestResults run_tests(const std::vector<std::string>& names) {
  const std::filesystem::path tree = build_tree();
  if (tree.empty()) {
    throw InputError("claims --all runs tests of the project, which an installed program does not have")
        .hint("in a source tree: ./ecube reproduce claims --all");
  }
  ChildProcess ctest({.words = {"ctest", "--test-dir", tree.string(), "-j",
                                std::to_string(std::max(1U, std::thread::hardware_concurrency())), "-R",
                                fmt::format("^([^.]*/)?({})(/.*)?$", fmt::join(names, "|"))},
                      .output = ChildCommand::Output::kept});
  ctest.wait();
  return parse_ctest(ctest.printed());
}

void print_claim(const Claim& claim, const ClaimVerdict& verdict, const Style& style) {
  const std::string word = fmt::format("{:<25}", words_of(verdict.state));
  fmt::print("{:<4} {}  {}, {}: {}\n", claim.id,
             verdict.state == ClaimState::holds ? style.good(word)
             : verdict.state == ClaimState::no  ? style.bad(word)
                                                : style.warn(word),
             claim.paper().name, claim.place, claim.text);
  for (const std::string& decider : claim.deciders) {
    if (decider != "-") fmt::print("       {}\n", decider);
  }
  for (std::size_t i = 0; i < verdict.differ.size(); ++i) {
    fmt::print("       not so: {}: {}\n", verdict.differ[i], verdict.instead[i]);
  }
  for (const std::string& reason : verdict.reasons) fmt::print("       {}\n", reason);
}

int run_claims(const Arguments& arguments) {
  const std::vector<const Claim*> wanted = chosen_claims(arguments);
  std::set<std::string_view> deciding;
  for (const Claim* const claim : wanted) deciding.merge(results_of(*claim));
  TestBench bench(reproduction_dim);
  const std::vector<std::string> names = arguments.all ? tests_of(wanted) : std::vector<std::string>();
  CountProgress progress(deciding.size() + (names.empty() ? 0 : 1), "steps", arguments.quiet);
  TestResults tests;
  if (!names.empty()) {
    progress.next(fmt::format("{} tests", names.size()));
    tests = run_tests(names);
  }
  DoneAgain done;
  bool as_on_file = std::ranges::all_of(tests, [](const auto& test) { return test.second; });
  for (const PublishedResult& result : published_results()) {
    if (!deciding.contains(result.id)) continue;
    progress.next(result.id);
    std::vector<Check> checks = result.reproduce(bench, machine_of(result, arguments.set)).checks;
    as_on_file = as_on_file && verdict_of(result.id, checks, known_differences()).as_on_file();
    done[std::string(result.id)] = std::move(checks);
  }
  progress.clear();
  const Style style(1, !arguments.no_color);
  Json json = Json::array();
  std::array<std::size_t, claim_states> counts{};
  for (const Claim* const claim : wanted) {
    const ClaimVerdict verdict = verdict_of(*claim, done, known_differences(), arguments.all ? &tests : nullptr);
    ++counts[static_cast<std::size_t>(verdict.state)];
    json.push_back({{"id", claim->id},
                    {"paper", claim->paper().name},
                    {"place", claim->place},
                    {"claim", claim->text},
                    {"verdict", words_of(verdict.state)},
                    {"decided_by", claim->deciders},
                    {"agree", verdict.agree},
                    {"differ", verdict.differ},
                    {"instead", verdict.instead},
                    {"reasons", verdict.reasons}});
    if (!arguments.json) print_claim(*claim, verdict, style);
  }
  Json summary;
  std::string line = fmt::format("{} claims:", wanted.size());
  for (std::size_t i = 0; i < claim_states; ++i) {
    const std::string_view words = words_of(static_cast<ClaimState>(i));
    summary[std::string(words)] = counts[i];
    line += fmt::format("{} {} {}", i == 0 ? "" : ",", counts[i], words);
  }
  if (arguments.json) {
    print_json("reproduce claims", {{"claims", json}, {"counts", summary}});
  } else {
    fmt::print("\n{}\n", line);
  }
  return as_on_file ? 0 : 1;
}

void print_result(const PublishedResult& result, const Findings& findings, const Verdict& verdict,
                  const std::vector<std::string>& files, const Style& style) {
  fmt::print("{}  {}\n\n", result.id, result.what);
  for (const auto& panel : findings.panels) {
    if (const auto* const grid = std::get_if<Grid>(&panel)) print_grid(*grid);
  }
  print_checks(findings, style);
  fmt::print("verdict: {}{}\n", words_of(verdict.state),
             verdict.as_on_file() ? ", as on file" : style.bad(", which is not the verdict on file"));
  for (const std::string& sentence : verdict.complaints) fmt::print("  {}\n", style.bad(sentence));
  for (const KnownDifference* const row : verdict.known) fmt::print("  \"{}\" differs: {}\n", row->check, row->reason);
  if (!findings.remarks.empty()) fmt::print("remarks: {}\n", findings.remarks);
  for (const std::string& path : files) fmt::print("data: {}\n", path);
}

int run_results(const std::vector<const PublishedResult*>& results, const Arguments& arguments) {
  if (!arguments.no_pictures) require_charts();
  std::vector<Machine> machines;
  for (const PublishedResult* const result : results) machines.push_back(machine_of(*result, arguments.set));
  StagedFiles directory(arguments.directory);
  TestBench bench(reproduction_dim);
  const Style style(1, !arguments.no_color);
  CountProgress progress(results.size(), "steps", arguments.quiet);
  Json json = Json::array();
  Json entries = Json::array();  // of the page
  VerdictCounts counts;
  Predictions predictions;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const PublishedResult& result = *results[i];
    progress.next(result.id);
    Findings findings = result.reproduce(bench, machines[i]);
    if (!arguments.set.empty() && result.preset.empty()) {
      findings.remarks +=
          fmt::format("{}--set has no effect here: no machine is run.", findings.remarks.empty() ? "" : " ");
    }
    const Verdict verdict = verdict_of(result.id, findings.checks, known_differences());
    counts.add(verdict, findings.checks);
    predictions.add(result, findings.checks);
    const std::string file = std::string(result.id) + ".csv";
    // Results of theory have checks alone.
    std::vector<std::string> files;
    if (!findings.panels.empty()) {
      directory.write(file, csv_of(findings.panels));
      files.push_back((std::filesystem::path(directory.directory().path()) / file).string());
    }
    json.push_back(json_of(result, findings, verdict, files));
    Json& entry = entries.emplace_back(json.back());
    if (!files.empty()) entry["files"] = {file};
    entry["panels"] = panels_json(findings.panels);
    entry["command"] = command_of({std::string(result.id)}, arguments);
    if (arguments.json) continue;
    progress.clear();
    print_result(result, findings, verdict, files, style);
    if (i + 1 < results.size()) fmt::print("\n");
  }
  progress.clear();
  std::vector<std::string> summary = predictions.lines();
  for (std::string& line : lines_of(counts)) summary.push_back(std::move(line));
  // Always: a page of an earlier command would not be about the files beside it.
  directory.write("index.html", results_page("Published tables and figures, done again",
                                             command_of(arguments.ids, arguments), summary, counts.not_on_file == 0,
                                             entries, arguments.no_pictures ? PageCharts::none : PageCharts::drawn));
  // The page names the other files.
  directory.move_each({"index.html"});
  if (arguments.json) {
    print_json("reproduce", {{"results", json}, {"counts", json_of(counts)}, {"predictions", predictions.rows()}});
  } else if (results.size() > 1) {
    fmt::print("\n");
    for (const std::string& line : summary) fmt::print("{}\n", line);
  }
  if (!arguments.json) fmt::print("as a page: {}/index.html\n", directory.directory().path());
  return counts.not_on_file == 0 ? 0 : 1;
}

int run_reproduction(const Arguments& arguments) {
  if (arguments.ids.front() == "claims") return run_claims(arguments);
  if (arguments.all) throw InputError("--all goes with claims; all results: reproduce all");
  const std::vector<const PublishedResult*> results = chosen(arguments.ids);
  return arguments.ids.front() == "list" ? list(arguments.json) : run_results(results, arguments);
}

}  // namespace

void add_reproduce(Command& app, Invocation& invocation) {
  const auto [command, arguments] =
      add_action<Arguments>(app, invocation, "reproduce", "Published tables and figures, done again", run_reproduction);
  command.add_option("id", arguments.ids,
                     "list, all, or the names of results; or claims, alone or before numbers of claims and papers: "
                     "bokhari, nicol, van-de-geijn, johnsson-ho",
                     {.required = true});
  command.add_flag("--all", arguments.all,
                   "Of claims, also run the tests that decide them; takes minutes, and a source tree");
  command.add_option("--set", arguments.set,
                     "Any machine parameter of the presets, as key=value; repeatable. A changed machine shows which "
                     "checks depend on the parameter; the keys are in ecube machines --options",
                     {.one_value_each = true});
  command.add_option("-o,--output", arguments.directory, "Directory for data and page", {.show_default = true});
  command.add_flag("--no-pictures", arguments.no_pictures,
                   "Data, verdicts and tables without charts; needs no ECharts");
  command.add_flag("--json", arguments.json, "One JSON object on standard output");
  command.add_flag("--quiet", arguments.quiet, "No progress");
  command.add_flag("--no-color", arguments.no_color, "No colours");
}

}  // namespace ecube
