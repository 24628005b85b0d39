// SPDX-License-Identifier: Apache-2.0
// The rows.
#include "testbench/run/figures.h"

#include <algorithm>

#include "testbench/machine/test_bench.h"

namespace ecube {

namespace {

using Json = nlohmann::ordered_json;

template <auto... members>
Json member(const RunSetup& /*setup*/, const RunMeasurement& run) {
  return (run.*....*members);
}

template <auto... members>
Json of_network(const RunSetup& /*setup*/, const RunMeasurement& run) {
  return (run.network.*....*members);
}

Json most_stored(const RunSetup& setup, const RunMeasurement& run) {
  const bool stores = setup.machine.network.switching == Switching::store_and_forward;
  return stores ? Json(run.network.most_stored) : Json();
}

Json cut_circuits(const RunSetup& setup, const RunMeasurement& run) {
  return setup.conditions.failures.empty() ? Json() : Json(run.network.cut);
}

template <auto member>
Json of_planes(const RunSetup& setup, const RunMeasurement& run) {
  return setup.machine.network.planes == 0 ? Json() : Json(run.network.planes.*member);
}

using Run = RunMeasurement;
using Network = RunStatistics;
using Blocked = BlockedStatistics;
constexpr Better neither = Better::neither;
constexpr Better less = Better::less;
constexpr Better more = Better::more;

constexpr Figure rows[] = {
    {"measured_cycles", "cycles", "measured.cycles", less, "how long the run took",
     member<&Run::result, &RunResult::cycles>},
    {"measured_us", "us", "measured.us", less, "how long the run took, at the machine's clock",
     member<&Run::result, &RunResult::us>},
    {"measured_unpaced_us", "us", "measured.unpaced_us", neither,
     "a shuffle whose messages one way are not paced as exchanges with an empty half"},
    {"measured_steps", "", "measured.steps", less, "elements that a shuffle exchanged in sequence"},
    {"measured_startups", "", "measured.startups", less, "packets that a shuffle sent in sequence"},
    {"predicted_us", "us", "predicted.us", less, "what the equation says, with the hops of each message"},
    {"error_percent", "%", "error_percent", neither, "the measured time's deviation from the predicted one"},
    {"predicted_average_distance_us", "us", "predicted.average_distance_us", neither,
     "the equation with the average distance for every message, as in the papers"},
    {"predicted_equal_us", "us", "predicted.equal_us", neither, "the equation for blocks of equal size"},
    {"predicted_lower_bound_us", "us", "predicted.lower_bound_us", neither,
     "no shuffle of these elements can be faster"},
    {"predicted_published_us", "us", "predicted.published.us", neither, "the formula as it is in print"},
    {"predicted_steps", "", "predicted.steps", less, "elements that the shuffle exchanges in sequence"},
    {"predicted_startups", "", "predicted.startups", less, "packets that the shuffle sends in sequence"},
    {"predicted_longest_message_bytes", "B", "predicted.longest_message_bytes", neither,
     "the longest message of blocks of different sizes"},
    {"predicted_moved_bytes", "B", "predicted.moved_bytes", neither,
     "all that the nodes send of blocks of different sizes"},
    {"predicted_startup_us", "us", "predicted.terms.startup_us", less, "the equation's start-ups"},
    {"predicted_queued_startup_us", "us", "predicted.terms.queued_startup_us", less,
     "start-ups that wait for the node's one processor"},
    {"predicted_distance_us", "us", "predicted.terms.distance_us", less, "the equation's hops"},
    {"predicted_transmission_us", "us", "predicted.terms.transmission_us", less, "the equation's bytes on links"},
    {"predicted_permutation_us", "us", "predicted.terms.permutation_us", less, "the equation's copies within nodes"},
    {"predicted_combine_us", "us", "predicted.terms.combine_us", less, "the equation's arithmetic"},
    {"predicted_local_us", "us", "predicted.terms.local_us", less, "elements that a shuffle moves within nodes"},
    {"predicted_barrier_us", "us", "predicted.terms.barrier_us", less, "the equation's barriers"},
    {"predicted_retuning_us", "us", "predicted.terms.retuning_us", less, "of planes that are tuned"},
    {"predicted_waiting_us", "us", "predicted.terms.waiting_us", less,
     "links that circuits of a step share: a bound; off cubes"},
    {"predicted_engine_us", "us", "predicted.terms.engine_us", less, "messages that wait for one of several engines"},
    {"predicted_serialised_us", "us", "predicted.terms.serialised_us", less,
     "messages that are accepted only when their destination has stopped sending"},
    {"circuits", "", "network.circuits", neither, "circuits that were set up", of_network<&Network::circuits>},
    {"payload_bytes", "B", "network.payload_bytes", neither, "what their messages carried",
     of_network<&Network::payload_bytes>},
    {"blocked_circuits", "", "network.blocked_circuits", less, "circuits that waited for links",
     of_network<&Network::link_blocked, &Blocked::circuits>},
    {"blocked_cycles", "cycles", "network.blocked_cycles", less, "how long circuits waited for links, all together",
     of_network<&Network::link_blocked, &Blocked::cycles>},
    {"port_blocked_circuits", "", "network.port_blocked_circuits", less, "circuits that waited for a port of a node",
     of_network<&Network::port_blocked, &Blocked::circuits>},
    {"port_blocked_cycles", "cycles", "network.port_blocked_cycles", less,
     "how long circuits waited for ports, all together", of_network<&Network::port_blocked, &Blocked::cycles>},
    {"control_circuits", "", "network.control_circuits", neither,
     "circuits of synchronisation messages, reservations and grants", of_network<&Network::control_circuits>},
    {"serialised_circuits", "", "network.serialised_circuits", less,
     "circuits that were accepted only when their destination had stopped sending",
     of_network<&Network::serialised, &Blocked::circuits>},
    {"serialised_cycles", "cycles", "network.serialised_cycles", less,
     "how long circuits waited for their destination's own send, all together",
     of_network<&Network::serialised, &Blocked::cycles>},
    {"lost_messages", "", "network.lost_messages", less, "messages that no receive was posted for",
     of_network<&Network::lost>},
    {"utilisation_mean", "", "network.utilisation_mean", neither,
     "share of the run for which a link was busy, on average", member<&Run::utilisation_mean>},
    {"utilisation_max", "", "network.utilisation_max", neither, "share of the run for which the busiest link was busy",
     member<&Run::utilisation_max>},
    {"most_stored_bytes", "B", "network.most_stored_bytes", less,
     "packets and messages that one node stored at a time, at most; of a network that stores and forwards",
     most_stored},
    {"cut_circuits", "", "network.cut_circuits", less, "circuits that a dead link cut; of runs with failures",
     cut_circuits},
    {"plane_changes", "", "network.plane_changes", less, "halves of links that were tuned to another mask",
     of_planes<&PlaneStatistics::changes>},
    {"plane_closing_cycles", "cycles", "network.plane_closing_cycles", less,
     "from the requests for these changes until the halves were dark", of_planes<&PlaneStatistics::closing>},
    {"plane_dark_cycles", "cycles", "network.plane_dark_cycles", less,
     "from then until links were up, all halves together", of_planes<&PlaneStatistics::dark>},
    {"plane_exposed_cycles", "cycles", "network.plane_exposed_cycles", less,
     "node-cycles of changes in which a send waited and the node moved no phits", of_planes<&PlaneStatistics::exposed>},
    {"plane_hidden_cycles", "cycles", "network.plane_hidden_cycles", neither, "the other node-cycles of changes",
     of_planes<&PlaneStatistics::hidden>},
    {"offered_rate", "messages a node in 1,000 cycles", "traffic.offered", neither, "how much the nodes were to send"},
    {"accepted_rate", "messages a node in 1,000 cycles", "traffic.accepted", more, "how much was received"},
    {"accepted_percent", "%", "traffic.accepted_percent", more,
     "accepted of offered; below 95 the network is saturated"},
    {"latency_mean_cycles", "cycles", "traffic.latency_cycles.mean", less,
     "from the cycle at which a message was to be sent to its reception, on average"},
    {"latency_median_cycles", "cycles", "traffic.latency_cycles.p50", less, "half of the messages took no longer"},
    {"latency_p99_cycles", "cycles", "traffic.latency_cycles.p99", less, "99 % of the messages took no longer"},
    {"latency_most_cycles", "cycles", "traffic.latency_cycles.max", less, "the longest latency"},
    {"steady_offered_rate", "messages a node in 1,000 cycles", "traffic.steady_state.offered", neither,
     "how much the nodes were to send in the window of the steady state"},
    {"steady_accepted_rate", "messages a node in 1,000 cycles", "traffic.steady_state.accepted", more,
     "how much was received in the window"},
    {"steady_latency_cycles", "cycles", "traffic.steady_state.latency_mean_cycles", less, "mean latency of the window"},
    {"steady_latency_half_width_cycles", "cycles", "traffic.steady_state.latency_half_width_95_cycles", less,
     "half the width of its 95 % confidence interval"},
    {"unloaded_latency_cycles", "cycles", "traffic.curve.unloaded_latency_cycles", less,
     "of a message alone in the network; of runs at several rates, as are the next three"},
    {"keeps_up_at_rate", "messages a node in 1,000 cycles", "traffic.curve.saturation.keeps_up_at", more,
     "the highest rate at which 95 % of the offered messages are accepted"},
    {"saturated_at_rate", "messages a node in 1,000 cycles", "traffic.curve.saturation.saturated_at", more,
     "the lowest rate at which fewer are accepted"},
    {"most_accepted_rate", "messages a node in 1,000 cycles", "traffic.curve.saturation.most_accepted", more,
     "the most that were accepted at any rate"},
    {"verified", "", "verified", neither, "whether the data was where it belonged; none where no data was carried"},
};

Json::json_pointer pointer(const Figure& figure) {
  std::string path = "/" + std::string(figure.member);
  std::replace(path.begin(), path.end(), '.', '/');
  return Json::json_pointer(path);
}

}  // namespace

std::span<const Figure> figures() { return rows; }

const Figure* figure_of(std::string_view column) {
  const auto* const found = std::ranges::find_if(rows, [&](const Figure& figure) { return figure.column == column; });
  return found == std::end(rows) ? nullptr : found;
}

Json value_in(const Json& result, const Figure& figure) {
  const Json::json_pointer place = pointer(figure);
  return result.contains(place) ? result[place] : Json();
}

Json figure_json(const Figure& figure) {
  return {
      {"unit", figure.unit}, {"help", figure.help}, {"better", better_words[static_cast<std::size_t>(figure.better)]}};
}

void add_figures(Json& result, const RunSetup& setup, const RunMeasurement& run) {
  for (const Figure& figure : rows) {
    Json value = figure.read == nullptr ? Json() : figure.read(setup, run);
    if (!value.is_null()) result[pointer(figure)] = std::move(value);
  }
}

}  // namespace ecube
