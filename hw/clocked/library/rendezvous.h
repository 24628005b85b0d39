// SPDX-License-Identifier: Apache-2.0
// Where synchronised partners meet on a machine without protocol. A rendezvous costs nothing, so no hardware is
// modelled.
#pragma once

#include <list>
#include <span>
#include <vector>

#include "hw/clocked/library/message_table.h"
#include "hw/clocked/wires/node_set.h"

namespace ecube::clocked {

class MessageLibrary;

/// Pairs synchronised operations of two nodes (hw/README.md section 4, Exchange and Synchronised message).
class Rendezvous {
 public:
  /// Nodes whose libraries are told of a meeting are put into `told`.
  explicit Rendezvous(NodeSet& told) : told_(told) {}
  void reset(std::span<MessageLibrary* const> libraries);
  /// `request` of `node` waits for its partner; if the partner waits already, the libraries of both begin their halves
  /// now.
  void ask(NodeId node, Request& request);
  /// Requests of a node that wait for their partner, in order of issue.
  [[nodiscard]] const std::list<Request*>& waiting(NodeId node) const { return waiting_[node]; }

 private:
  NodeSet& told_;
  std::span<MessageLibrary* const> libraries_;
  std::vector<std::list<Request*>> waiting_;  ///< [node]
  std::uint64_t meetings_ = 0;
};

}  // namespace ecube::clocked
