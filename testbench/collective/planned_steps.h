// SPDX-License-Identifier: Apache-2.0
// Schedules as steps of circuits, for the static contention check.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "models/contention/contention.h"
#include "models/shuffle/shuffle_workload.h"
#include "sw/exchange/exchange.h"
#include "sw/traffic/traffic.h"

namespace ecube {

/// Takes the circuits of one step after the other; false ends the schedule.
using StepSink = std::function<bool(std::span<const PlannedCircuit>)>;

/// The steps of all phases: what node i sends j-th goes into step j of its phase. On several ports the steps of all
/// stages: what all parts send j-th goes into step j of the stage; parts that are empty send nothing.
void exchange_steps(const ExchangeWorkload& workload, unsigned dim, const StepSink& sink);
/// The steps of the schedules; of `route` the k-th packets of all nodes; of A2 all nodes' neighbours in each dimension;
/// of A2 squared who sends in each packet step.
void shuffle_steps(const ShuffleWorkload& workload, unsigned dim, const StepSink& sink);
/// The k-th messages of all nodes.
void traffic_steps(const std::vector<TrafficMessage>& messages, unsigned dim, const StepSink& sink);

/// Steps of lines "source destination"; a blank line ends a step, '#' begins a comment. InputError, with the line and
/// what is wrong in it.
[[nodiscard]] std::vector<std::vector<PlannedCircuit>> read_steps(const std::string& file, unsigned dim);

}  // namespace ecube
