// SPDX-License-Identifier: Apache-2.0
// The answer of `best` as a table and as JSON.
#include "testbench/collective/recommendation.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/fit/deviation.h"
#include "testbench/collective/equation_note.h"
#include "testbench/collective/port_choices.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

constexpr std::size_t most_rows = 20;

bool measured(const Recommendation& answer) {
  return std::ranges::any_of(answer.candidates, [](const Candidate& one) { return one.was_run; });
}

std::string command_of(const Recommendation& answer) {
  if (!answer.runnable || answer.candidates.empty()) return {};
  const Candidate& best = answer.candidates.front();
  return run_command(answer.workload, answer.run, best.ports) + answer.options + best.options;
}

nlohmann::ordered_json json_of(const Candidate& one) {
  nlohmann::ordered_json json = one.choice;
  json["ports"] = ports_word(one.ports);
  json["us"] = nullptr;
  if (const auto us = one.us()) json["us"] = *us;
  if (one.predicted_us) json["predicted_us"] = *one.predicted_us;
  json["from"] = one.was_run ? "measurement" : "equation";
  return json;
}

nlohmann::ordered_json json_of(const Recommendation& answer) {
  nlohmann::ordered_json json = answer.about;
  json["best"] = json_of(answer.candidates.front());
  if (const std::string command = command_of(answer); !command.empty()) json["best"]["run"] = command;
  json["candidates"] = nlohmann::ordered_json::array();
  for (const Candidate& one : answer.candidates) json["candidates"].push_back(json_of(one));
  if (answer.by_equation) json["by_equation"] = json_of(*answer.by_equation);
  if (!answer.more.is_null()) json.update(answer.more);
  add_leaves_out(json, answer.leaves_out);
  return json;
}

void print_table(const Recommendation& answer) {
  const bool run = measured(answer);
  std::size_t width = 26;
  for (const Candidate& one : answer.candidates) width = std::max(width, one.name.size());
  fmt::print("{}\n\n{:<9} {:<{}} {:>5}", answer.title, "", answer.kind, width, "ports");
  for (const std::string& column : answer.columns) fmt::print(" {:>12}", column);
  fmt::print(" {:>15}{}\n", "predicted us", run ? fmt::format(" {:>15} {:>9}", "measured us", "error") : "");
  const std::optional<double> least = answer.candidates.front().us();
  const auto row = [&](const std::string& what, const Candidate& one) {
    fmt::print("{:<9} {:<{}} {:>5}", what, one.name, width, ports_word(one.ports));
    for (const std::string& cell : one.cells) fmt::print(" {:>12}", cell);
    fmt::print(" {:>15}", one.predicted_us ? fmt::format("{:.3f}", *one.predicted_us) : "none");
    if (run) {
      fmt::print(
          " {:>15} {:>9}",
          one.measured_us ? fmt::format("{:.3f}", *one.measured_us)
          : one.was_run   ? "unfinished"
                          : "",
          one.measured_us && one.predicted_us ? percent(deviation_percent(*one.measured_us, *one.predicted_us)) : "");
    }
    if (one.us() && least && *least > 0) fmt::print("  {:>9.4g} x", *one.us() / *least);
    fmt::print("{}\n", one.remark);
  };
  const std::size_t rows = std::min(answer.candidates.size(), most_rows);
  for (std::size_t i = 0; i < rows; ++i) row(i == 0 ? "best" : "", answer.candidates[i]);
  if (rows < answer.candidates.size()) fmt::print("and {} more; --json lists all\n", answer.candidates.size() - rows);
  if (answer.by_equation) row("equation", *answer.by_equation);
  for (const auto& [name, one] : answer.beside) row(name, one);
  fmt::print("\n");
}

}  // namespace

int tell(const Recommendation& answer, bool json, const std::function<void()>& notes) {
  if (json) {
    print_json("best " + answer.workload, json_of(answer));
    return 0;
  }
  print_table(answer);
  notes();
  fmt::print("{}", leaves_out_note(answer.leaves_out, measured(answer)));
  if (const std::string command = command_of(answer); !command.empty()) fmt::print("run it: {}\n", command);
  return 0;
}

}  // namespace ecube
