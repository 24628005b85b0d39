// SPDX-License-Identifier: Apache-2.0
// One waveform of two sources.
#pragma once

#include <memory>

#include "testbench/trace/wave_writer.h"

namespace ecube {

struct TwoWriters {
  std::unique_ptr<WaveWriter> first;
  std::unique_ptr<WaveWriter> second;
};

/// Two writers into `file`. Each is declared from the top down, one after the other, and then told of changes in order
/// of time, whatever the time of the other one. A change is kept until the other source has come as far as well, so a
/// source in which nothing changes has to say so by at(). What both say of one time comes in order of first and second.
/// The close() that comes last tells whether everything is in the file.
[[nodiscard]] TwoWriters merge_into(std::unique_ptr<WaveWriter> file);

}  // namespace ecube
