// SPDX-License-Identifier: Apache-2.0
// One run of a collective beside its equation, for the families of validation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/combine/combine.h"
#include "models/shuffle/shuffle_workload.h"
#include "sw/exchange/exchange.h"
#include "testbench/machine/test_bench.h"
#include "testbench/validation/validation.h"

namespace ecube {

/// The machine with so many ports at a time: 1, Ports::n or a number between.
[[nodiscard]] Machine with_ports(Machine machine, std::uint32_t ports);

/// A complete exchange. Barrier and identity shuffle come from the machine; the number of ports comes from `workload`,
/// whatever the machine has.
struct ExchangePoint {
  ExchangeWorkload workload;
  RunConditions conditions{};

  /// One port, xor schedule, blocks carried.
  [[nodiscard]] static ExchangePoint of(const Partition& partition, Bytes bytes);
};

/// The equation's time with the average distance of d/2 hops in place of `predicted_us`, if asked for.
enum class ValidationDistance : std::uint8_t { real, average };

[[nodiscard]] ValidationPoint exchange_point(TestBench& bench, const Machine& machine, const ExchangePoint& point,
                                             ValidationDistance distance = ValidationDistance::real);

/// A global combine by version: v1, v2, v3 or hybrid.
struct CombinePoint {
  unsigned dim;
  std::uint64_t items;
  std::string_view version;
  CombineTarget target = CombineTarget::all;
  std::uint64_t pad = 0;
  NodeId root = 0;
  RunConditions conditions{};
};

[[nodiscard]] ValidationPoint combine_point(TestBench& bench, const Machine& machine, const CombinePoint& point);

/// A constituent of `order` processor dimensions from p`first` up and, unless it is real, one storage dimension.
[[nodiscard]] DimensionPermutation::Cycle shuffle_cycle(unsigned first, unsigned order,
                                                        std::optional<unsigned> storage);

/// A shuffle on as many ports as the workload says. Its algorithm is named in the run as `--algorithm` takes it.
struct ShufflePoint {
  unsigned dim;
  ShuffleWorkload workload;
  RunConditions conditions{};
};

[[nodiscard]] ValidationPoint shuffle_point(TestBench& bench, const Machine& machine, const ShufflePoint& point);

}  // namespace ecube
