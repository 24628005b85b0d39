// SPDX-License-Identifier: Apache-2.0
// What the libraries of verilated modules share: their ports as SystemC signals, whatever types Verilator chose for
// them, assertions, traces and coverage.
#pragma once

#include <verilated.h>
#if VM_COVERAGE
#include <verilated_cov.h>
#endif

#if VM_TRACE
#include <verilated_fst_c.h>
#endif

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <type_traits>
#include <vector>

#include "hw/rtl/stop.h"
#include "hw/rtl_node.h"

namespace ecube::rtl {

template <typename T>
struct ValueOf;
template <typename T>
struct ValueOf<sc_core::sc_in<T>&> {
  using type = T;
};
template <typename T>
struct ValueOf<sc_core::sc_out<T>&> {
  using type = T;
};

// Verilator gives a port the smallest of bool, uint32_t, uint64_t and sc_bv that holds it.
template <typename T>
std::uint32_t field(const T& value, unsigned from, unsigned bits) {
  return static_cast<std::uint32_t>(std::uint64_t{value} >> from & ((std::uint64_t{1} << bits) - 1));
}
template <int N>
std::uint32_t field(const sc_dt::sc_bv<N>& value, unsigned from, unsigned bits) {
  const auto word = static_cast<int>(from / 32);
  std::uint64_t both = value.get_word(word);
  if (word + 1 < value.size()) both |= std::uint64_t{value.get_word(word + 1)} << 32;
  return field(both, from % 32, bits);
}
template <typename T>
void set_field(T& value, unsigned from, unsigned bits, std::uint32_t to) {
  const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << from;
  value = static_cast<T>((std::uint64_t{value} & ~mask) | std::uint64_t{to} << from);
}
template <int N>
void set_field(sc_dt::sc_bv<N>& value, unsigned from, unsigned bits, std::uint32_t to) {
  const auto word = static_cast<int>(from / 32);
  const bool two = from % 32 + bits > 32;
  std::uint64_t both = value.get_word(word);
  if (two) both |= std::uint64_t{value.get_word(word + 1)} << 32;
  set_field(both, from % 32, bits, to);
  value.set_word(word, static_cast<sc_dt::sc_digit>(both));
  if (two) value.set_word(word + 1, static_cast<sc_dt::sc_digit>(both >> 32));
}

template <typename Signal>
auto as(const Signal& signal, std::uint32_t value) {
  return static_cast<std::remove_cvref_t<decltype(signal.read())>>(value);
}

/// What a library's model is, whether of single nodes or of the whole fabric; `parts` are its verilated modules.
template <typename Module>
class Model : public RtlModel {
 public:
  [[nodiscard]] unsigned dim() const override { return ECUBE_RTL_DIM; }
  [[nodiscard]] unsigned ports() const override { return ECUBE_RTL_PORTS; }
  [[nodiscard]] unsigned buffer() const override { return ECUBE_RTL_BUFFER; }
  [[nodiscard]] std::string failed_assertion() const override { return rtl::failed_assertion(); }
  void forget_failed_assertion() override { rtl::failed_assertion().clear(); }
  void plant_fault(unsigned fault) override {
    const std::string argument = "+ecube_fault=" + std::to_string(fault);
    const char* arguments[] = {"", argument.c_str()};
    Verilated::threadContextp()->commandArgs(2, arguments);
  }
#if VM_TRACE
  void open_trace(const std::string& file) override {
    trace_ = std::make_unique<VerilatedFstC>();
    trace_->set_time_unit("1ps");
    trace_->set_time_resolution("1ps");
    for (Module* const part : parts) part->trace(trace_.get(), 99);
    trace_->open(file.c_str());
  }
  void record(std::uint64_t picoseconds) override {
    if (trace_ != nullptr) trace_->dump(picoseconds);
  }
  void close_trace() override { trace_.reset(); }
#else
  void open_trace(const std::string&) override {}
  void record(std::uint64_t) override {}
  void close_trace() override {}
#endif
#if VM_COVERAGE
  void write_coverage(const std::string& file) const override {
    Verilated::threadContextp()->coveragep()->write(file.c_str());
  }
#else
  void write_coverage(const std::string&) const override {}
#endif

 protected:
  std::vector<Module*> parts;

#if VM_TRACE
 private:
  std::unique_ptr<VerilatedFstC> trace_;
#endif
};

/// The one model of a library.
template <typename LibraryModel>
RtlModel* the_model() {
#if VM_TRACE
  Verilated::traceEverOn(true);
#endif
  static LibraryModel model;
  return &model;
}

}  // namespace ecube::rtl

// A signal for every name in LIST, called name_, and bind_all(module), which binds them to the ports of these names.
#define ECUBE_RTL_SIGNAL(name) sc_core::sc_signal<ecube::rtl::ValueOf<decltype(Module::name)>::type> name##_;
#define ECUBE_RTL_BIND(name) module.name(name##_);
#define ECUBE_RTL_PINS(LIST) \
  LIST(ECUBE_RTL_SIGNAL)     \
  void bind_all(Module& module) { LIST(ECUBE_RTL_BIND) }
