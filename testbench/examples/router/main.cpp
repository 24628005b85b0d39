// SPDX-License-Identifier: Apache-2.0
// A clocked cube with other routers at two of its nodes: any module with the pins of hw/clocked/router_pins.h can be
// one. Their order of dimensions is not that of their neighbours, so four circuits wait for each other in a ring, which
// e-cube routing excludes.
#include <cstdio>

#include "hw/clocked/cube.h"
#include "hw/clocked/mirrored_router.h"
#include "sw/api/firmware.h"

/// The routers of nodes 1 and 2 take the highest dimension first.
class MixedRouters final : public ecube::clocked::NodeParts {
 public:
  std::unique_ptr<ecube::clocked::RouterPins> make_router(const char* name, ecube::NodeId node,
                                                          const ecube::clocked::Shape& shape) const override {
    if (node == 1 || node == 2) return std::make_unique<ecube::clocked::MirroredRouter>(name, shape);
    return NodeParts::make_router(name, node, shape);
  }
};

int sc_main(int, char**) {
  const MixedRouters parts;
  ecube::ClockedCube cube("cube", ecube::Machine{}, 2, parts);
  ecube::Firmware firmware([](ecube::Node& node) -> ecube::Task<> {
    const ecube::NodeId opposite = node.id() ^ 3U;
    co_await node.exchange({.with = opposite, .bytes = 16, .room = 16});
  });
  const ecube::RunResult result = cube.run(firmware);
  std::printf("%s\n", result.status == ecube::RunResult::Status::stalled ? "stalled" : "finished");
  for (const ecube::WaitingCircuit& circuit : cube.waiting()) {
    std::printf("%u->%u waits for link %u:%u held by %u->%u\n", circuit.waiting.source, circuit.waiting.destination,
                circuit.router, circuit.output, circuit.holder.source, circuit.holder.destination);
  }
  return 0;
}
