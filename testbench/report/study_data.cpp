// SPDX-License-Identifier: Apache-2.0
// From a store to the data of its page.
#include "testbench/report/study_data.h"

#include <nlohmann/json.hpp>

#include "testbench/run/figures.h"
#include "testbench/sweep/store/store_reader.h"

namespace ecube {

using Json = nlohmann::ordered_json;

Json study_data(const std::string& path) {
  constexpr std::size_t most_failures = 1000;
  StoreReader store(path);
  Json data = {{"name", store.meta("study")},
               {"file", store.file()},
               {"text", store.meta("study_text")},
               {"points", std::stoull("0" + store.meta("points"))},
               {"done", store.count("done")},
               {"failed", store.count("failed")},
               {"program_version", store.meta("program_version")},
               {"axes", Json::array()},
               {"names", Json::array()},
               {"columns", Json::array()},
               {"figures", Json::object()},
               {"failures", Json::array()}};
  for (const AxisScale& axis : store.axes()) {
    data["axes"].push_back({{"key", axis.key}, {"numeric", axis.numeric}, {"unit", axis.unit}});
  }
  store.results(
      [&data](const std::vector<std::string>& names) {
        for (const std::string& name : names) {
          data["names"].push_back(name);
          data["columns"].push_back(Json::array());
          if (const Figure* const figure = figure_of(name)) data["figures"][name] = figure_json(*figure);
        }
      },
      [&data](const std::vector<Json>& row) {
        for (std::size_t i = 0; i < row.size(); ++i) data["columns"][i].push_back(row[i]);
      });
  store.failures(most_failures, [&data](const Json& failure) { data["failures"].push_back(failure); });
  return data;
}

}  // namespace ecube
