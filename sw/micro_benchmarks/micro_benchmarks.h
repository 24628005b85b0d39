// SPDX-License-Identifier: Apache-2.0
// Micro-benchmarks as firmware: they measure the cost parameters of a machine.
#pragma once

#include <vector>

#include "sw/api/barrier.h"
#include "sw/api/firmware.h"
#include "sw/api/routine.h"

namespace ecube {

/// Node `from` sends `bytes` to `to`, which answers alike, `repeats` times; `elapsed` is the whole time at `from`.
[[nodiscard]] inline Task<> ping_pong(Node& node, NodeId from, NodeId to, Bytes bytes, unsigned repeats,
                                      Cycles& elapsed) {
  const Cycles begin = node.now();
  for (unsigned i = 0; i < repeats; ++i) {
    if (node.id() == from) {
      co_await node.send({.to = to, .bytes = bytes});
      co_await node.receive({.from = to, .bytes = bytes});
    } else if (node.id() == to) {
      co_await node.receive({.from = from, .bytes = bytes});
      co_await node.send({.to = from, .bytes = bytes});
    }
  }
  if (node.id() == from) elapsed = node.now() - begin;
}

/// Every node exchanges `bytes` with its neighbour in dimension 0, once.
[[nodiscard]] inline Task<> exchange_once(Node& node, Bytes bytes, PairwiseSync sync) {
  co_await node.exchange({.with = node.id() ^ 1U, .bytes = bytes, .sync = sync});
}

/// An exchange of `bytes` with the neighbour in dimension 0, once, with that handshake.
[[nodiscard]] inline Task<> neighbour_exchange(Node& node, Bytes bytes) {
  return exchange_once(node, bytes, handshake_of(node.machine()).sync);
}

/// An exchange of `bytes` with the neighbour in dimension 0 as a collective routine makes it, once.
[[nodiscard]] inline Task<> collective_exchange(Node& node, Bytes bytes) {
  co_await node.call(2, 2 * bytes);
  co_await neighbour_exchange(node, bytes);
}

/// The same for a message from node 0 to node 1.
[[nodiscard]] inline Task<> collective_message(Node& node, Bytes bytes) {
  const Handshake handshake = handshake_of(node.machine());
  const bool sends = node.id() == 0;
  co_await node.call(1, bytes);
  const Exchange both{
      .with = node.id() ^ 1U, .bytes = sends ? bytes : 0, .room = sends ? 0 : bytes, .sync = handshake.sync};
  co_await as_message(both, {.paired = handshake.paired, .sends = sends, .receives = !sends},
                      [&node](const auto& what) { return Awaited(node, what); });
}

/// Node 0 sends `bytes` to its neighbours in dimensions 0 .. `count` - 1 at once, or, with `back`, they send it `bytes`
/// each at the same time; `elapsed` is the time until the last message has left it, or has been received. Where
/// start-ups and receipts queue, each further message adds one of them.
[[nodiscard]] inline Task<> star(Node& node, unsigned count, Bytes bytes, bool back, Cycles& elapsed) {
  const PairwiseSync sync = handshake_of(node.machine()).sync;
  const bool sends = (node.id() == 0) != back;
  const auto start = [&](NodeId other) {
    return as_message(Exchange{.with = other, .bytes = bytes, .room = bytes, .sync = sync},
                      {.sends = sends, .receives = !sends}, [&node](const auto& what) { return node.start(what); });
  };
  std::vector<Pending> pending;
  for (unsigned dim = 0; dim < count; ++dim) {
    if (node.id() == 0) pending.push_back(start(NodeId{1} << dim));
    if (node.id() == NodeId{1} << dim) pending.push_back(start(0));
  }
  co_await node.all(pending);
  if (node.id() == 0) elapsed = node.now();
}

/// `count` barriers, one after the other.
[[nodiscard]] inline Task<> barriers(Node& node, unsigned count) {
  for (unsigned i = 0; i < count; ++i) co_await barrier(node);
}

}  // namespace ecube
