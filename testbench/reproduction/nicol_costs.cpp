// SPDX-License-Identifier: Apache-2.0
// Nicol & Bokhari 1994, section 4: the parameters of the iPSC/860, and the share of them that Direct pays.

#include <array>

#include "testbench/reproduction/judged.h"
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

/// Equation (2), us.
double exchange_us(const Partition& partition, double bytes, const Reading& reading) {
  const unsigned d = partition.dim();
  const double delta = delta_per_dim * d;
  double us = 0;
  for (const unsigned part : partition.parts()) {
    const double block = std::ldexp(bytes, static_cast<int>(d - part));
    us += (std::ldexp(1.0, static_cast<int>(part)) - 1) *
          (printed_lambda_us + block * printed_tau_us + delta + (reading.synchronisation ? lambda_zero + delta : 0));
    us += (reading.shuffle ? printed_rho_us * std::ldexp(bytes, static_cast<int>(d)) : 0) +
          (reading.barrier ? barrier_per_dim * d : 0);
  }
  return us;
}

/// The block from which Direct, with the costs of `reading`, is faster than `other`, which pays all costs.
double crossing(const Partition& other, const Reading& reading) {
  const Partition direct = Partition::direct(other.dim());
  const auto lead = [&](double bytes) {
    return exchange_us(direct, bytes, reading) - exchange_us(other, bytes, multiphase);
  };
  return lead(0) / (lead(0) - lead(1));
}

struct StatedTime {
  std::string_view what;
  double printed;
  std::string_view unit;
};
constexpr std::array<StatedTime, 5> stated_times = {{{"d = 5, 1 B", 7, "ms"},
                                                     {"d = 5, meets (3,2)", 100, "B"},
                                                     {"d = 6, 32 B", 17, "ms"},
                                                     {"d = 6, meets (3,3)", 140, "B"},
                                                     {"d = 6, meets Standard", 32, "B"}}};

std::array<double, 5> values(const Reading& reading) {
  std::array<double, 5> numbers = {exchange_us(Partition::direct(5), 1, reading) / 1000,
                                   crossing(Partition({3, 2}), reading),
                                   exchange_us(Partition::direct(6), 32, reading) / 1000,
                                   crossing(Partition({3, 3}), reading), crossing(Partition::standard(6), reading)};
  for (double& number : numbers) number = judged(number, "reading {}", reading.name);
  return numbers;
}

}  // namespace

void nicol_parameters(Findings& result, MeasuredMachine& machine) {
  constexpr unsigned d = 6;
  const ExchangeParameters fitted = machine.calibration().exchange(d, true);
  add_fitted(result, "Parameters of an exchange",
             {fitted.lambda_us, fitted.lambda0_us, fitted.lambda_us + fitted.lambda0_us, fitted.tau_us_per_byte,
              fitted.delta_hop_us / 2, fitted.delta_hop_us, fitted.rho_us_per_byte, fitted.barrier_us / d});
}

void nicol_direct(Findings& result, MeasuredMachine& machine) {
  Grid& grid = result.grid("nicol-direct");
  for (const StatedTime& one : stated_times) grid.columns.push_back(fmt::format("{}, {}", one.what, one.unit));
  std::size_t complete = 0;
  for (const Reading& reading : readings) {
    const std::array<double, 5> numbers = values(reading);
    std::vector<Cell>& cells = grid.add(reading.name);
    bool all = true;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const bool near =
          std::abs(numbers[i] / stated_times[i].printed - 1) * 100 <= judged(read_off.percent, "\"about\", per cent");
      all = all && near;
      cells.push_back({.text = fmt::format("{:.4g}", numbers[i]), .colour = near ? std::optional(2U) : std::nullopt});
      if (reading.shuffle) continue;
      result.add(number_check(print, fmt::format("{}: {}", reading.name, stated_times[i].what), stated_times[i].printed,
                              numbers[i], read_off, stated_times[i].unit));
    }
    complete += all ? 1 : 0;
  }
  std::vector<Cell>& cells = grid.add("printed (\"about\")");
  for (const StatedTime& one : stated_times) cells.push_back({.text = fmt::format("{:g}", one.printed), .colour = {}});
  result.no_number("which costs the paper's prediction of Direct leaves out: \"not observed\"");
  result.count("all_five", 0, complete);

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
  Curves curves(std::array<std::string_view, 4>{"FORCED, barrier", "UNFORCED", "a barrier a step", "unsynchronised"},
                "");
  for (const Bytes size : {4U, 16U, 64U, 100U, 101U, 256U, 1024U, 4096U, 8192U, 32768U}) {
    const double plain = unsynchronised.exchange_us(direct, size, PairwiseSync::off);
    const std::array<double, 4> us = {judged(forced.exchange_us(direct, size), "FORCED with a barrier"),
                                      unforced.exchange_us(direct, size),
                                      global.exchange_us(direct, size, PairwiseSync::off), plain};
    for (std::size_t i = 0; i < us.size(); ++i) curves.measured(i).emplace_back(size, us[i] / 1000);
    const std::string where = fmt::format("{} B", size);
    result[size > 100 ? "of_long" : "of_short"].add(us[0] < us[1], where);
    const double pairwise = us[0] - plain - barrier_per_dim * d;  // of all steps
    result["cheaper"].add(5 * pairwise <= us[2] - plain, where);
    if (size >= 8192) result["negligible"].add(pairwise < us[0] / 20, where);
  }
  std::erase_if(curves.series, [](const Series& one) { return one.kind != SeriesKind::measured; });
  result.panels.emplace_back(chart_of("nicol-synchronisation", std::move(curves.series)));
}

}  // namespace ecube
