// SPDX-License-Identifier: Apache-2.0
// From typed options to a collective, and from its measurement to a table or JSON.

#include <fmt/core.h>

#include <algorithm>

#include "testbench/collective/recommendation.h"
#include "testbench/family/family_request.h"
#include "testbench/system/process.h"
#include "testbench/system/program_files.h"

namespace ecube {

CollectiveWorkload family_workload(const FamilyQuestion& question, const FamilyChoice& choice, const RunSetup& setup,
                                   Payload payload) {
  CollectiveWorkload workload;
  workload.collective = question.collective;
  workload.algorithm = choice.algorithm;
  workload.problem = choice.problem;
  workload.operation = CombineOperation::of(question.function, question.type);
  workload.initial = random_items(question.type, question.function, setup.conditions.seed);
  // On the ideal engine partners always meet.
  if (setup.engine != EngineChoice::ideal) workload.handshake = handshake_of(setup.machine);
  workload.carried = payload == Payload::bytes;
  workload.checks = payload == Payload::checks;
  return workload;
}

FamilyMeasurement run_family(TestBench& bench, const RunSetup& setup, const FamilyQuestion& question,
                             const FamilyChoice& choice, CollectiveRun& collective) {
  FamilyMeasurement measurement;
  measurement.predicted_us = choice.cost.us;
  measurement.run = bench.run(setup, collective.program(), ideal_costs(question.parameters, bytes_of(question.type)));
  double begin = 0;
  for (const double end : collective.step_ends_us()) {
    measurement.step_us.push_back(std::max(0.0, end - begin));
    begin = std::max(begin, end);
  }
  measurement.verify(collective);
  return measurement;
}

namespace {

class FamilyRun : public DataRun<FamilyMeasurement> {
 public:
  FamilyRun(FamilyArguments arguments, const RunSetup& setup, FamilyQuestion question, TestBench& bench,
            Payload payload)
      : DataRun(setup, bench), arguments_(std::move(arguments)), question_(std::move(question)), payload_(payload) {
    question_.parameters = combine_parameters_for(arguments_.run, bench, setup.machine, question_.type);
    if (setup.engine == EngineChoice::ideal) question_.parameters.processor.reset();  // all of alpha is a start-up
    choice_ = chosen(question_);
    if (setup.engine != EngineChoice::ideal) gaps_ = family_gaps(question_, choice_);
  }

  [[nodiscard]] RunSize size() const override {
    const Bytes data = payload_ == Payload::bytes
                           ? CollectiveRun::required(*question_.collective, question_.problem, bytes_of(question_.type))
                           : 0;
    return {.circuits = choice_.cost.messages, .data = data, .hops = 1};
  }

  void run() override {
    CollectiveRun collective(family_workload(question_, choice_, setup(), payload_));
    follow("step", collective.step_ends_us());
    m_ = run_family(bench(), setup(), question_, choice_, collective);
  }

  [[nodiscard]] std::optional<bool> verified() const override {
    return payload_ == Payload::none ? std::nullopt : m_.verified;
  }

  [[nodiscard]] RunReport report() const override {
    nlohmann::ordered_json options = family_workload_json(question_, choice_);
    add_embedding(options, setup());
    options["payload"] = word_of(payload_, payload_words);
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < m_.step_us.size(); ++i) {
      const PlanStep& step = choice_.cost.steps[i];
      steps.push_back({{"messages", step.messages},
                       {"items", step.items},
                       {"combined", step.combined},
                       {"predicted_us", step.terms.total()},
                       {"measured_us", m_.step_us[i]}});
    }
    return {.command = "run " + std::string(question_.collective->name),
            .workload = options,
            .predicted = family_predicted_json(question_, choice_),
            .extra = {{"steps", steps}}};
  }

  void print(const Style& style) const override {
    print_title(fmt::format(
        "{} of {} {} items{}, {}", question_.collective->name, grouped(question_.problem.items), arguments_.type.text(),
        question_.collective->rooted ? fmt::format(", root {}", question_.problem.root) : "", name_of(choice_)));
    print_table(style);
    print_family_equation(choice_);
    print_engine();
    print_data(style, payload_, m_.wrong, "vectors", "bit for bit what one processor gets in the same order");
    fmt::print("{}", leaves_out_note(gaps_));
  }

  [[nodiscard]] std::string next_command(bool /*contention_told*/) const override {
    const std::string command = fmt::format("{} best {}{} --ports {} --items {}", own_command(),
                                            question_.collective->name, machine_words(arguments_.run, false),
                                            ports_word(setup().machine.node.ports), question_.problem.items);
    return command + given_words({&arguments_.type, &arguments_.root});
  }

 private:
  void print_table(const Style& style) const {
    constexpr std::size_t most_rows = 40;
    fmt::print("step   messages      items  predicted us   measured us     error  blocked\n");
    for (std::size_t i = 0; i < std::min(m_.step_us.size(), most_rows); ++i) {
      const PlanStep& step = choice_.cost.steps[i];
      fmt::print("{:<5} {:>9} {:>10}  {:>12.3f}  {:>12.3f}\n", i + 1, grouped(step.messages), grouped(step.items),
                 step.terms.total(), m_.step_us[i]);
    }
    if (m_.step_us.size() > most_rows) fmt::print("and {} more; --json lists all\n", m_.step_us.size() - most_rows);
    fmt::print("{:<5} {:>9} {:>10}  {}\n", "total", grouped(choice_.cost.messages), "",
               compared_cells(choice_.cost.us, m_.run.result.us, m_.run.network.link_blocked.circuits, style));
  }

  FamilyArguments arguments_;
  FamilyQuestion question_;
  Payload payload_;
  FamilyChoice choice_;
};

void check_memory(const FamilyQuestion& question, Payload payload) {
  if (payload != Payload::bytes) return;
  const Bytes needed = CollectiveRun::required(*question.collective, question.problem, bytes_of(question.type));
  const Bytes available = available_memory();
  if (needed <= available) return;
  const std::uint64_t fits = question.problem.items / (needed / available + 1);
  throw InputError(fmt::format("the vectors need {} MiB of memory, of which {} MiB are available",
                               grouped(needed >> 20), grouped(available >> 20)))
      .valid(fmt::format("--items up to {} | a smaller --dim | --payload checks | --payload none", fits));
}

}  // namespace

std::unique_ptr<Experiment> family_run(FamilyArguments arguments, const Collective& collective, Benches& benches) {
  use_combine_library(arguments.run, vectors_use);
  const RunSetup setup = setup_of(arguments.run, settings_of(arguments.run), Networks::logical_cubes);
  FamilyQuestion question = family_question_of(arguments, collective, setup);
  const Payload payload = arguments.payload.value();
  check_memory(question, payload);
  TestBench& bench = benches.get(setup);
  return std::make_unique<FamilyRun>(std::move(arguments), setup, std::move(question), bench, payload);
}

std::unique_ptr<RunRequest> family_run_request(const Collective& collective) {
  return run_request_of<FamilyArguments>(
      [&collective](Command& command, FamilyArguments& a) {
        declare_options(command, rows_of(a, collective));
        declare_options(command, {&a.payload, &a.run.embed});
        add_run_options(command, a.run);
        command.footer(
            fmt::format("Examples:\n"
                        "  ecube run {0} --dim 6 --items 1000\n"
                        "  ecube run {0} --dim 5 --items 4096 --algorithm {1} --ports n\n"
                        "  ecube run {0} --machine ipsc860 --dim 6 --items 512",
                        collective.name, collective.algorithms.back().name));
      },
      [&collective](const FamilyArguments& a, Benches& benches) { return family_run(a, collective, benches); });
}

}  // namespace ecube
