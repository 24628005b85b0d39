// SPDX-License-Identifier: Apache-2.0
// Presets by name: their settings, published parameters, and the texts made from their values.
#include "models/presets/presets.h"

#include <algorithm>

#include "models/machine/spelling.h"

namespace ecube {
namespace {

constexpr std::size_t comment_width = 110;

/// Appends `words` as TOML comments, broken into lines.
void append_comment(std::string& text, std::string_view words) {
  while (!words.empty()) {
    std::size_t length = words.size();
    if (length > comment_width) {
      const std::size_t blank = words.rfind(' ', comment_width);
      length = blank == std::string_view::npos ? comment_width : blank;
    }
    text += "# " + std::string(words.substr(0, length)) + "\n";
    words.remove_prefix(std::min(length + 1, words.size()));
  }
}

}  // namespace

const Preset* find_preset(std::string_view name) {
  const std::span<const Preset> all = presets();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Preset& entry) { return entry.name == name; });
  return found == all.end() ? nullptr : &*found;
}

const Preset& preset(std::string_view name) {
  if (const Preset* found = find_preset(name)) return *found;
  throw InputError("unknown machine " + quoted(name)).hint(preset_hint(name)).valid(valid_machines());
}

std::string preset_hint(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Preset& entry : presets()) names.push_back(entry.name);
  return did_you_mean(name, names);
}

std::string valid_machines() {
  std::string names;
  for (const Preset& entry : presets()) names += std::string(entry.name) + " | ";
  return names + "FILE.toml";
}

std::vector<Setting> preset_settings(const Preset& preset) {
  Place place;
  place.where = "preset " + std::string(preset.name);
  const Origin origin{Layer::preset, place, place};
  std::vector<Setting> settings = {{"name", std::string(preset.name), origin}};
  for (const PresetValue& value : preset.values)
    settings.push_back({std::string(value.key), std::string(value.value), origin});
  return settings;
}

std::optional<ExchangeParameters> published_parameters(std::string_view machine, unsigned dim) {
  ExchangeParameters parameters;
  parameters.source = "published";
  if (machine == "hull") {
    parameters.lambda_us = 100;
    parameters.lambda0_us = 100;
    parameters.tau_us_per_byte = 2;
    parameters.delta_us = 10;
    parameters.rho_us_per_byte = 1;
    return parameters;
  }
  if (machine == "ipsc860" || machine == "ipsc860-node") {
    parameters.lambda_us = 95.0;
    parameters.lambda0_us = 82.5;
    parameters.tau_us_per_byte = 0.394;
    parameters.delta_hop_us = 10.3;
    parameters.rho_us_per_byte = 0.54;
    parameters.barrier_us = 150.0 * dim;
    return parameters;
  }
  if (machine == "ipsc860-nx") {
    parameters.lambda_us = 103;
    parameters.lambda0_us = 64;
    parameters.tau_us_per_byte = 0.4;
    parameters.delta_hop_us = 33;
    parameters.rho_us_per_byte = 0.54;
    parameters.short_bytes = 100;
    parameters.lambda_short_us = 64;
    parameters.delta_hop_short_us = 11;
    return parameters;
  }
  return std::nullopt;
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
    std::string line(entry.name);
    line.resize(std::max(line.size() + 2, name_width), ' ');
    text += line + std::string(entry.summary) + "\n";
  }
  return text;
}

std::string preset_as_toml(const Preset& preset) {
  std::string text;
  append_comment(text, std::string(preset.name) + ": " + std::string(preset.summary));
  append_comment(text, preset.description);
  text += "#\n# Sources:\n";
  for (const SourceMark& mark : source_marks()) {
    const auto cites = [&](const PresetValue& value) {
      return value.mark == mark.letter ||
             value.source.find(std::string{'[', mark.letter, ']'}) != std::string_view::npos;
    };
    if (std::any_of(preset.values.begin(), preset.values.end(), cites))
      append_comment(text, std::string{'[', mark.letter, ']', ' '} + std::string(mark.meaning));
  }
  text += "\nname = \"" + std::string(preset.name) + "\"\n";
  for (const PresetValue& value : preset.values) {
    text += "\n";
    append_comment(text, std::string{'[', value.mark, ']', ' '} + std::string(value.source));
    text += std::string(value.key) + " = \"" + std::string(value.value) + "\"\n";
  }
  return text;
}

}  // namespace ecube
