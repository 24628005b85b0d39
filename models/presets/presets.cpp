// SPDX-License-Identifier: Apache-2.0
// Presets by name: their settings, published parameters, and the texts made from their values.
#include "models/presets/presets.h"

#include <algorithm>

#include "models/machine/spelling.h"

namespace ecube {
namespace {

/// Of lines `key = "value"`, blank lines and comments, the first of which is "# NAME: SUMMARY".
Preset preset_of(std::string_view toml) {
  const std::vector<std::string_view> lines = split(toml, '\n');
  const std::string_view head = lines.front();
  Preset preset{.name = {}, .summary = std::string(head.substr(head.find(": ") + 2)), .toml = toml, .values = {}};
  for (const std::string_view line : lines) {
    const std::size_t equals = line.find(" = \"");
    if (line.starts_with('#') || equals == std::string_view::npos) continue;
    preset.values.emplace_back(line.substr(0, equals), line.substr(equals + 4, line.size() - equals - 5));
  }
  preset.name = preset.values.front().second;
  return preset;
}

std::vector<std::string_view> preset_names() {
  std::vector<std::string_view> names;
  for (const Preset& entry : presets()) names.push_back(entry.name);
  return names;
}

}  // namespace

std::span<const Preset> presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> read;
    for (const std::string_view file : preset_files()) read.push_back(preset_of(file));
    return read;
  }();
  return all;
}

const Preset* find_preset(std::string_view name) {
  const std::span<const Preset> all = presets();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Preset& entry) { return entry.name == name; });
  return found == all.end() ? nullptr : &*found;
}

const Preset& preset(std::string_view name) {
  if (const Preset* found = find_preset(name)) return *found;
  throw InputError("unknown machine " + quoted(name)).hint(preset_hint(name)).valid(valid_machines());
}

std::string preset_hint(std::string_view name) { return did_you_mean(name, preset_names()); }

std::string valid_machines() { return joined(preset_names()) + " | FILE.toml"; }

std::vector<Setting> preset_settings(const Preset& preset) {
  const Place place{.where = "preset " + preset.name};
  const Origin origin{Layer::preset, place, place};
  std::vector<Setting> settings;
  for (const auto& [key, value] : preset.values) settings.push_back({key, value, origin});
  return settings;
}

std::optional<ExchangeParameters> published_parameters(std::string_view machine, unsigned dim) {
  if (machine == "hull") {
    return ExchangeParameters{.lambda_us = 100,
                              .lambda0_us = 100,
                              .tau_us_per_byte = 2,
                              .delta_us = 10,
                              .rho_us_per_byte = 1,
                              .source = "published"};
  }
  if (machine == "ipsc860" || machine == "ipsc860-node") {
    return ExchangeParameters{.lambda_us = 95.0,
                              .lambda0_us = 82.5,
                              .tau_us_per_byte = 0.394,
                              .delta_hop_us = 10.3,
                              .rho_us_per_byte = 0.54,
                              .barrier_us = 150.0 * dim,
                              .source = "published"};
  }
  if (machine != "ipsc860-nx") return std::nullopt;
  return ExchangeParameters{.lambda_us = 103,
                            .lambda0_us = 64,
                            .tau_us_per_byte = 0.4,
                            .delta_hop_us = 33,
                            .rho_us_per_byte = 0.54,
                            .short_bytes = 100,
                            .lambda_short_us = 64,
                            .delta_hop_short_us = 11,
                            .source = "published"};
}

std::optional<CombineParameters> published_combine_parameters(std::string_view machine) {
  CombineParameters parameters;
  parameters.source = "published";
  parameters.gamma_us_per_item = 0.35;
  if (machine == "ipsc860-nx") {
    parameters.exchange = {.alpha_zero_us = 75, .alpha_short_us = 75, .alpha_us = 136, .beta_us_per_item = 1.6};
    parameters.short_items = 25;
  } else if (machine == "ipsc860-combine") {
    parameters.exchange = {.alpha_zero_us = 480, .alpha_short_us = 480, .alpha_us = 480, .beta_us_per_item = 2.0};
  } else {
    return std::nullopt;
  }
  parameters.one_way = parameters.exchange;
  parameters.pad_us_per_item = 1.6;
  return parameters;
}

std::string presets_as_text() {
  constexpr std::size_t name_width = 17;
  std::string text;
  for (const Preset& entry : presets()) {
    std::string line = entry.name;
    line.resize(std::max(line.size() + 2, name_width), ' ');
    text += line.append(entry.summary).append("\n");
  }
  return text;
}

}  // namespace ecube
