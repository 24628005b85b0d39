// SPDX-License-Identifier: Apache-2.0
// Compiled schedules: a head, the first operation of every rank, the operations, their dependents. From a schedule's
// file to its run, with ranks on nodes by word or file.
#include <fmt/core.h>

#include <numeric>
#include <sstream>

#include "testbench/goal/goal_file.h"
#include "testbench/machine/test_bench.h"
#include "testbench/run/commands.h"
#include "testbench/system/program_files.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/text_file.h"
#include "testbench/text/text_hash.h"
#include "testbench/version.h"

namespace ecube {

namespace {

/// Of compiled files. It changes with their layout and with what a text means.
constexpr int layout = 3;

/// The least memory that reading a line takes beside its text: operations are in memory twice.
constexpr std::uint64_t bytes_of_a_line = 64;

std::size_t bytes_of_first(const GoalCounts& head) { return (head.ranks + 2) / 2 * sizeof(std::uint64_t); }

std::size_t bytes_of(const GoalCounts& head) {
  return sizeof head + bytes_of_first(head) + head.operations * sizeof(GoalOperation) +
         head.dependents * sizeof(std::uint32_t);
}

void append(std::string& text, const void* data, std::size_t bytes) {
  text.append(static_cast<const char*>(data), bytes);
}

std::string compiled(const GoalText& schedule) {
  const GoalCounts& head = schedule.counts;
  std::string text;
  text.reserve(bytes_of(head) + seal_bytes);
  append(text, &head, sizeof head);
  append(text, schedule.first.data(), schedule.first.size() * sizeof(std::uint32_t));
  text.resize(sizeof head + bytes_of_first(head));
  append(text, schedule.operations.data(), schedule.operations.size() * sizeof(GoalOperation));
  append(text, schedule.dependents.data(), schedule.dependents.size() * sizeof(std::uint32_t));
  return text;
}

std::string schedule_text(const std::string& file) { return read_text(file, "schedule", most_schedule_text); }

/// The name under which the schedule of a text with this digest is kept: another one for every version of ecube.
std::string kept_name(const std::string& digest) {
  return digest_of(fmt::format("ecube {}, schedule {}, {}\n", program_version, layout, digest));
}

const GoalCounts& head_of(const std::string& contents) { return *reinterpret_cast<const GoalCounts*>(contents.data()); }

/// Every count is below the size, so that the sum of the parts does not wrap around.
bool is_schedule(const std::string& contents) {
  const std::size_t size = contents.size();
  if (size < sizeof(GoalCounts)) return false;
  const GoalCounts& head = head_of(contents);
  return head.ranks < size && head.operations < size && head.dependents < size && bytes_of(head) == size;
}

/// The next process compiles what could not be kept.
void keep_schedule(const std::filesystem::path& folder, const std::string& name, const std::string& contents) {
  try {
    StagedFiles staged(folder.string());
    staged.write(name, contents);
    staged.move_each();
  } catch (const std::runtime_error& problem) {
    const std::string_view what = problem.what();
    fmt::print(stderr, "ecube: the compiled schedule is not kept: {}\n", what.substr(0, what.find('\n')));
  }
}

struct GoalArguments {
  RunArguments run;
  std::string file;
  TextOption map{"--map",
                 "Which node runs which rank: number (rank r on node r), gray (rank r on node r XOR r/2, so that ranks "
                 "in a row are neighbours), or a file with the node of rank 0, 1, .. in its lines",
                 group::common, "number"};

  [[nodiscard]] std::vector<Effect> effects(const std::string& /*question*/, const Machine& /*machine*/) const {
    return {{run.seed, run.jitter.given(), "only --jitter draws"},
            {run.parameters, run.engine.value() == EngineChoice::ideal, "only --engine ideal asks an equation"}};
  }
};

std::vector<NodeId> read_map(const std::string& file, std::size_t ranks, NodeId last) {
  constexpr std::string_view words = "number | gray | a file with the node of rank 0, 1, .. in its lines";
  std::istringstream stream(numbers_of(file, "map of ranks", words));
  std::vector<NodeId> nodes;
  std::vector<bool> taken(std::size_t{last} + 1, false);
  std::string text;
  for (std::uint32_t number = 1; std::getline(stream, text); ++number) {
    NumberLine line(text, {.where = file, .line = number, .text = text}, "the node of one rank, as 5");
    if (line.blank()) continue;
    const auto node = static_cast<NodeId>(line.number("node", last));
    if (taken[node]) line.refuse(fmt::format("node {} has a rank already", node), "one rank for each node");
    if (nodes.size() == ranks) line.refuse(fmt::format("the schedule has {} ranks", ranks), "one line for each rank");
    line.end("one");
    taken[node] = true;
    nodes.push_back(node);
  }
  if (nodes.size() < ranks) {
    throw InputError(fmt::format("{} has nodes for {} of {} ranks", ecube::quoted(file), nodes.size(), ranks))
        .hint("one line for each rank");
  }
  return nodes;
}

/// [rank]: its node, by `map`, a value of --map. There is a node for each rank.
/// ContentError with file and line for a node that is not there or has a rank already, InputError for a file of fewer
/// or more ranks, for a word that is none, and for the gray code on other topologies than cubes.
std::vector<NodeId> nodes_of_ranks(const std::string& map, std::size_t ranks, const Topology& topology) {
  if (map != "number" && map != "gray") return read_map(map, ranks, topology.nodes() - 1);
  std::vector<NodeId> nodes(ranks);
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  if (map == "gray") {
    if (!topology.is_cube()) {
      throw InputError("--map gray is the gray code of a cube, and this is " + topology.name())
          .valid("--map number | --map FILE");
    }
    for (NodeId& node : nodes) node ^= node >> 1;
  }
  return nodes;
}

class GoalRun : public PlainRun {
 public:
  GoalRun(const GoalArguments& arguments, std::unique_ptr<GoalFile> file, const RunSetup& setup, TestBench& bench)
      : PlainRun(setup, bench), name_(arguments.file), map_(arguments.map.value()), file_(std::move(file)) {
    by_number_ = nodes_of_ranks("number", file_->counts().ranks, setup.topology());
    node_of_ = nodes_of_ranks(map_, file_->counts().ranks, setup.topology());
    costs_ = costs_for(arguments.run);
  }

  [[nodiscard]] RunSize size() const override { return {.circuits = file_->counts().messages}; }

  void run() override {
    GoalProgram program(file_->schedule(), node_of_);
    m_ = bench().run(setup(), program, costs_);
  }

  [[nodiscard]] RunReport report() const override {
    return {.command = "run goal",
            .workload = {{"file", name_},
                         {"source_hash", file_->hash()},
                         {"ranks", file_->counts().ranks},
                         {"operations", file_->counts().operations},
                         {"messages", file_->counts().messages},
                         {"map", map_},
                         {"hops", mean_hops(node_of_)},
                         {"hops_by_number", mean_hops(by_number_)}}};
  }

  void print(const Style& /*style*/) const override {
    const GoalCounts& counts = file_->counts();
    print_title(fmt::format("schedule {}: {} operations of {} ranks", name_, grouped(counts.operations),
                            grouped(counts.ranks)));
    print_measured();
    if (map_ != "number") {
      fmt::print("hops      {:.2f} a message, {:.2f} with rank r on node r\n", mean_hops(node_of_),
                 mean_hops(by_number_));
    }
    if (counts.other_processors > 0) {
      fmt::print("{} operations name a cpu other than 0: a node has one processor, which does them too\n",
                 grouped(counts.other_processors));
    }
    if (counts.interfaces > 0) {
      fmt::print("{} operations name a nic other than 0: a message leaves by the port of its first dimension\n",
                 grouped(counts.interfaces));
    }
  }

 private:
  /// Links that a message of the schedule passes, on average.
  [[nodiscard]] double mean_hops(const std::vector<NodeId>& node_of) const {
    const GoalSchedule schedule = file_->schedule();
    const Topology topology = setup().topology();
    std::uint64_t hops = 0;
    for (std::size_t rank = 0; rank < schedule.ranks(); ++rank) {
      for (std::uint32_t i = schedule.first[rank]; i < schedule.first[rank + 1]; ++i) {
        const GoalOperation& one = schedule.operations[i];
        if (one.kind == GoalKind::send) hops += topology.hops(node_of[rank], node_of[one.peer]);
      }
    }
    const std::uint64_t messages = file_->counts().messages;
    return messages == 0 ? 0 : static_cast<double>(hops) / static_cast<double>(messages);
  }

  std::string name_;
  std::string map_;
  std::unique_ptr<GoalFile> file_;
  std::vector<NodeId> node_of_;    ///< [rank]
  std::vector<NodeId> by_number_;  ///< [rank], with rank r on node r
  IdealCosts costs_;
};

/// A compiled schedule has no lines: the text's is looked for.
[[noreturn]] void refuse_ranks(const std::string& file, std::size_t ranks, const Topology& topology) {
  const std::string what = fmt::format("{} has {} ranks, and {} has {} nodes", ecube::quoted(file), ranks,
                                       words_of(topology), topology.nodes());
  std::istringstream lines(read_text(file, "schedule", most_schedule_text));
  Place place;
  place.where = file;
  while (std::getline(lines, place.text)) {
    ++place.line;
    const std::size_t column = place.text.find("num_ranks");
    if (column == std::string::npos || column != place.text.find_first_not_of(" \t")) continue;
    place.column = static_cast<std::uint32_t>(column + 1);
    place.length = 9;
    break;
  }
  throw ContentError(
      InputError(what).at(place, topology.is_cube() ? "give a larger --dim or --topology" : "give a larger --topology"),
      what);
}

std::unique_ptr<Experiment> goal_run(const GoalArguments& arguments, Benches& benches) {
  auto file = std::make_unique<GoalFile>(arguments.file, arguments.run.quiet);
  const std::size_t ranks = file->counts().ranks;
  RunArguments run = arguments.run;
  if (!run.dim.given() && !names_topology(run)) run.dim = dim_for(ranks);
  const RunSetup setup = setup_of(run, Networks::any);
  needs_fixed_links(setup.machine);
  if (const Topology topology = setup.topology(); ranks > topology.nodes()) {
    refuse_ranks(arguments.file, ranks, topology);
  }
  return std::make_unique<GoalRun>(arguments, std::move(file), setup, benches.get(setup));
}

}  // namespace

GoalFile::GoalFile(const std::string& file, bool quiet) {
  const std::filesystem::path folder = cache_folder("goal");
  std::string text = schedule_text(file);
  hash_ = digest_of(text);
  // A line of at least 7 characters is compiled into 32 bytes, a rank into 4, and there are at most 2^20 ranks.
  const std::uint64_t most_compiled = 5 * text.size() + (std::uint64_t{8} << 20);
  std::string().swap(text);  // the text is not in memory together with the compiled schedule that was kept
  contents_ = unsealed((folder / kept_name(hash_)).string(), most_compiled).value_or("");
  if (is_schedule(contents_)) return;
  text = schedule_text(file);
  hash_ = digest_of(text);
  const auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  require_memory(text.size() + lines * bytes_of_a_line, fmt::format("compiling {} needs", ecube::quoted(file)),
                 "a schedule of fewer lines");
  contents_ = sealed(compiled(parse_goal(text, file, quiet)));
  keep_schedule(folder, kept_name(hash_), contents_);
}

GoalSchedule GoalFile::schedule() {
  const GoalCounts& head = head_of(contents_);
  char* const first = contents_.data() + sizeof head;
  char* const operations = first + bytes_of_first(head);
  char* const dependents = operations + head.operations * sizeof(GoalOperation);
  return {.operations = {reinterpret_cast<GoalOperation*>(operations), head.operations},
          .dependents = {reinterpret_cast<const std::uint32_t*>(dependents), head.dependents},
          .first = {reinterpret_cast<const std::uint32_t*>(first), head.ranks + 1}};
}

const GoalCounts& GoalFile::counts() const { return head_of(contents_); }

std::unique_ptr<RunRequest> goal_run_request() {
  return run_request_of<GoalArguments>(
      [](Command& command, GoalArguments& a) {
        command.add_option("file,--file", a.file, "A schedule in GOAL's text", {.required = true});
        a.map.declare(command);
        a.run.dim.say("Dimension d of the cube; if not given, the smallest cube with a node for every rank");
        a.run.topology.list_in(group::common);
      },
      goal_run);
}

}  // namespace ecube
