// SPDX-License-Identifier: Apache-2.0
// Settings of a machine in preset, file and command line, and the resulting machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/machine/error.h"
#include "models/machine/machine.h"

namespace ecube {

/// The source of a setting; a later layer overrides an earlier one.
enum class Layer : std::uint8_t { preset, file, set, option };

/// Where a setting was made.
struct Origin {
  Layer layer = Layer::preset;
  Place key;    ///< the key, to be marked when the key is wrong
  Place value;  ///< the value, to be marked when the value is wrong
};

/// One machine parameter as it was written: a key of the option table, or "name".
struct Setting {
  std::string key;
  std::string value;
  Origin origin;
  std::string written{};  ///< the value as errors show it, where the user spelled it in another way
};

/// The argument of `--set`, "key=value"; blanks around both and double quotes around the value are dropped. The key is
/// not looked up here. InputError without '='.
[[nodiscard]] Setting parse_set(std::string_view argument);

/// A command line option that stands for one key: `--ports n` is option_setting("node.ports", "n", "--ports n").
[[nodiscard]] Setting option_setting(std::string_view key, std::string_view value, std::string_view as_typed);

/// A default-constructed machine with these settings applied. For each key the highest layer counts, within a preset or
/// a file the last setting. The clock is set first, so that times in seconds of every layer are converted at the final
/// clock. InputError for an unknown key, a bad value, a key that the command line gives twice, two spellings of one
/// parameter in a layer, a network.setup without network.distance=fixed or the reverse, and a node that is too slow for
/// largest_phit_cycles.
[[nodiscard]] Machine resolve(const std::vector<Setting>& settings);

/// InputError when a fixed-distance machine has a network.setup below Machine::least_setup().
void check_dimension(const Machine& machine, unsigned dim);
/// The same for any topology, whose routers must not have too many inputs either.
void check_topology(const Machine& machine, const Topology& topology);

}  // namespace ecube
