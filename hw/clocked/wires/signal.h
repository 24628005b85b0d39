// SPDX-License-Identifier: Apache-2.0
// A signal between modules, which tells its reader of changes and can be broken and traced.
#pragma once

#include <cstdint>
#include <systemc>
#include <type_traits>

#include "hw/clocked/wires/node_set.h"

namespace ecube::clocked {

/// The module that reads a signal. It has to be clocked at the edge after one at which something came to it.
struct SignalReader {
  std::uint32_t* changed = nullptr;  ///< inputs of the module that have changed since it was clocked, a bit for each
  std::uint32_t input = 0;
  NodeSet::Place node{};
  bool every_change = false;  ///< the module has to be clocked also when a signal goes

  /// The signal has changed: it comes or goes.
  void come(bool comes) const {
    if (changed == nullptr) return;
    *changed |= input;
    if ((comes || every_change) && node.word != nullptr) node.insert();
  }
};

/// Any signal of the clocked machine.
class Breakable {
 public:
  virtual ~Breakable() = default;
  /// From now on the signal is idle, whatever value is driven.
  virtual void break_wire() = 0;
  /// From the next write on, the signal carries the value driven.
  virtual void mend_wire() { broken_ = false; }
  /// Adds the signal, under its full name, to those that `file` traces.
  virtual void trace_in(sc_core::sc_trace_file& file) const = 0;

 protected:
  bool broken_ = false;
};

/// A signal that can stick at a value, whatever value is driven.
template <typename T>
class Sticking : public Breakable {
 public:
  void break_wire() override { stick_at({}); }
  /// From the next write on the signal carries `value`.
  void stick_at(const T& value) {
    driven_ = value_now();
    broken_ = true;
    stuck_ = value;
    sticking_changed();
    carry(value);
  }
  void mend_wire() override {
    broken_ = false;
    sticking_changed();
  }
  /// Idle, until the next value is driven.
  void mend() {
    if (!broken_) return;
    mend_wire();
    carry({});
  }
  /// Of a signal that is stuck: the value that it would carry otherwise.
  [[nodiscard]] const T& driven() const { return driven_; }

 protected:
  [[nodiscard]] virtual const T& value_now() const = 0;
  /// As write(), but by the signal itself, not by a second driver.
  virtual void carry(const T& value) = 0;
  virtual void sticking_changed() {}

  T stuck_{};
  T driven_{};
};

template <typename T>
class Signal final : public sc_core::sc_signal<T>, public Sticking<T> {
 public:
  Signal() = default;
  explicit Signal(const char* name) : sc_core::sc_signal<T>(name) {}
  void trace_in(sc_core::sc_trace_file& file) const override {
    using sc_core::sc_trace;  // found by argument-dependent look-up for structs
    sc_trace(&file, this->read(), this->name());
  }
  /// Does not ask who writes, as sc_signal does: pins are bound to one driver.
  void write(const T& value) override {
    if (this->broken_) this->driven_ = value;
    const T& carried = this->broken_ ? this->stuck_ : value;
    if (carried == this->m_new_val) return;
    this->m_new_val = carried;
    this->request_update();
  }
  void tell(const SignalReader& reader) { reader_ = reader; }

 protected:
  void update() override {
    if (this->m_new_val == this->m_cur_val) return;
    bool comes = true;
    if constexpr (std::is_same_v<T, bool>) {
      sc_core::sc_signal<T>::update();
      comes = this->m_cur_val;
    } else if (this->m_change_event_p != nullptr) {
      sc_core::sc_signal<T>::do_update();
    } else {
      this->m_cur_val = this->m_new_val;
    }
    reader_.come(comes);
  }

 private:
  [[nodiscard]] const T& value_now() const override { return this->read(); }
  void carry(const T& value) override {
    this->m_new_val = value;
    this->request_update();
  }

  SignalReader reader_;
};

template <typename T>
using Signals = sc_core::sc_vector<Signal<T>>;

}  // namespace ecube::clocked
