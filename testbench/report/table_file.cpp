// SPDX-License-Identifier: Apache-2.0
// Reading CSV.
#include "testbench/report/table_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "models/machine/error.h"
#include "testbench/text/csv.h"

namespace ecube {

std::size_t TableFile::column(const std::string& name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) {
    throw ErrorText(fmt::format("{} has no column {}", ecube::quoted(file), ecube::quoted(name)))
        .hint("run it again with this version")
        .error();
  }
  return static_cast<std::size_t>(found - columns.begin());
}

std::uint64_t TableFile::number(const std::vector<std::string>& row, std::size_t column) const {
  const std::string& text = row[column];
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  throw ErrorText(fmt::format("{} has {} in column {}", ecube::quoted(file), ecube::quoted(text), columns[column]))
      .hint("run it again with this version")
      .error();
}

TableFile read_table(const std::string& file, std::size_t most) {
  constexpr std::streamsize longest_line = std::streamsize{1} << 20;
  std::error_code error;
  std::ifstream stream;
  // Opening a pipe would wait for somebody to write into it.
  if (std::filesystem::is_regular_file(file, error)) stream.open(file, std::ios::binary);
  std::string buffer(static_cast<std::size_t>(longest_line), '\0');
  TableFile table{.columns = {}, .rows = {}, .file = file};
  const auto next_line = [&] {
    stream.getline(buffer.data(), longest_line);
    if (stream.fail() && stream.gcount() == longest_line - 1) {
      throw ErrorText(fmt::format("line {} of {} is longer than {} bytes", table.rows.size() + 2, ecube::quoted(file),
                                  longest_line))
          .error();
    }
    return !stream.fail();
  };
  if (!stream.is_open() || !next_line()) {
    throw ErrorText(fmt::format("cannot read {}", ecube::quoted(file))).error();
  }
  table.columns = csv_fields(buffer.data());
  while (table.rows.size() < most && next_line()) {
    table.rows.push_back(csv_fields(buffer.data()));
    if (table.rows.back().size() != table.columns.size()) {
      throw ErrorText(fmt::format("line {} of {} has not the {} fields of the first", table.rows.size() + 1,
                                  ecube::quoted(file), table.columns.size()))
          .error();
    }
  }
  return table;
}

}  // namespace ecube
