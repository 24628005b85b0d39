// SPDX-License-Identifier: Apache-2.0
// Machines by preset or by file.
#pragma once

#include "models/presets/settings.h"

namespace ecube {

/// The settings of a machine file from its text, TOML of at most 1 MB with `name`, an optional `base` preset and the
/// keys of the option table; `where` is its name in errors. ContentError with file, line and column for anything else.
[[nodiscard]] std::vector<Setting> parse_machine_file(std::string_view text, const std::string& where);

/// The settings of the preset or file that --machine names. InputError with the nearest preset for anything else.
[[nodiscard]] std::vector<Setting> load_machine(const std::string& preset_or_path);

/// ContentError when some setting of a file has an unknown key, or a value that its key does not take. resolve() checks
/// later, with all layers, that settings agree with each other.
void check_machine(const std::vector<Setting>& settings);

}  // namespace ecube
