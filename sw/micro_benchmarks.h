// SPDX-License-Identifier: Apache-2.0
// Micro-benchmarks as firmware: what a machine's cost parameters are measured with.
#pragma once

#include "sw/barrier.h"
#include "sw/firmware.h"

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

/// `count` barriers, one after the other.
[[nodiscard]] inline Task<> barriers(Node& node, unsigned count) {
  for (unsigned i = 0; i < count; ++i) co_await barrier(node);
}

}  // namespace ecube
