// SPDX-License-Identifier: Apache-2.0
// The interface ports of all nodes (hw/README.md section 4): when a circuit enters its inject port, and when a probe
// that has come to its eject port is accepted.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "hw/event/by_node.h"
#include "hw/event/fetch_ahead.h"
#include "hw/event/inject_ports.h"
#include "hw/event/statistics.h"

namespace ecube::event {

/// The ports say when something happens, and call their client, which does it. The functions are templates of the
/// client's tag, so that its work is inlined:
///
///   begin_send(has, send, port)  a send begins in its port, with its first circuit
///   launch(has, circuit, id)     a circuit that has been ready begins its start-up in its port
///   port_free_at(at, port)       has_become_free(port) is to be called at edge `at`
///   now(), asked()               the edge; the features of the run
class InterfacePorts {
 public:
  using Number = InjectPorts::Number;

  InterfacePorts(Circuits& circuits, Statistics& statistics) : circuits_(circuits), statistics_(statistics) {}

  /// `topology` has to stay until the next reset.
  void reset(const Machine& machine, const Topology& topology) {
    const std::size_t nodes = topology.nodes();
    const Ports& ports = machine.node.ports;
    const std::uint32_t engines = ports.shared(topology.outputs()) ? ports.engines : 0;
    topology_ = &topology;
    count_ = ports.physical(topology.outputs());
    inject_.reset(nodes, count_);
    together_.reset(machine, inject_.count());
    send_engines_.reset(nodes, engines);
    receive_engines_.reset(nodes, engines);
    by_node_.reset(nodes);
    added_.clear();
    freed_.clear();
    probes_.clear();
  }
  /// Ports of a node.
  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] bool share_engines() const { return send_engines_.shared(); }
  [[nodiscard]] const InjectPorts& inject() const { return inject_; }
  /// A send of `node` that takes several circuits and has begun; the first that waits for an engine; or null.
  [[nodiscard]] const Operation* under_way(NodeId node) const {
    const Operation* send = nullptr;
    for (unsigned port = 0; port < count_ && send == nullptr; ++port) {
      send = inject_.under_way(inject_.number(port, node));
    }
    return send;
  }
  [[nodiscard]] const Operation* first_waiting(NodeId node) const { return send_engines_.first_waiting(node); }

  // --- Inject side ---

  /// Rules 4.2 and 4.8: a send begins if its port is idle and an engine is free, else it waits.
  void enter(auto& client, auto has, Operation& send) {
    if (has->engines) {
      send_engines_.add_send(send, client.now());
      return serve_engines(client, send.node);
    }
    const unsigned port = has->several_ports ? port_of(send) : 0;
    const Number number = inject_.number(has, port, send.node);
    if (inject_.is_idle(number, client.now())) return client.begin_send(has, send, port);
    inject_.add_send(number, send, client.now());
    announce(client, number);
  }
  /// Rule 4.1: as enter(), where ports are independent: the port is served when all sends of this edge have been added.
  void add(Operation& send, Cycles now) {
    const Number port = inject_.number(port_of(send), send.node);
    added_.push_back({port, &send});
    inject_.add_send(port, send, now);
  }
  [[nodiscard]] bool any_added() const { return !added_.empty(); }
  void serve_added(auto& client, const FetchAhead& fetch_ahead) {
    constexpr std::size_t ahead = 8;
    for (std::size_t i = 0; i < added_.size(); ++i) {
      if (i + ahead < added_.size()) fetch_ahead.serves_soon(added_[i + ahead].port, *added_[i + ahead].send);
      serve_or_announce(client, added_[i].port);
    }
    added_.clear();
  }
  /// A circuit that is not the first of its send, a grant, or a packet that is sent on: it goes before sends that have
  /// not begun.
  void make_ready(auto& client, CircuitId id) {
    Circuit& circuit = circuits_[id];
    const std::uint8_t named = circuit.operation != nullptr ? circuit.operation->port : automatic_port;
    const unsigned port = inject_port(*topology_, circuit.source, circuit.destination, named, count_);
    circuit.inject_port = static_cast<std::uint8_t>(port);
    const Number number = inject_.number(port, circuit.source);
    inject_.add_ready(number, circuits_, id);
    share_engines() ? serve_engines(client, circuit.source) : serve_or_announce(client, number);
  }
  /// No other send of its port begins before end_send().
  void begin_several(auto has, Operation& send, unsigned port) {
    inject_.set_under_way(inject_.number(has, port, send.node), &send);
  }
  void end_send(auto has, const Circuit& last) {
    const Number port = number_of(has, last);
    if (inject_.is_queued(port)) inject_.set_under_way(port, nullptr);
  }

  /// The start-up of a circuit begins; its tail is not known yet.
  void occupy(auto has, const Circuit& circuit) { inject_.occupy(number_of(has, circuit)); }
  /// The circuit leaves its port at edge `at`, after its first phit at edge `first_phit`. When its send has been told,
  /// announce_free() sees to those that wait for the port.
  void vacate(auto has, const Circuit& circuit, Cycles first_phit, Cycles at) {
    const Number port = number_of(has, circuit);
    inject_.vacate(port, at);
    if (has->together) together_.begins(port, first_phit);
  }
  void announce_free(auto& client, auto has, const Circuit& circuit, Cycles at) {
    const Number port = number_of(has, circuit);
    if (has->engines) {
      client.port_free_at(at, port);
    } else if (inject_.is_queued(port) && inject_.is_waited_for(port)) {
      announce(client, port);
    }
  }
  void has_become_free(Number port) { freed_.push_back(port); }
  [[nodiscard]] bool any_freed() const { return !freed_.empty(); }
  void serve_freed(auto& client, auto has) {
    by_node_.sort(
        freed_, [this](Number port) { return inject_.node_of(port); },
        [this](Number a, Number b) { return inject_.turn(a, circuits_) < inject_.turn(b, circuits_); });
    for (const Number port : freed_) {
      if (has->engines) {
        // An engine has become free with each port; the node's one queue gives it to the next send, in order of issue.
        send_engines_.give_back(inject_.node_of(port));
        serve_engines(client, inject_.node_of(port));
      } else {
        serve_port(client, has, port);
      }
    }
    freed_.clear();
  }

  // --- Eject side ---

  /// Rule 4.7: the edge from which a probe is accepted that is seen at edge `seen`.
  [[nodiscard]] Cycles accepted_from(auto has, const Circuit& circuit, Cycles seen) {
    if (!has->together) return seen;
    const Cycles from = together_.accepted_from(inject_, count_, circuit.destination, seen);
    if (from > seen) statistics_.serialised(from - seen);
    return from;
  }
  /// Rule 4.8: the probes that are seen at an edge get receive engines in order of eject port. accept(id, at) returns
  /// the edge from which the engine is free again.
  void has_come(CircuitId probe) { probes_.push_back(probe); }
  /// Rule 4.8.
  void accept_by_engine(auto has, Cycles seen, const auto& accept) {
    const auto place = [this](CircuitId id) { return std::tuple(circuits_[id].destination, circuits_[id].eject_port); };
    std::sort(probes_.begin(), probes_.end(), [&](CircuitId a, CircuitId b) { return place(a) < place(b); });
    for (const CircuitId id : probes_) {
      Circuit& circuit = circuits_[id];
      Cycles& engine = receive_engines_.first_free(circuit.destination);
      if (engine == never) continue;  // circuits that were cut keep all engines: the probe waits for ever
      if (engine > seen) {
        circuit.port_blocked = true;
        statistics_.waited(circuit, false, engine - seen);
      }
      engine = accept(id, std::max(engine, accepted_from(has, circuit, seen)));
    }
    probes_.clear();
  }

 private:
  [[nodiscard]] unsigned port_of(const Operation& send) const { return inject_port(*topology_, send, count_); }
  [[nodiscard]] Number number_of(auto has, const Circuit& circuit) const {
    return inject_.number(has, circuit.inject_port, circuit.source);
  }
  /// An event for the edge at which the port becomes free, if that is known.
  void announce(auto& client, Number port) {
    if (inject_.wants_event(port, client.now())) client.port_free_at(inject_.free_at(port), port);
  }
  void serve_or_announce(auto& client, Number port) {
    inject_.is_free(port, client.now()) ? serve_port(client, client.asked(), port) : announce(client, port);
  }
  /// Rule 4.2.
  void serve_port(auto& client, auto has, Number port) {
    if (!inject_.is_free(port, client.now())) return;
    if (inject_.has_ready(port)) {
      const CircuitId id = inject_.take_ready(port, circuits_);
      client.launch(has, circuits_[id], id);
    } else if (Operation* const send = inject_.take_send(port); send != nullptr) {
      client.begin_send(has, *send, has->several_ports ? inject_.port_of(port) : 0);
    }
  }
  /// Rule 4.8: as long as an engine is free, the circuit that became ready first takes it, else the first issued of the
  /// sends whose port is idle.
  void serve_engines(auto& client, NodeId node) {
    while (send_engines_.any_free(node)) {
      constexpr Number none = ~Number{0};
      Number first = none;
      for (unsigned p = 0; p < count_; ++p) {
        const Number port = inject_.number(p, node);
        if (!inject_.has_ready(port) || !inject_.is_free(port, client.now())) continue;
        if (first == none || inject_.readied(port, circuits_) < inject_.readied(first, circuits_)) first = port;
      }
      if (first != none) {
        send_engines_.take(node);
        serve_port(client, client.asked(), first);
        continue;
      }
      Operation* const send = send_engines_.take_send(node, [&](const Operation& waiting) {
        return inject_.is_idle(inject_.number(port_of(waiting), node), client.now());
      });
      if (send == nullptr) return;
      send_engines_.take(node);
      client.begin_send(client.asked(), *send, port_of(*send));
    }
  }

  Circuits& circuits_;
  Statistics& statistics_;
  const Topology* topology_ = nullptr;
  unsigned count_ = 1;
  InjectPorts inject_;
  Together together_;
  SendEngines send_engines_;
  ReceiveEngines receive_engines_;
  ByNode<Number> by_node_;

  // Scratch data of an edge:
  struct Added {
    Number port;
    const Operation* send;
  };
  std::vector<Added> added_;
  std::vector<Number> freed_;
  std::vector<CircuitId> probes_;  ///< seen, and not accepted
};

}  // namespace ecube::event
