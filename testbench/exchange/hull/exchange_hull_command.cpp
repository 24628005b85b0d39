// SPDX-License-Identifier: Apache-2.0
// Faces and crossovers of the hull of optimality, by the equation and on the machine.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "models/exchange/hull.h"
#include "models/machine/error.h"
#include "models/machine/quantity.h"
#include "models/machine/spelling.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/run/commands.h"
#include "testbench/run/progress_line.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

constexpr std::int64_t max_measured_dim = 12;

/// With the average distance.
ExchangeFaces faces_of(const Hull& hull) {
  ExchangeFaces all{.lines = hull.dim() <= max_dim_in_bytes};
  for (const HullFace& one : hull.faces()) {
    RealHopsFace& face =
        all.faces.emplace_back(RealHopsFace{hull.partition(one), static_cast<double>(hull.block(one))});
    if (all.lines) {
      face.slope_us_per_byte = static_cast<double>(std::ldexp(one.line.slope, static_cast<int>(hull.dim())));
      face.intercept_us = static_cast<double>(one.line.intercept);
    } else {
      face.from_bytes = one.from > 0 ? static_cast<double>(std::log2(one.from)) : 0;
    }
  }
  return all;
}

/// With real hops.
ExchangeFaces faces_of(const ExchangeQuestion& question, bool quiet) {
  if (!question.stages) {
    const bool kinks = hides_tunings(question.topology(), question.options) && question.parameters.rho_us_per_byte > 0;
    return {real_hops_hull(question.topology(), question.parameters, question.options), !kinks};
  }
  StageOptions options = *question.stages;
  options.exchange = question.options;
  std::optional<CountProgress> progress;
  StagedHull hull = staged_hull(question.dim, question.parameters, options, [&](std::size_t sizes) {
    if (!progress) progress.emplace(sizes, "block sizes searched", quiet);
    progress->next();
  });
  return {std::move(hull.faces), hull.lines};
}

/// Where the lines of two partitions meet with the average distance.
std::optional<double> average_meeting(const Partition& earlier, const Partition& later,
                                      const ExchangeQuestion& question) {
  const auto line = [average = question.with(HopCount::average)](const Partition& partition) {
    const double at_0 = average.terms(partition, 0).total();
    return std::pair(at_0, average.terms(partition, 1).total() - at_0);
  };
  const auto [earlier_at_0, earlier_slope] = line(earlier);
  const auto [later_at_0, later_slope] = line(later);
  const double meet = (later_at_0 - earlier_at_0) / (earlier_slope - later_slope);
  return earlier_slope > later_slope && meet > 0 ? std::optional(meet) : std::nullopt;
}

/// Where each later face than the first begins by the equation with the average distance, and on the machine. null
/// where one of the two neighbouring partitions is the better one for all blocks, or for all blocks tried.
Json measured_crossovers(const std::vector<RealHopsFace>& faces, const ExchangeArguments& arguments,
                         const ExchangeQuestion& question, TestBench& bench) {
  ExchangeArguments asked = arguments;
  const RunSetup setup{.machine = question.machine, .dim = question.dim, .conditions = {}};
  const auto us = [&](const Partition& partition, Bytes bytes) {
    asked.bytes = static_cast<std::int64_t>(bytes);
    const ExchangeCandidate tried = measured_exchange(bench, asked, setup, partition);
    if (tried.measured_us) return *tried.measured_us;
    throw std::runtime_error(fmt::format("the exchange {} of {} B did not finish", partition.name(), bytes));
  };
  Json crossovers = Json::array();
  CountProgress progress(faces.size() - 1, "steps", arguments.run.quiet);
  for (std::size_t i = 1; i < faces.size(); ++i) {
    progress.next("crossovers bisected on the machine");
    const Partition& earlier = faces[i - 1].partition;
    const Partition& later = faces[i].partition;
    const double from = faces[i].from_bytes;
    const Bytes most = static_cast<Bytes>(4 * from) + 64;
    const auto predicted =
        question.stages || !question.of_cube() ? std::optional(from) : average_meeting(earlier, later, question);
    // In stages from 1 byte: the equation of faces does not cover an empty block, which is one message without bytes.
    const auto measured = first_between(question.stages ? 1 : 0, most,
                                        [&](Bytes bytes) { return us(later, bytes) <= us(earlier, bytes); });
    crossovers.push_back({{"predicted_bytes", json_or_null(predicted)},
                          {"predicted_real_hops_bytes", from},
                          {"measured_bytes", json_or_null(measured)},
                          {"tried_up_to_bytes", most}});
  }
  return crossovers;
}

Json faces_json(const ExchangeFaces& faces) {
  const bool logarithms = faces.faces.front().partition.dim() > max_dim_in_bytes;
  const std::string unit = logarithms ? "log2_x" : "bytes";
  Json all = Json::array();
  for (const RealHopsFace& one : faces.faces) {
    if (!all.empty()) all.back()["to_" + unit] = one.from_bytes;
    Json& face = all.emplace_back();
    face["partition"] = parts_json(one.partition);
    face["from_" + unit] = one.from_bytes;
    if (logarithms && all.size() == 1) face["from_" + unit] = nullptr;
    face["to_" + unit] = nullptr;
    if (!faces.lines) continue;
    face["slope_us_per_byte"] = one.slope_us_per_byte;
    face["intercept_us"] = one.intercept_us;
  }
  return all;
}

/// `crossovers`: null where none were measured.
void print_faces(const ExchangeFaces& faces, const Json& crossovers) {
  const bool logarithms = faces.faces.front().partition.dim() > max_dim_in_bytes;
  fmt::print("{:>16}  {:<26} {:>10}", logarithms ? "from log2(x)" : "from B/block", "partition", "phases");
  fmt::print("{}{}\n", faces.lines ? fmt::format(" {:>16} {:>16}", "us/B", "us at 0 B") : "",
             crossovers.is_null() ? "" : fmt::format(" {:>12}", "measured"));
  for (std::size_t i = 0; i < faces.faces.size(); ++i) {
    const RealHopsFace& face = faces.faces[i];
    fmt::print("{:>16.6g}  {:<26} {:>10}", face.from_bytes, short_name(face.partition), face.partition.size());
    if (faces.lines) fmt::print(" {:>16.6g} {:>16.6g}", face.slope_us_per_byte, face.intercept_us);
    if (!crossovers.is_null() && i > 0) {
      const Json& bytes = crossovers[i - 1]["measured_bytes"];
      fmt::print(" {:>12}", bytes.is_null() ? "no crossing" : grouped(bytes.get<Bytes>()));
    }
    fmt::print("\n");
  }
}

void print_real_notes(const ExchangeFaces& faces, const ExchangeQuestion& question, bool measured) {
  const bool staged = question.stages.has_value();
  const auto waits = [&](const RealHopsFace& face) { return question.terms(face.partition, 1).waiting_us > 0; };
  fmt::print("\nfrom: by the equation with every hop of every step, as in predict exchange\n");
  if (!question.of_cube() && std::ranges::any_of(faces.faces, waits)) {
    fmt::print("us/B and us at 0 B contain a bound for waits on links that circuits of a step share\n");
  }
  if (staged) {
    fmt::print(
        "for blocks that divide into the parts that go over several ports at once; of other blocks another partition "
        "may be faster: ecube best exchange\n");
  }
  if (staged && !faces.lines) {
    fmt::print("its times are not linear: sizes up to {} B were tried\n",
               grouped(static_cast<std::uint64_t>(max_staged_hull_bytes)));
  }
  if (!measured) return;
  fmt::print(
      "measured: the least whole block from which the face's partition is not slower than the one before, on the "
      "machine\n");
}

void print_average_notes(unsigned dim) {
  if (dim > max_dim_in_bytes) fmt::print("\nx = 2^d m, in bytes; at 0 the first face begins\n");
  fmt::print(
      "\nfrom: by the equation with the average distance, d/2 hops for every message; real hops are followed up to "
      "--dim {}\n",
      max_simulated_dim);
}

/// The range of --retune in us.
std::pair<double, double> delays_of(const std::string& typed, const Machine& machine) {
  if (machine.network.planes == 0) {
    throw InputError("--retune is about planes, and network.planes is 0").hint("add --ports n --set network.planes=2");
  }
  constexpr std::string_view valid = "1us:10ms, a cycle at least";
  std::vector<Cycles> delays;
  for (const std::string_view end : split(typed, ':')) {
    const Parsed<Cycles> delay = parse_cycles(end, machine.clock_hz);
    if (!delay) {
      const Problem& problem = delay.problem();
      throw InputError("--retune " + ecube::quoted(end) + " " + problem.message).hint(problem.hint).valid(valid);
    }
    delays.push_back(*delay);
  }
  if (delays.size() != 2 || delays[0] == 0 || delays[1] < delays[0]) {
    throw InputError("--retune " + ecube::quoted(typed) + " is no range of delays").valid(valid);
  }
  return {machine.us(static_cast<double>(delays[0])), machine.us(static_cast<double>(delays[1]))};
}

int tell_hulls_over_delays(const ExchangeArguments& arguments, const ExchangeQuestion& question) {
  const auto [from, to] = delays_of(arguments.retune.value(), question.machine);
  const std::uint32_t planes = question.machine.network.planes;
  const std::vector<HullFromDelay> hulls = hulls_over_delays(question, from, to, 1);
  if (arguments.run.json) {
    return print_json("hull exchange",
                      {{"machine", question.machine_json}, {"planes", planes}, {"delays", delays_json(hulls)}});
  }
  fmt::print("{}  d={}  best partitions on {}, --retuning {}\n\n{:>16}  {}\n", question.name, question.dim,
             counted(planes, "plane"), arguments.retuning.text(), "from delay us",
             "partitions, each from its block on");
  for (const HullFromDelay& hull : hulls) {
    fmt::print("{:>16.6g} ", hull.from_us);
    for (const RealHopsFace& face : hull.faces.faces) {
      fmt::print("  {:.6g} B: {}", face.from_bytes, face.partition.braced_name());
    }
    fmt::print("\n");
  }
  return 0;
}

int tell_hull(const ExchangeArguments& arguments) {
  const bool measure = arguments.run.measure;
  if (measure && arguments.retune.given()) {
    throw InputError("--measure bisects crossovers at one delay, and --retune has many")
        .hint("leave out one of the two");
  }
  const unsigned measured_dim =
      measure ? dim_of(arguments.run, resolve(settings_of(arguments.run)), max_measured_dim, Networks::any) : 0;
  TestBench bench(measured_dim);
  const ExchangeQuestion question = exchange_question_of(arguments, bench);
  if (arguments.retune.given()) return tell_hulls_over_delays(arguments, question);
  const ExchangeHull hull = exchange_hull(arguments, question, measure ? &bench : nullptr);
  if (arguments.run.json) return print_json("hull exchange", hull.json);
  hull.print();
  return 0;
}

}  // namespace

std::vector<HullFromDelay> hulls_over_delays(ExchangeQuestion question, double from_us, double to_us,
                                             int told_of_decade) {
  std::vector<HullFromDelay> hulls;
  const auto faces_at = [&question](double delay_us) {
    question.options.retune_us = delay_us;
    return faces_of(question, true);
  };
  const auto tell = [&](double delay_us) { hulls.push_back({delay_us, faces_at(delay_us)}); };
  const auto is_told = [&](double delay_us) {
    return std::ranges::equal(faces_at(delay_us).faces, hulls.back().faces.faces, {}, &RealHopsFace::partition,
                              &RealHopsFace::partition);
  };
  tell(from_us);
  constexpr int steps = 24;  // of a decade
  double before = from_us;
  for (int i = 1; before < to_us; ++i) {
    const double sampled = std::min(from_us * std::pow(10, static_cast<double>(i) / steps), to_us);
    if (!is_told(sampled)) {
      double behind = sampled;
      while (behind > before * (1 + 1e-6)) {
        const double middle = std::sqrt(before * behind);
        (is_told(middle) ? before : behind) = middle;
      }
      tell(behind);
    } else if (i % (steps / told_of_decade) == 0) {
      tell(sampled);
    }
    before = sampled;
  }
  return hulls;
}

Json delays_json(const std::vector<HullFromDelay>& hulls) {
  return json_list(hulls, [](const HullFromDelay& hull) -> Json {
    return {{"from_us", hull.from_us}, {"faces", faces_json(hull.faces)}};
  });
}

ExchangeHull exchange_hull(const ExchangeArguments& arguments, const ExchangeQuestion& question, TestBench* bench) {
  const bool staged = question.stages.has_value();
  const bool real = staged || question.dim <= max_simulated_dim;
  // The hull of equal parts, with the average distance, is that of a cube.
  const bool closed_form = !staged && question.of_cube();
  const HullParameters parameters =
      closed_form ? hull_parameters(question.parameters, question.dim, question.options) : HullParameters{};
  const ExchangeFaces average = closed_form ? faces_of(Hull(question.dim, parameters)) : ExchangeFaces();
  const ExchangeFaces faces = real ? faces_of(question, arguments.run.quiet) : average;
  const bool measured = bench != nullptr;
  const Json crossovers = measured ? measured_crossovers(faces.faces, arguments, question, *bench) : Json();
  ExchangeHull hull;
  hull.faces = faces;
  hull.json = {{"machine", question.machine_json},
               {"workload", exchange_json(question.workload, question.machine, {&arguments.order})},
               {"hops", real ? "real" : "average"},
               {"lines", !real || faces.lines},
               {"faces", faces_json(faces)}};
  if (closed_form) hull.json["average_distance"] = {{"faces", faces_json(average)}};
  if (staged && !faces.lines) hull.json["searched_up_to_bytes"] = max_staged_hull_bytes;
  if (measured) hull.json["crossovers"] = crossovers;

  hull.print = [=, &question] {
    fmt::print("{}  {}  hull of optimality of the complete exchange{}, {}\n\n", question.name,
               network_name(question.machine, question.dim),
               staged ? fmt::format(" on {} ports", ports_word(question.machine.node.ports)) : "",
               counted(faces.faces.size(), "face"));
    print_faces(faces, crossovers);
    if (real) {
      print_real_notes(faces, question, measured);
    } else {
      print_average_notes(question.dim);
    }
    if (real && closed_form) {
      fmt::print("with the average distance, d/2 hops for every message:");
      for (const RealHopsFace& face : average.faces) {
        fmt::print(" {} from {:.6g} B", short_name(face.partition), face.from_bytes);
      }
      fmt::print("\n");
    }
    if (closed_form) return print_hull_parameters(question, parameters);
    print_real_parameters(question);
    if (staged) return;
    fmt::print("a part is a number of whole dimensions; with --order high phases span the last dimensions first\n");
  };
  return hull;
}

void add_exchange_hull(const Questions& to) {
  add_question<ExchangeArguments>(
      to.hull, to.invocation, "exchange", "Which partition of the complete exchange is best for which block",
      [](ExchangeArguments& a, Command& command) -> std::vector<OptionRow*> {
        command.add_flag("--measure", a.run.measure,
                         "Bisect every crossover on the machine, to a byte (--dim up to 12)");
        return {&a.order, &a.sync, &a.pairing, &a.retuning, &a.retune, &a.params};
      },
      tell_hull);
}

}  // namespace ecube
