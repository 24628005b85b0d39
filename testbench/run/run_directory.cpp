// SPDX-License-Identifier: Apache-2.0
// Writing the files of a run.
#include "testbench/run/run_directory.h"

#include <fmt/core.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "hw/observed/link.h"
#include "models/machine/machine_parameters.h"
#include "testbench/text/csv.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text_file.h"
#include "testbench/trace/contention_report.h"
#include "testbench/version.h"

namespace ecube {

namespace {

constexpr const char* provenance = "provenance.json";

/// The files that an earlier run, or a report on it, has left in a directory.
std::vector<std::string> earlier_files(const std::string& directory) {
  std::vector<std::string> names{"resolved.toml", "summary.json",   "links.csv", "circuits.csv",
                                 "programs.csv",  "node_times.csv", provenance,  "report.html"};
  const std::string file = directory + "/" + provenance;
  std::error_code error;
  constexpr std::uint64_t most_bytes = 1'000'000;
  const bool readable =
      std::filesystem::is_regular_file(file, error) && std::filesystem::file_size(file, error) <= most_bytes;
  if (!readable) return names;
  const std::optional<nlohmann::ordered_json> earlier = parse_json(read_file(file, "provenance", most_bytes));
  if (!earlier || !earlier->is_object() || !earlier->contains("files") || !(*earlier)["files"].is_array()) return names;
  for (const nlohmann::ordered_json& name : (*earlier)["files"]) {
    // Only names without a directory: whoever wrote the file, nothing outside the directory is removed.
    if (name.is_string() && name.get<std::string>().find_first_of("/\n") == std::string::npos) names.push_back(name);
  }
  return names;
}

}  // namespace

void RunDirectory::write_machine(const Machine& machine) const {
  files_.write("resolved.toml", machine_as_toml(machine));
}

void RunDirectory::write_summary(const nlohmann::ordered_json& summary) const {
  files_.write("summary.json", summary.dump(2) + "\n");
}

void RunDirectory::write_links(const Links& links, const WaitChains& contention, const TraceWindow& window) const {
  std::string text = fmt::format(
      "from,to,dimension,circuits,bytes,busy_cycles,blocked_cycles,most_waiters,{}longest_wait_cycles,longest_wait\n",
      window.whole() ? "" : "blocked_cycles_in_window,");
  for (NodeId node = 0; node >> links.dim() == 0; ++node) {
    for (unsigned dimension = 0; dimension < links.dim(); ++dimension) {
      const LinkStatistics link = links.statistics({node, dimension});
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},", node, neighbour(node, dimension), dimension,
                     link.circuits, link.bytes, link.busy, link.blocked, link.most_waiters);
      if (!window.whole()) text += fmt::format("{},", contention.window_blocked({node, dimension}));
      const Wait* const longest = contention.longest_of({node, dimension});
      text += longest == nullptr
                  ? "0,\n"
                  : fmt::format("{},{}\n", longest->cycles(), csv_quoted(sentence_of(*longest, links.dim())));
    }
  }
  files_.write("links.csv", text);
}

void RunDirectory::write_provenance(std::span<const std::string> arguments, std::uint64_t seed) const {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char time[32] = {};
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &utc);
  std::vector<std::string> files = files_.names();
  files.emplace_back(provenance);
  const nlohmann::ordered_json json = {{"schema", 1},
                                       {"version", program_version},
                                       {"compiler", program_compiler},
                                       {"build_type", program_build_type},
                                       {"seed", seed},
                                       {"arguments", std::vector<std::string>(arguments.begin(), arguments.end())},
                                       {"finished", time},
                                       {"files", files}};
  // Arguments are whatever bytes the user typed.
  files_.write(provenance, json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void RunDirectory::publish() { files_.publish(earlier_files(files_.path())); }

}  // namespace ecube
