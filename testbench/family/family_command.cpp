// SPDX-License-Identifier: Apache-2.0
// The equation of a collective, the best of its algorithms, and what one of its nodes does.

#include <fmt/core.h>

#include <algorithm>

#include "testbench/collective/recommendation.h"
#include "testbench/family/family_request.h"

namespace ecube {

namespace {

std::string title_of(const FamilyQuestion& question) {
  const CollectiveProblem& problem = question.problem;
  return fmt::format("{}  {}  {} of {} {} items{}", question.name, network_name(question.machine, problem.dim),
                     question.collective->name, grouped(problem.items), word_of(question.type, item_types),
                     question.collective->rooted ? fmt::format(", root {}", problem.root) : "");
}

int predict(FamilyArguments arguments, const Collective& collective) {
  TestBench bench(max_tried_dim);
  const FamilyChoice choice = chosen(family_question_of(arguments, collective, bench));
  const LeftOut left_out(arguments.params, family_gaps(choice), choice.cost.us, choice.problem.dim,
                         choice.problem.items * bytes_of(choice.type), bench,
                         [&](Benches& benches) { return family_run(without_payload(arguments), collective, benches); });
  const Json object = {{"machine", choice.machine_json},
                       {"workload", family_workload_json(arguments, choice)},
                       {"predicted", family_predicted_json(choice)}};
  return left_out.tell(collective.name, arguments.run.json, object, [&] {
    fmt::print("{}\n\n{}\n", title_of(choice), name_of(choice));
    const CombineTerms& terms = choice.cost.terms;
    fmt::print("start-up      {:>14.3f} us\ntransmission  {:>14.3f} us\n", terms.startup_us, terms.transmission_us);
    if (collective.meaning != Meaning::moved) fmt::print("combination   {:>14.3f} us\n", terms.combine_us);
    print_network_terms(terms);
    const double rest = choice.cost.us - terms.total();
    if (rest < -5e-4 || rest > 5e-4) {
      fmt::print("{:<13} {:>14.3f} us   {}\n", rest < 0 ? "ahead" : "queued", rest,
                 rest < 0 ? "nodes with shorter messages do not wait for the longest of every step"
                          : "start-ups and receipts that wait for the node's one processor");
    }
    fmt::print("total         {:>14.3f} us\n\n", choice.cost.us);
    print_family_equation(choice);
    print_combine_parameters(choice.parameters);
  });
}

/// A choice as the answer lists it.
struct FamilyCandidate : Candidate {
  FamilyChoice way;
};

FamilyCandidate candidate_of(const FamilyChoice& way) {
  const std::uint64_t packets = way.problem.packets;
  return {{.name = way_of(way),
           .choice = {{"algorithm", way.algorithm->name}, {"packets", packets}},
           .options = fmt::format(" --algorithm {}", way.algorithm->name) +
                      (way.algorithm->packets ? fmt::format(" --packets {}", packets) : ""),
           .ports = way.problem.ports,
           .predicted_us = way.cost.us},
          way};
}

Tried<FamilyCandidate> tried_families(const std::vector<FamilyCandidate>& candidates, const FamilyArguments& arguments,
                                      unsigned dim, TestBench& bench) {
  Tried<FamilyCandidate> tried;
  for (const FamilyCandidate& one : candidates) {
    for (std::string& gap : family_gaps(one.way)) {
      if (std::ranges::count(tried.leaves_out, gap) == 0) tried.leaves_out.push_back(std::move(gap));
    }
  }
  if (!tried.are_due(dim)) return tried;
  RunSetup setup = setup_of(arguments.run, Networks::logical_cubes);
  const auto messages = [&](const FamilyCandidate& one) {
    return measured_messages(setup.machine, 1, one.way.cost.messages, one.way.problem.items * bytes_of(one.way.type));
  };
  tried.run(candidates, messages, [&](FamilyCandidate& one) {
    setup.machine.node.ports = one.ports;
    CollectiveRun collective(family_workload(one.way, setup, Payload::none));
    one.measured_us = finished_us(run_family(bench, setup, one.way, collective).run.result);
  });
  return tried;
}

int best(FamilyArguments arguments, const Collective& collective) {
  TestBench bench(max_tried_dim);
  const FamilyQuestion question = family_question_of(arguments, collective, bench);
  std::vector<FamilyCandidate> candidates;
  for (const FamilyChoice& one : family_choices(question)) candidates.push_back(candidate_of(one));
  const FamilyChoice& first = candidates.front().way;
  Recommendation answer{
      .workload = std::string(collective.name),
      .run = arguments.run,
      .options = given_words({&arguments.items, &arguments.type, &arguments.op, &arguments.root}),
      .runnable = question.name != "--params",
      .data_bytes = CollectiveRun::required(*question.collective, first.problem, bytes_of(question.type)),
      .title = title_of(question),
      .kind = "algorithm",
      .about = {{"machine", question.machine_json},
                {"workload", family_workload_json(arguments, first)},
                {"predicted", family_predicted_json(first)}}};
  answer.find_among(candidates, tried_families(candidates, arguments, question.problem.dim, bench));
  return tell(answer, arguments.run.json, [&] {
    print_family_equation(first);
    print_combine_parameters(question.parameters);
  });
}

std::string ranges_text(const Json& ranges) {
  constexpr std::size_t most = 3;
  return ranges.empty() ? "-" : listed(ranges, most, items_text);
}

int explain(FamilyArguments arguments, const Collective& collective) {
  TestBench bench(calibration_dim);
  const FamilyChoice choice = chosen(family_question_of(arguments, collective, bench));
  const auto asked = arguments.explained(choice.machine.topology(choice.problem.dim), choice.problem.root);
  const CollectivePlan plan = choice.algorithm->plan(choice.problem);
  std::vector<Json> steps;
  for (unsigned number = 0; number < plan.steps(); ++number) {
    std::vector<PlannedTransfer> transfers;
    plan.step(asked.label, number, transfers);
    for (const PlannedTransfer& transfer : transfers) {
      steps.push_back({{"step", number + 1},
                       {"dimension", first_dimension(asked.label, transfer.partner)},
                       {"partner", asked.nodes[transfer.partner]},
                       {"sends", json_list(transfer.outgoing, items_json)},
                       {"receives", json_list(transfer.incoming, items_json)},
                       {"arrival", is_prefix(collective.meaning)           ? "scanned"
                                   : transfer.arrival == Arrival::combined ? "combined"
                                                                           : "stored"}});
    }
  }
  if (arguments.run.json) {
    return print_json("explain " + std::string(collective.name), {{"machine", choice.machine_json},
                                                                  {"workload", family_workload_json(arguments, choice)},
                                                                  {"node", asked.node()},
                                                                  {"steps", steps}});
  }
  fmt::print("{}\n\n{}: {}\n\nitems that node {} sends and receives\n", title_of(choice), name_of(choice),
             choice.algorithm->help, asked.node());
  fmt::print("{:<5} {:<9} {:<8} {:<28} {:<28} {}\n", "step", "dimension", "partner", "sends", "receives", "they are");
  for (const auto& step : steps) {
    fmt::print("{:<5} {:<9} {:<8} {:<28} {:<28} {}\n", step["step"].get<unsigned>(), step["dimension"].get<unsigned>(),
               step["partner"].get<NodeId>(), ranges_text(step["sends"]), ranges_text(step["receives"]),
               step["receives"].empty() ? "-" : step["arrival"].get<std::string>());
  }
  fmt::print("\n");
  print_family_equation(choice);
  return 0;
}

}  // namespace

void add_family_questions(const Questions& to, const Collective& collective) {
  const auto rows = [&collective](FamilyArguments& typed) {
    return with_rows(rows_of(typed, collective), {&typed.params});
  };
  add_question<FamilyArguments>(to.predict, to.invocation, collective.name, std::string(collective.help), rows,
                                [&collective](const FamilyArguments& typed) { return predict(typed, collective); });
  add_question<FamilyArguments>(
      to.best, to.invocation, collective.name, "Algorithm and number of ports with the least time",
      [rows](FamilyArguments& typed) {
        std::vector<OptionRow*> but_algorithm = rows(typed);
        std::erase(but_algorithm, &typed.algorithm);
        return but_algorithm;
      },
      [&collective](const FamilyArguments& typed) { return best(typed, collective); }, measured_limit_help());
  add_question<FamilyArguments>(
      to.explain, to.invocation, collective.name, "What a node sends and receives, step by step",
      [rows](FamilyArguments& typed, Command& command) {
        command.add_option("--node", typed.node, "Whose steps; the root's when not given");
        return rows(typed);
      },
      [&collective](const FamilyArguments& typed) { return explain(typed, collective); });
}

}  // namespace ecube
