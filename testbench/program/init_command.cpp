// SPDX-License-Identifier: Apache-2.0
// The files of a project: a program, a machine, a study, and a page that says how to run them.
#include <fmt/core.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>

#include "models/machine/error.h"
#include "testbench/run/commands.h"
#include "testbench/system/atomic_file.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view program_text =
    R"(// Every node adds up the numbers of all nodes, one dimension after the other.
#include "sw/program/program.h"

using namespace ecube;

class Sum {
 public:
  static constexpr std::string_view name = "sum";
  static constexpr std::string_view help = "every node learns the sum of all nodes' numbers";
  static std::vector<Parameter> parameters() {
    return {{.name = "work", .type = ParameterType::time, .initial = "1 us", .help = "of the processor, for an addition"}};
  }

  explicit Sum(const Job& job) : work_(job.time("work")) {}

  Task<> run(Node& node) {
    sum_ = node.id();
    for (unsigned dimension = 0; dimension < node.dim(); ++dimension) {
      std::uint64_t other = 0;
      co_await node.exchange({.with = neighbour(node.id(), dimension),
                              .type = dimension,
                              .bytes = sizeof sum_,
                              .outgoing = region(sum_),
                              .incoming = region(other)});
      co_await node.compute(work_);
      sum_ += other;
    }
  }

  static double predict(const Job& job) {
    return job.dim() * (job.message_us(8, 1) + job.machine().us(static_cast<double>(job.time("work"))));
  }

  static std::string check(const NodesOf<Sum>& nodes) {
    const std::uint64_t right = nodes.size() * (nodes.size() - 1) / 2;
    for (NodeId node = 0; node < nodes.size(); ++node) {
      if (nodes[node].sum_ != right) return "node " + std::to_string(node) + " has " + std::to_string(nodes[node].sum_);
    }
    return {};
  }

 private:
  static Region region(std::uint64_t& number) {
    return Region::contiguous(reinterpret_cast<std::byte*>(&number), sizeof number);
  }

  Cycles work_;
  std::uint64_t sum_ = 0;
};

ECUBE_PROGRAMS(Sum)
)";

constexpr std::string_view machine_text =
    R"(# A machine of your own: a preset, and what differs from it. Keys and units: {0} machines --options
name = "mine"
base = "ideal"
link.bandwidth = "10 MB/s"
)";

constexpr std::string_view study_text =
    R"(# How the time grows with the cube and the work. {0} sweep study.toml --allow-code
description = "sum of all nodes' numbers"
run = "program"
machine = "machine.toml"

[workload]
program = "program.cpp"

[[axis]]
key = "dim"
linear = {{ from = 1, to = 6 }}

[[axis]]
key = "param.work"
values = ["0 us", "1 us", "10 us"]
)";

constexpr std::string_view readme_text = R"(# A project with ecube

    {0} run program ./program.cpp --machine machine.toml -d 4
    {0} run program ./program.cpp --machine machine.toml -d 4 --contention --trace waves.fst -o runs/first
    {0} view runs/first
    {0} sweep study.toml --allow-code
    {0} sweep export sweeps/study -o results.csv

| file | what it is |
|---|---|
| program.cpp | what every node does, with parameters, a prediction and a check: {1} |
| machine.toml | the machine: a preset and what differs from it |
| study.toml | runs along axes; --allow-code because it compiles and runs program.cpp |
)";

struct ProjectFile {
  const char* name;
  std::string_view text;
  bool names_command;  ///< {0} and {1} in it are filled in
};

constexpr std::array<ProjectFile, 4> project_files{{{"program.cpp", program_text, false},
                                                    {"machine.toml", machine_text, true},
                                                    {"study.toml", study_text, true},
                                                    {"README.md", readme_text, true}}};

/// The command as it is typed in any folder.
std::string command_anywhere() {
  if (!installed_files().empty()) return "ecube";
  const fs::path script = header_files() / "ecube";
  std::error_code none;
  return fs::exists(script, none) ? shell_word(script.string()) : "ecube";
}

void write_project(const std::string& directory) {
  std::error_code failed;
  if (fs::exists(directory, failed) && !(fs::is_directory(directory, failed) && fs::is_empty(directory, failed))) {
    throw InputError(fmt::format("{} is there and is not an empty directory", ecube::quoted(directory)))
        .hint("give a new one; nothing was written");
  }
  fs::create_directories(directory, failed);
  if (failed) {
    throw InputError(fmt::format("cannot make {}: {}", ecube::quoted(directory), failed.message()));
  }
  const std::string command = command_anywhere();
  const std::string tutorial = (header_files() / "sw/program/program.h").string();
  for (const ProjectFile& file : project_files) {
    const std::string text =
        file.names_command ? fmt::format(fmt::runtime(file.text), command, tutorial) : std::string(file.text);
    write_file((fs::path(directory) / file.name).string(), text);
  }
  fmt::print(
      "{} has a program, a machine, a study and a README.md\nnext: cd {} && {} run program ./program.cpp --machine "
      "machine.toml -d 4\n",
      directory, shell_word(directory), command);
}

}  // namespace

void add_init(Command& app, Invocation& /*invocation*/) {
  const auto directory = std::make_shared<std::string>();
  Command& command = app.add_command("init", "A project of your own, to begin with");
  command.add_option("directory", *directory, "A directory that is new or empty").required();
  command.footer("Example: ecube init mine && cd mine && ecube run program ./program.cpp --machine machine.toml -d 4");
  command.on_run([directory] { write_project(*directory); });
}

}  // namespace ecube
