// SPDX-License-Identifier: Apache-2.0
// The micro-benchmark plan and the fit.
#include "testbench/calibration.h"

#include <stdexcept>
#include <vector>

#include "sw/micro_benchmarks.h"

namespace ecube {

namespace {

Cycles run_to_end(Cube& cube, const Machine& machine, const Firmware::Body& body) {
  Firmware firmware(body);
  cube.reset(machine, calibration_dim);
  const RunResult result = cube.run(firmware);
  cube.reset(machine, calibration_dim);
  if (result.status != RunResult::Status::finished) throw std::runtime_error("a micro-benchmark did not finish");
  return result.cycles;
}

}  // namespace

ExchangeParameters Calibration::exchange(unsigned dim) const {
  ExchangeParameters parameters;
  parameters.lambda_us = message.lambda_us.value_or(0);
  parameters.lambda0_us = message.lambda0_us.value_or(0);
  parameters.tau_us_per_byte = message.tau_us_per_byte.value_or(0);
  parameters.delta_hop_us = message.delta_hop_us.value_or(0);
  parameters.rho_us_per_byte = rho_us_per_byte;
  parameters.barrier_us = barrier_us_per_dim * dim;
  parameters.source = "fitted";
  return parameters;
}

Calibration calibrate(Cube& cube, const Machine& machine) {
  std::vector<MessageSample> samples;
  for (const NodeId to : {1U, 3U, 7U}) {
    // Whole groups of 25 phits: the sizes at which machines with fractional phit times are exactly affine.
    for (const Bytes bytes : {Bytes{0}, Bytes{100}, Bytes{400}, Bytes{1000}, Bytes{4000}}) {
      Cycles elapsed = 0;
      run_to_end(cube, machine, [&](Node& node) { return ping_pong(node, 0, to, bytes, 2, elapsed); });
      samples.push_back({.bytes = bytes, .hops = hops(0, to), .us = machine.us(static_cast<double>(elapsed) / 4.0)});
    }
  }
  Calibration calibration;
  calibration.message = fit_messages(samples);
  constexpr Bytes permuted = 100'000;
  calibration.rho_us_per_byte = machine.us(static_cast<double>(run_to_end(cube, machine, [](Node& node) -> Task<> {
    co_await node.permute(permuted);
  }))) / static_cast<double>(permuted);
  calibration.barrier_us_per_dim =
      machine.us(static_cast<double>(run_to_end(cube, machine, [](Node& node) { return barrier(node); }))) /
      calibration_dim;
  return calibration;
}

}  // namespace ecube
