// SPDX-License-Identifier: Apache-2.0
// Message times of machines that the four papers name and others measured, from literature found as text.
#include "testbench/reproduction/judged.h"
#include "testbench/reproduction/results.h"

namespace ecube {

constexpr const char* times_of_a_message = "Times of a message";

void add_fitted(Findings& result, const std::string& title, std::initializer_list<FittedNumber> rows) {
  Grid grid{.title = title, .corner = "", .columns = {"printed", "fitted on the machine"}, .rows = {}};
  for (const FittedNumber& row : rows) {
    const double fitted = judged(row.fitted, "fitted {}", row.name);
    result.add(number_check(print, std::string(row.name), row.printed, fitted, set_to_print, row.unit));
    grid.add(row.name) = {{result.checks.back().published}, {result.checks.back().reached}};
  }
  result.panels.emplace_back(std::move(grid));
}

void messages_ncube2(Findings& result, MeasuredMachine& machine) {
  const Calibration& fitted = machine.calibration();
  add_fitted(result, times_of_a_message,
             {{"start-up of a message", 160, fitted.message.lambda_us.value(), "us"},
              {"empty message to a neighbour", 151, fitted.collective_message.alpha_zero_us, "us"},
              {"transmission of a byte", 0.45, fitted.message.tau_us_per_byte.value(), "us/B"},
              {"distance, \"about\"", 2, fitted.message.delta_hop_us.value(), "us/hop"}});
}

void messages_ipsc2(Findings& result, MeasuredMachine& machine) {
  const Calibration& fitted = machine.calibration();
  add_fitted(result, times_of_a_message,
             {{"short message to a neighbour, \"about\"", 350, fitted.collective_message.alpha_short_us, "us"},
              {"least time of a message", 302, fitted.collective_message.alpha_zero_us, "us"},
              {"transmission of a byte", 0.36, fitted.message.tau_us_per_byte.value(), "us/B"},
              {"distance, \"about\"", 10, fitted.short_message->delta_hop_us.value(), "us/hop"}});
  const double long_us = judged(fitted.collective_message.alpha_us, "fitted long message");
  result.range("long", 660, 700, long_us);
  result.number("middle", 680, long_us);
  result.number("empty", 350, judged(fitted.collective_message.alpha_zero_us, "fitted empty message"));
}

void messages_nx(Findings& result, MeasuredMachine& machine) {
  const Calibration& fitted = machine.calibration();
  const MessageFit& brief = fitted.short_message.value();
  add_fitted(result, times_of_a_message,
             {{"up to 100 B: start-up", 64, brief.lambda_us.value(), "us"},
              {"up to 100 B: empty", 64, brief.lambda0_us.value(), "us"},
              {"up to 100 B: distance", 11, brief.delta_hop_us.value(), "us/hop"},
              {"up to 100 B: transmission", 0.4, brief.tau_us_per_byte.value(), "us/B"},
              {"above 100 B: start-up", 103, fitted.message.lambda_us.value(), "us"},
              {"above 100 B: distance", 33, fitted.message.delta_hop_us.value(), "us/hop"},
              {"above 100 B: transmission", 0.4, fitted.message.tau_us_per_byte.value(), "us/B"},
              {"short message to a neighbour", 75, fitted.collective_message.alpha_short_us, "us"},
              {"long message to a neighbour", 136, fitted.collective_message.alpha_us, "us"},
              {"permutation of a byte", 0.54, fitted.rho_us_per_byte, "us/B"},
              {"combination of a float", 0.35, fitted.gamma_us_per_item, "us"}});
  result.count("threshold", 100, judged(fitted.threshold, "fitted threshold"));
}

}  // namespace ecube
