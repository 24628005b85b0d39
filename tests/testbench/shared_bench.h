// SPDX-License-Identifier: Apache-2.0
// One bench for all runs of a test.
#pragma once

#include "testbench/machine/test_bench.h"

namespace ecube {

/// A process elaborates once: its bench, for cubes of up to `dim` dimensions, is reset for every run.
template <unsigned dim>
TestBench& shared_bench() {
  static TestBench instance(dim);
  return instance;
}

}  // namespace ecube
