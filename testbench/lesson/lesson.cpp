// SPDX-License-Identifier: Apache-2.0
// From the plan of a lesson to its runs, inequalities over runs, and the lesson as an offline page.
#include "testbench/lesson/lesson.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "testbench/report/page.h"
#include "testbench/report/run_data.h"
#include "testbench/run/commands.h"
#include "testbench/system/program_files.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/text.h"
#include "testbench/workloads/workload_list.h"

namespace ecube {

namespace {

/// A side of an inequality: {"run", "figure"} is the figure at this place of a run's summary, "times" a factor,
/// "minus" another side to be taken away; {"number"} stands for itself.
struct Side {
  std::optional<double> value;
  std::string text;
};

Side side_of(const Json& side, const Json& summaries) {
  if (side.contains("number")) {
    const double number = side["number"];
    return {.value = number, .text = fmt::format("{:.6g}", number)};
  }
  const std::string run = side.at("run");
  const std::string place = side.at("figure");
  const double times = side.value("times", 1.0);
  Side result;
  if (!summaries.contains(run))
    throw std::logic_error("a statement is about a run that its lesson does not make: " + run);
  const Json& summary = summaries[run];
  const Json::json_pointer pointer(place);
  const bool known = summary.is_object() && summary.contains(pointer) && summary[pointer].is_number();
  if (known) result.value = times * summary[pointer].get<double>();
  const bool finished = summary.is_object() && !summary.contains("stalled");
  result.text = fmt::format("{}{} of {} ({})", times == 1 ? "" : fmt::format("{:g} times ", times), place, run,
                            known      ? fmt::format("{:.6g}", *result.value)
                            : finished ? "that run finished without one"
                                       : "that run did not finish");
  if (side.contains("minus")) {
    const Side less = side_of(side["minus"], summaries);
    result.value = result.value && less.value ? std::optional(*result.value - *less.value) : std::nullopt;
    result.text += " less " + less.text + (result.value ? fmt::format(", which is {:.6g},", *result.value) : "");
  }
  return result;
}

/// The runs of one lesson, all on one test bench.
class Runs {
 public:
  Runs(const Json& plan, std::vector<std::string> settings)
      : benches_(plan.at("dim")), mixed_(plan.value("mixed_routers", Json::array())), settings_(std::move(settings)) {
    // Machines of modules have to be there before the first run of any machine begins.
    for (const auto& [name, words] : plan.at("figures").items()) {
      const RunSetup setup = setup_of(request(name, arguments_of(words))->shared);
      if (has_modules(setup.engine)) (void)benches_.get(setup);
    }
  }

  /// The summary of a run, and its directory where the run is recorded; where nothing can move any more, what is known
  /// of that; null when the run does not finish for another reason.
  Json operator()(const std::string& name, const std::string& words, const std::string& directory = {}) {
    std::vector<std::string> arguments = arguments_of(words);
    if (!directory.empty()) arguments.insert(arguments.end(), {"--circuits", "-o", directory});
    std::vector<std::string> command{own_command(), "run"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const std::unique_ptr<RunRequest> run = request(name, arguments);
    run->shared.replace = !directory.empty();
    const std::unique_ptr<Experiment> experiment = run->experiment(benches_);
    ++count_;
    if (directory.empty()) {
      experiment->run();
    } else {
      record_run(run->shared, *experiment, command);
    }
    const RunMeasurement& measurement = experiment->measurement();
    if (measurement.result.status == RunResult::Status::interrupted) throw Interrupted("interrupted; no page was made");
    if (measurement.result.status == RunResult::Status::stalled) return {{"stalled", stall_json(measurement)}};
    return measurement.result.status == RunResult::Status::finished ? run_json(*experiment) : Json();
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  [[nodiscard]] std::vector<std::string> arguments_of(const std::string& words) const {
    std::istringstream stream(words);
    std::vector<std::string> arguments;
    for (std::string word; stream >> word;) arguments.push_back(word);
    // The settings of the user take the place of those that the lesson gives to the same keys.
    const auto key_of = [](const std::string& setting) { return setting.substr(0, setting.find('=')); };
    for (const std::string& mine : settings_) {
      for (std::size_t i = 0; i + 1 < arguments.size();) {
        const bool replaced = arguments[i] == "--set" && key_of(arguments[i + 1]) == key_of(mine);
        const auto at = arguments.begin() + static_cast<std::ptrdiff_t>(i);
        if (replaced) arguments.erase(at, at + 2);
        i += replaced ? 0 : 1;
      }
      arguments.insert(arguments.end(), {"--set", mine});
    }
    return arguments;
  }
  [[nodiscard]] std::unique_ptr<RunRequest> request(const std::string& name, std::vector<std::string> arguments) const {
    arguments.emplace_back("--quiet");
    std::unique_ptr<RunRequest> run = run_request(arguments);
    run->shared.mixed_routers = std::find(mixed_.begin(), mixed_.end(), name) != mixed_.end();
    return run;
  }

  Benches benches_;
  Json mixed_;  ///< names of the runs on MixedRouters
  std::vector<std::string> settings_;
  std::uint64_t count_ = 0;
};

/// All combinations of the values of a grid's axes; the last axis changes first.
std::vector<std::vector<std::string>> points_of(const Json& axes) {
  std::vector<std::vector<std::string>> points{{}};
  for (const Json& axis : axes) {
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string>& point : points) {
      for (const Json& value : axis.at("values")) {
        longer.push_back(point);
        longer.back().push_back(value.get<std::string>());
      }
    }
    points = std::move(longer);
  }
  return points;
}

Json run_grid(const Json& plan, Runs& runs, Json& summaries) {
  Json grid = plan;
  grid["points"] = Json::array();
  for (const std::vector<std::string>& point : points_of(plan.at("axes"))) {
    std::string words = plan.at("words");
    for (std::size_t i = 0; i < point.size(); ++i) {
      words += " " + plan["axes"][i].at("option").get<std::string>() + point[i];
    }
    const std::string key = joined(point, " ");
    const Json summary = runs(key, words);
    summaries[key] = summary;
    Json figures = Json::array();
    for (const Json& figure : plan.at("figures")) {
      const Json::json_pointer place(figure.at("figure").get<std::string>());
      figures.push_back(summary.is_object() && summary.contains(place) ? summary[place] : Json());
    }
    grid["points"].push_back({{"values", point}, {"figures", figures}});
  }
  return grid;
}

struct FinishedLesson {
  Json data;        ///< "lesson" of the page (testbench/lesson/README.md)
  Json statements;  ///< as of judge()
  std::uint64_t runs = 0;
};

/// Makes all runs of a lesson on its machine with these further settings ("key=value"). Runs that are replayed leave
/// run directories below `directory`. Without a directory it makes only the runs that the statements are about, leaves
/// no files, and `data` is null. InputError for a setting that the machine does not have.
FinishedLesson run_lesson(const std::string& name, const std::vector<std::string>& settings,
                          const std::string& directory) {
  const LessonText written = choose("lesson", name, lesson_texts);
  const Json plan = Json::parse(written.plan);
  Runs runs(plan, settings);
  Json summaries = Json::object();
  Json replays = Json::object();
  for (const auto& [run, words] : plan.at("runs").items()) {
    const std::string place = directory.empty() ? "" : fmt::format("{}/runs/{}", directory, run);
    summaries[run] = runs(run, words, place);
    const bool finished = summaries[run].is_object() && !summaries[run].contains("stalled");
    replays[run] = finished && !place.empty() ? replay_data(read_run(place, RunPart::everything)) : Json();
  }
  Json figures = Json::object();
  for (const auto& [run, words] : plan.at("figures").items()) summaries[run] = figures[run] = runs(run, words);
  Json grid = directory.empty() ? Json() : run_grid(plan.at("grid"), runs, summaries);
  FinishedLesson lesson{.data = nullptr, .statements = judge(plan.at("statements"), summaries), .runs = runs.count()};
  if (directory.empty()) return lesson;
  lesson.data = {{"name", name},
                 {"title", plan.at("title")},
                 {"text", written.text},
                 {"settings", settings},
                 {"runs", std::move(replays)},
                 {"statements", lesson.statements},
                 {"grid", std::move(grid)},
                 {"summaries", std::move(figures)}};
  return lesson;
}

std::string lesson_title(std::string_view name) {
  return Json::parse(choose("lesson", name, lesson_texts).plan).at("title");
}

struct LessonArguments {
  std::string name;
  std::string directory;
  std::vector<std::string> set;
  bool json = false;
};

/// Names the statements that do not hold. Returns the exit status.
int tell(const Json& statements) {
  const auto failed =
      std::count_if(statements.begin(), statements.end(), [](const auto& one) { return one["holds"] == false; });
  if (failed == 0) return 0;
  fmt::print(stderr, "{} of {} statements of the lesson do not hold on this machine:\n", failed, statements.size());
  for (const auto& [id, one] : statements.items()) {
    if (one["holds"] == false) fmt::print(stderr, "  {}: false is that {}\n", id, one["text"].get<std::string>());
  }
  return 1;
}

int make_lesson(const LessonArguments& arguments) {
  if (arguments.name.empty()) {
    if (arguments.json || !arguments.set.empty() || !arguments.directory.empty()) {
      throw InputError("--json, --set and -o need the name of a lesson").hint("see: ecube lesson");
    }
    for (const auto& [name, text] : lesson_texts) fmt::print("{:<16} {}\n", name, lesson_title(name));
    fmt::print("next: {} lesson {}\n", own_command(), lesson_texts[0].word);
    return 0;
  }
  std::string directory = arguments.directory.empty() ? "lesson-" + arguments.name : arguments.directory;
  if (arguments.json) directory.clear();
  FinishedLesson lesson = run_lesson(arguments.name, arguments.set, directory);
  if (arguments.json) {
    print_json("lesson", {{"lesson", arguments.name}, {"runs", lesson.runs}, {"statements", lesson.statements}});
    return tell(lesson.statements);
  }
  const std::string page = report_page(lesson_title(arguments.name), "lesson", {{"lesson", std::move(lesson.data)}});
  StagedFiles files(directory);
  files.write("lesson.html", page);
  files.move_each();
  fmt::print("{}/lesson.html: {}, one file, no network needed, from {} runs\n", directory,
             bytes_text(static_cast<double>(page.size())), grouped(lesson.runs));
  const int status = tell(lesson.statements);
  if (status == 0) fmt::print("all {} statements of the lesson hold on this machine\n", lesson.statements.size());
  return status;
}

}  // namespace

Json judge(const Json& statements, const Json& summaries) {
  Json result = Json::object();
  for (const auto& [id, inequality] : statements.items()) {
    const Side left = side_of(inequality.at("left"), summaries);
    const Side right = side_of(inequality.at("right"), summaries);
    const std::string relation = inequality.at("is");
    if (relation != "less than" && relation != "at most") {
      throw std::logic_error("a statement has no such relation: " + relation);
    }
    const bool holds =
        left.value && right.value && (relation == "at most" ? *left.value <= *right.value : *left.value < *right.value);
    result[id] = {{"text", fmt::format("{} is {} {}", left.text, relation, right.text)}, {"holds", holds}};
  }
  return result;
}

void add_lesson(Command& app, Invocation& invocation) {
  const auto [command, arguments] =
      add_action<LessonArguments>(app, invocation, "lesson", "A lesson for a class as one offline page", make_lesson);
  command.add_option("name", arguments.name, "multiphase, hold-and-wait or saturation; all are listed when not given");
  command.add_option("-o,--output", arguments.directory,
                     "Directory for the page and its runs; lesson-NAME when not given");
  command.add_option("--set", arguments.set,
                     "Any machine parameter, as key=value; repeatable: does the lesson still hold?",
                     {.one_value_each = true});
  command.add_flag("--json", arguments.json, "Only the statements and whether they hold, as one JSON object; no page");
}

}  // namespace ecube
