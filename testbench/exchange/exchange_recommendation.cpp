// SPDX-License-Identifier: Apache-2.0
// Candidates of the complete exchange by measured time, as a table and as JSON.
#include "testbench/exchange/exchange_recommendation.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/fit/deviation.h"
#include "testbench/collective/equation_note.h"
#include "testbench/collective/port_choices.h"
#include "testbench/exchange/measured_best.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

/// The command that runs a candidate.
std::string command_of(const ExchangeArguments& arguments, const ExchangeCandidate& one) {
  return run_command("exchange", arguments.run, one.ports) +
         fmt::format(" --bytes {} --partition {}", arguments.bytes.value(), one.partition.name()) +
         given_words({&arguments.order, &arguments.sync, &arguments.pairing});
}

nlohmann::ordered_json tried_json(const ExchangeCandidate& one) {
  nlohmann::ordered_json json = {{"partition", parts_json(one.partition)},
                                 {"ports", ports_word(one.ports)},
                                 {"us", nullptr},
                                 {"predicted_us", one.predicted_us},
                                 {"from", "measurement"}};
  if (one.measured_us) json["us"] = *one.measured_us;
  return json;
}

}  // namespace

TriedExchanges tried_exchanges(const ExchangeArguments& arguments,
                               const std::function<TestBench&(unsigned dim)>& bench) {
  TriedExchanges tried;
  if (arguments.params.given()) return tried;
  const Machine machine = resolve(settings_of(arguments.run));
  const unsigned dim = dim_of(arguments.run, machine, max_predicted_dim);
  tried.leaves_out = exchange_gaps_of_all(machine, dim, arguments.bytes.value());
  if (tried.leaves_out.empty() || dim > max_tried_dim) return tried;
  const RunSetup setup = setup_of(arguments.run, settings_of(arguments.run));
  if (measures_exchanges(arguments, setup)) tried.candidates = measured_exchanges(bench(dim), arguments, setup);
  return tried;
}

void add_tried(nlohmann::ordered_json& json, const ExchangeArguments& arguments, const TriedExchanges& tried) {
  add_leaves_out(json, tried.leaves_out);
  if (!tried.measured()) return;
  const ExchangeCandidate& first = tried.candidates.front();
  json["by_equation"] = json["best"];
  json["best"].update(tried_json(first));
  json["best"]["average_distance_us"] = first.average_distance_us;
  json["best"]["run"] = command_of(arguments, first);
  if (json.contains("best_ports")) json["best_ports"] = ports_word(first.ports);
  json["candidates"] = nlohmann::ordered_json::array();
  for (const ExchangeCandidate& one : tried.candidates) json["candidates"].push_back(tried_json(one));
}

void print_tried(const ExchangeArguments& arguments, const TriedExchanges& tried) {
  if (tried.leaves_out.empty()) return;
  fmt::print("\n{}", leaves_out_note(tried.leaves_out, tried.measured()));
  if (!tried.measured()) return;
  fmt::print("\n{:<9} {:<26} {:>5} {:>14} {:>14} {:>9}\n", "", "partition", "ports", "predicted us", "measured us",
             "error");
  constexpr std::size_t most_rows = 20;
  for (std::size_t i = 0; i < std::min(tried.candidates.size(), most_rows); ++i) {
    const ExchangeCandidate& one = tried.candidates[i];
    fmt::print("{:<9} {:<26} {:>5} {:>14.3f} ", i == 0 ? "best" : "", one.partition.braced_name(),
               ports_word(one.ports), one.predicted_us);
    if (one.measured_us) {
      fmt::print("{:>14.3f} {:>9}\n", *one.measured_us, percent(deviation_percent(*one.measured_us, one.predicted_us)));
    } else {
      fmt::print("{:>14}\n", "unfinished");
    }
  }
  fmt::print("\n{} were run\nrun it: {}\n", counted(tried.candidates.size(), "candidate"),
             command_of(arguments, tried.candidates.front()));
}

}  // namespace ecube
