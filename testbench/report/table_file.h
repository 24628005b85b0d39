// SPDX-License-Identifier: Apache-2.0
// Tables that runs leave behind.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/publication/published_files.h"
#include "testbench/run/progress_line.h"

namespace ecube {

/// A CSV file of a run (RFC 4180), row by row: some are larger than a page.
class TableReader {
 public:
  /// InputError when the file cannot be read or a line is longer than 1 MiB.
  TableReader(const PublishedFiles& files, const std::string& name);
  /// The next row; false after the last. InputError when it has another number of fields than the first.
  [[nodiscard]] bool next(std::vector<std::string>& row);
  /// The place of a column. InputError when there is none.
  [[nodiscard]] std::size_t column(std::string_view name) const;
  /// The whole number that a row has in a column. InputError when there is no such column or no whole number.
  [[nodiscard]] std::uint64_t number(const std::vector<std::string>& row, std::string_view name) const;

  std::vector<std::string> columns;

 private:
  static constexpr std::streamsize longest_line = std::streamsize{1} << 20;

  [[nodiscard]] bool next_line();

  std::string file_;
  std::ifstream stream_;
  std::string buffer_ = std::string(static_cast<std::size_t>(longest_line), '\0');
  std::size_t line_ = 0;
  ProgressLine progress_{false};
};

}  // namespace ecube
