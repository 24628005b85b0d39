// SPDX-License-Identifier: Apache-2.0
// A module that finds its registers in contradiction to the specification.
#pragma once

#include <string>
#include <systemc>

namespace ecube::clocked {

/// Who is told, if a module is part of one: the machine ends its run.
class BrokenSpecification {
 public:
  virtual ~BrokenSpecification() = default;
  virtual void broken(const std::string& what) = 0;
};

/// Tells the machine that `module` is in, or else the simulator, which sentence does not hold; nothing if there is
/// none.
inline void report_broken(const sc_core::sc_object& module, const char* sentence) {
  if (sentence == nullptr) [[likely]] {
    return;
  }
  const std::string what = std::string(module.name()) + ": " + sentence;
  for (sc_core::sc_object* around = module.get_parent_object(); around != nullptr;
       around = around->get_parent_object()) {
    if (auto* const machine = dynamic_cast<BrokenSpecification*>(around); machine != nullptr) {
      return machine->broken(what);
    }
  }
  SC_REPORT_ERROR("/ecube/broken specification", what.c_str());
}

}  // namespace ecube::clocked
