// SPDX-License-Identifier: Apache-2.0
// The data of a program before it runs: its cube, the parameters that it declares and their values, the costs of the
// machine.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "models/exchange/exchange_cost.h"
#include "models/machine/machine.h"

namespace ecube {

/// A size is "4 KB" (1 KB = 1,024 B) or a number of bytes, a time "10 us" or "400 cycles"; a file is a path; a flag is
/// on or off.
enum class ParameterType : std::uint8_t { whole, real, size, time, text, file, flag };

/// A parameter as the program declares it. `initial` is its default, written as a user would write the value.
struct Parameter {
  std::string name{};  ///< small letters, digits, _ and -
  ParameterType type = ParameterType::whole;
  std::string initial{};
  std::string unit{};  ///< what the number counts, for people: "keys"; sizes and times carry their own
  std::string help{};
  std::int64_t least = 0;  ///< of whole numbers, sizes in bytes and times in cycles
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  double least_real = -std::numeric_limits<double>::infinity();  ///< of real numbers
  double most_real = std::numeric_limits<double>::infinity();
};

/// The value of a parameter in one run.
struct ParameterValue {
  ParameterType type = ParameterType::whole;
  std::int64_t whole = 0;  ///< of whole numbers; bytes of sizes, cycles of times, 0 or 1 of flags
  double real = 0;
  std::string text{};  ///< as typed
};

using ParameterValues = std::map<std::string, ParameterValue, std::less<>>;

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
  [[nodiscard]] const ExchangeParameters& costs() const {
    if (!costs_) throw std::logic_error("the costs of the machine are known to predict() only");
    return *costs_;
  }
  /// The time of one message alone in the network, in microseconds: lambda + tau m + delta h, with the lambda and delta
  /// of its length.
  [[nodiscard]] double message_us(Bytes bytes, unsigned hops) const {
    return costs().message_us(static_cast<double>(bytes), hops);
  }

 private:
  [[nodiscard]] const ParameterValue& value(std::string_view name, ParameterType type) const {
    const auto found = values_.find(name);
    const bool declared = found != values_.end();
    if (declared && found->second.type == type) return found->second;
    throw std::logic_error("the program has declared " + std::string(declared ? "its" : "no") + " parameter '" +
                           std::string(name) + (declared ? "' as another type" : "'"));
  }

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
