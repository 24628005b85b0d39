// SPDX-License-Identifier: Apache-2.0
// From a schedule's file to its run, with ranks on nodes by word or file.
#include <fmt/core.h>

#include <numeric>
#include <sstream>

#include "testbench/goal/goal_file.h"
#include "testbench/run/commands.h"
#include "testbench/text/text_file.h"

namespace ecube {

namespace {

struct GoalArguments {
  RunArguments run;
  std::string file;
  TextOption map{"--map",
                 "Which node runs which rank: number (rank r on node r), gray (rank r on node r XOR r/2, so that ranks "
                 "in a row are neighbours), or a file with the node of rank 0, 1, .. in its lines",
                 group::common, "number"};
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

/// [rank]: its node, by `map`: "number" (rank r on node r), "gray" (rank r on node r XOR r/2, so that ranks in a row
/// are neighbours in a cube), or a file with the node of rank 0, 1, .. in its lines. There is a node for each rank.
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

/// Links that a message of the schedule passes, on average.
double mean_hops(const GoalSchedule& schedule, const Topology& topology, const std::vector<NodeId>& node_of) {
  std::uint64_t messages = 0;
  std::uint64_t hops = 0;
  for (std::size_t rank = 0; rank < schedule.ranks(); ++rank) {
    for (std::uint32_t i = schedule.first[rank]; i < schedule.first[rank + 1]; ++i) {
      const GoalOperation& one = schedule.operations[i];
      if (one.kind != GoalKind::send) continue;
      ++messages;
      hops += topology.hops(node_of[rank], node_of[one.peer]);
    }
  }
  return messages == 0 ? 0 : static_cast<double>(hops) / static_cast<double>(messages);
}

class GoalRun : public PlainRun {
 public:
  GoalRun(const GoalArguments& arguments, std::unique_ptr<GoalFile> file, const RunSetup& setup, TestBench& bench)
      : PlainRun(setup, bench), name_(arguments.file), map_(arguments.map.value()), file_(std::move(file)) {
    const GoalSchedule schedule = file_->schedule();
    by_number_ = nodes_of_ranks("number", schedule.ranks(), setup.topology());
    node_of_ = nodes_of_ranks(map_, schedule.ranks(), setup.topology());
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
                         {"ranks", file_->schedule().ranks()},
                         {"operations", file_->counts().operations},
                         {"messages", file_->counts().messages},
                         {"map", map_},
                         {"hops", mean_hops(file_->schedule(), setup().topology(), node_of_)},
                         {"hops_by_number", mean_hops(file_->schedule(), setup().topology(), by_number_)},
                         {"jitter_cycles", setup().conditions.jitter},
                         {"seed", setup().conditions.seed}}};
  }

  void print(const Style& /*style*/) const override {
    print_title(fmt::format("schedule {}: {} operations of {} ranks", name_, grouped(file_->counts().operations),
                            grouped(file_->schedule().ranks())));
    print_measured();
    if (map_ != "number") {
      fmt::print("hops      {:.2f} a message, {:.2f} with rank r on node r\n",
                 mean_hops(file_->schedule(), setup().topology(), node_of_),
                 mean_hops(file_->schedule(), setup().topology(), by_number_));
    }
    if (file_->counts().other_processors > 0) {
      fmt::print("{} operations name a cpu other than 0: a node has one processor, which does them too\n",
                 grouped(file_->counts().other_processors));
    }
    if (file_->counts().interfaces > 0) {
      fmt::print("{} operations name a nic other than 0: a message leaves by the port of its first dimension\n",
                 grouped(file_->counts().interfaces));
    }
  }

 private:
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
      InputError(what).at(place, topology.is_cube() ? "give a larger --dim" : "give a larger --topology"), what);
}

std::unique_ptr<Experiment> goal_run(const GoalArguments& arguments, Benches& benches) {
  auto file = std::make_unique<GoalFile>(arguments.file, arguments.run.quiet);
  const std::size_t ranks = file->schedule().ranks();
  RunArguments run = arguments.run;
  if (!run.dim.given() && !names_topology(run)) run.dim = dim_for(ranks);
  const RunSetup setup = setup_of(run, settings_of(run), Networks::any);
  if (const Topology topology = setup.topology(); ranks > topology.nodes()) {
    refuse_ranks(arguments.file, ranks, topology);
  }
  return std::make_unique<GoalRun>(arguments, std::move(file), setup, benches.get(setup));
}

}  // namespace

std::unique_ptr<RunRequest> goal_run_request() {
  return run_request_of<GoalArguments>(
      [](Command& command, GoalArguments& a) {
        command.add_option("file,--file", a.file, "A schedule in GOAL's text", {.required = true});
        a.map.declare(command);
        a.run.dim.say("Dimension d of the cube; if not given, the smallest cube with a node for every rank");
        a.run.topology.list_in(group::common);
        add_run_options(command, a.run);
      },
      goal_run);
}

}  // namespace ecube
