// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, Table 3, Figure 11 and the Connection Machine: how long real shuffles take.
#include <array>

#include "testbench/reproduction/counted_shuffles.h"
#include "testbench/reproduction/ipsc1_shuffles.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

/// `count` real constituents of one order.
DimensionPermutation real(unsigned order, unsigned count) {
  std::vector<DimensionPermutation::Cycle> cycles;
  for (unsigned j = 0; j < count; ++j) {
    DimensionPermutation::Cycle& cycle = cycles.emplace_back();
    for (unsigned i = order; i-- > 0;) cycle.push_back({.storage = false, .bit = j * order + i});
  }
  return {cycles, {}};
}

}  // namespace

Reproduction johnsson_ho_table_3(TestBench& bench) {
  Counted machine(bench, "ideal");
  Reproduction result;
  constexpr std::array<std::string_view, 5> names = {"A1 one-port", "A2 one-port", "A1 n-port", "A2 n-port",
                                                     "A2^2 n-port"};
  std::array<Tally, 5> tallies;
  std::array<Series, 5> predicted;
  std::array<Series, 5> measured;
  for (unsigned i = 0; i < names.size(); ++i) {
    predicted[i] = {.name = fmt::format("{}, by the table", names[i]), .colour = i};
    measured[i] = {.name = fmt::format("{}, measured", names[i]), .kind = SeriesKind::measured, .colour = i};
  }
  for (unsigned order = 2; order <= 5; ++order) {
    const DimensionPermutation permutation = real(order, 1);
    for (std::uint64_t k = 4; k <= 64; k += 4) {
      for (unsigned i = 0; i < names.size(); ++i) {
        if (i == 4 && order != 2) continue;
        ShuffleWorkload workload = workload_of(permutation, k, i < 2);
        workload.mixed = MixedAlgorithm::one_port;
        workload.real = i % 2 == 0 ? RealAlgorithm::a1 : RealAlgorithm::a2;
        if (i == 4) workload.real = RealAlgorithm::a2x2;
        // Packets without bound; of A2 squared, of one element.
        const std::array<std::uint64_t, 5> packets = {k / 2, k, over(k, std::uint64_t{2} * order), over(k, order), 1};
        workload.packet = static_cast<std::uint32_t>(packets[i]);
        const std::array<Counts, 5> table = {Counts{(order + 1) * k / 2, order + 1},
                                             {order * k, order},
                                             {(order + 1) * over(k, std::uint64_t{2} * order), order + 1},
                                             {order * over(k, order), order},
                                             {k / 2 + 1, k / 2 + 1}};
        const Counts counted = machine.count(order, workload);
        tallies[i].add(counted == table[i], fmt::format("sigma {} K {}", order, k));
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
    result.checks.push_back(
        tallies[i].check(fmt::format("{}: steps and start-ups are the table's, sigma_r 2 .. 5, K 4 .. 64", names[i])));
  }
  result.panels.emplace_back(std::move(chart));
  result.checks.push_back(machine.times());
  result.verdict =
      "agrees; A2 on n ports takes sigma_r ceil(K / sigma_r) steps, the table's K where sigma_r divides K. Its first "
      "and "
      "last steps go one way and are paced as exchanges with an empty half";
  return result;
}

Reproduction johnsson_ho_figure_11(TestBench& bench) {
  const Ipsc1Shuffles shuffles = measure_ipsc1_shuffles(bench);
  Reproduction result;
  std::array<Series, 6> series = {Series{.name = "router measured", .kind = SeriesKind::measured, .colour = 0},
                                  Series{.name = "two AAPCs measured", .kind = SeriesKind::measured, .colour = 1},
                                  Series{.name = "A1 measured", .kind = SeriesKind::measured, .colour = 2},
                                  Series{.name = "A2 measured", .kind = SeriesKind::measured, .colour = 3},
                                  Series{.name = "A1 predicted", .colour = 2},
                                  Series{.name = "A2 predicted", .colour = 3}};
  double worst = 0;
  double least = shuffles.sizes.front().ratio();
  double most = least;
  for (const Ipsc1Shuffle& size : shuffles.sizes) {
    const auto bytes = static_cast<double>(size.bytes);
    least = std::min(least, size.ratio());
    most = std::max(most, size.ratio());
    series[0].points.emplace_back(bytes, size.route_ms);
    if (size.two_aapcs_ms > 0) series[1].points.emplace_back(bytes, size.two_aapcs_ms);
    series[2].points.emplace_back(bytes, size.a1_ms);
    series[3].points.emplace_back(bytes, size.a2_ms);
    const auto predicted = [&](Series& of, double predicted_ms, double measured_ms) {
      if (predicted_ms == 0) return;
      of.points.emplace_back(bytes, predicted_ms);
      worst = std::max(worst, 100 * std::abs(measured_ms / predicted_ms - 1));
    };
    predicted(series[4], size.a1_predicted_ms, size.a1_ms);
    predicted(series[5], size.a2_predicted_ms, size.a2_ms);
    result.checks.push_back(
        distance(fmt::format("{} B: router / better of A1, A2 (published 5 to 10)", size.bytes), 5, size.ratio(), ""));
  }
  result.panels.emplace_back(Chart{.title = "Shuffle of all dimensions of a 5-cube, preset ipsc1, one port",
                                   .x = {.label = "message of a node, bytes", .logarithmic = true},
                                   .y = {.label = "time, ms", .logarithmic = true},
                                   .series = {series.begin(), series.end()}});
  result.checks.push_back(
      statement("A1 and A2 take what their equations say, messages of one packet, fitted parameters", worst < 0.1,
                fmt::format("furthest off {:.2g} %", worst)));
  result.checks.push_back(statement("A1 and A2 beat the router at every size", least > 1,
                                    fmt::format("{:.2f} to {:.2f} times", least, most)));
  result.checks.push_back(statement("A2 is faster up to a few hundred bytes, A1 above",
                                    shuffles.a1_from_bytes >= 100 && shuffles.a1_from_bytes < 1000,
                                    fmt::format("A1 from {} B", shuffles.a1_from_bytes)));
  result.verdict = fmt::format(
      "agrees: A2 is faster below {} bytes and A1 from there on (published: a few hundred), and both beat the router "
      "at "
      "every size. Differs: the router takes {:.1f} to {:.1f} times as long, published 5 to 10. A message goes over 4 "
      "hops at most, each of one start-up, where A2 has 5 start-ups and A1 sends 6 halves; whatever else forwarding "
      "cost on the machine is not in its published figures. For 5 times at {} bytes a forwarded packet would have to "
      "take {:.1f} ms instead of {:.1f}. The curves of the figure are not legible in the source",
      shuffles.a1_from_bytes, least, most, shuffles.forward_at_bytes, shuffles.forward_for_5_ms, shuffles.forward_ms);
  return result;
}

Reproduction johnsson_ho_cm2(TestBench& bench) {
  Counted machine(bench, "cm2");
  Reproduction result;
  const auto published = [](unsigned beta, double k) { return 270 + (3.2 + 3.9 * beta) * k; };
  struct Form {
    RealAlgorithm algorithm;
    std::string_view name;
    std::string_view exchanges;
    std::array<double, 3> slopes{};  ///< us an element, [beta - 1]
  };
  std::array forms = {
      Form{RealAlgorithm::a2x2_sequential, "one after the other", "beta (K/2 + 1) exchanges in sequence"},
      Form{RealAlgorithm::a2x2, "all at once", "K/2 + 1 exchanges in sequence, whatever beta"}};
  bool straight = true;
  for (Form& form : forms) {
    Chart chart{.title = fmt::format("Real shuffles of beta 2-cycles by A2^2, {}, preset cm2", form.name),
                .x = {.label = "elements of a node K", .least = 0},
                .y = {.label = "time, us", .least = 0}};
    const bool together = form.algorithm == RealAlgorithm::a2x2;
    Tally tally;
    for (unsigned beta = 1; beta <= 3; ++beta) {
      Series own{.name = fmt::format("beta = {} measured", beta), .kind = SeriesKind::measured, .colour = beta - 1};
      Series theirs{
          .name = fmt::format("beta = {} published", beta), .kind = SeriesKind::published, .colour = beta - 1};
      Series equation{.name = fmt::format("beta = {} predicted", beta), .colour = beta - 1};
      // Multiples of 2 beta, at least 4 beta.
      for (std::uint64_t k = 24; k <= 240; k += 24) {
        ShuffleWorkload workload = workload_of(real(2, beta), k, false);
        workload.real = form.algorithm;
        const std::uint64_t exchanges = (together ? 1 : beta) * (k / 2 + 1);
        tally.add(machine.count(2 * beta, workload).steps == exchanges, fmt::format("beta {} K {}", beta, k));
        own.points.emplace_back(k, machine.us());
        theirs.points.emplace_back(k, published(beta, static_cast<double>(k)));
        // A 32-bit exchange in 185 cycles of 7 MHz (section 5's machine).
        equation.points.emplace_back(k, static_cast<double>(exchanges) * 185 / 7);
      }
      double& slope = form.slopes[beta - 1];
      slope =
          (own.points.back().second - own.points.front().second) / (own.points.back().first - own.points.front().first);
      const double constant = own.points.front().second - slope * own.points.front().first;
      for (const auto& [k, us] : own.points) straight = straight && std::abs(constant + slope * k - us) < 1e-6 * us;
      result.checks.push_back(
          distance(fmt::format("beta = {}, {}: us an element", beta, form.name), 3.2 + 3.9 * beta, slope, "us"));
      chart.series.insert(chart.series.end(), {equation, own, theirs});
    }
    result.panels.emplace_back(std::move(chart));
    result.checks.push_back(tally.check(fmt::format("{}: {}", form.name, form.exchanges)));
  }
  result.checks.push_back(statement("the time is a straight line in K", straight));
  result.checks.push_back(machine.times());
  result.verdict = fmt::format(
      "the published time grows with beta, as that of 2-cycles one after the other does; the paper's schedule of K/2 + "
      "1 exchanges for several 2-cycles takes the same time for every beta. Differs in the numbers: one after the "
      "other "
      "an element takes {:.1f} us for each 2-cycle, half of a 32-bit exchange of 185 cycles at 7 MHz, published 3.9 "
      "us, "
      "which is 55 cycles an exchange; all at once it takes {:.1f} us in all, which is more than the published 7.1 us "
      "of "
      "one 2-cycle and less than the 14.9 us of three. The paper does not say how long its elements are, nor what its "
      "3.2 us an element beside and its 270 us are; local moves cost nothing on the preset, which is not tuned to them",
      forms[0].slopes[0], forms[1].slopes[2]);
  return result;
}

}  // namespace ecube
