// SPDX-License-Identifier: Apache-2.0
// Pages about runs and studies.
#include <fmt/core.h>

#include "testbench/report/page.h"
#include "testbench/report/run_data.h"
#include "testbench/run/commands.h"
#include "testbench/run/figures.h"
#include "testbench/sweep/store/store.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::string path;
  std::string file;
  std::vector<std::string> against;
};

/// The study, the columns of the view `results` with their units, failures. InputError when there is no store.
Json study_data(const std::string& path) {
  constexpr std::size_t most_failures = 1000;
  StoreReader store(path);
  Json data = {{"name", store.meta("study")},
               {"file", store.file()},
               {"text", store.meta("study_text")},
               {"points", std::stoull("0" + store.meta("points"))},
               {"done", store.count("done")},
               {"failed", store.count("failed")},
               {"program_version", store.meta("program_version")},
               {"axes", Json::array()},
               {"names", Json::array()},
               {"columns", Json::array()},
               {"figures", Json::object()},
               {"failures", Json::array()}};
  for (const AxisScale& axis : store.axes()) {
    data["axes"].push_back({{"key", axis.key}, {"numeric", axis.numeric}, {"unit", axis.unit}});
  }
  store.results(
      [&data](const std::vector<std::string>& names) {
        for (const std::string& name : names) {
          data["names"].push_back(name);
          data["columns"].push_back(Json::array());
          if (const Figure* const figure = figure_of(name)) data["figures"][name] = figure_json(*figure);
        }
      },
      [&data](const std::vector<Json>& row) {
        for (std::size_t i = 0; i < row.size(); ++i) data["columns"][i].push_back(row[i]);
      });
  store.points([&](const StoredPoint& point) {
    if (point.done() || data["failures"].size() == most_failures) return;
    data["failures"].push_back({{"number", point.number}, {"axis", store.json(point.axis)}, {"error", point.outcome}});
  });
  return data;
}

int report_picture(const ReportArguments& arguments) {
  std::vector<RunFiles> runs{read_run(arguments.path, RunPart::everything)};
  for (const std::string& directory : arguments.against) runs.push_back(read_run(directory, RunPart::everything));
  std::string picture;
  reading(arguments.path, [&] { picture = moving_picture(runs); });
  write_file(arguments.file, picture);
  fmt::print("{}: {}, moves in any browser\n", arguments.file, bytes_text(static_cast<double>(picture.size())));
  return 0;
}

int report(const ReportArguments& arguments) {
  const fs::path path(arguments.path);
  std::error_code error;
  const bool study = path.extension() == ".sqlite" || fs::exists(fs::symlink_status(path / "results.sqlite", error));
  Json data;
  std::string title;
  if (study) {
    if (!arguments.against.empty()) {
      throw InputError("--against is for runs, and this is a study").hint("its page has all its points");
    }
    data["study"] = study_data(arguments.path);
    title = data["study"]["name"].get<std::string>() + ": a study";
  } else if (fs::path(arguments.file).extension() == ".svg") {
    return report_picture(arguments);
  } else {
    const RunFiles run = read_run(arguments.path, RunPart::everything);
    reading(arguments.path, [&] {
      if (!arguments.against.empty()) data["comparisons"] = Json::array();
      for (const std::string& directory : arguments.against) {
        const RunFiles other = read_run(directory, RunPart::figures);
        data["comparisons"].push_back(compare(other, run));
        data["comparisons"].back()["command"] = command_of(other);
        data["comparisons"].back()["traffic"] = other.summary.value("traffic", Json());
      }
      data["run"] = run_data(run);
      const Json& machine = run.summary.at("machine");
      title =
          fmt::format("{}, {}, {}", run.summary.at("command").get<std::string>(), machine.at("name").get<std::string>(),
                      machine.at("dim").is_null() ? machine.at("topology").get<std::string>()
                                                  : fmt::format("d={}", machine.at("dim").get<int>()));
    });
  }
  const fs::path directory = path.extension() == ".sqlite" ? path.parent_path() : path;
  const std::string file = arguments.file.empty() ? place_of_page(directory.string()) : arguments.file;
  const std::string page = report_page(title, study ? "study" : "run", data);
  write_file(file, page, arguments.file.empty() ? OutputFile::Links::replaced : OutputFile::Links::followed);
  fmt::print("{}: {}, one file, no network needed\n", file, bytes_text(static_cast<double>(page.size())));
  return 0;
}

}  // namespace

void add_report(Command& app, Invocation& invocation) {
  const auto [command, arguments] =
      add_action<ReportArguments>(app, invocation, "report", "A run or a study as one offline HTML page", report);
  command.add_option("path", arguments.path,
                     "Run directory (run ... -o DIR), directory of a study, or its results.sqlite", {.required = true});
  command.add_option(
      "-o,--output", arguments.file,
      "The page; report.html in the directory when not given. With the ending .svg, a picture of the links that moves");
  command.add_option("--against", arguments.against, "Another run directory, to compare the run with; repeatable",
                     {.one_value_each = true});
}

}  // namespace ecube
