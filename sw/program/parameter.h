// SPDX-License-Identifier: Apache-2.0
// The parameters that a program declares, and their values in a run.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>

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

}  // namespace ecube
