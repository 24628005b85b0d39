// SPDX-License-Identifier: Apache-2.0
// Random programs that tune planes, the same on both engines.
#pragma once

#include "models/contract/run.h"
#include "models/machine/random.h"
#include "sw/api/firmware.h"
#include "tests/test.h"

namespace ecube {

/// What one node asks for, in order.
struct PlaneStep {
  enum class What : std::uint8_t { tune, send, receive, exchange, compute, wait_for_all };
  What what = What::wait_for_all;
  std::uint8_t plane = 0;
  NodeId node = 0;  ///< partner, or mask
  std::uint32_t tag = 0;
  std::uint64_t amount = 0;  ///< bytes or cycles
  PairwiseSync sync = PairwiseSync::on;
};

/// Of messages that overtake each other, so that a receive may get any of them.
inline constexpr std::uint32_t shared_tag = 0;
inline constexpr Bytes longest_message = 60;

struct PlaneProgram {
  Machine machine;
  unsigned dim = 1;
  RunConditions conditions;
  std::vector<std::vector<PlaneStep>> steps;  ///< [node]
};

inline Machine planes_machine(unsigned planes) {
  Machine machine;
  machine.network.planes = planes;
  machine.node.ports.engines = Ports::n;
  return machine;
}

/// Rounds in which some nodes tune some plane to another mask and then messages go by planes. Under scope link those
/// tune whose labels have a parity that neither mask changes, so that partners agree. Some programs do not end: where
/// `faulty`, a node now and then forgets a tune, or sends by the wrong plane.
inline PlaneProgram random_planes(std::uint64_t seed, unsigned dim, unsigned planes) {
  std::uint64_t drawn = 0;
  const auto under = [&](std::uint64_t limit) { return below(draw(seed, dim * 16 + planes, drawn++), limit); };
  PlaneProgram program{.machine = planes_machine(planes), .dim = dim, .conditions = {}, .steps = {}};
  Machine& machine = program.machine;
  const NodeId nodes = NodeId{1} << dim;
  machine.plane.retune_cycles = 1 + under(under(2) == 0 ? 3 : 60);
  machine.plane.scope = under(2) == 0 ? PlaneScope::link : PlaneScope::plane;
  machine.node.startups = under(2) == 0 ? Startups::queued : Startups::overlapped;
  machine.library.send_cycles = under(20);
  machine.library.send_zero_cycles = under(5);
  machine.library.receive_cycles = under(3) == 0 ? under(15) : 0;
  machine.link.cycles_per_phit = {2 + under(4), 2};
  machine.router.route_cycles = 1 + under(3);
  machine.network.accept_cycles = 1 + under(3);
  if (under(3) == 0) program.conditions.jitter = 1 + under(30);
  program.conditions.seed = seed;
  const bool faulty = under(8) == 0;
  // Messages that do not wait for each other, by planes that often lead to the same node.
  const bool overtake = seed % 4 == 3;
  const NodeId most = overtake ? std::min<NodeId>(nodes - 1, 2) : nodes - 1;
  program.steps.resize(nodes);
  std::vector<std::vector<NodeId>> masks(planes, std::vector<NodeId>(nodes, 0));
  const auto tune = [&](std::uint8_t plane, NodeId node, NodeId mask) {
    if (faulty && under(20) == 0) return;
    masks[plane][node] = mask;
    program.steps[node].push_back({.what = PlaneStep::What::tune, .plane = plane, .node = mask});
  };
  for (unsigned plane = 0; plane < planes; ++plane) {
    const auto mask = static_cast<NodeId>(1 + under(most));
    for (NodeId node = 0; node < nodes; ++node) tune(static_cast<std::uint8_t>(plane), node, mask);
  }
  std::uint32_t tag = 0;
  const std::uint64_t rounds = 2 + under(6);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::uint64_t i = under(planes + 1); i > 0; --i) {
      const auto plane = static_cast<std::uint8_t>(under(planes));
      const auto mask = static_cast<NodeId>(1 + under(most));
      const auto parity = static_cast<NodeId>(under(nodes));
      const bool whole = machine.plane.scope == PlaneScope::plane;
      for (NodeId node = 0; node < nodes; ++node) {
        const NodeId old = masks[plane][node];
        const bool agreed = std::popcount(parity & mask) % 2 == 0 && std::popcount(parity & old) % 2 == 0;
        // Where a first tune was forgotten there is no mask to keep.
        const bool chosen = agreed && old != 0 && std::popcount(parity & node) % 2 != 0;
        if (!whole && chosen && under(2) == 0) continue;  // a tune to the mask that is there, or none
        tune(plane, node, chosen ? old : mask);
      }
    }
    for (std::uint64_t i = under(4); i > 0; --i) {
      const auto plane = static_cast<std::uint8_t>(under(planes));
      const auto way = under(3);
      const std::uint64_t longest = under(2) == 0 ? 4 : longest_message;
      for (NodeId node = 0; node < nodes; ++node) {
        const NodeId mask = masks[plane][node];
        const NodeId partner = node ^ mask;
        if (mask == 0 || masks[plane][partner] != mask || partner < node) continue;
        PlaneStep step{.what = PlaneStep::What::exchange, .plane = plane, .tag = ++tag, .amount = under(longest)};
        step.sync = way == 1 ? PairwiseSync::off : PairwiseSync::on;
        for (const NodeId end : {node, partner}) {
          step.node = node ^ partner ^ end;
          if (way == 2) step.what = end == node ? PlaneStep::What::send : PlaneStep::What::receive;
          if (way == 2) step.sync = seed % 2 == 0 ? PairwiseSync::on : PairwiseSync::off;
          if (way == 2 && overtake) step.tag = shared_tag;
          if (under(4) == 0) program.steps[end].push_back({.what = PlaneStep::What::compute, .amount = under(80)});
          if (faulty && under(40) == 0) step.plane = static_cast<std::uint8_t>(under(planes));
          program.steps[end].push_back(step);
          step.plane = plane;
        }
      }
    }
    for (NodeId node = 0; node < nodes; ++node) {
      if (under(3) == 0) program.steps[node].push_back({});
    }
  }
  return program;
}

class PlaneFirmware {
 public:
  explicit PlaneFirmware(const PlaneProgram& program)
      : program_(program), firmware_([this](Node& node) { return run(node); }) {}
  [[nodiscard]] Program& program() { return firmware_; }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  Task<> run(Node& node) {
    struct Started {
      Pending pending;
      std::uint64_t check;  ///< to be received; 0: any
    };
    std::vector<Started> started;
    const auto check_of = [](std::uint32_t tag, NodeId from) { return std::uint64_t{tag} << 32 | (from + 1); };
    const auto& steps = program_.steps[node.id()];
    for (std::size_t i = 0; i <= steps.size(); ++i) {
      const PlaneStep step = i < steps.size() ? steps[i] : PlaneStep{};
      const std::uint64_t sent = check_of(step.tag, node.id());
      const std::uint64_t received = step.tag == shared_tag ? 0 : check_of(step.tag, step.node);
      const Bytes room = step.tag == shared_tag ? longest_message : step.amount;
      switch (step.what) {
        case PlaneStep::What::tune:
          started.push_back({node.start_tune(step.plane, step.node), 0});
          break;
        case PlaneStep::What::send:
          started.push_back({node.start_send({.to = step.node,
                                              .tag = step.tag,
                                              .bytes = step.amount,
                                              .check = sent,
                                              .port = step.plane,
                                              .sync = step.sync}),
                             0});
          break;
        case PlaneStep::What::receive:
          started.push_back(
              {node.start_receive({.from = step.node, .tag = step.tag, .bytes = room, .sync = step.sync}), received});
          break;
        case PlaneStep::What::exchange:
          started.push_back({node.start_exchange({.with = step.node,
                                                  .tag = step.tag,
                                                  .bytes = step.amount,
                                                  .check = sent,
                                                  .port = step.plane,
                                                  .sync = step.sync}),
                             received});
          break;
        case PlaneStep::What::compute:
          co_await node.compute(step.amount);
          break;
        case PlaneStep::What::wait_for_all:
          for (Started& each : started) {
            const Received got = co_await each.pending;
            if (each.check != 0 && got.check != each.check) ++wrong_;
          }
          started.clear();
          break;
      }
    }
  }

  const PlaneProgram& program_;
  std::uint64_t wrong_ = 0;
  Firmware firmware_;
};

inline auto firmware_of(const PlaneProgram& program) { return std::make_unique<PlaneFirmware>(program); }

}  // namespace ecube
