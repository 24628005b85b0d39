// SPDX-License-Identifier: Apache-2.0
// Schedules as steps of circuits, for the static contention check.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "models/shuffle/shuffle_workload.h"
#include "models/static_check/link_conflicts.h"
#include "sw/exchange/exchange.h"
#include "sw/traffic/traffic.h"

namespace ecube {

/// Takes the circuits of one step after the other.
using StepSink = std::function<void(std::span<const PlannedCircuit>)>;

/// The steps of all phases: the j-th message of a node is in step j of its phase. On several ports the steps of all
/// stages: the j-th messages of all parts are in step j of the stage; empty parts send nothing.
void exchange_steps(const ExchangeWorkload& workload, const Topology& topology, const StepSink& sink);
/// The steps of the schedules: for `route` the k-th packets of all nodes, for A2 all nodes' neighbours in each
/// dimension, for A2 squared the senders of each packet step.
void shuffle_steps(const ShuffleWorkload& workload, unsigned dim, const StepSink& sink);
void traffic_steps(const TrafficPlan& plan, const Topology& topology, const StepSink& sink);

/// What a prediction has for links that circuits of a step share, in `predict` and in `run`.
inline constexpr std::string_view shared_links_row =
    "shared links  {:>14.3f} us   a bound where steps begin together\n";
inline constexpr std::string_view shared_links_note =
    "predicted for links that circuits of a step share: {:.3f} us, (largest load - 1) times the hold of one\n";

/// Lines "source destination"; a blank line ends a step, '#' begins a comment. InputError with the line.
[[nodiscard]] std::vector<std::vector<PlannedCircuit>> read_steps(const std::string& file, NodeId nodes);

}  // namespace ecube
