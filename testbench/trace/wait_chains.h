// SPDX-License-Identifier: Apache-2.0
// Who waited for whom: every wait for a link or a node's port, and the chains of circuits behind the longest.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "hw/observed/observer.h"
#include "models/contract/run.h"
#include "models/machine/topology.h"
#include "testbench/trace/trace_request.h"

namespace ecube {

class Links;

/// The name of a circuit, which stays after its record has been used for another circuit.
struct CircuitName {
  NodeId source = 0;
  NodeId destination = 0;
  std::uint32_t number = 0;

  /// "5->9 #3".
  [[nodiscard]] std::string text() const {
    std::array<char, 48> space{};
    return std::string(text(space));
  }
  /// Writes the name into `space`, without allocating, and returns the written part.
  [[nodiscard]] std::string_view text(std::span<char, 48> space) const;
  friend bool operator==(const CircuitName&, const CircuitName&) = default;
};

/// Counts the circuits of each node from 1, in order of the edge at which their probe is driven, then of inject port,
/// whichever engine reported them, in whatever order. Other observers ask for names once a circuit's probe has asked
/// for an output.
class MessageNumbers final : public Observer {
 public:
  explicit MessageNumbers(NodeId nodes) : nodes_(nodes) {}

  void injected(CircuitId id, const CircuitRecord& circuit) override {
    if (numbers_.size() <= id) numbers_.resize(id + std::size_t{1});
    numbers_[id] = 0;
    nodes_[circuit.source].pending.emplace_back(circuit.probe, circuit.inject_port, id);
  }
  [[nodiscard]] CircuitName name(CircuitId id, NodeId source, NodeId destination, Cycles probe) {
    if (numbers_[id] == 0) number_pending(source, probe);
    return {source, destination, numbers_[id]};
  }

 private:
  struct NodeCount {
    std::uint32_t counted = 0;
    std::vector<std::tuple<Cycles, std::uint8_t, CircuitId>> pending;  ///< by probe and port, not numbered yet
  };

  /// The circuits of a node with probes up to this edge get their numbers.
  void number_pending(NodeId source, Cycles probe) {
    // The first request of a circuit comes later than its probe, so all circuits that this node sends before or with it
    // have been injected.
    NodeCount& node = nodes_[source];
    if (node.pending.size() > 1) std::ranges::sort(node.pending);
    auto pending = node.pending.begin();
    for (; pending != node.pending.end() && std::get<Cycles>(*pending) <= probe; ++pending) {
      numbers_[std::get<CircuitId>(*pending)] = ++node.counted;
    }
    node.pending.erase(node.pending.begin(), pending);
  }

  std::vector<NodeCount> nodes_;
  std::vector<std::uint32_t> numbers_;  ///< by CircuitId; 0 while pending
};

/// Values for circuits, each kept for as long as something refers to it: the circuit's own record may be used for
/// another circuit meanwhile. A value that nothing refers to any more is used again as it is.
template <typename Value>
class CircuitPool {
 public:
  using Id = std::uint32_t;
  static constexpr Id none = ~Id{0};

  /// A value, new or used before, to which so many things refer.
  [[nodiscard]] Id add(std::uint32_t references) {
    if (free_.empty()) {
      free_.push_back(static_cast<Id>(all_.size()));
      all_.emplace_back();
    }
    const Id id = free_.back();
    free_.pop_back();
    all_[id].second = references;
    return id;
  }
  [[nodiscard]] Value& operator[](Id id) { return all_[id].first; }
  [[nodiscard]] const Value& operator[](Id id) const { return all_[id].first; }
  void refer(Id id) { ++all_[id].second; }
  void drop(Id id) {
    if (id != none && --all_[id].second == 0) free_.push_back(id);
  }

 private:
  std::vector<std::pair<Value, std::uint32_t>> all_;  ///< and how many refer to it
  std::vector<Id> free_;
};

/// An output of a router: a link, or behind the links an eject port.
using OutputId = LinkId;

/// "link 7:1" or "eject port 7:0".
[[nodiscard]] std::string text_of(const OutputId& output, unsigned links);

/// One reason of a wait: `output` was held by `holder`, in the cycles from .. until - 1 of the wait.
struct ChainLink {
  OutputId output;
  CircuitName holder;
  Cycles from = 0;
  Cycles until = 0;
};

/// A circuit that waited from the edge at which it first asked for `output` to the edge at which the output was
/// granted.
struct Wait {
  CircuitName waiter;
  OutputId output;
  Cycles from = 0;
  Cycles until = 0;
  unsigned holders = 0;  ///< circuits that had the output meanwhile
  /// First the holder that was in the way longest, then the output for which that holder waited longest in that time,
  /// with its holder, and so on. The last holder did not wait. Outputs of a chain are in the order of 2.4, so it ends.
  std::vector<ChainLink> chain{};

  [[nodiscard]] Cycles cycles() const { return until - from; }
};

/// Records the waits of a run, and tells `names` of its circuits.
class WaitChains final : public Observer {
 public:
  /// `window` limits window_blocked() only.
  WaitChains(const Topology& topology, unsigned ports, const TraceWindow& window, MessageNumbers& names)
      : links_(topology.outputs()),
        outputs_(links_ + ports),
        window_(window),
        names_(names),
        holdings_(std::size_t{topology.nodes()} * outputs_),
        contended_(1) {}

  void injected(CircuitId id, const CircuitRecord& circuit) override {
    names_.injected(id, circuit);
    if (way_of_.size() <= id) way_of_.resize(id + std::size_t{1}, no_way);
    ways_.drop(way_of_[id]);
    way_of_[id] = no_way;
  }
  void granted(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles asked,
               Cycles at) override {
    const WayId way = way_of(id, circuit);
    Holding& holding = holdings_[place(router, output)];
    Contended& here = contended_[holding.contended];
    if (at > asked) {
      finish_wait(here, way, asked, at);
      if (--here.waiting == 0) {
        for (const Holding& holder : here.holders) ways_.drop(holder.way);
        here.holders.clear();
      }
    }
    ways_.drop(holding.way);
    ways_.refer(way);
    holding = {.way = way, .contended = holding.contended, .from = at};
    if (here.waiting > 0) {
      ways_.refer(way);
      here.holders.push_back(holding);
    }
  }
  void waits(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles) override {
    way_of(id, circuit);
    Holding& holding = holdings_[place(router, output)];
    if (holding.contended == 0) {
      holding.contended = static_cast<std::uint32_t>(contended_.size());
      contended_.push_back({.output = {router, output}});
    }
    Contended& at = contended_[holding.contended];
    if (at.waiting++ > 0 || holding.way == no_way) return;
    ways_.refer(holding.way);
    at.holders.push_back(holding);
  }
  void released(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles free_from) override {
    const WayId way = way_of(id, circuit);
    Holding& holding = holdings_[place(router, output)];
    if (holding.way == way) holding.until = free_from;
    if (holding.contended == 0) return;
    for (Holding& holder : contended_[holding.contended].holders) {
      if (holder.way == way) holder.until = free_from;
    }
  }

  /// The longest waits of the run, for links if `links`, else for ports; longest first, equal ones in order of time,
  /// node and dimension.
  [[nodiscard]] const std::vector<Wait>& longest(bool links) const { return longest_[links ? 1 : 0]; }
  /// The longest wait for this link; null when no circuit waited.
  [[nodiscard]] const Wait* longest_of(LinkId link) const {
    const Wait& longest = contended_[holdings_[place(link.node, link.output)].contended].longest;
    return longest.cycles() == 0 ? nullptr : &longest;
  }
  [[nodiscard]] Cycles window_blocked(LinkId link) const {
    return contended_[holdings_[place(link.node, link.output)].contended].window_blocked;
  }

  static constexpr std::size_t most_kept = 16;

 private:
  /// A circuit, kept for as long as it may be the reason of a wait.
  struct Way {
    CircuitName name;
    std::vector<Wait> waits;
  };
  using WayId = CircuitPool<Way>::Id;
  static constexpr WayId no_way = CircuitPool<Way>::none;
  /// Who has, or had last, an output.
  struct Holding {
    WayId way = no_way;
    std::uint32_t contended = 0;  ///< the output's place in contended_; that of the first where no circuit has waited
    Cycles from = 0;
    Cycles until = never;  ///< can be granted again from this edge on
  };
  /// An output that circuits wait for, or have waited for.
  struct Contended {
    OutputId output;
    unsigned waiting = 0;
    std::vector<Holding> holders{};  ///< since the first waiting circuit began to wait
    Cycles window_blocked = 0;
    Wait longest{};
  };

  [[nodiscard]] std::size_t place(NodeId router, unsigned output) const {
    return std::size_t{router} * outputs_ + output;
  }
  // Each grant and release asks for a way: what most of them need is in line.
  WayId way_of(CircuitId id, const CircuitRecord& circuit) {
    return way_of_[id] != no_way ? way_of_[id] : begin_way(id, circuit);
  }
  WayId begin_way(CircuitId id, const CircuitRecord& circuit) {
    WayId& way = way_of_[id];
    way = ways_.add(1);
    ways_[way].name = names_.name(id, circuit.source, circuit.destination, circuit.probe);
    ways_[way].waits.clear();
    return way;
  }
  void finish_wait(Contended& at, WayId way, Cycles from, Cycles until);

  unsigned links_;    ///< of a router
  unsigned outputs_;  ///< of a router
  TraceWindow window_;
  MessageNumbers& names_;
  std::vector<Holding> holdings_;     ///< [router][output]
  std::vector<Contended> contended_;  ///< the first stays empty
  CircuitPool<Way> ways_;
  std::vector<WayId> way_of_;                 ///< by CircuitId
  std::array<std::vector<Wait>, 2> longest_;  ///< for ports, for links
};

/// The input of a report: a run that has ended, its waits, and its totals.
struct ContentionSource {
  const Links& links;
  const WaitChains& log;
  const RunStatistics& network;
  Cycles cycles = 0;
};

/// Waits for links against waits for ports, the most blocked links, the longest waits with their chains, and blocked
/// cycles by node and dimension; lines of at most `columns` characters.
[[nodiscard]] std::string contention_text(const ContentionSource& source, unsigned columns);
/// "contention" of the JSON output.
[[nodiscard]] nlohmann::ordered_json contention_json(const ContentionSource& source);
/// A wait and its chain in one line: "5->9 #3 waited 120 cycles from 400 for link 7:1 held by 3->1 #2, ...".
[[nodiscard]] std::string sentence_of(const Wait& wait, unsigned dim);

}  // namespace ecube
