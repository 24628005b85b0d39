// SPDX-License-Identifier: Apache-2.0
// From the files of a run to the data of its page.
#include "testbench/report/run_data.h"

#include <fmt/core.h>

#include <cmath>
#include <numeric>

#include "models/machine/machine_parameters.h"
#include "models/machine/spelling.h"
#include "testbench/command_line/command.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/machine/machine_file.h"
#include "testbench/publication/manifest.h"
#include "testbench/run/figures.h"
#include "testbench/system/program_files.h"
#include "testbench/text/csv.h"
#include "testbench/text/text.h"
#include "testbench/text/text_file.h"

namespace ecube {

namespace {

// Limits for a page of less than 3 MB, of which ECharts takes 1.1 MB.
constexpr std::size_t most_rows = std::size_t{20} << 20;
constexpr std::size_t most_links = 12'288;  ///< all of d = 10
constexpr std::size_t most_sentences = 400;
/// The largest dimension whose hull is measured while the page is made, in some seconds.
constexpr unsigned most_measured_dim = 8;

/// A summary has a line or two for each link.
constexpr std::uint64_t longest_file = std::uint64_t{1} << 30;

/// The error of files that no run of this version has left.
InputError not_of_today(const std::string& what) { return InputError(what).hint("run it again with this version"); }

std::string text_of(const PublishedFiles& files, const std::string& name) {
  return read_file(files.path(name), "file of a run", longest_file);
}

Json json_of(const PublishedFiles& files, const std::string& name) {
  std::optional<Json> json = parse_json(text_of(files, name));
  const Json schema = json && json->is_object() ? json->value("schema", Json()) : Json();
  if (schema != 1 && schema != json_schema) {
    throw not_of_today(fmt::format("{} is no file of this program's", ecube::quoted(files.shown(name))));
  }
  return *std::move(json);
}

/// Gives the summary of a run of schema 1 the members that it has today.
void translate(Json& summary) {
  if (summary["schema"] != 1) return;
  const auto for_each = [&summary](const char* list, const auto& change) {
    if (summary.contains(list)) std::for_each(summary[list].begin(), summary[list].end(), change);
  };
  const auto flatten = [](Json& row) {
    if (!row.contains("predicted")) return;
    const Json predicted = row["predicted"];
    row.erase("predicted");
    row["predicted_us"] = predicted.is_null() ? Json() : predicted.at("us");
    if (predicted.contains("terms")) row["terms"] = predicted["terms"];
  };
  summary["machine"]["topology"] = "cube:" + summary["machine"].at("dim").dump();
  for (const char* const list : {"phases", "stages", "steps"}) for_each(list, flatten);
  for_each("failures", [](Json& failure) {
    const Json output = failure.at("dimension");
    failure.erase("dimension");
    failure["output"] = output;
    failure["name"] = output.is_null() ? Json() : Json("dim " + output.dump());
  });
}

/// Columns by name, each an array.
Json links_data(const PublishedFiles& files) {
  TableReader table(files, "links.csv");
  for (const char* const name : {"blocked_cycles", "busy_cycles", "longest_wait_cycles"}) (void)table.column(name);
  const std::size_t sentence = table.column("longest_wait");
  std::vector<std::vector<std::string>> rows;
  for (std::vector<std::string> row; rows.size() < most_rows && table.next(row);) rows.push_back(std::move(row));
  // Of some rows those of most weight, in the order of the file.
  const auto heaviest = [](std::vector<std::size_t> of, std::size_t most, const auto& weight) {
    std::ranges::stable_sort(of, std::greater(), weight);
    of.resize(std::min(of.size(), most));
    std::ranges::sort(of);
    return of;
  };
  std::vector<std::size_t> shown(rows.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> weights;
  weights.reserve(rows.size());
  for (const std::vector<std::string>& row : rows) {
    weights.emplace_back(table.number(row, "blocked_cycles"), table.number(row, "busy_cycles"));
  }
  shown = heaviest(std::move(shown), most_links, [&](std::size_t row) { return weights[row]; });
  Json data = {{"count", rows.size()}, {"columns", Json::object()}};
  for (const char* const name :
       {"node", "to", "output", "circuits", "bytes", "busy_cycles", "blocked_cycles", "most_waiters"}) {
    const std::size_t column = table.column(name);
    Json& values = data["columns"][name] = Json::array();
    for (const std::size_t row : shown) {
      // Planes lead to another node after each tune.
      const bool planes = name == std::string_view("to") && rows[row][column].empty();
      values.push_back(planes ? Json() : Json(table.number(rows[row], name)));
    }
  }
  // The page describes the longest waits.
  Json& sentences = data["longest_wait"] = Json::object();
  const auto wait = [&](std::size_t row) { return table.number(rows[row], "longest_wait_cycles"); };
  for (const std::size_t row : heaviest(shown, most_sentences, wait)) {
    if (rows[row][sentence].empty()) continue;
    sentences[rows[row][table.column("node")] + ":" + rows[row][table.column("output")]] = rows[row][sentence];
  }
  return data;
}

/// For each phase the cycles of all nodes by what they were for, as columns by name; null where the run has none.
Json node_times_data(const PublishedFiles& files) {
  const std::string name = "node_times.csv";
  if (!files.has(name)) return nullptr;
  TableReader table(files, name);
  // The page draws the others as parts of "cycles".
  for (const char* const needed : {"phase", "node", "cycles"}) (void)table.column(needed);
  std::map<std::uint64_t, Json> sums;
  for (std::vector<std::string> row; table.next(row);) {
    Json& sum = sums.try_emplace(table.number(row, "phase"), Json::object()).first->second;
    for (const std::string& column : table.columns) {
      if (column == "phase" || column == "node") continue;
      sum[column] = sum.value(column, std::uint64_t{0}) + table.number(row, column);
    }
  }
  return json_list(sums, [](const auto& phase) -> Json { return {{"phase", phase.first}, {"cycles", phase.second}}; });
}

/// The exchange that was run, on the machine of the run. Of its command, which a stranger may have written, no other
/// option is read: the others are in the machine, are chosen here, or are those of an earlier version.
ExchangeArguments exchange_of(const RunFiles& run) {
  ExchangeArguments arguments;
  Command command("exchange", "");
  declare_options(command, {&arguments.order, &arguments.sync, &arguments.pairing, &arguments.retuning});
  command.read(run.provenance.at("arguments").get<std::vector<std::string>>());
  arguments.run.quiet = true;
  arguments.run.machine = run.files.path("resolved.toml");
  arguments.run.dim = run.summary.at("machine").at("dim").get<std::int64_t>();
  return arguments;
}

/// An exchange that has been run without contents, measured and predicted; null where it does not finish, or where this
/// machine has no such run, by what memory there is or by its limits.
Json point_of(const Partition& partition, Bytes bytes, ExchangeArguments& arguments, Benches& benches) {
  arguments.payload = Payload::none;
  arguments.partition = partition.name();
  arguments.bytes = static_cast<std::int64_t>(bytes);
  try {
    const std::unique_ptr<Experiment> experiment = exchange_run(arguments, benches);
    experiment->run();
    const RunResult& result = experiment->measurement().result;
    if (result.status != RunResult::Status::finished) return nullptr;
    return {{"partition", parts_json(partition)},
            {"bytes", bytes},
            {"us", result.us},
            {"predicted_us", experiment->report().predicted["us"]}};
  } catch (const InputError&) {
  }
  return nullptr;
}

/// Runs of the partitions of a hull, at sizes that show its faces.
Json hull_points(const std::vector<RealHopsFace>& faces, ExchangeArguments arguments, double bytes, Benches& benches) {
  Json points = Json::array();
  double last = 0;
  for (const RealHopsFace& face : faces) last = std::max(last, face.from_bytes);
  constexpr double most_of_an_exchange = 1 << 30;
  const auto most_bytes = static_cast<Bytes>(std::min(most_of_an_exchange, std::max({1.6 * last, 1.2 * bytes, 64.0})));
  constexpr Bytes places = 8;
  for (const RealHopsFace& face : faces) {
    for (Bytes place = 0; place <= places; ++place) {
      const Json point = point_of(face.partition, most_bytes * place / places, arguments, benches);
      if (!point.is_null()) points.push_back(point);
    }
  }
  return points;
}

/// On planes, the best partition by block and delay: by the equation, and at points of a grid by runs.
Json map_data(const ExchangeQuestion& question, ExchangeArguments arguments, Benches& benches) {
  const double retune_us = question.options.retune_us;
  const std::vector<HullFromDelay> hulls = hulls_over_delays(question, retune_us / 100, retune_us * 100, 12);
  Json map = {{"delays", delays_json(hulls)}, {"points", Json::array()}};
  std::vector<Partition> partitions;
  double last = 1;
  for (const HullFromDelay& hull : hulls) {
    for (const RealHopsFace& face : hull.faces.faces) {
      last = std::max(last, face.from_bytes);
      if (std::ranges::find(partitions, face.partition) == partitions.end()) partitions.push_back(face.partition);
    }
  }
  constexpr int places = 6;
  for (const double factor : {0.01, 0.1, 1.0, 10.0, 100.0}) {
    const double cycles = std::max(1.0, std::round(static_cast<double>(question.machine.plane.retune_cycles) * factor));
    arguments.run.set = {fmt::format("plane.retune={:.0f} cycles", cycles)};
    for (int place = 1; place <= places; ++place) {
      const auto bytes = static_cast<Bytes>(std::pow(2 * last, static_cast<double>(place) / places));
      Json best;
      for (const Partition& partition : partitions) {
        const Json point = point_of(partition, bytes, arguments, benches);
        if (!point.is_null() && (best.is_null() || point["us"] < best["us"])) best = point;
      }
      if (best.is_null()) continue;
      best["retune_us"] = question.machine.us(cycles + 1);
      map["points"].push_back(best);
    }
  }
  return map;
}

/// The hull of the run's machine, and runs of the partitions on it; {"none": REASON} where there is no such hull.
Json hull_data(const RunFiles& run) {
  const auto dim = run.summary.at("machine").at("dim").get<unsigned>();
  const bool measured = dim <= most_measured_dim;
  Benches benches(measured ? std::max(dim, calibration_dim) : calibration_dim);
  const double bytes = run.summary.at("workload").at("bytes");
  try {
    const ExchangeArguments arguments = exchange_of(run);
    RunSetup setup;
    setup.dim = calibration_dim;
    TestBench& bench = benches.get(setup);
    const ExchangeQuestion question = exchange_question_of(arguments, bench);
    const ExchangeHull hull = exchange_hull(arguments, question, measured ? &bench : nullptr);
    Json data = hull.json;
    data["points"] = Json::array();
    if (measured) data["points"] = hull_points(hull.faces.faces, arguments, bytes, benches);
    if (measured && question.machine.network.planes != 0) data["map"] = map_data(question, arguments, benches);
    return data;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::runtime_error& problem) {
    return {{"none", problem.what()}};  // a run on this machine does not finish, or cannot be made
  }
}

}  // namespace

void reading(const std::string& directory, const std::function<void()>& read) {
  try {
    read();
  } catch (const Json::exception& problem) {
    throw not_of_today(
        fmt::format("the files in {} are not as runs leave them: {}", ecube::quoted(directory), problem.what()));
  }
}

TableReader::TableReader(const PublishedFiles& files, const std::string& name)
    : file_(files.shown(name)), stream_(files.path(name), std::ios::binary) {
  if (!stream_.is_open() || !next_line()) throw InputError(fmt::format("cannot read {}", ecube::quoted(file_)));
  columns = csv_fields(buffer_.data());
  if (name != "links.csv") return;
  // Runs of schema 1 have no name of a link.
  for (const auto& [earlier, today] : {std::pair("from", "node"), std::pair("dimension", "output")}) {
    std::replace(columns.begin(), columns.end(), std::string(earlier), std::string(today));
  }
}

bool TableReader::next_line() {
  if (progress_.due()) progress_.show(fmt::format("{} lines of {} read", grouped(line_), file_));
  ++line_;
  stream_.getline(buffer_.data(), longest_line);
  if (stream_.fail() && stream_.gcount() == longest_line - 1) {
    throw InputError(fmt::format("line {} of {} is longer than {} bytes", line_, ecube::quoted(file_), longest_line));
  }
  return !stream_.fail();
}

bool TableReader::next(std::vector<std::string>& row) {
  if (!next_line()) return false;
  row = csv_fields(buffer_.data());
  if (row.size() == columns.size()) return true;
  throw InputError(fmt::format("line {} of {} does not have the {} fields of the first", line_, ecube::quoted(file_),
                               columns.size()));
}

std::size_t TableReader::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) {
    throw not_of_today(fmt::format("{} has no column {}", ecube::quoted(file_), ecube::quoted(name)));
  }
  return static_cast<std::size_t>(found - columns.begin());
}

std::uint64_t TableReader::number(const std::vector<std::string>& row, std::string_view name) const {
  const std::string& field = row[column(name)];
  if (const auto value = whole_number(field)) return *value;
  throw not_of_today(fmt::format("{} has {} in column {}", ecube::quoted(file_), ecube::quoted(field), name));
}

RunFiles read_run(const std::string& directory, RunPart part) {
  const PublishedFiles files(directory, [part](std::string_view name) {
    const bool large =
        name == "circuits.csv" || name == "programs.csv" || name == "dark.csv" || name == "node_times.csv";
    return (part == RunPart::everything && large) || name == "summary.json" || name == "resolved.toml" ||
           name == "links.csv";
  });
  RunFiles run{.directory = directory,
               .files = files,
               .summary = json_of(files, "summary.json"),
               .provenance = json_of(files, manifest_name),
               .machine = text_of(files, "resolved.toml")};
  for (const char* const member : {"command", "machine", "measured", "network"}) {
    if (run.summary.contains(member)) continue;
    throw not_of_today(fmt::format("{} has no {}", ecube::quoted(files.shown("summary.json")), member));
  }
  reading(directory, [&run] { translate(run.summary); });
  const Json& machine = run.summary["machine"];
  const auto member = [&](const char* name) { return machine.is_object() ? machine.value(name, Json()) : Json(); };
  const auto [dim, nodes, name] = std::array{member("dim"), member("nodes"), member("topology")};
  const auto topology = Topology::parse(name.is_string() ? name.get<std::string>() : std::string());
  const bool known = topology && nodes == (*topology).nodes() &&
                     dim == ((*topology).is_cube() ? Json((*topology).label_bits()) : Json());
  if (!known) {
    throw not_of_today(fmt::format("{} has topology {}, dimension {}, {} nodes",
                                   ecube::quoted(files.shown("summary.json")), name.dump(), dim.dump(), nodes.dump()));
  }
  return run;
}

Machine machine_of(const RunFiles& run) {
  return resolve(parse_machine_file(run.machine, run.files.shown("resolved.toml")));
}

std::string command_of(const RunFiles& run) {
  std::string line = own_command();
  const Json& arguments = run.provenance.at("arguments");
  for (std::size_t i = 1; i < arguments.size(); ++i) line += " " + shell_word(arguments[i].get<std::string>());
  return line;
}

Json run_data(const RunFiles& run) {
  Json data = replay_data(run);
  data.update(Json{{"provenance", run.provenance}, {"machine_file", run.machine}, {"parameters", Json::array()}});
  const Machine machine = machine_of(run);
  for (const Option& option : options()) {
    if (option.same_as.empty() && applies(option, machine)) {
      data["parameters"].push_back({option.key, option.write(option, machine), default_value(option)});
    }
  }
  data["figures"] = Json::object();
  for (const Figure& figure : figures()) {
    const Json value = value_in(run.summary, figure);
    if (value.is_null()) continue;
    Json& shown = data["figures"][figure.column] = figure_json(figure);
    shown["value"] = value;
  }
  data["links"] = links_data(run.files);
  data["node_times"] = node_times_data(run.files);
  const bool pairs = run.summary.at("command") == "run exchange" &&
                     run.summary.at("workload").value("schedule", "") == "xor" &&
                     !run.summary.at("machine").at("dim").is_null();
  data["hull"] = pairs ? hull_data(run) : Json();
  return data;
}

}  // namespace ecube
