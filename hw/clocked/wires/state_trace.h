// SPDX-License-Identifier: Apache-2.0
// Values of an enumeration in a waveform, by their names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <systemc>

namespace ecube::clocked {

/// A trace file that can show names in place of numbers; SystemC's trace files can do so only for an unsigned int.
class StateTrace {
 public:
  /// `value` is an index into `names`; `kind` names the enumeration.
  virtual void trace_state(const std::uint8_t& value, const std::string& name, const std::string& kind,
                           std::span<const std::string_view> names) = 0;

 protected:
  ~StateTrace() = default;
};

/// Adds a value to a trace, where the file can show it, by its name.
inline void trace_state(sc_core::sc_trace_file* file, const std::uint8_t& value, const std::string& name,
                        const char* kind, std::span<const std::string_view> names) {
  if (auto* const states = dynamic_cast<StateTrace*>(file); states != nullptr) {
    return states->trace_state(value, name, kind, names);
  }
  sc_core::sc_trace(file, value, name);
}

}  // namespace ecube::clocked
