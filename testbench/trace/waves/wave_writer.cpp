// SPDX-License-Identifier: Apache-2.0
// Cycles as times of a waveform, and value change dumps.
#include "testbench/trace/waves/wave_writer.h"

#include <fmt/core.h>

#include <bit>

#include "models/machine/ratio.h"
#include "testbench/trace/trace_file.h"

namespace ecube {

namespace {

/// amount / unit, to the nearest.
std::uint64_t rounded(UInt128 amount, std::uint64_t unit) {
  return static_cast<std::uint64_t>((amount + unit / 2) / unit);
}

class VcdWriter final : public WaveWriter {
 public:
  VcdWriter(const std::string& file, const WaveTime& time) : file_(file) {
    put(fmt::format("$version ecube $end\n$timescale 1 {} $end\n", time.exponent == -9 ? "ns" : "ps"));
  }

  void enter(const std::string& scope) override { put(fmt::format("$scope module {} $end\n", scope)); }
  void leave() override { put("$upscope $end\n"); }
  Signal state(const std::string& name, const std::string& kind, std::span<const std::string_view> names) override {
    (void)kind;
    const Signal signal = number(name, static_cast<unsigned>(std::bit_width(names.size() - 1)));
    put(fmt::format("$var wire {} {} {}_code $end\n", bits_[signal], identifier(signal), name));
    return signal;
  }
  Signal number(const std::string& name, unsigned bits) override {
    const Signal signal = add(bits);
    put(fmt::format("$var wire {} {} {} $end\n", bits, identifier(signal), name));
    return signal;
  }
  Signal text(const std::string& name) override {
    const Signal signal = add(0);
    put(fmt::format("$var string 1 {} {} $end\n", identifier(signal), name));
    return signal;
  }
  void end_declarations() override { put("$enddefinitions $end\n"); }

  void set(Signal signal, std::uint64_t value) override {
    if (bits_[signal] == 1) return put(fmt::format("{}{}\n", value & 1, identifier(signal)));
    put(fmt::format("b{:b} {}\n", value, identifier(signal)));
  }
  void set(Signal signal, std::string_view value) override {
    std::string word(value);
    std::erase(word, ' ');
    put(fmt::format("s{} {}\n", word.empty() ? "-" : word, identifier(signal)));
  }
  bool close() override { return file_.close(); }

 private:
  void change_time(std::uint64_t time) override { put(fmt::format("#{}\n", time)); }
  Signal add(unsigned bits) {
    bits_.push_back(bits);
    return static_cast<Signal>(bits_.size() - 1);
  }
  /// Printable characters, the shortest first.
  static std::string identifier(Signal signal) {
    std::string result;
    do {
      result += static_cast<char>('!' + signal % 94);
      signal /= 94;
    } while (signal-- != 0);
    return result;
  }
  void put(const std::string& text) { file_.put(text); }

  TraceFile file_;
  std::vector<unsigned> bits_;  ///< [signal]; 0 for a text
};

}  // namespace

WaveTime WaveTime::of_clock(std::uint64_t clock_hz) {
  constexpr std::uint64_t ns = 1'000'000'000;
  if (ns % clock_hz == 0) return {-9, clock_hz, ns};
  return {-12, clock_hz, 1000 * ns};
}

WaveTime WaveTime::of_half_clock(std::uint64_t clock_hz) {
  WaveTime time = of_clock(2 * clock_hz);
  time.clock_hz = clock_hz;
  return time;
}

std::uint64_t WaveTime::of(Cycles cycle) const { return rounded(UInt128{cycle} * units_per_second, clock_hz); }

Cycles WaveTime::cycle(std::uint64_t time) const { return rounded(UInt128{time} * clock_hz, units_per_second); }

std::string WaveWriter::enter_scopes(const std::string& name) {
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

void WaveWriter::leave_scopes(std::size_t depth) {
  for (; scopes_.size() > depth; scopes_.pop_back()) leave();
}

std::unique_ptr<WaveWriter> vcd_writer(const std::string& file, const WaveTime& time) {
  return std::make_unique<VcdWriter>(file, time);
}

}  // namespace ecube
