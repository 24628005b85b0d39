// SPDX-License-Identifier: Apache-2.0
// Lines of numbers in text files, with errors that show the place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/machine/error.h"
#include "testbench/text/text_file.h"

namespace ecube {

/// One line, read number by number; '#' begins a comment. All errors are ContentErrors with file, line and column.
class NumberLine {
 public:
  /// `format` names the contents of a line, for errors.
  NumberLine(std::string_view text, Place place, std::string_view format);

  [[nodiscard]] bool blank();
  /// The next number, 0 .. most; `what` names it in errors.
  [[nodiscard]] std::uint64_t number(std::string_view what, std::uint64_t most);
  /// The next word, empty at the end of the line; `refuse` then shows it.
  [[nodiscard]] std::string_view word();
  /// Nothing may follow on the line, which has `numbers` numbers.
  void end(std::string_view numbers);
  [[noreturn]] void refuse(const std::string& what, const std::string& valid) const;

 private:
  void skip();
  void mark(std::size_t length);

  std::string_view rest_;
  std::size_t column_ = 0;
  Place place_;
  std::string_view format_;
};

/// The contents of a file of numbers, of at most 256 MB; `what` and `valid` as of read_file(), and so InputErrors.
[[nodiscard]] std::string numbers_of(const std::string& file, std::string_view what, std::string_view valid = {});

}  // namespace ecube
