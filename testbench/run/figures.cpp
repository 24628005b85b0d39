// SPDX-License-Identifier: Apache-2.0
// Reading the rows.
#include "testbench/run/figures.h"

#include <algorithm>
#include <string>
#include <vector>

#include "testbench/text/csv.h"

namespace ecube {

/// The members of Figure; "-" is nothing.
extern const char* const figures_table;

std::span<const Figure> figures() {
  static const std::vector<std::vector<std::string>> rows = table_rows(figures_table, 5);
  static const std::vector<Figure> all = [] {
    const auto word = [](const std::string& field) { return field == "-" ? std::string_view() : field; };
    std::vector<Figure> list;
    for (const std::vector<std::string>& row : rows) {
      list.push_back({row[0], word(row[1]), row[2], word(row[3]), row[4]});
    }
    return list;
  }();
  return all;
}

const Figure* figure_of(std::string_view column) {
  const auto found = std::ranges::find(figures(), column, &Figure::column);
  return found == figures().end() ? nullptr : &*found;
}

nlohmann::ordered_json value_in(const nlohmann::ordered_json& result, const Figure& figure) {
  std::string path = "/" + std::string(figure.member);
  std::ranges::replace(path, '.', '/');
  const nlohmann::ordered_json::json_pointer place(path);
  return result.contains(place) ? result[place] : nlohmann::ordered_json();
}

nlohmann::ordered_json figure_json(const Figure& figure) {
  return {{"unit", figure.unit}, {"help", figure.help}, {"better", figure.better}};
}

}  // namespace ecube
