// SPDX-License-Identifier: Apache-2.0
// From axes to points, and the traffic, sizes, schedules, programs and routers that a study names.
#include "testbench/sweep/study.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "models/exchange/partition.h"
#include "models/machine/machine_parameters.h"
#include "testbench/goal/goal_file.h"
#include "testbench/machine/machine_file.h"
#include "testbench/machine/rtl_library.h"
#include "testbench/program/program_library.h"
#include "testbench/text/text_file.h"
#include "testbench/text/text_hash.h"

namespace ecube {

namespace {

constexpr unsigned default_dim = 4;

std::vector<std::vector<std::string>> values_of(const StudyAxis& axis, const Topology& network) {
  if (axis.kind == StudyAxis::Kind::listed) return axis.values;
  std::vector<std::vector<std::string>> result;
  if (axis.kind == StudyAxis::Kind::partitions) {
    for (const Partition& partition : partitions_of(network)) result.push_back({partition.name()});
    return result;
  }
  // A strategy has a binary digit for each dimension.
  const unsigned dim = network.label_bits();
  for (std::uint64_t bits = 0; bits >> dim == 0; ++bits) result.push_back({fmt::format("{:0{}b}", bits, dim)});
  return result;
}

/// The point at these values of the axes, on a machine whose settings have this digest: the contents of a machine file
/// count, not its name.
StudyPoint point_at(const Study& study, const std::string& machine, const std::vector<StudyValue>& values,
                    std::uint64_t number, unsigned repetition) {
  StudyPoint point{.number = number,
                   .id = {},
                   .axis = values,
                   .seed = study.seed + repetition,
                   .repetition = repetition,
                   .arguments = {study.run, "--machine", study.machine}};
  std::string identity = study.run + "\n" + machine + "\n";
  std::vector<StudyValue> all = study.fixed;
  all.insert(all.end(), values.begin(), values.end());
  all.push_back({"seed", std::to_string(point.seed)});
  std::stable_sort(all.begin(), all.end(), [](const StudyValue& a, const StudyValue& b) { return a.key < b.key; });
  for (const StudyValue& one : all) {
    identity += one.key + "=" + study.identity_of(one) + "\n";
    if (constexpr std::string_view param = "param."; one.key.starts_with(param)) {
      point.arguments.insert(point.arguments.end(), {"--param", one.key.substr(param.size()) + "=" + one.value});
    } else if (find_option(one.key) != nullptr) {
      point.arguments.insert(point.arguments.end(), {"--set", one.key + "=" + one.value});
    } else {
      point.arguments.insert(point.arguments.end(), {"--" + one.key, one.value});
    }
  }
  for (StudyValue& one : point.axis) {
    if (const auto file = study.files.find(one.value); file != study.files.end()) one.value = file->second.written;
  }
  point.id = digest_of(identity);
  return point;
}

bool names_number(std::string_view text, std::string_view number) {
  const auto continues = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '.');
  };
  for (std::size_t at = text.find(number); at != std::string_view::npos; at = text.find(number, at + 1)) {
    if ((at == 0 || !continues(at - 1)) && !continues(at + number.size())) return true;
  }
  return false;
}

}  // namespace

void for_each_point(const Study& study, const std::function<bool(const StudyPoint&)>& take) {
  std::string machine;
  for (const Setting& setting : load_machine(study.machine)) machine += setting.key + "=" + setting.value + "\n";
  machine = digest_of(machine);
  std::uint64_t number = 0;
  std::vector<StudyValue> values;
  const std::function<bool(std::size_t)> walk = [&](std::size_t place) {
    if (place == study.axes.size()) {
      for (unsigned repetition = 0; repetition < study.repetitions; ++repetition) {
        if (!take(point_at(study, machine, values, number++, repetition))) return false;
      }
      return true;
    }
    const StudyAxis& axis = study.axes[place];
    std::vector<StudyValue> known = study.fixed;
    known.insert(known.end(), values.begin(), values.end());
    for (const std::vector<std::string>& value : values_of(axis, network_of(known))) {
      for (std::size_t key = 0; key < value.size(); ++key) values.push_back({axis.keys[key], value[key]});
      const bool more = walk(place + 1);
      values.resize(values.size() - value.size());
      if (!more) return false;
    }
    return true;
  };
  (void)walk(0);
}

std::string error_as_written(const Study& study, const StudyPoint& point, const std::string& error) {
  std::string notes;
  for (const std::vector<StudyValue>* const values : {&study.fixed, &point.axis}) {
    for (const StudyValue& value : *values) {
      const auto found = study.written.find({value.key, value.value});
      if (found == study.written.end() || !names_number(error, value.value)) continue;
      notes += fmt::format("\nin the study: {} = {}", value.key, found->second);
    }
  }
  return error + notes;
}

bool names_network(std::string_view key) { return key == "dim" || key == "topology" || key == "network.topology"; }

Topology network_of(const std::vector<StudyValue>& values) {
  Topology network = Topology::cube(default_dim);
  for (const StudyValue& value : values) {
    if (!names_network(value.key)) continue;
    if (auto named = Topology::parse((value.key == "dim" ? "cube:" : "") + value.value)) network = *named;
  }
  return network;
}

unsigned largest_dim(const Study& study) {
  unsigned largest = default_dim;
  const auto take = [&](const std::string& key, const std::string& value) {
    if (names_network(key)) largest = std::max(largest, network_of({{key, value}}).label_bits());
  };
  for (const StudyValue& fixed : study.fixed) take(fixed.key, fixed.value);
  for (const StudyAxis& axis : study.axes) {
    for (const std::vector<std::string>& value : axis.values) {
      for (std::size_t key = 0; key < value.size(); ++key) take(axis.keys[key], value[key]);
    }
  }
  return largest;
}

std::uint64_t count_points(const Study& study) {
  // Only the network decides how many values an axis of all partitions or strategies has.
  std::uint64_t count = 0;
  const std::function<bool(std::size_t, const Topology&, std::uint64_t)> walk =
      [&](std::size_t place, const Topology& network, std::uint64_t factor) -> bool {
    if (place == study.axes.size()) {
      count += factor;
      return count <= max_study_points;
    }
    const StudyAxis& axis = study.axes[place];
    const auto key = std::find_if(axis.keys.begin(), axis.keys.end(), names_network);
    if (key == axis.keys.end()) {
      const std::uint64_t values = axis.kind == StudyAxis::Kind::strategies ? std::uint64_t{1} << network.label_bits()
                                                                            : values_of(axis, network).size();
      return factor * values > max_study_points ? (count = max_study_points + 1, false)
                                                : walk(place + 1, network, factor * values);
    }
    for (const std::vector<std::string>& value : axis.values) {
      const std::string& own = value[static_cast<std::size_t>(key - axis.keys.begin())];
      if (!walk(place + 1, network_of({{*key, own}}), factor)) return false;
    }
    return true;
  };
  (void)walk(0, network_of(study.fixed), study.repetitions);
  return count;
}

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
