// SPDX-License-Identifier: Apache-2.0
// The outlook of Bokhari 1993: complete exchanges on meshes. How Direct's rounds grow, link-disjoint rounds on lines,
// and where phases by rows and columns and halving by distance overtake.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <sstream>

#include "sw/api/firmware.h"
#include "testbench/collective/planned_steps.h"
#include "testbench/exchange/exchange_experiment.h"
#include "testbench/reproduction/judged.h"
#include "testbench/reproduction/measured_machine.h"
#include "testbench/reproduction/mesh_rounds.h"
#include "testbench/reproduction/results.h"
#include "testbench/text/csv.h"

namespace ecube {

extern const char* const mesh_rounds_table;

namespace {

Topology mesh(NodeId side, unsigned dimensions) {
  return Topology(std::vector<Topology::Dimension>(dimensions, {side, Topology::Kind::line}));
}

/// The largest loads of all steps of Direct, as `check exchange` adds them up: rounds in which its circuits can pass.
std::uint64_t rounds_of_direct(const Topology& topology) {
  std::uint64_t rounds = 0;
  ExchangeWorkload workload;
  workload.partition = Partition::direct(static_cast<unsigned>(topology.dimensions().size()));
  exchange_steps(workload, topology,
                 [&](std::span<const PlannedCircuit> step) { rounds += load_of(step, topology).circuits; });
  return judged(rounds, "rounds of Direct in steps on {}", topology.name());
}

RunSetup setup_on(const MeasuredMachine& machine, const Topology& topology) {
  RunSetup setup = machine.setup(topology.label_bits());
  setup.machine.network.topology = topology;
  return setup;
}

/// Direct in steps, whose circuits wait for one another.
double direct_us(MeasuredMachine& machine, const Topology& topology, Bytes bytes) {
  ExchangeExperiment experiment{.setup = setup_on(machine, topology), .workload = {}};
  experiment.workload.partition = Partition::direct(static_cast<unsigned>(topology.dimensions().size()));
  experiment.workload.bytes = bytes;
  experiment.workload.payload = Payload::none;
  const ExchangeParameters costs = machine.calibration().exchange(topology.barrier_steps());
  const double us = run_exchange(machine.bench(), experiment, costs).run.result.us;
  return judged(us, "time of Direct in steps on {}", topology.name());
}

/// log of the growth of rounds or times over that of nodes.
double exponent(double smaller, double larger, const Topology& small, const Topology& large) {
  return std::log(larger / smaller) / std::log(static_cast<double>(large.nodes()) / small.nodes());
}

// --- Rounds on a line ----------------------------------------------------------------------------------------------

/// Direct on a line in a^2/4 rounds without a shared link, one port a node, found by a search: from and to by digits.
/// On each link the intervals of one direction take a^2/4 circuits, so there are no fewer rounds.
std::vector<Round> line_rounds(NodeId nodes) {
  std::vector<Round> rounds;
  for (const auto& [line, row] : printed("bokhari-meshes")) {
    if (line != std::to_string(nodes)) continue;
    Round& round = rounds.emplace_back();
    for (std::size_t at = 0; at < row.size(); at += 3) {
      round.push_back({static_cast<NodeId>(row[at] - '0'), static_cast<NodeId>(row[at + 1] - '0')});
    }
  }
  return judged(rounds, "rounds on a line of {} nodes", nodes);
}

/// Rounds on a line of four nodes, as [round][receiver]: the sender. No link is taken twice in one direction. Each
/// node sends to each node once, and once to itself, which takes no link: a Latin square.
constexpr std::array<std::array<NodeId, 4>, 4> square_of_four{{{0, 2, 1, 3}, {1, 3, 0, 2}, {2, 1, 3, 0}, {3, 0, 2, 1}}};

/// Direct on a mesh of sides 4 in as many rounds as it has nodes: each dimension goes through its rounds while those
/// before it stand still. The circuits of a round that take a line are those of one round of that line.
std::vector<Round> mesh_rounds(const Topology& topology) {
  std::vector<Round> rounds(topology.nodes());
  for (NodeId number = 0; number < rounds.size(); ++number) {
    for (NodeId receiver = 0; receiver < topology.nodes(); ++receiver) {
      NodeId sender = 0;
      for (NodeId stride = 1; stride < topology.nodes(); stride *= 4) {
        sender += square_of_four[number / stride % 4][receiver / stride % 4] * stride;
      }
      if (sender != receiver) rounds[number].push_back({sender, receiver});
    }
  }
  return rounds;
}

/// Direct on a mesh of sides 6 in a^3/4 rounds, which a SAT solver found. mesh_rounds.tsv has the circuits of each
/// round as x and y from, x and y to; each stands for its images in both mirrors, too.
std::vector<Round> mirrored_rounds(const Topology& topology) {
  const NodeId side = topology.dimensions()[0].radix;
  std::vector<Round> rounds;
  for (const std::vector<std::string>& row : table_rows(mesh_rounds_table, 1)) {
    std::istringstream circuits(row[0]);
    Round& round = rounds.emplace_back();
    for (std::string digits; circuits >> digits;) {
      for (const bool mirror_x : {false, true}) {
        for (const bool mirror_y : {false, true}) {
          const auto node = [&](std::size_t at) {
            const auto x = static_cast<NodeId>(digits[at] - '0');
            const auto y = static_cast<NodeId>(digits[at + 1] - '0');
            return (mirror_x ? side - 1 - x : x) + side * (mirror_y ? side - 1 - y : y);
          };
          round.push_back({node(0), node(2)});
        }
      }
    }
  }
  return rounds;
}

/// How many rounds of Direct they are, or what is wrong with them.
std::string number_or_fault(std::span<const Round> rounds, const Topology& topology) {
  const std::string fault = fault_of(rounds, topology);
  return fault.empty() ? std::to_string(rounds.size()) : fault;
}

// --- Rounds on the machine -----------------------------------------------------------------------------------------

/// Phases of rounds, each of which begins when the messages of the one before have arrived.
struct Rounds {
  std::vector<Round> rounds;
  Bytes bytes = 0;  ///< of a message
};

/// Of every line of a dimension the rounds of one.
Rounds in_every_line(const std::vector<Round>& rounds, const Topology& topology, unsigned dimension, Bytes bytes) {
  Rounds all{.rounds = {}, .bytes = bytes};
  const NodeId stride = topology.stride(dimension);
  const NodeId radix = topology.dimensions()[dimension].radix;
  for (const Round& round : rounds) {
    Round& wide = all.rounds.emplace_back();
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      if (node / stride % radix != 0) continue;
      for (const PlannedCircuit& one : round) {
        wide.push_back({node + one.source * stride, node + one.destination * stride});
      }
    }
  }
  return all;
}

/// Halving by distance in one line: nodes 2^k apart exchange, one pair of every 2 x 2^k nodes in a round.
std::vector<Round> halving_rounds(NodeId nodes) {
  std::vector<Round> rounds;
  for (NodeId apart = 1; apart < nodes; apart *= 2) {
    for (NodeId first = 0; first < apart; ++first) {
      Round& round = rounds.emplace_back();
      for (NodeId block = 0; block < nodes; block += 2 * apart) {
        round.push_back({block + first, block + first + apart});
        round.push_back({block + first + apart, block + first});
      }
    }
  }
  return rounds;
}

struct RoundsRun {
  double us = 0;
  std::uint64_t blocked = 0;
};

/// Runs phases of rounds, each round as long as a message by the equation.
RoundsRun run_rounds(MeasuredMachine& machine, const Topology& topology, const std::vector<Rounds>& phases) {
  const ExchangeParameters p = machine.calibration().exchange(1);
  Firmware firmware([&](Node& node) -> Task<> {
    double begin_us = 0;
    std::uint32_t number = 0;
    for (const Rounds& phase : phases) {
      const double us = p.lambda_us + p.delta_us + p.tau_us_per_byte * static_cast<double>(phase.bytes) +
                        p.delta_hop_us * topology.diameter();
      for (const Round& round : phase.rounds) {
        co_await node.until(static_cast<Cycles>(std::llround(begin_us * machine.machine().clock_hz * 1e-6)));
        std::vector<Pending> pending;
        for (const PlannedCircuit& one : round) {
          if (one.destination == node.id()) {
            pending.push_back(node.start_receive({.from = one.source, .tag = number, .bytes = phase.bytes}));
          }
          if (one.source == node.id()) {
            pending.push_back(node.start_send({.to = one.destination, .tag = number, .bytes = phase.bytes}));
          }
        }
        co_await node.all(pending);
        begin_us += us;
        ++number;
      }
    }
  });
  const RunMeasurement m = machine.bench().run(setup_on(machine, topology), firmware);
  return {judged(m.result.us, "time in {} phases", phases.size()),
          judged(m.network.link_blocked.circuits + m.network.port_blocked.circuits, "waits in rounds")};
}

/// The block from which `late`, which has the smaller slope, is not slower, by bisection.
template <class Late, class Early>
double meeting(const Late& late, const Early& early) {
  double below_it = 0;
  double above_it = 1e6;
  for (unsigned i = 0; i < 200; ++i) {
    const double middle = (below_it + above_it) / 2;
    (late(middle) <= early(middle) ? above_it : below_it) = middle;
  }
  return above_it;
}

void add_growth(Findings& result, MeasuredMachine& machine) {
  Chart chart = chart_of("bokhari-meshes");
  for (const unsigned dimensions : {2U, 3U}) {
    const std::vector<NodeId> sides =
        dimensions == 2 ? std::vector<NodeId>{4, 8, 16, 32} : std::vector<NodeId>{2, 4, 8};
    Series& series =
        chart.series.emplace_back(Series{fmt::format("{}-D mesh", dimensions), SeriesKind::predicted, {}, dimensions});
    for (const NodeId side : sides) {
      const Topology topology = mesh(side, dimensions);
      series.points.emplace_back(topology.nodes(), static_cast<double>(rounds_of_direct(topology)));
    }
    const Topology small = mesh(sides[sides.size() - 2], dimensions);
    const Topology large = mesh(sides.back(), dimensions);
    const double reached = exponent(series.points[sides.size() - 2].second, series.points.back().second, small, large);
    result.number("exponent", dimensions == 2 ? 1.5 : 4.0 / 3, reached, dimensions);
    constexpr Bytes bytes = 1024;  // long enough for links to count, and not start-ups
    const Topology measured_small = dimensions == 2 ? mesh(8, 2) : small;
    const Topology measured_large = dimensions == 2 ? mesh(16, 2) : large;
    result.range("measured_exponent", dimensions == 2 ? 1.35 : 1.2, dimensions == 2 ? 1.65 : 1.5,
                 exponent(direct_us(machine, measured_small, bytes), direct_us(machine, measured_large, bytes),
                          measured_small, measured_large),
                 bytes, dimensions);
  }
  result.panels.emplace_back(std::move(chart));
}

/// What phases over rows and columns of a x a nodes take by the rounds of each, and on the machine.
class Phases {
 public:
  explicit Phases(MeasuredMachine& machine) : machine_(machine) {
    const ExchangeParameters p = machine.calibration().exchange(1);
    lambda_ = p.lambda_us + p.delta_us;
    tau_ = p.tau_us_per_byte;
  }

  void add(Findings& result, NodeId a) {
    const std::vector<Round> line = line_rounds(a);
    result.text("rounds_on_line", std::to_string(std::size_t{a} * a / 4), number_or_fault(line, mesh(a, 1)), a);
    const double side = a;
    // Rounds times the time of a message, of blocks of m bytes.
    const auto direct = [&](double m) {
      return judged(side * side * side / 4 * (lambda_ + tau_ * m), "Direct, predicted");
    };
    const auto rows = [&](double m) {
      return judged(side * side / 2 * (lambda_ + tau_ * m * side), "rows, predicted");
    };
    const auto halving = [&](double m) { return 2 * (side - 1) * (lambda_ + tau_ * m * side * side / 2); };
    const double first = meeting(direct, rows);
    result.number("direct_meets_rows", lambda_ / tau_ * (1 - 2 / side), first, a);
    const RoundsRun by_rows = run(line, a, block * a);
    result.number("rows", rows(static_cast<double>(block)), by_rows.us, a, block);
    result["disjoint"].add(by_rows.blocked == 0, fmt::format("rows of {}", a));
    if (a != 8) add_direct(result, a, direct(static_cast<double>(block)), first);
    std::vector<Cell>& cells = grid_.add(std::to_string(a));
    cells = {{fmt::format("{:g}", side * side * side / 4)},
             {fmt::format("{:g}", side * side / 2)},
             {"-"},
             {fmt::format("{:.4g}", first)},
             {"-"}};
    if (!std::has_single_bit(a)) return;  // halves need a power of two
    const double second = meeting(rows, halving);
    result.number("rows_meet_halving", lambda_ / tau_ * (side - 2) / (side * side), second, a);
    const RoundsRun by_halves = run(halving_rounds(a), a, block * a * a / 2);
    result.number("halving", halving(static_cast<double>(block)), by_halves.us, a, block);
    result["disjoint"].add(by_halves.blocked == 0, fmt::format("halving of {}", a));
    cells[2].text = fmt::format("{:g}", 2 * (side - 1));
    cells[4].text = fmt::format("{:.4g}", second);
  }
  [[nodiscard]] const Grid& grid() const { return grid_; }

 private:
  static constexpr Bytes block = 10;

  /// Rows, then columns.
  [[nodiscard]] RoundsRun run(const std::vector<Round>& rounds, NodeId a, Bytes bytes) const {
    const Topology topology = mesh(a, 2);
    return run_rounds(machine_, topology,
                      {in_every_line(rounds, topology, 0, bytes), in_every_line(rounds, topology, 1, bytes)});
  }
  /// `predicted_us` of blocks of `block` bytes; `first`: the block below which Direct is slower.
  void add_direct(Findings& result, NodeId a, double predicted_us, double first) {
    const Topology topology = mesh(a, 2);
    const std::vector<Round> fewest = direct_rounds(topology);
    const auto direct_run = [&](Bytes bytes) {
      return run_rounds(machine_, topology, {{.rounds = fewest, .bytes = bytes}});
    };
    const RoundsRun at_once = direct_run(block);
    result.number("direct", predicted_us, at_once.us, a, fewest.size(), block);
    result["disjoint"].add(at_once.blocked == 0, fmt::format("Direct of {}", a));
    for (const Bytes bytes : {static_cast<Bytes>(first * 0.9), static_cast<Bytes>(first * 1.1)}) {
      const bool direct_first = direct_run(bytes).us < run(line_rounds(a), a, bytes * a).us;
      result["change_places"].add(direct_first == (static_cast<double>(bytes) > first),
                                  fmt::format("a = {}, {} B", a, bytes));
    }
  }

  MeasuredMachine& machine_;
  double lambda_ = 0;
  double tau_ = 0;
  Grid grid_ = grid_of("bokhari-meshes phases");
};

void add_phases(Findings& result, MeasuredMachine& machine) {
  for (const Topology& topology : {mesh(4, 2), mesh(4, 3), mesh(6, 2)}) {
    const std::vector<Round> rounds = direct_rounds(topology);
    const std::vector<Topology::Dimension>& dimensions = topology.dimensions();
    result.text("rounds_on_mesh", std::to_string(topology.nodes() * dimensions[0].radix / 4),
                number_or_fault(rounds, topology), topology.name(), dimensions.size());
  }
  Phases phases(machine);
  for (const NodeId a : {4U, 6U, 8U}) phases.add(result, a);
  result.panels.emplace_back(phases.grid());
}

}  // namespace

std::vector<Round> direct_rounds(const Topology& topology) {
  return judged(topology.dimensions()[0].radix == 4 ? mesh_rounds(topology) : mirrored_rounds(topology),
                "link-disjoint rounds on {}", topology.name());
}

std::string fault_of(std::span<const Round> rounds, const Topology& topology) {
  std::set<std::pair<NodeId, NodeId>> pairs;
  for (std::size_t number = 1; number <= rounds.size(); ++number) {
    const Round& round = rounds[number - 1];
    std::set<NodeId> senders;
    std::set<NodeId> receivers;
    for (const auto& [from, to] : round) {
      const bool both = from < topology.nodes() && to < topology.nodes() && from != to;
      if (!both) return fmt::format("round {}: {} and {} are no pair", number, from, to);
      if (!pairs.insert({from, to}).second) return fmt::format("round {}: {} sends to {} again", number, from, to);
      if (!senders.insert(from).second) return fmt::format("round {}: {} sends twice", number, from);
      if (!receivers.insert(to).second) return fmt::format("round {}: {} receives twice", number, to);
    }
    if (!conflicts_of(round, topology).empty()) return fmt::format("round {}: circuits share a link", number);
  }
  const std::size_t all = std::size_t{topology.nodes()} * (topology.nodes() - 1);
  return pairs.size() == all ? "" : fmt::format("{} of {} pairs", pairs.size(), all);
}

void bokhari_meshes(Findings& result, MeasuredMachine& machine) {
  add_growth(result, machine);
  add_phases(result, machine);
}

}  // namespace ecube
