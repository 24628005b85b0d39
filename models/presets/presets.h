// SPDX-License-Identifier: Apache-2.0
// Presets: the machines known by name, every number with its source.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/combine/combine_cost.h"
#include "models/exchange/exchange_cost.h"
#include "models/presets/settings.h"

namespace ecube {

/// A preset, as its file in machines/ has it.
struct Preset {
  std::string name;
  std::string summary;  ///< one line
  /// The file, as `ecube machines NAME` prints it: mechanisms that the preset has and lacks, and above every value a
  /// letter for the kind of its source, and how it was worked out.
  std::string_view toml;
  std::vector<std::pair<std::string, std::string>> values;  ///< key and value, the name among them
};

/// The texts of all files of machines/.
[[nodiscard]] std::vector<std::string_view> preset_files();
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

}  // namespace ecube
