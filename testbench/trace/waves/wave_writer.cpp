// SPDX-License-Identifier: Apache-2.0
// Cycles as times of a waveform.
#include "testbench/trace/waves/wave_writer.h"

namespace ecube {

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

std::uint64_t WaveTime::of(Cycles cycle) const {
  if (units_per_second % clock_hz == 0) return cycle * (units_per_second / clock_hz);
  const Cycles seconds = cycle / clock_hz;
  const Cycles rest = cycle % clock_hz;
  // rest < clock_hz <= 2^40, say: the product is taken in two parts to stay in 64 bits.
  const std::uint64_t whole = units_per_second / clock_hz;
  const std::uint64_t part = units_per_second % clock_hz;
  const auto fraction = static_cast<std::uint64_t>(
      static_cast<long double>(rest) * static_cast<long double>(part) / static_cast<long double>(clock_hz) + 0.5L);
  return seconds * units_per_second + rest * whole + fraction;
}

Cycles WaveTime::cycle(std::uint64_t time) const {
  const std::uint64_t seconds = time / units_per_second;
  const std::uint64_t rest = time % units_per_second;
  return seconds * clock_hz + static_cast<Cycles>(static_cast<long double>(rest) * static_cast<long double>(clock_hz) /
                                                      static_cast<long double>(units_per_second) +
                                                  0.5L);
}

}  // namespace ecube
