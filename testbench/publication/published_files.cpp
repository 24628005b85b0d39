// SPDX-License-Identifier: Apache-2.0
// Reading a manifest, its files, and the manifest again.
#include "testbench/publication/published_files.h"

#include <fmt/core.h>

#include <system_error>

#include "models/machine/error.h"
#include "testbench/publication/manifest.h"

namespace ecube {

namespace {

/// A directory with the run that was committed in it last, if that has not been moved to its place.
struct Places {
  const OpenDirectory& directory;
  std::optional<OpenDirectory> committed = directory.folder(committed_folder);

  [[nodiscard]] std::optional<std::string> manifest() const {
    const auto text = committed ? manifest_text(*committed) : std::nullopt;
    return text ? text : manifest_text(directory);
  }
  [[nodiscard]] FileDescriptor open(const std::string& name) const {
    FileDescriptor file;
    if (committed) file = committed->open_file(name);
    return file.is_open() ? std::move(file) : directory.open_file(name);
  }
};

}  // namespace

PublishedFiles::PublishedFiles(std::string directory, const Wanted& wanted) : directory_(std::move(directory)) {
  constexpr int tries = 100;
  for (int i = 0; i < tries; ++i) {
    if (!open(wanted)) continue;
    note_unfinished_move(OpenDirectory(directory_));
    return;
  }
  throw InputError(fmt::format("other runs write into {} all the time", ecube::quoted(directory_)))
      .hint("wait until they have ended, or let each run have a directory of its own");
}

bool PublishedFiles::open(const Wanted& wanted) {
  files_.clear();
  std::optional<OpenDirectory> directory;
  try {
    directory.emplace(directory_);
  } catch (const std::system_error& problem) {
    throw InputError(fmt::format("{} is no run directory: {}", ecube::quoted(directory_), problem.code().message()))
        .hint("ecube run ... -o DIR makes one");
  }
  const Places places{*directory};
  const std::optional<std::string> text = places.manifest();
  const std::optional<Manifest> manifest = text ? parse_manifest(*text) : std::nullopt;
  std::string broken;
  if (manifest && !manifest->generation.empty()) {
    for (const ListedFile& listed : manifest->files) {
      if (!wanted(listed.name)) continue;
      FileDescriptor file = places.open(listed.name);
      if (!listed.is(file)) broken = listed.name;
      files_.emplace(listed.name, std::make_shared<FileDescriptor>(std::move(file)));
    }
    files_.emplace(manifest_name, std::make_shared<FileDescriptor>(places.open(manifest_name)));
  } else {
    for (const std::string& name : directory->names()) {
      if (name != manifest_name && !(is_name_of_a_run_file(name) && wanted(name))) continue;
      FileDescriptor file = directory->open_file(name);
      if (file.is_open()) files_.emplace(name, std::make_shared<FileDescriptor>(std::move(file)));
    }
  }
  // A run that was published meanwhile has another manifest.
  if (Places{*directory}.manifest() != text) return false;
  if (broken.empty()) return true;
  throw InputError(fmt::format("{} is not as its run left it: {} lists another size or hash, or there is no such file",
                               ecube::quoted(shown(broken)), manifest_name))
      .hint("run it again");
}

std::string PublishedFiles::path(const std::string& name) const {
  if (const auto found = files_.find(name); found != files_.end()) return found->second->path();
  throw InputError(fmt::format("{} is no run directory: it has no {}", ecube::quoted(directory_), ecube::quoted(name)))
      .hint("ecube run ... -o DIR makes one, ecube sweep STUDY.toml -o DIR the store of a study");
}

}  // namespace ecube
