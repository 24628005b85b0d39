// SPDX-License-Identifier: Apache-2.0
// The data that a report shows of a study.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ecube {

/// The data of a report page: the study, the columns of the view `results` with their units, failures. InputError when
/// there is no store.
[[nodiscard]] nlohmann::ordered_json study_data(const std::string& store);

}  // namespace ecube
