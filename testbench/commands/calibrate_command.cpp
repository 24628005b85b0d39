// SPDX-License-Identifier: Apache-2.0
// Fitted parameters beside the published ones.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "models/node/loop.h"
#include "models/node/memory_system.h"
#include "models/presets/presets.h"
#include "sw/micro_benchmarks/micro_benchmarks.h"
#include "testbench/run/commands.h"
#include "testbench/run/experiment.h"
#include "testbench/text/json_text.h"

namespace ecube {

namespace {

/// A loop at one size, run a second time: in the state in which the first run left cache and TLB.
struct LoopPoint {
  std::string loop;       ///< "permute" or "combine"
  Bytes block_bytes = 0;  ///< of a permutation; of the vector of a combine
  double units = 0;       ///< bytes permuted or items combined
  node::LoopFigures figures;
  [[nodiscard]] double cycles_per_unit() const { return static_cast<double>(figures.cycles) / units; }
};

/// Permutations of 8 by 8 blocks of 1 B to 4 KiB, and combines of 64 B to 64 KiB.
std::vector<LoopPoint> loop_curves(const Machine& machine) {
  constexpr Bytes longest_block = 4096;
  constexpr Bytes shortest_vector = 64;
  constexpr Bytes longest_vector = 65'536;
  constexpr std::uint64_t rows = 8;
  node::MemorySystem system(machine, 1);
  std::vector<LoopPoint> points;
  const auto measure = [&](const node::Loop& loop, Bytes block, double units) {
    node::MemoryState state = node::MemoryState::empty(machine);
    (void)system.run(loop, state);
    points.push_back({loop.name, block, units, system.run(loop, state)});
  };
  for (Bytes block = 1; block <= longest_block; block *= 2) {
    measure(node::permute_loop(machine, {.block_bytes = block, .rows = rows, .columns = rows}), block,
            static_cast<double>(rows * rows * block));
  }
  for (Bytes bytes = shortest_vector; bytes <= longest_vector; bytes *= 2) {
    const std::uint64_t items = bytes / Machine::item_bytes;
    measure(node::combine_loop(machine, items, Machine::item_bytes), bytes, static_cast<double>(items));
  }
  return points;
}

/// The points as a table with bars, for the terminal: cycles of the core for each byte or item, and for what.
std::string loop_curves_as_text(const Machine& machine, const std::vector<LoopPoint>& points) {
  constexpr int widest_bar = 40;
  std::string text;
  std::string loop;
  double most = 0;
  for (const LoopPoint& point : points) {
    if (point.loop != loop) {
      loop = point.loop;
      most = 0;
      for (const LoopPoint& each : points) {
        if (each.loop == loop) most = std::max(most, each.cycles_per_unit());
      }
      const bool permutes = loop == "permute";
      text += fmt::format(
          "\n{} against the size of {}, cycles of the core for each {}\n{:>7}  {:>7} {:>8}  {:>6} {:>8} {:>6} {:>6} "
          "{:>6}\n",
          loop, permutes ? "a block" : "the vector", permutes ? "byte" : "item", "bytes", "cycles", "us", "issue",
          "operands", "cache", "drain", "pages");
    }
    const auto share = [&](Cycles cycles) { return static_cast<double>(cycles) / point.units; };
    const node::LoopFigures& f = point.figures;
    const double us = point.cycles_per_unit() * 1e6 / machine.core.clock_hz;
    text += fmt::format(
        "{:>7}  {:>7.3f} {:>8.4f}  {:>6.2f} {:>8.2f} {:>6.2f} {:>6.2f} {:>6.2f}  {}\n", point.block_bytes,
        point.cycles_per_unit(), us, share(f.issue), share(f.operand), share(f.cache), share(f.drain),
        share(f.page_miss),
        std::string(static_cast<std::size_t>(std::lround(widest_bar * point.cycles_per_unit() / most)), '#'));
  }
  text +=
      "\nissue: the core works; operands: it waits for a register; cache: for a fill, a walk or a write buffer; "
      "drain:\n"
      "for the end of all writes; pages: cycles of the bus to open pages of the DRAM, beside the others\n";
  return text;
}

struct Row {
  std::string key;
  std::string meaning;
  std::optional<double> fitted;
  std::optional<double> published;
};

/// A parameter is published, or follows from published ones, if the paper gives one.
std::optional<double> positive(double value) { return value > 0 ? std::optional(value) : std::nullopt; }

/// Of messages one way.
std::vector<Row> message_rows(const Calibration& c, const std::optional<ExchangeParameters>& p) {
  const auto published = [&](double ExchangeParameters::*member) { return p ? positive((*p).*member) : std::nullopt; };
  const bool reserves = c.short_message.has_value();
  const std::string which = reserves ? fmt::format(", above {} B", c.threshold) : "";
  std::vector<Row> rows = {
      {"lambda_us", "start-up of a message" + which + ", us", c.message.lambda_us,
       p ? std::optional(p->lambda_us + p->delta_us) : std::nullopt},
      {"lambda0_us", "start-up of an empty message, us", (reserves ? *c.short_message : c.message).lambda0_us,
       p ? std::optional(p->lambda0_us + p->delta_us) : std::nullopt},
      {"tau_us_per_byte", "transmission, us/byte", c.message.tau_us_per_byte,
       published(&ExchangeParameters::tau_us_per_byte)},
      {"delta_us_per_hop", "distance" + which + ", us/hop", c.message.delta_hop_us,
       published(&ExchangeParameters::delta_hop_us)},
  };
  if (c.packet_bytes > 0) {
    rows.push_back({"tau_us_per_byte_and_hop", "transmission of a stored packet, us/byte and hop",
                    c.message.tau_hop_us_per_byte, std::nullopt});
  }
  if (reserves) {
    const std::string upto = fmt::format(", up to {} B", c.threshold);
    rows.push_back({"lambda_short_us", "start-up of a message" + upto + ", us", c.short_message->lambda_us,
                    published(&ExchangeParameters::lambda_short_us)});
    rows.push_back({"delta_short_us_per_hop", "distance" + upto + ", us/hop", c.short_message->delta_hop_us,
                    published(&ExchangeParameters::delta_hop_short_us)});
  }
  return rows;
}

std::vector<Row> rows_of(const Calibration& c, const Machine& machine) {
  const auto p = published_parameters(machine.name, 1);
  std::vector<Row> rows = message_rows(c, p);
  // Where messages of a collective synchronise first, the fitted start-up is compared with the paper's number for a
  // message plus a start-up of an empty message and a hop (Nicol & Bokhari 1994, section 4).
  const bool synchronised = sends_synchronisation(machine, handshake_of(machine).sync);
  const double before = p && synchronised ? p->lambda0_us + p->delta_hop_us + p->delta_us : 0;
  const auto alpha = [&](double lambda, double hop) {
    return p ? std::optional(before + lambda + hop + p->delta_us) : std::nullopt;
  };
  const double hop_short = p ? (p->short_bytes > 0 ? p->delta_hop_short_us : p->delta_hop_us) : 0;
  rows.push_back(
      {"rho_us_per_byte", "permutation, us/byte", c.rho_us_per_byte, p ? positive(p->rho_us_per_byte) : std::nullopt});
  rows.push_back({"copy_us_per_byte", "copy, us/byte", c.copy_us_per_byte, std::nullopt});
  rows.push_back({"gamma_us_per_item", "combination, us/item", c.gamma_us_per_item,
                  machine.name.starts_with("ipsc860") ? std::optional(0.35) : std::nullopt});
  rows.push_back({"barrier_us_per_dim", "barrier, us/dimension", c.barrier_us_per_dim,
                  p ? positive(p->barrier_us) : std::nullopt});
  const auto neighbours = [&](const std::string& infix, const std::string& what, const NeighbourCost& fit,
                              bool published_too) {
    const auto if_too = [&](std::optional<double> value) { return published_too ? value : std::nullopt; };
    rows.push_back({"alpha_" + infix + "zero_us", "empty " + what + ", us", fit.alpha_zero_us,
                    if_too(alpha(p ? p->lambda0_us : 0, hop_short))});
    rows.push_back({"alpha_" + infix + "short_us", "short " + what + ", us", fit.alpha_short_us,
                    if_too(alpha(p ? (p->short_bytes > 0 ? p->lambda_short_us : p->lambda_us) : 0, hop_short))});
    rows.push_back({"alpha_" + infix + "us", "long " + what + ", us", fit.alpha_us,
                    if_too(alpha(p ? p->lambda_us : 0, p ? p->delta_hop_us : 0))});
    rows.push_back({"beta_" + infix + "us_per_item", "its transmission, us/item of 4 bytes",
                    Machine::item_bytes * fit.beta_us_per_item,
                    if_too(p ? std::optional(Machine::item_bytes * p->tau_us_per_byte) : std::nullopt)});
  };
  neighbours("", synchronised ? "synchronised message of a collective" : "message of a collective",
             c.collective_message, true);
  neighbours("exchange_", "exchange of a collective", c.collective_exchange, false);
  if (c.processor) {
    rows.push_back({"processor_startup_us", "the processor's share of a start-up, us", c.processor->startup_us, {}});
    rows.push_back({"processor_receipt_us", "its share of a receipt, us", c.processor->receipt_us, {}});
    rows.push_back({"processor_startup_zero_us", "of an empty start-up, us", c.processor->startup_zero_us, {}});
    rows.push_back({"processor_receipt_zero_us", "of an empty receipt, us", c.processor->receipt_zero_us, {}});
  }
  rows.push_back({"exchange_us", "exchange with a neighbour, us", c.exchange_us, std::nullopt});
  rows.push_back({"synchronised_exchange_us", "the same, synchronised, us", c.synchronised_exchange_us, std::nullopt});
  return rows;
}

/// Least squares leave traces of rounding where a parameter is zero.
std::string number(double value) { return std::abs(value) < 1e-9 ? "0" : fmt::format("{:.6g}", value); }

Json json_of(const LoopPoint& point) {
  return {{"loop", point.loop},
          {"bytes", point.block_bytes},
          {"core_cycles_per_unit", point.cycles_per_unit()},
          {"core_cycles", point.figures.cycles},
          {"issue", point.figures.issue},
          {"operands", point.figures.operand},
          {"cache", point.figures.cache},
          {"drain", point.figures.drain},
          {"page_miss", point.figures.page_miss},
          {"misses", point.figures.misses},
          {"tlb_misses", point.figures.tlb_misses}};
}

int run_calibration(const RunArguments& arguments) {
  const Machine machine = resolve(settings_of(arguments));
  check_dimension(machine, calibration_dim);
  if (!machine.topology(calibration_dim).is_cube()) {
    throw InputError("calibrate runs its micro-benchmarks on binary cubes, and this is " +
                     machine.topology(calibration_dim).name())
        .valid("network.topology = cube");
  }
  const std::string why = fmt::format("micro-benchmarks run at d = 1..{}", calibration_dim);
  const std::string note = ignored({{arguments.dim, false, why}, {arguments.topology, false, why}});
  TestBench bench(calibration_dim);
  const Calibration calibration = bench.calibrate(machine);
  const std::vector<Row> rows = rows_of(calibration, machine);
  const std::vector<LoopPoint> curves =
      machine.node.model == NodeModel::detailed ? loop_curves(machine) : std::vector<LoopPoint>{};
  const bool good = calibration.worst_percent <= good_fit_percent && calibration.message.unseparated.empty();
  if (arguments.json) {
    Json fitted;
    Json published;
    for (const Row& row : rows) {
      fitted[row.key] = json_or_null(row.fitted);
      published[row.key] = json_or_null(row.published);
    }
    Json json = {{"machine", machine_json(machine, calibration_dim, EngineChoice::event)},
                 {"fitted", fitted},
                 {"published", published},
                 {"residual_percent", calibration.worst_percent}};
    for (const LoopPoint& point : curves) json["loops"].push_back(json_of(point));
    return print_json("calibrate", json, good ? 0 : 1);
  }
  fmt::print("{}  micro-benchmarks at d = 1..{}, least squares\n{}\n", machine.name, calibration_dim, note);
  fmt::print("{:<46} {:>12}  {:>12}  {:>8}\n", "parameter", "fitted", "published", "distance");
  for (const Row& row : rows) {
    const std::string fitted = row.fitted ? number(*row.fitted) : "not separable";
    const std::string published = row.published ? number(*row.published) : "-";
    const std::string distance = row.fitted && row.published ? percent(100 * (*row.fitted / *row.published - 1)) : "-";
    fmt::print("{:<46} {:>12}  {:>12}  {:>8}\n", row.meaning, fitted, published, distance);
  }
  const bool in_print = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.published.has_value(); });
  if (in_print && machine.node.model != NodeModel::detailed) {
    fmt::print(
        "the preset was set from these published numbers: a small distance says that the fit finds them back, and\n"
        "nothing of the machine in print; what runs predict of it: ecube reproduce all\n");
  }
  if (calibration.message.lambda_us.value_or(0) < 0 || calibration.neighbour_exchange.alpha_us < 0) {
    fmt::print(
        "a start-up below zero: a phit takes longer than it, and start-ups are less the first phit of a message\n");
  }
  fmt::print("\nworst residual {:.4f}% of a sample\n", calibration.worst_percent);
  if (!calibration.message.unseparated.empty()) fmt::print("{}\n", calibration.message.unseparated);
  if (calibration.worst_percent > good_fit_percent) {
    fmt::print("the fit does not describe its samples: more than {}% off; predictions from it are unreliable\n",
               good_fit_percent);
  }
  if (!curves.empty()) fmt::print("{}", loop_curves_as_text(machine, curves));
  return good ? 0 : 1;
}

}  // namespace

void add_calibrate(Command& app, Invocation& invocation) {
  const auto [command, arguments] = add_action<RunArguments>(
      app, invocation, "calibrate", "Fitted parameters beside published ones", run_calibration);
  add_machine_options(command, arguments);
}

}  // namespace ecube
