// SPDX-License-Identifier: Apache-2.0
// The events reported to an observer of the machine. A machine without an observer spends no time on it.
#pragma once

#include "hw/observed/circuit.h"
#include "models/contract/node_ports.h"
#include "models/node/loop.h"

namespace ecube {

/// Of a node's half of a link on a plane.
enum class HalfState : std::uint8_t { up, closing, dark };
/// Of a node on planes: tunes that have been asked for and are not complete, sends that wait for a plane, and circuits
/// that move phits (rule 14.6).
enum PlaneCount : std::uint8_t { plane_changes, plane_waits, plane_circuits };

/// Gets every event of every circuit and program. Only the cycle numbers define an order of events.
class Observer {
 public:
  virtual ~Observer() = default;
  /// The interface of the source will drive the probe at circuit.probe.
  virtual void injected(CircuitId, const CircuitRecord&) {}
  /// `router` grants `output` to the circuit at edge `at`; the circuit first asked for the output at edge `asked`.
  virtual void granted(CircuitId, const CircuitRecord&, NodeId /*router*/, unsigned /*output*/, Cycles /*asked*/,
                       Cycles /*at*/) {}
  /// The circuit asked for `output` of `router` at edge `at` and was refused; it asks at every edge until it is
  /// granted. The grant of this output at this edge may be reported before or after.
  virtual void waits(CircuitId, const CircuitRecord&, NodeId /*router*/, unsigned /*output*/, Cycles /*at*/) {}
  /// The source drives the first phit at edge `at`, which may lie ahead. Of a worm, whose phits follow its probe, the
  /// edge may have passed.
  virtual void phits_leave(CircuitId, const CircuitRecord&, Cycles /*at*/) {}
  /// The destination has the first phit at edge `at`, which may lie ahead.
  virtual void phits_arrive(CircuitId, const CircuitRecord&, Cycles /*at*/) {}
  /// All edges of the circuit are known; some may still lie ahead.
  virtual void established(CircuitId, const CircuitRecord&, const CircuitEdges&) {}
  /// The tail of the circuit has passed; `output` of `router` can be granted again at edge `free_from`.
  virtual void released(CircuitId, const CircuitRecord&, NodeId /*router*/, unsigned /*output*/, Cycles /*free_from*/) {
  }
  /// A forced message found no receive.
  virtual void lost(const CircuitRecord&, Cycles /*at*/) {}

  /// The node's half of a link on `plane` is closing from edge `at` on, at which the node has asked for `mask` (rule
  /// 14.2); dark (14.4), which it never is if no mask of its plane changes; or up (14.5), at an edge that may lie
  /// ahead.
  virtual void half_is(HalfState, NodeId, unsigned /*plane*/, NodeId /*mask*/, Cycles /*at*/) {}
  /// From edge `at` on, which may lie ahead, the node has one more of these, or one less.
  virtual void plane_count(PlaneCount, NodeId, bool /*more*/, Cycles /*at*/) {}

  /// The program of a node starts, or has ended.
  virtual void program_starts(NodeId, Cycles /*at*/) {}
  virtual void program_ends(NodeId, Cycles /*at*/) {}
  /// A program has asked for an operation.
  virtual void issued(const Operation&, Cycles /*at*/) {}
  /// The node begins to send or compute: at once, except the earlier of two partners that synchronise.
  virtual void begins(const Operation&, Cycles /*at*/) {}
  /// The computation that the node has begun, or begins now, is a loop of a detailed node, whose cycles have the causes
  /// `times`.
  virtual void loops(const Operation&, const node::LoopTimes& /*times*/, Cycles /*at*/) {}
  /// The whole message of a send or an exchange has left its node at edge `at`, which may lie ahead.
  virtual void left(const Operation&, Cycles /*at*/) {}
  virtual void completed(const Operation&, Cycles /*at*/) {}
};

}  // namespace ecube
