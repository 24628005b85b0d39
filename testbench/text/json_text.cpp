// SPDX-License-Identifier: Apache-2.0
#include "testbench/text/json_text.h"

#include <fmt/core.h>

namespace ecube {

std::optional<nlohmann::ordered_json> parse_json(std::string_view text) {
  bool deep = false;
  const auto shallow = [&deep](int depth, nlohmann::ordered_json::parse_event_t /*event*/,
                               nlohmann::ordered_json& /*value*/) {
    deep = deep || depth > max_json_depth;
    return !deep;
  };
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text, shallow, false);
  if (deep || json.is_discarded()) return std::nullopt;
  return json;
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print_json(std::string_view command, const nlohmann::ordered_json& members) {
  nlohmann::ordered_json json = {{"schema", json_schema}, {"command", command}};
  json.update(members);
  fmt::print("{}", json_text(json));
}

}  // namespace ecube
