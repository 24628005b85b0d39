// SPDX-License-Identifier: Apache-2.0
// Nicol & Bokhari 1994: the multiphase exchange on the iPSC/860, the bounds on its best partition, the parameters of
// the machine, and the share of them that Direct pays.
#include <fmt/format.h>

#include <array>
#include <numeric>

#include "models/machine/spelling.h"
#include "models/presets/presets.h"
#include "testbench/reproduction/equations.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

/// Section 4, us and us per byte. The 85.5 us of our copy contradict 177.5 = 95.0 + 82.5.
constexpr double printed_lambda_us = 95.0;
constexpr double lambda_zero = 82.5;
constexpr double printed_tau_us = 0.394;
constexpr double printed_rho_us = 0.54;
constexpr double delta_per_dim = 5.15;
constexpr double barrier_per_dim = 150;

/// Which of the costs of equation (2) Direct is charged with.
struct Reading {
  std::string_view name;
  bool shuffle = true;
  bool barrier = true;
  bool synchronisation = true;
};

constexpr Reading multiphase = {.name = "all costs"};
constexpr std::array<Reading, 5> readings = {
    {multiphase,
     {.name = "without the shuffle (today's reading)", .shuffle = false},
     {.name = "without the barrier", .barrier = false},
     {.name = "without shuffle and barrier", .shuffle = false, .barrier = false},
     {.name = "without synchronisation messages", .synchronisation = false}}};

bokhari::Line equation_2(const Partition& partition, const Reading& reading) {
  const unsigned d = partition.dim();
  const double delta = delta_per_dim * d;
  bokhari::Line line;
  for (const unsigned part : partition.parts()) {
    const double steps = std::exp2(part) - 1;
    line.slope += steps * std::exp2(d - part) * printed_tau_us + (reading.shuffle ? printed_rho_us * std::exp2(d) : 0);
    line.intercept += steps * (printed_lambda_us + delta + (reading.synchronisation ? lambda_zero + delta : 0)) +
                      (reading.barrier ? barrier_per_dim * d : 0);
  }
  return line;
}

/// Direct with the shuffle that moves nothing, or without it, as in the program that was measured.
bokhari::Line equation_2(const Partition& partition, bool with_shuffle) {
  return equation_2(partition, partition.size() == 1 && !with_shuffle ? readings[1] : multiphase);
}

std::string bracketed(const Partition& partition) { return "(" + partition.name() + ")"; }

class PrintedPlot {
 public:
  PrintedPlot(MeasuredMachine machine, unsigned dim) : machine_(std::move(machine)), dim_(dim) {}

  double ms(const Partition& partition, Bytes bytes) { return machine_.exchange_us(partition, bytes) / 1000; }

  static double predicted_ms(const Partition& partition, double bytes) {
    return equation_2(partition, false).at(bytes) / 1000;
  }

  /// Fills in the chart, which has a prediction and a measurement of each of the partitions.
  void draw(Chart& chart, std::span<const Partition> partitions) {
    double highest = 0;
    for (std::size_t i = 0; i < partitions.size(); ++i) {
      auto& measured = chart.series[2 * i + 1].points;
      for (unsigned bytes = 0; bytes <= 400; bytes += 20) {
        const Bytes sent = std::max(1U, bytes);
        chart.series[2 * i].points.emplace_back(bytes, predicted_ms(partitions[i], bytes));
        measured.emplace_back(sent, ms(partitions[i], sent));
      }
      if (partitions[i].size() <= 2) highest = std::max(highest, measured.back().second);
    }
    chart.y.most = std::ceil(highest * 1.3);
  }

  /// The lines of models/ against the equation, and where each meets the next one.
  void check_lines(std::span<const Partition> partitions, Findings& result) const {
    ExchangeParameters published = *published_parameters("ipsc860", dim_);
    published.pairwise_sync_messages = true;
    for (const bool charged : {true, false}) {
      const IdentityShuffle shuffle = charged ? IdentityShuffle::charge : IdentityShuffle::skip;
      const HullParameters p =
          hull_parameters(published, dim_, {.hops = HopCount::average, .identity_shuffle = shuffle});
      std::vector<bokhari::Line> lines;
      for (const Partition& partition : partitions) {
        const HullLine of_hull = equipartition_line(dim_, static_cast<unsigned>(partition.size()), p);
        const double slope = static_cast<double>(of_hull.slope) * std::exp2(dim_);
        lines.push_back(judged(bokhari::Line{slope, static_cast<double>(of_hull.intercept)}, "equation of {}",
                               partition.braced_name()));
        if (!charged) continue;
        result.number("slope", equation_2(partition, true).slope, lines.back().slope, partition.name());
        result.number("intercept", equation_2(partition, true).intercept, lines.back().intercept, partition.name());
      }
      for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
        const Partition& next = partitions[i + 1];
        const double meet = bokhari::meeting(equation_2(partitions[i], charged), equation_2(next, charged));
        result.number("by_equation", meet, bokhari::meeting(lines[i], lines[i + 1]), partitions[i].name(), next.name(),
                      charged ? "" : ", Direct's shuffle left out");
      }
    }
  }

  /// `two` is the fastest at these sizes, Direct at long blocks, and nothing else at any.
  void check_faces(const Partition& two, std::span<const Bytes> sizes, Findings& result) {
    const Partition direct = Partition::direct(dim_);
    const Partition standard = Partition::standard(dim_);
    const std::vector<Partition> all = partitions_of(dim_);
    std::vector<std::string> fastest;  // at some size up to 400 B, in the order of sizes
    for (const Partition& one :
         machine_.fastest(all, std::array<Bytes, 12>{1, 2, 4, 6, 8, 16, 32, 64, 96, 160, 256, 400})) {
      fastest.push_back(bracketed(one));
    }
    result.text("fastest", bracketed(two) + " " + bracketed(direct), joined(fastest, " "));
    const auto add_best = [&](const Partition& best, std::span<const Bytes> at) {
      const bool holds = std::ranges::all_of(at, [&](Bytes bytes) { return machine_.fastest(all, bytes) == best; });
      result.statement("best", holds, "", best.name(), all.size(), fmt::join(at, ", "));
    };
    add_best(two, sizes);
    add_best(direct, std::array<Bytes, 3>{160, 256, 400});
    for (Bytes bytes = 1; bytes <= 512; bytes *= 2) {
      result["standard"].add(machine_.fastest(equipartitions_of(dim_), bytes) != standard, "{} B", bytes);
    }
    // The equation with the printed parameters has one delta for all distances.
    Furthest of_all;
    Furthest of_standard;
    for (const Partition& partition : all) {
      for (const Bytes bytes : {1U, 16U, 64U, 160U, 400U}) {
        const double took = ms(partition, bytes);
        const double expected = predicted_ms(partition, static_cast<double>(bytes));
        of_all.add(took, expected);
        if (partition == standard) of_standard.add(took, expected);
      }
    }
    result.within("equation_2", of_all, "all partitions take");
    result.within("equation_2", of_standard, "Standard takes");
  }

 private:
  MeasuredMachine machine_;
  unsigned dim_;
};

/// The number of equipartitions that remain to be compared, by the bounds on the largest part or by those on the number
/// of phases, whichever leave fewer. `ends`: of the equipartitions with the same largest part only the first and the
/// last count, since the lines of all of them meet in one point (Bokhari 1993, Theorem 3).
unsigned comparisons(unsigned dim, double sum, bool ends) {
  unsigned by_part = 0;
  unsigned by_phases = 0;
  for (unsigned phases = 1; phases <= dim; ++phases) {
    const unsigned largest = (dim + phases - 1) / phases;
    const bool inner = phases > 1 && phases < dim && (dim + phases - 2) / (phases - 1) == largest &&
                       (dim + phases) / (phases + 1) == largest;
    const bool within = largest >= std::floor(sum) / 2 && largest <= std::ceil(sum);
    by_part += within && !(ends && inner) ? 1 : 0;
    by_phases += phases <= 2 * dim / std::ceil(sum) ? 1 : 0;
  }
  return judged(std::min(by_part, by_phases), "comparisons, {}", ends ? "ends" : "all");
}

/// The times and blocks that printed.tsv has for nicol-direct.
std::array<double, 5> values(const Reading& reading) {
  const auto direct = [&](unsigned d) { return equation_2(Partition::direct(d), reading); };
  // Others pay all costs.
  const auto meets = [&](const Partition& other) {
    return bokhari::meeting(equation_2(other, multiphase), direct(other.dim()));
  };
  std::array<double, 5> numbers = {direct(5).at(1) / 1000, meets(Partition({3, 2})), direct(6).at(32) / 1000,
                                   meets(Partition({3, 3})), meets(Partition::standard(6))};
  for (double& number : numbers) number = judged(number, "reading {}", reading.name);
  return numbers;
}

}  // namespace

void nicol_fig2(Findings& result, MeasuredMachine& machine) {
  PrintedPlot figure(machine, 5);
  const Partition direct = Partition::direct(5);
  const Partition two({3, 2});
  figure.draw(result.chart("nicol-fig2"), std::array{two, direct, Partition::standard(5)});
  result.number("direct_1", 7, figure.ms(direct, 1));
  result.number("cross", 100, machine.crossing(two, direct));
  figure.check_faces(two, std::array<Bytes, 4>{1, 16, 32, 64}, result);
  figure.check_lines(std::array{two, direct}, result);
}

void nicol_fig3(Findings& result, MeasuredMachine& machine) {
  PrintedPlot figure(machine, 6);
  const Partition direct = Partition::direct(6);
  const Partition three({2, 2, 2});
  const Partition two({3, 3});
  const Partition standard = Partition::standard(6);
  figure.draw(result.chart("nicol-fig3"), std::array{two, direct, standard, three});
  const double cross = machine.crossing(two, direct);
  result.number("cross", 140, cross);
  result.number("direct_32", 17, figure.ms(direct, 32));
  result.number("standard_32", 17, figure.ms(standard, 32));
  result.number("best_32", 8, figure.ms(two, 32));
  result.number("same_time", 32, machine.crossing(standard, direct));
  figure.check_faces(two, std::array<Bytes, 4>{8, 16, 32, 64}, result);
  result.number("factor", 2, std::min(figure.ms(direct, 32), figure.ms(standard, 32)) / figure.ms(two, 32));
  figure.check_lines(std::array{three, two, direct}, result);
  result.remarks = fmt::format(
      "(3,3) and Direct cross at {:g} B on the machine, at 122.4 B by the paper's own formula without Direct's "
      "shuffle. (2,2,2) is faster than (3,3) up to {:g} B.",
      cross, machine.crossing(three, two) - 1);
}

void nicol_bounds(Findings& result, MeasuredMachine& machine) {
  constexpr unsigned shown_dim = 10;
  constexpr double rho_to_tau = 0.54 / 0.394;
  Chart& chart = result.chart("nicol-bounds", shown_dim, rho_to_tau);
  for (unsigned d = 2; d <= 24; ++d) {
    const std::vector<Partition> partitions = partitions_of(d);
    for (double power = -1; power <= d + 4; power += 0.125) {
      const Startup at = {.dim = d, .ratio = std::exp2(power), .rho = rho_to_tau};
      const std::string where = fmt::format("d {} L/(m tau) {:.4g}", d, at.ratio);
      std::vector<double> phase(d + std::size_t{1});
      for (unsigned part = 1; part <= d; ++part) phase[part] = at.phase(part);
      const auto time = [&](const Partition& one) {
        return std::accumulate(one.parts().begin(), one.parts().end(), 0.0,
                               [&](double before, unsigned part) { return before + phase[part]; });
      };
      const Partition best =
          judged(*std::ranges::min_element(partitions, std::less<>(), time), "best partition of {}", d);
      const auto sizes = best.parts();
      const bool below = at.ratio <= at.direct_up_to();
      const bool above = at.ratio >= at.standard_from();
      if (below || above) result["optimal"].add(sizes.size() == (below ? 1 : d), where);
      if (below || above) continue;
      const double s = *at.equal_phases();
      // Parts are in non-increasing order.
      const bool pairs = sizes.size() == 1 || sizes[sizes.size() - 1] + sizes[sizes.size() - 2] >= std::floor(s);
      result["parts"].add(best.is_equipartition() && sizes[0] <= std::ceil(s) && pairs, where);
      result["few_phases"].add(static_cast<double>(sizes.size()) <= 2 * d / std::ceil(s), where);
      const double limit = 2 * (std::sqrt(d) + 1);
      result["compared"].add(comparisons(d, s, false) <= limit, where);
      result["compared_ends"].add(comparisons(d, s, true) <= limit, where);
      if (d == shown_dim) chart.add(at.ratio, 2 * d / std::ceil(s), sizes.size(), s, sizes[0]);
    }
  }
  for (Bytes bytes = 1; bytes <= 128; bytes *= 2) {
    const Partition best = machine.fastest(partitions_of(6), bytes);
    const Startup at = {.dim = 6, .ratio = 110.0 / (2 * static_cast<double>(bytes)), .rho = 0.5};
    // Where there is no s* the bounds are those at its ends.
    const double s = at.equal_phases().value_or(at.ratio >= at.standard_from() ? 2 : 6);
    result["measured"].add(best.is_equipartition() && best.parts()[0] <= std::ceil(s) &&
                               static_cast<double>(best.size()) <= 2 * 6 / std::ceil(s),
                           "{} B", bytes);
  }
}

void nicol_parameters(Findings& result, MeasuredMachine& machine) {
  constexpr unsigned d = 6;
  const ExchangeParameters fitted = machine.calibration().exchange(d, true);
  add_fitted(result, {fitted.lambda_us, fitted.lambda0_us, fitted.lambda_us + fitted.lambda0_us, fitted.tau_us_per_byte,
                      fitted.delta_hop_us / 2, fitted.delta_hop_us, fitted.rho_us_per_byte, fitted.barrier_us / d});
}

void nicol_direct(Findings& result, MeasuredMachine& machine) {
  Grid& grid = result.grid("nicol-direct");
  const std::vector<PrintedRow> stated = printed("nicol-direct");
  const double about = judged(read_off.percent, "\"about\", per cent");
  std::size_t complete = 0;
  for (const Reading& reading : readings) {
    const std::array<double, 5> numbers = values(reading);
    std::vector<Cell>& cells = grid.add(reading.name);
    bool all = true;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double in_print = std::stod(stated[i].text);
      const bool near = std::abs(numbers[i] / in_print - 1) * 100 <= about;
      all = all && near;
      cells.push_back({.text = fmt::format("{:.4g}", numbers[i]), .colour = near ? std::optional(2U) : std::nullopt});
      if (reading.shuffle) continue;
      result.add(number_check(print, fmt::format("{}: {}", reading.name, stated[i].name), in_print, numbers[i],
                              read_off, stated[i].text.substr(stated[i].text.find(' ') + 1)));
    }
    complete += all ? 1 : 0;
  }
  std::vector<Cell>& cells = grid.add("printed (\"about\")");
  for (const PrintedRow& one : stated)
    cells.push_back({.text = fmt::format("{:g}", std::stod(one.text)), .colour = {}});
  result.number("all_five", 0, complete);

  // The paper's equation has the average distance; the machine has the real ones. Otherwise they are the same.
  result.number("direct_5", values(readings[1])[0], machine.exchange_us(Partition::direct(5), 1) / 1000);
  result.number("direct_6", values(readings[1])[2], machine.exchange_us(Partition::direct(6), 32) / 1000);
}

void nicol_synchronisation(Findings& result, MeasuredMachine& forced) {
  MeasuredMachine global = forced.with([](Machine& m) { m.library.barrier = Barrier::step; });
  MeasuredMachine unsynchronised = forced.with([](Machine& m) { m.library.barrier = Barrier::none; });
  MeasuredMachine unforced = unsynchronised.with([](Machine& m) { m.library.protocol = Protocol::unforced; });
  constexpr unsigned d = 5;
  const Partition direct = Partition::direct(d);
  Chart& chart = result.chart("nicol-synchronisation");
  for (const Bytes size : {4U, 16U, 64U, 100U, 101U, 256U, 1024U, 4096U, 8192U, 32768U}) {
    const double plain = unsynchronised.exchange_us(direct, size, PairwiseSync::off);
    const std::array<double, 4> us = {judged(forced.exchange_us(direct, size), "FORCED with a barrier"),
                                      unforced.exchange_us(direct, size),
                                      global.exchange_us(direct, size, PairwiseSync::off), plain};
    chart.add(size, us[0] / 1000, us[1] / 1000, us[2] / 1000, us[3] / 1000);
    const std::string where = fmt::format("{} B", size);
    result[size > 100 ? "of_long" : "of_short"].add(us[0] < us[1], where);
    const double pairwise = us[0] - plain - barrier_per_dim * d;  // of all steps
    result["cheaper"].add(5 * pairwise <= us[2] - plain, where);
    if (size >= 8192) result["negligible"].add(pairwise < us[0] / 20, where);
  }
}

}  // namespace ecube
