// SPDX-License-Identifier: Apache-2.0
// The test bench: runs a program on the machine under test, on any engine, and measures; cost parameters measured back
// from the machine by micro-benchmarks.
#pragma once

#include "hw/observed/circuit.h"
#include "models/combine/combine_cost.h"
#include "models/exchange/exchange_cost.h"
#include "models/fit/fit.h"
#include "models/ideal/ideal_machine.h"
#include "models/machine/hierarchy_names.h"
#include "models/shuffle/shuffle_cost.h"
#include "sw/api/embedding.h"

namespace sc_core {
class sc_module;
class sc_trace_file;
}  // namespace sc_core

namespace ecube {

class Cube;

/// The fitted parameters of a machine. The measured times differ from these linear functions of bytes, items, hops and
/// dimensions by at most `worst_percent`.
struct Calibration {
  MessageFit message;  ///< one way, by ping-pong; of messages that reserve room, where some do
  /// Of messages up to the library's threshold, where longer ones reserve room.
  std::optional<MessageFit> short_message;
  Bytes threshold = 0;         ///< 0 where all messages are alike
  std::uint32_t channels = 1;  ///< over which a shuffle shares a packet
  Bytes packet_bytes = 0;      ///< of the longest packet, each of which has a start-up; 0 where messages are not cut up
  double rho_us_per_byte = 0;
  double copy_us_per_byte = 0;
  double gamma_us_per_item = 0;       ///< of 4 bytes
  double gamma_us_per_wide_item = 0;  ///< of 8 bytes
  double barrier_us_per_dim = 0;
  /// Start-up of an exchange over one hop, less what each's bytes take: without and with synchronisation.
  double exchange_us = 0;
  double synchronised_exchange_us = 0;
  /// A message to, or an exchange with, a neighbour, by items of one byte: without and with the bookkeeping of a
  /// collective routine. The start-up of short ones is that of all where messages are alike.
  NeighbourCost neighbour_exchange;
  NeighbourCost collective_message;
  NeighbourCost collective_exchange;
  /// The processor's share of a message to a neighbour, where start-ups queue and a node has several ports.
  std::optional<ProcessorTimes> processor;
  bool combines_arriving = false;  ///< combining overlaps with communication
  bool synchronises = false;       ///< an empty message precedes each of a collective
  double worst_percent = 0;        ///< of all samples, |fitted - measured| / measured

  /// Parameters of the exchange equation for a cube of dimension `dim`; `synchronised` by zero-byte messages or not.
  [[nodiscard]] ExchangeParameters exchange(unsigned dim, bool synchronised = false) const {
    ExchangeParameters parameters;
    parameters.lambda_us = message.lambda_us.value_or(0);
    parameters.lambda0_us = (short_message ? short_message->lambda0_us : message.lambda0_us).value_or(0);
    parameters.tau_us_per_byte = message.tau_us_per_byte.value_or(0);
    parameters.delta_hop_us = message.delta_hop_us.value_or(0);
    parameters.tau_hop_us_per_byte = message.tau_hop_us_per_byte;
    parameters.rho_us_per_byte = rho_us_per_byte;
    parameters.barrier_us = barrier_us_per_dim * dim;
    if (short_message) {
      parameters.short_bytes = static_cast<double>(threshold);
      parameters.lambda_short_us = short_message->lambda_us.value_or(0);
      parameters.delta_hop_short_us = short_message->delta_hop_us.value_or(0);
    }
    parameters.pairwise_sync_messages = synchronised;
    parameters.source = "fitted";
    return parameters;
  }
  /// Of a message between neighbours.
  [[nodiscard]] double transmission_us_per_byte() const {
    return message.tau_us_per_byte.value_or(0) + message.tau_hop_us_per_byte;
  }
  /// Parameters of the combine equation, for items of 4 or 8 bytes.
  [[nodiscard]] CombineParameters combine(std::uint32_t item_bytes) const {
    CombineParameters parameters;
    parameters.exchange = collective_exchange;
    parameters.one_way = collective_message;
    for (NeighbourCost* const cost : {&parameters.exchange, &parameters.one_way}) cost->beta_us_per_item *= item_bytes;
    parameters.short_items = threshold / item_bytes;
    parameters.gamma_us_per_item = item_bytes == Machine::item_bytes ? gamma_us_per_item : gamma_us_per_wide_item;
    parameters.pad_us_per_item = item_bytes * transmission_us_per_byte();
    parameters.processor = processor;
    if (combines_arriving) parameters.overlap_us_per_item = parameters.pad_us_per_item;
    parameters.hop_us = message.delta_hop_us.value_or(0);
    parameters.hop_short_us = short_message ? short_message->delta_hop_us.value_or(0) : parameters.hop_us;
    parameters.stored_us_per_item = item_bytes * message.tau_hop_us_per_byte;
    parameters.synchronised = synchronises;
    parameters.source = "fitted";
    return parameters;
  }
  /// Parameters of the shuffle equation, for elements of `element_bytes` in packets of `packet`.
  [[nodiscard]] ShuffleParameters shuffle(std::uint32_t element_bytes, std::uint64_t packet) const;
};

/// Dimension the micro-benchmarks use: the least with three distances.
inline constexpr unsigned calibration_dim = 3;

/// A fit describes its samples if the error of none of them is larger, in percent.
inline constexpr double good_fit_percent = 0.5;

/// Runs ping-pong over sizes and distances, exchanges with and without synchronisation, several messages of a node at
/// once where their start-ups queue, copy, permute, combine and barrier on `cube` (elaborated for calibration_dim at
/// least), without jitter, and fits by least squares. Resets the cube. Throws std::runtime_error when a micro-benchmark
/// does not finish.
[[nodiscard]] Calibration calibrate(Cube& cube, const Machine& machine);
/// For workloads that tune no planes. InputError where the machine has links by planes alone.
void needs_fixed_links(const Machine& machine);

class ClockedCube;
class FoldedCube;
class Observer;

/// event: tables on one wheel, fast. clocked: SystemC modules with pins on a clock. rtl: the clocked machine with
/// routers and interface ports in SystemVerilog. ideal: no network, every operation costs what the equation says.
enum class EngineChoice : std::uint8_t { event, clocked, rtl, ideal };

/// True for engines made of modules, whose signals can be traced.
[[nodiscard]] constexpr bool has_modules(EngineChoice engine) {
  return engine == EngineChoice::clocked || engine == EngineChoice::rtl;
}

/// Whether one node stands for all (FoldedCube): never; where the run can be folded; or else the run is refused.
enum class Fold : std::uint8_t { off, automatic, on };

inline constexpr std::string_view mixed_router = "mixed";

struct RunSetup {
  Machine machine;
  unsigned dim = 1;  ///< of the cube; where `machine` names a topology, the bits of its largest label
  RunConditions conditions;
  EngineChoice engine = EngineChoice::event;
  std::vector<bool> rtl_nodes{};  ///< the nodes in RTL, of the engine rtl; all nodes if empty
  std::string router{};           ///< a file in SystemVerilog for the nodes in RTL, or mixed_router; ours if empty
  Fold fold = Fold::off;          ///< of the engine event, as asked for
  std::string not_folded{};       ///< why not, though it was asked for; empty where nothing speaks against it
  bool folded = false;            ///< this run goes to the folded machine
  /// The program is one for a cube, which another network of as many nodes stands for; none on a cube.
  std::optional<Embedding> embedding{};

  [[nodiscard]] Topology topology() const { return machine.topology(dim); }
  /// The cube on the links of another network; none where all partners are neighbours, or where there are no links.
  [[nodiscard]] std::shared_ptr<const LogicalCube> logical_cube() const;
  [[nodiscard]] bool may_fold() const { return fold != Fold::off && not_folded.empty(); }
};

template <class Workload>
struct WorkloadOn {
  RunSetup setup;
  Workload workload;
};

struct RunMeasurement {
  RunResult result;
  RunStatistics network;
  std::uint64_t events = 0;     ///< of the engine; 0 on the ideal machine
  double utilisation_mean = 0;  ///< of the links, busy cycles / cycles; 0 on the ideal machine
  double utilisation_max = 0;
  std::vector<WaitingNode> waiting;     ///< some of the nodes that have not finished
  std::vector<WaitingCircuit> blocked;  ///< some of the circuits that wait
  std::vector<WaitingCircuit> ring{};   ///< circuits that wait for each other in a ring
  // Only of a stalled run in which links or nodes fail:
  std::vector<WaitingCircuit> failed_circuits{};  ///< all circuits that wait
  std::vector<WaitingNode> failed_nodes{};        ///< all nodes that have not finished
  NodeId unfinished = 0;
  bool folded = false;         ///< node 0 stood for all
  bool escaped_error = false;  ///< a program ended with an error of its own
};

/// A run, and what became of the data that it carried.
struct DataMeasurement {
  RunMeasurement run;
  std::optional<bool> verified;  ///< nothing when no payload was carried, or the run did not finish
  NodeId verified_nodes = 0;     ///< of a folded run, in the place of `verified` where nothing was wrong
  std::uint64_t wrong = 0;

  /// Of a program that carried data. In a folded run it has those of so many nodes.
  template <class AnyProgram>
  void verify(const AnyProgram& program, NodeId of_folded = 0) {
    if (run.result.status != RunResult::Status::finished) return;
    wrong = program.wrong();
    if (run.folded && wrong == 0) {
      verified_nodes = of_folded;
    } else {
      verified = wrong == 0;
    }
  }
};

struct TracedMachine {
  HierarchyNames names{};
  const sc_core::sc_module* modules = nullptr;  ///< elaborated, of an engine that has_modules(); signals are below it
};

/// One machine of each engine, elaborated once, run many times.
class TestBench {
 public:
  /// Called now and then during run(), with the time and the circuits so far; returning false interrupts it.
  using Progress = std::function<bool(double us, std::uint64_t circuits)>;

  /// `dim` is the largest dimension to be run on the event engine; calibration always has enough dimensions.
  explicit TestBench(unsigned dim, Hierarchy hierarchy = Hierarchy::flat);
  ~TestBench();

  /// Makes the machine of modules that this run needs on the engines clocked and rtl; the first machine that is made
  /// has the names of HierarchyNames(). Several machines can be made one after the other, all before the first run.
  /// Does nothing if there is a machine of this shape with the same nodes in RTL.
  void elaborate(const RunSetup& setup);
  /// Whether machines of modules can still be made: no run has begun.
  [[nodiscard]] static bool elaborating();
  /// True if a run on the engines clocked and rtl would find its machine.
  [[nodiscard]] bool has(const RunSetup& setup) const { return find(setup) != nullptr; }

  /// Cost parameters measured back on the event engine; the parameters of the machine calibrated last are remembered.
  [[nodiscard]] const Calibration& calibrate(const Machine& machine);
  /// Runs `program` to its end and abandons nodes that have not finished. `costs` are for the ideal engine. Without a
  /// progress function, a signal ends the run with Interrupted. A folded run is not observed; NotFolded when it turns
  /// out that all nodes have to be simulated.
  [[nodiscard]] RunMeasurement run(const RunSetup& setup, Program& program, const IdealCosts& costs = {});

  /// A run for comparison, which only `observer` observes, if there is one.
  [[nodiscard]] RunMeasurement run_aside(const RunSetup& setup, Program& program, const IdealCosts& costs = {},
                                         Observer* observer = nullptr);

  void on_progress(Progress progress) { progress_ = std::move(progress); }
  [[nodiscard]] TracedMachine traced(const RunSetup& setup);
  /// Traces the signals of runs on an engine that has_modules(), but not of run_aside().
  void trace_signals(sc_core::sc_trace_file* signals) { signals_ = signals; }
  /// Watches the runs on any engine but the ideal one, not the calibration.
  void observe(Observer* observer) { observer_ = observer; }
  /// The event engine at the end of its last run. There must have been a run.
  [[nodiscard]] const Cube& cube() const { return *cube_; }
  /// The links of the machine that ran last, unless that was the ideal one.
  [[nodiscard]] const Links& links() const;

 private:
  [[nodiscard]] Cube& event();
  /// Tells how far a run is. False when it is to be interrupted.
  [[nodiscard]] bool goes_on(double us, std::uint64_t circuits) const;
  [[nodiscard]] RunMeasurement run_folded(const RunSetup& setup, Program& program);
  [[nodiscard]] RunMeasurement run_cube(const RunSetup& setup, Program& program);
  [[nodiscard]] RunMeasurement run_clocked(ClockedCube& cube, const RunSetup& setup, Program& program);
  /// Runs `cube`, which was reset and is observed; `state` tells how it stands.
  template <class AnyCube, class State>
  [[nodiscard]] RunMeasurement run_observed(AnyCube& cube, const State& state, const RunSetup& setup, Program& program);
  [[nodiscard]] ClockedCube* find(const RunSetup& setup) const;
  [[nodiscard]] RunMeasurement run_ideal(const RunSetup& setup, Program& program, const IdealCosts& costs);

  struct Clocked {
    EngineChoice engine;
    std::vector<bool> rtl_nodes;
    std::string router;
    std::unique_ptr<ClockedCube> cube;
  };

  unsigned dim_;
  Hierarchy hierarchy_;
  std::unique_ptr<Cube> cube_;
  std::vector<Clocked> clocked_;
  std::unique_ptr<FoldedCube> folded_;
  const Links* last_ = nullptr;  ///< those of the machine that ran last; null if that was the event engine or ideal
  IdealMachine ideal_;
  std::string calibrated_;  ///< the machine that calibration_ belongs to, as a file
  Calibration calibration_;
  Progress progress_;
  sc_core::sc_trace_file* signals_ = nullptr;
  Observer* observer_ = nullptr;
};

/// For each circuit that waits, the place of the one that holds what it waits for, or the number of circuits where that
/// one does not wait itself.
[[nodiscard]] std::vector<std::size_t> holders_among(const std::vector<WaitingCircuit>& waiting);
/// Each waits for an output that the next one holds, the last one for that of the first. Empty where there is none.
[[nodiscard]] std::vector<WaitingCircuit> ring_among(const std::vector<WaitingCircuit>& waiting);
/// How many things each chain has that begins at a thing and goes on to the next one of the last, up to one that has
/// none (next[i] = next.size()) or that the chain has already.
[[nodiscard]] std::vector<std::size_t> chain_lengths(const std::vector<std::size_t>& next);

}  // namespace ecube
