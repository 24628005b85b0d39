// SPDX-License-Identifier: Apache-2.0
// Grids of exchange, combine and shuffle as commands in words.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "models/collectives/collectives.h"
#include "models/exchange/partition.h"
#include "testbench/validation/validation.h"

namespace ecube {

namespace {

/// "p4,p3,p2" from p`first` up.
std::string bits(unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = count; i-- > 0;) text += fmt::format("{}p{}", text.empty() ? "" : ",", first + i);
  return text;
}

/// So many constituents of one order, each with a storage dimension: "--cycle p1,p0,s0 --cycle p3,p2,s1".
std::string mixed_cycles(unsigned count, unsigned dim) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text += fmt::format("{}--cycle {},s{}", i > 0 ? " " : "", bits(i * (dim / count), dim / count), i);
  }
  return text;
}

std::string two_cycles(unsigned dim) {
  std::string text;
  for (unsigned bit = 0; bit + 1 < dim; bit += 2) text += fmt::format("{}--cycle {}", bit > 0 ? " " : "", bits(bit, 2));
  return text;
}

std::string even_bits(unsigned dim) {
  std::string text;
  for (unsigned bit = dim; bit-- > 0;) text += bit % 2 != 0 ? "" : fmt::format("p{}{}", bit, bit > 0 ? "," : "");
  return text;
}

std::string all_partitions(unsigned dim) {
  std::string text;
  for (const Partition& one : partitions_of(dim)) text += (text.empty() ? "" : "|") + one.name();
  return text;
}

/// Fills in d, its partitions, nodes, cycles and other dimensions of a shuffle, K ports, and items: of which all parts
/// of all nodes in 16 packets are equal, and one fewer than 16 equal packets have.
std::string filled_in(const std::string& run, unsigned dim, unsigned ports) {
  return fmt::format(
      fmt::runtime(run), fmt::arg("d", dim), fmt::arg("K", ports), fmt::arg("partitions", all_partitions(dim)),
      fmt::arg("nodes", 1U << dim), fmt::arg("middle", 1U << (dim - 1)), fmt::arg("last_but_one", (1U << dim) - 2),
      fmt::arg("last", (1U << dim) - 1), fmt::arg("equal", dim << (dim + 4)),
      fmt::arg("all_but_one_item", (dim << 7) - 1), fmt::arg("all", bits(0, dim)),
      fmt::arg("all_but_1", bits(0, dim - 1)), fmt::arg("all_but_2", bits(0, std::max(dim, 2U) - 2)),
      fmt::arg("first_K", bits(0, ports)), fmt::arg("halves", mixed_cycles(2, dim)),
      fmt::arg("thirds", mixed_cycles(3, dim)), fmt::arg("pairs", two_cycles(dim)), fmt::arg("even", even_bits(dim)));
}

/// Adds a run for each combination of what stands in brackets, unless it is there.
void add_runs(const std::string& run, std::vector<std::string>& runs) {
  const std::size_t begin = run.find('[');
  if (begin == std::string::npos) {
    if (std::find(runs.begin(), runs.end(), run) == runs.end()) runs.push_back(run);
    return;
  }
  const std::size_t end = run.find(']', begin);
  for (std::size_t at = begin; at < end;) {
    const std::size_t next = std::min(run.find('|', at + 1), end);
    add_runs(run.substr(0, begin) + run.substr(at + 1, next - at - 1) + run.substr(end + 1), runs);
    at = next;
  }
}

constexpr const char* exact_cycles = "integer cycles and one-byte phits: nothing is rounded";
constexpr const char* whole_phits = "phits of 4 bytes: a block of 1 byte takes as long as one of 4";
constexpr const char* queues =
    "start-ups queue; a sender goes on some cycles before its message arrives, the equation when it arrives";

GridFamily exchange(const std::string& preset, double tolerance_percent, const std::string& reason) {
  return {"exchange " + preset,
          "--machine " + preset + " --ports one",
          "d 1 .. 6, all partitions, blocks of 1, 4, 20, 100, 256, 1,000, 4,096 B",
          tolerance_percent,
          reason,
          {{.run = "--dim {d} --partition [{partitions}] --bytes [1|4|20|100|256|1000|4096]"}}};
}

const std::string feature_grid = "--dim {d} --partition [{partitions}] --bytes [1|4|20|100|256|1000]";

GridFamily feature(const std::string& name, const std::string& machine, const std::string& options,
                   const std::string& axes, double tolerance_percent, const std::string& reason) {
  return {"exchange " + name,
          "--machine " + machine,
          "d 1 .. 6, all partitions, blocks of 1, 4, 20, 100, 256, 1,000 B, " + axes,
          tolerance_percent,
          reason,
          {{.run = feature_grid + options}}};
}

GridFamily combine(const std::string& name, const std::string& machine, double tolerance_percent,
                   const std::string& reason) {
  return {"combine " + name,
          "--machine " + machine,
          "d 1 .. 6, v1 v2 v3 and hybrid, to all and to a root, 1, 7, 64, 100, 384, 1,000, 4,096 floats",
          tolerance_percent,
          reason,
          {{.run = "--dim {d} --items [1|7|64|100|384|1000|4096] --strategy [v1|v2|v3|hybrid] --target [all|root]"}}};
}

GridFamily combine_at_roots(const std::string& name, const std::string& machine, double tolerance_percent,
                            const std::string& reason) {
  const std::string roots = "--dim {d} --items [7|100|1000] --root [1|{middle}|{last}] --strategy ";
  return {"combine " + name + " roots",
          "--machine " + machine,
          "d 1 .. 6, roots 1, 2^(d-1) and 2^d - 1, v1 v2 v3 and hybrid to the root, v1 to all, 7, 100, 1,000 floats",
          tolerance_percent,
          reason,
          {{.run = roots + "[v1|v2|v3|hybrid] --target root"}, {.run = roots + "v1"}}};
}

GridFamily shuffle(const std::string& preset, bool all_ports, double tolerance_percent, const std::string& reason) {
  const std::string what =
      "--dim {d} --elements [4 --packet 1|4 --packet 2|8 --packet 1|8 --packet 2|16 --packet 1|16 --packet 2|"
      "16 --packet 4|64 --packet 1|64 --packet 2|64 --packet 16] --ports ";
  const std::string one = what + "one --algorithm one-port --cycle {all},s0";
  const std::string several = what + (all_ports ? "n" : "one") + " --algorithm ";
  const std::string mixed = all_ports ? "concurrent" : "one-port";
  GridFamily family{
      "shuffle " + preset,
      "--machine " + preset,
      "sigma 1 .. 6, one and two mixed constituents, real ones by A1 and A2, K 4 .. 64, packets of 1, 2, K/4",
      tolerance_percent,
      reason,
      {{.run = one},
       {.from = 2, .run = several + "[a1|a2] --cycle {all}"},
       {.from = 2, .step = 2, .run = several + mixed + " {halves}"}}};
  if (all_ports) family.lines.push_back({.run = several + "[pipelined|concurrent] --cycle {all},s0"});
  return family;
}

std::vector<GridFamily> shuffle_features(const std::string& preset, bool queued) {
  const std::string what = "--dim {d} --elements [8|16|64] --packet [1|2|4] --ports n --algorithm ";
  const auto family = [&](const std::string& name, const std::string& axes, std::vector<GridFamily::Lines> lines) {
    return GridFamily{"shuffle " + preset + " " + name,
                      "--machine " + preset,
                      axes + ", K 8, 16, 64, packets of 1, 2, 4 that fit",
                      queued ? 0.1 : 0.001,
                      queued ? queues : exact_cycles,
                      std::move(lines)};
  };
  std::vector<GridFamily> families = {
      family("a2x2", "1 .. 3 real 2-cycles, together and one after the other",
             {{.from = 2, .step = 2, .run = what + "[a2x2|a2x2-sequential] {pairs}"}}),
      family("a1-pipelined", "one real constituent of 2 .. 6",
             {{.from = 2, .run = what + "a1-pipelined --cycle {all}"}}),
      family("aapc", "1 .. 3 mixed constituents of one order, 2 .. 6 dimensions in all",
             {{.from = 2, .run = what + "[aapc|aapc-concurrent] --cycle {all},s0"},
              {.from = 2, .step = 2, .run = what + "[aapc|aapc-concurrent] {halves}"},
              {.from = 3, .step = 3, .run = what + "[aapc|aapc-concurrent] {thirds}"}}),
      family("complement", "one constituent of 2 .. 6, mixed or real, every second dimension complemented",
             {{.from = 2, .run = what + "[a1|a1-pipelined|a2] --cycle {all} --complement {even}"},
              {.from = 2, .run = what + "[pipelined|concurrent] --cycle {all},s0 --complement {even},s0"},
              {.from = 2,
               .run = "--dim {d} --elements [8|16|64] --packet [1|2|4] --ports one --algorithm one-port --cycle "
                      "{all},s0 --complement {even},s0"}}),
      family("extension", "one constituent of 2 .. 5, mixed or real, on 1 or 2 dimensions more",
             {{.from = 3,
               .run = what + "[concurrent --cycle {all_but_1},s0|a1 --cycle {all_but_1}|a2 --cycle "
                             "{all_but_1}] --extend 1"},
              {.from = 4,
               .run = what + "[concurrent --cycle {all_but_2},s0|a1 --cycle {all_but_2}|a2 --cycle "
                             "{all_but_2}] --extend 2"}})};
  if (queued) {
    families[3].tolerance_percent = 2;
    families[3].reason = "nodes that have nothing to move out of A2's second buffer go ahead of those that have";
    families[4].tolerance_percent = 5;
    families[4].reason =
        "start-ups queue: a node spreads its next part while receipts of the one before are still served";
  }
  return families;
}

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

/// Formulas as printed, which know messages of one length only: on parts that are equal, and in packets of which the
/// last one is an item shorter.
GridFamily formula_family(const Collective& collective, bool all_ports) {
  const std::string root = collective.rooted ? " --root [0|{last_but_one}]" : "";
  GridFamily family{
      fmt::format("{} formula{}", collective.name, all_ports ? " n-port" : ""),
      fmt::format("--machine ideal --set core.combine='3 cycles/item' --ports {}", all_ports ? "n" : "one"),
      "d 1 .. 6, every algorithm, vectors in equal parts; pipelines in 16 packets, also with an item fewer",
      0.001,
      "the formula in print, on messages of one length",
      {},
      "/published/us"};
  for (const CollectiveAlgorithm& algorithm : collective.algorithms) {
    if (algorithm.all_ports && !all_ports) continue;
    const std::string run = fmt::format("--dim {{d}} --algorithm {}{} --items ", algorithm.name, root);
    family.lines.push_back(
        {.run = run + (algorithm.packets ? "[{equal}|{all_but_one_item}] --packets 16" : "{equal}")});
    if (!algorithm.packets) continue;
    family.tolerance_percent = 0.3;
    family.reason =
        "the formula in print, on messages of one length, of which the last is an item shorter in pipelines";
  }
  return family;
}

}  // namespace

std::vector<std::string> runs_of(const GridFamily& family) {
  const std::string begin = family.name.substr(0, family.name.find(' ')) + " " + family.machine + " ";
  std::vector<std::string> runs;
  for (const GridFamily::Lines& lines : family.lines) {
    const bool some_ports = lines.run.find("{K}") != std::string::npos;
    for (unsigned dim = lines.from; dim <= validation_dim; dim += lines.step) {
      for (unsigned ports = 2; ports < (some_ports ? dim : 3); ++ports) {
        add_runs(begin + filled_in(lines.run, dim, ports), runs);
      }
    }
  }
  return runs;
}

std::vector<GridFamily> grid_families() {
  std::vector<GridFamily> families = {
      exchange("ideal", 0.001, exact_cycles),
      exchange("hull", 0.001, exact_cycles),
      exchange("ipsc860", 0.5, whole_phits),
      exchange("ipsc2", 0.5, whole_phits),
      exchange("ncube2", 0.001, exact_cycles),
      combine("ideal", "ideal --set core.combine='3 cycles/item'", 0.001, exact_cycles),
      combine("ideal n-port", "ideal --set core.combine='3 cycles/item' --ports n", 0.001, exact_cycles),
      combine("ipsc860-nx", "ipsc860-nx", 0.5,
              "phits of 4 bytes take whole cycles, and of an empty half the tail alone is sent"),
      combine("ipsc860-combine", "ipsc860-combine --pad on", 0.5,
              "as for ipsc860-nx; messages are 30 floats longer, so that none is short"),
      combine("ncube2", "ncube2 --ports one", 0.001, exact_cycles),
      combine("ncube2 n-port", "ncube2 --ports n", 0.1, queues),
      {"combine ncube2 K ports",
       "--machine ncube2",
       "d 3 .. 6, K 2 .. d-1, v2 v3 and hybrid, to all and to a root, 7, 100, 1,000 floats",
       0.1,
       queues,
       {{.from = 3,
         .run = "--dim {d} --ports {K} --items [7|100|1000] --strategy [v2|v3|hybrid] --target [all|root]"}}},
      shuffle("ideal", true, 0.001, exact_cycles),
      shuffle("cm2", true, 0.001, exact_cycles),
      shuffle("ipsc1", false, 0.05, "what is sent to a neighbour is not forwarded; times are whole cycles of 8 MHz"),
      shuffle("ncube2", true, 0.1, queues),
      {"shuffle ncube2 K ports",
       "--machine ncube2",
       "sigma 3 .. 6, K 2 .. sigma-1 ports, one mixed constituent, real ones of K by A1 and A2, 64 elements, packets "
       "of 1, 4, 16",
       0.1,
       queues,
       {{.from = 3,
         .run = "--dim {d} --ports {K} --elements 64 --packet [1|4|16] --algorithm [pipelined --cycle {all},s0|"
                "a1 --cycle {first_K}|a2 --cycle {first_K}]"}}},
      feature("ideal n-port", "ideal --ports n", " --pair-masks [on|off]", "masks paired and not", 0.001, exact_cycles),
      feature("ncube2 n-port", "ncube2 --ports n", " --pair-masks [on|off]", "masks paired and not", 0.1, queues),
      {"exchange ncube2 K ports",
       "--machine ncube2",
       "d 1 .. 6, all partitions, blocks of 1, 4, 20, 100, 256, 1,000 B, 2 and 3 ports, masks paired and not",
       0.1,
       queues,
       {{.from = 3, .run = feature_grid + " --ports 2 --pair-masks [on|off]"},
        {.from = 4, .run = feature_grid + " --ports 3 --pair-masks [on|off]"}}},
      feature("ipsc860-nx", "ipsc860-nx", "", "partners synchronised", 1, whole_phits),
      feature("ipsc860 step barriers", "ipsc860 --set library.barrier=step", "", "a barrier before every step", 0.5,
              whole_phits),
      feature("ipsc860 barriers by the clock", "ipsc860 --set library.barrier=clock --set library.slack='200 us'", "",
              "phases that begin at a time", 1, whole_phits),
      {"exchange ideal sizes",
       "--machine ideal --ports one",
       "d 1 .. 6, all partitions, blocks of unequal sizes by 3 laws, 256 and 1,000 B on average",
       0.5,
       "a sender goes on some cycles before its message arrives, which shows where messages differ in length",
       {{.run = "--dim {d} --partition [{partitions}] --bytes [256|1000] --sizes zipf:[0.5|1|2]"}}},
      {"exchange ideal generalised",
       "--machine ideal --ports one",
       "generalised hypercubes of 2 and 3 dimensions, direct, and one dimension a phase, blocks of 1, 100, 1,000 B",
       0.001,
       exact_cycles,
       {{.from = validation_dim, .run = "--topology generalised:3x4 --partition [2|1,1] --bytes [1|100|1000]"},
        {.from = validation_dim,
         .run = "--topology generalised:2x3x5 --partition [3|2,1|1,1,1] --bytes [1|100|1000]"}}},
      feature("ipsc860 programmed transfer", "ipsc860 --set node.transfer=programmed", "", "node.transfer programmed",
              0.5, whole_phits),
      combine_at_roots("ideal", "ideal --ports one", 0.001, exact_cycles),
      combine_at_roots("ideal n-port", "ideal --ports n", 0.001, exact_cycles),
      combine_at_roots("ncube2 n-port", "ncube2 --ports n", 0.1, queues)};
  for (const auto& [preset, queued] : {std::pair("ideal", false), std::pair("ncube2", true)}) {
    for (GridFamily& family : shuffle_features(preset, queued)) families.push_back(std::move(family));
  }
  return families;
}

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
      if (where.preset == "ideal") families.push_back(formula_family(*collective, all_ports));
    }
  }
  return families;
}

}  // namespace ecube
