// SPDX-License-Identifier: Apache-2.0
// Machines of presets with settings as behind `--set`, and the words of a refusal.
#pragma once

#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "models/presets/presets.h"
#include "models/presets/settings.h"
#include "tests/test.h"

namespace ecube {

/// The settings of a preset and, above them, `sets`.
inline std::vector<Setting> settings_with(std::string_view name, const std::vector<std::string>& sets) {
  std::vector<Setting> all = preset_settings(preset(name));
  for (const std::string& each : sets) all.push_back(parse_set(each));
  return all;
}

inline Machine preset_machine(std::string_view name, const std::vector<std::string>& sets = {}) {
  return resolve(settings_with(name, sets));
}

/// A preset with so many ports, or Ports::n.
inline Machine preset_machine(std::string_view name, std::uint32_t ports) {
  Machine machine = preset_machine(name);
  machine.node.ports.engines = ports;
  return machine;
}

/// Why settings make no machine; empty where they make one.
inline std::string refusal(const std::vector<Setting>& settings) {
  return thrown<InputError>([&] { return resolve(settings); });
}

/// What is said has the words of a table's row, each behind a !; where the row has none, nothing is said.
inline void expect_reasons(const std::string& said, const std::string& reasons, const std::string& row) {
  EXPECT_EQ(said.empty(), reasons.empty()) << row << "\n" << said;
  for (const std::string_view words : split(reasons, '!')) EXPECT_HAS(said, std::string(trimmed(words))) << row;
}

}  // namespace ecube
