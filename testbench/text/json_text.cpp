// SPDX-License-Identifier: Apache-2.0
#include "testbench/text/json_text.h"

#include <fmt/core.h>

namespace ecube {

std::optional<Json> parse_json(std::string_view text) {
  bool deep = false;
  const auto shallow = [&deep](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    deep = deep || depth > max_json_depth;
    return !deep;
  };
  Json json = Json::parse(text, shallow, false);
  if (deep || json.is_discarded()) return std::nullopt;
  return json;
}

std::string json_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

int print_json(std::string_view command, const Json& members, int status) {
  Json json = {{"schema", json_schema}, {"command", command}};
  json.update(members);
  fmt::print("{}", json_text(json));
  return status;
}

}  // namespace ecube
