// SPDX-License-Identifier: Apache-2.0
// Opening without waiting, reading with a limit; numbers and their places.
#include "testbench/text/text_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "models/machine/spelling.h"
#include "testbench/system/open_files.h"

namespace ecube {

std::string read_file(const std::string& path, std::string_view what, std::uint64_t most, std::string_view valid) {
  std::error_code error;
  if (const auto status = std::filesystem::status(path, error); !std::filesystem::exists(status)) {
    throw InputError(fmt::format("there is no {} {}", what, ecube::quoted(path))).valid(valid);
  } else if (std::filesystem::is_directory(status)) {
    throw InputError(fmt::format("{} is a directory, not a {}", ecube::quoted(path), what));
  } else if (!std::filesystem::is_regular_file(status)) {
    throw InputError(fmt::format("{} is not a file", ecube::quoted(path)));
  }
  const auto unreadable = [&path] {
    return InputError(fmt::format("{} cannot be read: {}", ecube::quoted(path), std::strerror(errno)));
  };
  // O_NONBLOCK: opening a pipe must not wait for somebody to write into it.
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open()) throw unreadable();
  struct stat now {};
  if (fstat(file.number(), &now) != 0) throw unreadable();
  // The kernel makes up what is in its own files: their sizes say nothing, and some have no end.
  struct statfs system {};
  if (fstatfs(file.number(), &system) != 0) throw unreadable();
  const bool made_up = system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC;
  if (!S_ISREG(now.st_mode) || made_up) throw InputError(fmt::format("{} is not a file", ecube::quoted(path)));
  const auto size = static_cast<std::uint64_t>(now.st_size);
  if (size > most) {
    throw InputError(
        fmt::format("{} is larger than {} MB, which no {} is", ecube::quoted(path), most / 1'000'000, what));
  }
  // Reading stops at the size at the beginning: the file may be growing.
  std::string text(size, '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t length = read(file.number(), text.data() + have, text.size() - have);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) throw unreadable();
    if (length == 0) break;
    have += static_cast<std::size_t>(length);
  }
  text.resize(have);
  return text;
}

std::string read_text(const std::string& path, std::string_view what, std::uint64_t most, std::string_view valid) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  std::string text = read_file(path, what, most, valid);
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return text;
}

std::optional<Place> place_named_in(std::string_view line, const std::string& file, std::string_view text) {
  const std::size_t at = line.find(file + ":");
  if (at == std::string_view::npos) return std::nullopt;
  Place found;
  found.where = file;
  std::istringstream stream{std::string(line.substr(at + file.size() + 1))};
  if (!(stream >> found.line)) return std::nullopt;
  if (stream.get() == ':') stream >> found.column;  // 0 where no number follows
  found.column = std::max(1U, found.column);
  found.text = line_of(text, found.line);
  return found;
}

std::uint64_t NumberLine::number(std::string_view what, std::uint64_t most) {
  const std::string_view word = this->word();
  if (word.empty()) refuse(fmt::format("no {}", what), fmt::format("a line has {}", format_));
  const auto value = whole_number(word);
  if (!value || *value > most) {
    refuse(fmt::format("{} is no {}", ecube::quoted(word), what), fmt::format("0 .. {}", most));
  }
  return *value;
}

void NumberLine::end(std::string_view numbers) {
  if (blank()) return;
  mark(rest_.size());
  refuse(fmt::format("more than {} numbers: {}", numbers, ecube::quoted(rest_)), fmt::format("a line has {}", format_));
}

void NumberLine::refuse(const std::string& what, const std::string& valid) const {
  throw ContentError(InputError(what).at(place_, valid),
                     fmt::format("{} cannot be read: its line {}, column {}, does not have what a line has, {}",
                                 ecube::quoted(place_.where), place_.line, place_.column, format_));
}

std::string numbers_of(const std::string& file, std::string_view what, std::string_view valid) {
  // A message or a circuit takes about 40 bytes: this is room for the largest accepted number, and for comments.
  constexpr std::uint64_t max_bytes = 256'000'000;
  return read_text(file, what, max_bytes, valid);
}

}  // namespace ecube
