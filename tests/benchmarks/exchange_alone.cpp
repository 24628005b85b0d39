// SPDX-License-Identifier: Apache-2.0
// A Direct exchange on the cube with nothing around it, built once as it is and once without the counts of links, to
// measure the cost of these counts. Usage: exchange_alone DIM; prints the seconds of the best of several runs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "hw/cube.h"
#include "models/machine/machine_parameters.h"
#include "models/presets/presets.h"
#include "sw/exchange/exchange.h"

int sc_main(int argc, char** argv) {
  const int dim = argc == 2 ? std::atoi(argv[1]) : 0;
  if (dim < 1 || dim > 13) {
    std::fprintf(stderr, "usage: exchange_alone DIM (1..13)\n");
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  const auto d = static_cast<unsigned>(dim);
  const ecube::Machine machine = ecube::resolve(ecube::preset_settings(ecube::preset("ideal")));
  ecube::Cube cube("cube", d, ecube::Hierarchy::flat);
  ecube::ExchangeWorkload workload;
  workload.partition = ecube::Partition::direct(d);
  workload.bytes = 16;
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    cube.reset(machine, d);
    ecube::CompleteExchange exchange(workload, d);
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
