// SPDX-License-Identifier: Apache-2.0
// Checking the options of the global combine.
#include "testbench/combine/combine_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "models/combine/combine_cost.h"
#include "models/machine/spelling.h"
#include "models/presets/presets.h"
#include "sw/api/embedding.h"
#include "testbench/collective/planned_steps.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

/// van de Geijn 1991, section 6: the length up to which messages are short.
constexpr std::uint64_t short_items = 25;

/// Whether even the messages after all halvings are long.
bool stays_long(std::uint64_t items, unsigned dim) { return dim < 58 && items > short_items << dim; }

HalvingRule halving_rule_of(const CombineArguments& arguments, const CombineProblem& problem,
                            const CombineParameters& parameters) {
  const unsigned dim = problem.dim;
  const std::string& strategy = arguments.strategy.value();
  if (strategy == "v1" || strategy == "v2") return HalvingRule::by(Strategy::full(dim));
  if (strategy == "v3") return HalvingRule::by(Strategy::halving(dim));
  if (strategy != "hybrid" && strategy != "best") {
    static constexpr std::array<std::string_view, 5> words{"v1", "v2", "v3", "hybrid", "best"};
    const bool digits = strategy.find_first_not_of("01") == std::string::npos;
    if (!digits && !did_you_mean(strategy, words).empty()) refuse_word("--strategy", strategy, words);
    return HalvingRule::by(Strategy::parse(strategy, dim));
  }
  const CombineRule rule = arguments.rule.value();
  if (rule == CombineRule::short25 && !stays_long(problem.items, dim)) return HalvingRule::down_to(short_items);
  if (rule == CombineRule::run_time) {
    return HalvingRule::run_time(parameters.exchange.alpha_us, parameters.exchange.beta_us_per_item,
                                 parameters.gamma_us_per_item, problem.parts().count());
  }
  return HalvingRule::by(best_strategy(problem, parameters));
}

Json neighbour_json(const NeighbourCost& cost, const std::string& infix) {
  return {{"alpha_" + infix + "zero_us", cost.alpha_zero_us},
          {"alpha_" + infix + "short_us", cost.alpha_short_us},
          {"alpha_" + infix + "us", cost.alpha_us},
          {"beta_" + infix + "us_per_item", cost.beta_us_per_item}};
}

}  // namespace

std::vector<Effect> VectorArguments::effects(const std::string& question, const Machine& machine, bool rooted,
                                             bool timed) const {
  return {{root, rooted || (question == "explain" && !node), "there is no tree, and all nodes get the result"},
          {op, question == "run", "it changes data, and none are combined here"},
          {type, timed && !params.given(), "times of an item are given, or not asked for"},
          {run.embed, !machine.on_cube(), "the network is a cube"}};
}

VectorArguments::Explained VectorArguments::explained(const Topology& topology, NodeId root_label) const {
  Explained asked{nodes_of_cube(topology, run.embed.value()), root_label};
  if (!node) return asked;
  const std::int64_t one = in_range("--node", *node, 0, std::int64_t{topology.nodes()} - 1);
  asked.label = static_cast<NodeId>(std::ranges::find(asked.nodes, one) - asked.nodes.begin());
  return asked;
}

std::vector<Effect> CombineArguments::effects(const std::string& question, const Machine& machine) const {
  const bool tree = strategy.value() == "v1" || strategy.value() == "best";
  std::vector<Effect> all =
      VectorArguments::effects(question, machine, tree || target.value() == CombineTarget::root, true);
  const bool best = rule.value() == CombineRule::short25 &&
                    stays_long(items.value(), dim_of(run, machine, max_predicted_dim, Networks::logical_cubes));
  all.push_back({rule, !best, "all halves are longer than 25 items, and the best strategy is taken"});
  return all;
}

void use_combine_library(RunArguments& arguments, std::string_view who) {
  if (arguments.machine.value() != "ipsc860") return;
  arguments.machine = "ipsc860-nx";
  if (!arguments.quiet) {
    fmt::print(stderr, "note: {} csend and crecv, so this is machine ipsc860-nx\n", who);
  }
}

CombineWorkload combine_workload_of(const CombineArguments& arguments, unsigned dim, std::int64_t max_items) {
  CombineWorkload workload;
  const CombineFunction function = arguments.op.value();
  workload.operation = CombineOperation::of(function, arguments.type.value());
  (void)arguments.rule.value();  // refused if it is none, also where it is not needed
  const std::string& strategy = arguments.strategy.value();
  if (arguments.rule.given() && strategy != "hybrid") {
    throw InputError(fmt::format("--rule {} chooses the hybrid's strategy, but --strategy is {}", arguments.rule.text(),
                                 ecube::quoted(strategy)))
        .hint("leave out one of the two");
  }
  workload.items = arguments.items.within(0, max_items);
  workload.target = arguments.target.value();
  const auto last_node = (std::int64_t{1} << std::min(dim, max_simulated_dim)) - 1;
  workload.root = static_cast<NodeId>(arguments.root.within(0, last_node));
  workload.pad = arguments.pad.value() ? pad_items : 0;
  workload.tree = strategy == "v1";
  return workload;
}

void choose_strategy(const CombineArguments& arguments, CombineWorkload& workload,
                     const CombineParameters& parameters) {
  workload.rule = halving_rule_of(arguments, workload, parameters);
  if (arguments.strategy.value() != "best") return;
  const double halving = followed_cost(workload, parameters, workload.rule, false).terms.total();
  workload.tree = tree_cost(workload, parameters).terms.total() < halving * (1 - 1e-9);
  if (workload.tree) workload.rule = HalvingRule::by(Strategy::full(workload.dim));
}

Strategy strategy_of(const CombineWorkload& workload) {
  std::vector<bool> halves(workload.dim);
  Items items = workload.parts().items(0, workload.items);
  for (unsigned left = workload.dim; left-- > 0;) {
    halves[left] = workload.rule.halves(left, items.count);
    if (halves[left]) items = items.lower();
  }
  return Strategy(std::move(halves));
}

CombineParameters combine_parameters_for(const RunArguments& arguments, TestBench& bench, const Machine& machine,
                                         ItemType type) {
  const std::uint32_t item_bytes = bytes_of(type);
  if (arguments.parameters.value() == ParameterSource::fitted) return bench.calibrate(machine).combine(item_bytes);
  if (type != ItemType::float32) {
    throw InputError("published parameters are for floats").valid("--type float | --parameters fitted");
  }
  if (const auto parameters = published_combine_parameters(machine.name)) return *parameters;
  throw InputError(fmt::format("no paper has published combine parameters of machine {}", ecube::quoted(machine.name)))
      .hint("--parameters published works with --machine ipsc860-nx | ipsc860-combine");
}

CombineQuestion combine_question_of(CombineArguments& arguments, TestBench& bench, std::int64_t max_dim) {
  CombineQuestion question;
  if (!arguments.params.given()) use_combine_library(arguments.run);
  RunSetup setup;
  setup.machine = resolve(settings_of(arguments.run));
  setup.dim = dim_of(arguments.run, setup.machine, max_dim, Networks::logical_cubes);
  setup.embedding = arguments.run.embed.value();
  question.workload = combine_workload_of(arguments, setup.dim, max_predicted_combine_items);
  adapt(question.workload, setup);
  question.machine = setup.machine;
  question.name = setup.machine.name;
  question.machine_json = asked_machine_json(setup.machine, setup.dim, arguments.params.given());
  ask_parameters(question, question.workload, arguments, bench);
  return question;
}

std::vector<std::string> combine_gaps(const CombineQuestion& question) {
  if (question.name == "--params") return {};
  const HalvingRule any = HalvingRule::by(Strategy::full(question.workload.dim));
  const CombineCost cost = combine_cost(question.workload, question.parameters, any);
  return combine_gaps(question.machine, question.workload.dim, cost.terms.waiting_us);
}

CollectivePlan plan_of(const CombineWorkload& workload) {
  const CombineParts parts(workload.tree ? Ports{} : workload.ports, workload.dim);
  return {{.dim = workload.dim, .items = workload.items, .ports = workload.ports},
          2 * workload.dim,
          [=](const CollectiveProblem& /*problem*/, NodeId node, unsigned place, PlannedTransfers& transfers) {
            const CombineMoves moves(workload.rule, parts, workload, workload.tree);
            for (unsigned part = 0; part < parts.count(); ++part) {
              const auto one = moves.transfer(node, part, place);
              if (one) transfers.push_back({.partner = one->partner, .sends = one->sends, .receives = one->receives});
            }
          }};
}

/// "alpha 525 us" or "alpha 75 us up to 25 items, 136 us above".
static std::string alphas(const NeighbourCost& cost, std::uint64_t short_items_of) {
  std::string text = fmt::format("{:.6g} us", cost.alpha_us);
  if (short_items_of > 0) {
    text = fmt::format("{:.6g} us up to {} items, {}", cost.alpha_short_us, short_items_of, text + " above");
  }
  const double least = short_items_of > 0 ? cost.alpha_short_us : cost.alpha_us;
  if (cost.alpha_zero_us != least) text += fmt::format(", {:.6g} us empty", cost.alpha_zero_us);
  return text;
}

void print_combine_parameters(const CombineParameters& p) {
  fmt::print("parameters, {}: alpha {}, beta {:.6g} us/item, gamma {:.6g} us/item\n", p.source,
             alphas(p.exchange, p.short_items), p.exchange.beta_us_per_item, p.gamma_us_per_item);
  if (p.one_way.alpha_us != p.exchange.alpha_us || p.one_way.beta_us_per_item != p.exchange.beta_us_per_item) {
    fmt::print("  one way: alpha {}, beta {:.6g} us/item\n", alphas(p.one_way, p.short_items),
               p.one_way.beta_us_per_item);
  }
}

Json items_json(const Items& items) {
  if (items.count == 0) return nullptr;
  return {{"first", items.first}, {"count", items.count}};
}

std::string items_text(const Json& items) {
  if (items.is_null()) return "-";
  const auto first = items["first"].get<std::uint64_t>();
  const auto count = items["count"].get<std::uint64_t>();
  return count == 1 ? grouped(first) : fmt::format("{} .. {}", grouped(first), grouped(first + count - 1));
}

std::string algorithm_name(const CombineWorkload& workload, const Strategy& strategy) {
  if (workload.tree) return workload.target == CombineTarget::all ? "tree and broadcast" : "tree";
  return "strategy " + strategy.name();
}

void print_network_terms(const CombineTerms& terms) {
  if (terms.distance_us > 0) fmt::print("distance      {:>14.3f} us   hops beyond the first\n", terms.distance_us);
  if (terms.waiting_us > 0) fmt::print(shared_links_row, terms.waiting_us);
}

Json terms_json(const CombineTerms& terms) {
  Json json = {{"startup_us", terms.startup_us},
               {"queued_startup_us", terms.queued_startup_us},
               {"transmission_us", terms.transmission_us},
               {"combine_us", terms.combine_us}};
  if (terms.distance_us > 0) json["distance_us"] = terms.distance_us;
  if (terms.waiting_us > 0) json["waiting_us"] = terms.waiting_us;
  return json;
}

Json predicted_json(const CombineTerms& terms, const CombineParameters& p) {
  Json parameters = {{"source", p.source}};
  parameters.update(neighbour_json(p.one_way, ""));
  parameters.update(neighbour_json(p.exchange, "exchange_"));
  parameters["short_items"] = p.short_items;
  parameters["gamma_us_per_item"] = p.gamma_us_per_item;
  if (p.processor) {
    parameters["processor_startup_us"] = p.processor->startup_us;
    parameters["processor_receipt_us"] = p.processor->receipt_us;
  }
  return {{"equation", "van de Geijn 1991, section 3, uneven halves"},
          {"us", terms.total()},
          {"terms", terms_json(terms)},
          {"parameters", parameters}};
}

Json strategy_json(const Strategy& strategy) {
  return json_list(strategy.digits(), [](bool halve) { return halve ? 1 : 0; });
}

Json workload_json(CombineArguments arguments, const CombineWorkload& workload, const Strategy& strategy) {
  std::string algorithm = arguments.strategy.value();
  if (algorithm == "best") algorithm = workload.tree ? "v1" : "hybrid";
  Json json = {{"items", workload.items}, {"algorithm", algorithm}};
  const std::vector<OptionRow*> rows = arguments.rows();
  json.update(options_json({rows.begin(), rows.end()}));
  json["strategy"] = strategy_json(strategy);
  if (algorithm != "hybrid") json["rule"] = nullptr;
  return json;
}

}  // namespace ecube
