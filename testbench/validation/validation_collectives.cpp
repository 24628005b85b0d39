// SPDX-License-Identifier: Apache-2.0
// Collectives on vectors beside their equations.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "models/collectives/collectives.h"
#include "testbench/validation/validation.h"

namespace ecube {

namespace {

/// A machine on which every collective runs.
struct Where {
  std::string_view preset;
  std::uint32_t ports;
};

constexpr std::array<Where, 4> places{{{"ideal", 1}, {"ideal", Ports::n}, {"ipsc860-nx", 1}, {"ncube2", Ports::n}}};

struct Allowance {
  double percent;
  std::string_view reason;
};

Allowance tolerance_of(const Collective& collective, const Where& where) {
  if (where.preset == "ncube2") {
    return {0.5,
            "start-ups queue; a sender goes on some cycles before its message arrives, the equation when it arrives"};
  }
  if (where.preset == "ipsc860-nx") {
    if (collective.meaning == Meaning::prefix) return {2, "messages of one length; times are whole cycles"};
    constexpr std::pair<std::string_view, double> worst[] = {
        {"reduce-scatter", 5.5}, {"scatter", 9}, {"broadcast", 10}, {"all-gather", 15}, {"gather", 25}};
    const auto* const own = std::ranges::find_if(worst, [&](const auto& one) { return one.first == collective.name; });
    return {
        own == std::end(worst) ? 2 : own->second,
        "unforced messages do not wait for their receivers, so that blocks of unequal length, and most of all those "
        "about the threshold of 25 floats, change the order in which nodes meet"};
  }
  if (collective.before == Holding::all_on_root) {
    return {1.5,
            "a sender goes on some cycles before its message arrives, which shows where blocks differ by an item; "
            "equal blocks are exact"};
  }
  return {0.001, "times are whole cycles"};
}

}  // namespace

std::vector<GridFamily> collective_families() {
  std::vector<GridFamily> families;
  for (const Collective* collective : collectives()) {
    for (const Where& where : places) {
      const bool all_ports = where.ports == Ports::n;
      const Allowance tolerance = tolerance_of(*collective, where);
      std::string algorithms;
      for (const CollectiveAlgorithm& algorithm : collective->algorithms) {
        if (all_ports || !algorithm.all_ports)
          algorithms += fmt::format("{}{}", algorithms.empty() ? "" : "|", algorithm.name);
      }
      families.push_back({fmt::format("{} {}{}", collective->name, where.preset, all_ports ? " n-port" : ""),
                          fmt::format("--machine {} --ports {}", where.preset, all_ports ? "n" : "one"),
                          "d 1 .. 6, every algorithm, 7, p, 100 and 1,000 floats, root 0 and the last but one",
                          tolerance.percent,
                          std::string(tolerance.reason),
                          {{.run = fmt::format("--dim {{d}} --items [7|{{nodes}}|100|1000] --algorithm [{}]{}",
                                               algorithms, collective->rooted ? " --root [0|{last_but_one}]" : "")}}});
    }
  }
  return families;
}

}  // namespace ecube
