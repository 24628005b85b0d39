// SPDX-License-Identifier: Apache-2.0
// Writing the files of a run.
#include "testbench/run/run_directory.h"

#include <fmt/core.h>

#include <chrono>
#include <ctime>
#include <iterator>

#include "hw/observed/link.h"
#include "models/machine/machine_parameters.h"
#include "testbench/text/csv.h"
#include "testbench/text/json_text.h"
#include "testbench/trace/contention_report.h"
#include "testbench/version.h"

namespace ecube {

void RunDirectory::write_machine(const Machine& machine) const {
  files().write("resolved.toml", machine_as_toml(machine));
}

void RunDirectory::write_summary(const nlohmann::ordered_json& summary) const {
  files().write("summary.json", summary.dump(2) + "\n");
}

void RunDirectory::write_links(const Links& links, const WaitChains& contention, const TraceWindow& window) const {
  std::string text = fmt::format(
      "node,output,name,to,circuits,bytes,busy_cycles,blocked_cycles,most_waiters,{}longest_wait_cycles,longest_wait\n",
      window.whole() ? "" : "blocked_cycles_in_window,");
  for (NodeId node = 0; node >> links.dim() == 0; ++node) {
    for (unsigned dimension = 0; dimension < links.dim(); ++dimension) {
      const LinkStatistics link = links.statistics({node, dimension});
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},", node, dimension, link_name(dimension),
                     neighbour(node, dimension), link.circuits, link.bytes, link.busy, link.blocked, link.most_waiters);
      if (!window.whole()) text += fmt::format("{},", contention.window_blocked({node, dimension}));
      const Wait* const longest = contention.longest_of({node, dimension});
      text += longest == nullptr
                  ? "0,\n"
                  : fmt::format("{},{}\n", longest->cycles(), csv_quoted(sentence_of(*longest, links.dim())));
    }
  }
  files().write("links.csv", text);
}

void RunDirectory::publish(std::span<const std::string> arguments, std::uint64_t seed) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char time[32] = {};
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &utc);
  publication_.publish({{"schema", json_schema},
                        {"version", program_version},
                        {"compiler", program_compiler},
                        {"build_type", program_build_type},
                        {"seed", seed},
                        {"arguments", std::vector<std::string>(arguments.begin(), arguments.end())},
                        {"finished", time}});
}

}  // namespace ecube
