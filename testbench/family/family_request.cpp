// SPDX-License-Identifier: Apache-2.0
// Checking the options of the collectives on vectors, choosing among their algorithms, and from a run's measurement to
// a table or JSON.
#include "testbench/family/family_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "models/fit/equation_gaps.h"
#include "testbench/collective/planned_steps.h"
#include "testbench/collective/recommendation.h"
#include "testbench/system/process.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

bool pipelines(const Collective& collective) {
  return std::ranges::any_of(collective.algorithms, &CollectiveAlgorithm::packets);
}

const CollectiveAlgorithm* algorithm_of(const Collective& collective, const std::string& typed) {
  if (typed == "best") return nullptr;
  std::vector<std::string_view> words{"best"};
  for (const CollectiveAlgorithm& algorithm : collective.algorithms) {
    if (algorithm.name == typed) return &algorithm;
    words.push_back(algorithm.name);
  }
  refuse_word("--algorithm", typed, words);
}

void check_ports(const FamilyQuestion& question) {
  const CollectiveProblem& problem = question.problem;
  const unsigned ports = problem.ports_used();
  if (ports > 1 && problem.dim > max_family_ports_dim) {
    throw InputError(
        fmt::format("--dim {} is too large for a {} on several ports", problem.dim, question.collective->name))
        .valid(fmt::format("--dim 1 .. {} | --ports one", max_family_ports_dim));
  }
  if (question.algorithm != nullptr && question.algorithm->all_ports && ports < problem.dim) {
    throw InputError(fmt::format("--algorithm {} sends in all {} dimensions at once, and a node has {}",
                                 question.algorithm->name, problem.dim, counted(ports, "port")))
        .hint("--ports n");
  }
}

bool out_of_step(const Machine& machine, const CollectiveProblem& problem, const PlanCost& cost) {
  if (machine.node.startups == Startups::queued && cost.startups_differ) return true;
  // Blocks without items have no messages.
  const bool uneven = cost.lengths_differ || problem.items < std::uint64_t{problem.nodes()} * problem.ports_used();
  return uneven && (cost.one_way || machine.library.protocol == Protocol::forced);
}

class FamilyRun : public DataRun<FamilyMeasurement> {
 public:
  FamilyRun(FamilyArguments arguments, const RunSetup& setup, FamilyQuestion question, TestBench& bench)
      : DataRun(setup, bench), arguments_(std::move(arguments)) {
    question.parameters = combine_parameters_for(arguments_.run, bench, setup.machine, question.type);
    if (setup.engine == EngineChoice::ideal) question.parameters.processor.reset();  // all of alpha is a start-up
    choice_ = chosen(question);
    if (setup.engine != EngineChoice::ideal) gaps_ = family_gaps(choice_);
  }

  [[nodiscard]] RunSize size() const override {
    const Bytes data = arguments_.payload.value() == Payload::bytes
                           ? CollectiveRun::required(*choice_.collective, choice_.problem, bytes_of(choice_.type))
                           : 0;
    return {.circuits = choice_.cost.messages, .data = data, .hops = 1};
  }

  void run() override {
    CollectiveRun collective(family_workload(choice_, setup(), arguments_.payload.value()));
    follow("step", collective.step_ends_us());
    m_ = run_family(bench(), setup(), choice_, collective);
    if (arguments_.payload.value() == Payload::none) m_.verified.reset();
  }

  [[nodiscard]] RunReport report() const override {
    Json options = family_workload_json(arguments_, choice_);
    add_embedding(options, setup());
    options["payload"] = word_of(arguments_.payload.value(), payload_words);
    Json steps = Json::array();
    for (std::size_t i = 0; i < m_.step_us.size(); ++i) {
      const PlanStep& step = choice_.cost.steps[i];
      steps.push_back({{"messages", step.messages},
                       {"items", step.items},
                       {"combined", step.combined},
                       {"predicted_us", step.terms.total()},
                       {"measured_us", m_.step_us[i]}});
    }
    return {.command = "run " + std::string(choice_.collective->name),
            .workload = options,
            .predicted = family_predicted_json(choice_),
            .extra = {{"steps", steps}}};
  }

  void print(const Style& style) const override {
    print_title(fmt::format(
        "{} of {} {} items{}, {}", choice_.collective->name, grouped(choice_.problem.items), arguments_.type.text(),
        choice_.collective->rooted ? fmt::format(", root {}", choice_.problem.root) : "", name_of(choice_)));
    print_table(style);
    print_family_equation(choice_);
    if (const double us = choice_.cost.terms.waiting_us; us > 0) fmt::print(shared_links_note, us);
    print_engine();
    print_data(style, arguments_.payload.value(), m_.wrong, "vectors",
               "bit for bit what one processor gets in the same order");
  }

  [[nodiscard]] std::string next_command(bool /*contention_told*/) const override {
    const std::string machine = machine_words(on_ports(arguments_.run, ports_word(setup().machine.node.ports)));
    return fmt::format("{} best {}{}{}", own_command(), choice_.collective->name, machine,
                       given_words({&arguments_.items, &arguments_.type, &arguments_.op, &arguments_.root}));
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
  FamilyChoice choice_;
};

void check_memory(const FamilyQuestion& question, Payload payload) {
  if (payload != Payload::bytes) return;
  const Bytes needed = CollectiveRun::required(*question.collective, question.problem, bytes_of(question.type));
  const std::uint64_t fits = question.problem.items / (needed / std::max<Bytes>(1, available_memory()) + 1);
  require_memory(needed, "the vectors need",
                 fmt::format("--items up to {} | a smaller --dim | --payload checks | --payload none", fits));
}

}  // namespace

std::vector<OptionRow*> rows_of(FamilyArguments& arguments, const Collective& collective) {
  std::string ways = "best (least predicted)";
  for (const CollectiveAlgorithm& algorithm : collective.algorithms) {
    ways += fmt::format(", {} ({})", algorithm.name, algorithm.help);
  }
  arguments.algorithm.say(std::move(ways));
  std::vector<OptionRow*> rows{&arguments.items, &arguments.algorithm};
  if (collective.rooted) rows.push_back(&arguments.root);
  if (pipelines(collective)) rows.push_back(&arguments.packets);
  if (collective.meaning != Meaning::moved) rows.push_back(&arguments.op);
  rows.insert(rows.end(), {&arguments.type, &arguments.run.embed});
  return rows;
}

FamilyQuestion family_question_of(const FamilyArguments& arguments, const Collective& collective,
                                  const RunSetup& setup) {
  FamilyQuestion question{.collective = &collective, .name = setup.machine.name, .machine = setup.machine};
  question.function = arguments.op.value();
  question.type = arguments.type.value();
  question.algorithm = algorithm_of(collective, arguments.algorithm.value());
  CollectiveProblem& problem = question.problem;
  problem.dim = setup.dim;
  problem.items = arguments.items.within(0, max_run_combine_items);
  problem.root = static_cast<NodeId>(arguments.root.within(0, (std::int64_t{1} << setup.dim) - 1));
  problem.ports = setup.machine.node.ports;
  problem.startups = setup.machine.node.startups;
  problem.network = setup.logical_cube();
  const std::int64_t most_packets =
      std::max<std::int64_t>(1, std::min<std::int64_t>(arguments.items.typed(), max_packets));
  problem.packets = arguments.packets.within(0, most_packets);
  if (problem.packets > 0 && question.algorithm != nullptr && !question.algorithm->packets) {
    throw InputError(
        fmt::format("--packets is for a pipeline, but --algorithm {} has none", arguments.algorithm.value()))
        .hint("leave out --packets");
  }
  check_ports(question);
  return question;
}

FamilyQuestion family_question_of(FamilyArguments& arguments, const Collective& collective, TestBench& bench) {
  if (!arguments.params.given()) use_combine_library(arguments.run, vectors_use);
  RunSetup setup;
  setup.machine = resolve(settings_of(arguments.run));
  setup.dim = dim_of(arguments.run, setup.machine, max_simulated_dim, Networks::logical_cubes);
  setup.embedding = arguments.run.embed.value();
  FamilyQuestion question = family_question_of(arguments, collective, setup);
  question.machine_json = asked_machine_json(setup.machine, setup.dim, arguments.params.given());
  ask_parameters(question, question.problem, arguments, bench);
  return question;
}

FamilyChoice family_choice(const FamilyQuestion& question, const CollectiveAlgorithm& algorithm, Ports ports) {
  FamilyChoice choice{question};
  choice.algorithm = &algorithm;
  choice.problem.ports = ports;
  if (!algorithm.packets) choice.problem.packets = 1;
  if (choice.problem.packets == 0) {
    choice.problem.packets = best_packets(algorithm, choice.problem, question.parameters);
  }
  choice.cost = plan_cost(algorithm.plan(choice.problem), question.parameters);
  choice.published_us = algorithm.published_us(choice.problem, question.parameters);
  return choice;
}

std::vector<FamilyChoice> family_choices(const FamilyQuestion& question) {
  std::vector<FamilyChoice> choices;
  std::vector<Ports> numbers = port_choices(question.machine, question.problem.dim);
  std::reverse(numbers.begin(), numbers.end());
  for (const Ports ports : numbers) {
    for (const CollectiveAlgorithm& algorithm : question.collective->algorithms) {
      if (algorithm.all_ports && ports.used(question.problem.dim) < question.problem.dim) continue;
      choices.push_back(family_choice(question, algorithm, ports));
    }
  }
  // Equal times may differ in their last bits.
  std::ranges::stable_sort(choices, {}, [](const FamilyChoice& one) { return std::llround(one.cost.us * 1e6); });
  return choices;
}

FamilyChoice chosen(const FamilyQuestion& question) {
  if (question.algorithm != nullptr) return family_choice(question, *question.algorithm, question.problem.ports);
  FamilyChoice best = family_choices(question).front();
  if (question.problem.packets == 0 || best.algorithm->packets) return best;
  FamilyQuestion with_best_packets = question;
  with_best_packets.problem.packets = 0;
  if (!family_choices(with_best_packets).front().algorithm->packets) {
    best.ignored =
        fmt::format("--packets {}: no effect, the best algorithm has no pipeline\n", question.problem.packets);
  }
  return best;
}

std::string way_of(const FamilyChoice& choice) {
  std::string name(choice.algorithm->name);
  return choice.algorithm->packets ? name + fmt::format(" in {}", counted(choice.problem.packets, "packet")) : name;
}

std::string name_of(const FamilyChoice& choice) {
  const unsigned ports = choice.problem.ports_used();
  return way_of(choice) + (ports == 1 ? "" : fmt::format(" over {}", counted(ports, "port")));
}

Json family_workload_json(FamilyArguments arguments, const FamilyChoice& choice) {
  const std::vector<OptionRow*> rows = rows_of(arguments, *choice.collective);
  Json json = options_json({rows.begin(), rows.end()});
  json["algorithm"] = choice.algorithm->name;
  if (json.contains("packets")) json["packets"] = choice.problem.packets;
  json["ports"] = ports_word(choice.problem.ports);
  return json;
}

Json family_predicted_json(const FamilyChoice& choice) {
  Json json = predicted_json(choice.cost.terms, choice.parameters);
  json["equation"] = choice.algorithm->source;
  json["us"] = choice.cost.us;
  json["nodes_followed"] = choice.cost.followed;
  json["published"] = {{"formula", choice.algorithm->formula}, {"us", choice.published_us}};
  return json;
}

std::vector<std::string> family_gaps(const FamilyChoice& choice) {
  if (choice.name == "--params") return {};
  std::vector<std::string> gaps = combine_gaps(choice.machine, choice.problem.dim, choice.cost.terms.waiting_us);
  if (out_of_step(choice.machine, choice.problem, choice.cost)) {
    gaps.emplace_back(
        "messages of different lengths, or some one way and some both ways, put nodes out of step: a sender continues "
        "while its message is received, and an early message takes its receiver's processor");
  }
  return gaps;
}

void print_family_equation(const FamilyChoice& choice) {
  fmt::print("{}\n  {:.3f} us for equal messages with one alpha: {}\n", choice.algorithm->formula, choice.published_us,
             choice.algorithm->source);
  fmt::print("  {:.3f} us for this length, every {}\n", choice.cost.us,
             choice.cost.followed ? "node followed from message to message" : "step as long as its longest message");
  fmt::print("{}", choice.ignored);
}

CollectiveWorkload family_workload(const FamilyChoice& choice, const RunSetup& setup, Payload payload) {
  CollectiveWorkload workload;
  workload.collective = choice.collective;
  workload.algorithm = choice.algorithm;
  workload.problem = choice.problem;
  workload.operation = CombineOperation::of(choice.function, choice.type);
  workload.initial = random_items(choice.type, choice.function, setup.conditions.seed);
  // On the ideal engine partners always meet.
  if (setup.engine != EngineChoice::ideal) workload.handshake = handshake_of(setup.machine);
  workload.carried = payload == Payload::bytes;
  workload.checks = payload == Payload::checks;
  return workload;
}

FamilyMeasurement run_family(TestBench& bench, const RunSetup& setup, const FamilyChoice& choice,
                             CollectiveRun& collective) {
  FamilyMeasurement measurement;
  measurement.run = bench.run(setup, collective.program(), ideal_costs(choice.parameters, bytes_of(choice.type)));
  double begin = 0;
  for (const double end : collective.step_ends_us()) {
    measurement.step_us.push_back(std::max(0.0, end - begin));
    begin = std::max(begin, end);
  }
  measurement.verify(collective);
  return measurement;
}

std::unique_ptr<Experiment> family_run(FamilyArguments arguments, const Collective& collective, Benches& benches) {
  use_combine_library(arguments.run, vectors_use);
  const RunSetup setup = setup_of(arguments.run, Networks::logical_cubes);
  FamilyQuestion question = family_question_of(arguments, collective, setup);
  check_memory(question, arguments.payload.value());
  TestBench& bench = benches.get(setup);
  return std::make_unique<FamilyRun>(std::move(arguments), setup, std::move(question), bench);
}

std::unique_ptr<RunRequest> family_run_request(const Collective& collective) {
  return run_request_of<FamilyArguments>(
      [&collective](Command& command, FamilyArguments& a) {
        declare_options(command, rows_of(a, collective));
        a.payload.declare(command);
      },
      [&collective](const FamilyArguments& a, Benches& benches) { return family_run(a, collective, benches); });
}

}  // namespace ecube
