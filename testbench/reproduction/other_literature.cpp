// SPDX-License-Identifier: Apache-2.0
// From literature found as text beside the four papers: message times of machines that these name and others measured;
// SWOT (arXiv 2510.19322), printed times of all-reduces on planes that are tuned, on the machine, and the gains of its
// first experiment by closed forms.
#include "sw/api/firmware.h"
#include "sw/examples/halving_doubling.h"
#include "testbench/reproduction/results.h"
#include "testbench/text/csv.h"

namespace ecube {

extern const char* const swot_table;

namespace {

/// A row that is run: statement, dimension, planes, bytes and cycles of a phit, MB, delay and latency in us, shares of
/// the planes, ms in print, and cycles.
void run_row(Findings& result, const std::vector<std::string>& row, MeasuredMachine measured) {
  Machine& machine = measured.machine();
  const auto whole = [&row](std::size_t field) { return static_cast<std::uint32_t>(std::stoul(row[field])); };
  constexpr Cycles cycles_of_us = 1000;
  constexpr Cycles least_latency = 11;
  machine.clock_hz = machine.core.clock_hz = 1e9;
  machine.link.phit_bytes = whole(4);
  machine.link.cycles_per_phit = {std::stoul(row[4].substr(row[4].find('/') + 1)), 1};
  machine.node.startups = Startups::overlapped;
  machine.node.ports = {Ports::n};
  machine.network.planes = whole(3);
  machine.plane.retune_cycles = whole(6) * cycles_of_us - 1;
  machine.library.send_cycles = std::max(whole(7) * cycles_of_us, least_latency) - least_latency;
  const PlaneSchedule plan(whole(3), whole(2), Bytes{1'000'000} * whole(5), row[8]);
  HalvingDoubling combine(plan);
  Firmware firmware([&combine](Node& node) { return combine.run(node); });
  const auto cycles = static_cast<double>(judged(measured.run(whole(2), firmware).result.cycles, "cycles"));
  if (row[9] != "-") result.number("ms", std::stod(row[9]), cycles / 1e6, row[1]);
  result.number("cycles", std::stod(row[10]), cycles, row[1]);
}

/// A row that is computed: statement, steps, changes between neighbouring steps, bytes that a node sends in all in
/// buffers, planes, GB/s of a plane, MB of a buffer, which way is the faster one, and its gain over the other, per
/// cent. All planes are re-tuned together, or each of as many configurations as there are planes has its plane
/// (one-shot).
void compute_row(Findings& result, const std::vector<std::string>& row) {
  const auto number = [&row](std::size_t field) { return std::stod(row[field]); };
  const double one_shot_ms = number(4) * number(7) / number(6) + number(2) * 0.02;
  const double together_ms = number(4) * number(7) / number(6) / number(5) + number(2) * 0.02 + number(3) * 0.2;
  const bool together = row[8] == "together";
  const double gain = judged(together ? 1 - together_ms / one_shot_ms : 1 - one_shot_ms / together_ms, "gain");
  result.number("gain", number(9), 100 * gain, row[1], row[8]);
}

}  // namespace

void messages_ncube2(Findings& result, MeasuredMachine& machine) {
  const Calibration& fitted = machine.calibration();
  add_fitted(result, {fitted.message.lambda_us.value(), fitted.collective_message.alpha_zero_us,
                      fitted.message.tau_us_per_byte.value(), fitted.message.delta_hop_us.value()});
}

void messages_ipsc2(Findings& result, MeasuredMachine& machine) {
  const Calibration& fitted = machine.calibration();
  add_fitted(result, {fitted.collective_message.alpha_short_us, fitted.collective_message.alpha_zero_us,
                      fitted.message.tau_us_per_byte.value(), fitted.short_message->delta_hop_us.value()});
  const double long_us = judged(fitted.collective_message.alpha_us, "fitted long message");
  result.range("long", 660, 700, long_us);
  result.number("middle", 680, long_us);
  result.number("empty", 350, judged(fitted.collective_message.alpha_zero_us, "fitted empty message"));
}

void messages_nx(Findings& result, MeasuredMachine& machine) {
  const Calibration& fitted = machine.calibration();
  const MessageFit& brief = fitted.short_message.value();
  add_fitted(result,
             {brief.lambda_us.value(), brief.lambda0_us.value(), brief.delta_hop_us.value(),
              brief.tau_us_per_byte.value(), fitted.message.lambda_us.value(), fitted.message.delta_hop_us.value(),
              fitted.message.tau_us_per_byte.value(), fitted.collective_message.alpha_short_us,
              fitted.collective_message.alpha_us, fitted.rho_us_per_byte, fitted.gamma_us_per_item});
  result.number("threshold", 100, judged(fitted.threshold, "fitted threshold"));
}

void swot(Findings& result, MeasuredMachine& machine) {
  for (const std::vector<std::string>& row : table_rows(swot_table, 11)) {
    row[0] == "run" ? run_row(result, row, machine) : compute_row(result, row);
  }
}

}  // namespace ecube
