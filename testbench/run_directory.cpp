// SPDX-License-Identifier: Apache-2.0
// Writing the files of a run.
#include "testbench/run_directory.h"

#include <fmt/core.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "models/error.h"
#include "models/options.h"
#include "testbench/trace/contention_report.h"
#include "testbench/version.h"

namespace ecube {

namespace fs = std::filesystem;

RunDirectory::RunDirectory(std::string path) : path_(std::move(path)) {
  const auto refuse = [&](const std::string& reason) {
    throw ErrorText(fmt::format("cannot write into the run directory {}: {}", ecube::quoted(path_), reason))
        .hint("give a directory that can be made or written with -o")
        .error();
  };
  std::error_code error;
  for (fs::path missing = fs::absolute(path_, error);
       !error && !fs::exists(missing, error) && missing.has_relative_path(); missing = missing.parent_path()) {
    first_made_ = missing.string();
  }
  if (error && error != std::errc::no_such_file_or_directory) refuse(error.message());
  fs::create_directories(path_, error);
  if (error) refuse(error.message());
  if (!fs::is_directory(path_)) refuse("it is not a directory");
  // Whether files can be made is known only by making one: permissions are not the only obstacle.
  const std::string probe = file(".ecube-probe");
  const bool made = static_cast<bool>(std::ofstream(probe));
  const int reason = errno;
  fs::remove(probe, error);
  if (!made) {
    abandon();
    refuse(std::strerror(reason));
  }
}

void RunDirectory::abandon() {
  if (first_made_.empty()) return;
  std::error_code ignored;
  for (fs::path made = fs::absolute(path_, ignored); fs::remove(made, ignored) && made != first_made_;) {
    made = made.parent_path();
  }
}

void RunDirectory::write(const std::string& name, const std::string& text) const {
  // First under another name: a file that is there is whole.
  const std::string unfinished = file(name + ".part");
  std::ofstream stream(unfinished, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) fs::rename(unfinished, file(name), error);
  if (!stream || error) throw std::runtime_error(fmt::format("{} could not be written: is the disk full?", file(name)));
}

void RunDirectory::write_machine(const Machine& machine) const { write("resolved.toml", machine_as_toml(machine)); }

void RunDirectory::write_summary(const nlohmann::ordered_json& summary) const {
  write("summary.json", summary.dump(2) + "\n");
}

void RunDirectory::write_links(const Cube& cube, const ContentionLog& contention, const TraceWindow& window) const {
  std::string text = fmt::format(
      "from,to,dimension,circuits,bytes,busy_cycles,blocked_cycles,most_waiters,{}longest_wait_cycles,longest_wait\n",
      window.whole() ? "" : "blocked_cycles_in_window,");
  for (NodeId node = 0; node >> cube.dim() == 0; ++node) {
    for (unsigned dimension = 0; dimension < cube.dim(); ++dimension) {
      const LinkStatistics link = cube.engine().fabric().statistics({node, dimension});
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},", node, node ^ (NodeId{1} << dimension),
                     dimension, link.circuits, link.bytes, link.busy, link.blocked, link.most_waiters);
      if (!window.whole()) text += fmt::format("{},", contention.window_blocked({node, dimension}));
      const Wait* const longest = contention.longest_of({node, dimension});
      text += longest == nullptr ? "0,\n"
                                 : fmt::format("{},\"{}\"\n", longest->cycles(), sentence_of(*longest, cube.dim()));
    }
  }
  write("links.csv", text);
}

void RunDirectory::write_provenance(std::span<const std::string> arguments, std::uint64_t seed) const {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char time[32] = {};
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &utc);
  const nlohmann::ordered_json json = {{"schema", 1},
                                       {"version", program_version},
                                       {"compiler", program_compiler},
                                       {"build_type", program_build_type},
                                       {"seed", seed},
                                       {"arguments", std::vector<std::string>(arguments.begin(), arguments.end())},
                                       {"finished", time}};
  // Arguments are whatever bytes the user typed.
  write("provenance.json", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace ecube
