// SPDX-License-Identifier: Apache-2.0
// Bokhari 1993, sections 3 to 3.4: parameters, numbers of partitions, Properties 1 to 6, Theorems 1 to 3.

#include <fmt/format.h>

#include <array>
#include <numbers>

#include "sw/api/firmware.h"
#include "testbench/reproduction/equations.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

using namespace bokhari;

/// A partial exchange: phases over `parts` dimensions from the highest down, which need not be all of the cube's.
double partial_us(MeasuredMachine& machine, const Partition& parts, unsigned dim, Bytes bytes) {
  Firmware firmware([&](Node& node) -> Task<> {
    unsigned stop = dim;
    for (const unsigned part : parts.parts()) {
      stop -= part;
      for (NodeId step = 1; step < NodeId{1} << part; ++step) {
        co_await node.exchange({.with = node.id() ^ step << stop, .tag = stop, .bytes = bytes << (dim - part)});
      }
      co_await node.permute(bytes << dim);
    }
  });
  return judged(machine.run(dim, firmware).result.us, "phases {} of {}", braced(parts), dim);
}

/// p(0) .. p(most), by adding one size of part after the other.
std::vector<double> partition_numbers(unsigned most) {
  std::vector<double> p(most + 1, 0);
  p[0] = 1;
  for (unsigned part = 1; part <= most; ++part) {
    for (unsigned n = part; n <= most; ++n) p[n] += p[n - part];
  }
  return p;
}

/// The paper's approximation of p(d).
double approximation(double d) {
  return judged(std::exp(std::numbers::pi * std::sqrt(2.0 / 3) * std::sqrt(d)) / (4 * std::sqrt(3.0) * d),
                "approximation");
}

/// Properties 1 to 4, of sums over the parts.
void add_sums(Findings& result) {
  double largest = 0;
  Chart& chart = result.chart("bokhari-properties");
  const auto sum = [](const Partition& parts) { return judged(power_sum(parts), "2^A of {}", braced(parts)); };
  const auto inverse_sum = [](const Partition& parts) {
    return judged(inverse_power_sum(parts), "2^-A of {}", braced(parts));
  };
  for (unsigned e = 2; e <= 24; ++e) {
    const double ones = sum(Partition::standard(e));
    const double whole = std::ldexp(1.0, -static_cast<int>(e));
    for (const Partition& partition : partitions_of(e)) {
      const auto n = static_cast<double>(partition.size());
      const std::string where = braced(partition);
      const double inverse = inverse_sum(partition);
      if (partition.size() < e) result["p1a"].add(ones <= sum(partition), where);
      if (partition.size() < e) result["p1b"].add(whole <= inverse && inverse <= n / 2, where);
      if (partition.size() != 2 || partition.is_equipartition()) continue;
      const Partition equal = Partition::equipartition(e, 2);
      result["p2a"].add(inverse_sum(equal) < inverse, where);
      result["p2b"].add(sum(equal) < sum(partition), where);
    }
    double over_n = 0;
    for (unsigned n = 2; n <= e; ++n) {
      const Partition more = Partition::equipartition(e, n);
      const Partition fewer = Partition::equipartition(e, n - 1);
      const std::string where = fmt::format("E({},{})", e, n);
      result["p3"].add(sum(more) <= sum(fewer), where);
      const double difference = inverse_sum(more) - inverse_sum(fewer);
      over_n = std::max(over_n, difference);
      result["p4"].add(difference <= 0.75, where);
    }
    largest = std::max(largest, over_n);
    chart.add(e, 0.75, over_n);
  }
  result.number("largest_difference", 0.75, largest);

  // The definition on which Properties 1 to 3 rest: X is below Y if the sums of the j largest parts ..., for all j.
  for (const Partition& partition : partitions_in(7, 2)) {
    if (partition.is_equipartition()) continue;
    const unsigned largest_of_equal = equipartition(7, 2).parts().front();
    result["as_printed"].add(largest_of_equal == partition.parts().front(), braced(partition));
    result["corrected"].add(largest_of_equal <= partition.parts().front(), braced(partition));
  }
}

/// The partitions of 4.
void add_theorem_1(Findings& result, MeasuredMachine& machine) {
  std::vector<Partition> partitions;
  Grid& grid = result.grid("bokhari-theorems");
  for (const PrintedLine& row : lines_of_four()) {
    const Line line = measured_line(machine, row.partition);
    const Line printed = row.line(4, figure_1);
    const std::string name = braced(row.partition);
    partitions.push_back(row.partition);
    result.number("intercept", printed.intercept, line.intercept, name);
    result.number("slope", printed.slope, line.slope, name);
    grid.add(name) = {{fmt::format("{:.6g}", printed.intercept)},
                      {fmt::format("{:.6g}", line.intercept)},
                      {fmt::format("{:.6g}", printed.slope)},
                      {fmt::format("{:.6g}", line.slope)}};
  }
  result.text("partitions_of_4", "{4} {13} {22} {122} {1111}", braced(partitions));
  const Line non = measured_line(machine, Partition({3, 1}));
  const Line two = measured_line(machine, Partition({2, 2}));
  const Line direct = measured_line(machine, Partition::direct(4));
  const Line standard = measured_line(machine, Partition::standard(4));
  const double second = meeting(two, direct);
  const double first = meeting(two, standard);
  result.number("upper", -32 * rho * message / (16 * rho + 9 * tau), direct.at(second) - non.at(second));
  result.number("lower", -message * (16 * rho + 3 * tau) / (2 * (4 * rho + tau)), standard.at(first) - non.at(first));
}

/// Every partition on the lower envelope is an equipartition.
void add_theorem_2(Findings& result) {
  for (unsigned d = 2; d <= 24; ++d) {
    // A line above the envelope at its vertices is above it everywhere: the envelope is concave, so the line minus the
    // envelope is convex.
    const std::vector<RealHopsFace> faces = envelope(equipartitions_of(d));
    const auto touches = [&](const Line& line) {
      return std::ranges::any_of(faces, [&](const RealHopsFace& face) {
        const double least = Line{face.slope_us_per_byte, face.intercept_us}.at(face.from_bytes);
        return line.at(face.from_bytes) <= least * (1 + 1e-12);
      });
    };
    for (const Partition& partition : partitions_of(d)) {
      Tally& tally = result[partition.is_equipartition() ? "equal_always" : "others_never"];
      tally.add(touches(equation_6(partition)) == partition.is_equipartition(), braced(partition));
    }
  }
}

}  // namespace

void bokhari_table1(Findings& result, MeasuredMachine& machine) {
  MeasuredMachine without_shuffle =
      machine.with([](Machine& m) { m.library.identity_shuffle = IdentityShuffle::skip; });
  const ExchangeParameters fitted = machine.calibration().exchange(3);
  add_fitted(result, {fitted.tau_us_per_byte, fitted.rho_us_per_byte,
                      fitted.lambda_us + fitted.delta_us + fitted.delta_hop_us});
  const auto equal = [](double a, double b) { return std::abs(a / b - 1) * 100 < rounding.percent; };
  for (unsigned d = 1; d <= 7; ++d) {
    const double nodes = std::ldexp(1.0, static_cast<int>(d));
    for (const Bytes bytes : {1U, 7U, 16U, 100U}) {
      const auto m = static_cast<double>(bytes);
      const std::string where = fmt::format("d {} m {}", d, bytes);
      result["standard"].add(
          equal(machine.exchange_us(Partition::standard(d), bytes), d * ((tau / 2 + rho) * nodes * m + message)),
          where);
      const double plain = (nodes - 1) * (tau * m + message);
      result["direct"].add(equal(without_shuffle.exchange_us(Partition::direct(d), bytes), plain), where);
      result["charged"].add(equal(machine.exchange_us(Partition::direct(d), bytes), plain + rho * nodes * m), where);
    }
  }
  for (unsigned d = 2; d <= 6; ++d) {
    for (unsigned e = 1; e <= d; ++e) {
      for (const Partition& parts : partitions_of(e)) {
        double sum = 0;
        for (const unsigned part : parts.parts()) sum += partial_us(machine, Partition({part}), d, 16);
        const double us = partial_us(machine, parts, d, 16);
        result["partial"].add(equal(us, sum) && equal(us, equation_6(parts, d).at(16)), "d {}, {}", d, braced(parts));
      }
    }
  }
}

void bokhari_table2(Findings& result, MeasuredMachine& /*machine*/) {
  Grid& grid = result.grid("bokhari-table2");
  for (const Partition& partition : listed(5)) {
    grid.add(std::to_string(partition.size())) = {{braced(partition)}, {partition.is_equipartition() ? "yes" : ""}};
  }
  result.text("partitions", "{5} {14} {23} {113} {122} {1112} {11111}", braced(listed(5)));
  for (const PrintedRow& example : printed("bokhari-table2")) {
    const auto dim = static_cast<unsigned>(std::stoul(example.name));
    const auto phases = static_cast<unsigned>(std::stoul(example.name.substr(example.name.find(',') + 1)));
    result.text("example", example.text, braced(equipartition(dim, phases)), example.name);
  }
  const auto named = [](const Partition& one) { return braced(one) == "{224679}" || braced(one) == "{115788}"; };
  result.number("of_30", 2, std::ranges::count_if(partitions_in(30, 6), named));
}

void bokhari_count(Findings& result, MeasuredMachine& machine) {
  constexpr unsigned most = 1000;
  const std::vector<double> p = partition_numbers(most);
  Chart& numbers = result.chart("bokhari-count");
  for (unsigned d = 1; d <= 40; ++d) {
    const auto number = static_cast<double>(judged(partitions_of(d), "partitions of {}", d).size());
    result["counted"].add(number == p[d], "d {}", d);
    numbers.add(d, approximation(d), number);
  }
  result.number("p_of_20", 627, listed(20).size());
  result.add_statements();
  const auto excess = [&](unsigned d) { return 100 * (approximation(d) / p[d] - 1); };
  bool falling = true;
  for (unsigned d = 26; d <= most; ++d) falling = falling && excess(d) > 0 && excess(d) < excess(d - 1);
  result.statement(
      "approximation", falling && excess(most) < 2,
      fmt::format("{:.1f} % at 20, {:.1f} % at 100, {:.1f} % at 1,000", excess(20), excess(100), excess(most)));

  // Section 3.1: not convex for n = 2, and no halving.
  Chart& bend = result.chart("bokhari-count bend");
  const auto second_difference = [&](Bytes bytes) {
    return machine.exchange_us(Partition({5, 1}), bytes) - 2 * machine.exchange_us(Partition({4, 2}), bytes) +
           machine.exchange_us(Partition({3, 3}), bytes);
  };
  for (Bytes bytes = 5; bytes <= 105; bytes += 5) bend.add(bytes, second_difference(bytes) / 1000);
  result.statement("not_convex", second_difference(64) < 0, fmt::format("{:.0f} us", second_difference(64)));
  result.statement("convex_up_to",
                   second_difference(54) > 0 && second_difference(56) < 0 && std::abs(second_difference(55)) < 1e-6);
  // Repeated halving: 6, then two parts of 3, then each of these in 2 and 1, and so on. {222} is not among them.
  const std::array halved = {Partition({6}), Partition({3, 3}), Partition({2, 2, 1, 1}), Partition::standard(6)};
  std::vector<Bytes> missed;
  for (const Bytes bytes : {1U, 2U, 3U, 4U, 5U, 8U, 16U, 32U, 64U}) {
    const Partition best = machine.fastest(partitions_of(6), bytes);
    if (std::ranges::find(halved, best) == halved.end()) missed.push_back(bytes);
  }
  result.statement("halving", !missed.empty(), fmt::format("misses it at {} B", fmt::join(missed, " ")));
}

void bokhari_properties(Findings& result, MeasuredMachine& machine) {
  add_sums(result);
  for (unsigned d = 2; d <= 6; ++d) {
    std::vector<Line> lines;
    for (unsigned n = 1; n <= d; ++n) lines.push_back(measured_line(machine, Partition::equipartition(d, n)));
    for (unsigned n = 2; n <= d; ++n) {
      const std::string where = fmt::format("E({},{})", d, n);
      result["p5_slope"].add(lines[n - 1].slope > lines[n - 2].slope, where);
      result["p5_intercept"].add(lines[n - 1].intercept < lines[n - 2].intercept, where);
    }
    for (const Partition& partition : partitions_of(d)) {
      const auto not_before = [&](const Partition& best, Bytes bytes) {
        return machine.exchange_us(best, bytes) <= machine.exchange_us(partition, bytes);
      };
      result["p6_direct"].add(not_before(Partition::direct(d), 4096), braced(partition));
      result["p6_standard"].add(not_before(Partition::standard(d), 1), braced(partition));
    }
  }
  result.add_statements();
  // The time of Direct as the proof of Property 6 prints it: exponents without their signs, and -rho.
  constexpr double bytes = 16;
  const double us = machine.exchange_us(Partition::direct(4), 16);
  result.number("proof_of_6", ((1 - 16.0) * tau - rho) * 16 * bytes + (16 - 1) * message, us);
  result.number("proof_corrected", ((1 - 1.0 / 16) * tau + rho) * 16 * bytes + (16 - 1) * message, us);
}

void bokhari_theorems(Findings& result, MeasuredMachine& machine) {
  add_theorem_1(result, machine);
  add_theorem_2(result);
  result.add_statements();
  // Theorem 3 for parts 1 and 2: E(6,6), E(6,5) and E(6,4), with p = 5, Omega = 1 and alpha = 4 parts 1 in E(6,5).
  const auto us = [&](unsigned phases) { return machine.exchange_us(Partition::equipartition(6, phases), 16); };
  result.number("dependent", 2 * us(5), us(6) + us(4));
  constexpr unsigned p = 5;
  constexpr unsigned omega = 1;
  constexpr unsigned alpha = 4;
  const Partition six = equipartition(6, p + 1);
  const auto ones = static_cast<std::size_t>(std::ranges::count(six.parts(), 1U));
  result.number("ones", 1 + alpha + omega, ones);
  result.number("twos", p + alpha - omega, six.size() - ones);
}

}  // namespace ecube
