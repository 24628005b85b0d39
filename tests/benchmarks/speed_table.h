// SPDX-License-Identifier: Apache-2.0
// The measurements of the benchmarks, and the printed tables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/benchmarks/bare_wheel.h"
#include "tests/benchmarks/program.h"

namespace ecube::bench {

using Masks = std::vector<std::uint32_t>;

/// One line of the table.
struct Line {
  std::string family;
  unsigned dim = 0;
  double size = 0;  ///< bytes of a block, or items of a vector, or elements of a node
  std::vector<std::string> arguments{};
  Pattern pattern = Pattern::pairs;
  Masks masks{};  ///< of the bare wheel
  int runs = 5;   ///< runs, the best of which counts
};

struct Result {
  Line line;
  ProgramRun best;
  double wheel = 0;  ///< messages a second
};

struct Table {
  ProgramRun start;  ///< of the program, doing nothing
  std::vector<Result> results;
  std::map<std::string, double> rtl;     ///< simulated cycles a second, by engine and dimension
  std::map<std::string, double> grants;  ///< of outputs a second, by topology
  // Times relative to runs without the feature:
  /// Where each feature of the machine is asked for, by what the compiler knows otherwise.
  std::map<std::string, std::optional<double>> asked;
  std::optional<double> traced;  ///< with a trace
  // Of the hull of optimality, by dimension:
  std::map<unsigned, double> faces;
  std::map<unsigned, double> hull;     ///< seconds to make it
  std::map<unsigned, double> look_up;  ///< seconds to find the face of a block
};

/// Prints the runs, how their time grows, the project's aims and the speed of the RTL; leaves out everything that was
/// not measured.
void print(const Table& table);

}  // namespace ecube::bench
