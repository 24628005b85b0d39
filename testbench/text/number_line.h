// SPDX-License-Identifier: Apache-2.0
// Lines of numbers in text files, with errors that show the place.
#pragma once

#include <cstdint>
#include <sstream>
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
  /// Nothing may follow on the line, which has `numbers` numbers.
  void end(std::string_view numbers);

 private:
  void skip();
  void mark(std::size_t length);
  [[noreturn]] void refuse(const std::string& what, const std::string& valid) const;

  std::string_view rest_;
  std::size_t column_ = 0;
  Place place_;
  std::string_view format_;
};

/// The contents of a file of numbers, of at most 256 MB; `what` names the file in errors. InputErrors as of
/// read_file().
[[nodiscard]] std::istringstream open_text(const std::string& file, std::string_view what);

}  // namespace ecube
