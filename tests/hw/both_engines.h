// SPDX-License-Identifier: Apache-2.0
// The same program on the event engine and on a machine of clocked modules, in SystemC or RTL, and the first
// difference.
#pragma once

#include "hw/clocked/cube.h"
#include "hw/cube.h"
#include "hw/observed/observer.h"
#include "models/contract/operations.h"
#include "tests/hw/random_program.h"
#include "tests/test.h"

namespace ecube {

/// One register's value at one edge, for comparison: the cycle, the node and a text.
struct RecordedEdge {
  Cycles cycle = 0;
  NodeId node = 0;
  std::string what;
  friend auto operator<=>(const RecordedEdge&, const RecordedEdge&) = default;
};

/// Keeps numbers; texts are made of them when they are asked for, because a long comparison reads none.
class CircuitRecorder final : public Observer {
 public:
  void injected(CircuitId id, const CircuitRecord& circuit) override {
    if (names_.size() <= id) names_.resize(id + std::size_t{1});
    // A port drives one probe at an edge, so port and edge name the circuit.
    names_[id] = {circuit.source, circuit.destination, circuit.inject_port, circuit.probe};
    note(circuit.probe, circuit.source, id, What::probe,
         {circuit.bytes, static_cast<std::uint64_t>(circuit.kind), circuit.tag});
    ++circuits_;
  }
  void granted(CircuitId id, const CircuitRecord&, NodeId router, unsigned output, Cycles asked, Cycles at) override {
    note(at, router, id, What::grant, {output, asked});
  }
  void released(CircuitId id, const CircuitRecord&, NodeId router, unsigned output, Cycles free_from) override {
    note(free_from, router, id, What::release, {output});
  }
  void established(CircuitId id, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    note(edges.acknowledge, circuit.destination, id, What::acknowledge);
    note(edges.data, circuit.source, id, What::first_phit);
    note(edges.tail, circuit.source, id, What::tail);
    note(edges.sender_ready, circuit.source, id, What::sender_ready);
    note(edges.receiver_ready, circuit.destination, id, What::receiver_ready);
  }

  void phits_arrive(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    note(at, circuit.destination, id, What::first_phit_arrives);
  }
  // A program that waits for a clock and for a message, and gets both at one edge, may be continued by either first.
  void issued(const Operation& operation, Cycles /*at*/) override {
    numbers_[&operation] = issued_[{operation.node, operation.kind}]++;
  }
  void completed(const Operation& operation, Cycles at) override {
    Edge edge{.cycle = at, .node = operation.node, .what = What::completion, .circuit = {}, .values = {}};
    edge.values = {static_cast<std::uint64_t>(operation.kind), numbers_[&operation], 0, 0, 0};
    if (operation.kind == OperationKind::receive_each) {
      edge.values[2] = operation.received_check;
    } else if (operation.kind == OperationKind::receive || operation.kind == OperationKind::exchange) {
      edge.values[2] = operation.received_check;
      edge.values[3] = operation.received_bytes;
      edge.values[4] = operation.received_from;
    }
    edges_.push_back(edge);
  }
  void lost(const CircuitRecord& circuit, Cycles at) override {
    edges_.push_back({at, circuit.destination, What::loss, {}, {circuit.tag}});
  }

  [[nodiscard]] std::size_t circuits() const { return circuits_; }
  /// In order of cycle and node.
  [[nodiscard]] std::vector<RecordedEdge> edges() {
    sort();
    std::vector<RecordedEdge> all;
    for (const Edge& edge : edges_) all.push_back({edge.cycle, edge.node, text_of(edge)});
    return all;
  }

  friend std::string first_difference(CircuitRecorder& event, CircuitRecorder& other, const std::string& name);

 private:
  enum class What : std::uint8_t {
    probe,
    grant,
    release,
    acknowledge,
    first_phit,
    tail,
    sender_ready,
    receiver_ready,
    first_phit_arrives,
    completion,
    loss
  };
  struct Name {
    NodeId source = 0;
    NodeId destination = 0;
    std::uint32_t inject_port = 0;
    Cycles probe = 0;
    friend auto operator<=>(const Name&, const Name&) = default;
  };
  using Values = std::array<std::uint64_t, 5>;
  struct Edge {
    Cycles cycle = 0;
    NodeId node = 0;
    What what = What::probe;
    Name circuit;
    Values values{};
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };

  void note(Cycles cycle, NodeId node, CircuitId id, What what, const Values& values = {}) {
    edges_.push_back({cycle, node, what, names_[id], values});
  }
  void sort() { std::sort(edges_.begin(), edges_.end()); }

  static std::string text_of(const Edge& edge) {
    const auto value = [&edge](std::size_t i) { return std::to_string(edge.values[i]); };
    if (edge.what == What::loss) return "message of tag " + value(0) + " is lost";
    if (edge.what == What::completion) {
      constexpr std::array kinds{"send", "receive", "receive of each", "counted receive", "exchange", "computation"};
      const auto kind = static_cast<OperationKind>(edge.values[0]);
      std::string text = std::string(kinds[edge.values[0]]) + ", operation " + value(1) + ", is complete";
      if (kind == OperationKind::receive_each) {
        text += ", received check words " + value(2);
      } else if (kind == OperationKind::receive || kind == OperationKind::exchange) {
        text += ", received " + value(3) + " bytes with check word " + value(2) + " from " + value(4);
      }
      return text;
    }
    const std::string circuit = std::to_string(edge.circuit.source) + "->" + std::to_string(edge.circuit.destination) +
                                " port " + std::to_string(edge.circuit.inject_port) + " probe " +
                                std::to_string(edge.circuit.probe) + ": ";
    if (edge.what == What::probe) {
      return circuit + "probe, bytes " + value(0) + ", kind " + value(1) + ", tag " + value(2);
    }
    if (edge.what == What::grant) return circuit + "grant of output " + value(0) + " asked at " + value(1);
    if (edge.what == What::release) return circuit + "output " + value(0) + " free again";
    constexpr std::array others{"acknowledge",  "first phit",     "tail",
                                "sender ready", "receiver ready", "first phit arrives"};
    return circuit + others[static_cast<std::size_t>(edge.what) - static_cast<std::size_t>(What::acknowledge)];
  }

  std::vector<Name> names_;  ///< by CircuitId
  std::vector<Edge> edges_;
  /// Of the operations under way: counted at their node, each kind by itself.
  std::map<const Operation*, unsigned> numbers_;
  std::map<std::pair<NodeId, OperationKind>, unsigned> issued_;
  std::size_t circuits_ = 0;
};

/// Cycle, node and event at which both runs differ first; "" when they do not. `name` stands for the other one.
inline std::string first_difference(CircuitRecorder& event, CircuitRecorder& other, const std::string& name) {
  event.sort();
  other.sort();
  const auto& a = event.edges_;
  const auto& b = other.edges_;
  const auto describe = [](const std::vector<CircuitRecorder::Edge>& edges, std::size_t i) {
    if (i >= edges.size()) return std::string("nothing");
    return "cycle " + std::to_string(edges[i].cycle) + ", node " + std::to_string(edges[i].node) + ", " +
           CircuitRecorder::text_of(edges[i]);
  };
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= a.size() || i >= b.size() || a[i] != b[i]) {
      return "event: " + describe(a, i) + "\n  " + name + ": " + describe(b, i);
    }
  }
  return "";
}

inline std::string counted(const LinkStatistics& s) {
  return std::to_string(s.circuits) + " circuits, " + std::to_string(s.bytes) + " bytes, busy " +
         std::to_string(s.busy) + ", blocked " + std::to_string(s.blocked) + ", most waiting " +
         std::to_string(s.most_waiters);
}

inline std::string all_links(const Links& links) {
  std::string text;
  for_each_link(links.topology(), [&](LinkId link) {
    text += "link " + std::to_string(link.node) + ":" + std::to_string(link.output) + " " +
            counted(links.statistics(link)) + "\n";
  });
  return text;
}

inline std::string counted(const RunStatistics& s) {
  const auto waits = [](const BlockedStatistics& each) {
    return std::to_string(each.circuits) + " for " + std::to_string(each.cycles);
  };
  std::string text = std::to_string(s.circuits) + " circuits, " + std::to_string(s.control_circuits) + " control, " +
                     std::to_string(s.payload_bytes) + " bytes, blocked " + waits(s.link_blocked) + ", port-blocked " +
                     waits(s.port_blocked) + ", serialised " + waits(s.serialised) + ", most stored " +
                     std::to_string(s.most_stored) + " in " + std::to_string(s.most_packets) + ", lost " +
                     std::to_string(s.lost);
  for (const LostMessage& lost : s.first_lost) {
    text += " " + std::to_string(lost.source) + "->" + std::to_string(lost.destination) + " tag " +
            std::to_string(lost.tag) + " at " + std::to_string(lost.at);
  }
  if (s.cut > 0) text += ", cut " + std::to_string(s.cut);
  for (const CutCircuit& cut : s.first_cut) {
    text += " " + std::to_string(cut.source) + "->" + std::to_string(cut.destination) + " tag " +
            std::to_string(cut.tag) + " on " + std::to_string(cut.link.node) + ":" + std::to_string(cut.link.output) +
            " at " + std::to_string(cut.at);
  }
  return text;
}

inline std::string counted(const PlaneStatistics& s) {
  return std::to_string(s.changes) + " changes, closing " + std::to_string(s.closing) + ", dark " +
         std::to_string(s.dark) + ", exposed " + std::to_string(s.exposed) + ", hidden " + std::to_string(s.hidden);
}

/// All that a run shows, except its edges.
struct Outcome {
  RunResult result;
  std::string links;
  std::string statistics;
  std::string planes;
  std::uint64_t wrong = 0;  ///< messages that a node did not expect
};

inline Outcome outcome_of(const Cube& cube, RunResult result, std::uint64_t wrong) {
  return {std::move(result), all_links(cube), counted(cube.engine().statistics()),
          counted(cube.engine().plane_statistics()), wrong};
}
inline Outcome outcome_of(const ClockedCube& cube, RunResult result, std::uint64_t wrong) {
  return {std::move(result), all_links(cube), counted(cube.statistics()), counted(cube.plane_statistics()), wrong};
}

/// What `other` does otherwise than `one`, or "".
inline std::string difference(const Outcome& one, const Outcome& other) {
  const auto differ = [](const std::string& what, const auto& expected, const auto& found) {
    return what + " " + ::testing::PrintToString(found) + ", otherwise " + ::testing::PrintToString(expected);
  };
  if (one.result.status != other.result.status)
    return differ("status", static_cast<int>(one.result.status), static_cast<int>(other.result.status));
  if (one.result.fault != other.result.fault) return differ("fault", one.result.fault, other.result.fault);
  // The clocked machine stops at another edge where programs wait for ever.
  if (one.result.status == RunResult::Status::finished && one.result.cycles != other.result.cycles)
    return differ("cycles", one.result.cycles, other.result.cycles);
  if (one.links != other.links) return differ("links", one.links, other.links);
  if (one.statistics != other.statistics) return differ("counts", one.statistics, other.statistics);
  if (one.planes != other.planes) return differ("planes", one.planes, other.planes);
  if (one.wrong != other.wrong) return differ("wrong messages", one.wrong, other.wrong);
  return "";
}

/// A SystemC process elaborates once: so all machines of a test are made before its first run. Programs are those of
/// random_program.h and random_planes.h: with their machine, size and conditions, and a function `firmware_of`.
class BothEngines {
 public:
  /// `name` stands for the machines of modules in messages.
  explicit BothEngines(std::string name = "clocked")
      : name_(std::move(name)), event_("cube", largest, Hierarchy::flat) {}
  explicit BothEngines(const Shapes& shapes) : BothEngines() {
    for (const RandomShape& shape : shapes) elaborate(machine_of(shape), shape.dim);
  }

  /// Makes the machine of modules of this shape.
  void elaborate(const Machine& machine, unsigned dim, const clocked::NodeParts& parts = {}) {
    if (find(machine, dim) != nullptr) return;
    const std::string name = name_ + std::to_string(clocked_.size());
    clocked_.push_back(std::make_unique<ClockedCube>(name.c_str(), machine, dim, parts));
  }
  [[nodiscard]] ClockedCube* find(const Machine& machine, unsigned dim) const {
    for (const auto& cube : clocked_) {
      if (cube->shape() == clocked::shape_of(machine, dim)) return cube.get();
    }
    return nullptr;
  }
  [[nodiscard]] Cube& event() { return event_; }

  RunResult run_event(Program& program, const Machine& machine, unsigned dim, const RunConditions& conditions,
                      Observer& observer) {
    event_.reset(machine, dim, conditions);
    event_.observe(&observer);
    RunResult result = event_.run(program);
    event_.observe(nullptr);
    event_.unload();
    return result;
  }
  RunResult run_clocked(Program& program, const Machine& machine, unsigned dim, const RunConditions& conditions,
                        Observer& observer) {
    ClockedCube& cube = *find(machine, dim);
    cube.observe(&observer);
    cube.reset(machine, conditions);
    RunResult result = cube.run(program);
    cube.observe(nullptr);
    cube.unload();
    return result;
  }
  template <class AnyProgram>
  Outcome run_clocked(const AnyProgram& program, Observer& observer) {
    const auto firmware = firmware_of(program);
    RunResult result = run_clocked(firmware->program(), program.machine, program.dim, program.conditions, observer);
    return outcome_of(*find(program.machine, program.dim), std::move(result), firmware->wrong());
  }

  /// Runs the program from `make` on both engines; what differs first, or "".
  template <class Make>
  std::string difference(const Machine& machine, unsigned dim, const RunConditions& conditions, const Make& make,
                         CircuitRecorder& event, CircuitRecorder& clocked) {
    const auto on_event = make();
    RunResult result = run_event(on_event->program(), machine, dim, conditions, event);
    const Outcome expected = outcome_of(event_, std::move(result), on_event->wrong());
    const auto on_clocked = make();
    result = run_clocked(on_clocked->program(), machine, dim, conditions, clocked);
    const Outcome found = outcome_of(*find(machine, dim), std::move(result), on_clocked->wrong());
    if (found.result.fault != expected.result.fault && !found.result.fault.empty()) return found.result.fault;
    const std::string edge = first_difference(event, clocked, name_);
    const std::string otherwise = ecube::difference(expected, found);
    if (!edge.empty()) return edge + "\n  " + otherwise.substr(0, otherwise.find('\n'));
    return expected.wrong != 0 ? "wrong messages on the event engine" : otherwise;
  }
  template <class AnyProgram>
  std::string difference(const AnyProgram& program) {
    CircuitRecorder event;
    CircuitRecorder clocked;
    return difference(
        program.machine, program.dim, program.conditions, [&] { return firmware_of(program); }, event, clocked);
  }

  /// Runs the program from `make` on both engines; nothing may differ. Returns the number of circuits compared.
  template <class Make>
  std::size_t expect_equal(const Machine& machine, unsigned dim, const RunConditions& conditions, const Make& make,
                           const std::string& replay) {
    CircuitRecorder event;
    CircuitRecorder clocked;
    [&] { ASSERT_EQ(difference(machine, dim, conditions, make, event, clocked), "") << replay; }();
    return event.circuits();
  }
  template <class AnyProgram>
  std::size_t expect_equal(const AnyProgram& program, const std::string& replay) {
    return expect_equal(
        program.machine, program.dim, program.conditions, [&] { return firmware_of(program); }, replay);
  }

 private:
  static constexpr unsigned largest = 8;

  std::string name_;
  Cube event_;
  std::vector<std::unique_ptr<ClockedCube>> clocked_;
};

/// What a comparison has run, and what became of its programs.
struct Compared {
  std::uint64_t programs = 0;
  std::uint64_t circuits = 0;
  std::uint64_t blocked = 0;
  std::uint64_t cut = 0;
  std::uint64_t finished = 0;
  std::uint64_t stalled = 0;  ///< programs that wait, though no message was lost and nothing failed
  PlaneStatistics planes{};
};

/// The programs that `program_of` makes of the seeds from `seed` on, none of which may differ, until as many programs
/// and circuits as in `wanted` have been compared.
template <class ProgramOf>
Compared compare_programs(BothEngines& engines, const Compared& wanted, std::uint64_t seed,
                          const ProgramOf& program_of) {
  Compared all;
  const Engine& engine = engines.event().engine();
  for (; all.programs < wanted.programs || all.circuits < wanted.circuits; ++seed, ++all.programs) {
    const auto program = program_of(seed);
    all.circuits += engines.expect_equal(program, "ECUBE_SEED=" + std::to_string(seed));
    if (::testing::Test::HasFatalFailure()) break;
    const RunStatistics& counts = engine.statistics();
    const bool fails = counts.lost > 0 || !program.conditions.failures.empty();
    all.blocked += counts.link_blocked.circuits + counts.port_blocked.circuits;
    all.cut += counts.cut;
    all.finished += engine.unfinished() == 0 ? 1 : 0;
    all.stalled += engine.unfinished() != 0 && !fails ? 1 : 0;
    all.planes.changes += engine.plane_statistics().changes;
    all.planes.exposed += engine.plane_statistics().exposed;
    all.planes.hidden += engine.plane_statistics().hidden;
  }
  ::testing::Test::RecordProperty("circuits", std::to_string(all.circuits));
  return all;
}

/// Random programs on random machines of these shapes and every mode, until `wanted` circuits have been compared; links
/// and nodes fail in every fourth, where `fail`.
inline Compared compare_random_programs(BothEngines& engines, const Shapes& shapes, std::size_t wanted,
                                        std::uint64_t seed, bool fail = false) {
  const Compared all = compare_programs(engines, {.circuits = wanted}, seed, [&](std::uint64_t number) {
    RandomProgram program = random_program(number, shapes);
    if (fail && number % 4 == 1) program.conditions.failures = random_failures(number, program);
    return program;
  });
  EXPECT_GT(all.blocked, all.circuits / 20) << "the programs are hardly contended";
  return all;
}

/// What differs in the first of the programs of the seeds 1 to `programs` that differs, with its seed; or "".
template <class ProgramOf>
std::string first_found(BothEngines& engines, std::uint64_t programs, const ProgramOf& program_of) {
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const std::string found = engines.difference(program_of(seed));
    if (!found.empty()) return "program " + std::to_string(seed) + ": " + found;
  }
  return "";
}

}  // namespace ecube
