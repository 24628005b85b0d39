// SPDX-License-Identifier: Apache-2.0
// The outlook of Bokhari 1993: complete exchanges on meshes. How Direct's rounds grow, link-disjoint rounds on lines,
// and where phases by rows and columns and halving by distance overtake.

#include <array>
#include <set>
#include <sstream>

#include "sw/api/firmware.h"
#include "testbench/collective/planned_steps.h"
#include "testbench/exchange/exchange_experiment.h"
#include "testbench/reproduction/equations.h"
#include "testbench/reproduction/results.h"
#include "testbench/text/csv.h"

namespace ecube {

extern const char* const mesh_rounds_table;

namespace {

Topology mesh(NodeId side, unsigned dimensions) {
  return Topology(std::vector<Topology::Dimension>(dimensions, {side, Topology::Kind::line}));
}

Partition direct_on(const Topology& topology) {
  return Partition::direct(static_cast<unsigned>(topology.dimensions().size()));
}

/// The largest loads of all steps of Direct, as `check exchange` adds them up: rounds in which its circuits can pass.
std::uint64_t rounds_of_direct(const Topology& topology) {
  std::uint64_t rounds = 0;
  exchange_steps({.partition = direct_on(topology)}, topology,
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
  const ExchangeExperiment experiment{
      .setup = setup_on(machine, topology),
      .workload = {.partition = direct_on(topology), .bytes = bytes, .payload = Payload::none}};
  const ExchangeParameters costs = machine.calibration().exchange(topology.barrier_steps());
  const double us = run_exchange(machine.bench(), experiment, costs).run.result.us;
  return judged(us, "time of Direct in steps on {}", topology.name());
}

/// log of the growth of rounds or times over that of nodes.
double exponent(const std::pair<double, double>& small, const std::pair<double, double>& large) {
  return std::log(large.second / small.second) / std::log(large.first / small.first);
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
      for (unsigned mirrors = 0; mirrors < 4; ++mirrors) {
        const auto node = [&](std::size_t at) {
          const auto x = static_cast<NodeId>(digits[at] - '0');
          const auto y = static_cast<NodeId>(digits[at + 1] - '0');
          return (mirrors / 2 == 1 ? side - 1 - x : x) + side * (mirrors % 2 == 1 ? side - 1 - y : y);
        };
        round.push_back({node(0), node(2)});
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

/// Of every row of a mesh the rounds of one line, then of every column.
std::vector<Round> by_rows_and_columns(const std::vector<Round>& rounds, const Topology& topology) {
  std::vector<Round> all;
  for (const unsigned dimension : {0U, 1U}) {
    const NodeId stride = topology.stride(dimension);
    const NodeId radix = topology.dimensions()[dimension].radix;
    for (const Round& round : rounds) {
      Round& wide = all.emplace_back();
      for (NodeId node = 0; node < topology.nodes(); ++node) {
        if (node / stride % radix != 0) continue;
        for (const PlannedCircuit& one : round) {
          wide.push_back({node + one.source * stride, node + one.destination * stride});
        }
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

/// Runs rounds of messages of so many bytes, each round as long as a message by the equation.
RoundsRun run_rounds(MeasuredMachine& machine, const Topology& topology, const std::vector<Round>& rounds, Bytes bytes,
                     std::string_view way) {
  const ExchangeParameters p = machine.calibration().exchange(1);
  const double us =
      p.lambda_us + p.delta_us + p.tau_us_per_byte * static_cast<double>(bytes) + p.delta_hop_us * topology.diameter();
  Firmware firmware([&](Node& node) -> Task<> {
    double begin_us = 0;
    for (std::uint32_t number = 0; number < rounds.size(); ++number) {
      co_await node.until(static_cast<Cycles>(std::llround(begin_us * machine.machine().clock_hz * 1e-6)));
      std::vector<Pending> pending;
      for (const PlannedCircuit& one : rounds[number]) {
        if (one.destination == node.id()) {
          pending.push_back(node.start_receive({.from = one.source, .tag = number, .bytes = bytes}));
        }
        if (one.source == node.id()) {
          pending.push_back(node.start_send({.to = one.destination, .tag = number, .bytes = bytes}));
        }
      }
      co_await node.all(pending);
      begin_us += us;
    }
  });
  const RunMeasurement m = machine.bench().run(setup_on(machine, topology), firmware);
  return {judged(m.result.us, "time in rounds of {}", way),
          judged(m.network.link_blocked.circuits + m.network.port_blocked.circuits, "waits in rounds")};
}

/// Meshes of so many dimensions, the exponent of N, and what it may be of times on the machine, between two sides.
struct Growth {
  unsigned dimensions;
  std::vector<NodeId> sides;
  double printed;
  double least;
  double most;
  NodeId small;
  NodeId large;
};

void add_growth(Findings& result, MeasuredMachine& machine) {
  constexpr Bytes bytes = 1024;  // long enough for links to count, and not start-ups
  Chart& chart = result.chart("bokhari-meshes");
  for (const Growth& of :
       {Growth{2, {4, 8, 16, 32}, 1.5, 1.35, 1.65, 8, 16}, {3, {2, 4, 8}, 4.0 / 3, 1.2, 1.5, 4, 8}}) {
    auto& points = chart.series[of.dimensions - 2].points;
    for (const NodeId side : of.sides) {
      const Topology topology = mesh(side, of.dimensions);
      points.emplace_back(topology.nodes(), rounds_of_direct(topology));
    }
    result.number("exponent", of.printed, exponent(points[points.size() - 2], points.back()), of.dimensions);
    const auto measured = [&](NodeId side) {
      const Topology topology = mesh(side, of.dimensions);
      return std::pair<double, double>(topology.nodes(), direct_us(machine, topology, bytes));
    };
    result.range("measured_exponent", of.least, of.most, exponent(measured(of.small), measured(of.large)), bytes,
                 of.dimensions);
  }
}

/// What phases over rows and columns of a x a nodes take by the rounds of each, and on the machine; a row of the grid.
void add_phases(Findings& result, MeasuredMachine& machine, NodeId a, Grid& grid) {
  constexpr Bytes block = 10;
  constexpr double m_block = block;
  const Topology topology = mesh(a, 2);
  const std::vector<Round> line = line_rounds(a);
  result.text("rounds_on_line", std::to_string(std::size_t{a} * a / 4), number_or_fault(line, mesh(a, 1)), a);
  const ExchangeParameters p = machine.calibration().exchange(1);
  const double lambda = p.lambda_us + p.delta_us;
  const double tau = p.tau_us_per_byte;
  const double side = a;
  // Over the bytes of a block: rounds times the time of a message of so many blocks.
  const auto line_of = [&](double rounds, double blocks) {
    return bokhari::Line{.slope = rounds * tau * blocks, .intercept = rounds * lambda};
  };
  const bokhari::Line direct = judged(line_of(side * side * side / 4, 1), "Direct, predicted");
  const bokhari::Line rows = judged(line_of(side * side / 2, side), "rows, predicted");
  const bokhari::Line halving = line_of(2 * (side - 1), side * side / 2);
  const auto in_lines = [&](const std::vector<Round>& rounds, Bytes bytes) {
    return run_rounds(machine, topology, by_rows_and_columns(rounds, topology), bytes, "lines");
  };
  const double first = bokhari::meeting(direct, rows);  // below it Direct is slower
  result.number("direct_meets_rows", lambda / tau * (1 - 2 / side), first, a);
  const RoundsRun by_rows = in_lines(line, block * a);
  result.number("rows", rows.at(m_block), by_rows.us, a, block);
  result["disjoint"].add(by_rows.blocked == 0, "rows of {}", a);
  if (a != 8) {
    const std::vector<Round> fewest = direct_rounds(topology);
    const auto directly = [&](Bytes bytes) { return run_rounds(machine, topology, fewest, bytes, "Direct"); };
    const RoundsRun at_once = directly(block);
    result.number("direct", direct.at(m_block), at_once.us, a, fewest.size(), block);
    result["disjoint"].add(at_once.blocked == 0, "Direct of {}", a);
    for (const Bytes bytes : {static_cast<Bytes>(first * 0.9), static_cast<Bytes>(first * 1.1)}) {
      const bool direct_first = directly(bytes).us < in_lines(line, bytes * a).us;
      result["change_places"].add(direct_first == (static_cast<double>(bytes) > first), "a = {}, {} B", a, bytes);
    }
  }
  const bool halves = std::has_single_bit(a);  // they need a power of two
  const double second = bokhari::meeting(rows, halving);
  if (halves) {
    result.number("rows_meet_halving", lambda / tau * (side - 2) / (side * side), second, a);
    const RoundsRun by_halves = in_lines(halving_rounds(a), block * a * a / 2);
    result.number("halving", halving.at(m_block), by_halves.us, a, block);
    result["disjoint"].add(by_halves.blocked == 0, "halving of {}", a);
  }
  const auto cell = [](double number, bool known) { return Cell{known ? fmt::format("{:.4g}", number) : "-"}; };
  grid.add(std::to_string(a)) = {cell(side * side * side / 4, true), cell(side * side / 2, true),
                                 cell(2 * (side - 1), halves), cell(first, true), cell(second, halves)};
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
  for (const Topology& topology : {mesh(4, 2), mesh(4, 3), mesh(6, 2)}) {
    const std::vector<Round> rounds = direct_rounds(topology);
    const std::vector<Topology::Dimension>& dimensions = topology.dimensions();
    result.text("rounds_on_mesh", std::to_string(topology.nodes() * dimensions[0].radix / 4),
                number_or_fault(rounds, topology), topology.name(), dimensions.size());
  }
  Grid& grid = result.grid("bokhari-meshes phases");
  for (const NodeId a : {4U, 6U, 8U}) add_phases(result, machine, a, grid);
}

}  // namespace ecube
