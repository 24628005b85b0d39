// SPDX-License-Identifier: Apache-2.0
// Opening without waiting, reading with a limit.
#include "testbench/text/text_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

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

}  // namespace ecube
