// SPDX-License-Identifier: Apache-2.0
// Traffic, sizes, schedules, programs and routers that a study names.
#include "testbench/goal/goal_file.h"
#include "testbench/machine/rtl_library.h"
#include "testbench/program/program_library.h"
#include "testbench/sweep/study.h"
#include "testbench/text/text_file.h"
#include "testbench/text/text_hash.h"

namespace ecube {

std::filesystem::path file_of_study(const std::string& where, const std::string& name) {
  const std::filesystem::path beside = std::filesystem::path(where).parent_path() / name;
  std::error_code ignored;
  return std::filesystem::is_regular_file(beside, ignored) ? beside : std::filesystem::path(name);
}

bool names_code(const std::string& key, const std::string& value) {
  return key == "router" || (key == "program" && names_program_file(value));
}

void note_file(Study& study, const std::string& where, const std::string& key, std::string& value) {
  const std::string written = value;
  if (names_code(key, written)) {
    value = std::filesystem::absolute(file_of_study(where, written)).lexically_normal();
    study.files[value] = {written, key == "program" ? program_library(value).hash : digest_of(own_router_text(value))};
    return;
  }
  const bool schedule = study.run == "goal" && key == "file";
  const bool of_run = key == "pattern" || key == "sizes" || key == "map" || schedule;
  const bool of_program = key.starts_with("param.");
  const bool word = value.find_first_of("./") == std::string::npos && !schedule;
  if ((!of_run && !of_program) || word) return;
  std::error_code ignored;
  if (const std::filesystem::path file = file_of_study(where, value);
      of_run && std::filesystem::is_regular_file(file, ignored)) {
    const std::filesystem::path near = std::filesystem::proximate(file, ignored);
    // ./uniform stays as it is: without ./ it is a word of --sizes.
    if (near != std::filesystem::path(value).lexically_normal()) value = near.string();
  }
  // Larger ones are refused when they are used.
  const std::uintmax_t most_bytes = schedule ? most_schedule_text : std::uintmax_t{256} << 20;
  if (!std::filesystem::is_regular_file(value, ignored) || std::filesystem::file_size(value, ignored) > most_bytes) {
    return;
  }
  study.files[value] = {written, digest_of(read_file(value, "file", most_bytes))};
}

}  // namespace ecube
