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
  const bool nx = machine == "ipsc860-nx";
  const bool nicol = machine == "ipsc860" || machine == "ipsc860-node";
  if (!nx && !nicol && machine != "hull") return std::nullopt;
  ExchangeParameters p =
      parse_exchange_parameters(nx      ? "lambda=103,lambda0=64,tau=0.4,delta_hop=33,rho=0.54"
                                : nicol ? "lambda=95.0,lambda0=82.5,tau=0.394,delta_hop=10.3,rho=0.54"
                                        : "lambda=100,lambda0=100,tau=2,delta=10,rho=1");
  if (nicol) p.barrier_us = 150.0 * dim;
  if (nx) {
    p.short_bytes = 100;
    p.lambda_short_us = 64;
    p.delta_hop_short_us = 11;
  }
  p.source = "published";
  return p;
}

std::optional<CombineParameters> published_combine_parameters(std::string_view machine) {
  const bool nx = machine == "ipsc860-nx";
  if (!nx && machine != "ipsc860-combine") return std::nullopt;
  CombineParameters p = parse_combine_parameters(
      nx ? "alpha_zero=75,alpha_short=75,short=25,alpha=136,beta=1.6,gamma=0.35" : "alpha=480,beta=2.0,gamma=0.35");
  p.pad_us_per_item = 1.6;
  p.source = "published";
  return p;
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
