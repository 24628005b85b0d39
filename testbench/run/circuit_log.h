// SPDX-License-Identifier: Apache-2.0
// circuits.csv: every edge of every circuit, as it happens.
#pragma once

#include <fstream>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "hw/observed/observer.h"

namespace ecube {

/// Writes a line for every circuit, in order of the edge at which its message was received, then of destination and
/// eject port: whichever engine reported the circuit, and when. A line is written as soon as no later line can stand
/// before it.
class CircuitLog final : public Observer {
 public:
  CircuitLog(const std::string& file, const Topology& topology);

  void injected(CircuitId id, const CircuitRecord& circuit) override;
  void granted(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles asked,
               Cycles at) override;
  void established(CircuitId id, const CircuitRecord& circuit, const CircuitEdges& edges) override;
  /// Writes the remaining lines. std::runtime_error when the file is incomplete.
  void finish();

 private:
  /// The way of one probe so far.
  struct Way {
    std::vector<Cycles> grants;
    Cycles blocked = 0;       ///< waits for links
    Cycles port_blocked = 0;  ///< wait for the eject port
    Cycles ejected = 0;       ///< edge at which it got the eject port
  };
  struct Line {
    Cycles received = 0;
    NodeId destination = 0;
    unsigned port = 0;
    std::string text;
    friend bool operator>(const Line& a, const Line& b) {
      return std::tie(a.received, a.destination, a.port) > std::tie(b.received, b.destination, b.port);
    }
  };

  /// Writes the lines of messages received before `limit`.
  void write_until(Cycles limit);

  std::ofstream stream_;
  std::string file_;
  Topology topology_;
  std::vector<Way> ways_;           ///< by CircuitId
  std::multiset<Cycles> ejecting_;  ///< Way::ejected of the circuits that have an eject port and are not established
  std::priority_queue<Line, std::vector<Line>, std::greater<>> lines_;
};

}  // namespace ecube
