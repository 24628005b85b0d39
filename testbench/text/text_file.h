// SPDX-License-Identifier: Apache-2.0
// Files that a user names, read whole, and lines of numbers in them, with errors that show the place.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "models/machine/error.h"

namespace ecube {

/// Wrong contents of a file. what() shows the line to the user who named the file on the command line. A study may name
/// any file, and others than the file's owner may see the study's errors: for such a file discreet() gives the place of
/// the mistake and shows no word of the file.
class ContentError : public InputError {
 public:
  ContentError(const InputError& shown, std::string discreet) : InputError(shown), discreet_(std::move(discreet)) {}
  [[nodiscard]] const std::string& discreet() const { return discreet_; }

 private:
  std::string discreet_;
};

/// The contents of a regular file of at most `most` bytes; `what` names the file in errors ("machine file"), and
/// `valid` lists the other words that the user could have meant. InputError when there is no such file, or it is a
/// directory, a pipe, a device or a file of /proc or /sys, or larger. No error shows anything of the contents.
[[nodiscard]] std::string read_file(const std::string& path, std::string_view what, std::uint64_t most,
                                    std::string_view valid = {});
/// The same of a text, without the byte order mark that some editors put in front of UTF-8.
[[nodiscard]] std::string read_text(const std::string& path, std::string_view what, std::uint64_t most,
                                    std::string_view valid = {});

/// The line of a text with this number, counted from 1; empty where the text has fewer.
[[nodiscard]] inline std::string line_of(std::string_view text, std::uint32_t number) {
  for (; number > 1 && !text.empty(); --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return std::string(text.substr(0, text.find('\n')));
}
/// The place in `file`, which has this text, that a compiler names in a line: "FILE:LINE:COLUMN:" or "FILE:LINE:".
[[nodiscard]] std::optional<Place> place_named_in(std::string_view line, const std::string& file,
                                                  std::string_view text);

/// One line, read number by number; '#' begins a comment. All errors are ContentErrors with file, line and column.
class NumberLine {
 public:
  /// `format` names the contents of a line, for errors.
  NumberLine(std::string_view text, Place place, std::string_view format)
      : rest_(text.substr(0, text.find('#'))), place_(std::move(place)), format_(format) {}

  [[nodiscard]] bool blank() {
    skip();
    return rest_.empty();
  }
  /// The next number, 0 .. most; `what` names it in errors.
  [[nodiscard]] std::uint64_t number(std::string_view what, std::uint64_t most);
  /// The next word, empty at the end of the line; `refuse` then shows it.
  [[nodiscard]] std::string_view word() {
    skip();
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
    mark(word.size());
    column_ += word.size();
    rest_.remove_prefix(word.size());
    return word;
  }
  /// Nothing may follow on the line, which has `numbers` numbers.
  void end(std::string_view numbers);
  [[noreturn]] void refuse(const std::string& what, const std::string& valid) const;

 private:
  void skip() {
    const std::size_t blanks = std::min(rest_.find_first_not_of(" \t\r"), rest_.size());
    column_ += blanks;
    rest_.remove_prefix(blanks);
  }
  void mark(std::size_t length) {
    place_.column = static_cast<std::uint32_t>(column_ + 1);
    place_.length = static_cast<std::uint32_t>(std::max<std::size_t>(length, 1));
  }

  std::string_view rest_;
  std::size_t column_ = 0;
  Place place_;
  std::string_view format_;
};

/// The contents of a file of numbers, of at most 256 MB; `what` and `valid` as of read_file(), and so InputErrors.
[[nodiscard]] std::string numbers_of(const std::string& file, std::string_view what, std::string_view valid = {});

}  // namespace ecube
