// SPDX-License-Identifier: Apache-2.0
// circuits.csv: every edge of every circuit, as it happens.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "hw/observer.h"

namespace ecube {

/// Writes a line for every circuit when it is established, in order of that edge, then of source and inject port.
class CircuitLog final : public Observer {
 public:
  explicit CircuitLog(const std::string& file);

  void injected(CircuitId id, const Circuit& circuit) override;
  void granted(CircuitId id, const Circuit& circuit, NodeId router, unsigned output, Cycles asked, Cycles at) override;
  void established(CircuitId id, const Circuit& circuit, const CircuitEdges& edges) override;
  /// Writes what is left. std::runtime_error when the file is incomplete.
  void finish();

 private:
  /// The way of one probe so far.
  struct Way {
    std::vector<Cycles> grants;
    Cycles blocked = 0;       ///< waits for links
    Cycles port_blocked = 0;  ///< wait for the eject port
  };
  struct Line {
    NodeId source = 0;
    unsigned port = 0;
    std::string text;
  };

  void flush();

  std::ofstream stream_;
  std::string file_;
  std::vector<Way> ways_;  ///< by CircuitId
  std::vector<Line> lines_;
  Cycles edge_ = 0;  ///< at which the circuits in `lines_` reached their destination
};

}  // namespace ecube
