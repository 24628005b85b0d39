// SPDX-License-Identifier: Apache-2.0
// JSON and heading that all commands of the combine share.
#pragma once

#include "testbench/combine/combine_request.h"

namespace ecube {

[[nodiscard]] nlohmann::ordered_json terms_json(const CombineTerms& terms);
[[nodiscard]] nlohmann::ordered_json predicted_json(const CombineTerms& terms, const CombineParameters& p);
[[nodiscard]] nlohmann::ordered_json strategy_json(const Strategy& strategy);
[[nodiscard]] nlohmann::ordered_json workload_json(const CombineArguments& arguments, const CombineRequest& request,
                                                   const Strategy& strategy);
/// "strategy 0011", "tree".
[[nodiscard]] std::string algorithm_name(const CombineWorkload& workload, const Strategy& strategy);
/// Machine, dimension and workload, and an empty line.
[[nodiscard]] std::string title_of(const CombineArguments& arguments, const CombineQuestion& question);

}  // namespace ecube
