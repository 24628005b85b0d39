// SPDX-License-Identifier: Apache-2.0
// From the plan of a lesson to its runs, and inequalities over runs.
#include "testbench/lesson/lesson.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "testbench/report/replay_data.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text.h"
#include "testbench/workloads/workload_list.h"

namespace ecube {

namespace {

using Json = nlohmann::ordered_json;

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
    for (const auto& [run, words] : plan.at("figures").items()) prepare(run, words);
  }

  /// The summary of a run, and its directory where the run is recorded; where nothing can move any more, what is known
  /// of that; null when the run does not finish for another reason.
  Json operator()(const std::string& name, const std::string& words, const std::string& directory = {}) {
    std::vector<std::string> arguments = arguments_of(words);
    std::vector<std::string> command{own_command(), "run"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    if (!directory.empty()) {
      arguments.insert(arguments.end(), {"--circuits", "-o", directory, "--replace"});
      command.insert(command.end(), {"--circuits", "-o", directory});
    }
    const std::unique_ptr<RunRequest> run = request(name, arguments);
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
  /// Makes the machine of a run, which has to be there before the first run of any machine begins.
  void prepare(const std::string& name, const std::string& words) {
    const std::unique_ptr<RunRequest> run = request(name, arguments_of(words));
    const RunArguments& shared = run->shared;
    const RunSetup setup = setup_of(shared, settings_of(shared));
    if (has_modules(setup.engine)) (void)benches_.get(setup);
  }
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

}  // namespace

std::string lesson_title(std::string_view name) {
  return Json::parse(choose("lesson", name, lesson_texts).plan).at("title");
}

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

}  // namespace ecube
