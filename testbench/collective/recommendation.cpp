// SPDX-License-Identifier: Apache-2.0
// The answer of `best` as a table and as JSON.
#include "testbench/collective/recommendation.h"

#include <fmt/format.h>

#include <bit>

#include "models/fit/equation_gaps.h"
#include "models/machine/error.h"
#include "testbench/run/run_arguments.h"
#include "testbench/system/process.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text.h"

namespace ecube {

std::vector<Ports> port_choices(const Machine& machine, unsigned dim) {
  constexpr std::uint32_t all_up_to = 64;
  std::vector<Ports> choices = {machine.node.ports};
  const std::uint32_t most = machine.node.ports.used(dim);
  for (std::uint32_t count = most - 1; count >= machine.fewest_ports(dim); --count) {
    if (count <= all_up_to || std::has_single_bit(count)) choices.push_back({.engines = count});
  }
  return choices;
}

std::string run_command(const std::string& workload, const RunArguments& arguments, Ports ports) {
  return own_command() + " run " + workload + machine_words(on_ports(arguments, ports_word(ports)));
}

std::uint64_t measured_messages(const Machine& machine, unsigned dim, std::uint64_t messages, Bytes longest) {
  if (machine.network.switching != Switching::store_and_forward) return messages;
  return messages * dim * std::max<std::uint64_t>(1, quotient_up(longest, machine.network.packet_bytes));
}

LeftOut::LeftOut(const TextOption& params, std::vector<std::string> gaps, double predicted_us, unsigned dim,
                 Bytes longest, TestBench& bench, const Run& run)
    : predicted_us_(predicted_us) {
  if (!params.given()) gaps_ = std::move(gaps);
  if (gaps_.empty() || dim > max_tried_dim) return;
  try {
    Benches benches(bench);
    const std::unique_ptr<Experiment> experiment = run(benches);
    const std::uint64_t circuits = experiment->size().circuits;
    if (measured_messages(experiment->setup().machine, dim, circuits, longest) > most_measured_messages) return;
    experiment->run();
    measured_us_ = finished_us(experiment->measurement().result);
  } catch (const InputError&) {  // predictions reach further than runs
  }
}

int LeftOut::tell(std::string_view workload, bool json, Json object, const std::function<void()>& answer) const {
  if (!json) {
    answer();
    if (!gaps_.empty()) {
      fmt::print("{}{}", leaves_out_note(gaps_),
                 measured_us_
                     ? fmt::format("measured on the machine: {:.3f} us, error {}\n", *measured_us_,
                                   percent(deviation_percent(*measured_us_, predicted_us_)))
                     : fmt::format("too large to be run here (at most {} messages, --dim {}): `run` prints the error\n",
                                   grouped(most_measured_messages), max_tried_dim));
    }
    return 0;
  }
  if (!gaps_.empty()) object["leaves_out"] = gaps_;
  if (measured_us_) {
    object["measured_us"] = *measured_us_;
    object["error_percent"] = deviation_percent(*measured_us_, predicted_us_);
  }
  return print_json(fmt::format("predict {}", workload), object);
}

std::string measured_limit_help() {
  return fmt::format(
      "Where the equation leaves out something that the machine does, the candidates are run on it and the least\n"
      "measured time is recommended, up to --dim {} and {} messages of all of them together (some seconds); the "
      "output\n"
      "says what is left out, and whether the recommendation is measured or an estimate.\n\n",
      max_tried_dim, grouped(most_measured_messages));
}

namespace {

constexpr std::size_t most_rows = 20;

bool measured(const Recommendation& answer) {
  return std::ranges::any_of(answer.candidates, [](const Candidate& one) { return one.was_run; });
}

std::string command_of(const Recommendation& answer) {
  if (!answer.runnable || answer.candidates.empty()) return {};
  const Candidate& best = answer.candidates.front();
  return run_command(answer.workload, answer.run, best.ports) + answer.options + best.options +
         (answer.data_bytes > available_memory() ? " --payload checks" : "");
}

Json json_of(const Candidate& one) {
  Json json = one.choice;
  json["ports"] = ports_word(one.ports);
  json["us"] = json_or_null(one.us());
  if (one.predicted_us) json["predicted_us"] = *one.predicted_us;
  json["from"] = one.was_run ? "measurement" : "equation";
  return json;
}

Json json_of(const Recommendation& answer) {
  Json json = answer.about;
  json["best"] = json_of(answer.candidates.front());
  if (const std::string command = command_of(answer); !command.empty()) json["best"]["run"] = command;
  json["candidates"] = json_list(answer.candidates, [](const Candidate& one) { return json_of(one); });
  if (answer.by_equation) json["by_equation"] = json_of(*answer.by_equation);
  if (!answer.more.is_null()) json.update(answer.more);
  if (!answer.leaves_out.empty()) json["leaves_out"] = answer.leaves_out;
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
  if (json) return print_json("best " + answer.workload, json_of(answer));
  print_table(answer);
  notes();
  if (!answer.leaves_out.empty()) {
    fmt::print("{}{}", leaves_out_note(answer.leaves_out),
               measured(answer)
                   ? "so the candidates were run on the machine, and the recommendation is the least measured time\n"
                   : fmt::format("and running the candidates would take too long (at most {} messages together, --dim "
                                 "{}):\n  the recommendation is an estimate\n",
                                 grouped(most_measured_messages), max_tried_dim));
  }
  if (const std::string command = command_of(answer); !command.empty()) fmt::print("run it: {}\n", command);
  return 0;
}

}  // namespace ecube
