// SPDX-License-Identifier: Apache-2.0
// Reports of modules whose registers contradict the specification.
#pragma once

#include <string>
#include <systemc>

namespace ecube::clocked {

/// A machine that its modules tell of a contradiction; the machine ends its run.
class BrokenSpecification {
 public:
  virtual ~BrokenSpecification() = default;
  virtual void broken(const std::string& what) = 0;
};

/// Tells the machine around `module` or, without one, the simulator, which sentence of the specification does not hold.
/// Does nothing if `sentence` is null.
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
