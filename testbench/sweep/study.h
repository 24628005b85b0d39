// SPDX-License-Identifier: Apache-2.0
// A study: one workload on one machine, and axes along which they vary. Parts of it, for several machines or array
// tasks of Slurm.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include "models/machine/error.h"
#include "models/machine/topology.h"

namespace ecube {

/// An option of the workload, as `bytes`, or a parameter of the machine, as `router.route`, and its value as typed.
struct StudyValue {
  std::string key;
  std::string value;
};

struct StudyAxis {
  /// The source of the values: written in the study, or all possible values for the network of the point.
  enum class Kind : std::uint8_t { listed, partitions, strategies };
  Kind kind = Kind::listed;
  std::vector<std::string> keys{};                 ///< several are paired
  std::vector<std::vector<std::string>> values{};  ///< [place][key]
  std::vector<bool> quoted{};                      ///< [key]: some value was written as a text, as "95 us" or "0011"
};

/// A column computed from others, in SQL. The expression is unchecked before check_derived().
struct DerivedColumn {
  std::string name;
  std::string expression;
  Place place{};  ///< of the expression, for errors
};

/// A file that a study names: a program, a router, messages, sizes, a parameter of a program.
struct StudyFile {
  std::string written;  ///< its name in the study, which does not say where the study is
  std::string hash;     ///< SHA-256 of its contents
};

struct Study {
  std::string name;
  std::string description;
  std::string run;      ///< exchange, combine, ...: what follows `ecube run`
  std::string machine;  ///< preset or file
  std::vector<StudyValue> fixed;
  std::vector<StudyAxis> axes;
  std::vector<DerivedColumn> derived;
  std::uint64_t seed = 1;
  unsigned repetitions = 1;    ///< with seeds seed, seed + 1, ...
  double time_limit_s = 3600;  ///< of a point
  std::string text;            ///< of the file
  /// By their names in `fixed` and `axes`, which say where they are.
  std::map<std::string, StudyFile, std::less<>> files;

  /// By key and value: numbers that the study writes in another way, as 0x10 for 16.
  std::map<std::pair<std::string, std::string>, std::string> written;

  /// By key and value: values in other than their one spelling, as "1024" for 1KB.
  std::map<std::pair<std::string, std::string>, std::string> spelling;

  /// What determines results of a value in `fixed` or `axes`: its one spelling; of a file its contents and its name as
  /// written count, not where it is.
  [[nodiscard]] std::string identity_of(const StudyValue& one) const {
    if (const auto file = files.find(one.value); file != files.end())
      return file->second.written + " " + file->second.hash;
    const auto spelled = spelling.find({one.key, one.value});
    return spelled == spelling.end() ? one.value : spelled->second;
  }
};

struct StudyPoint {
  std::uint64_t number = 0;      ///< counted from 0, in the order of the axes, the last one fastest
  std::string id;                ///< SHA-256 of everything that determines the point's result
  std::vector<StudyValue> axis;  ///< its values on the axes, files by their names as written
  std::uint64_t seed = 1;
  unsigned repetition = 0;
  std::vector<std::string> arguments;  ///< of `ecube run`
};

inline constexpr std::uint64_t max_study_points = 10'000'000;

/// Whether a study may name a program in a file, which is then compiled and loaded as soon as the study is read.
enum class CodeInStudies : std::uint8_t { refused, allowed };

/// InputError, with the place, for whatever is wrong: unknown keys and axes, empty ranges, more than max_study_points.
[[nodiscard]] Study parse_study(std::string_view text, const std::string& where,
                                CodeInStudies code = CodeInStudies::refused);
[[nodiscard]] Study read_study(const std::string& path, CodeInStudies code = CodeInStudies::refused);
/// The derived columns of a study, whatever else is in it. InputError, with the place, for a name that no column has.
[[nodiscard]] std::vector<DerivedColumn> parse_derived(std::string_view text, const std::string& where);

/// The file of this name beside the study at `where`, or else where the command runs.
[[nodiscard]] std::filesystem::path file_of_study(const std::string& where, const std::string& name);
/// Whether a value is a program in a file or a router, which is code.
[[nodiscard]] bool names_code(const std::string& key, const std::string& value);
/// Notes in `study`, which stands at `where`, what is in the file that a value names, if it names one: that counts. The
/// value becomes the file that was found.
void note_file(Study& study, const std::string& where, const std::string& key, std::string& value);

/// The error of a point; where it names a number that the study writes in another way, with what the study says.
[[nodiscard]] std::string error_as_written(const Study& study, const StudyPoint& point, const std::string& error);

/// Whether a key says which network a point has: "dim", "topology", "network.topology".
[[nodiscard]] inline bool names_network(std::string_view key) {
  return key == "dim" || key == "topology" || key == "network.topology";
}
/// The network that the last of such values says, as `ecube run` has it; of what is none, and without any, cube:4.
[[nodiscard]] Topology network_of(const std::vector<StudyValue>& values);
[[nodiscard]] unsigned largest_dim(const Study& study);

[[nodiscard]] std::uint64_t count_points(const Study& study);
void for_each_point(const Study& study, const std::function<bool(const StudyPoint&)>& take);

/// Every count-th point from `index` on: neighbours on an axis, which take about the same time, go to different shards.
struct Shard {
  std::uint64_t index = 0;  ///< counted from 0; people count from 1
  std::uint64_t count = 1;

  [[nodiscard]] bool has(std::uint64_t point) const { return point % count == index; }
  /// "shard-2-of-8"
  [[nodiscard]] std::string directory() const;
};

inline constexpr std::uint64_t max_shards = 100'000;

/// "2/8", 1 <= i <= N <= max_shards. InputError for anything else.
[[nodiscard]] Shard parse_shard(const std::string& text);

/// The shard that the batch system gives this process: an array task of Slurm or of PBS, a rank of Open MPI or of a PMI
/// launcher. None outside a batch system, or for a process that is alone in it. `variable`: as in the environment.
[[nodiscard]] std::optional<Shard> shard_of_environment(const std::function<std::string(const char*)>& variable);

/// The stores of shards in a study's directory. InputError for one that is a symbolic link.
[[nodiscard]] std::vector<std::string> shard_directories(const std::string& directory);

struct ArrayJob {
  std::string name{};
  std::string program{};                  ///< path of this program, which every machine of the cluster sees
  std::string study{};                    ///< path of the study file, likewise
  std::string directory{};                ///< of the results, likewise
  std::int64_t shards = 0;                ///< tasks
  std::int64_t cores = 1;                 ///< of a task
  std::int64_t minutes = 10;              ///< about as long as a task is to run
  Bytes memory = 0;                       ///< of a task
  std::vector<std::string> directives{};  ///< more of them, as "--partition=short"
  bool allow_code = false;                ///< the study may compile and run programs
  bool keep_going = false;                ///< although some of its points cannot run
};

/// Shards of some `minutes` each, for a study of `seconds` on one core: at least 1, at most one for each point, and at
/// most as many as Slurm's default limit of an array (MaxArraySize, 1,001).
[[nodiscard]] std::int64_t shards_for(double seconds, std::int64_t minutes, std::int64_t cores, std::uint64_t points);

[[nodiscard]] std::string array_script(const ArrayJob& job);
[[nodiscard]] std::string merge_script(const ArrayJob& job);

/// Hands a script to sbatch, to begin when job `after` has ended. Returns the job's number, or throws what it says.
[[nodiscard]] std::string submit(const std::string& script, const std::string& after = {});

}  // namespace ecube
