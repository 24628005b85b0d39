// SPDX-License-Identifier: Apache-2.0
// Messages that are sent at given edges and all received, and the edges of their circuits.
#pragma once

#include "hw/observed/observer.h"
#include "sw/api/firmware.h"
#include "tests/test.h"

namespace ecube {

/// One message. Among the messages of one node with the same issue edge, the order in the list is the order of issue.
struct TimedSend {
  NodeId source = 0;
  NodeId destination = 0;
  Bytes bytes = 0;
  Cycles issue = 0;  ///< edge at which the program issues the send
  std::uint8_t port = automatic_port;
};

/// The edges of one circuit; symbols as in hw/README.md section 3.
struct CircuitTimes {
  Cycles probe = never;          ///< p, the probe is driven
  std::vector<Cycles> requests;  ///< first edge at which router k is asked for an output, k = 0..h
  std::vector<Cycles> grants;    ///< g_k
  Cycles acknowledge = never;    ///< a + A - 1
  Cycles first_phit = never;     ///< T0
  Cycles tail = never;           ///< Tt
  Cycles sender_ready = never;
  Cycles receiver_ready = never;
  std::vector<Cycles> free_from;  ///< x_k + 1, the first edge at which the output of router k can be granted again
};

/// Collects the edges of every circuit by the number in its tag.
class TimesRecorder final : public Observer {
 public:
  explicit TimesRecorder(std::size_t messages) : times(messages) {}
  void injected(CircuitId, const CircuitRecord& circuit) override { times[circuit.tag].probe = circuit.probe; }
  void granted(CircuitId, const CircuitRecord& circuit, NodeId, unsigned, Cycles asked, Cycles at) override {
    times[circuit.tag].requests.push_back(asked);
    times[circuit.tag].grants.push_back(at);
  }
  void released(CircuitId, const CircuitRecord& circuit, NodeId, unsigned, Cycles free_from) override {
    times[circuit.tag].free_from.push_back(free_from);
  }
  void established(CircuitId, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    CircuitTimes& time = times[circuit.tag];
    time.acknowledge = edges.acknowledge;
    time.first_phit = edges.data;
    time.tail = edges.tail;
    time.sender_ready = edges.sender_ready;
    time.receiver_ready = edges.receiver_ready;
  }
  std::vector<CircuitTimes> times;
};

/// The sends as firmware; every message has a type of its own and a receive that is posted first.
class TimedSends {
 public:
  explicit TimedSends(const std::vector<TimedSend>& sends)
      : sends_(sends), firmware_([this](Node& node) { return run(node); }) {}
  Program& program() { return firmware_; }
  [[nodiscard]] static std::uint64_t wrong() { return 0; }

 private:
  Task<> run(Node& node) const {
    std::deque<Pending> pending;
    std::vector<std::uint32_t> own;
    for (std::uint32_t i = 0; i < sends_.size(); ++i) {
      if (sends_[i].destination == node.id()) {
        pending.push_back(node.start_receive({.from = sends_[i].source, .type = i, .bytes = sends_[i].bytes}));
      }
      if (sends_[i].source == node.id()) own.push_back(i);
    }
    std::stable_sort(own.begin(), own.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return sends_[a].issue < sends_[b].issue; });
    for (const std::uint32_t i : own) {
      const TimedSend& send = sends_[i];
      if (node.now() < send.issue) co_await node.until(send.issue);
      pending.push_back(
          node.start_send({.to = send.destination, .type = i, .bytes = send.bytes, .tag = i, .port = send.port}));
    }
    for (Pending& each : pending) co_await each;
  }

  const std::vector<TimedSend>& sends_;
  Firmware firmware_;
};

}  // namespace ecube
