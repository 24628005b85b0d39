// SPDX-License-Identifier: Apache-2.0
// A Direct exchange on the cube with nothing around it, built once as it is and once without the counts of links, to
// measure the cost of these counts, and of testing the features of a machine that the compiler could know.
//   exchange_alone DIM [plain | watched | ipsc860] [asked]
// prints the seconds of the best of several runs; `valgrind --tool=callgrind` counts their instructions.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
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
  if (dim < 1 || dim > 13 || words.size() > (asked ? 3 : 2) || (known != "plain" && known != "ipsc860" && !watched)) {
    std::fprintf(stderr, "usage: exchange_alone DIM (1..13) [plain | watched | ipsc860] [asked]\n");
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  const auto d = static_cast<unsigned>(dim);
  const char* const preset = known == "ipsc860" ? "ipsc860" : "ideal";
  const ecube::Machine machine = ecube::resolve(ecube::preset_settings(ecube::preset(preset)));
  ecube::Cube cube("cube", d, ecube::Hierarchy::flat);
  cube.ask_features(asked);
  Watcher watcher;
  ecube::ExchangeWorkload workload;
  workload.partition = ecube::Partition::direct(d);
  workload.bytes = 16;
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    cube.reset(machine, d);
    if (watched) cube.observe(&watcher);
    if (cube.engine().features().observer != watched || cube.engine().knows_features() == asked) return 1;
    ecube::CompleteExchange exchange(workload, ecube::Topology::cube(d));
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
