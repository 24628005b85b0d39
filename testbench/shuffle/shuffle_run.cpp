// SPDX-License-Identifier: Apache-2.0
// From typed options to a shuffle, and from its measurement to a table or JSON.
#include <fmt/core.h>

#include <algorithm>

#include "testbench/run/commands.h"
#include "testbench/shuffle/shuffle_request.h"

namespace ecube {

namespace {

bool has_one_way_steps(const ShuffleWorkload& workload, unsigned dim) {
  if (workload.extend > 0) return true;
  return std::ranges::any_of(stages_of(workload), [&](const auto& stage) {
    const RealParts parts = real_parts(factor(stage), workload, dim);
    return !parts.by_a2.empty() || !parts.rounds.empty();
  });
}

void print_figures(const ShuffleMeasurement& m, const ShuffleWorkload& workload, const ShuffleParameters& p,
                   double bound, bool estimated) {
  if (!m.predicted) {
    fmt::print("{} elements and {} packets of a node, {:.3f} us\n", grouped(m.counted.steps),
               grouped(m.counted.startups), m.run.result.us);
    fmt::print("no equation: how long messages wait for links is left to the network\n");
    fmt::print("no schedule of exchanges between neighbours takes less than {:.6g} us\n", bound);
    return;
  }
  fmt::print("             predicted       measured     error\n");
  const auto row = [](const char* name, double predicted, double measured, int digits) {
    fmt::print("{:<10} {:>11.{}f}    {:>11.{}f}  {:>8}\n", name, predicted, digits, measured, digits,
               percent(predicted > 0 ? deviation_percent(measured, predicted) : measured));
  };
  row("steps", static_cast<double>(m.expected.steps), static_cast<double>(m.counted.steps), 0);
  row("start-ups", static_cast<double>(m.expected.startups), static_cast<double>(m.counted.startups), 0);
  row("us", m.predicted->total(), m.run.result.us, 3);
  if (workload.packet == 1 && m.predicted->local_us == 0 && !p.processor) {
    fmt::print("measured time is {:.6g} exchanges of {:.6g} us; no schedule takes less than {:.6g} us\n",
               m.run.result.us / (p.tau_us + p.tc_us_per_element), p.tau_us + p.tc_us_per_element, bound);
  } else {
    fmt::print("no schedule takes less than {:.6g} us\n", bound);
  }
  if (p.processor) {
    fmt::print("start-ups queue on the node's one processor: {:.3f} us of the prediction\n",
               m.predicted->queued_startup_us);
    const char* estimate = nullptr;
    if (estimated) {
      estimate = "messages of the protocol queue too, in an order that the equation does not follow";
    } else if (workload.extend > 0) {
      estimate = "nodes that have their elements begin the permutation, where the equation waits for the last one";
    }
    if (estimate != nullptr)
      fmt::print("  an estimate: {}; this run is {} off\n", estimate, percent(m.error_percent()));
  }
  if (!m.has_formula) fmt::print("fewer ports than dimensions: predicted steps are counted in the schedule\n");
  if (m.unpaced_us) {
    fmt::print("messages one way are paced as exchanges with an empty half; unpaced the run takes {:.3f} us\n",
               *m.unpaced_us);
  }
  if (!workload.align) {
    fmt::print("not aligned: partners use different local addresses\n");
  } else if (m.expected.moved > 0) {
    fmt::print("elements aligned before and after: {:.6g} us of local moves\n", m.predicted->local_us);
  }
}

class ShuffleRun : public DataRun<ShuffleMeasurement> {
 public:
  ShuffleRun(ShuffleExperiment experiment, TestBench& bench)
      : DataRun(experiment.setup, bench), experiment_(std::move(experiment)) {
    const ShuffleWorkload& workload = experiment_.workload;
    parameters_ = fitted_parameters(bench, setup().machine)(workload.packet);
    bound_us_ = lower_bound_us(workload, parameters_);
  }

  [[nodiscard]] RunSize size() const override {
    const ShuffleWorkload& workload = experiment_.workload;
    return {.circuits = GeneralisedShuffle::messages(workload, setup().dim) * setup().machine.shared_channels(),
            .data = required_memory(workload, setup().dim, setup().may_fold()),
            .hops = workload.method == ShuffleMethod::route ? 0.0 : 1.0};
  }

  void run() override {
    run_folded_or_not([this](bool folded) {
      experiment_.setup.folded = experiment_.workload.folded = folded;
      check_size(experiment_.workload, setup().dim, folded);
      m_ = run_shuffle(bench(), experiment_, parameters_);
    });
    if (m_.predicted && setup().engine != EngineChoice::ideal) gaps_ = shuffle_gaps(setup().machine, setup().dim);
  }

  [[nodiscard]] RunReport report() const override {
    Json figures = {{"steps", m_.counted.steps}, {"startups", m_.counted.startups}};
    if (m_.unpaced_us) figures["unpaced_us"] = *m_.unpaced_us;
    return {.command = "run shuffle",
            .workload = shuffle_json(experiment_.workload, setup().dim),
            .measured = figures,
            .predicted = m_.predicted ? shuffle_prediction_json(*m_.predicted, m_.expected, parameters_, bound_us_,
                                                                m_.has_formula)
                                      : Json()};
  }

  void print(const Style& style) const override {
    const ShuffleWorkload& workload = experiment_.workload;
    print_title(fmt::format("shuffle {}  {} elements, packets of {}  {}", workload.permutation.name(),
                            grouped(workload.elements), workload.packet, algorithm_name(workload)));
    print_figures(m_, workload, parameters_, bound_us_,
                  setup().machine.library.protocol != Protocol::none && setup().engine != EngineChoice::ideal);
    print_two_cycles(workload, setup().dim);
    fmt::print("{} circuits, {} of them blocked\n", grouped(m_.run.network.circuits),
               grouped(m_.run.network.link_blocked.circuits));
    print_data(style, Payload::bytes, m_.wrong, "elements",
               fmt::format("{} elements where the permutation sends them",
                           grouped(workload.spread_elements() << setup().dim)));
  }

 private:
  ShuffleExperiment experiment_;
  ShuffleParameters parameters_;
  double bound_us_ = 0;
};

}  // namespace

std::unique_ptr<Experiment> shuffle_run(const ShuffleArguments& arguments, Benches& benches) {
  ShuffleExperiment experiment;
  experiment.setup = setup_of(arguments.run);
  const RunSetup& setup = experiment.setup;
  // What is too large in any packet is refused before the best is looked for.
  experiment.workload = permutation_of(arguments, setup.machine, setup.dim);
  experiment.workload.packet = 0;
  check_size(experiment.workload, setup.dim, setup.may_fold());
  const auto bench = [&]() -> TestBench& { return benches.get(setup); };
  experiment.workload = whole_shuffle_of(arguments, setup.machine, setup.dim, bench);
  if (experiment.workload.method == ShuffleMethod::route && setup.engine == EngineChoice::ideal) {
    throw InputError("--engine ideal has no network for messages to find their way through")
        .valid("event | clocked | rtl");
  }
  settle_fold(experiment.setup, why_not_translated(experiment.workload, setup.dim, setup.machine));
  check_size(experiment.workload, setup.dim, setup.may_fold());
  return std::make_unique<ShuffleRun>(std::move(experiment), bench());
}

static IdealCosts ideal_costs(const ShuffleParameters& parameters) {
  const ExchangeParameters message{
      .lambda_us = parameters.tau_us,
      .tau_us_per_byte = parameters.tc_us_per_element / static_cast<double>(element_bytes),
      .rho_us_per_byte = parameters.rho_us_per_element / static_cast<double>(element_bytes)};
  return {.message = message, .exchange = message};
}

ShuffleMeasurement run_shuffle(TestBench& bench, const ShuffleExperiment& experiment,
                               const ShuffleParameters& parameters, GeneralisedShuffle& shuffle) {
  ShuffleMeasurement measurement;
  const ShuffleWorkload& workload = experiment.workload;
  const auto formula = formula_of(workload, experiment.setup.dim);
  measurement.has_formula = formula.has_value();
  if (workload.method != ShuffleMethod::route) {
    measurement.expected = formula ? *formula : count_of(workload, experiment.setup.dim);
    ShuffleParameters of_engine = parameters;
    // On the ideal engine the whole of tau is a start-up.
    if (experiment.setup.engine == EngineChoice::ideal && of_engine.processor) {
      of_engine.processor = ProcessorTimes{.startup_us = parameters.tau_us};
    }
    measurement.predicted = workload_cost(workload, experiment.setup.dim, measurement.expected, of_engine);
  }
  // The unpaced run comes first, so that the bench's last run is the run itself.
  if (has_one_way_steps(workload, experiment.setup.dim)) {
    ShuffleWorkload unpaced = workload;
    unpaced.paced = false;
    GeneralisedShuffle aside(unpaced, experiment.setup.dim);
    const RunResult result = bench.run_aside(experiment.setup, aside.program(), ideal_costs(parameters)).result;
    if (result.status == RunResult::Status::finished && aside.wrong() == 0) measurement.unpaced_us = result.us;
  }
  measurement.run = bench.run(experiment.setup, shuffle.program(), ideal_costs(parameters));
  measurement.counted = shuffle.counted();
  if (!measurement.run.folded) measurement.verify(shuffle);
  return measurement;
}

std::unique_ptr<RunRequest> shuffle_run_request() {
  return run_request_of<ShuffleArguments>(
      [](Command& command, ShuffleArguments& a) {
        declare_options(command, a.rows());
        a.run.fold.declare(command);
      },
      shuffle_run);
}

}  // namespace ecube
