// SPDX-License-Identifier: Apache-2.0
// From typed options to a combine, and from its measurement to a table or JSON.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "models/combine/combine_cost.h"
#include "testbench/collective/planned_steps.h"
#include "testbench/combine/combine_request.h"
#include "testbench/run/commands.h"
#include "testbench/system/process.h"
#include "testbench/system/program_files.h"

namespace ecube {

void adapt(CombineWorkload& workload, const RunSetup& setup) {
  workload.dim = setup.dim;
  workload.ports = setup.machine.node.ports;
  workload.startups = setup.machine.node.startups;
  workload.network = setup.logical_cube();
  Handshake& handshake = workload;
  handshake = setup.engine == EngineChoice::ideal ? Handshake{} : handshake_of(setup.machine);
  workload.level = workload.sync == PairwiseSync::off;
}

IdealCosts ideal_costs(const CombineParameters& parameters, std::uint32_t item_bytes) {
  const auto message = [&](const NeighbourCost& cost) {
    return ExchangeParameters{.lambda_us = cost.alpha_us,
                              .lambda0_us = cost.alpha_zero_us,
                              .tau_us_per_byte = cost.beta_us_per_item / item_bytes,
                              .short_bytes = static_cast<double>(parameters.short_items * item_bytes),
                              .lambda_short_us = cost.alpha_short_us};
  };
  return {.message = message(parameters.one_way),
          .exchange = message(parameters.exchange),
          .gamma_us_per_item = parameters.gamma_us_per_item,
          .overlap_us_per_byte = parameters.overlap_us_per_item / item_bytes};
}

CombineMeasurement run_combine(TestBench& bench, const CombineExperiment& experiment,
                               const CombineParameters& parameters, GlobalCombine& combine) {
  const RunSetup& setup = experiment.setup;
  const CombineWorkload& workload = experiment.workload;
  CombineParameters of_engine = parameters;
  if (setup.engine == EngineChoice::ideal) of_engine.processor.reset();  // there the whole of alpha is a start-up
  CombineMeasurement measurement;
  measurement.predicted = followed_cost(workload, of_engine, workload.rule, workload.tree);
  measurement.run = bench.run(setup, combine.program(), ideal_costs(parameters, workload.operation.item_bytes()));
  double begin = 0;
  for (unsigned place = 0; place < 2 * setup.dim; ++place) {
    const bool back = place >= setup.dim;
    CombineStepMeasurement step{.step = back ? 2 * setup.dim - 1 - place : place, .back = back};
    for (const CombineStep& predicted : measurement.predicted.steps) {
      const bool undoes = predicted.move == CombineMove::gather || predicted.move == CombineMove::broadcast;
      if (predicted.step == step.step && undoes == back) step.predicted = predicted;
    }
    const double end = combine.step_ends_us()[place];
    if (!step.predicted && end == 0) continue;
    step.us = std::max(0.0, end - begin);
    begin = std::max(begin, end);
    const auto& blocked = measurement.run.network.link_blocked_by_label;
    if (place < blocked.size()) step.blocked_circuits = blocked[place].circuits;
    measurement.steps.push_back(step);
  }
  if (workload.payload != Payload::none) measurement.verify(combine, workload.payload == Payload::checks ? 1 : 0);
  return measurement;
}

namespace {

std::string_view name_of(CombineMove move) {
  constexpr std::array<std::string_view, 5> names = {"to root", "exchange", "halve", "gather", "broadcast"};
  return names[static_cast<std::size_t>(move)];
}

Json step_json(const CombineStepMeasurement& step) {
  Json json = {{"step", step.step}, {"back", step.back}};
  if (step.predicted) {
    json["move"] = name_of(step.predicted->move);
    json["items"] = step.predicted->items;
    json["predicted_us"] = step.predicted->terms.total();
    json["terms"] = terms_json(step.predicted->terms);
  } else {
    json["predicted_us"] = nullptr;
  }
  json["measured_us"] = step.us;
  json["blocked_circuits"] = step.blocked_circuits;
  return json;
}

void print_table(const CombineExperiment& experiment, const CombineMeasurement& m, const Style& style) {
  const CombineParts parts(experiment.workload.tree ? Ports{} : experiment.workload.ports, experiment.setup.dim);
  fmt::print("step  direction  move           items  predicted us   measured us     error  blocked\n");
  unsigned number = 0;
  for (const CombineStepMeasurement& step : m.steps) {
    const std::string direction =
        parts.count() == 1 ? std::to_string(parts.direction(0, step.step)) : fmt::format("{} at once", parts.count());
    const auto predicted_us = step.predicted ? std::optional(step.predicted->terms.total()) : std::nullopt;
    fmt::print("{:<5} {:<10} {:<10} {:>9}  {}\n", ++number, direction,
               step.predicted ? name_of(step.predicted->move) : "-",
               step.predicted ? grouped(step.predicted->items) : "-",
               compared_cells(predicted_us, step.us, step.blocked_circuits, style));
  }
  fmt::print("{:<5} {:<10} {:<10} {:>9}  {}\n", "total", "", "", "",
             compared_cells(m.predicted.terms.total(), m.run.result.us, m.run.network.link_blocked.circuits, style));
}

void print_queue_note(const CombineExperiment& experiment, const CombineMeasurement& m,
                      const CombineParameters& parameters) {
  const RunSetup& setup = experiment.setup;
  const CombineWorkload& workload = experiment.workload;
  if (workload.startups != Startups::queued || workload.tree || workload.parts().count() == 1) return;
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

void print_notes(const CombineExperiment& experiment, const CombineMeasurement& m,
                 const CombineParameters& parameters) {
  const CombineWorkload& workload = experiment.workload;
  if (workload.paired) {
    fmt::print("forced messages: partners synchronise first, and a message one way is paired with an empty one\n");
  } else if (workload.sync == PairwiseSync::off) {
    fmt::print(
        "messages leave as soon as their sender is ready (csend, crecv); where a vector does not halve evenly, one "
        "half is one item longer\n");
  }
  print_queue_note(experiment, m, parameters);
  if (const double us = m.predicted.terms.waiting_us; us > 0) fmt::print(shared_links_note, us);
}

Bytes required_memory(const CombineWorkload& workload, unsigned dim) {
  if (workload.payload != Payload::bytes) return 0;
  return GlobalCombine::required(dim, workload.items, workload.operation.item_bytes());
}

void check_memory(const CombineWorkload& workload, unsigned dim) {
  require_memory(required_memory(workload, dim), "the vectors need",
                 "fewer --items | a smaller --dim | --payload checks | --payload none");
}

class CombineRun : public DataRun<CombineMeasurement> {
 public:
  CombineRun(const CombineArguments& arguments, CombineExperiment experiment, TestBench& bench)
      : DataRun(experiment.setup, bench),
        arguments_(arguments),
        experiment_(std::move(experiment)),
        parameters_(combine_parameters_for(arguments.run, bench, setup().machine, arguments.type.value())) {
    choose_strategy(arguments, experiment_.workload, parameters_);
    strategy_ = strategy_of(experiment_.workload);
    const CombineTerms terms = combine_cost(experiment_.workload, parameters_, experiment_.workload.rule).terms;
    if (setup().engine != EngineChoice::ideal) gaps_ = combine_gaps(setup().machine, setup().dim, terms.waiting_us);
  }

  [[nodiscard]] RunSize size() const override {
    return {.circuits = GlobalCombine::messages(experiment_.workload, setup().dim, *strategy_),
            .data = setup().may_fold() ? 0 : required_memory(experiment_.workload, setup().dim),
            .hops = 1};
  }

  void run() override {
    run_folded_or_not([this](bool folded) {
      experiment_.setup.folded = experiment_.workload.folded = folded;
      if (!folded) check_memory(experiment_.workload, setup().dim);
      GlobalCombine combine(experiment_.workload, setup().dim);
      follow("step", combine.step_ends_us());
      m_ = run_combine(bench(), experiment_, parameters_, combine);
    });
  }

  [[nodiscard]] RunReport report() const override {
    Json options = workload_json(arguments_, experiment_.workload, *strategy_);
    add_embedding(options, setup());
    options["payload"] = word_of(experiment_.workload.payload, payload_words);
    return {.command = "run combine",
            .workload = options,
            .predicted = predicted_json(m_.predicted.terms, parameters_),
            .extra = {{"steps", json_list(m_.steps, step_json)}}};
  }

  void print(const Style& style) const override {
    const CombineWorkload& workload = experiment_.workload;
    const bool all = workload.target == CombineTarget::all;
    print_title(fmt::format("combine {} of {} {} items to {}, {}", arguments_.op.text(), grouped(workload.items),
                            arguments_.type.text(), all ? "all" : fmt::format("node {}", workload.root),
                            algorithm_name(workload, *strategy_)));
    print_table(experiment_, m_, style);
    print_engine();
    print_notes(experiment_, m_, parameters_);
    print_control();
    print_data(style, workload.payload, m_.wrong, "vectors",
               fmt::format("{}, bit for bit what one processor gets in the same order",
                           all ? fmt::format("{} equal vectors", grouped(std::uint64_t{1} << setup().dim))
                               : fmt::format("the vector of node {}", workload.root)));
  }

  [[nodiscard]] std::string next_command(bool /*contention_told*/) const override {
    return own_command() + " best combine" + machine_words(arguments_.run, false) +
           given_words({&arguments_.items, &arguments_.target, &arguments_.type, &arguments_.pad});
  }

 private:
  CombineArguments arguments_;
  CombineExperiment experiment_;
  CombineParameters parameters_;
  std::optional<Strategy> strategy_;
};

}  // namespace

std::unique_ptr<Experiment> combine_run(CombineArguments arguments, Benches& benches) {
  use_combine_library(arguments.run);
  CombineExperiment experiment;
  RunSetup& setup = experiment.setup;
  CombineWorkload& workload = experiment.workload;
  setup = setup_of(arguments.run, Networks::logical_cubes);
  workload = combine_workload_of(arguments, setup.dim, max_run_combine_items);
  workload.initial = random_items(arguments.type.value(), arguments.op.value(), setup.conditions.seed);
  workload.payload = arguments.payload.value();
  settle_fold(setup, why_not_translated(workload));
  if (!setup.may_fold()) check_memory(workload, setup.dim);
  adapt(workload, setup);
  TestBench& bench = benches.get(setup);
  return std::make_unique<CombineRun>(arguments, std::move(experiment), bench);
}

std::unique_ptr<RunRequest> combine_run_request() {
  return run_request_of<CombineArguments>(
      [](Command& command, CombineArguments& a) {
        declare_options(command, a.rows());
        declare_options(command, {&a.run.embed, &a.payload, &a.run.fold});
      },
      combine_run);
}

}  // namespace ecube
