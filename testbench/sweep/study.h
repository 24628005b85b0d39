// SPDX-License-Identifier: Apache-2.0
// A study: one workload on one machine, and axes along which they vary.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  std::map<std::string, StudyFile, std::less<>>
      files;  ///< by their names in `fixed` and `axes`, which say where they are

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
[[nodiscard]] bool names_network(std::string_view key);
/// The network that the last of such values says, as `ecube run` has it; of what is none, and without any, cube:4.
[[nodiscard]] Topology network_of(const std::vector<StudyValue>& values);
[[nodiscard]] unsigned largest_dim(const Study& study);

[[nodiscard]] std::uint64_t count_points(const Study& study);
void for_each_point(const Study& study, const std::function<bool(const StudyPoint&)>& take);

}  // namespace ecube
