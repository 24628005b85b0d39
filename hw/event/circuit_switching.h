// SPDX-License-Identifier: Apache-2.0
// The edges of a circuit after its acceptance: acknowledge, phits, and the release of its path (hw/README.md section
// 3).
#pragma once

#include <optional>

#include "hw/event/routers.h"

namespace ecube::event {

/// When phits and acknowledge of a circuit pass, once it is accepted.
class CircuitTimes {
 public:
  struct Edges : CircuitEdges {
    Cycles first_received = 0;  ///< the destination has the first phit
  };

  void reset(const Machine& machine) {
    accept_cycles_ = machine.network.accept_cycles;
    setup_cycles_ = machine.network.setup_cycles;
    link_ = machine.link;
    phit_cycles_ = machine.phit_cycles();
    last_bytes_ = 0;
    last_data_cycles_ = 0;
  }
  /// Rules 2.5, 3.3, 3.4, 3.5 and 3.8: the edges of a circuit over `h` links whose probe is driven at edge `probe`, and
  /// accepted from edge `at` on.
  [[nodiscard]] [[gnu::always_inline]] Edges edges_of(bool fixed_distance, unsigned h, Bytes bytes, Cycles probe,
                                                      Cycles at) {
    Edges edges;
    edges.acknowledge = at + accept_cycles_ - 1;
    edges.data = at + accept_cycles_ + h + 1;
    if (fixed_distance) edges.data = std::max(edges.data, probe + setup_cycles_ - h - 3);
    if (bytes != last_bytes_) {  // saves two divisions, as lengths seldom change
      last_bytes_ = bytes;
      last_data_cycles_ = cycles_before(phits(bytes) - 1);
    }
    edges.tail = edges.data + last_data_cycles_;
    edges.sender_ready = edges.tail + 1;
    edges.receiver_ready = edges.tail + h + 3;
    edges.first_received = edges.receiver_ready - last_data_cycles_;
    return edges;
  }
  [[nodiscard]] std::uint64_t phits(Bytes bytes) const { return link_.phits(bytes); }
  /// From the first phit to phit `phit`.
  [[nodiscard]] Cycles cycles_before(std::uint64_t phit) const { return phit_cycles_.floor_of(phit); }

 private:
  Cycles accept_cycles_ = 1;  ///< A
  Cycles setup_cycles_ = 0;   ///< F, where distance is fixed
  Machine::Link link_;
  Ratio phit_cycles_{1, 1};  ///< c
  Bytes last_bytes_ = 0;     ///< of the circuit accepted last; last_data_cycles_ is its cycles from first phit to tail
  Cycles last_data_cycles_ = 0;
};

class CircuitSwitching {
 public:
  CircuitSwitching(Routers& routers, Statistics& statistics, const Failures& failures)
      : routers_(routers), statistics_(statistics), failures_(failures) {}

  void reset(const Machine& machine) { times_.reset(machine); }
  void observe(Observer* observer) { observer_ = observer; }

  using Established = CircuitTimes::Edges;
  /// How far a circuit comes, across links that may be dead.
  struct Reach {
    bool acknowledged = true;  ///< the acknowledge reaches the source, so the edges of the phits come to be
    bool begins = true;        ///< the first phit reaches the destination
    bool ends = true;          ///< the tail reaches the destination
  };
  /// Rules 2.6 and 3.6: acceptance of an arrived probe begins at edge `at`. All later edges follow by arithmetic, and
  /// the outputs of the path are told from which edge on they are free.
  [[gnu::always_inline]] Established establish(auto has, const Circuit& circuit, CircuitId id, Cycles at,
                                               Reach& reach) {
    const Established edges = edges_of(has, circuit, at);
    if (has->failures) {
      reach = establish_across_failures(has, circuit, id, edges);
      return edges;
    }
    const Bytes bytes = circuit.bytes;
    Cycles free_at = edges.tail + 2;
    const Outputs& outputs = routers_.outputs();
    if (((free_at - circuit.probe) | bytes) >> Output::count_bits == 0) [[likely]] {
      // Held for less than 2^31 cycles by less than 2^31 bytes.
      Output* const* const rows = outputs.rows();
      const auto pass_link = [&](LinkId link) { pass(has, rows[link.output][link.node], free_at++, bytes); };
      if (has->planes) {
        pass_link({circuit.source, circuit.inject_port});
      } else if (!has->products) {
        along_route(circuit.source, circuit.destination, pass_link);
      } else if (outputs.topology().jumps()) {
        outputs.topology().along_jumps(circuit.source, circuit.destination, pass_link);
      } else {
        free_at = pass_by_digits(has, circuit, free_at);
      }
      pass(has, rows[outputs.links() + (has->several_ports ? circuit.eject_port : 0U)][circuit.destination], free_at,
           bytes);
    } else {
      pass_one_by_one(circuit, free_at);
    }
    if (has->observer) tell(circuit, id, edges);
    return edges;
  }

  /// How many phits of a circuit that may be cut reach its destination.
  [[nodiscard]] std::uint64_t arriving(const Circuit& circuit, const Established& edges, const Reach& reach) const {
    const std::uint64_t phits = times_.phits(circuit.bytes);
    if (reach.ends) return phits;
    std::uint64_t count = 0;
    while (count < phits && all_alive(circuit, edges.data + times_.cycles_before(count))) ++count;
    return count;
  }

 private:
  /// Rule 12.3: as establish(), where links fail. Counts the circuit if it is cut.
  Reach establish_across_failures(auto has, const Circuit& circuit, CircuitId id, const Established& edges) {
    // The acknowledge goes backwards: of two dead links, the one nearer to the destination loses it.
    Cycles driven = edges.acknowledge + hops_of(has, circuit);
    std::optional<LinkId> lost;
    Cycles lost_at = 0;
    routers_.outputs().along_links(circuit, [&](LinkId link) {
      if (driven >= failures_.link(link)) {
        lost = link;
        lost_at = driven;
      }
      --driven;
    });
    if (lost) {
      statistics_.cut(circuit, *lost, CutCircuit::Lost::acknowledge, lost_at);
      return {false, false, false};
    }
    if (has->observer) observer_->phits_leave(id, circuit, edges.data);
    Reach reach{.begins = all_alive(circuit, edges.data)};
    Cycles tail = edges.tail;
    routers_.outputs().along_path(circuit, [&](Outputs::Place place, NodeId router, unsigned output) {
      if (!reach.ends) return;
      ++tail;
      routers_.free_from(place, tail + 1, circuit.bytes);
      if (has->observer) observer_->released(id, circuit, router, output, tail + 1);
      if (!routers_.outputs().is_link(output) || tail < failures_.link({router, output})) return;
      reach.ends = false;
      statistics_.cut(circuit, {router, output}, CutCircuit::Lost::tail, tail);
    });
    if (has->observer) {
      if (reach.begins) observer_->phits_arrive(id, circuit, edges.first_received);
      if (reach.ends) observer_->established(id, circuit, edges);
    }
    return reach;
  }
  // GCC would make a function of this where features are asked for: 50 instructions a message more.
  [[gnu::always_inline]] void pass(auto has, Output& output, Cycles at, Bytes bytes) {
    // Rare: a circuit waits for the output, or a count outgrows its 31 bits.
    if (!output.free_from(has, at, static_cast<std::uint32_t>(bytes))) [[unlikely]]
      routers_.free_from(routers_.outputs().place_of(output), at, bytes);
  }
  // Kept out of establish(), which is inlined.
  [[gnu::noinline]] Cycles pass_by_digits(auto has, const Circuit& circuit, Cycles free_at) {
    Output* const* const rows = routers_.outputs().rows();
    routers_.outputs().along_links(
        circuit, [&](LinkId link) { pass(has, rows[link.output][link.node], free_at++, circuit.bytes); });
    return free_at;
  }
  [[gnu::noinline]] void pass_one_by_one(const Circuit& circuit, Cycles free_at) {
    routers_.outputs().along_path(
        circuit, [&](Outputs::Place place, NodeId, unsigned) { routers_.free_from(place, free_at++, circuit.bytes); });
  }
  /// A phit that the source drives at edge `driven` is lost on no link.
  [[nodiscard]] bool all_alive(const Circuit& circuit, Cycles driven) const {
    bool alive = true;
    routers_.outputs().along_links(circuit, [&](LinkId link) { alive = ++driven < failures_.link(link) && alive; });
    return alive;
  }
  /// Rule 1.3.
  [[nodiscard]] unsigned hops_of(auto has, const Circuit& circuit) const {
    if (!has->products) return hops(circuit.source, circuit.destination);
    return routers_.outputs().topology().hops(circuit.source, circuit.destination);
  }
  [[nodiscard]] Established edges_of(auto has, const Circuit& circuit, Cycles at) {
    return times_.edges_of(has->fixed_distance, hops_of(has, circuit), circuit.bytes, circuit.probe, at);
  }
  void tell(const Circuit& circuit, CircuitId id, const Established& edges) const {
    Cycles free_at = edges.tail + 2;
    routers_.outputs().along_path(circuit, [&](Outputs::Place, NodeId router, unsigned output) {
      observer_->released(id, circuit, router, output, free_at++);
    });
    observer_->phits_leave(id, circuit, edges.data);
    observer_->phits_arrive(id, circuit, edges.first_received);
    observer_->established(id, circuit, edges);
  }

  Routers& routers_;
  Statistics& statistics_;
  const Failures& failures_;
  Observer* observer_ = nullptr;
  CircuitTimes times_;
};

}  // namespace ecube::event
