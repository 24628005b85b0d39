// SPDX-License-Identifier: Apache-2.0
// One waveform from two sources.
#pragma once

#include <memory>

#include "testbench/trace/waves/wave_writer.h"

namespace ecube {

struct TwoWriters {
  std::unique_ptr<WaveWriter> first;
  std::unique_ptr<WaveWriter> second;
};

/// Two writers into `file`. Each is declared from the top down, one after the other, and then receives changes in order
/// of its own time. A change is kept until the other source has reached the same time, so a source without changes has
/// to call at(). Changes of both sources at one time are written in the order first, second. The close() that comes
/// last tells whether everything is in the file.
[[nodiscard]] TwoWriters merge_into(std::unique_ptr<WaveWriter> file);

}  // namespace ecube
