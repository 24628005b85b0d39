// SPDX-License-Identifier: Apache-2.0
// The equation of the exchange as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "models/exchange/exchange_cost.h"

namespace ecube {

/// Terms in us; `staged`: with the terms that only an exchange in stages has.
[[nodiscard]] nlohmann::ordered_json exchange_terms_json(const ExchangeTerms& terms, bool staged);
/// "parameters": where they come from, and their values.
[[nodiscard]] nlohmann::ordered_json exchange_parameters_json(const ExchangeParameters& parameters);
/// "predicted": the equation, its terms and its parameters. `average_us`: with the average distance for every message.
[[nodiscard]] nlohmann::ordered_json exchange_prediction_json(const ExchangeTerms& terms, double average_us,
                                                              const ExchangeParameters& parameters, bool staged);

}  // namespace ecube
