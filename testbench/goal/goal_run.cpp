// SPDX-License-Identifier: Apache-2.0
// From a schedule's file to its run.
#include <fmt/core.h>

#include <sstream>

#include "testbench/goal/goal_file.h"
#include "testbench/goal/rank_map.h"
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

class GoalRun : public Experiment {
 public:
  GoalRun(const GoalArguments& arguments, std::unique_ptr<GoalFile> file, const RunSetup& setup, TestBench& bench)
      : Experiment(setup, bench), name_(arguments.file), map_(arguments.map.value()), file_(std::move(file)) {
    const GoalSchedule schedule = file_->schedule();
    by_number_ = nodes_of_ranks("number", schedule.ranks(), setup.topology());
    node_of_ = nodes_of_ranks(map_, schedule.ranks(), setup.topology());
    if (setup.engine == EngineChoice::ideal) {
      costs_ = ideal_costs(parameters_for(arguments.run, bench, setup.machine, setup.dim), setup.machine, setup.dim);
    }
  }

  [[nodiscard]] RunSize size() const override { return {.circuits = file_->counts().messages}; }

  void run() override {
    GoalProgram program(file_->schedule(), node_of_);
    m_ = bench().run(setup(), program, costs_);
  }

  [[nodiscard]] const RunMeasurement& measurement() const override { return m_; }

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
    fmt::print("measured  {} cycles, {:.3f} us\ncircuits  {}, {} blocked, {} port-blocked\n", grouped(m_.result.cycles),
               m_.result.us, grouped(m_.network.circuits), grouped(m_.network.link_blocked.circuits),
               grouped(m_.network.port_blocked.circuits));
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
  RunMeasurement m_;
};

class GoalRunRequest : public RunRequestOf<GoalArguments> {
 public:
  void declare(Command& command) override {
    command.add_option("file,--file", arguments_.file, "A schedule in GOAL's text").required();
    arguments_.map.declare(command);
    arguments_.run.dim.say("Dimension d of the cube; if not given, the smallest cube with a node for every rank");
    arguments_.run.topology.list_in(group::common);
    add_run_options(command, arguments_.run);
  }
  [[nodiscard]] std::unique_ptr<Experiment> experiment(Benches& benches) const override {
    auto file = std::make_unique<GoalFile>(arguments_.file, arguments_.run.quiet);
    const std::size_t ranks = file->schedule().ranks();
    RunArguments run = arguments_.run;
    if (!run.dim.given() && !names_topology(run)) run.dim = dim_for(ranks);
    const RunSetup setup = setup_of(run, settings_of(run), Networks::any);
    if (const Topology topology = setup.topology(); ranks > topology.nodes()) refuse_ranks(ranks, topology);
    return std::make_unique<GoalRun>(arguments_, std::move(file), setup, benches.get(setup));
  }

 private:
  /// A compiled schedule has no lines: the text's is looked for.
  [[noreturn]] void refuse_ranks(std::size_t ranks, const Topology& topology) const {
    const std::string what = fmt::format("{} has {} ranks, and {} has {} nodes", ecube::quoted(arguments_.file), ranks,
                                         words_of(topology), topology.nodes());
    std::istringstream lines(read_text(arguments_.file, "schedule", most_schedule_text));
    Place place;
    place.where = arguments_.file;
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
};

}  // namespace

std::unique_ptr<RunRequest> goal_run_request() { return std::make_unique<GoalRunRequest>(); }

}  // namespace ecube
