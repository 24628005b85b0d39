// SPDX-License-Identifier: Apache-2.0
// Checking the options of the collectives on vectors, and choosing among their algorithms.
#include "testbench/family/family_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "models/fit/equation_gaps.h"
#include "testbench/collective/recommendation.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

bool pipelines(const Collective& collective) {
  return std::any_of(collective.algorithms.begin(), collective.algorithms.end(),
                     [](const CollectiveAlgorithm& algorithm) { return algorithm.packets; });
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
  rows.push_back(&arguments.type);
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
  problem.items = arguments.items.value();
  problem.root = static_cast<NodeId>(arguments.root.within(0, (std::int64_t{1} << setup.dim) - 1));
  problem.ports = setup.machine.node.ports;
  problem.startups = setup.machine.node.startups;
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
  FamilyQuestion question = family_question_of(arguments, collective, setup);
  ask_parameters(question, question.problem, arguments.run, arguments.params, bench, question.type);
  return question;
}

FamilyChoice family_choice(const FamilyQuestion& question, const CollectiveAlgorithm& algorithm, Ports ports) {
  FamilyChoice choice{.algorithm = &algorithm, .problem = question.problem};
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
  std::stable_sort(choices.begin(), choices.end(), [](const FamilyChoice& a, const FamilyChoice& b) {
    return std::llround(a.cost.us * 1e6) < std::llround(b.cost.us * 1e6);
  });
  return choices;
}

FamilyChoice chosen(const FamilyQuestion& question) {
  if (question.algorithm != nullptr) return family_choice(question, *question.algorithm, question.problem.ports);
  return family_choices(question).front();
}

std::string way_of(const FamilyChoice& choice) {
  std::string name(choice.algorithm->name);
  return choice.algorithm->packets ? name + fmt::format(" in {}", counted(choice.problem.packets, "packet")) : name;
}

std::string name_of(const FamilyChoice& choice) {
  const unsigned ports = choice.problem.ports_used();
  return way_of(choice) + (ports == 1 ? "" : fmt::format(" over {}", counted(ports, "port")));
}

nlohmann::ordered_json family_workload_json(const FamilyQuestion& question, const FamilyChoice& choice) {
  nlohmann::ordered_json json = {{"items", question.problem.items}, {"algorithm", choice.algorithm->name}};
  if (question.collective->rooted) json["root"] = question.problem.root;
  if (pipelines(*question.collective)) json["packets"] = choice.problem.packets;
  if (question.collective->meaning != Meaning::moved) json["op"] = word_of(question.function, combine_functions);
  json["type"] = word_of(question.type, item_types);
  json["ports"] = ports_word(choice.problem.ports);
  return json;
}

nlohmann::ordered_json family_predicted_json(const FamilyQuestion& question, const FamilyChoice& choice) {
  nlohmann::ordered_json json = predicted_json(choice.cost.terms, question.parameters);
  json["equation"] = choice.algorithm->source;
  json["us"] = choice.cost.us;
  json["nodes_followed"] = choice.cost.followed;
  json["published"] = {{"formula", choice.algorithm->formula}, {"us", choice.published_us}};
  return json;
}

std::string title_of(const FamilyQuestion& question) {
  const CollectiveProblem& problem = question.problem;
  return fmt::format("{}  {}  {} of {} {} items{}", question.name, network_name(question.machine, problem.dim),
                     question.collective->name, grouped(problem.items), word_of(question.type, item_types),
                     question.collective->rooted ? fmt::format(", root {}", problem.root) : "");
}

std::vector<std::string> family_gaps(const FamilyQuestion& question, const FamilyChoice& choice) {
  if (question.name == "--params") return {};
  std::vector<std::string> gaps = combine_gaps(question.machine, question.problem.dim);
  if (out_of_step(question.machine, choice.problem, choice.cost)) {
    gaps.emplace_back(
        "messages of different lengths, or some one way and some both ways, put nodes out of step: a sender continues "
        "while its message is received, and an early message takes its receiver's processor");
  }
  return gaps;
}

void print_family_equation(const FamilyChoice& choice) {
  fmt::print("{}\n  {:.3f} us for equal messages with one alpha: {}\n", choice.algorithm->formula, choice.published_us,
             choice.algorithm->source);
  if (choice.cost.followed) {
    fmt::print("  {:.3f} us for this length, every node followed from message to message\n", choice.cost.us);
  } else {
    fmt::print("  {:.3f} us for this length, every step as long as its longest message\n", choice.cost.us);
  }
}

}  // namespace ecube
