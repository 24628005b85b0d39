// SPDX-License-Identifier: Apache-2.0
// Declaring traced values, and comparing them.
#include "testbench/trace/waves/signal_trace.h"

#include <cstring>
#include <stdexcept>

namespace ecube {

namespace {

std::uint64_t bits_of(const void* object, std::uint8_t bytes) {
  // A copy of known size is one load.
  const auto load = [object]<typename T>(T value) -> std::uint64_t {
    std::memcpy(&value, object, sizeof value);
    return value;
  };
  switch (bytes) {
    case 1:
      return load(std::uint8_t{});
    case 2:
      return load(std::uint16_t{});
    case 4:
      return load(std::uint32_t{});
    default:
      return load(std::uint64_t{});
  }
}

}  // namespace

SignalTrace::SignalTrace(std::unique_ptr<WaveWriter> writer, const WaveTime& time, const TraceWindow& window,
                         Reached reached)
    : writer_(std::move(writer)), time_(time), window_(window), reached_(std::move(reached)) {}

// --- What is traced ------------------------------------------------------------------------------------------------

std::string SignalTrace::enter_scopes(const std::string& name) {
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', begin), ++depth) {
    const std::string scope = name.substr(begin, dot - begin);
    begin = dot + 1;
    if (depth < scopes_.size() && scopes_[depth] == scope) continue;
    leave_scopes(depth);
    writer_->enter(scope);
    scopes_.push_back(scope);
  }
  leave_scopes(depth);
  return name.substr(begin);
}

void SignalTrace::leave_scopes(std::size_t depth) {
  for (; scopes_.size() > depth; scopes_.pop_back()) writer_->leave();
}

void SignalTrace::trace_state(const std::uint8_t& value, const std::string& name, const std::string& kind,
                              std::span<const std::string_view> names) {
  values_.push_back({.object = &value,
                     .mask = 0xFF,
                     .last = 0,
                     .signal = writer_->state(enter_scopes(name), kind, names),
                     .bytes = sizeof value});
}

void SignalTrace::trace(const unsigned int& object, const std::string& name, const char** literals) {
  std::vector<std::string_view> names;
  for (; *literals != nullptr; ++literals) names.emplace_back(*literals);
  values_.push_back({.object = &object,
                     .mask = ~std::uint64_t{0},
                     .last = 0,
                     .signal = writer_->state(enter_scopes(name), name, names),
                     .bytes = sizeof object});
}

void SignalTrace::refuse(const std::string& name) {
  throw std::invalid_argument(name + " is no integer, and cannot be traced");
}

void SignalTrace::write_comment(const std::string&) { throw std::invalid_argument("a waveform has no comments"); }

void SignalTrace::set_time_unit(double, sc_core::sc_time_unit) {
  throw std::invalid_argument("the unit of time of a waveform is known when it is made");
}

void SignalTrace::end_declarations() {
  leave_scopes(0);
  writer_->end_declarations();
}

// --- Its values ----------------------------------------------------------------------------------------------------

template <typename Write>
void SignalTrace::compare(const Write& write) {
  for (Value& value : values_) {
    const std::uint64_t now = bits_of(value.object, value.bytes) & value.mask;
    if (now == value.last) continue;
    value.last = now;
    write(value);
  }
}

void SignalTrace::open_window() {
  open_ = true;
  writer_->at(time_.of(window_.from));
  for (const Value& value : values_) writer_->set(value.signal, value.last);
}

void SignalTrace::cycle(bool delta_cycle) {
  if (delta_cycle || over_) return;
  if (!start_) start_ = sc_core::sc_time_stamp();
  const std::uint64_t picoseconds_per_unit = 1'000'000'000'000 / time_.units_per_second;
  const std::uint64_t now = (sc_core::sc_time_stamp() - *start_).value() / picoseconds_per_unit;
  const std::uint64_t from = time_.of(window_.from);
  if (window_.until != never && now >= time_.of(window_.until)) {
    if (!open_) open_window();
    writer_->at(time_.of(window_.until));
    over_ = true;
    return;
  }
  if (!open_ && now > from) open_window();
  if (open_) {
    writer_->at(now);
    compare([this](const Value& value) { writer_->set(value.signal, value.last); });
  } else {
    // Before the window only the latest values are kept, with which the window begins.
    compare([](const Value&) {});
    if (now == from) open_window();
  }
  reached_(time_.cycle(now));
}

bool SignalTrace::finish(Cycles end) {
  if (!open_ && end >= window_.from) open_window();
  return writer_->close();
}

}  // namespace ecube
