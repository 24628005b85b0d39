// SPDX-License-Identifier: Apache-2.0
// The vector lengths from which the global combine exchanges full vectors in fewer directions, by the equation and on
// the machine.
#include <fmt/core.h>

#include <algorithm>

#include "testbench/combine/combine_request.h"
#include "testbench/run/commands.h"
#include "testbench/run/progress_line.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

constexpr std::int64_t max_measured_combine_dim = 8;
/// The number of lengths searched for ripples.
constexpr std::uint64_t most_ripples = 1024;
/// The largest length searched.
constexpr std::uint64_t most_items = std::uint64_t{1} << 40;

/// Halving in directions j >= k is the best of these strategies from `items` on.
struct CombineFace {
  unsigned k = 0;
  std::uint64_t items = 0;
  std::optional<double> theorem_1{};        ///< the length at which k begins, with one alpha
  std::optional<std::uint64_t> measured{};  ///< none where the strategies do not cross up to `tried_up_to`
  std::uint64_t tried_up_to = 0;
};

double predicted_us(const CombineQuestion& question, unsigned k, std::uint64_t items) {
  CombineProblem problem = question.workload;
  problem.items = items;
  return combine_cost(problem, question.parameters, HalvingRule::by(Strategy::halving_from(k, problem.dim)))
      .terms.total();
}

/// The least n from which `wins` holds for good. Between two lengths at which some message of the halving ceases to be
/// short, `wins` changes once, apart from ripples: halves of lengths that are no multiples of 2^d are uneven.
template <class Wins>
std::optional<std::uint64_t> settled_from(const CombineQuestion& question, std::uint64_t limit, const Wins& wins) {
  std::vector<std::uint64_t> edges = {1};
  for (unsigned j = 0; question.parameters.short_items > 0 && j <= question.workload.dim; ++j) {
    const std::uint64_t edge = (question.parameters.short_items << j) + 1;
    if (edge < limit) edges.push_back(edge);
  }
  edges.push_back(limit);
  if (!wins(limit)) return std::nullopt;
  std::optional<std::uint64_t> from;
  for (std::size_t i = edges.size() - 1; i > 0 && !from; --i) {
    if (!wins(edges[i - 1])) {
      from = first_between(edges[i - 1], edges[i] - (i + 1 < edges.size() ? 1 : 0), wins);
      if (!from) from = edges[i];
    } else if (i > 1 && !wins(edges[i - 1] - 1)) {
      from = edges[i - 1];
    }
  }
  if (!from) return std::nullopt;
  const std::uint64_t window = std::min(std::uint64_t{1} << question.workload.dim, most_ripples);
  for (std::uint64_t items = *from; items < *from + window && items < limit; ++items) {
    if (!wins(items)) from = items + 1;
  }
  return from;
}

/// The length at which each k begins that is the best for some n: the lower envelope, from short to long vectors.
std::vector<CombineFace> faces_of(const CombineQuestion& question) {
  const unsigned dim = question.workload.dim;
  std::vector<CombineFace> faces = {{.k = dim}};
  // From where k is better than the last face. Equal times may differ in their last bits.
  const auto crossing = [&](unsigned k) {
    return settled_from(question, most_items, [&](std::uint64_t items) {
      return predicted_us(question, k, items) <= predicted_us(question, faces.back().k, items) * (1 + 1e-12);
    });
  };
  for (unsigned k = dim; k-- > 0;) {
    auto items = crossing(k);
    for (; items && *items <= faces.back().items && faces.size() > 1; items = crossing(k)) faces.pop_back();
    if (items) faces.push_back({.k = k, .items = *items});
  }
  const CombineParameters& p = question.parameters;
  if (!p.one_alpha() || question.workload.pad > 0 || question.workload.startups != Startups::overlapped) return faces;
  const double beta = p.exchange.beta_us_per_item / question.workload.parts().count();
  for (CombineFace& face : faces) {
    const double divisor = face.k * (beta + p.gamma_us_per_item) + p.gamma_us_per_item;
    if (face.k < dim && divisor > 0) {
      face.theorem_1 = std::exp2(static_cast<double>(dim - face.k)) * p.exchange.alpha_us / divisor;
    }
  }
  return faces;
}

void measure(const CombineQuestion& question, TestBench& bench, std::vector<CombineFace>& faces) {
  CombineExperiment experiment;
  experiment.setup = {.machine = question.machine, .dim = question.workload.dim, .conditions = {}};
  experiment.workload = question.workload;
  experiment.workload.payload = Payload::none;
  const auto us = [&](unsigned k, std::uint64_t items) {
    experiment.workload.items = items;
    experiment.workload.rule = HalvingRule::by(Strategy::halving_from(k, question.workload.dim));
    const RunMeasurement run = run_combine(bench, experiment, question.parameters).run;
    if (run.result.status != RunResult::Status::finished) {
      throw std::runtime_error(fmt::format("the combine of {} items did not finish", items));
    }
    return run.result.us;
  };
  CountProgress progress(faces.size() - 1, "steps", false);
  for (std::size_t i = 1; i < faces.size(); ++i) {
    progress.next("crossovers bisected on the machine");
    faces[i].tried_up_to = 4 * faces[i].items + 64;
    faces[i].measured = settled_from(question, faces[i].tried_up_to, [&](std::uint64_t items) {
      return us(faces[i].k, items) <= us(faces[i - 1].k, items);
    });
  }
}

Json json_of(const CombineArguments& arguments, const CombineQuestion& question, const std::vector<CombineFace>& faces,
             const std::vector<std::string>& gaps) {
  const Json all = json_list(faces, [&](const CombineFace& face) {
    Json one = {{"strategy", strategy_json(Strategy::halving_from(face.k, question.workload.dim))},
                {"k", face.k},
                {"from_items", face.items},
                {"theorem_1_items", json_or_null(face.theorem_1)}};
    if (arguments.run.measure) {
      one["measured_items"] = json_or_null(face.measured);
      one["tried_up_to_items"] = face.tried_up_to;
    }
    return one;
  });
  Json workload = options_json({&arguments.target, &arguments.type, &arguments.pad});
  workload["pad_items"] = question.workload.pad;
  return {{"machine", question.machine_json}, {"workload", workload}, {"faces", all}, {"leaves_out", gaps}};
}

int hull(CombineArguments arguments) {
  const auto dim = static_cast<unsigned>(
      arguments.run.dim.within(1, arguments.run.measure ? max_measured_combine_dim : max_simulated_dim));
  TestBench bench(arguments.run.measure ? dim : calibration_dim);
  const CombineQuestion question = combine_question_of(arguments, bench);
  std::vector<CombineFace> faces = faces_of(question);
  if (arguments.run.measure) measure(question, bench, faces);
  const std::vector<std::string> gaps = combine_gaps(question);
  if (arguments.run.json) return print_json("hull combine", json_of(arguments, question, faces, gaps));
  fmt::print("{}  {}  combine of {} items to {}: strategies that halve in directions j >= k\n\n", question.name,
             network_name(question.machine, question.workload.dim), arguments.type.text(), arguments.target.text());
  fmt::print("{:>4} {:<22} {:>16}", "k", "strategy", "from items");
  if (faces.back().theorem_1) fmt::print(" {:>14}", "Theorem 1");
  if (arguments.run.measure) fmt::print(" {:>14}", "measured");
  fmt::print("\n");
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const CombineFace& face = faces[i];
    fmt::print("{:>4} {:<22} {:>16}", face.k, Strategy::halving_from(face.k, question.workload.dim).name(),
               grouped(face.items));
    if (faces.back().theorem_1) fmt::print(" {:>14}", face.theorem_1 ? fmt::format("{:.6g}", *face.theorem_1) : "");
    if (arguments.run.measure && i > 0) fmt::print(" {:>14}", face.measured ? grouped(*face.measured) : "no crossing");
    fmt::print("\n");
  }
  fmt::print(
      "\nfrom: the n, by the equation with uneven halves, from which the strategy is never slower than the "
      "one above{}\n",
      arguments.run.measure ? ";\nmeasured: the same on the machine" : "");
  print_combine_parameters(question.parameters);
  fmt::print("{}", leaves_out_note(gaps));
  return 0;
}

}  // namespace

void add_combine_hull(const Questions& to) {
  add_question<CombineArguments>(
      to.hull, to.invocation, "combine",
      "From which vector length the combine exchanges full vectors in fewer directions",
      [](CombineArguments& a, Command& command) -> std::vector<OptionRow*> {
        command.add_flag("--measure", a.run.measure,
                         "Bisect every crossover on the machine, to an item (--dim up to 8)");
        return {&a.target, &a.type, &a.pad, &a.params};
      },
      [](const CombineArguments& a) { return hull(a); });
}

}  // namespace ecube
