// SPDX-License-Identifier: Apache-2.0
// Fetches data into the cache before they are needed: the state of a large machine does not fit, and the data that
// circuits touch are scattered. Nothing here changes a result.
#pragma once

#include <span>

#include "hw/event/interface_ports.h"
#include "hw/event/matching.h"
#include "hw/event/routers.h"
#include "models/machine/huge_pages.h"

namespace ecube::event {

/// Calls `fetch(request)` for the request forty places behind request `i` of `count`, to fetch the output it asks for.
/// That request may be in the `next` chunk.
template <class Request, class Chunk>
inline void fetch_request_ahead(const Request* requests, std::size_t i, std::size_t count, const Chunk* next,
                                const auto& fetch) {
  constexpr std::size_t ahead = 40;
  const std::size_t place = i + ahead;
  if (place < count) {
    fetch(requests[place]);
  } else if (next != nullptr && place - count < next->count) {
    fetch(next->events[place - count]);
  }
}

class FetchAhead {
 public:
  FetchAhead(const Circuits& circuits, const Routers& routers, const InterfacePorts& ports, const Matching& matching,
             const Rendezvous& rendezvous, const Table<OperationCount>& counts)
      : circuits_(circuits),
        outputs_(routers.outputs()),
        ports_(ports),
        matching_(matching),
        rendezvous_(rendezvous),
        counts_(counts) {}

  void reset() { exchanges_contents_ = false; }

  /// Calls accept(port) for each eject port that was granted. While earlier circuits are accepted, the data of later
  /// ones are fetched in three steps, since each step tells the address of the next. So several circuits wait for
  /// memory at once, not one after the other.
  void while_accepting(std::span<const Routers::Ejecting> ports, const auto& accept) const {
    constexpr std::size_t apart = 4;
    const auto first = [&](std::size_t i) {
      if (outputs_.large()) fetch_to_write(ports[i].port);
      circuits_.fetch(ports[i].first);
    };
    const auto second = [&](std::size_t i) { probe_comes(circuits_[ports[i].first]); };
    const auto third = [&](std::size_t i) { probe_is_near(circuits_[ports[i].first]); };
    const std::size_t count = ports.size();
    for (std::size_t i = 0; i < std::min(count, 3 * apart); ++i) first(i);
    for (std::size_t i = 0; i < std::min(count, 2 * apart); ++i) second(i);
    for (std::size_t i = 0; i < std::min(count, apart); ++i) third(i);
    // One call of accept(), which is long and inlined.
    for (std::size_t i = 0; i < count; ++i) {
      if (i + 3 * apart < count) first(i + 3 * apart);
      if (i + 2 * apart < count) second(i + 2 * apart);
      if (i + apart < count) third(i + apart);
      accept(ports[i]);
    }
  }

  void asks_to_meet(auto has, const Operation& operation, bool scattered) {
    if (!operation.outgoing.empty()) exchanges_contents_ = true;
    if (scattered) fetch_to_write(&rendezvous_.place_of_partner(has, operation));
  }
  /// The operation's partner is about to be looked for.
  void meets_soon(auto has, const Operation& operation) const {
    const Operation* const other = rendezvous_.place_of_partner(has, operation);
    if (other == nullptr) return;
    fetch_send(*other);
    fetch_to_write(&counts_[operation.peer]);
    const auto port_of = [&](const Operation& send) { return has->several_ports ? ports_.port_of(send) : 0; };
    fetch_to_write(ports_.place(ports_.number(has, port_of(*other), operation.peer)));
    fetch_to_write(ports_.place(ports_.number(has, port_of(operation), operation.node)));
  }
  void serves_soon(InterfacePorts::Number port, const Operation& send) const {
    fetch_to_write(ports_.place(port));
    fetch_to_write(ports_.queue_place(port));
    fetch_send(send);
  }
  void completes_soon(const Operation& operation) const {
    fetch_receive(operation);
    fetch_send(operation);
    fetch(operation, Line::behind);
  }

 private:
  /// The cache lines of an operation, in order, and the one behind them.
  enum class Line : std::uint8_t { common, received, sent, incoming, behind };

  static void fetch(const Operation& operation, Line line) {
    fetch_to_write(reinterpret_cast<const std::byte*>(&operation) + 64 * static_cast<std::size_t>(line));
  }
  void fetch_send(const Operation& operation) const {
    fetch(operation, Line::common);
    fetch(operation, Line::sent);
    if (exchanges_contents_) fetch(operation, Line::incoming);
  }
  static void fetch_receive(const Operation& operation) {
    fetch(operation, Line::common);
    fetch(operation, Line::received);
  }
  [[gnu::always_inline]] void probe_comes(const Circuit& circuit) const {
    if (outputs_.large()) {
      outputs_.topology().along(circuit.source, circuit.destination, [this](LinkId link) {
        fetch_to_write(&outputs_[outputs_.place(link.output, link.node)]);
      });
    }
    if (circuit.operation != nullptr) {
      fetch(*circuit.operation, Line::common);
      if (circuit.carries) fetch(*circuit.operation, Line::sent);
    }
    if (circuit.receiver != nullptr) {
      fetch_receive(*circuit.receiver);
      if (circuit.carries && exchanges_contents_) fetch_send(*circuit.receiver);
    } else {
      fetch_to_write(matching_.place(circuit.destination));
    }
    fetch_to_write(ports_.place(ports_.number(circuit.inject_port, circuit.source)));
  }
  void probe_is_near(const Circuit& circuit) const {
    if (circuit.operation != nullptr && circuit.carries) fetch_to_read(circuit.operation->outgoing.base);
    if (circuit.receiver != nullptr) return;
    if (const Operation* const receive = matching_.first_receive(circuit.destination); receive != nullptr) {
      fetch_receive(*receive);
    }
  }

  const Circuits& circuits_;
  const Outputs& outputs_;
  const InterfacePorts& ports_;
  const Matching& matching_;
  const Rendezvous& rendezvous_;
  const Table<OperationCount>& counts_;
  bool exchanges_contents_ = false;  ///< some exchange has contents: exchanges are read to the last line
};

}  // namespace ecube::event
