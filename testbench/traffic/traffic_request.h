// SPDX-License-Identifier: Apache-2.0
// Options of traffic: as typed, and the messages they ask for.
#pragma once

#include <string>
#include <vector>

#include "sw/traffic/traffic_plan.h"
#include "testbench/run/run_arguments.h"

namespace ecube {

struct TrafficArguments {
  RunArguments run;
  TextOption pattern{
      "--pattern",
      "uniform, bitcomp, bitrev, transpose (even d), shuffle, randperm, neighbor (across a random dimension), hotspot "
      "(a quarter to the last node), all-to-one (node 0), or a file of lines: source destination bytes cycle [as NAME] "
      "[after NAME ..]",
      group::common, "uniform"};
  TextOption rate{
      "--rate",
      "Messages of each node per 1,000 cycles, at random times; several rates, as 1,2,5 or 1:64 (doubling) or "
      "2:20:2, give the load-latency curve",
      group::common, "5"};
  NumberOption messages{"--messages", "Messages of each node", group::common, 100, {1}};
  NumberOption bytes{"--bytes", "Bytes of a message",       group::common,
                     16,        {0, std::int64_t{1} << 30}, NumberOption::Unit::bytes};
};

/// `--rate` as typed: one rate, a list, FROM:TO in doublings, or FROM:TO:STEP. InputError for anything else.
[[nodiscard]] std::vector<double> rates_of(const std::string& text);
/// True when the messages come from a file, which says when each of them is sent.
[[nodiscard]] bool from_file(const TrafficArguments& arguments);
/// Where messages come from a file and no dimension is given, that of the smallest cube with their nodes.
[[nodiscard]] TrafficArguments with_dim(TrafficArguments arguments);
/// The messages of a pattern at one rate, or of a file. InputError for whatever is wrong with the options.
[[nodiscard]] TrafficPlan plan_of(const TrafficArguments& arguments, const RunSetup& setup, double rate);

struct TrafficList {
  std::vector<TrafficMessage> messages;         ///< in the order of the file
  std::vector<TrafficDependency> dependencies;  ///< between messages by their numbers in the file
};

/// InputError, with the line and its mistake, when the file cannot be read, names nodes that the topology does not
/// have, or has a message that can never be sent: it waits for one that is not there, that its node neither sends nor
/// receives, or that waits for it.
[[nodiscard]] TrafficList read_traffic(const std::string& file, const Topology& topology);

}  // namespace ecube
