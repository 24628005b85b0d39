// SPDX-License-Identifier: Apache-2.0
// Reading, writing and checking manifests.
#include "testbench/publication/manifest.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "models/machine/error.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text_hash.h"

namespace ecube {

namespace {

constexpr std::size_t longest_manifest = 1'000'000;

/// Reads the file in pieces until `use` says that it has enough. std::system_error when the disk cannot give them.
void read_pieces(const FileDescriptor& file, const std::string& name, const auto& use) {
  std::string piece(std::size_t{1} << 20, '\0');
  for (off_t at = 0;;) {
    const ssize_t length = pread(file.number(), piece.data(), piece.size(), at);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) throw std::system_error(errno, std::generic_category(), name + " could not be read");
    if (length == 0 || !use(std::string_view(piece.data(), static_cast<std::size_t>(length)))) return;
    at += length;
  }
}

}  // namespace

ListedFile ListedFile::of(const FileDescriptor& file, std::string name) {
  ListedFile listed{.name = std::move(name)};
  if (!file.is_open()) return listed;
  TextHash hash;
  read_pieces(file, listed.name, [&](std::string_view piece) {
    hash.add(piece);
    listed.bytes += piece.size();
    return true;
  });
  listed.hash = hash.text();
  return listed;
}

bool ListedFile::is(const FileDescriptor& file) const {
  constexpr std::uint64_t largest = std::uint64_t{1} << 36;
  struct stat status {};
  if (!file.is_open() || fstat(file.number(), &status) != 0) return false;
  if (bytes > largest || static_cast<std::uint64_t>(status.st_size) != bytes) return false;
  const ListedFile now = of(file, name);
  return now.bytes == bytes && now.hash == hash;
}

const ListedFile* Manifest::find(std::string_view name) const {
  const auto found = std::ranges::find(files, name, &ListedFile::name);
  return found == files.end() ? nullptr : &*found;
}

std::optional<Manifest> parse_manifest(std::string_view text) {
  const std::optional<Json> json = parse_json(text);
  if (!json || !json->is_object() || !json->contains("schema") || !json->contains("files")) return std::nullopt;
  const auto text_in = [](const Json& object, const char* member) {
    const auto found = object.find(member);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  Manifest manifest{.generation = text_in(*json, "generation"), .files = {}};
  for (const Json& entry : (*json)["files"]) {
    ListedFile file;
    if (entry.is_string()) {
      file.name = entry;  // an earlier version
    } else if (entry.is_object()) {
      file = {.name = text_in(entry, "name"), .hash = text_in(entry, "xxh3")};
      if (const auto bytes = entry.find("bytes"); bytes != entry.end() && bytes->is_number_unsigned()) {
        file.bytes = *bytes;
      }
    }
    if (is_name_of_a_run_file(file.name) && manifest.find(file.name) == nullptr) {
      manifest.files.push_back(std::move(file));
    }
  }
  return manifest;
}

std::optional<std::string> manifest_text(const OpenDirectory& directory) {
  const FileDescriptor file = directory.open_file(manifest_name);
  if (!file.is_open()) return std::nullopt;
  std::string text;
  read_pieces(file, manifest_name, [&](std::string_view piece) {
    text += piece;
    return text.size() <= longest_manifest;
  });
  if (text.size() > longest_manifest) return std::nullopt;
  return text;
}

std::optional<Manifest> manifest_of(const OpenDirectory& directory) {
  const std::optional<std::string> text = manifest_text(directory);
  return text ? parse_manifest(*text) : std::nullopt;
}

void note_unfinished_move(const OpenDirectory& directory) {
  constexpr const char* folder = ".ecube.whole";
  if (!directory.status(folder)) return;
  fmt::print(stderr,
             "note: an earlier version of this program was killed while it moved the files in {} to their places; they "
             "are not used\n",
             ecube::quoted(directory.path() + "/" + folder));
}

bool is_name_of_a_run_file(std::string_view name) {
  constexpr std::array fixed{"resolved.toml", "summary.json",   "links.csv", "circuits.csv",
                             "programs.csv",  "node_times.csv", "dark.csv"};
  constexpr std::array endings{".fst",          ".vcd",           ".gtkw",
                               ".pftrace",      ".links.filter",  ".programs.filter",
                               ".cores.filter", ".caches.filter", ".buses.filter"};
  if (name.find_first_of(std::string_view("/\0", 2)) != std::string_view::npos) return false;
  return std::ranges::find(fixed, name) != fixed.end() || std::ranges::any_of(endings, [&](std::string_view ending) {
           return name.ends_with(ending) && name.size() > ending.size();
         });
}

bool is_report_page(const FileDescriptor& file) {
  constexpr std::string_view mark = "<meta name=\"generator\" content=\"ecube\">";
  std::array<char, 1024> begin{};
  const ssize_t length = pread(file.number(), begin.data(), begin.size(), 0);
  return length > 0 && std::string_view(begin.data(), static_cast<std::size_t>(length)).find(mark) != std::string::npos;
}

}  // namespace ecube
