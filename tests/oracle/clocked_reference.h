// SPDX-License-Identifier: Apache-2.0
// The slow oracle: the machine of hw/README.md sections 2 to 4 with every register updated at every edge.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/cube.h"
#include "models/machine.h"

namespace ecube::oracle {

/// The inject port that hw/README.md section 4 chooses when a program names none.
inline constexpr std::uint32_t automatic = std::numeric_limits<std::uint32_t>::max();
inline constexpr Cycles automatic_startup = std::numeric_limits<Cycles>::max();
/// The edge of something that has not happened.
inline constexpr Cycles never = std::numeric_limits<Cycles>::max();

/// One message. Among the messages of one node with the same issue edge, the order in the list is the order of issue.
struct Traffic {
  NodeId source = 0;
  NodeId destination = 0;
  Bytes bytes = 0;
  Cycles issue = 0;          ///< edge at which the program issues the send
  Cycles extra_startup = 0;  ///< jitter of this start-up, cycles
  std::uint32_t port = automatic;
  Cycles startup = automatic_startup;  ///< L or L0 unless given
};

/// The edges of one circuit, observed in the registers; symbols as in hw/README.md section 3.
struct CircuitTimes {
  Cycles probe = never;           ///< p, the probe is driven
  std::vector<Cycles> requests;   ///< first edge at which router k is asked for an output, k = 0..h
  std::vector<Cycles> grants;     ///< g_k
  Cycles acceptance = never;      ///< a, acceptance begins
  Cycles acknowledge_T0 = never;  ///< T0, first phit driven (later than the acknowledge on a fixed-distance machine)
  Cycles tail_Tt = never;         ///< Tt, tail driven
  Cycles sender_ready = never;
  Cycles receiver_ready = never;
  std::vector<Cycles> free_from;  ///< x_k + 1, the first edge at which the output of router k can be granted again
};

inline constexpr unsigned max_clocked_dim = 5;
inline constexpr Cycles default_edge_limit = 1'000'000;

/// Clocks the machine from edge 0 until every message is received. Every receive counts as posted: there is no
/// matching, no computation and no program, only sends at given edges. Result [i] belongs to traffic[i]. Throws
/// std::invalid_argument for traffic or parameters outside the specification, std::runtime_error naming the unfinished
/// messages at `edge_limit`, std::logic_error when the registers contradict the specification.
[[nodiscard]] std::vector<CircuitTimes> run_clocked(const Machine& machine, unsigned dim,
                                                    std::span<const Traffic> traffic,
                                                    Cycles edge_limit = default_edge_limit);

}  // namespace ecube::oracle
