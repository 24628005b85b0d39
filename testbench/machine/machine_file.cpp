// SPDX-License-Identifier: Apache-2.0
// Reading machine files.
#include "testbench/machine/machine_file.h"

#include <fmt/core.h>

#include <filesystem>

#include "models/machine/machine_parameters.h"
#include "models/presets/presets.h"
#include "testbench/text/text_file.h"
#include "testbench/text/toml_text.h"

namespace ecube {

namespace {

void collect(const TomlText& file, const toml::table& table, const std::string& prefix,
             std::vector<Setting>& settings) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const toml::table* const inner = node.as_table()) {
      collect(file, *inner, name + ".", settings);
      continue;
    }
    const Origin origin{.layer = Layer::file, .key = file.place(key.source()), .value = file.place(node.source())};
    if ((name == "name" || name == "base") && !node.is_string()) {
      throw InputError(fmt::format("{} is a text", name)).at(origin.value, "write it in quotes");
    }
    if (const auto* const text = node.as_string()) {
      settings.push_back({name, text->get(), origin});
    } else if (const auto* const number = node.as_integer()) {
      settings.push_back({name, std::to_string(number->get()), origin, file.written(node)});
    } else if (const auto* const real = node.as_floating_point()) {
      settings.push_back({name, fmt::format("{}", real->get()), origin, file.written(node)});
    } else {
      throw InputError(fmt::format("the value of {} is neither a text nor a number", ecube::quoted(name)))
          .at(origin.value, "write \"value unit\"");
    }
  }
}

std::string no_machine_file(const std::string& where) {
  return fmt::format("{} is no machine file, or has a mistake", ecube::quoted(where));
}

}  // namespace

std::vector<Setting> parse_machine_file(std::string_view text, const std::string& where) {
  try {
    const TomlText file(text, where, "machine file");
    std::vector<Setting> own;
    collect(file, file.table(), "", own);
    if (own.empty()) {
      throw InputError(fmt::format("{} describes no machine", ecube::quoted(where)))
          .hint("write base = \"ideal\" and what differs from it");
    }
    const auto base = std::ranges::find(own, "base", &Setting::key);
    if (base == own.end()) return own;
    const Preset* const found = find_preset(base->value);
    if (found == nullptr) {
      throw InputError(fmt::format("unknown machine {}", ecube::quoted(base->value)))
          .at(base->origin.value, preset_hint(base->value))
          .valid(valid_machines());
    }
    own.erase(base);
    std::vector<Setting> settings = preset_settings(*found);
    settings.insert(settings.end(), own.begin(), own.end());
    return settings;
  } catch (const InputError& problem) {
    throw ContentError(problem, no_machine_file(where));
  }
}

void check_machine(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    if (find_option(setting.key) != nullptr) continue;
    try {
      (void)resolve({setting});
    } catch (const InputError& problem) {
      throw ContentError(problem, no_machine_file(setting.origin.key.where));
    }
  }
  // In the order of the table, as a machine is resolved: the clock is known before times become cycles.
  Machine machine;
  for (const Option& option : options()) {
    const auto of_option = [&option](const Setting& setting) { return setting.key == option.key; };
    const auto last = std::find_if(settings.rbegin(), settings.rend(), of_option);
    if (last == settings.rend()) continue;
    if (const auto problem = option.read(option, last->value, machine)) {
      const Place& place = last->origin.value;
      throw ContentError(InputError(problem->message).at(place), no_machine_file(place.where));
    }
  }
}

std::vector<Setting> load_machine(const std::string& preset_or_path) {
  if (const Preset* const found = find_preset(preset_or_path)) return preset_settings(*found);
  std::error_code none;  // a name may be too long for a file
  const bool file = preset_or_path.find('/') != std::string::npos ||
                    (preset_or_path.size() > 5 && preset_or_path.ends_with(".toml")) ||
                    std::filesystem::exists(preset_or_path, none);
  if (!file) return preset_settings(preset(preset_or_path));
  return parse_machine_file(read_text(preset_or_path, "machine file", max_toml_bytes, valid_machines()),
                            preset_or_path);
}

}  // namespace ecube
