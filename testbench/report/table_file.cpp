// SPDX-License-Identifier: Apache-2.0
// Reading CSV.
#include "testbench/report/table_file.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "testbench/text/csv.h"
#include "testbench/text/text.h"

namespace ecube {

TableReader::TableReader(const PublishedFiles& files, const std::string& name)
    : file_(files.shown(name)), stream_(files.path(name), std::ios::binary) {
  if (!stream_.is_open() || !next_line()) throw InputError(fmt::format("cannot read {}", ecube::quoted(file_)));
  columns = csv_fields(buffer_.data());
}

bool TableReader::next_line() {
  if (progress_.due()) progress_.show(fmt::format("{} lines of {} read", grouped(line_), file_));
  ++line_;
  stream_.getline(buffer_.data(), longest_line);
  if (stream_.fail() && stream_.gcount() == longest_line - 1) {
    throw InputError(fmt::format("line {} of {} is longer than {} bytes", line_, ecube::quoted(file_), longest_line));
  }
  return !stream_.fail();
}

bool TableReader::next(std::vector<std::string>& row) {
  if (!next_line()) return false;
  row = csv_fields(buffer_.data());
  if (row.size() == columns.size()) return true;
  throw InputError(fmt::format("line {} of {} does not have the {} fields of the first", line_, ecube::quoted(file_),
                               columns.size()));
}

std::size_t TableReader::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) {
    throw InputError(fmt::format("{} has no column {}", ecube::quoted(file_), ecube::quoted(name)))
        .hint("run it again with this version");
  }
  return static_cast<std::size_t>(found - columns.begin());
}

std::uint64_t TableReader::number(const std::vector<std::string>& row, std::string_view name) const {
  const std::string& field = row[column(name)];
  if (const auto value = whole_number(field)) return *value;
  throw InputError(fmt::format("{} has {} in column {}", ecube::quoted(file_), ecube::quoted(field), name))
      .hint("run it again with this version");
}

}  // namespace ecube
