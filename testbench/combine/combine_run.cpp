// SPDX-License-Identifier: Apache-2.0
// From typed options to a combine, and from its measurement to a table or JSON.
#include <fmt/core.h>

#include <array>

#include "models/combine/combine_queue.h"
#include "models/fit/deviation.h"
#include "models/fit/equation_gaps.h"
#include "testbench/collective/equation_note.h"
#include "testbench/combine/combine_choice.h"
#include "testbench/combine/combine_request.h"
#include "testbench/run/commands.h"
#include "testbench/run/folding.h"
#include "testbench/system/memory.h"
#include "testbench/system/program_files.h"

namespace ecube {

namespace {

std::string_view name_of(CombineMove move) {
  constexpr std::array<std::string_view, 5> names = {"to root", "exchange", "halve", "gather", "broadcast"};
  return names[static_cast<std::size_t>(move)];
}

nlohmann::ordered_json steps_json(const CombineMeasurement& m) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const CombineStepMeasurement& step : m.steps) {
    nlohmann::ordered_json one = {{"step", step.step}, {"back", step.back}};
    if (step.predicted) {
      one["move"] = name_of(step.predicted->move);
      one["items"] = step.predicted->items;
      one["predicted_us"] = step.predicted->terms.total();
      one["terms"] = terms_json(step.predicted->terms);
    } else {
      one["predicted_us"] = nullptr;
    }
    one["measured_us"] = step.us;
    one["blocked_circuits"] = step.blocked_circuits;
    steps.push_back(one);
  }
  return steps;
}

void print_table(const CombineExperiment& experiment, const CombineMeasurement& m, const Style& style) {
  const CombineParts parts(experiment.workload.tree ? Ports{} : experiment.workload.ports, experiment.setup.dim);
  fmt::print("step  direction  move           items  predicted us   measured us     error  blocked\n");
  const auto row = [&](const std::string& name, const std::string& direction, std::string_view move,
                       const std::string& items, std::optional<double> predicted, double measured,
                       std::uint64_t blocked) {
    const std::string count = fmt::format("{:>7}", grouped(blocked));
    fmt::print("{:<5} {:<10} {:<10} {:>9}  {:>12}  {:>12.3f}  {:>8}  {}\n", name, direction, move, items,
               predicted ? fmt::format("{:.3f}", *predicted) : "-", measured,
               predicted && *predicted > 0 ? percent(deviation_percent(measured, *predicted)) : "-",
               blocked > 0 ? style.warn(count) : count);
  };
  unsigned number = 0;
  for (const CombineStepMeasurement& step : m.steps) {
    const std::string direction =
        parts.count() == 1 ? std::to_string(parts.direction(0, step.step)) : fmt::format("{} at once", parts.count());
    row(std::to_string(++number), direction, step.predicted ? name_of(step.predicted->move) : "-",
        step.predicted ? grouped(step.predicted->items) : "-",
        step.predicted ? std::optional(step.predicted->terms.total()) : std::nullopt, step.us, step.blocked_circuits);
  }
  row("total", "", "", "", m.predicted.terms.total(), m.run.result.us, m.run.network.link_blocked.circuits);
}

/// Prints how the equation treats start-ups that queue, and its error where it only estimates them.
void print_queue_note(const CombineExperiment& experiment, const CombineMeasurement& m,
                      const CombineParameters& parameters) {
  const RunSetup& setup = experiment.setup;
  const CombineWorkload& workload = experiment.workload;
  if (setup.machine.node.startups != Startups::queued || workload.tree) return;
  if (problem_of(workload, setup).parts().count() == 1) return;
  fmt::print("start-ups queue on the node's one processor: {:.3f} us of the prediction\n",
             m.predicted.terms.queued_startup_us);
  if (setup.engine == EngineChoice::ideal) return;
  const char* estimate = nullptr;
  if (setup.machine.library.protocol != Protocol::none) {
    estimate = "the messages of the protocol queue too, in an order that the equation does not follow";
  } else if (!parameters.processor) {
    estimate = "published parameters do not tell the processor's share, so all of alpha is charged for each part";
  }
  if (estimate != nullptr) fmt::print("  an estimate: {}; this run is {} off\n", estimate, percent(m.error_percent()));
}

/// Prints assumptions and checks, which the numbers do not show.
void print_notes(const CombineExperiment& experiment, const CombineMeasurement& m,
                 const CombineParameters& parameters) {
  const RunSetup& setup = experiment.setup;
  const CombineWorkload& workload = experiment.workload;
  if (setup.engine == EngineChoice::ideal) {
    fmt::print("engine ideal: no network; every operation costs what the equation says\n");
  }
  if (workload.paired) {
    fmt::print("forced messages: partners synchronise first, and a message one way is paired with an empty one\n");
  } else if (workload.sync == PairwiseSync::off) {
    fmt::print(
        "messages leave as soon as their sender is ready (csend, crecv); where a vector does not halve evenly, one "
        "half "
        "is one item longer\n");
  }
  print_queue_note(experiment, m, parameters);
  if (m.run.network.control_circuits > 0 || m.run.network.serialised.circuits > 0) {
    fmt::print("circuits: {}, of which {} control; {} delayed by the receiver's own send\n",
               grouped(m.run.network.circuits), grouped(m.run.network.control_circuits),
               grouped(m.run.network.serialised.circuits));
  }
}

Bytes required_memory(const CombineWorkload& workload, unsigned dim) {
  if (workload.payload != Payload::bytes) return 0;
  return GlobalCombine::required(dim, workload.items, workload.operation.item_bytes());
}

void check_memory(const CombineWorkload& workload, unsigned dim) {
  require_memory(required_memory(workload, dim), "the vectors need",
                 "fewer --items | a smaller --dim | --payload tags | --payload none");
}

class CombineRun : public Experiment {
 public:
  CombineRun(const CombineArguments& arguments, const RunSetup& setup, CombineRequest request, TestBench& bench)
      : Experiment(setup, bench),
        arguments_(arguments),
        request_(std::move(request)),
        parameters_(combine_parameters_for(arguments.run, bench, setup.machine, request_.type)) {
    CombineWorkload& workload = request_.workload;
    const CombineProblem problem = problem_of(workload, setup);
    choose_strategy(arguments, request_, problem, parameters_);
    strategy_ = strategy_of(workload.rule, problem);
    experiment_ = {setup, workload};
    if (setup.engine != EngineChoice::ideal) gaps_ = combine_gaps(setup.machine, setup.dim);
  }

  [[nodiscard]] RunSize size() const override {
    return {.circuits = GlobalCombine::messages(request_.workload, setup().dim, *strategy_),
            .data = setup().may_fold() ? 0 : required_memory(request_.workload, setup().dim),
            .hops = 1};
  }

  void run() override {
    run_folded_or_not([this](bool folded) {
      experiment_.setup.folded = experiment_.workload.folded = folded;
      if (!folded) check_memory(experiment_.workload, setup().dim);
      combine_.emplace(experiment_.workload, setup().dim);
      m_ = run_combine(bench(), experiment_, parameters_, *combine_);
    });
  }

  [[nodiscard]] std::string where() const override {
    if (!combine_) return {};
    return under_way("step", combine_->step_ends_us());
  }

  [[nodiscard]] const RunMeasurement& measurement() const override { return m_.run; }

  [[nodiscard]] std::optional<bool> verified() const override { return m_.verified; }

  [[nodiscard]] NodeId verified_nodes() const override { return m_.verified_nodes; }

  [[nodiscard]] RunReport report() const override {
    nlohmann::ordered_json options = workload_json(arguments_, request_, *strategy_);
    add_embedding(options, setup());
    options["payload"] = word_of(request_.workload.payload, payload_words);
    options["jitter_cycles"] = setup().conditions.jitter;
    options["seed"] = setup().conditions.seed;
    RunReport report{.command = "run combine",
                     .workload = options,
                     .predicted = predicted_json(m_.predicted.terms, parameters_),
                     .extra = {{"steps", steps_json(m_)}},
                     .error_percent = m_.error_percent()};
    add_leaves_out(report.extra, gaps_);
    return report;
  }

  void print(const Style& style) const override {
    const CombineWorkload& workload = request_.workload;
    const bool all = workload.target == CombineTarget::all;
    print_title(fmt::format("combine {} of {} {} items to {}, {}", arguments_.op.text(), grouped(workload.items),
                            arguments_.type.text(), all ? "all" : fmt::format("node {}", workload.root),
                            algorithm_name(workload, *strategy_)));
    print_table(experiment_, m_, style);
    print_notes(experiment_, m_, parameters_);
    print_data(style, workload.payload, m_.wrong, "vectors",
               fmt::format("{}, bit for bit what one processor gets in the same order",
                           all ? fmt::format("{} equal vectors", grouped(std::uint64_t{1} << setup().dim))
                               : fmt::format("the vector of node {}", workload.root)));
    fmt::print("{}", leaves_out_note(gaps_));
  }

  [[nodiscard]] std::string next_command(bool /*contention_told*/) const override {
    return fmt::format("{} best combine{} --items {}", own_command(), machine_words(arguments_.run, false),
                       request_.workload.items);
  }

 private:
  CombineArguments arguments_;
  CombineRequest request_;
  CombineParameters parameters_;
  std::optional<Strategy> strategy_;
  CombineExperiment experiment_;
  std::vector<std::string> gaps_;
  std::optional<GlobalCombine> combine_;
  CombineMeasurement m_;
};

std::unique_ptr<Experiment> combine_run(CombineArguments arguments, Benches& benches) {
  use_combine_library(arguments.run);
  RunSetup setup = setup_of(arguments.run, settings_of(arguments.run), Networks::logical_cubes);
  CombineRequest request = combine_request_of(arguments, setup.dim, max_run_combine_items);
  CombineWorkload& workload = request.workload;
  workload.initial = random_items(request.type, request.function, setup.conditions.seed);
  workload.payload = arguments.payload.value();
  settle_fold(setup, why_not_translated(workload));
  if (!setup.may_fold()) check_memory(workload, setup.dim);
  adapt(workload, setup);
  (void)problem_of(workload, setup);
  TestBench& bench = benches.get(setup);
  return std::make_unique<CombineRun>(arguments, setup, std::move(request), bench);
}

class CombineRunRequest : public RunRequestOf<CombineArguments> {
 public:
  void declare(Command& command) override {
    declare_options(command, arguments_.rows());
    arguments_.run.embed.declare(command);
    arguments_.payload.declare(command);
    add_run_options(command, arguments_.run);
    add_fold_option(command, arguments_.run);
    add_footer(command,
               "Examples:\n"
               "  ecube run combine --dim 6 --items 1000\n"
               "  ecube run combine --machine ipsc860 --dim 6 --items 512 --strategy v3\n"
               "  ecube run combine --dim 4 --items 4096 --strategy 0011 --ports n --target root --root 5\n"
               "  ecube run combine --dim 20 --items 1048576 --strategy v3 --fold auto\n"
               "  ecube run combine --machine ipsc860-combine --items 512 --rule short25 --type float --op max");
  }
  [[nodiscard]] std::unique_ptr<Experiment> experiment(Benches& benches) const override {
    return combine_run(arguments_, benches);
  }
};

}  // namespace

std::unique_ptr<RunRequest> combine_run_request() { return std::make_unique<CombineRunRequest>(); }

}  // namespace ecube
