// SPDX-License-Identifier: Apache-2.0
// A node, to a SystemC module that is its program.
#pragma once

#include <systemc>

#include "models/contract/node_ports.h"

namespace ecube {

/// The interface behind the export `program` of a cube's node. A module that binds a port to this export takes the
/// place of firmware on that node:
///
///     sc_core::sc_port<ecube::NodeAccess> port;        // bound to cube.node(5).program
///     sc_core::wait(port->started());                   // cycle 0 of a run, and its jitter
///     ecube::Node node(port->ports(), port->id());      // sw/api/node.h, or your own operations
///     auto sending = node.start_send({...});
///     while (!sending.done()) sc_core::wait(port->completed());
///     port->ports().finished(port->id(), nullptr);
///
/// Operations that the module starts from edge t up to edge t + 1, in any delta cycle, take effect at edge t + 1, in
/// order of start, independent of the order of processes. The run lasts until the module has called finished().
class NodeAccess : public virtual sc_core::sc_interface {
 public:
  [[nodiscard]] virtual NodeId id() const = 0;
  /// For this node only. now() is the edge last reached.
  [[nodiscard]] virtual NodePorts& ports() = 0;
  /// Notified at the edge at which the program is to start.
  [[nodiscard]] virtual const sc_core::sc_event& started() const = 0;
  /// Notified at every edge at which an operation of this node is complete.
  [[nodiscard]] virtual const sc_core::sc_event& completed() const = 0;
};

}  // namespace ecube
