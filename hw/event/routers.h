// SPDX-License-Identifier: Apache-2.0
// The routers: route, arbitration, hold and release (hw/README.md section 2); the links and nodes that fail (section
// 12).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/event/event_wheel.h"
#include "hw/event/outputs.h"
#include "hw/observed/observer.h"

namespace ecube::event {

/// The links and nodes that fail in a run, and from which edge on (hw/README.md section 12).
class Failures {
 public:
  void reset(const std::vector<Failure>& failures, const Topology& topology) {
    const unsigned outputs = topology.outputs();
    const NodeId nodes = topology.nodes();
    label_bits_ = topology.label_bits();
    links_.clear();
    nodes_.clear();
    in_order_.clear();
    if (failures.empty()) return;
    links_.assign(static_cast<std::size_t>(outputs) << label_bits_, never);
    nodes_.assign(nodes, never);
    for (const Failure& failure : failures) {
      if (failure.output) {
        dies({failure.node, *failure.output}, failure.from);
        continue;
      }
      nodes_[failure.node] = std::min(nodes_[failure.node], failure.from);
      for (unsigned output = 0; output < outputs; ++output) {
        if (topology.exists(failure.node, output)) dies({failure.node, output}, failure.from);
        if (topology.has_origin(failure.node, output)) {
          dies({topology.origin(failure.node, output), output}, failure.from);
        }
      }
    }
    for_each_link(topology, [this](LinkId at) {
      if (link(at) != never) in_order_.push_back(at);
    });
    std::ranges::stable_sort(in_order_, {}, [this](LinkId at) { return link(at); });
  }
  [[nodiscard]] bool any() const { return !links_.empty(); }
  /// Rule 12.1: the edge from which on the link is dead, or never.
  [[nodiscard]] Cycles link(LinkId link) const { return links_[place(link)]; }
  /// Rule 12.2: the edge from which on the node's program does not go on, or never.
  [[nodiscard]] Cycles node(NodeId node) const { return nodes_[node]; }
  /// Links that die, in order of their edge.
  [[nodiscard]] const std::vector<LinkId>& links() const { return in_order_; }

 private:
  [[nodiscard]] std::size_t place(LinkId link) const {
    return (static_cast<std::size_t>(link.output) << label_bits_) + link.node;
  }
  void dies(LinkId link, Cycles from) { links_[place(link)] = std::min(links_[place(link)], from); }

  unsigned label_bits_ = 0;
  std::vector<Cycles> links_;  ///< empty where nothing fails
  std::vector<Cycles> nodes_;
  std::vector<LinkId> in_order_;
};

class Worms;

/// The only events are first requests, and releases of outputs that a circuit waits for: in between, no router changes.
class Routers {
 public:
  Routers(Circuits& circuits, Statistics& statistics, const Failures& failures)
      : circuits_(circuits), statistics_(statistics), failures_(failures) {}

  /// Cycle 0 again, with nothing on the wires.
  /// `topology` has to stay until the next reset. `products`: it is not known to be the binary cube.
  void reset(const Machine& machine, const Topology& topology, bool products);
  /// Probes are those of worms, which follow them.
  void carry(Worms* worms) { worms_ = worms; }
  void observe(Observer* observer) { observer_ = observer; }

  /// Rules 2.2 and 3.1: the interface of the circuit's source drives its probe at circuit.probe, which must not be in
  /// the past.
  [[gnu::always_inline]] void inject(auto has, const Circuit& circuit, CircuitId id) {
    const unsigned port = has->several_ports ? circuit.inject_port : 0;
    injecting_[outputs_.place(port, circuit.source)] = id;
    const NodeId way = has->products ? circuit.destination : circuit.source ^ circuit.destination;
    requests_.push(circuit.probe + hop_, {circuit.source, id, way, outputs_.links() + port});
  }
  /// For a wheel that advances together with the routers.
  [[nodiscard]] CyclesAhead& ahead() { return ahead_; }
  /// The next cycle in which there is work, here or in a wheel that advances together, or never.
  [[nodiscard]] Cycles next_cycle() const {
    return std::min({requests_.next_cycle(), requests_.first_far(), releases_.first_far()});
  }
  /// Does the work of this cycle: releases, then requests, then the next requests of granted probes.
  void advance(Cycles now);

  /// An eject port granted at the edge advanced to. The circuit that asked first may have been displaced by a
  /// better-ranked one.
  struct Ejecting {
    const Output* port;
    CircuitId first;
  };
  [[nodiscard]] std::span<const Ejecting> ejecting() const { return {ejecting_.data(), ejected_}; }
  /// The circuit that was granted the eject port. Its probe is at the destination's interface one cycle later.
  [[nodiscard]] CircuitId granted(auto has, const Ejecting& ejecting) {
    const CircuitId id = ejecting.port->owner;
    if (has->several_ports) {
      const unsigned port = outputs_.number_of(outputs_.place_of(*ejecting.port)) - outputs_.links();
      circuits_[id].eject_port = static_cast<std::uint8_t>(port);
    }
    return id;
  }

  /// The tail's passage through an output is known: the output can be granted again at edge `at`.
  void free_from(Outputs::Place place, Cycles at, Bytes bytes) {
    if (outputs_.free_from(place, at, bytes)) [[unlikely]]
      announce_release(place, at);
  }

  [[nodiscard]] bool products() const { return products_; }
  [[nodiscard]] Outputs& outputs() { return outputs_; }
  [[nodiscard]] const Outputs& outputs() const { return outputs_; }
  /// Circuits that wait for an output, and the output's owner.
  [[nodiscard]] std::vector<WaitingCircuit> waiting() const;
  /// Events processed since the reset.
  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  /// A probe asks for an output. Packed in two words, since the next request of a circuit differs from the last one in
  /// a few bits.
  class Request {
   public:
    Request() = default;
    /// `way` is source XOR destination still to travel, in the binary cube; elsewhere the destination.
    Request(NodeId router, CircuitId circuit, NodeId way, unsigned input)
        : who_(router | std::uint64_t{circuit} << 32), what_(way | std::uint64_t{input} << 32) {}
    /// Rule 2.2, in the binary cube: the request at the next router, across `dimension`, whose bit is `bit`: the lowest
    /// one left to travel. Where none is left, `dimension` is arbitrary and the result is not used.
    [[nodiscard]] Request onward(unsigned dimension, NodeId bit) const {
      return {who_ ^ bit, (remaining() ^ bit) | std::uint64_t{dimension} << 32};
    }
    /// Elsewhere: the request at router `to`, across `output`.
    [[nodiscard]] Request across(unsigned output, NodeId to) const {
      return {who_ ^ (router() ^ to), destination() | std::uint64_t{output} << 32};
    }
    [[nodiscard]] NodeId router() const { return static_cast<NodeId>(who_); }
    [[nodiscard]] CircuitId circuit() const { return static_cast<CircuitId>(who_ >> 32); }
    [[nodiscard]] NodeId remaining() const { return static_cast<NodeId>(what_); }
    [[nodiscard]] NodeId destination() const { return static_cast<NodeId>(what_); }
    [[nodiscard]] unsigned input() const { return static_cast<unsigned>(what_ >> 32); }

   private:
    Request(std::uint64_t who, std::uint64_t what) : who_(who), what_(what) {}
    std::uint64_t who_ = 0;
    std::uint64_t what_ = 0;
  };
  static_assert(sizeof(Request) == 16);
  using Requests = EventWheel<Request>::Chunk;

  /// Rule 1.1: the link that a circuit has crossed before `request`.
  [[nodiscard]] LinkId crossed(const Request& request) const {
    if (topology().planes() != 0) return {circuits_[request.circuit()].source, request.input()};
    return {topology().origin(request.router(), request.input()), request.input()};
  }
  [[nodiscard]] Outputs::Place place_of(LinkId link) const { return outputs_.place(link.output, link.node); }
  [[nodiscard]] const Topology& topology() const { return outputs_.topology(); }
  /// Rank of an input in the rotation that begins at `pointer`.
  [[nodiscard]] unsigned rank(unsigned input, unsigned pointer) const {
    return input >= pointer ? input - pointer : input + outputs_.count() - pointer;
  }
  [[nodiscard]] CircuitId circuit_at(NodeId router, unsigned input) const;
  [[nodiscard]] Request after_link(NodeId router, unsigned output, CircuitId id) const;

  // The work of one edge. Grants are provisional: a better-ranked request of the same edge displaces the one before. So
  // the owner at the end of the edge is the one that the pointer before the edge prefers, whatever the order of
  // requests.
  void release(Outputs::Place place, Cycles now);
  template <bool large>
  void grant_each(Requests& requests, Cycles now, const auto& hop_of, const auto& left, const auto& next);
  template <bool large, bool one_port>
  void grant(Requests& requests, Cycles now);
  template <bool large, bool jumps>
  void grant_on_product(Requests& requests, Cycles now);
  void compete(Outputs::Place place, CircuitId circuit, unsigned input, Cycles now);
  void wait(Outputs::Place place, CircuitId circuit, unsigned input, Cycles now);
  void for_links(Requests* granted, const auto& action);
  void settle(Requests* granted, Cycles now);
  void settle_waits(Requests* granted, Cycles now);
  void pass_on(Requests* granted, Cycles now);
  void lose_probes(Requests* granted, Cycles now);
  void stop_dead_links(Cycles now);
  void tell_all_granted(Requests* granted, Cycles now);
  void tell_granted(const Output& output, NodeId router, unsigned number, Cycles now);
  void announce_release(Outputs::Place place, Cycles at) { releases_.push(at, place); }

  Circuits& circuits_;
  Statistics& statistics_;
  const Failures& failures_;
  std::size_t stopped_links_ = 0;  ///< of worms: dead links that stop for ever, in the order of failures_
  Worms* worms_ = nullptr;
  Observer* observer_ = nullptr;
  bool products_ = false;  ///< the network is not treated as the binary cube
  bool one_port_ = true;
  Cycles hop_ = 2;  ///< grant at one router to first request at the next
  std::uint64_t events_ = 0;
  CyclesAhead ahead_;
  EventWheel<Request> requests_{ahead_};
  EventWheel<Outputs::Place> releases_{ahead_};  ///< outputs that an input waits for and that can be granted again
  Outputs outputs_;
  std::vector<CircuitId> injecting_;  ///< [port][router]: the circuit at that inject port
  // Scratch data of the edge being decided:
  std::vector<Request> passed_on_;  ///< next requests of circuits that had waited for links
  std::vector<Ejecting> ejecting_;  ///< eject ports granted: the first ejected_; the others are room
  std::size_t ejected_ = 0;
  std::vector<Outputs::Place> served_;      ///< outputs granted, at least provisionally, to an input that had waited
  std::vector<Outputs::Place> waited_for_;  ///< outputs with a new waiter; none: nothing was displaced either
  bool outdone_ = false;                    ///< a provisional grant of a link was displaced
};

}  // namespace ecube::event
