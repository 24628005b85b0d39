// SPDX-License-Identifier: Apache-2.0
// A clock that can be held, and modules that are clocked without a process.
#pragma once

#include <memory>
#include <systemc>

#include "hw/clocked/wires/signal.h"

namespace ecube::clocked {

/// A module whose owner may clock it by a call at every edge: in the delta cycle in which a process at clk_i would run,
/// with the same effect, without the kernel's work. Elsewhere its own process waits at clk_i.
class ClockedByCall {
 public:
  virtual ~ClockedByCall() = default;
  virtual void clock_edge() = 0;

  bool by_call = false;  ///< to be set before the end of elaboration
  /// Where the owner of the module knows which inputs have changed since it was clocked; else all may have: words and
  /// other inputs, a bit for each line of a router.
  bool told = false;
  std::uint32_t changed_words = ~std::uint32_t{0};
  std::uint32_t changed_bits = ~std::uint32_t{0};
};

/// The clock of a node: it rises at the edges at which the node is clocked. Nobody is notified but those who wait.
class Clock final : public sc_core::sc_object, public sc_core::sc_signal_in_if<bool>, public Breakable {
 public:
  explicit Clock(const char* name) : sc_core::sc_object(name) {}
  [[nodiscard]] const char* kind() const override { return "clock"; }

  /// Seen by processes in the next delta cycle.
  void set(bool up) {
    if (broken_ || up_ == up) return;
    up_ = up;
    changed_at_ = sc_core::sc_delta_count();
    const auto& edge = up ? posedge_ : negedge_;
    if (edge != nullptr) edge->notify(sc_core::SC_ZERO_TIME);
    if (changed_ != nullptr) changed_->notify(sc_core::SC_ZERO_TIME);
  }
  [[nodiscard]] const bool& read() const override { return up_; }
  [[nodiscard]] const bool& get_data_ref() const override { return up_; }
  [[nodiscard]] bool event() const override { return changed_at_ + 1 == sc_core::sc_delta_count(); }
  [[nodiscard]] bool posedge() const override { return up_ && event(); }
  [[nodiscard]] bool negedge() const override { return !up_ && event(); }
  [[nodiscard]] const sc_core::sc_event& posedge_event() const override { return made(posedge_); }
  [[nodiscard]] const sc_core::sc_event& negedge_event() const override { return made(negedge_); }
  [[nodiscard]] const sc_core::sc_event& value_changed_event() const override { return made(changed_); }
  [[nodiscard]] const sc_core::sc_event& default_event() const override { return value_changed_event(); }

  void break_wire() override {
    set(false);
    broken_ = true;
  }
  void trace_in(sc_core::sc_trace_file& file) const override { sc_core::sc_trace(&file, up_, name()); }

 private:
  using Event = std::unique_ptr<sc_core::sc_event>;
  static const sc_core::sc_event& made(Event& event) {
    if (event == nullptr) event = std::make_unique<sc_core::sc_event>();
    return *event;
  }

  bool up_ = false;
  sc_dt::uint64 changed_at_ = ~sc_dt::uint64{0} - 1;
  mutable Event posedge_;
  mutable Event negedge_;
  mutable Event changed_;
};

}  // namespace ecube::clocked
