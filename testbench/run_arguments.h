// SPDX-License-Identifier: Apache-2.0
// The options that all runs share, and how every run reports its end.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw/cube.h"
#include "models/settings.h"

namespace ecube {

/// Options as typed, before any is checked.
struct RunArguments {
  std::string machine = "ideal";
  std::vector<std::string> set;
  std::int64_t dim = 4;
  std::string ports;
  std::string startups;
  std::string barrier;
  std::string protocol;
  std::string hierarchy = "auto";
  std::string jitter = "0 cycles";
  std::int64_t seed = 1;
  bool json = false;
};

/// What the machine says of a run, whatever ran.
struct RunMeasurement {
  RunResult result;
  InterfaceStatistics network;
  std::vector<WaitingNode> waiting;  ///< some of the nodes that have not finished
  NodeId unfinished = 0;
  bool escaped_error = false;  ///< a program ended with an error of its own
};

template <class Value>
struct Word {
  std::string_view word;
  Value value;
};

/// InputError: `typed` is not one of `words`.
[[noreturn]] void refuse_word(std::string_view option, std::string_view typed, std::span<const std::string_view> words);

/// The value a word stands for. InputError with the valid words.
template <class Value, std::size_t count>
Value choose(std::string_view option, std::string_view typed, const Word<Value> (&words)[count]) {
  std::vector<std::string_view> candidates;
  for (const Word<Value>& word : words) {
    if (word.word == typed) return word.value;
    candidates.push_back(word.word);
  }
  refuse_word(option, typed, candidates);
}

/// `value`, if least <= value <= most; else InputError.
std::int64_t in_range(std::string_view option, std::int64_t value, std::int64_t least, std::int64_t most);

[[nodiscard]] std::vector<Setting> settings_of(const RunArguments& arguments);
[[nodiscard]] unsigned dim_of(const RunArguments& arguments, const Machine& machine, std::int64_t max_dim);
[[nodiscard]] RunConditions conditions_of(const RunArguments& arguments, const Machine& machine);
[[nodiscard]] Hierarchy hierarchy_of(const RunArguments& arguments, unsigned dim);
[[nodiscard]] nlohmann::ordered_json machine_json(const Machine& machine, unsigned dim);

/// Runs the program on a cube that has been reset, and ends it.
[[nodiscard]] RunMeasurement run_program(Cube& cube, Program& program);

/// Says on standard error what went wrong, if anything did, and gives the exit status.
[[nodiscard]] int report_outcome(const RunMeasurement& measurement, std::optional<bool> verified);

}  // namespace ecube
