// SPDX-License-Identifier: Apache-2.0
// Which signals of a machine of modules are traced.
#pragma once

#include <string>
#include <systemc>
#include <unordered_set>
#include <vector>

#include "hw/clocked/wires/signal.h"

namespace ecube {

/// The signals below a module, in the order of its objects. They are found by going through the objects of the
/// simulator, after its elaboration.
class SignalSelection {
 public:
  /// All signals, or those that one of the `patterns` names, as in TraceSelection: a signal or an array of signals; a
  /// module, for all signals in it and at its pins; a pin, for the signal at it. "node5.router.link2" stands for the
  /// pins of that output. A pattern that names nothing selects nothing.
  SignalSelection(const sc_core::sc_object& top, unsigned links, const std::vector<std::string>& patterns);

  [[nodiscard]] const std::vector<const clocked::Breakable*>& signals() const { return signals_; }

 private:
  /// Goes through `object` and all below it; `inside` an object that a pattern names.
  void visit(const sc_core::sc_object& object, bool inside, const std::vector<std::string>& patterns);
  /// `object` itself, if it is a signal or a pin with one.
  void choose(const sc_core::sc_object& object);
  [[nodiscard]] bool named(const sc_core::sc_object& object, const std::vector<std::string>& patterns) const;

  unsigned links_;  ///< of a router
  std::vector<const clocked::Breakable*> signals_;
  std::unordered_set<const clocked::Breakable*> chosen_;
};

}  // namespace ecube
