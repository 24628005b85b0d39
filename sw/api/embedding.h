// SPDX-License-Identifier: Apache-2.0
// A program for a cube on another network: its nodes stand for those of a logical cube.
#pragma once

#include <stdexcept>
#include <vector>

#include "models/contract/node_ports.h"

namespace ecube {

/// Which node of the logical cube a node is. number: its own label. gray: of every digit its Gray code, so that nodes
/// next to each other on a line are neighbours in the cube.
enum class Embedding : std::uint8_t { number, gray };

/// [label in the cube]: the node. std::invalid_argument where digits are not bits.
[[nodiscard]] inline std::vector<NodeId> nodes_of_cube(const Topology& topology, Embedding embedding) {
  if (!topology.digits_are_bits()) throw std::invalid_argument("a logical cube needs 2^d nodes");
  NodeId higher = 0;  // bits that have one above them in their digit
  for (unsigned i = 0; i < topology.dimensions().size(); ++i) {
    higher |= (topology.dimensions()[i].radix / 2 - 1) * topology.stride(i);
  }
  std::vector<NodeId> nodes(topology.nodes());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    nodes[embedding == Embedding::gray ? node ^ (node >> 1 & higher) : node] = node;
  }
  return nodes;
}

/// Runs a program whose nodes see a cube of the same size. Its operations are handed over once each; every receive
/// names its source, or std::invalid_argument ends the run.
class EmbeddedProgram final : public Program, private NodePorts {
 public:
  EmbeddedProgram(Program& program, const Topology& topology, Embedding embedding)
      : program_(program),
        cube_(Topology::cube(topology.label_bits())),
        nodes_(nodes_of_cube(topology, embedding)),
        labels_(nodes_.size()) {
    for (NodeId label = 0; label < nodes_.size(); ++label) labels_[nodes_[label]] = label;
  }

  void start(NodePorts& machine, NodeId node) override { program_.start(on(machine), labels_[node]); }
  void woken(NodePorts& machine, NodeId node) override { program_.woken(on(machine), labels_[node]); }
  void stop() override { program_.stop(); }

 private:
  NodePorts& on(NodePorts& machine) {
    machine_ = &machine;
    return *this;
  }

  [[nodiscard]] const Topology& topology() const override { return cube_; }
  [[nodiscard]] Cycles now() const override { return machine_->now(); }
  [[nodiscard]] double now_us() const override { return machine_->now_us(); }
  [[nodiscard]] const Machine& machine() const override { return machine_->machine(); }
  void start_send(NodeId label, Operation& operation) override {
    machine_->start_send(nodes_[label], placed(label, operation));
  }
  void start_receive(NodeId label, Operation& operation) override {
    // A receive from each node of a subcube names labels that the network does not have, and a receive from any node
    // would report the network's label.
    if (operation.kind == OperationKind::receive_each || operation.peer == any_node) {
      throw std::invalid_argument("on a logical cube every receive names its source");
    }
    machine_->start_receive(nodes_[label], placed(label, operation));
  }
  void start_exchange(NodeId label, Operation& operation) override {
    machine_->start_exchange(nodes_[label], placed(label, operation));
  }
  void start_compute(NodeId label, Operation& operation) override {
    operation.node = nodes_[label];
    machine_->start_compute(nodes_[label], operation);
  }
  void finished(NodeId label, std::exception_ptr error) override {
    machine_->finished(nodes_[label], std::move(error));
  }
  Operation& placed(NodeId label, Operation& operation) const {
    operation.node = nodes_[label];
    if (operation.peer != any_node) operation.peer = nodes_[operation.peer];
    return operation;
  }

  Program& program_;
  Topology cube_;
  std::vector<NodeId> nodes_;   ///< [label]
  std::vector<NodeId> labels_;  ///< [node]
  NodePorts* machine_ = nullptr;
};

}  // namespace ecube
