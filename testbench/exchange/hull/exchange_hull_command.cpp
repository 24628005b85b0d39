// SPDX-License-Identifier: Apache-2.0
// Faces and crossovers of the hull of optimality, by the equation and on the machine.
#include "testbench/exchange/hull/exchange_hull_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "models/exchange/hull.h"
#include "models/machine/error.h"
#include "testbench/collective/bisection.h"
#include "testbench/exchange/hull/exchange_hull.h"
#include "testbench/exchange/hull/staged_hull.h"
#include "testbench/exchange/measured_exchange.h"
#include "testbench/run/progress_line.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

/// The largest dimension of measured crossovers.
constexpr std::int64_t max_measured_dim = 12;

/// Where two neighbouring faces meet: m by the equation with real hops, with the average distance, and on the machine.
/// None where one partition is the better one for all blocks, or for all blocks tried.
struct Crossover {
  double with_real_hops = 0;
  std::optional<double> with_average_distance;
  std::optional<Bytes> measured;
  Bytes tried_up_to = 0;
};

std::vector<Crossover> crossovers_of(const std::vector<RealHopsFace>& faces, const ExchangeArguments& arguments,
                                     const ExchangeQuestion& question, TestBench& bench) {
  MeasuredExchange machine(bench, arguments, question);
  std::vector<Crossover> crossovers;
  StepProgress progress(faces.size() - 1, arguments.run.quiet);
  for (std::size_t i = 1; i < faces.size(); ++i) {
    progress.begin("crossovers bisected on the machine");
    const Partition& earlier = faces[i - 1].partition;
    const Partition& later = faces[i].partition;
    Crossover& crossover = crossovers.emplace_back();
    crossover.with_real_hops = faces[i].from_bytes;
    crossover.tried_up_to = static_cast<Bytes>(4 * crossover.with_real_hops) + 64;
    ExchangeOptions average = question.options;
    average.hops = HopCount::average;
    const auto line = [&](const Partition& partition) {
      const double at_0 = exchange_cost(partition, 0, question.parameters, average).total();
      return std::pair(at_0, exchange_cost(partition, 1, question.parameters, average).total() - at_0);
    };
    const auto [earlier_at_0, earlier_slope] = line(earlier);
    const auto [later_at_0, later_slope] = line(later);
    const double meet = (later_at_0 - earlier_at_0) / (earlier_slope - later_slope);
    if (earlier_slope > later_slope && meet > 0) crossover.with_average_distance = meet;
    // The least m, in whole bytes, from which the later partition is no longer slower.
    crossover.measured = first_between(
        0, crossover.tried_up_to, [&](Bytes bytes) { return machine.us(later, bytes) <= machine.us(earlier, bytes); });
  }
  return crossovers;
}

nlohmann::ordered_json real_faces_json(const std::vector<RealHopsFace>& faces) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < faces.size(); ++i) {
    all.push_back({{"partition", parts_json(faces[i].partition)},
                   {"from_bytes", faces[i].from_bytes},
                   {"to_bytes", nullptr},
                   {"slope_us_per_byte", faces[i].slope_us_per_byte},
                   {"intercept_us", faces[i].intercept_us}});
    if (i + 1 < faces.size()) all.back()["to_bytes"] = faces[i + 1].from_bytes;
  }
  return all;
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

nlohmann::ordered_json crossovers_json(const std::vector<Crossover>& crossovers) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Crossover& one : crossovers) {
    all.push_back({{"predicted_bytes", nullptr},
                   {"predicted_real_hops_bytes", one.with_real_hops},
                   {"measured_bytes", nullptr},
                   {"tried_up_to_bytes", one.tried_up_to}});
    if (one.with_average_distance) all.back()["predicted_bytes"] = *one.with_average_distance;
    if (one.measured) all.back()["measured_bytes"] = *one.measured;
  }
  return all;
}

/// Faces with real hops, and the faces with the average distance.
void print_real_faces(const std::vector<RealHopsFace>& faces, const Hull& average,
                      const std::vector<Crossover>& crossovers) {
  fmt::print("{:>16}  {:<26} {:>10} {:>16} {:>16}", "from B/block", "partition", "phases", "us/B", "us at 0 B");
  if (!crossovers.empty()) fmt::print(" {:>12}", "measured");
  fmt::print("\n");
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const RealHopsFace& face = faces[i];
    fmt::print("{:>16.6g}  {:<26} {:>10} {:>16.6g} {:>16.6g}", face.from_bytes, short_name(face.partition),
               face.partition.size(), face.slope_us_per_byte, face.intercept_us);
    if (i > 0 && !crossovers.empty()) {
      const std::optional<Bytes>& measured = crossovers[i - 1].measured;
      fmt::print(" {:>12}", measured ? grouped(*measured) : "no crossing");
    }
    fmt::print("\n");
  }
  fmt::print("\nfrom: by the equation with every hop of every step, as in predict exchange\n");
  if (!crossovers.empty()) {
    fmt::print(
        "measured: the least whole block from which the face's partition is not slower than the one before, on the "
        "machine\n");
  }
  fmt::print("with the average distance, d/2 hops for every message:");
  for (const HullFace& face : average.faces()) {
    fmt::print(" {} from {:.6g} B", short_name(average.partition(face)), static_cast<double>(average.block(face)));
  }
  fmt::print("\n");
}

void print_average_faces(const Hull& hull) {
  const bool logarithms = hull.dim() > max_dim_in_bytes;
  fmt::print("{:>16}  {:<26} {:>10}", logarithms ? "from log2(x)" : "from B/block", "partition", "phases");
  if (!logarithms) fmt::print(" {:>16} {:>16}", "us/B", "us at 0 B");
  fmt::print("\n");
  for (const HullFace& face : hull.faces()) {
    const Wide from = logarithms ? (face.from > 0 ? std::log2(face.from) : Wide{0}) : hull.block(face);
    fmt::print("{:>16.6g}  {:<26} {:>10}", static_cast<double>(from), short_name(hull.partition(face)),
               face.line.phases);
    if (!logarithms) {
      fmt::print(" {:>16.6g} {:>16.6g}",
                 static_cast<double>(face.line.slope * std::ldexp(Wide{1}, static_cast<int>(hull.dim()))),
                 static_cast<double>(face.line.intercept));
    }
    fmt::print("\n");
  }
  if (logarithms) fmt::print("\nx = 2^d m, in bytes; at 0 the first face begins\n");
  fmt::print(
      "\nfrom: by the equation with the average distance, d/2 hops for every message; real hops are followed up to "
      "--dim {}\n",
      max_simulated_dim);
}

/// The hull on one port, phase by phase.
class HullOfPhases : public ExchangeHull {
 public:
  HullOfPhases(const ExchangeArguments& arguments, const ExchangeQuestion& question, TestBench* bench)
      : arguments_(arguments),
        question_(question),
        parameters_(hull_parameters(question.parameters, question.dim, question.options)),
        average_(question.dim, parameters_) {
    if (real()) faces_ = real_hops_hull(question.dim, question.parameters, question.options);
    if (bench != nullptr) crossovers_ = crossovers_of(faces_, arguments, question, *bench);
  }

  [[nodiscard]] nlohmann::ordered_json json() const override {
    nlohmann::ordered_json json = {{"schema", json_schema},
                                   {"command", "hull exchange"},
                                   {"machine", question_.machine_json},
                                   {"workload",
                                    {{"order", word_of(question_.options.order, block_orders)},
                                     {"barrier", word_of(question_.options.barrier, barrier_words)},
                                     {"identity_shuffle", word_of(parameters_.identity_shuffle, identity_words)}}},
                                   {"hops", real() ? "real" : "average"},
                                   {"faces", real() ? real_faces_json(faces_) : faces_json(average_)},
                                   {"average_distance", {{"faces", faces_json(average_)}}}};
    add_ports_json(json["workload"], false, {}, {});
    if (crossovers_) json["crossovers"] = crossovers_json(*crossovers_);
    return json;
  }

  void print() const override {
    fmt::print("{}  d={}  hull of optimality of the complete exchange, {} faces\n\n", question_.name, question_.dim,
               real() ? faces_.size() : average_.faces().size());
    if (real()) {
      print_real_faces(faces_, average_, crossovers_.value_or(std::vector<Crossover>()));
    } else {
      print_average_faces(average_);
    }
    print_hull_parameters(question_, parameters_);
    fmt::print("{}", idle_options_note(arguments_, false, question_.options.barrier));
  }

 private:
  [[nodiscard]] bool real() const { return question_.dim <= max_simulated_dim; }

  const ExchangeArguments& arguments_;
  const ExchangeQuestion& question_;
  HullParameters parameters_;
  Hull average_;
  std::vector<RealHopsFace> faces_;
  std::optional<std::vector<Crossover>> crossovers_;
};

int tell_hull(const ExchangeArguments& arguments, bool measure) {
  if (measure && !arguments.params.empty()) {
    throw ErrorText("--measure needs a machine, --params are none").valid("--machine NAME").error();
  }
  std::optional<TestBench> bench;
  if (measure) {
    const auto dim = static_cast<unsigned>(in_range("--dim", arguments.run.dim, 1, max_measured_dim));
    bench.emplace(std::max(dim, calibration_dim));
  }
  const ExchangeQuestion question = exchange_question_of(arguments, bench ? &*bench : nullptr);
  const std::unique_ptr<ExchangeHull> hull = exchange_hull(arguments, question, bench ? &*bench : nullptr);
  if (arguments.run.json) {
    fmt::print("{}\n", hull->json().dump(2));
  } else {
    hull->print();
  }
  return 0;
}

}  // namespace

std::unique_ptr<ExchangeHull> exchange_hull(const ExchangeArguments& arguments, const ExchangeQuestion& question,
                                            TestBench* bench) {
  if (question.stages) return staged_hull(question, arguments, bench);
  return std::make_unique<HullOfPhases>(arguments, question, bench);
}

void add_hull_exchange(Command& hull_command, Invocation& invocation) {
  const auto arguments = std::make_shared<ExchangeArguments>();
  const auto measure = std::make_shared<bool>(false);
  Command& command =
      hull_command.add_command("exchange", "Which partition of the complete exchange is best for which block");
  add_exchange_model_options(command, *arguments);
  add_machine_options(command, arguments->run);
  command.add_flag("--measure", *measure, "Bisect every crossover on the machine, to a byte (--dim up to 12)");
  add_exchange_params_option(command, *arguments);
  add_footer(command,
             "Examples:\n"
             "  ecube hull exchange --params lambda=100,delta=10,tau=2,rho=1 --dim 6\n"
             "  ecube hull exchange --machine ipsc860 --dim 6 --measure\n"
             "  ecube hull exchange --machine ncube2 --dim 6\n"
             "  ecube hull exchange --params lambda=100,tau=2 --dim 10000 --json");
  command.on_run([arguments, measure, &invocation] { invocation.status = tell_hull(*arguments, *measure); });
}

}  // namespace ecube
