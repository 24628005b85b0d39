// SPDX-License-Identifier: Apache-2.0
// Programs of nodes that are SystemC threads, beside firmware on the other nodes: node 0 asks nodes 5 and 6, which
// answer node 3 after some time of their own.
//   program [event|clocked] [reversed] [DIM]
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "hw/clocked/cube.h"
#include "hw/cube.h"
#include "sw/api/firmware.h"

namespace {

constexpr std::uint32_t question = 1;
constexpr std::uint32_t answer = 2;
constexpr ecube::Bytes length = 64;

/// The program of a node without firmware: waits for a question and answers.
class Responder : public sc_core::sc_module {
 public:
  sc_core::sc_port<ecube::NodeAccess> node{"node"};

  explicit Responder(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(Responder);
    SC_THREAD(respond);
  }

 private:
  void respond() {
    for (;;) {
      wait(node->started());
      ecube::Node self(node->ports(), node->id());
      await(self.start_receive({.from = 0, .tag = question, .bytes = length}));
      wait(1, sc_core::SC_US);
      await(self.start_send({.to = 3, .tag = answer, .bytes = length}));
      node->ports().finished(node->id(), nullptr);
    }
  }
  void await(const ecube::Pending& operation) {
    while (!operation.done()) wait(node->completed());
  }
};

ecube::Task<> firmware(ecube::Node& node) {
  if (node.id() == 0) {
    for (const ecube::NodeId responder : {5U, 6U}) {
      co_await node.send({.to = responder, .tag = question, .bytes = length});
    }
  }
  if (node.id() == 3) {
    for (int i = 0; i < 2; ++i) {
      const ecube::Received received = co_await node.receive({.tag = answer, .bytes = length});
      std::printf("cycle %llu: an answer from node %u\n", static_cast<unsigned long long>(node.now()), received.from);
    }
  }
}

template <class Cube>
void run(Cube& cube, Responder& first, Responder& second, bool reversed) {
  first.node(cube.node(reversed ? 6 : 5).program);
  second.node(cube.node(reversed ? 5 : 6).program);
  ecube::Firmware program(firmware);
  const ecube::RunResult result = cube.run(program);
  std::printf("%s after %llu cycles\n", result.status == ecube::RunResult::Status::finished ? "ended" : "stalled",
              static_cast<unsigned long long>(result.cycles));
  cube.unload();
}

}  // namespace

int sc_main(int argc, char** argv) try {
  bool clocked = false;
  bool reversed = false;
  unsigned dim = 3;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "clocked") {
      clocked = true;
    } else if (word == "reversed") {
      reversed = true;
    } else if (word != "event") {
      dim = static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10));
    }
  }
  // Processes run in the order in which their modules are made.
  Responder first("first");
  Responder second("second");
  if (clocked) {
    ecube::ClockedCube cube("cube", ecube::Machine{}, dim);
    run(cube, first, second, reversed);
  } else {
    const bool flat = dim > ecube::max_auto_full_dim;
    ecube::Cube cube("cube", dim, flat ? ecube::Hierarchy::flat : ecube::Hierarchy::full);
    run(cube, first, second, reversed);
  }
  return 0;
} catch (const std::invalid_argument& error) {
  std::fprintf(stderr, "program: %s\n", error.what());
  return 2;
}
