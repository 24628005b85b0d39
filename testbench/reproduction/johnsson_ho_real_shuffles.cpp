// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, Table 3 and the Connection Machine: the times of real shuffles.
#include <array>

#include "testbench/reproduction/counted_shuffles.h"
#include "testbench/reproduction/results.h"

namespace ecube {

Reproduction johnsson_ho_table_3(TestBench& bench, const Machine& preset) {
  Counted machine(bench, preset);
  Reproduction result;
  constexpr std::array<std::string_view, 5> names = {"A1 one-port", "A2 one-port", "A1 n-port", "A2 n-port",
                                                     "A2^2 n-port"};
  constexpr std::size_t a2_on_n_ports = 3;
  std::array<Tally, 5> tallies;
  std::array<Tally, 5> factors;
  Tally rounded;
  std::array<Series, 5> predicted;
  std::array<Series, 5> measured;
  for (unsigned i = 0; i < names.size(); ++i) {
    predicted[i] = {.name = fmt::format("{}, by the table", names[i]), .colour = i};
    measured[i] = {.name = fmt::format("{}, measured", names[i]), .kind = SeriesKind::measured, .colour = i};
  }
  for (unsigned order = 2; order <= 5; ++order) {
    const DimensionPermutation permutation = real_constituents(order, 1);
    for (std::uint64_t k = 4; k <= 64; k += 4) {
      for (unsigned i = 0; i < names.size(); ++i) {
        if (i == 4 && order != 2) continue;
        ShuffleWorkload workload = workload_of(permutation, k, i < 2);
        workload.mixed = MixedAlgorithm::one_port;
        workload.real = i % 2 == 0 ? RealAlgorithm::a1 : RealAlgorithm::a2;
        if (i == 4) workload.real = RealAlgorithm::a2x2;
        // Packets of any size; for A2 squared packets of one element.
        const std::array<std::uint64_t, 5> packets = {k / 2, k, over(k, std::uint64_t{2} * order), over(k, order), 1};
        workload.packet = static_cast<std::uint32_t>(packets[i]);
        const std::array<Counts, 5> table = {Counts{(order + 1) * k / 2, order + 1},
                                             {order * k, order},
                                             {(order + 1) * over(k, std::uint64_t{2} * order), order + 1},
                                             {k, order},
                                             {k / 2 + 1, k / 2 + 1}};
        const std::string where = fmt::format("sigma {} K {}", order, k);
        const Counts counted = machine.count(order, workload);
        tallies[i].add(counted == table[i], where);
        // The last columns, relative to sigma K/2 elements on one port and K/2 on n, and to sigma start-ups. Of A2
        // squared the factor is 1 + 2B/K; unequal parts would add their rounding.
        const auto least = static_cast<double>(i < 2 ? order * k / 2 : k / 2);
        const double steps = static_cast<double>(counted.steps) / least;
        const double startups = static_cast<double>(counted.startups) / order;
        if (i % 2 == 0 && i < 4 && k % (std::uint64_t{2} * order) == 0) {
          factors[i].add(steps > 1 && steps <= 1.5 && startups > 1 && startups <= 1.5, where);
        } else if (i % 2 == 1 && k % order == 0) {
          factors[i].add(steps == 2 && startups == 1, where);
        } else if (i == 4) {
          factors[i].add(steps == 1 + 2.0 / static_cast<double>(k), where);
        }
        if (i == a2_on_n_ports) rounded.add(counted == Counts{order * over(k, order), order}, where);
        if (order != (i == 4 ? 2 : 4)) continue;
        predicted[i].points.emplace_back(k, table[i].steps);
        measured[i].points.emplace_back(k, counted.steps);
      }
    }
  }
  Chart chart{.title = "Element exchanges in sequence, sigma_r = 4 (A2^2: 2)",
              .x = {.label = "elements of a node K", .least = 0},
              .y = {.label = "steps", .least = 0}};
  for (unsigned i = 0; i < names.size(); ++i) {
    chart.series.push_back(predicted[i]);
    chart.series.push_back(measured[i]);
    result.add(tallies[i].check(
        print, fmt::format("{}: steps and start-ups are the table's, sigma_r 2 .. 5, K 4 .. 64", names[i])));
    result.add(factors[i].check(print, fmt::format("{}: multiples of the lower bounds are the table's", names[i])));
  }
  result.add(rounded.check(ours, "A2 n-port: sigma_r ceil(K / sigma_r) steps"));
  result.panels.emplace_back(std::move(chart));
  result.add(machine.times());
  result.remarks =
      "The multiples are held against the bounds where K can be cut into equal parts. The first and last steps of A2 "
      "go "
      "one way and are paced as exchanges with an empty half.";
  return result;
}

Reproduction johnsson_ho_cm2(TestBench& bench, const Machine& preset) {
  Counted machine(bench, preset);
  Reproduction result;
  const auto published = [](unsigned beta, double k) { return 270 + (3.2 + 3.9 * beta) * k; };
  constexpr Tolerance two_digits = {2, "printed with two digits"};
  struct Form {
    RealAlgorithm algorithm;
    std::string_view name;
    /// Exchanges in sequence for beta 2-cycles.
    std::uint64_t (*exchanges)(unsigned beta, std::uint64_t elements);
    ComparedWith compared_with;
    std::string_view statement;
  };
  const std::array forms = {
      Form{RealAlgorithm::a2x2_sequential, "one after the other",
           [](unsigned beta, std::uint64_t elements) { return beta * (elements / 2 + 1); }, ours,
           "one after the other: beta (K/2 + 1) exchanges in sequence"},
      Form{RealAlgorithm::a2x2, "all at once", [](unsigned, std::uint64_t elements) { return elements / 2 + 1; }, print,
           "all at once: K/2 + 1 exchanges in sequence (abstract), beta = 1, 2, 3"}};
  bool straight = true;
  double constant = 0;
  std::vector<Check> slopes;
  std::vector<Check> what_if;
  std::vector<Check> counts;
  for (const Form& form : forms) {
    Chart chart{.title = fmt::format("Real shuffles of beta 2-cycles by A2^2, {}, preset cm2", form.name),
                .x = {.label = "elements of a node K", .least = 0},
                .y = {.label = "time, us", .least = 0}};
    Tally tally;
    for (unsigned beta = 1; beta <= 3; ++beta) {
      Series own_series{
          .name = fmt::format("beta = {} measured", beta), .kind = SeriesKind::measured, .colour = beta - 1};
      Series theirs{
          .name = fmt::format("beta = {} published", beta), .kind = SeriesKind::published, .colour = beta - 1};
      Series equation{.name = fmt::format("beta = {} predicted", beta), .colour = beta - 1};
      // Multiples of 2 beta, at least 4 beta.
      for (std::uint64_t k = 24; k <= 240; k += 24) {
        ShuffleWorkload workload = workload_of(real_constituents(2, beta), k, false);
        workload.real = form.algorithm;
        const std::uint64_t exchanges = form.exchanges(beta, k);
        tally.add(machine.count(2 * beta, workload).steps == exchanges, fmt::format("beta {} K {}", beta, k));
        own_series.points.emplace_back(k, machine.us());
        theirs.points.emplace_back(k, published(beta, static_cast<double>(k)));
        // A 32-bit exchange in 185 cycles of 7 MHz (section 1 of the paper; the clock is recalled).
        equation.points.emplace_back(k, static_cast<double>(exchanges) * 185 / 7);
      }
      const auto& [first_k, first_us] = own_series.points.front();
      const auto& [last_k, last_us] = own_series.points.back();
      const double slope = (last_us - first_us) / (last_k - first_k);
      const double at_0 = first_us - slope * first_k;
      if (beta == 1) constant = at_0;
      for (const auto& [k, us] : own_series.points) straight = straight && std::abs(at_0 + slope * k - us) < 1e-6 * us;
      slopes.push_back(number_check(print, fmt::format("beta = {}, {}: us an element", beta, form.name),
                                    3.2 + 3.9 * beta, slope, two_digits, "us"));
      what_if.push_back(
          number_check(print, fmt::format("beta = {}, {}: us an element, if two channels shared them", beta, form.name),
                       3.2 + 3.9 * beta, slope / 2, two_digits, "us"));
      chart.series.insert(chart.series.end(), {equation, own_series, theirs});
    }
    result.panels.emplace_back(std::move(chart));
    counts.push_back(tally.check(form.compared_with, std::string(form.statement)));
  }
  ShuffleWorkload one = workload_of(real_constituents(2, 1), 2, false);
  one.real = RealAlgorithm::a2x2;
  // Two exchanges: one element each way by either path.
  const auto steps_of_one = static_cast<double>(machine.count(2, one).steps);
  result.number(print, "a 32-bit exchange (section 1: \"about\")", 185,
                machine.us() * preset.clock_hz * 1e-6 / steps_of_one, {1, "the preset is set to it"}, "cycles");
  result.checks.insert(result.checks.end(), slopes.begin(), slopes.end());
  result.number(print, "beta = 1: us at K = 0", 270, constant, two_digits, "us");
  result.checks.insert(result.checks.end(), what_if.begin(), what_if.end());
  result.checks.insert(result.checks.end(), counts.begin(), counts.end());
  result.statement(ours, "the time is a straight line in K", straight);
  result.add(machine.times());
  result.remarks =
      "The published time grows with beta, as the time of 2-cycles one after the other does; the paper's own schedule "
      "for several 2-cycles takes the same time for every beta. "
      "Half of an exchange of 185 cycles at 7 MHz is 13.2 us, the published 3.9 us are 55 cycles an exchange. Section "
      "1 "
      "has 22 exchanges at once on a full machine of 11 dimensions, two channels a dimension; the preset has one. If "
      "two channels shared the elements, each step would move two of them a dimension: half the slope. The paper does "
      "not say how long its elements are, nor what its 3.2 us an element and its 270 us are; local moves cost nothing "
      "on the preset, which is not tuned to them.";
  return result;
}

}  // namespace ecube
