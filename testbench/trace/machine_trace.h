// SPDX-License-Identifier: Apache-2.0
// The state of every link and every program of the machine, in order of time.
#pragma once

#include <memory>

#include "hw/event/event_wheel.h"
#include "testbench/trace/wait_chains.h"

namespace ecube {

/// The state of an output, from the circuit that owns it. A link is blocked while the probe of its circuit waits
/// further on, whether the link is the last or the first that the probe took. A link of a plane closes from the edge
/// at which its node has asked for another, and is dark while it is tuned.
enum class LinkState : std::uint8_t { idle, setup, blocked, held, data, dark, closing };
inline constexpr std::array<std::string_view, 7> link_state_names{"idle", "setup", "blocked", "held",
                                                                  "data", "dark",  "closing"};

/// The state of a program. Where several of these apply, the last in this list counts.
enum class ProgramState : std::uint8_t { starting, waiting, receiving, sending, computing, barrier, finished };
inline constexpr std::array<std::string_view, 7> program_state_names{"starting",  "waiting", "receiving", "sending",
                                                                     "computing", "barrier", "finished"};

/// Of a node on planes (rule 14.6). The node-cycles in each are those of `network`, but for tunes that never end.
enum class TuningState : std::uint8_t { none, hidden, exposed };
inline constexpr std::array<std::string_view, 3> tuning_state_names{"none", "hidden", "exposed"};

/// The output for which a circuit's probe waits, and the circuit that has it; number 0 when no circuit does.
struct Blocking {
  OutputId output;
  CircuitName holder{};
  friend bool operator==(const Blocking&, const Blocking&) = default;
};

/// An output of a router at one edge, or an inject port, which its circuit has from the probe until the port is free.
/// Inject ports are numbered behind the outputs of the router.
struct LinkView {
  LinkState state = LinkState::idle;
  std::uint32_t waiting = 0;           ///< circuits that ask for the output
  Bytes bytes = 0;                     ///< carried by circuits that have left the output
  CircuitName owner{};                 ///< number 0 when the output is idle
  Bytes message = 0;                   ///< of the owner
  std::optional<Blocking> blocking{};  ///< while blocked: the output for which the circuit waits
  NodeId tuned_to = 0;                 ///< while closing or dark: the mask of the link that comes up
  Cycles asked = 0;                    ///< at this edge
};

struct ProgramView {
  ProgramState state = ProgramState::starting;
  std::uint32_t phase = 0;  ///< counted from 1
  std::uint32_t step = 0;   ///< of the phase: edges at which the program asked to send, so far
  TuningState tuning = TuningState::none;

  bool operator==(const ProgramView&) const = default;
};

/// Receives changes in order of time. Of several values within an edge only the last is reported.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void link_changed(Cycles, const OutputId&, const LinkView&) {}
  /// Whether outputs are told again whose circuit still waits, perhaps for another holder than before.
  [[nodiscard]] virtual bool follows_holders() const { return false; }
  virtual void program_changed(Cycles, NodeId, const ProgramView&) {}
  /// All changes of the edge have been reported.
  virtual void edge_over(Cycles) {}
};

/// A sink that writes a file.
class FileSink : public TraceSink {
 public:
  /// Ends the file at edge `end`, or at the end of its window. std::runtime_error unless everything is in the file.
  virtual void finish(Cycles end) = 0;
};

/// A timeline for Perfetto (ui.perfetto.dev), of the machine's changes as slices. std::runtime_error when the file
/// cannot be made.
[[nodiscard]] std::unique_ptr<FileSink> make_timeline(const std::string& file, const Topology& topology,
                                                      const TraceWindow& window, const TraceSelection& selection,
                                                      std::uint64_t clock_hz);

/// Sorts the engine's reports, some of which come ahead of time, and reports the changes to sinks.
class MachineTrace final : public Observer {
 public:
  MachineTrace(const Machine& machine, const Topology& topology, MessageNumbers& names)
      : machine_(machine),
        topology_(topology),
        outputs_(topology.outputs() + machine.node.ports.physical(topology.outputs())),
        places_(2 * outputs_ - topology.outputs()),
        names_(names),
        worms_(machine.network.switching == Switching::wormhole),
        links_(std::size_t{topology.nodes()} * places_),
        programs_(topology.nodes()) {}

  void add(TraceSink& sink) { sinks_.push_back(&sink); }
  /// The engine will report no more events from before this edge. An event that is reported too late is moved to this
  /// edge.
  void settle(Cycles before) {
    advance(before);
    settled_ = std::max(settled_, before);
  }
  /// Carries out all remaining changes. Returns the edge of the last one.
  Cycles finish() {
    advance(never);
    return reached_;
  }

  /// [phase - 1]: the edge at which the first program began it.
  [[nodiscard]] const std::vector<Cycles>& phase_starts() const { return phase_starts_; }

  void injected(CircuitId id, const CircuitRecord& circuit) override {
    if (way_of_.size() <= id) way_of_.resize(id + std::size_t{1}, no_way);
    const WayId way = ways_.add(2);  // for its probe, and its inject port
    ways_[way].places.clear();
    ways_[way] = {.name = {circuit.source, circuit.destination},
                  .bytes = circuit.bytes,
                  .circuit = id,
                  .probe = circuit.probe,
                  .places = std::move(ways_[way].places)};
    way_of_[id] = way;
    push(circuit.probe, Kind::probe, place(circuit.source, outputs_ + circuit.inject_port), way);
  }
  void granted(CircuitId id, const CircuitRecord&, NodeId router, unsigned output, Cycles, Cycles at) override {
    advance(at);
    const WayId number = way_of_[id];
    Way& way = ways_[number];
    ways_.refer(number);  // for this change
    ways_.refer(number);  // for its release
    push(at, Kind::grant, place(router, output), number);
    if (worms_) {
      // Phits follow their probe at the pace of the links; with a buffer of one word, not before the probe has left it.
      const Cycles pace = machine_.phit_cycles().num / machine_.phit_cycles().den;
      if (machine_.buffer_phits() > 1) {
        data_from(number, place(router, output), at + pace);
      } else if (way.newest_since != never) {
        data_from(number, way.newest, std::max(way.newest_since + pace, at + 1));
      }
    }
    way.newest = place(router, output);
    way.newest_since = at;
  }
  void waits(CircuitId id, const CircuitRecord&, NodeId router, unsigned output, Cycles at) override {
    advance(at);
    ways_.refer(way_of_[id]);
    push(at, Kind::wait, place(router, output), way_of_[id]);
  }
  void phits_leave(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    if (worms_) return;
    const WayId way = way_of_[id];
    topology_.along(circuit.source, circuit.destination, circuit.inject_port,
                    [&](LinkId link) { data_from(way, place(link.node, link.output), ++at); });
    data_from(way, place(circuit.destination, topology_.outputs() + circuit.eject_port), ++at);
  }
  void phits_arrive(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    // The last router has driven the first phit two edges before; the interface's own report comes too late.
    if (worms_ && machine_.buffer_phits() == 1) data_from(way_of_[id], ways_[way_of_[id]].newest, at - 2);
    begin(at, circuit.destination, ProgramState::receiving);
  }
  void established(CircuitId id, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    const WayId way = way_of_[id];
    push(edges.sender_ready, Kind::release, place(circuit.source, outputs_ + circuit.inject_port), way);
    end(edges.receiver_ready, circuit.destination, ProgramState::receiving);
  }
  void released(CircuitId id, const CircuitRecord&, NodeId router, unsigned output, Cycles free_from) override {
    push(free_from, Kind::release, place(router, output), way_of_[id]);
  }
  void half_is(HalfState state, NodeId node, unsigned plane, NodeId mask, Cycles at) override {
    if (state != HalfState::up) advance(at);
    const Kind kind = state == HalfState::up ? Kind::up : state == HalfState::closing ? Kind::closing : Kind::dark;
    push(at, kind, place(node, plane), mask);
  }
  void plane_count(PlaneCount what, NodeId node, bool more, Cycles at) override {
    push(at, more ? Kind::begin : Kind::end, node, first_count + what);
  }
  void program_starts(NodeId node, Cycles at) override {
    advance(at);
    begin(at, node, ProgramState::waiting);
  }
  void program_ends(NodeId node, Cycles at) override { begin(at, node, ProgramState::finished); }
  void issued(const Operation& operation, Cycles at) override {
    advance(at);
    if (operation.signal) {
      push(at, Kind::phase, operation.node, operation.label);
      begin(at, operation.node, ProgramState::barrier);
    } else if (sends(operation)) {
      push(at, Kind::issue, operation.node, operation.label);
    }
  }
  void begins(const Operation& operation, Cycles at) override {
    advance(at);
    if (sends(operation)) begin(at, operation.node, ProgramState::sending);
    if (computes(operation)) begin(at, operation.node, ProgramState::computing);
  }
  void left(const Operation& operation, Cycles at) override { end(at, operation.node, ProgramState::sending); }
  void completed(const Operation& operation, Cycles at) override {
    advance(at);
    if (operation.signal) end(at, operation.node, ProgramState::barrier);
    if (computes(operation)) end(at, operation.node, ProgramState::computing);
  }

 private:
  /// The events of an edge. Releases come first: an output that is given up at an edge can be taken at the same edge.
  enum class Kind : std::uint8_t { release, probe, grant, wait, data, up, closing, dark, begin, end, phase, issue };
  struct Change {
    std::uint32_t subject = 0;  ///< the place of an output or an inject port, or a node
    std::uint32_t detail = 0;   ///< a way, a mask, a program's state, or a phase
    Kind kind = Kind::release;
  };
  struct Way {
    CircuitName name;
    Bytes bytes = 0;
    CircuitId circuit = no_circuit;
    Cycles probe = 0;
    std::vector<std::uint32_t> places;  ///< that the circuit owns now, in order of its path
    std::uint32_t newest = 0;           ///< output granted last, and when
    Cycles newest_since = never;
    bool arrived = false;
    std::optional<std::uint32_t> waits_at{};  ///< the place of the output for which its probe waits
  };
  using WayId = CircuitPool<Way>::Id;
  static constexpr WayId no_way = CircuitPool<Way>::none;
  struct Output {
    WayId owner = no_way;
    NodeId tuned_to = 0;  ///< while it is closing or dark
    Cycles asked = 0;
    Bytes bytes = 0;
    std::vector<WayId> waiting;
    bool data = false;
    bool dark = false;
    bool dirty = false;
  };
  static constexpr std::uint32_t first_count = program_state_names.size();
  struct Program {
    std::array<std::uint32_t, first_count + 3> active{};  ///< [state]: how often it applies; then counts of planes
    ProgramView now{};
    ProgramView told{};  ///< to the sinks
    Cycles stepped = never;
  };

  static bool computes(const Operation& operation) {
    return operation.kind == OperationKind::compute && operation.work != Work::until && operation.work != Work::tune;
  }
  static bool sends(const Operation& operation) {
    return operation.kind == OperationKind::send || operation.kind == OperationKind::exchange;
  }
  [[nodiscard]] std::uint32_t place(NodeId router, unsigned output) const {
    return static_cast<std::uint32_t>(router) * places_ + output;
  }
  [[nodiscard]] OutputId output_at(std::uint32_t place) const { return {place / places_, place % places_}; }
  void push(Cycles at, Kind kind, std::uint32_t subject, std::uint32_t detail) {
    wheel_.push(std::max({at, reached_, settled_}), {.subject = subject, .detail = detail, .kind = kind});
  }
  void data_from(WayId way, std::uint32_t place, Cycles at) {
    ways_.refer(way);
    push(at, Kind::data, place, way);
  }
  void begin(Cycles at, NodeId node, ProgramState state) {
    push(at, Kind::begin, node, static_cast<std::uint32_t>(state));
  }
  void end(Cycles at, NodeId node, ProgramState state) { push(at, Kind::end, node, static_cast<std::uint32_t>(state)); }
  /// Carries out all changes before edge `now`.
  void advance(Cycles now) {
    for (Cycles next = wheel_.next_cycle(); next < now; next = wheel_.next_cycle()) {
      wheel_.advance_to(next);
      reached_ = next;
      carry_out(next);
    }
  }
  void carry_out(Cycles edge);
  void apply(const Change& change, Cycles edge);
  void release(const Change& change) {
    Output& output = links_[change.subject];
    Way& way = ways_[change.detail];
    output.bytes += way.bytes;
    // Modules tell late that an inject port is free: another circuit may have it.
    if (output.owner == change.detail) output.owner = no_way;
    output.data = false;
    std::erase(way.places, change.subject);
    touch(change.subject);
    ways_.drop(change.detail);
  }
  void grant(const Change& change) {
    Output& output = links_[change.subject];
    Way& way = ways_[change.detail];
    if (std::erase(output.waiting, change.detail) > 0) {
      way.waits_at.reset();
      touch_all(way);
    }
    output.owner = change.detail;
    output.data = false;
    way.places.push_back(change.subject);
    const unsigned number = change.subject % places_;
    if (number >= topology_.outputs() && number < outputs_) {
      way.arrived = true;
      touch_all(way);
    }
    touch(change.subject);
    ways_.drop(change.detail);
  }
  void apply_to_program(const Change& change, Cycles edge);
  [[nodiscard]] LinkView view_of(std::uint32_t place) const {
    const Output& at = links_[place];
    LinkView view{.waiting = static_cast<std::uint32_t>(at.waiting.size()), .bytes = at.bytes};
    if (at.owner == no_way) {
      if (at.tuned_to != 0) view.state = at.dark ? LinkState::dark : LinkState::closing;
      view.tuned_to = at.tuned_to;
      view.asked = at.asked;
      return view;
    }
    const Way& way = ways_[at.owner];
    view.owner = way.name;
    view.message = way.bytes;
    if (way.waits_at) {
      view.state = LinkState::blocked;
      const WayId holder = links_[*way.waits_at].owner;
      view.blocking = Blocking{output_at(*way.waits_at), holder == no_way ? CircuitName{} : ways_[holder].name};
    } else if (at.data) {
      view.state = LinkState::data;
    } else {
      view.state = way.arrived ? LinkState::held : LinkState::setup;
    }
    return view;
  }
  void touch(std::uint32_t place) {
    if (!std::exchange(links_[place].dirty, true)) dirty_links_.push_back(place);
  }
  void touch_all(const Way& way) {
    for (const std::uint32_t place : way.places) touch(place);
  }

  Machine machine_;
  Topology topology_;
  unsigned outputs_;
  unsigned places_;  ///< of a router: its outputs and inject ports
  MessageNumbers& names_;
  bool worms_;
  std::vector<TraceSink*> sinks_;
  EventWheel<Change> wheel_;
  Cycles reached_ = 0;             ///< everything before has been carried out
  Cycles settled_ = 0;             ///< the same, where nothing has happened since reached_
  CircuitPool<Way> ways_;          ///< future changes, and places that a circuit owns, refer to it
  std::vector<WayId> way_of_;      ///< by CircuitId
  std::vector<Output> links_;      ///< [router][output or inject port]
  std::vector<Program> programs_;  ///< [node]
  std::vector<Change> edge_;       ///< changes at the edge being carried out
  std::vector<std::uint32_t> dirty_links_;
  std::vector<NodeId> dirty_programs_;  ///< some of them several times
  std::vector<Cycles> phase_starts_;
};

}  // namespace ecube
