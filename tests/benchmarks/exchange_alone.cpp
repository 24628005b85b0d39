// SPDX-License-Identifier: Apache-2.0
// A Direct exchange on the cube with nothing around it, to measure the cost of testing the features of a machine that
// the compiler could know. product: on dimensions of four nodes (DIM even); planes: with a tune for each message, on as
// many planes as there are dimensions.
//   exchange_alone DIM [plain | watched | ipsc860 | product | planes] [asked]
// prints the seconds of the best of several runs; `valgrind --tool=callgrind` counts their instructions.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "hw/cube.h"
#include "models/machine/machine_parameters.h"
#include "models/presets/presets.h"
#include "sw/exchange/exchange.h"

namespace {

/// Is told of everything, and does nothing.
class Watcher final : public ecube::Observer {};

}  // namespace

int sc_main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const int dim = words.empty() ? 0 : std::atoi(argv[1]);
  const std::string_view known = words.size() > 1 ? words[1] : "plain";
  const bool watched = known == "watched";
  const bool asked = words.size() == 3 && words[2] == "asked";
  constexpr std::array<std::string_view, 5> machines{"plain", "watched", "ipsc860", "product", "planes"};
  if (dim < 1 || dim > 13 || words.size() > (asked ? 3 : 2) || !std::ranges::count(machines, known) ||
      (known == "product" && dim % 2 != 0)) {
    std::fprintf(stderr, "usage: exchange_alone DIM (1..13) [plain | watched | ipsc860 | product | planes] [asked]\n");
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  const auto d = static_cast<unsigned>(dim);
  const char* const preset = known == "ipsc860" ? "ipsc860" : "ideal";
  ecube::Machine machine = ecube::resolve(ecube::preset_settings(ecube::preset(preset)));
  if (known == "product") {
    std::string radices = "generalised:4";
    for (unsigned i = 2; i < d; i += 2) radices += "x4";
    machine.network.topology = *ecube::Topology::parse(radices);
  } else if (known == "planes") {
    machine.network.planes = d;
    machine.node.ports = {ecube::Ports::n};
    machine.plane.retune_cycles = 1;
  }
  const ecube::Topology topology = machine.topology(d);
  ecube::Cube cube("cube", d, ecube::Hierarchy::flat);
  cube.ask_features(asked);
  Watcher watcher;
  ecube::ExchangeWorkload workload;
  workload.partition =
      ecube::Partition::direct(known == "planes" ? d : static_cast<unsigned>(topology.dimensions().size()));
  workload.bytes = 16;
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    cube.reset(machine, d);
    if (watched) cube.observe(&watcher);
    if (cube.engine().features().observer != watched || cube.engine().knows_features() == asked) return 1;
    ecube::CompleteExchange exchange(workload, topology);
    const auto begin = Clock::now();
    const ecube::RunResult result = cube.run(exchange.program());
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
    if (result.status != ecube::RunResult::Status::finished || exchange.wrong() != 0) return 1;
    cube.unload();
  }
  std::printf("{\"seconds\": %.6f}\n", best);
  return 0;
}

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
