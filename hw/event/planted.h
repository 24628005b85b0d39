// SPDX-License-Identifier: Apache-2.0
// Faults in the way of a message that only one test builds, to see that they are found.
#pragma once

#include <cstdint>

namespace ecube::event {

enum class PlantedFault : std::uint8_t {
  none,
  startups_a_cycle_longer,
  contents_forgotten,  ///< messages carry their length only
  receipts_a_cycle_longer,
  tags_forgotten,
  ports_free_a_cycle_late,
  ports_not_announced,  ///< sends that wait for a port wait for ever
  bytes_not_counted,
};

#ifdef ECUBE_PLANTED
extern PlantedFault planted;
#else
inline constexpr PlantedFault planted = PlantedFault::none;  ///< so that the compiler removes them
#endif

}  // namespace ecube::event
