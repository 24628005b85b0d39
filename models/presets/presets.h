// SPDX-License-Identifier: Apache-2.0
// Presets: the machines known by name, every number with its source.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/combine/combine_cost.h"
#include "models/exchange/exchange_cost.h"
#include "models/presets/settings.h"

namespace ecube {

/// The kind of source of a number.
struct SourceMark {
  char letter;
  std::string_view meaning;
};

/// One parameter of a preset.
struct PresetValue {
  std::string_view key;
  std::string_view value;   ///< as in a machine file
  char mark;                ///< a letter of source_marks()
  std::string_view source;  ///< where the value comes from, and how it was worked out
};

struct Preset {
  std::string_view name;
  std::string_view summary;      ///< one line
  std::string_view description;  ///< mechanisms that the preset has and lacks
  std::span<const PresetValue> values;
};

[[nodiscard]] std::span<const SourceMark> source_marks();
[[nodiscard]] std::span<const Preset> presets();

/// nullptr if there is no preset of this name.
[[nodiscard]] const Preset* find_preset(std::string_view name);

/// The preset of this name; InputError with the nearest name and the list if there is none.
[[nodiscard]] const Preset& preset(std::string_view name);

/// "did you mean 'ipsc860'?", or nothing; and "ideal | hull | ipsc860 | FILE.toml", for errors about machine names.
[[nodiscard]] std::string preset_hint(std::string_view name);
[[nodiscard]] std::string valid_machines();

/// The preset's settings, in the lowest layer, its name among them.
[[nodiscard]] std::vector<Setting> preset_settings(const Preset& preset);

/// The parameters of the exchange equation that the paper behind a preset prints, for a cube of dimension `dim`:
/// Bokhari 1993, Fig. 1, for hull; Nicol & Bokhari 1994, section 4, for ipsc860; Dunigan's message times for
/// ipsc860-nx, with the rho of the same processor. None for machines that no paper measured.
[[nodiscard]] std::optional<ExchangeParameters> published_parameters(std::string_view machine, unsigned dim);

/// The parameters of the combine equation, for floats: van de Geijn 1991, section 6, with Dunigan's message times for
/// ipsc860-nx, and with the times that van de Geijn measured with the combine routine on top of them for
/// ipsc860-combine.
[[nodiscard]] std::optional<CombineParameters> published_combine_parameters(std::string_view machine);

/// All presets, a line each, as `ecube machines` prints them.
[[nodiscard]] std::string presets_as_text();

/// The preset as a machine file, with the source of every value in a comment above it, as `ecube machines NAME` prints
/// it.
[[nodiscard]] std::string preset_as_toml(const Preset& preset);

}  // namespace ecube
