// SPDX-License-Identifier: Apache-2.0
// From axes to points, and the traffic, sizes, schedules, programs and routers that a study names. Shards, from the
// command line, the environment and directories.
#include "testbench/sweep/study.h"

#include <fmt/core.h>

#include <cctype>
#include <cmath>
#include <system_error>

#include "models/exchange/partition.h"
#include "models/machine/machine_parameters.h"
#include "models/machine/spelling.h"
#include "testbench/goal/goal_file.h"
#include "testbench/machine/machine_file.h"
#include "testbench/machine/rtl_library.h"
#include "testbench/program/program_library.h"
#include "testbench/sweep/store/store.h"
#include "testbench/system/child_process.h"
#include "testbench/text/text.h"
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

/// The points of the axes from `place` on; any number beyond max_study_points stands for too many. Only the network
/// decides how many values an axis of all partitions or strategies has.
std::uint64_t points_from(const Study& study, std::size_t place, const Topology& network) {
  if (place == study.axes.size()) return study.repetitions;
  const StudyAxis& axis = study.axes[place];
  const auto key = std::find_if(axis.keys.begin(), axis.keys.end(), names_network);
  if (key == axis.keys.end()) {
    const std::uint64_t values = axis.kind == StudyAxis::Kind::strategies ? std::uint64_t{1} << network.label_bits()
                                                                          : values_of(axis, network).size();
    return std::min(max_study_points + 1, values * points_from(study, place + 1, network));
  }
  std::uint64_t count = 0;
  for (auto value = axis.values.begin(); value != axis.values.end() && count <= max_study_points; ++value) {
    count += points_from(study, place + 1,
                         network_of({{*key, (*value)[static_cast<std::size_t>(key - axis.keys.begin())]}}));
  }
  return count;
}

// The variables of batch systems: this task, the first task (null where tasks are counted from 0), the number of tasks:
// slurm sbatch(1) "--array", Open MPI mpirun(1) "Environment variables", the process management interface of MPICH.
constexpr std::array<std::array<const char*, 3>, 3> systems{{
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"},
    {"OMPI_COMM_WORLD_RANK", nullptr, "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", nullptr, "PMI_SIZE"},
}};

constexpr std::uint64_t most_tasks = 1000;
constexpr unsigned spare = 3;  ///< times the expected time: hosts differ

/// The directive for the file of a job's output. sbatch replaces % and reads quotes and backslashes in its own way.
std::string output_directive(const ArrayJob& job, std::string_view file) {
  const bool plain = std::none_of(job.directory.begin(), job.directory.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7F' || c == '"' || c == '\\' || c == '%';
  });
  if (!plain) {
    throw InputError(
        fmt::format("Slurm cannot write into a directory with this name: {}", ecube::quoted(job.directory)))
        .hint("give -o a name without quotes, backslashes, % and control characters");
  }
  return fmt::format("#SBATCH --output=\"{}/logs/{}\"\n", job.directory, file);
}

std::string header(const ArrayJob& job, std::string name) {
  // In a directive another sign could begin a further one.
  static constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  std::ranges::replace_if(
      name, [](char c) { return plain.find(c) == std::string_view::npos; }, '_');
  std::string text = fmt::format("#!/bin/bash\n#SBATCH --job-name=\"{}\"\n", name);
  for (const std::string& directive : job.directives) text += fmt::format("#SBATCH {}\n", directive);
  return text;
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

std::uint64_t count_points(const Study& study) { return points_from(study, 0, network_of(study.fixed)); }

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

std::string Shard::directory() const { return fmt::format("shard-{}-of-{}", index + 1, count); }

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto part = whole_number(std::string_view(text).substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : whole_number(std::string_view(text).substr(slash + 1));
  if (!part || !count || *part < 1 || *part > *count || *count > max_shards) {
    throw InputError(fmt::format("{} is no shard", ecube::quoted(text)))
        .hint("the second of eight is 2/8")
        .valid(fmt::format("i/N with 1 <= i <= N <= {}", max_shards));
  }
  return {.index = *part - 1, .count = *count};
}

std::optional<Shard> shard_of_environment(const std::function<std::string(const char*)>& variable) {
  const auto value = [&variable](const char* name) {
    return name == nullptr ? std::nullopt : whole_number(variable(name));
  };
  for (const auto& [of_task, of_first, of_count] : systems) {
    const auto task = value(of_task);
    const auto count = value(of_count);
    if (!task || !count) continue;
    const std::uint64_t first = value(of_first).value_or(0);
    if (*count < 2 || *count > max_shards || *task < first || *task - first >= *count) continue;
    return Shard{.index = *task - first, .count = *count};
  }
  return std::nullopt;
}

std::vector<std::string> shard_directories(const std::string& directory) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("shard-", 0) != 0 || !has_store((entry.path() / "results.sqlite").string())) continue;
    if (entry.is_symlink()) {
      throw InputError(fmt::format("{} is a symbolic link", ecube::quoted(entry.path().string())))
          .hint("a shard is a directory in that of its study; name the stores to merge, if this is one of them");
    }
    found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::int64_t shards_for(double seconds, std::int64_t minutes, std::int64_t cores, std::uint64_t points) {
  const double shards = std::ceil(seconds / static_cast<double>(60 * minutes * cores));
  return static_cast<std::int64_t>(std::clamp(shards, 1.0, static_cast<double>(std::min(points, most_tasks))));
}

std::string array_script(const ArrayJob& job) {
  constexpr unsigned mib_shift = 20;
  std::string text = header(job, job.name);
  text += fmt::format("#SBATCH --array=1-{}\n#SBATCH --cpus-per-task={}\n#SBATCH --time={}\n#SBATCH --mem={}M\n",
                      job.shards, job.cores, job.minutes * spare, (job.memory >> mib_shift) + 1);
  text += output_directive(job, "%A_%a.txt");
  text += fmt::format("exec {} sweep {} -o {} -j {} --quiet{}{} --shard \"$SLURM_ARRAY_TASK_ID\"/{}\n",
                      shell_word(job.program), shell_word(job.study), shell_word(job.directory), job.cores,
                      job.allow_code ? " --allow-code" : "", job.keep_going ? " --keep-going" : "", job.shards);
  return text;
}

std::string merge_script(const ArrayJob& job) {
  return header(job, job.name + "-merge") + "#SBATCH --time=30\n" + output_directive(job, "merge.txt") +
         fmt::format("exec {} sweep merge {}\n", shell_word(job.program), shell_word(job.directory));
}

std::string submit(const std::string& script, const std::string& after) {
  std::vector<std::string> words{"sbatch", "--parsable"};
  if (!after.empty()) words.push_back("--dependency=afterany:" + after);
  std::string answer;
  ChildEnd end;
  try {
    ChildProcess sbatch({.words = std::move(words), .told = true});
    (void)write_all(sbatch.to(), script);  // one that does not read all of it says why
    sbatch.close_to();
    end = sbatch.wait();
    answer = sbatch.printed();
  } catch (const std::system_error& problem) {
    if (problem.code() != std::errc::no_such_file_or_directory) throw;
    throw std::runtime_error("there is no sbatch here: run this where Slurm is, or print the script with --dry-run");
  }
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  if (!end.well()) throw std::runtime_error(fmt::format("sbatch refused the job: {}", answer));
  // The answer is "number;cluster" where there are several clusters.
  return answer.substr(0, answer.find(';'));
}

}  // namespace ecube
