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
    nlohmann::ordered_json json = {{"schema", 1},
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
    print_staged_parameters(question_);
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

}  // namespace ecube
