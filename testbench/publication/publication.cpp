// SPDX-License-Identifier: Apache-2.0
// Claiming names, committing by one rename, and rolling forward.
#include "testbench/publication/publication.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <system_error>

#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "testbench/text/json_text.h"

namespace ecube {

namespace {

/// Moves the files of a committed run to their places and removes those that only the earlier run has. The manifest
/// comes last, so that a process that is killed here leaves all that is needed to do the same again.
void roll_forward(const OpenDirectory& directory, const OpenDirectory& committed) {
  if (const std::optional<Manifest> manifest = manifest_of(committed)) {
    const Manifest earlier = manifest_of(directory).value_or(Manifest{});
    for (const ListedFile& file : manifest->files) committed.move(file.name, directory, file.name);
    for (const ListedFile& file : earlier.files) {
      if (manifest->find(file.name) == nullptr) directory.remove(file.name);
    }
    directory.sync();
    committed.move(manifest_name, directory, manifest_name);
  }
  directory.remove_folder(committed_folder);
}

}  // namespace

Publication::Publication(const std::string& directory) : files_(directory) {
  const OpenDirectory& place = files_.directory();
  const LockState lock = place.lock();
  if (lock == LockState::held_by_another) {
    throw InputError(fmt::format("another run is writing into {}", ecube::quoted(directory)))
        .hint("wait for it, or give another directory");
  }
  locked_ = lock == LockState::taken;
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{} {}", ecube::quoted(directory + "/" + committed_folder), why))
        .hint("move it away, or give another directory with -o");
  };
  note_unfinished_move(place);
  if (!place.status(committed_folder)) return;
  const std::optional<OpenDirectory> committed = place.folder(committed_folder);
  if (!committed) refuse("is no folder");
  try {
    roll_forward(place, *committed);
  } catch (const std::system_error& problem) {
    refuse(fmt::format("has files of a run that cannot be moved to their places: {}", problem.what()));
  }
}

void Publication::claim(std::vector<std::string> names, bool replace) {
  const OpenDirectory& place = files_.directory();
  names.emplace_back(manifest_name);
  const std::optional<Manifest> earlier = manifest_of(place);
  const Manifest left = earlier.value_or(Manifest{});
  std::vector<std::string> foreign;
  std::vector<std::string> changed;
  std::vector<std::string> dropped;
  for (const std::string& name : names) {
    const std::optional<struct stat> status = place.status(name);
    const bool listed = earlier && (name == manifest_name || earlier->find(name) != nullptr);
    if (status && !(listed && S_ISREG(status->st_mode))) foreign.push_back(ecube::quoted(name));
  }
  for (const ListedFile& file : left.files) {
    if (!place.status(file.name)) continue;
    if (std::find(names.begin(), names.end(), file.name) == names.end()) {
      dropped.push_back(ecube::quoted(file.name));
    } else if (!file.hash.empty() && !file.is(place.open_file(file.name))) {
      changed.push_back(ecube::quoted(file.name));
    }
  }
  const std::string where = ecube::quoted(place.path());
  if (!foreign.empty()) {
    throw InputError(fmt::format("{} has {}, which this run writes and no run of this program left there", where,
                                 joined(foreign, ", ")))
        .hint("give another directory with -o, or move the file away");
  }
  replaces_ = earlier.has_value();
  std::vector<std::string> lost;
  if (!dropped.empty()) lost.push_back(joined(dropped, ", ") + " of an earlier run, which this run would remove");
  if (!changed.empty()) {
    lost.push_back(joined(changed, ", ") + ", which somebody has changed since an earlier run wrote it");
  }
  if (replace || lost.empty()) return;
  throw InputError(fmt::format("{} has {}", where, joined(lost, ", and ")))
      .hint("add --replace to delete these files, or give another directory with -o");
}

void Publication::publish(nlohmann::ordered_json provenance) {
  const OpenDirectory& place = files_.directory();
  std::random_device random;
  provenance["generation"] = fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
  Json& listed = provenance["files"] = Json::array();
  for (const std::string& name : files_.names()) {
    files_.folder().sync(name);
    const ListedFile file = ListedFile::of(files_.folder().open_file(name), name);
    if (file.hash.empty()) {
      throw std::runtime_error(fmt::format("{}/{} could not be read again", place.path(), name));
    }
    listed.push_back({{"name", file.name}, {"bytes", file.bytes}, {"xxh3", file.hash}});
  }
  // Arguments are whatever bytes the user typed.
  files_.write(manifest_name, json_text(provenance));
  files_.folder().sync(manifest_name);
  files_.folder().sync();
  if (!files_.become(committed_folder)) {
    throw std::runtime_error(
        fmt::format("another run has written into {} meanwhile; the files of this one are lost", place.path()));
  }
  try {
    place.sync();
    roll_forward(place, place.folder(committed_folder).value());
    place.sync();
  } catch (const std::exception& problem) {
    throw std::runtime_error(fmt::format("{}; the files of this run are whole in {}/{}, and the next run moves them",
                                         problem.what(), place.path(), committed_folder));
  }
}

}  // namespace ecube
