// SPDX-License-Identifier: Apache-2.0
// The equation's answer, term by term.
#include "testbench/exchange/exchange_json.h"

namespace ecube {

namespace {

constexpr std::string_view phase_equation = "Nicol & Bokhari 1994 (2), real hops";
constexpr std::string_view stage_equation =
    "Nicol & Bokhari 1994 (1) for parts in stages (models/exchange/README.md), real hops";

}  // namespace

nlohmann::ordered_json exchange_terms_json(const ExchangeTerms& terms, bool staged) {
  nlohmann::ordered_json json = {{"startup_us", terms.startup_us},
                                 {"distance_us", terms.distance_us},
                                 {"transmission_us", terms.transmission_us},
                                 {"permutation_us", terms.permutation_us},
                                 {"barrier_us", terms.barrier_us}};
  if (staged) {
    json["engine_us"] = terms.engine_us;
    json["serialised_us"] = terms.serialised_us;
  }
  return json;
}

nlohmann::ordered_json exchange_parameters_json(const ExchangeParameters& p) {
  nlohmann::ordered_json parameters = {{"source", p.source},
                                       {"lambda_us", p.lambda_us},
                                       {"lambda0_us", p.lambda0_us},
                                       {"tau_us_per_byte", p.tau_us_per_byte},
                                       {"delta_us_per_hop", p.delta_hop_us},
                                       {"rho_us_per_byte", p.rho_us_per_byte},
                                       {"barrier_us", p.barrier_us}};
  if (p.delta_us != 0) parameters["delta_us"] = p.delta_us;
  if (p.tau_hop_us_per_byte != 0) parameters["tau_us_per_byte_and_hop"] = p.tau_hop_us_per_byte;
  if (p.short_bytes > 0) {
    parameters["short_bytes"] = p.short_bytes;
    parameters["lambda_short_us"] = p.lambda_short_us;
    parameters["delta_short_us_per_hop"] = p.delta_hop_short_us;
  }
  parameters["pairwise_sync_messages"] = p.pairwise_sync_messages;
  return parameters;
}

nlohmann::ordered_json exchange_prediction_json(const ExchangeTerms& terms, double average_us,
                                                const ExchangeParameters& parameters, bool staged) {
  return {{"equation", staged ? stage_equation : phase_equation},
          {"us", terms.total()},
          {"average_distance_us", average_us},
          {"terms", exchange_terms_json(terms, staged)},
          {"parameters", exchange_parameters_json(parameters)}};
}

}  // namespace ecube
