// SPDX-License-Identifier: Apache-2.0
// The data of a program before it runs: its cube, its parameters, the costs of the machine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "models/exchange/exchange_cost.h"
#include "models/machine/machine.h"
#include "sw/program/parameter.h"

namespace ecube {

/// One run of a program. Asking for a parameter that the program has not declared, or has declared as another type,
/// is a std::logic_error that names the parameter.
class Job {
 public:
  Job(Machine machine, unsigned dim, std::uint64_t seed, ParameterValues values,
      std::optional<ExchangeParameters> costs = std::nullopt)
      : machine_(std::move(machine)),
        topology_(machine_.topology(dim)),
        seed_(seed),
        values_(std::move(values)),
        costs_(std::move(costs)) {}

  [[nodiscard]] const Machine& machine() const { return machine_; }
  /// Of the cube; elsewhere the bits of the largest label.
  [[nodiscard]] unsigned dim() const { return topology_.label_bits(); }
  [[nodiscard]] NodeId nodes() const { return topology_.nodes(); }
  /// Links between two nodes.
  [[nodiscard]] unsigned hops(NodeId from, NodeId to) const { return topology_.hops(from, to); }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  [[nodiscard]] std::int64_t whole(std::string_view name) const { return value(name, ParameterType::whole).whole; }
  [[nodiscard]] double real(std::string_view name) const { return value(name, ParameterType::real).real; }
  [[nodiscard]] Bytes size(std::string_view name) const {
    return static_cast<Bytes>(value(name, ParameterType::size).whole);
  }
  [[nodiscard]] Cycles time(std::string_view name) const {
    return static_cast<Cycles>(value(name, ParameterType::time).whole);
  }
  [[nodiscard]] const std::string& text(std::string_view name) const { return value(name, ParameterType::text).text; }
  [[nodiscard]] const std::string& file(std::string_view name) const { return value(name, ParameterType::file).text; }
  [[nodiscard]] bool flag(std::string_view name) const { return value(name, ParameterType::flag).whole != 0; }

  /// Parameters of the cost equations, for predictions: those of --parameters. Known only to predict().
  [[nodiscard]] const ExchangeParameters& costs() const;
  /// The time of one message alone in the network, in microseconds: lambda + tau m + delta h.
  [[nodiscard]] double message_us(Bytes bytes, unsigned hops) const;

 private:
  [[nodiscard]] const ParameterValue& value(std::string_view name, ParameterType type) const;

  Machine machine_;
  Topology topology_;
  std::uint64_t seed_;
  ParameterValues values_;
  std::optional<ExchangeParameters> costs_;
};

/// Figures that the nodes of a program add up after a run, by name.
class Sums {
 public:
  void add(const std::string& name, double amount) { sums_[name] += amount; }
  [[nodiscard]] const std::map<std::string, double>& all() const { return sums_; }

 private:
  std::map<std::string, double> sums_;
};

}  // namespace ecube
