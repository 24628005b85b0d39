// SPDX-License-Identifier: Apache-2.0
// Waveform files: a hierarchy of signals, then their changes in order of time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/machine/cube.h"

namespace ecube {

/// A file is declared from the top down, then changed from the front to the back.
class WaveWriter {
 public:
  using Signal = std::uint32_t;

  virtual ~WaveWriter() = default;
  WaveWriter(WaveWriter&&) = delete;  // nor copied

  virtual void enter(const std::string& scope) = 0;
  virtual void leave() = 0;
  /// Enters the scopes of a full name, "cube.node5.program", and leaves others; the name in the last scope.
  [[nodiscard]] std::string enter_scopes(const std::string& name) {
    std::size_t depth = 0;
    std::size_t begin = 0;
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', begin), ++depth) {
      const std::string scope = name.substr(begin, dot - begin);
      begin = dot + 1;
      if (depth < scopes_.size() && scopes_[depth] == scope) continue;
      leave_scopes(depth);
      enter(scope);
      scopes_.push_back(scope);
    }
    leave_scopes(depth);
    return name.substr(begin);
  }
  /// Leaves all scopes but so many.
  void leave_scopes(std::size_t depth = 0) {
    for (; scopes_.size() > depth; scopes_.pop_back()) leave();
  }
  /// A signal whose value is a place in `names`; `kind` names the enumeration. Viewers that colour values need plain
  /// bits, which are the signal `name`_code.
  virtual Signal state(const std::string& name, const std::string& kind, std::span<const std::string_view> names) = 0;
  virtual Signal number(const std::string& name, unsigned bits) = 0;
  virtual Signal text(const std::string& name) = 0;
  /// After the last signal.
  virtual void end_declarations() = 0;

  /// The changes that follow happen at `time`, in units of the file, which never goes back.
  void at(std::uint64_t time) {
    if (std::exchange(time_, time) != time) change_time(time);
  }
  virtual void set(Signal signal, std::uint64_t value) = 0;
  virtual void set(Signal signal, std::string_view value) = 0;

  /// std::runtime_error unless everything is in the file.
  virtual void close() = 0;

 protected:
  WaveWriter() = default;

 private:
  /// Called once for each time: files have an entry of every call.
  virtual void change_time(std::uint64_t time) = 0;

  std::uint64_t time_ = never;
  std::vector<std::string> scopes_;
};

/// The unit of time of a waveform: a power of ten of a second.
struct WaveTime {
  int exponent = -12;
  std::uint64_t clock_hz = 1;
  std::uint64_t units_per_second = 1'000'000'000'000;

  /// The coarsest unit, of ns and ps, in which every cycle of this clock is a whole number, or with 2 parts every half
  /// cycle, at which the clock falls; else ps, rounded.
  [[nodiscard]] static WaveTime of_clock(std::uint64_t clock_hz, unsigned parts = 1) {
    constexpr std::uint64_t ns = 1'000'000'000;
    if (ns % (parts * clock_hz) == 0) return {-9, clock_hz, ns};
    return {-12, clock_hz, 1000 * ns};
  }
  [[nodiscard]] std::uint64_t of(Cycles cycle) const;
  /// The cycle that of() gave this time for.
  [[nodiscard]] Cycles cycle(std::uint64_t time) const;
};

/// FST, as GTKWave and others read it, or VCD (IEEE 1364), with texts as GTKWave's extension has them: no blanks.
/// std::runtime_error when the file cannot be made.
[[nodiscard]] std::unique_ptr<WaveWriter> wave_writer(const std::string& file, bool vcd, const WaveTime& time);

}  // namespace ecube
