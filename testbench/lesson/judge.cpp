// SPDX-License-Identifier: Apache-2.0
// Inequalities over runs.
#include <fmt/core.h>

#include <optional>
#include <stdexcept>

#include "testbench/lesson/lesson.h"

namespace ecube {

namespace {

using Json = nlohmann::ordered_json;

/// A side of an inequality: {"run", "figure"} is the figure at this place of a run's summary, "times" a factor,
/// "minus" another side to be taken away; {"number"} stands for itself.
struct Side {
  std::optional<double> value;
  std::string text;
};

Side side_of(const Json& side, const Json& summaries) {
  if (side.contains("number")) {
    const double number = side["number"];
    return {.value = number, .text = fmt::format("{:.6g}", number)};
  }
  const std::string run = side.at("run");
  const std::string place = side.at("figure");
  const double times = side.value("times", 1.0);
  Side result;
  result.text = fmt::format("{}{} of {}", times == 1 ? "" : fmt::format("{:g} times ", times), place, run);
  if (!summaries.contains(run))
    throw std::logic_error("a statement is about a run that its lesson does not make: " + run);
  const Json::json_pointer pointer(place);
  if (summaries[run].is_object() && summaries[run].contains(pointer) && summaries[run][pointer].is_number()) {
    result.value = times * summaries[run][pointer].get<double>();
  }
  if (side.contains("minus")) {
    const Side less = side_of(side["minus"], summaries);
    result.text += " less " + less.text;
    result.value = result.value && less.value ? std::optional(*result.value - *less.value) : std::nullopt;
  }
  result.text += result.value ? fmt::format(" ({:.6g})", *result.value) : " (that run did not finish)";
  return result;
}

}  // namespace

std::vector<Statement> judge(const Json& statements, const Json& summaries) {
  std::vector<Statement> result;
  for (const auto& [id, inequality] : statements.items()) {
    const Side left = side_of(inequality.at("left"), summaries);
    const Side right = side_of(inequality.at("right"), summaries);
    const std::string relation = inequality.at("is");
    const bool known = left.value && right.value;
    bool holds = false;
    if (relation == "less than") {
      holds = known && *left.value < *right.value;
    } else if (relation == "at most") {
      holds = known && *left.value <= *right.value;
    } else {
      throw std::logic_error("a statement has no such relation: " + relation);
    }
    result.push_back({.id = id, .text = fmt::format("{} is {} {}", left.text, relation, right.text), .holds = holds});
  }
  return result;
}

}  // namespace ecube
