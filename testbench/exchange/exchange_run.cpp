// SPDX-License-Identifier: Apache-2.0
// From typed options to an exchange, and from its measurement to a table or JSON.

#include <fmt/core.h>

#include "testbench/collective/planned_steps.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/system/program_files.h"

namespace ecube {

namespace {

Json sections_json(const ExchangeExperiment& experiment, const ExchangeMeasurement& m) {
  const ExchangeWorkload& workload = experiment.workload;
  const bool cube = experiment.setup.topology().is_cube();
  const ExchangeStages stages(workload.partition, workload.order);
  const BlockParts block(workload.bytes, stages.count());
  const auto part_json = [&](const StagePart& what) -> Json {
    const unsigned dims = stages.phase_dims(what.phase);
    return {{"bytes", block.length(what.part)},
            {"phase", what.phase + 1},
            {"lowest_bit", stages.phase_low(what.phase)},
            {"bits", dims},
            {"steps", steps_of_phase(dims, workload.pairing)}};
  };
  return json_list(m.sections, [&](const SectionMeasurement& section) {
    Json json = {{cube ? "lowest_bit" : "first_dimension", section.phase.first},
                 {cube ? "bits" : "dimensions", section.phase.dims}};
    if (workload.staged()) json = {{"parts", json_list(section.parts, part_json)}};
    json.update({{"steps", section.steps},
                 {"predicted_us", section.predicted.total()},
                 {"terms", exchange_terms_json(section.predicted, workload.staged())},
                 {"measured_us", section.us},
                 {"blocked_circuits", section.blocked_circuits}});
    return json;
  });
}

/// The phases that the parts run, "2,3,1"; of many the first two and the last.
std::string phases_text(const std::vector<StagePart>& parts) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (parts.size() > most && part == 2) text += ",..";
    if (parts.size() > most && part >= 2 && part + 1 < parts.size()) continue;
    text += (part == 0 ? "" : ",") + std::to_string(parts[part].phase + 1);
  }
  return text;
}

void print_table(const ExchangeExperiment& experiment, const ExchangeMeasurement& m, const Style& style) {
  const bool staged = experiment.workload.staged();
  const bool cube = experiment.setup.topology().is_cube();
  fmt::print("{:<6} {:<10} steps  predicted us   measured us     error  blocked\n", staged ? "stage" : "phase",
             staged ? "phases"
             : cube ? "subcube"
                    : "dimensions");
  std::size_t number = 0;
  for (const SectionMeasurement& section : m.sections) {
    const unsigned first = section.phase.first;
    fmt::print("{:<6} {:<10} {:>5}  {}\n", ++number,
               staged ? phases_text(section.parts)
                      : fmt::format("{}{}-{}", cube ? "bits " : "", first + section.phase.dims - 1, first),
               grouped(section.steps),
               compared_cells(section.predicted.total(), section.us, section.blocked_circuits, style));
  }
  fmt::print("{:<6} {:<10} {:>5}  {}\n", "total", "", "",
             compared_cells(m.predicted.total(), m.run.result.us, m.run.network.link_blocked.circuits, style));
}

/// "3 parts of 10 to 11 B".
std::string parts_text(const BlockParts& block) {
  const unsigned parts = block.travelling();
  if (parts == 1) return fmt::format("one part of {} B", grouped(block.length(0)));
  const Bytes longest = block.length(0);
  const Bytes shortest = block.length(parts - 1);
  return longest == shortest ? fmt::format("{} parts of {} B", parts, grouped(longest))
                             : fmt::format("{} parts of {} to {} B", parts, grouped(shortest), grouped(longest));
}

void print_ports(const ExchangeExperiment& experiment, const ExchangeTerms& predicted) {
  const ExchangeWorkload& workload = experiment.workload;
  if (!workload.staged()) {
    const Ports ports = experiment.setup.machine.node.ports;
    if (ports != Ports{} && experiment.setup.topology().planes() == 0) {
      const bool cube = experiment.setup.topology().is_cube();
      fmt::print("ports: a node of this machine has {}, of which {} uses one at a time\n", ports_word(ports),
                 cube ? fmt::format("--schedule {}", word_of(workload.schedule, exchange_schedules))
                      : "an exchange off the binary cube");
    }
    return;
  }
  const BlockParts block(workload.bytes, static_cast<unsigned>(workload.partition.size()));
  fmt::print("ports: {}; every block in {}{}; masks {}\n", ports_word(workload.ports), parts_text(block),
             block.travelling() > 1 ? ", each in another phase of a stage (phases: of part 1, 2, ..)" : "",
             workload.pairing == MaskPairing::on ? "go with their complements" : "go one at a time");
  if (predicted.serialised_us != 0 || predicted.engine_us != 0) {
    fmt::print("predicted waiting of messages: {:.3f} us for the processor, {:.3f} us for engines\n",
               predicted.serialised_us, predicted.engine_us);
  }
}

void print_clock(const ExchangeExperiment& experiment, const ClockMeasurement& clock, const Style& style) {
  const double slack_us = experiment.workload.slack_us;
  if (clock.late == 0) {
    fmt::print("clocks: every node was ready for every phase, the last of them {:.3f} us before its start\n",
               0.0 - clock.last_after_us);
    return;
  }
  fmt::print("{}: of {} starts of phases {} were late, by up to {:.3f} us; library.slack is {:.6g} us\n",
             style.warn("clocks"), grouped(clock.begun), grouped(clock.late), clock.last_after_us, slack_us);
}

void print_notes(const ExchangeExperiment& experiment, const ExchangeMeasurement& m) {
  const RunSetup& setup = experiment.setup;
  const ExchangeWorkload& workload = experiment.workload;
  print_ports(experiment, m.predicted);
  if (workload.schedule != Schedule::xor_pairs) {
    fmt::print("one-sided schedule: nodes do not synchronise, and own blocks are copied free of charge\n");
  } else if (shifts_digits(workload, setup.topology())) {
    fmt::print(
        "a step shifts every digit by a number of its own: a node sends to one node and receives from another\n");
  } else {
    fmt::print("{}", synchronisation_note(setup, workload.sync));
  }
  if (m.predicted.waiting_us > 0) fmt::print(shared_links_note, m.predicted.waiting_us);
}

class ExchangeRun : public DataRun<ExchangeMeasurement> {
 public:
  ExchangeRun(const ExchangeArguments& arguments, ExchangeExperiment experiment, TestBench& bench)
      : DataRun(experiment.setup, bench), arguments_(arguments), experiment_(std::move(experiment)) {
    const Machine& machine = setup().machine;
    const unsigned dim = setup().dim;
    ExchangeWorkload& workload = experiment_.workload;
    const PairwiseSync sync = workload.schedule == Schedule::xor_pairs ? workload.sync : PairwiseSync::off;
    parameters_ = parameters_for(arguments.run, bench, machine, dim, sync);
    const ExchangeEquation equation = equation_of(experiment_, parameters_);
    workload.partition = partition_of(arguments, equation, workload.bytes);
    synchronises_ = sends_synchronisation(machine, sync);
    if (setup().engine != EngineChoice::ideal)
      gaps_ = exchange_gaps(machine, dim, workload.bytes, workload.partition, equation.options);
  }

  [[nodiscard]] RunSize size() const override {
    const ExchangeWorkload& workload = experiment_.workload;
    return {.circuits = workload.staged() ? StagedExchange::messages(workload, setup().dim, synchronises_)
                                          : CompleteExchange::messages(workload, setup().topology(), synchronises_),
            .data = required_memory(setup(), workload, setup().may_fold())};
  }

  /// Where jitter makes nodes later than the slack allows for, so that phases by the clock begin late.
  [[nodiscard]] std::string warning() const override {
    const double jitter_us = setup().machine.us(static_cast<double>(setup().conditions.jitter));
    const double slack_us = experiment_.workload.slack_us;
    if (experiment_.workload.barrier != Barrier::clock || jitter_us <= slack_us) return {};
    return fmt::format(
        "warning: nodes are late by up to {:.6g} us (--jitter), more than library.slack, {:.6g} us: phases may run "
        "into "
        "each other\n",
        jitter_us, slack_us);
  }

  void run() override {
    run_folded_or_not([this](bool folded) {
      experiment_.setup.folded = experiment_.workload.folded = folded;
      if (!folded) require_block_memory(setup(), experiment_.workload);
      m_ = run_exchange(bench(), experiment_, parameters_, [this](const std::vector<double>& ends_us) {
        follow(experiment_.workload.staged() ? "stage" : "phase", ends_us);
      });
    });
  }

  [[nodiscard]] RunReport report() const override {
    const bool staged = experiment_.workload.staged();
    const ExchangeArguments& a = arguments_;
    RunReport report{.command = "run exchange",
                     .workload = exchange_json(experiment_.workload, setup().machine,
                                               {&a.bytes, &a.partition, &a.order, &a.schedule, &a.sync, &a.payload}),
                     .predicted = exchange_prediction_json(m_.predicted, m_.average_distance_us, parameters_, staged),
                     .extra = {{"phases", Json::array()}}};
    report.extra[staged ? "stages" : "phases"] = sections_json(experiment_, m_);
    if (m_.clock) {
      report.extra["clock"] = {{"slack_us", experiment_.workload.slack_us},
                               {"starts", m_.clock->begun},
                               {"late_starts", m_.clock->late},
                               {"last_after_start_us", m_.clock->last_after_us}};
    }
    return report;
  }

  void print(const Style& style) const override {
    const ExchangeWorkload& workload = experiment_.workload;
    const std::uint64_t nodes = setup().topology().nodes();
    print_title(fmt::format("multiphase {}{}  {} B/block", workload.partition.braced_name(),
                            workload.staged() ? fmt::format("  {} ports", ports_word(workload.ports)) : "",
                            grouped(workload.bytes)));
    print_table(experiment_, m_, style);
    print_engine();
    print_notes(experiment_, m_);
    print_control();
    if (m_.clock) print_clock(experiment_, *m_.clock, style);
    print_data(style, workload.payload, m_.wrong, "blocks", fmt::format("{} blocks in place", grouped(nodes * nodes)));
  }

  [[nodiscard]] std::string next_command(bool contention_told) const override {
    if (measurement().network.link_blocked.circuits > 0 && !contention_told) {
      return Experiment::next_command(contention_told);
    }
    // Whoever asked for the best partition knows it; the hull says for which other blocks it is the best.
    const ExchangeArguments& a = arguments_;
    const std::string asked = machine_words(a.run) + given_words({&a.order, &a.sync, &a.pairing, &a.retuning});
    if (a.partition.value() == "best" && !a.run.ports.given()) return own_command() + " hull exchange" + asked;
    return own_command() + " predict exchange" + asked + a.bytes.words() + " --partition best";
  }

 private:
  ExchangeArguments arguments_;
  ExchangeExperiment experiment_;
  ExchangeParameters parameters_;
  bool synchronises_ = false;
};

}  // namespace

std::unique_ptr<Experiment> exchange_run(const ExchangeArguments& arguments, Benches& benches) {
  if (arguments.sizes.given()) return unequal_exchange_run(arguments, benches);
  ExchangeExperiment experiment;
  experiment.setup = setup_of(arguments.run, Networks::any);
  experiment.workload = exchange_workload_of(arguments, experiment.setup);
  settle_fold(experiment.setup, why_not_translated(experiment.workload));
  if (const std::string& partition = arguments.partition.value(); partition != "best") {
    experiment.workload.partition = Partition::parse(partition, experiment.setup.topology());
  }
  TestBench& bench = benches.get(experiment.setup);
  return std::make_unique<ExchangeRun>(arguments, std::move(experiment), bench);
}

std::unique_ptr<RunRequest> exchange_run_request() {
  return run_request_of<ExchangeArguments>(
      [](Command& command, ExchangeArguments& a) {
        declare_options(command, {&a.bytes, &a.partition, &a.order, &a.sync, &a.pairing, &a.retuning, &a.sizes,
                                  &a.schedule, &a.payload, &a.run.fold});
        a.run.topology.list_in(group::common);
      },
      exchange_run);
}

}  // namespace ecube
