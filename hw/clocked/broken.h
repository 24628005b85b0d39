// SPDX-License-Identifier: Apache-2.0
// A module that finds its registers in contradiction to the specification.
#pragma once

#include <systemc>

namespace ecube::clocked {

inline constexpr const char* broken_specification = "/ecube/broken specification";

/// Ends the simulation with the name of the module and the sentence that does not hold, if there is one.
inline void report_broken(const sc_core::sc_object& module, const char* sentence) {
  if (sentence != nullptr) [[unlikely]] {
    SC_REPORT_ERROR(broken_specification, (std::string(module.name()) + ": " + sentence).c_str());
  }
}

}  // namespace ecube::clocked
