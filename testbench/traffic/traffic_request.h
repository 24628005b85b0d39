// SPDX-License-Identifier: Apache-2.0
// Options of traffic: as typed, and the messages they ask for.
#pragma once

#include <vector>

#include "sw/traffic/traffic_plan.h"
#include "testbench/run/run_arguments.h"

namespace ecube {

/// Options of traffic as typed, before any is checked.
struct TrafficArguments {
  RunArguments run;
  std::string pattern = "uniform";
  std::string rate = "5";
  std::int64_t messages = 100;
  std::int64_t bytes = 16;
};

/// Adds pattern, messages and bytes.
void add_pattern_options(Command& app, TrafficArguments& arguments);

/// `--rate` as typed: one rate, a list, FROM:TO in doublings, or FROM:TO:STEP. InputError for anything else.
[[nodiscard]] std::vector<double> rates_of(const std::string& text);
/// True when the messages come from a file, which says when each of them is sent.
[[nodiscard]] bool from_file(const TrafficArguments& arguments);
/// The messages of a pattern at one rate, or of a file. InputError for whatever is wrong with the options.
[[nodiscard]] TrafficPlan plan_of(const TrafficArguments& arguments, const RunSetup& setup, double rate);

}  // namespace ecube
