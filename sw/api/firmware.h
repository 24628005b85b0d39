// SPDX-License-Identifier: Apache-2.0
// Runs one coroutine on every node: the bridge from firmware to the machine's Program.
#pragma once

#include <deque>
#include <functional>

#include "sw/api/node.h"

namespace ecube {

/// A program whose nodes all run `body`. The body must outlive the run.
class Firmware final : public Program {
 public:
  using Body = std::function<Task<>(Node&)>;
  explicit Firmware(Body body) : body_(std::move(body)) {}

  void start(NodePorts& ports, NodeId node) override {
    Slot& slot = slots_.emplace_back(ports, node);
    slot.task = root(slot.node, body_);
    slot.task.start();
  }
  void stop() override { slots_.clear(); }

 private:
  struct Slot {
    Slot(NodePorts& ports, NodeId id) : node(ports, id) {}
    Node node;
    Task<> task;
  };

  static Task<> root(Node& node, const Body& body) {
    std::exception_ptr error;
    try {
      co_await body(node);
    } catch (...) {
      error = std::current_exception();
    }
    node.ports().finished(node.id(), error);
  }

  Body body_;
  std::deque<Slot> slots_;
};

}  // namespace ecube
