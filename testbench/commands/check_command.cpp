// SPDX-License-Identifier: Apache-2.0
// The static contention check of schedules, as tables or JSON.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "models/family/plan.h"
#include "models/static_check/link_conflicts.h"
#include "testbench/collective/planned_steps.h"
#include "testbench/combine/combine_request.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/family/family_request.h"
#include "testbench/run/commands.h"
#include "testbench/run/progress_line.h"
#include "testbench/shuffle/shuffle_request.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"
#include "testbench/traffic/traffic_experiment.h"

namespace ecube {

namespace {

constexpr std::size_t most_printed = 12;
constexpr std::size_t most_in_conflict = 6;  ///< circuits of a conflict

struct StepConflict {
  std::uint64_t step = 0;
  LinkId link;
  std::vector<PlannedCircuit> circuits;
};

class Check {
 public:
  /// With `ports` the inject and eject ports of an n-port machine count like links.
  explicit Check(const Topology& topology, bool ports = false) : topology_(topology), ports_(ports) {}

  void operator()(std::span<const PlannedCircuit> step) {
    if (line_.due()) {
      line_.show(fmt::format("{}, {} checked  {:.0f} s", counted(steps_, "step"), counted(circuits_, "circuit"),
                             line_.seconds()));
    }
    ++steps_;
    circuits_ += step.size();
    const std::vector<LinkConflict> found = conflicts_of(step, topology_);
    const std::size_t shared_ports = ports_ ? port_conflicts_of(step, topology_) : 0;
    port_conflicts_ += shared_ports;
    if (!found.empty() || shared_ports > 0) ++steps_with_conflicts_;
    std::size_t fullest = step.empty() ? 0 : 1;
    for (const LinkConflict& one : found) {
      ++conflicts_;
      fullest = std::max(fullest, one.circuits.size());
      StepConflict conflict{.step = steps_, .link = one.link, .circuits = {}};
      for (const std::size_t number : one.circuits) conflict.circuits.push_back(step[number]);
      if (conflict.circuits.size() > most_loaded_.circuits.size()) most_loaded_ = conflict;
      // A list of a million entries is of no use; the counts include all conflicts.
      if (kept_.size() < most_kept) kept_.push_back(std::move(conflict));
    }
    rounds_ += fullest;
  }

  void end() { line_.clear(); }

  [[nodiscard]] int status() const { return conflicts_ == 0 && port_conflicts_ == 0 ? 0 : 1; }

  void print(const std::string& title) const {
    fmt::print("{}\n\n", title);
    fmt::print("{}, {}\n", counted(steps_, "step"), counted(circuits_, "circuit"));
    if (status() == 0) {
      fmt::print("no two circuits of a step share a directed link{}\n",
                 ports_ ? ", an inject port or an eject port" : "");
      return;
    }
    if (ports_) {
      fmt::print("{} an inject or eject port is wanted by more than one circuit\n", counted(port_conflicts_, "time"));
    }
    if (conflicts_ == 0) return;
    fmt::print("{} {} conflicts: {} a link is wanted by more than one circuit\n",
               counted(steps_with_conflicts_, "step"), steps_with_conflicts_ == 1 ? "has" : "have",
               counted(conflicts_, "time"));
    fmt::print("most circuits on one link: {} on {} at step {}\n", grouped(most_loaded_.circuits.size()),
               name_of(most_loaded_.link), grouped(most_loaded_.step));
    fmt::print("the fullest links of all steps let {} circuits pass one after the other\n\n", grouped(rounds_));
    fmt::print("{:>8}  {:<10}  circuits that share it\n", "step", "link");
    for (std::size_t i = 0; i < std::min(kept_.size(), most_printed); ++i) {
      const StepConflict& conflict = kept_[i];
      fmt::print("{:>8}  {:<10}  {}\n", grouped(conflict.step), name_of(conflict.link),
                 listed(conflict.circuits, most_in_conflict, [](const auto& one) { return name_of(one); }));
    }
    if (conflicts_ > most_printed) {
      fmt::print("and {} more; --json lists {}\n", grouped(conflicts_ - most_printed),
                 conflicts_ > most_kept ? "the first " + grouped(most_kept) : "all");
    }
  }

  [[nodiscard]] Json json() const {
    const auto conflict_json = [this](const StepConflict& conflict) -> Json {
      const auto circuits = json_list(conflict.circuits, [](const PlannedCircuit& one) { return name_of(one); });
      const auto& [node, output] = conflict.link;
      return {{"step", conflict.step},
              {"link", name_of(conflict.link)},
              {"name", topology_.output_name(node, output)},
              {"circuits", circuits}};
    };
    Json json = {
        {"topology", topology_.name()},
        {"dim", nullptr},
        {"steps", steps_},
        {"circuits", circuits_},
        {"steps_with_conflicts", steps_with_conflicts_},
        {"conflict_count", conflicts_},
        {"most_circuits_on_a_link", circuits_ == 0 ? 0 : std::max<std::size_t>(most_loaded_.circuits.size(), 1)},
        {"sum_of_largest_loads", rounds_},
        {"conflicts", json_list(kept_, conflict_json)}};
    if (topology_.is_cube()) json["dim"] = topology_.label_bits();
    if (ports_) json["port_conflict_count"] = port_conflicts_;
    return json;
  }

 private:
  static constexpr std::size_t most_kept = 100'000;

  static std::string name_of(const LinkId& link) { return fmt::format("{}:{}", link.node, link.output); }
  static std::string name_of(const PlannedCircuit& circuit) {
    return fmt::format("{}->{}", circuit.source, circuit.destination);
  }

  Topology topology_;
  bool ports_;
  std::uint64_t rounds_ = 0;  ///< the largest loads of all steps together
  std::uint64_t port_conflicts_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t circuits_ = 0;
  std::uint64_t steps_with_conflicts_ = 0;
  std::uint64_t conflicts_ = 0;
  StepConflict most_loaded_;  ///< the first of those with the most circuits
  std::vector<StepConflict> kept_;
  ProgressLine line_{false};
};

/// `about`: further members of the JSON object.
int tell(Check& check, bool json, const std::string& command, const std::string& title,
         const Json& about = Json::object()) {
  check.end();
  if (!json) {
    check.print(title);
    return check.status();
  }
  Json object = check.json();
  object.update(about);
  return print_json(command, object, check.status());
}

int check_exchange(const ExchangeArguments& arguments) {
  const RunSetup setup = setup_of(arguments.run, Networks::any);
  ExchangeWorkload workload = exchange_workload_of(without_payload(arguments), setup);
  const bool best = arguments.partition.value() == "best";
  TestBench bench(calibration_dim);
  workload.partition = best ? partition_of(arguments, exchange_question_of(arguments, bench), workload.bytes)
                            : Partition::parse(arguments.partition.value(), setup.topology());
  const bool staged = workload.staged();
  const Json asked = exchange_json(workload, setup.machine,
                                   {&arguments.bytes, &arguments.partition, &arguments.order, &arguments.schedule});
  workload.bytes = workload.partition.size();  // no part is empty
  Check check(setup.topology(), staged);
  exchange_steps(workload, setup.topology(), std::ref(check));
  return tell(check, arguments.run.json, "check exchange",
              fmt::format("exchange  {}  multiphase {}  schedule {}{}", network_name(setup.machine, setup.dim),
                          workload.partition.braced_name(), arguments.schedule.text(),
                          staged ? fmt::format("  {} ports, all parts of a stage at once{}", ports_word(workload.ports),
                                               workload.pairing == MaskPairing::on ? ", masks with complements" : "")
                                 : ""),
              {{"ports", asked["ports"]}, {"pair_masks", asked["pair_masks"]}, {"workload", asked}});
}

int check_shuffle(const ShuffleArguments& arguments) {
  const Machine machine = resolve(settings_of(arguments.run));
  const unsigned dim = dim_of(arguments.run, machine, max_simulated_dim);
  TestBench bench(calibration_dim);
  const ShuffleWorkload workload = whole_shuffle_of(arguments, machine, dim, [&]() -> TestBench& { return bench; });
  Check check{Topology::cube(dim)};
  shuffle_steps(workload, dim, std::ref(check));
  return tell(check, arguments.run.json, "check shuffle",
              fmt::format("shuffle {}  d={}  {} elements, packets of {}  {}", workload.permutation.name(), dim,
                          grouped(workload.elements), workload.packet, algorithm_name(workload)),
              {{"workload", shuffle_json(workload, dim)}});
}

int check_traffic(const TrafficArguments& typed) {
  const TrafficArguments arguments = with_dim(typed);
  const RunSetup setup = setup_of(arguments.run, Networks::any);
  Check check(setup.topology());
  traffic_steps(plan_of(arguments, setup, 1), setup.topology(), std::ref(check));
  return tell(check, arguments.run.json, "check traffic",
              fmt::format("traffic {}  {}  all nodes' k-th messages at once", arguments.pattern.value(),
                          network_name(setup.machine, setup.dim)));
}

/// The steps of a logical cube in which messages are sent.
int check_plan(const CollectivePlan& plan, const std::string& name, const std::string& algorithm,
               const Machine& machine, const RunArguments& arguments) {
  const CollectiveProblem& problem = plan.problem();
  const Topology topology = machine.topology(problem.dim);
  const LogicalCube cube(topology, nodes_of_cube(topology, arguments.embed.value()));
  Check check(topology, topology.is_cube() && problem.ports_used() == problem.dim && problem.dim > 1);
  for (unsigned number = 0; number < plan.steps(); ++number) {
    const std::vector<PlannedCircuit> step = cube.placed(plan.circuits(number));
    if (!step.empty()) check(step);
  }
  return tell(
      check, arguments.json, "check " + name,
      fmt::format("{}  {}  {} items  {}", name, network_name(machine, problem.dim), grouped(problem.items), algorithm));
}

int check_combine(CombineArguments arguments) {
  TestBench bench(calibration_dim);
  CombineQuestion question = combine_question_of(arguments, bench, max_simulated_dim);
  CombineWorkload& workload = question.workload;
  choose_strategy(arguments, workload, question.parameters);
  return check_plan(plan_of(workload), "combine", algorithm_name(workload, strategy_of(workload)), question.machine,
                    arguments.run);
}

int check_family(FamilyArguments arguments, const Collective& collective) {
  TestBench bench(calibration_dim);
  const FamilyChoice choice = chosen(family_question_of(arguments, collective, bench));
  const int status = check_plan(choice.algorithm->plan(choice.problem), std::string(collective.name), name_of(choice),
                                choice.machine, arguments.run);
  if (!arguments.run.json) fmt::print("{}", choice.ignored);
  return status;
}

int check_file(const std::string& file, const RunArguments& arguments) {
  const Machine machine = resolve(settings_of(arguments));
  const unsigned dim = dim_of(arguments, machine, max_simulated_dim, Networks::any);
  const Topology topology = machine.topology(dim);
  Check check(topology);
  for (const std::vector<PlannedCircuit>& step : read_steps(file, topology.nodes())) check(step);
  return tell(check, arguments.json, "check", fmt::format("{}  {}", file, network_name(machine, dim)));
}

}  // namespace

void add_check(Command& app, Invocation& invocation) {
  Command& command = app.add_command("check", "Find link conflicts in a schedule");
  struct FileArguments {
    std::string file;
    RunArguments run;
  };
  const auto of_file = std::make_shared<FileArguments>();
  command.add_option("FILE", of_file->file, "Steps of lines \"source destination\"");
  declare_options(command, {&of_file->run.dim, &of_file->run.topology});
  command.add_flag("--json", of_file->run.json, "One JSON object on standard output");
  command.on_run([&command, of_file, &invocation] {
    if (command.named_command()) return;
    if (of_file->file.empty()) {
      throw InputError("nothing to check").valid("check FILE | exchange | shuffle | traffic | a collective of --help");
    }
    invocation.status = check_file(of_file->file, of_file->run);
  });
  add_question<ExchangeArguments>(command, invocation, "exchange", "Steps of a multiphase complete exchange",
                                  [](ExchangeArguments& a) -> std::vector<OptionRow*> {
                                    return {&a.bytes, &a.partition, &a.order, &a.schedule, &a.pairing, &a.run.seed};
                                  },
                                  check_exchange, {});
  add_question<CombineArguments>(command, invocation, "combine", "Steps of a global combine",
                                 [](CombineArguments& a) { return a.question_rows(); }, check_combine, {});
  add_question<ShuffleArguments>(command, invocation, "shuffle", "Steps of a generalised shuffle",
                                 [](ShuffleArguments& a) { return a.rows(); }, check_shuffle, {});
  add_question<TrafficArguments>(command, invocation, "traffic", "Messages by a pattern, all nodes' k-th at once",
                                 [](TrafficArguments& a) -> std::vector<OptionRow*> {
                                   a.messages.initially(1);
                                   return {&a.pattern, &a.messages, &a.bytes, &a.run.seed};
                                 },
                                 check_traffic, {});
  for (const Collective* collective : collectives()) {
    add_question<FamilyArguments>(
        command, invocation, collective->name, std::string(collective->help),
        [collective](FamilyArguments& a) { return rows_of(a, *collective); },
        [collective](const FamilyArguments& a) { return check_family(a, *collective); });
  }
}

}  // namespace ecube
