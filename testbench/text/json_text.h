// SPDX-License-Identifier: Apache-2.0
// The version of the program's JSON, and JSON from files that anybody may have written.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ecube {

/// Members stay in the order in which they are written.
using Json = nlohmann::ordered_json;

/// The member "schema" of every object that the program writes. It rises when a member changes its meaning or goes.
inline constexpr int json_schema = 2;

/// How deep JSON may nest: printing it again takes stack for every level. The program's own nests less than ten deep.
inline constexpr int max_json_depth = 64;

/// The value of a text; nothing when the text is no JSON, or nests deeper than max_json_depth.
[[nodiscard]] std::optional<Json> parse_json(std::string_view text);

/// null for none.
template <class Value>
[[nodiscard]] Json json_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

template <class Elements, class JsonOf>
[[nodiscard]] Json json_list(const Elements& elements, const JsonOf& json_of) {
  Json list = Json::array();
  for (const auto& element : elements) list.push_back(json_of(element));
  return list;
}

/// As it is printed and kept in files. Bytes that are no UTF-8, from what the user typed, are replaced.
[[nodiscard]] std::string json_text(const Json& json);

/// Prints the answer of a command on standard output: its schema, its name, then `members`. Returns its exit status.
int print_json(std::string_view command, const Json& members, int status = 0);

}  // namespace ecube
