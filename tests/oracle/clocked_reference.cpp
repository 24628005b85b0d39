// SPDX-License-Identifier: Apache-2.0
// The slow oracle: wires routers and interfaces together and clocks them all at every edge.
#include "tests/oracle/clocked_reference.h"

#include <algorithm>
#include <string>

#include "tests/oracle/clocked_interface.h"
#include "tests/oracle/clocked_library.h"
#include "tests/oracle/clocked_router.h"

namespace ecube::oracle {
namespace {

struct NodeState {
  RouterState router;
  InterfaceState interface;
};
using CubeState = std::vector<NodeState>;

/// Output i of a router is input i of its neighbour in dimension i; acknowledges use the same cable the other way.
RouterWires router_wires(const CubeState& now, NodeId node, const Shape& shape) {
  RouterWires wires;
  for (unsigned i = 0; i < shape.dim; ++i) {
    const RouterState& neighbour = now[node ^ (NodeId{1} << i)].router;
    wires.forward[i] = neighbour.forward[i];
    wires.backward[i] = neighbour.backward[i];
  }
  for (std::size_t p = 0; p < shape.node_ports; ++p) {
    wires.forward[shape.dim + p] = now[node].interface.inject[p].drive;
    wires.backward[shape.dim + p] = now[node].interface.eject[p].drive;
  }
  return wires;
}

InterfaceWires interface_wires(const RouterState& router, const Shape& shape, std::span<const std::size_t> issued) {
  InterfaceWires wires;
  for (std::size_t p = 0; p < shape.node_ports; ++p) {
    wires.forward[p] = router.forward[shape.dim + p];
    wires.backward[p] = router.backward[shape.dim + p];
  }
  wires.issued = issued;
  return wires;
}

void check_arguments(const Machine& machine, unsigned dim, const InterfaceContext& context) {
  const auto demand = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
  };
  demand(dim <= max_clocked_dim, "the clocked reference is for small cubes");
  demand(machine.router.route_cycles >= 1, "r >= 1");
  demand(machine.network.accept_cycles >= 1, "A >= 1");
  demand(machine.link.phit_bytes >= 1, "a phit has bytes");
  const Ratio c = machine.link.cycles_per_phit;
  demand(c.den > 0 && c.num >= c.den, "c >= 1");
  demand(machine.network.switching != Switching::wormhole || (c.num % c.den == 0 && c.num / c.den >= 2),
         "the links of worms take a whole number of cycles for a phit, two at least");
  for (const Traffic& message : context.traffic) {
    demand(message.source >> dim == 0 && message.destination >> dim == 0, "a node outside the cube");
    demand(context.inject_port(message) < context.shape.node_ports, "an inject port the router does not have");
  }
}

[[noreturn]] void report_unfinished(std::span<const Traffic> traffic, std::span<const CircuitTimes> record) {
  std::string what = "edge limit reached; not finished:";
  for (std::size_t i = 0; i < traffic.size(); ++i)
    if (record[i].receiver_ready == never)
      what += " #" + std::to_string(i) + " (" + std::to_string(traffic[i].source) + " -> " +
              std::to_string(traffic[i].destination) + ")";
  throw std::runtime_error(what);
}

/// The program of one node: its sends in the order of issue.
class Program {
 public:
  Program(std::span<const Traffic> traffic, NodeId node) : traffic_(traffic) {
    for (std::size_t i = 0; i < traffic.size(); ++i)
      if (traffic[i].source == node) sends_.push_back(i);
    std::ranges::stable_sort(sends_, {}, [&](std::size_t i) { return traffic[i].issue; });
  }

  /// The tags issued at `edge`; to be asked at every edge in turn.
  std::span<const std::size_t> issue(Cycles edge) {
    const std::size_t first = issued_;
    while (issued_ < sends_.size() && traffic_[sends_[issued_]].issue == edge) ++issued_;
    return std::span(sends_).subspan(first, issued_ - first);
  }

 private:
  std::span<const Traffic> traffic_;
  std::vector<std::size_t> sends_;
  std::size_t issued_ = 0;
};

/// Clocks routers and interfaces until `finished`; `issued` gives what a node's program issues at an edge, `libraries`
/// are empty or one for each node.
template <class Finished, class Issued, class Unfinished>
void clock_all(const InterfaceContext& context, std::span<CircuitTimes> record, std::span<ClockedLibrary> libraries,
               Cycles edge_limit, Finished finished, Issued issued, Unfinished unfinished) {
  const Shape& shape = context.shape;
  CubeState now(std::size_t{1} << shape.dim);
  CubeState next(now.size());
  for (Cycles edge = 0; !finished(); ++edge) {
    if (edge == edge_limit) unfinished();
    for (NodeId node = 0; node < now.size(); ++node) {
      const NodeState& state = now[node];
      const RouterWires to_router = router_wires(now, node, shape);
      InterfaceWires to_interface = interface_wires(state.router, shape, issued(node, edge));
      if (!libraries.empty()) to_interface.library = &libraries[node];
      next[node].router =
          context.machine.network.switching == Switching::wormhole
              ? next_worm_router(state.router, to_router, shape, context.machine, edge, record)
              : next_router(state.router, to_router, shape, context.machine.router.route_cycles, edge, record);
      next[node].interface = next_interface(state.interface, to_interface, context, edge, record);
    }
    now.swap(next);
  }
}

}  // namespace

std::vector<CircuitTimes> run_clocked(const Machine& machine, unsigned dim, std::span<const Traffic> traffic,
                                      Cycles edge_limit) {
  const Shape shape{.dim = dim, .node_ports = machine.node.ports.physical(dim)};
  const InterfaceContext context{.machine = machine, .shape = shape, .traffic = traffic};
  check_arguments(machine, dim, context);

  std::vector<CircuitTimes> record(traffic.size());
  const auto finished = [&] {
    return std::ranges::all_of(record, [](const CircuitTimes& times) {
      return times.receiver_ready != never && times.sender_ready != never &&
             times.free_from.size() == times.grants.size();
    });
  };
  std::vector<Program> programs;
  for (NodeId node = 0; node >> dim == 0; ++node) programs.emplace_back(traffic, node);
  clock_all(
      context, record, {}, edge_limit, finished, [&](NodeId node, Cycles edge) { return programs[node].issue(edge); },
      [&] { report_unfinished(traffic, record); });
  return record;
}

LibraryRun run_clocked_library(const Machine& machine, unsigned dim, std::span<const LibraryOperation> operations,
                               std::span<const std::vector<LibraryStep>> scripts, Cycles edge_limit) {
  const Machine::Library& library = machine.library;
  std::vector<Traffic> traffic(operations.size() * roles);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const LibraryOperation& op = operations[i];
    const bool reserves = library.protocol == Protocol::unforced && op.bytes > library.threshold_bytes;
    const auto circuit = [&](CircuitRole role, Bytes bytes, Cycles startup) {
      const bool back = role == CircuitRole::grant;
      traffic[circuit_of(i, role)] = {.source = back ? op.peer : op.node,
                                      .destination = back ? op.node : op.peer,
                                      .bytes = bytes,
                                      .startup = startup};
    };
    circuit(CircuitRole::synchronisation, 0, library.send_zero_cycles);
    circuit(CircuitRole::reservation, 0, library.send_cycles);
    circuit(CircuitRole::grant, 0, library.control_send_cycles);
    circuit(CircuitRole::data, op.bytes,
            reserves        ? library.control_send_cycles
            : op.bytes == 0 ? library.send_zero_cycles
                            : library.send_cycles);
  }
  const Shape shape{.dim = dim, .node_ports = machine.node.ports.physical(dim)};
  const InterfaceContext context{.machine = machine, .shape = shape, .traffic = traffic};
  check_arguments(machine, dim, context);
  LibraryRun run{.circuits = std::vector<CircuitTimes>(traffic.size()),
                 .completed = std::vector<Cycles>(operations.size(), never)};
  std::vector<ClockedLibrary> libraries;
  libraries.reserve(scripts.size());
  for (NodeId node = 0; node < scripts.size(); ++node) {
    libraries.emplace_back(machine, operations, scripts[node], node, run.completed);
  }
  clock_all(
      context, run.circuits, libraries, edge_limit,
      [&] { return std::ranges::all_of(libraries, [](const ClockedLibrary& each) { return each.finished(); }); },
      [](NodeId, Cycles) { return std::span<const std::size_t>(); },
      [] { throw std::runtime_error("edge limit reached: the programs have not ended"); });
  return run;
}

}  // namespace ecube::oracle
