// SPDX-License-Identifier: Apache-2.0
// Shuffles on a 5-cube of the iPSC/1, by algorithm and by its router (Johnsson & Ho 1991, section 5 and Figure 11).
#pragma once

#include <vector>

#include "testbench/machine/test_bench.h"

namespace ecube {

/// One size of the message that a node holds, in ms.
struct Ipsc1Shuffle {
  Bytes bytes = 0;
  double route_ms = 0;  ///< one message of each node, straight to its destination
  double two_aapcs_ms = 0;
  double a1_ms = 0;
  double a2_ms = 0;
  /// By the equation with parameters fitted on the machine; 0 for messages of several packets, which the equation does
  /// not cover.
  double a1_predicted_ms = 0;
  double a2_predicted_ms = 0;

  [[nodiscard]] double best_ms() const { return a1_ms < a2_ms ? a1_ms : a2_ms; }
  [[nodiscard]] double ratio() const { return route_ms / best_ms(); }
};

struct Ipsc1Shuffles {
  std::vector<Ipsc1Shuffle> sizes;
  Bytes a1_from_bytes = 0;      ///< the least message from which A1 is faster than A2
  Bytes forward_at_bytes = 0;   ///< a message size, and
  double forward_for_5_ms = 0;  ///< the time of forwarding a packet that would give a ratio of 5 there
  double forward_ms = 0;        ///< the time of forwarding a packet
};

/// A real shuffle of all five dimensions, one-port, on the preset ipsc1.
[[nodiscard]] Ipsc1Shuffles measure_ipsc1_shuffles(TestBench& bench, const Machine& machine);

}  // namespace ecube
