// SPDX-License-Identifier: Apache-2.0
// Shared parts of the sweeps over machines with queued start-ups: the machine, a sample of the cases, the worst case.
#pragma once

#include "models/presets/presets.h"
#include "models/shuffle/dimension_permutation.h"
#include "testbench/machine/test_bench.h"
#include "tests/test.h"

namespace ecube {

/// One bench per process, elaborated once and reset for every run.
inline TestBench& queued_bench() {
  static TestBench instance(6);
  return instance;
}

inline Machine ncube2_with(std::uint32_t ports) {
  Machine machine = resolve(preset_settings(preset("ncube2")));
  machine.node.ports.engines = ports;
  return machine;
}

using PermutationCycles = std::vector<DimensionPermutation::Cycle>;

/// A cycle over `order` dimensions from `first` on, with a storage dimension if it is mixed.
inline DimensionPermutation::Cycle cycle_of(unsigned first, unsigned order, std::optional<unsigned> storage) {
  DimensionPermutation::Cycle cycle;
  for (unsigned i = order; i-- > 0;) cycle.push_back({.storage = false, .bit = first + i});
  if (storage) cycle.push_back({.storage = true, .bit = *storage});
  return cycle;
}

struct Shape {
  PermutationCycles cycles;
  bool mixed = false;
  bool real = false;
};

/// All dimensions in one cycle, in two, in a mixed and a real one, or in three; half of them in one.
inline std::vector<Shape> shapes_of(unsigned dim) {
  std::vector<Shape> shapes = {{{cycle_of(0, dim, 0)}, true, false}, {{cycle_of(0, dim, std::nullopt)}, false, true}};
  if (dim >= 3) shapes.push_back({{cycle_of(0, dim - 1, 0)}, true, false});
  if (dim % 2 == 0) shapes.push_back({{cycle_of(0, dim / 2, 0), cycle_of(dim / 2, dim / 2, 1)}, true, false});
  if (dim >= 4) shapes.push_back({{cycle_of(0, dim - 2, 0), cycle_of(dim - 2, 2, std::nullopt)}, true, true});
  if (dim >= 4) shapes.push_back({{cycle_of(0, 2, std::nullopt), cycle_of(2, dim - 2, std::nullopt)}, false, true});
  if (dim > 2) shapes.push_back({{cycle_of(0, 2, std::nullopt)}, false, true});
  if (dim == 6) shapes.push_back({{cycle_of(0, 2, 0), cycle_of(2, 2, 1), cycle_of(4, 2, 2)}, true, false});
  if (dim == 6) {
    shapes.push_back(
        {{cycle_of(0, 2, std::nullopt), cycle_of(2, 2, std::nullopt), cycle_of(4, 2, std::nullopt)}, false, true});
  }
  return shapes;
}

/// The case that is furthest off.
class Worst {
 public:
  void add(double percent, const std::string& name) {
    ++cases_;
    if (std::getenv("ECUBE_ABOVE") != nullptr && std::abs(percent) > std::atof(std::getenv("ECUBE_ABOVE"))) {
      std::printf("%+.3f %%  %s\n", percent, name.c_str());
    }
    if (cases_ > 1 && std::abs(percent) <= percent_) return;
    percent_ = std::abs(percent);
    name_ = name;
  }
  [[nodiscard]] double percent() const { return percent_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  void print(const Sample& sample) const {
    std::printf("worst of %d cases: %.3f %% off, %s (%s)\n", cases_, percent_, name_.c_str(), sample.name().c_str());
  }

 private:
  int cases_ = 0;
  double percent_ = 0;
  std::string name_;
};

}  // namespace ecube
