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
  if (!summaries.contains(run))
    throw std::logic_error("a statement is about a run that its lesson does not make: " + run);
  const Json& summary = summaries[run];
  const Json::json_pointer pointer(place);
  const bool known = summary.is_object() && summary.contains(pointer) && summary[pointer].is_number();
  if (known) result.value = times * summary[pointer].get<double>();
  const bool finished = summary.is_object() && !summary.contains("stalled");
  result.text = fmt::format("{}{} of {} ({})", times == 1 ? "" : fmt::format("{:g} times ", times), place, run,
                            known      ? fmt::format("{:.6g}", *result.value)
                            : finished ? "that run finished without one"
                                       : "that run did not finish");
  if (side.contains("minus")) {
    const Side less = side_of(side["minus"], summaries);
    result.value = result.value && less.value ? std::optional(*result.value - *less.value) : std::nullopt;
    result.text += " less " + less.text + (result.value ? fmt::format(", which is {:.6g},", *result.value) : "");
  }
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
