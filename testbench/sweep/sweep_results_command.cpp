// SPDX-License-Identifier: Apache-2.0
// Merging stores into one, and exporting them to files for other programs.
#include <fmt/format.h>

#include "testbench/run/commands.h"
#include "testbench/sweep/store/store.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/csv.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

struct MergeArguments {
  std::string directory;
  std::vector<std::string> from;
  bool json = false;
};

int merge(const MergeArguments& arguments) {
  const std::vector<std::string> from =
      arguments.from.empty() ? shard_directories(arguments.directory) : arguments.from;
  if (from.empty()) {
    throw InputError(fmt::format("there are no shards in {}", ecube::quoted(arguments.directory)))
        .hint("ecube sweep STUDY.toml -o DIR --shard i/N makes DIR/shard-i-of-N; or name the stores to merge");
  }
  const MergeOutcome outcome = merge_stores(arguments.directory, from, arguments.json);
  const std::uint64_t missing = outcome.points - outcome.done - outcome.failed;
  if (arguments.json) {
    const Json json = {{"merged", from},           {"points", outcome.points}, {"done", outcome.done},
                       {"failed", outcome.failed}, {"missing", missing},       {"disagreeing", outcome.disagreeing}};
    print_json("sweep merge", json);
  } else {
    fmt::print("{} merged: {}/results.sqlite holds {} and {} of {}\n", counted(from.size(), "store"),
               arguments.directory, counted(outcome.done, "result"), counted(outcome.failed, "failure"),
               counted(outcome.points, "point"));
    if (missing > 0)
      fmt::print("{} missing: run their shards, or sweep without --shard for the rest\n", grouped(missing));
  }
  if (outcome.disagreeing > 0) {
    fmt::print(stderr, "error: {} have other cycles in another store; were they run by different versions?\n",
               counted(outcome.disagreeing, "point"));
  }
  return missing > 0 || outcome.failed > 0 || outcome.disagreeing > 0 ? 1 : 0;
}

struct ExportArguments {
  std::string store;
  std::string file;
  bool json = false;
};

int export_results(const ExportArguments& arguments) {
  StoreReader store(arguments.store);
  const bool json = arguments.json || arguments.file.ends_with(".jsonl");
  std::optional<OutputFile> file;
  if (!arguments.file.empty()) file.emplace(arguments.file);
  std::uint64_t lines = 0;
  const auto put = [&](const std::string& line) {
    ++lines;
    if (!file) return fmt::print("{}\n", line);
    file->put(line + "\n");
  };
  // Values on an axis are numbers in the unit of the axis.
  Json units = Json::object();
  for (const AxisScale& axis : store.axes()) {
    if (!axis.unit.empty()) units[axis.key] = axis.unit;
  }
  if (json) {
    // A store may have bytes that are no UTF-8.
    constexpr auto replace = Json::error_handler_t::replace;
    store.points([&](const StoredPoint& stored) {
      Json point = store.json(stored);
      if (!units.empty()) point["units"] = units;
      put(point.dump(-1, ' ', false, replace));
    });
  } else {
    const auto put_row = [&put](const auto& cells, const auto& field) {
      std::vector<std::string> fields;
      for (const auto& cell : cells) fields.push_back(field(cell));
      put(fmt::format("{}", fmt::join(fields, ",")));
    };
    const auto head = [&units](const std::string& name) {
      return csv_field(units.contains(name) ? fmt::format("{} [{}]", name, units[name].get<std::string>()) : name);
    };
    const auto value = [](const Json& one) {
      return one.is_null() ? std::string() : one.is_string() ? csv_field(one.get<std::string>()) : one.dump();
    };
    store.results([&](const std::vector<std::string>& names) { put_row(names, head); },
                  [&](const std::vector<Json>& row) { put_row(row, value); });
  }
  if (file) file->commit();
  const std::uint64_t failed = store.count("failed");
  if (!arguments.file.empty()) {
    const std::uint64_t rows = lines - (json ? 0 : 1);
    fmt::print("{}: {}\n", arguments.file, counted(rows, "point"));
  }
  if (!json && failed > 0) {
    fmt::print(stderr, "{} left out; --json has them, with their errors\n", counted(failed, "failed point"));
  }
  return 0;
}

}  // namespace

void add_sweep_merge(Command& sweep_command, Invocation& invocation) {
  const auto [command, arguments] =
      add_action<MergeArguments>(sweep_command, invocation, "merge", "The stores of shards into one", merge);
  command.add_option("directory", arguments.directory, "Directory of the study; gets results.sqlite",
                     {.required = true});
  command.add_option("stores", arguments.from, "Stores to merge; all shards in the directory when none is given");
  command.add_flag("--json", arguments.json, "One JSON object on standard output");
}

void add_sweep_export(Command& sweep_command, Invocation& invocation) {
  const auto [command, arguments] =
      add_action<ExportArguments>(sweep_command, invocation, "export", "Results as CSV or JSON lines", export_results);
  command.add_option("store", arguments.store, "Directory of the study, or its results.sqlite", {.required = true});
  command.add_option("-o,--output", arguments.file, "File; standard output when not given");
  command.add_flag(
      "--json", arguments.json,
      "A line with a JSON object for each point, failed ones too, as in a file FILE.jsonl; else CSV, a row "
      "for each point that is done");
}

}  // namespace ecube
