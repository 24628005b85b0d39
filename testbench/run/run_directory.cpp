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
  const Topology& topology = links.topology();
  for_each_link(topology, [&](LinkId id) {
    const auto [node, output] = id;
    const LinkStatistics link = links.statistics(id);
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},", node, output,
                   topology.output_name(node, output), topology.neighbour(node, output), link.circuits, link.bytes,
                   link.busy, link.blocked, link.most_waiters);
    if (!window.whole()) text += fmt::format("{},", contention.window_blocked(id));
    const Wait* const longest = contention.longest_of(id);
    text += longest == nullptr
                ? "0,\n"
                : fmt::format("{},{}\n", longest->cycles(), csv_quoted(sentence_of(*longest, topology.outputs())));
  });
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
