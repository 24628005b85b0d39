// SPDX-License-Identifier: Apache-2.0
// Faces and crossovers of the hull of optimality, by the equation and on the machine.
#include "testbench/hull_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/error.h"
#include "models/hull.h"
#include "testbench/bisection.h"
#include "testbench/measured_exchange.h"
#include "testbench/progress_line.h"
#include "testbench/staged_hull.h"
#include "testbench/text.h"

namespace ecube {

namespace {

/// From here on sizes are given as their logarithm.
constexpr unsigned max_dim_in_bytes = 1000;
/// The machine is asked up to this dimension.
constexpr std::int64_t max_measured_dim = 12;

struct HullArguments {
  ExchangeArguments exchange;
  bool measure = false;
};

/// Where a face begins: m by the equation with the average distance, by the equation with real hops, and on the
/// machine. None where one partition is the better one for all blocks that were tried.
struct Crossover {
  double predicted = 0;
  std::optional<double> with_real_hops;
  std::optional<Bytes> measured;
  Bytes tried_up_to = 0;
};

std::vector<Crossover> crossovers_of(const Hull& hull, const HullArguments& arguments, const ExchangeQuestion& question,
                                     TestBench& bench) {
  MeasuredExchange machine(bench, arguments.exchange, question);
  std::vector<Crossover> crossovers;
  StepProgress progress(hull.faces().size() - 1, false);
  for (std::size_t i = 1; i < hull.faces().size(); ++i) {
    progress.begin("crossovers bisected on the machine");
    const Partition earlier = hull.partition(hull.faces()[i - 1]);
    const Partition later = hull.partition(hull.faces()[i]);
    Crossover& crossover = crossovers.emplace_back();
    crossover.predicted = static_cast<double>(hull.block(hull.faces()[i]));
    crossover.tried_up_to = static_cast<Bytes>(4 * crossover.predicted) + 64;
    ExchangeOptions real = question.options;
    real.hops = HopCount::real;
    const auto line = [&](const Partition& partition) {
      const double at_0 = exchange_cost(partition, 0, question.parameters, real).total();
      return std::pair(at_0, exchange_cost(partition, 1, question.parameters, real).total() - at_0);
    };
    const auto [earlier_at_0, earlier_slope] = line(earlier);
    const auto [later_at_0, later_slope] = line(later);
    const double meet = (later_at_0 - earlier_at_0) / (earlier_slope - later_slope);
    if (earlier_slope > later_slope && meet > 0) crossover.with_real_hops = meet;
    // The least m, in whole bytes, from which the later one is not slower any more.
    crossover.measured = first_between(
        0, crossover.tried_up_to, [&](Bytes bytes) { return machine.us(later, bytes) <= machine.us(earlier, bytes); });
  }
  return crossovers;
}

nlohmann::ordered_json faces_json(const Hull& hull) {
  nlohmann::ordered_json faces = nlohmann::ordered_json::array();
  const bool logarithms = hull.dim() > max_dim_in_bytes;
  for (std::size_t i = 0; i < hull.faces().size(); ++i) {
    const HullFace& face = hull.faces()[i];
    const HullFace* const next = i + 1 < hull.faces().size() ? &hull.faces()[i + 1] : nullptr;
    nlohmann::ordered_json one = {{"partition", parts_json(hull.partition(face))}};
    if (logarithms) {
      one["from_log2_x"] =
          face.from > 0 ? nlohmann::ordered_json(static_cast<double>(std::log2(face.from))) : nlohmann::ordered_json();
      one["to_log2_x"] = next != nullptr ? nlohmann::ordered_json(static_cast<double>(std::log2(next->from)))
                                         : nlohmann::ordered_json();
    } else {
      const Wide nodes = std::ldexp(Wide{1}, static_cast<int>(hull.dim()));
      one["from_bytes"] = static_cast<double>(hull.block(face));
      one["to_bytes"] =
          next != nullptr ? nlohmann::ordered_json(static_cast<double>(hull.block(*next))) : nlohmann::ordered_json();
      one["slope_us_per_byte"] = static_cast<double>(face.line.slope * nodes);
      one["intercept_us"] = static_cast<double>(face.line.intercept);
    }
    faces.push_back(one);
  }
  return faces;
}

/// "{5,5,5,5}", or for many phases "20 x 5" and "7 x 6 + 13 x 5".
std::string short_name(const Partition& partition) {
  if (partition.size() <= 8) return partition.braced_name();
  const auto parts = partition.parts();
  const auto larger = static_cast<std::size_t>(std::count(parts.begin(), parts.end(), parts.front()));
  std::string name = fmt::format("{} x {}", larger, parts.front());
  if (larger < parts.size()) name += fmt::format(" + {} x {}", parts.size() - larger, parts.back());
  return name;
}

void print_parameters(const ExchangeQuestion& question, const HullParameters& p) {
  fmt::print(
      "\nparameters, {}: L {:.6g} us a message ({} distance), tau {:.6g} us/byte, rho {:.6g} us/byte, Q {:.6g} us\n",
      question.parameters.source, p.message_us, question.parameters.delta_hop_us > 0 ? "average" : "constant",
      p.tau_us_per_byte, p.rho_us_per_byte, p.barrier_us);
  fmt::print("the shuffle of a phase over the whole cube is {}\n",
             p.identity_shuffle == IdentityShuffle::skip ? "skipped" : "charged");
}

int hull(const HullArguments& arguments) {
  if (arguments.measure && !arguments.exchange.params.empty()) {
    throw ErrorText("--measure needs a machine, --params are none").valid("--machine NAME").error();
  }
  std::optional<TestBench> bench;
  if (arguments.measure) {
    const auto dim = static_cast<unsigned>(in_range("--dim", arguments.exchange.run.dim, 1, max_measured_dim));
    bench.emplace(std::max(dim, calibration_dim));
  }
  const ExchangeQuestion question = exchange_question_of(arguments.exchange, bench ? &*bench : nullptr);
  if (question.stages) return staged_hull(arguments.exchange, question, bench ? &*bench : nullptr);
  const HullParameters p = hull_parameters(question.parameters, question.dim, question.options);
  const Hull hull(question.dim, p);
  std::vector<Crossover> crossovers;
  if (bench) crossovers = crossovers_of(hull, arguments, question, *bench);
  if (arguments.exchange.run.json) {
    nlohmann::ordered_json json = {{"schema", 1},
                                   {"command", "hull exchange"},
                                   {"machine", question.machine_json},
                                   {"workload",
                                    {{"order", word_of(question.options.order, block_orders)},
                                     {"barrier", word_of(question.options.barrier, barrier_words)},
                                     {"identity_shuffle", word_of(p.identity_shuffle, identity_words)}}},
                                   {"faces", faces_json(hull)}};
    add_ports_json(json["workload"], false, {}, {});
    if (bench) {
      nlohmann::ordered_json all = nlohmann::ordered_json::array();
      for (const Crossover& one : crossovers) {
        all.push_back(
            {{"predicted_bytes", one.predicted},
             {"predicted_real_hops_bytes",
              one.with_real_hops ? nlohmann::ordered_json(*one.with_real_hops) : nlohmann::ordered_json()},
             {"measured_bytes", one.measured ? nlohmann::ordered_json(*one.measured) : nlohmann::ordered_json()},
             {"tried_up_to_bytes", one.tried_up_to}});
      }
      json["crossovers"] = all;
    }
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("{}  d={}  hull of optimality of the complete exchange, {} faces\n\n", question.name, question.dim,
             hull.faces().size());
  const bool logarithms = question.dim > max_dim_in_bytes;
  fmt::print("{:>16}  {:<26} {:>10}", logarithms ? "from log2(x)" : "from B/block", "partition", "phases");
  if (!logarithms) fmt::print(" {:>16} {:>16}", "us/B", "us at 0 B");
  if (bench) fmt::print(" {:>12} {:>12}", "real hops", "measured");
  fmt::print("\n");
  for (std::size_t i = 0; i < hull.faces().size(); ++i) {
    const HullFace& face = hull.faces()[i];
    const Wide from = logarithms ? (face.from > 0 ? std::log2(face.from) : Wide{0}) : hull.block(face);
    fmt::print("{:>16.6g}  {:<26} {:>10}", static_cast<double>(from), short_name(hull.partition(face)),
               face.line.phases);
    if (!logarithms) {
      fmt::print(" {:>16.6g} {:>16.6g}",
                 static_cast<double>(face.line.slope * std::ldexp(Wide{1}, static_cast<int>(hull.dim()))),
                 static_cast<double>(face.line.intercept));
    }
    if (bench && i > 0) {
      const Crossover& one = crossovers[i - 1];
      fmt::print(" {:>12} {:>12}", one.with_real_hops ? fmt::format("{:.6g}", *one.with_real_hops) : "no crossing",
                 one.measured ? grouped(*one.measured) : "no crossing");
    }
    fmt::print("\n");
  }
  if (logarithms) fmt::print("\nx = 2^d m, in bytes; at 0 the first face begins\n");
  if (bench) {
    fmt::print(
        "\nfrom: by the equation with the average distance; real hops: the same with every hop of every step; "
        "measured:\n"
        "the least whole block from which the face's partition is not slower than the one before, on the machine\n");
  }
  print_parameters(question, p);
  fmt::print("{}", one_port_note(arguments.exchange, false));
  return 0;
}

int best(const ExchangeArguments& arguments) {
  const ExchangeQuestion question = exchange_question_of(arguments);
  if (question.stages) return staged_best(arguments, question);
  const Bytes bytes = block_bytes(arguments);
  const HullParameters p = hull_parameters(question.parameters, question.dim, question.options);
  const Hull hull(question.dim, p);
  const HullFace& face = hull.at_block(static_cast<Wide>(bytes));
  const Wide x = std::ldexp(static_cast<Wide>(bytes), static_cast<int>(question.dim));
  const auto time = [&](const HullLine& line) { return line.slope * x + line.intercept; };
  const Wide us = time(face.line);
  const bool printable = us < Wide{1e300};
  const double s = bytes > 0 ? optimal_sum(question.dim, static_cast<double>(bytes), p) : 0;
  if (arguments.run.json) {
    nlohmann::ordered_json best = {{"partition", parts_json(hull.partition(face))}};
    if (printable) {
      best["us"] = static_cast<double>(us);
    } else {
      best["log2_us"] = static_cast<double>(std::log2(us));
    }
    nlohmann::ordered_json json = {{"schema", 1},
                                   {"command", "best exchange"},
                                   {"machine", question.machine_json},
                                   {"workload",
                                    {{"bytes", bytes},
                                     {"order", word_of(question.options.order, block_orders)},
                                     {"barrier", word_of(question.options.barrier, barrier_words)},
                                     {"identity_shuffle", word_of(p.identity_shuffle, identity_words)}}},
                                   {"best", best}};
    add_ports_json(json["workload"], false, {}, {});
    if (bytes > 0) json["optimal_sum"] = s;
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
  const std::size_t place = static_cast<std::size_t>(&face - hull.faces().data());
  const auto limit = [&](const HullFace& of) {
    return question.dim > max_dim_in_bytes ? fmt::format("log2(x) = {:.6g}", static_cast<double>(std::log2(of.from)))
                                           : fmt::format("{:.6g} B", static_cast<double>(hull.block(of)));
  };
  fmt::print("\nbest from {} to {}\n", place == 0 ? "0 B" : limit(face),
             place + 1 < hull.faces().size() ? limit(hull.faces()[place + 1]) : "any size");
  if (bytes > 0) {
    const OptimalityBounds bounds = optimality_bounds(question.dim, static_cast<double>(bytes), p);
    fmt::print(
        "s* = {:.4g}: parts of an optimal partition are at most {:.0f}, and two of them at least {:.0f} together\n", s,
        std::min(std::ceil(s), static_cast<double>(question.dim)), std::floor(s));
    fmt::print("L / (m tau) = {:.4g}: Direct is best up to {:.4g}, Standard from {:.4g} on\n",
               p.message_us / (static_cast<double>(bytes) * p.tau_us_per_byte), bounds.direct, bounds.standard);
  }
  if (question.dim <= max_simulated_dim) {
    ExchangeOptions real = question.options;
    real.hops = HopCount::real;
    const Partition with_hops = best_partition(question.dim, static_cast<double>(bytes), question.parameters, real);
    fmt::print("with real hops in place of the average distance: {}\n", with_hops.braced_name());
  }
  print_parameters(question, p);
  fmt::print("{}", one_port_note(arguments, false));
  return 0;
}

void add_params_option(Command& command, ExchangeArguments& arguments) {
  command.add_option(
      "--params", arguments.params,
      "In place of a machine: lambda=100,delta=10,tau=2,rho=1,barrier=0 (us, us/byte; delta_hop per hop)");
}

}  // namespace

void add_hull_exchange(Command& hull_command, Invocation& invocation) {
  const auto arguments = std::make_shared<HullArguments>();
  Command& command =
      hull_command.add_command("exchange", "Which partition of the complete exchange is best for which block");
  add_exchange_model_options(command, arguments->exchange);
  add_machine_options(command, arguments->exchange.run);
  command.add_flag("--measure", arguments->measure,
                   "Bisect every crossover on the machine, to a byte (--dim up to 12)");
  add_params_option(command, arguments->exchange);
  add_footer(command,
             "Examples:\n"
             "  ecube hull exchange --params lambda=100,delta=10,tau=2,rho=1 --dim 6\n"
             "  ecube hull exchange --machine ipsc860 --dim 6 --measure\n"
             "  ecube hull exchange --machine ncube2 --dim 6\n"
             "  ecube hull exchange --params lambda=100,tau=2 --dim 10000 --json");
  command.on_run([arguments, &invocation] { invocation.status = hull(*arguments); });
}

void add_best_exchange(Command& best_command, Invocation& invocation) {
  const auto arguments = std::make_shared<ExchangeArguments>();
  Command& command =
      best_command.add_command("exchange", "Partition with the least predicted time, beside Direct and Standard");
  command.add_option("--bytes", arguments->bytes, "Bytes of a block").show_default();
  add_exchange_model_options(command, *arguments);
  add_machine_options(command, arguments->run);
  add_params_option(command, *arguments);
  add_footer(command,
             "Examples:\n"
             "  ecube best exchange --machine ipsc860 --dim 6 --bytes 32\n"
             "  ecube best exchange --machine ncube2 --dim 6 --bytes 32\n"
             "  ecube best exchange --params lambda=100,delta=10,tau=2,rho=1 --dim 100 --bytes 8");
  command.on_run([arguments, &invocation] { invocation.status = best(*arguments); });
}

}  // namespace ecube
