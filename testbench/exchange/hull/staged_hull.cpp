// SPDX-License-Identifier: Apache-2.0
// The best partitions on several ports, by the equation and on the machine.
#include "testbench/exchange/hull/staged_hull.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/exchange/staged_search.h"
#include "testbench/collective/bisection.h"
#include "testbench/exchange/exchange_choice.h"
#include "testbench/exchange/measured_exchange.h"
#include "testbench/run/progress_line.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

/// The least block, in whole bytes, from which a face's partition is not slower than the one before, on the machine.
struct MeasuredFace {
  std::optional<Bytes> from;
  Bytes tried_up_to = 0;
};

std::vector<MeasuredFace> measured_faces(const StagedHull& hull, const ExchangeArguments& arguments,
                                         const ExchangeQuestion& question, TestBench& bench) {
  MeasuredExchange machine(bench, arguments, question);
  std::vector<MeasuredFace> measured;
  StepProgress progress(hull.faces().size() - 1, arguments.run.quiet);
  for (std::size_t i = 1; i < hull.faces().size(); ++i) {
    progress.begin("crossovers bisected on the machine");
    const Partition& earlier = hull.faces()[i - 1].partition;
    const Partition& later = hull.faces()[i].partition;
    MeasuredFace& face = measured.emplace_back();
    face.tried_up_to = static_cast<Bytes>(4 * hull.faces()[i].from_bytes) + 64;
    // From 1 byte: the equation of faces does not cover an empty block, which is one message without bytes.
    face.from = first_between(1, face.tried_up_to,
                              [&](Bytes bytes) { return machine.us(later, bytes) <= machine.us(earlier, bytes); });
  }
  return measured;
}

nlohmann::ordered_json workload_json(const ExchangeQuestion& question) {
  nlohmann::ordered_json json = {{"order", word_of(question.options.order, block_orders)},
                                 {"barrier", word_of(question.options.barrier, barrier_words)},
                                 {"identity_shuffle", word_of(question.options.identity_shuffle, identity_words)}};
  add_ports_json(json, true, question.machine.node.ports, question.stages->pairing);
  return json;
}

std::string ports_name(const ExchangeQuestion& question) {
  return fmt::format("{} ports, {}", ports_word(question.machine.node.ports),
                     question.stages->pairing == MaskPairing::on ? "masks with their complements" : "single masks");
}

void print_parameters(const ExchangeQuestion& question) {
  const ExchangeParameters& p = question.parameters;
  fmt::print(
      "\nparameters, {}: lambda {:.6g} us, delta {:.6g} us/hop, tau {:.6g} us/byte, rho {:.6g} us/byte, Q {:.6g} us\n",
      p.source, p.lambda_us, p.delta_hop_us, p.tau_us_per_byte, p.rho_us_per_byte, p.barrier_us);
  fmt::print("distances are real; permutations that move nothing are {}\n",
             question.options.identity_shuffle == IdentityShuffle::skip ? "skipped" : "charged");
}

/// Intercept and slope of a partition's line.
std::pair<double, double> line_of(const StagedHull& hull, const Partition& partition) {
  const double at_1 = hull.us(partition, 1);
  const double slope = hull.us(partition, 2) - at_1;
  return {at_1 - slope, slope};
}

class HullOfStages : public ExchangeHull {
 public:
  HullOfStages(const ExchangeQuestion& question, const ExchangeArguments& arguments, TestBench* bench)
      : question_(question), hull_(hull_of(question, arguments.run.quiet)) {
    if (bench != nullptr) measured_ = measured_faces(hull_, arguments, question, *bench);
  }

  [[nodiscard]] nlohmann::ordered_json json() const override {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < faces().size(); ++i) {
      nlohmann::ordered_json face = {{"partition", parts_json(faces()[i].partition)},
                                     {"from_bytes", faces()[i].from_bytes},
                                     {"to_bytes", nullptr}};
      if (i + 1 < faces().size()) face["to_bytes"] = faces()[i + 1].from_bytes;
      if (hull_.lines()) {
        const auto [intercept, slope] = line_of(hull_, faces()[i].partition);
        face["slope_us_per_byte"] = slope;
        face["intercept_us"] = intercept;
      }
      all.push_back(face);
    }
    nlohmann::ordered_json json = {{"schema", json_schema},
                                   {"command", "hull exchange"},
                                   {"machine", question_.machine_json},
                                   {"workload", workload_json(question_)},
                                   {"lines", hull_.lines()},
                                   {"faces", all}};
    if (!hull_.lines()) json["searched_up_to_bytes"] = max_staged_hull_bytes;
    if (measured_) {
      nlohmann::ordered_json crossovers = nlohmann::ordered_json::array();
      for (std::size_t i = 0; i < measured_->size(); ++i) {
        crossovers.push_back({{"predicted_bytes", faces()[i + 1].from_bytes},
                              {"predicted_real_hops_bytes", faces()[i + 1].from_bytes},
                              {"measured_bytes", nullptr},
                              {"tried_up_to_bytes", (*measured_)[i].tried_up_to}});
        if ((*measured_)[i].from) crossovers.back()["measured_bytes"] = *(*measured_)[i].from;
      }
      json["crossovers"] = crossovers;
    }
    return json;
  }

  void print() const override {
    fmt::print("{}  d={}  best partitions of the complete exchange, {}: {} faces\n\n", question_.name, question_.dim,
               ports_name(question_), faces().size());
    fmt::print("{:>16}  {:<26} {:>10}", "from B/block", "partition", "phases");
    if (hull_.lines()) fmt::print(" {:>16} {:>16}", "us/B", "us at 0 B");
    if (measured_) fmt::print(" {:>12}", "measured");
    fmt::print("\n");
    for (std::size_t i = 0; i < faces().size(); ++i) {
      fmt::print("{:>16.6g}  {:<26} {:>10}", faces()[i].from_bytes, faces()[i].partition.braced_name(),
                 faces()[i].partition.size());
      if (hull_.lines()) {
        const auto [intercept, slope] = line_of(hull_, faces()[i].partition);
        fmt::print(" {:>16.6g} {:>16.6g}", slope, intercept);
      }
      if (measured_ && i > 0)
        fmt::print(" {:>12}", (*measured_)[i - 1].from ? grouped(*(*measured_)[i - 1].from) : "no crossing");
      fmt::print("\n");
    }
    fmt::print("\nby the equation of stages, every block in equal parts{}\n",
               hull_.lines() ? ""
                             : fmt::format("; its times are no lines: sizes up to {} B were tried",
                                           grouped(static_cast<std::uint64_t>(max_staged_hull_bytes))));
    if (measured_) {
      fmt::print("measured: the least whole block from which the face's partition is not slower than the one before\n");
    }
    print_parameters(question_);
  }

 private:
  [[nodiscard]] static StageOptions options_of(const ExchangeQuestion& question) {
    StageOptions options = *question.stages;
    options.exchange = question.options;
    return options;
  }
  [[nodiscard]] static StagedHull hull_of(const ExchangeQuestion& question, bool quiet) {
    std::optional<CountProgress> progress;
    return {question.dim, question.parameters, options_of(question), [&](std::size_t sizes) {
              if (!progress) progress.emplace(sizes, "block sizes searched", quiet);
              progress->next();
            }};
  }
  [[nodiscard]] const std::vector<StagedFace>& faces() const { return hull_.faces(); }

  const ExchangeQuestion& question_;
  StagedHull hull_;
  std::optional<std::vector<MeasuredFace>> measured_;
};

}  // namespace

std::unique_ptr<ExchangeHull> staged_hull(const ExchangeQuestion& question, const ExchangeArguments& arguments,
                                          TestBench* bench) {
  return std::make_unique<HullOfStages>(question, arguments, bench);
}

int staged_best(const ExchangeArguments& arguments, const ExchangeQuestion& question,
                const TriedExchanges& by_machine) {
  const Bytes bytes = block_bytes(arguments);
  ExchangeOptions options = question.options;
  options.hops = HopCount::real;
  StageOptions stages = *question.stages;
  stages.exchange = options;
  const auto in_stages = [&](const Partition& partition, HopCount hops = HopCount::real) {
    ExchangeOptions with_hops = options;
    with_hops.hops = hops;
    return predicted_exchange(partition, bytes, question.parameters, with_hops, stages).total();
  };
  const std::vector<ExchangeCandidate> choices = exchange_choices(question, bytes, arguments.run.quiet);
  const auto on_all_ports = std::find_if(choices.begin(), choices.end(), [&](const ExchangeCandidate& choice) {
    return choice.ports == question.machine.node.ports;
  });
  const Partition best = on_all_ports->partition;
  const double us = in_stages(best);
  StageOptions averaged = stages;
  averaged.exchange.hops = HopCount::average;
  const Partition with_average =
      searched_partition(question.dim, bytes, question.parameters, averaged, arguments.run.quiet);
  const double average_us = in_stages(with_average, HopCount::average);
  const Partition on_one_port = best_partition(question.dim, static_cast<double>(bytes), question.parameters, options);
  const double one_port_us = predicted_exchange(on_one_port, bytes, question.parameters, options, std::nullopt).total();
  const Ports fastest = choices.front().ports;
  if (arguments.run.json) {
    nlohmann::ordered_json workload = {{"bytes", bytes}};
    workload.update(workload_json(question));
    nlohmann::ordered_json json = {{"schema", json_schema},
                                   {"command", "best exchange"},
                                   {"machine", question.machine_json},
                                   {"workload", workload},
                                   {"best",
                                    {{"partition", parts_json(best)},
                                     {"us", us},
                                     {"hops", "real"},
                                     {"average_distance_us", in_stages(best, HopCount::average)}}},
                                   {"average_distance", {{"partition", parts_json(with_average)}, {"us", average_us}}},
                                   {"one_port", {{"partition", parts_json(on_one_port)}, {"us", one_port_us}}},
                                   {"best_ports", ports_word(fastest)}};
    add_tried(json, arguments, by_machine);
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("{}  d={}  complete exchange, {}  {} B/block\n\n", question.name, question.dim, ports_name(question),
             grouped(bytes));
  const auto row = [us](std::string_view what, const Partition& partition, double own_us) {
    fmt::print("{:<9} {:<26} {:>22}  {:>9.4g} x\n", what, partition.braced_name(), fmt::format("{:.3f} us", own_us),
               us > 0 ? own_us / us : 1.0);
  };
  row(by_machine.measured() ? "equation" : "best", best, us);
  const Partition direct = Partition::direct(question.dim);
  const Partition standard = Partition::standard(question.dim);
  row("direct", direct, in_stages(direct));
  row("standard", standard, in_stages(standard));
  row("one port", on_one_port, one_port_us);
  fmt::print("\nall {} partitions were tried, with the real lengths of the parts{}\n",
             partitions_of(question.dim).size(),
             fastest == question.machine.node.ports ? "" : fmt::format("; --ports {} is faster", ports_word(fastest)));
  fmt::print("with the average distance, d/2 hops for every message: {}, {:.3f} us\n", with_average.braced_name(),
             average_us);
  print_parameters(question);
  print_tried(arguments, by_machine);
  return 0;
}

}  // namespace ecube
