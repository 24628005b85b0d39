// SPDX-License-Identifier: Apache-2.0
// The list of a run's files that the run leaves beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/system/open_files.h"

namespace ecube {

/// The manifest, which also says who made the run, when, and how. It gets its place after all other files.
inline constexpr const char* manifest_name = "provenance.json";
/// Where a run whose files are all on the disk has them until each is in its place.
inline constexpr const char* committed_folder = ".ecube.next";

struct ListedFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::string hash{};  ///< XXH3, 128 bits in hexadecimal; empty in lists of earlier versions

  /// The file of this name, with its size and hash as they are now. Not open: hash is empty.
  [[nodiscard]] static ListedFile of(const FileDescriptor& file, std::string name);
  /// Whether the file is this one. A file of another size, or larger than any of a run, is not read.
  [[nodiscard]] bool is(const FileDescriptor& file) const;
};

struct Manifest {
  std::string generation;         ///< another one for each run; empty in manifests of earlier versions
  std::vector<ListedFile> files;  ///< without the manifest itself

  [[nodiscard]] const ListedFile* find(std::string_view name) const;
};

/// The manifest in this text; nothing when it has none. Names that no run writes are left out: whatever a manifest
/// says, nothing else is a run's file.
[[nodiscard]] std::optional<Manifest> parse_manifest(std::string_view text);

/// The text of a directory's manifest; nothing when there is none, or no manifest is so long.
[[nodiscard]] std::optional<std::string> manifest_text(const OpenDirectory& directory);
[[nodiscard]] std::optional<Manifest> manifest_of(const OpenDirectory& directory);

/// Says when a run of an earlier version was killed while it moved its files: they stay where they are.
void note_unfinished_move(const OpenDirectory& directory);

/// Whether runs write files of this name.
[[nodiscard]] bool is_name_of_a_run_file(std::string_view name);

/// Names of the page of a run, and whether the file of this name is a page that this program has made.
inline constexpr const char* report_name = "report.html";
[[nodiscard]] bool is_report_page(const FileDescriptor& file);

}  // namespace ecube
