// SPDX-License-Identifier: Apache-2.0
// The partition of the complete exchange that the equation prefers, with real hops where all partitions are tried.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "models/machine/error.h"
#include "testbench/collective/equation_note.h"
#include "testbench/exchange/exchange_recommendation.h"
#include "testbench/exchange/hull/exchange_hull_command.h"
#include "testbench/exchange/hull/staged_hull.h"
#include "testbench/exchange/measured_best.h"
#include "testbench/exchange/unequal/unequal_request.h"
#include "testbench/exchange/unequal/unequal_run.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

nlohmann::ordered_json workload_json(const ExchangeQuestion& question, Bytes bytes) {
  nlohmann::ordered_json json = {{"bytes", bytes},
                                 {"order", word_of(question.options.order, block_orders)},
                                 {"barrier", word_of(question.options.barrier, barrier_words)},
                                 {"identity_shuffle", word_of(question.options.identity_shuffle, identity_words)}};
  add_ports_json(json, false, {}, {});
  return json;
}

void print_optimal_sum(const ExchangeQuestion& question, Bytes bytes, const HullParameters& p) {
  if (bytes == 0) return;
  const double s = optimal_sum(question.dim, static_cast<double>(bytes), p);
  const OptimalityBounds bounds = optimality_bounds(question.dim, static_cast<double>(bytes), p);
  fmt::print(
      "s* = {:.4g}: parts of an optimal partition are at most {:.0f}, and two of them at least {:.0f} together\n", s,
      std::min(std::ceil(s), static_cast<double>(question.dim)), std::floor(s));
  fmt::print("L / (m tau) = {:.4g}: Direct is best up to {:.4g}, Standard from {:.4g} on\n",
             p.message_us / (static_cast<double>(bytes) * p.tau_us_per_byte), bounds.direct, bounds.standard);
}

/// Times of partitions of a cube that is small enough to try them all.
class TriedPartitions {
 public:
  TriedPartitions(const ExchangeQuestion& question, Bytes bytes) : question_(question), bytes_(bytes) {}

  [[nodiscard]] double us(const Partition& partition, HopCount hops) const {
    return predicted_exchange(partition, bytes_, question_.parameters, options(hops), std::nullopt).total();
  }
  [[nodiscard]] Partition best(HopCount hops) const {
    return best_partition(question_.dim, static_cast<double>(bytes_), question_.parameters, options(hops));
  }

 private:
  [[nodiscard]] ExchangeOptions options(HopCount hops) const {
    ExchangeOptions options = question_.options;
    options.hops = hops;
    return options;
  }

  const ExchangeQuestion& question_;
  Bytes bytes_;
};

/// Up to max_simulated_dim: the same partition and time as predict exchange --partition best.
int best_of_all(const ExchangeArguments& arguments, const ExchangeQuestion& question, Bytes bytes,
                const TriedExchanges& by_machine) {
  const TriedPartitions tried(question, bytes);
  const Partition best = tried.best(HopCount::real);
  const Partition with_average = tried.best(HopCount::average);
  const double us = tried.us(best, HopCount::real);
  const double average_us = tried.us(with_average, HopCount::average);
  const std::string_view no_lines = why_no_lines(question.parameters, question.options);
  if (arguments.run.json) {
    nlohmann::ordered_json json = {{"schema", json_schema},
                                   {"command", "best exchange"},
                                   {"machine", question.machine_json},
                                   {"workload", workload_json(question, bytes)},
                                   {"best",
                                    {{"partition", parts_json(best)},
                                     {"us", us},
                                     {"hops", "real"},
                                     {"average_distance_us", tried.us(best, HopCount::average)}}},
                                   {"average_distance", {{"partition", parts_json(with_average)}, {"us", average_us}}}};
    if (bytes > 0 && no_lines.empty()) {
      json["optimal_sum"] = optimal_sum(question.dim, static_cast<double>(bytes),
                                        hull_parameters(question.parameters, question.dim, question.options));
    }
    add_tried(json, arguments, by_machine);
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("{}  d={}  complete exchange  {} B/block\n\n", question.name, question.dim, grouped(bytes));
  fmt::print("{:<9} {:<26} {:>16}  {:>11}  {:>19}\n", "", "partition", "real hops", "", "average distance");
  const auto row = [&](std::string_view what, const Partition& partition) {
    const double own = tried.us(partition, HopCount::real);
    fmt::print("{:<9} {:<26} {:>13.3f} us  {:>9.4g} x  {:>16.3f} us\n", what, short_name(partition), own,
               us > 0 ? own / us : 1.0, tried.us(partition, HopCount::average));
  };
  row(by_machine.measured() ? "equation" : "best", best);
  row("direct", Partition::direct(question.dim));
  row("standard", Partition::standard(question.dim));
  fmt::print("\nwith the average distance, d/2 hops for every message: {}, {:.3f} us\n", short_name(with_average),
             average_us);
  if (no_lines.empty()) {
    const HullParameters p = hull_parameters(question.parameters, question.dim, question.options);
    print_optimal_sum(question, bytes, p);
    print_hull_parameters(question, p);
  } else {
    fmt::print("no s*: {}\n", no_lines);
  }
  print_tried(arguments, by_machine);
  fmt::print("{}", idle_options_note(arguments, false, question.options.barrier));
  return 0;
}

/// Above max_simulated_dim, by the hull with the average distance.
int best_of_hull(const ExchangeArguments& arguments, const ExchangeQuestion& question, Bytes bytes,
                 const TriedExchanges& by_machine) {
  const HullParameters p = hull_parameters(question.parameters, question.dim, question.options);
  const Hull hull(question.dim, p);
  const HullFace& face = hull.at_block(static_cast<Wide>(bytes));
  const Wide x = std::ldexp(static_cast<Wide>(bytes), static_cast<int>(question.dim));
  const auto time = [&](const HullLine& line) { return line.slope * x + line.intercept; };
  const Wide us = time(face.line);
  const bool printable = us < Wide{1e300};
  if (arguments.run.json) {
    nlohmann::ordered_json best = {{"partition", parts_json(hull.partition(face))}};
    if (printable) {
      best["us"] = static_cast<double>(us);
    } else {
      best["log2_us"] = static_cast<double>(std::log2(us));
    }
    const nlohmann::ordered_json average = best;
    best["hops"] = "average";
    nlohmann::ordered_json json = {{"schema", json_schema},
                                   {"command", "best exchange"},
                                   {"machine", question.machine_json},
                                   {"workload", workload_json(question, bytes)},
                                   {"best", best},
                                   {"average_distance", average}};
    if (bytes > 0) json["optimal_sum"] = optimal_sum(question.dim, static_cast<double>(bytes), p);
    add_tried(json, arguments, by_machine);
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("{}  d={}  complete exchange  {} B/block\n\n", question.name, question.dim, grouped(bytes));
  const auto row = [&](std::string_view what, const HullLine& line) {
    const Wide own = time(line);
    const std::string text = own < Wide{1e300} ? fmt::format("{:.3f} us", static_cast<double>(own))
                                               : fmt::format("2^{:.2f} us", static_cast<double>(std::log2(own)));
    fmt::print("{:<9} {:<26} {:>22}  {:>9.4g} x\n", what,
               short_name(Partition::equipartition(question.dim, line.phases)), text,
               us > 0 ? static_cast<double>(own / us) : 1.0);
  };
  row("best", face.line);
  row("direct", equipartition_line(question.dim, 1, p));
  row("standard", equipartition_line(question.dim, question.dim, p));
  fmt::print("\nwith the average distance, d/2 hops for every message; real hops are followed up to --dim {}\n",
             max_simulated_dim);
  print_optimal_sum(question, bytes, p);
  print_hull_parameters(question, p);
  print_tried(arguments, by_machine);
  fmt::print("{}", idle_options_note(arguments, false, question.options.barrier));
  return 0;
}

struct BestArguments {
  ExchangeArguments exchange;
  bool measure = false;
};

int best(const BestArguments& given) {
  const ExchangeArguments& arguments = given.exchange;
  if (given.measure && !arguments.sizes.empty()) {
    throw ErrorText("--measure is for blocks of one size").hint("leave out --measure or --sizes").error();
  }
  if (given.measure) return measured_best(arguments);
  const RunArguments untyped;
  if (arguments.run.jitter != untyped.jitter || arguments.run.seed != untyped.seed) {
    throw ErrorText("--jitter and --seed are for runs, and nothing is run").hint("add --measure").error();
  }
  if (!arguments.sizes.empty()) return best_unequal_exchange(arguments);
  const Bytes bytes = block_bytes(arguments);
  std::optional<TestBench> bench;
  const TriedExchanges by_machine = tried_exchanges(
      arguments, [&bench](unsigned dim) -> TestBench& { return bench.emplace(std::max(dim, calibration_dim)); });
  const ExchangeQuestion question = exchange_question_of(arguments, bench ? &*bench : nullptr);
  if (question.stages) return staged_best(arguments, question, by_machine);
  return question.dim <= max_simulated_dim ? best_of_all(arguments, question, bytes, by_machine)
                                           : best_of_hull(arguments, question, bytes, by_machine);
}

}  // namespace

void add_best_exchange(Command& best_command, Invocation& invocation) {
  const auto given = std::make_shared<BestArguments>();
  ExchangeArguments& arguments = given->exchange;
  Command& command =
      best_command.add_command("exchange", "Partition with the least predicted time, beside Direct and Standard");
  command.add_option("--bytes", arguments.bytes, "Bytes of a block").show_default().size().common();
  add_sizes_option(command, arguments);
  add_exchange_model_options(command, arguments);
  add_machine_options(command, arguments.run);
  add_exchange_params_option(command, arguments);
  command.add_flag("--measure", given->measure,
                   "Run partitions on xor, with and without pairwise synchronisation, shift, ordered and random, and "
                   "list them by measured time (--dim up to 10)");
  command
      .add_option("--jitter", arguments.run.jitter,
                  "With --measure: node starts and start-ups are longer by a uniform 0 .. TIME; five seeds, medians")
      .show_default();
  command.add_option("--seed", arguments.run.seed, "With --measure: first seed of all random draws").show_default();
  add_footer(
      command,
      measured_limit_help() +
          "With --sizes nothing is run: the recommendation is an estimate.\n\n"
          "--measure tries all partitions up to --dim 6, above it the 12 with the least predictions, each in five "
          "ways.\n"
          "It takes about a second up to --dim 7 and up to a minute at --dim 10; with --jitter five times as long.\n\n"
          "Examples:\n"
          "  ecube best exchange --machine ipsc860 --dim 6 --bytes 40 --measure\n"
          "  ecube best exchange --machine ipsc860 --dim 6 --bytes 32\n"
          "  ecube best exchange --machine ncube2 --dim 6 --bytes 32\n"
          "  ecube best exchange --params lambda=100,delta=10,tau=2,rho=1 --dim 100 --bytes 8");
  command.on_run([given, &invocation] { invocation.status = best(*given); });
}

}  // namespace ecube
