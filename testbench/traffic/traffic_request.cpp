// SPDX-License-Identifier: Apache-2.0
// From options to messages.
#include "testbench/traffic/traffic_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "testbench/traffic/traffic_file.h"

namespace ecube {

namespace {

constexpr Word<TrafficPattern> patterns[] = {
    {"uniform", TrafficPattern::uniform},      {"bitcomp", TrafficPattern::bitcomp},
    {"bitrev", TrafficPattern::bitrev},        {"transpose", TrafficPattern::transpose},
    {"shuffle", TrafficPattern::shuffle},      {"randperm", TrafficPattern::randperm},
    {"neighbor", TrafficPattern::neighbor},    {"hotspot", TrafficPattern::hotspot},
    {"all-to-one", TrafficPattern::all_to_one}};

constexpr double most_rate = 1000.0;
constexpr double least_rate = 1e-6;  ///< gaps of 10^9 cycles
constexpr std::size_t most_rates = 64;

const Word<TrafficPattern>* known(const std::string& pattern) {
  for (const Word<TrafficPattern>& word : patterns) {
    if (word.word == pattern) return &word;
  }
  return nullptr;
}

/// Patterns that change the bits of an address.
bool moves_bits(TrafficPattern pattern) {
  return pattern == TrafficPattern::bitcomp || pattern == TrafficPattern::bitrev ||
         pattern == TrafficPattern::transpose || pattern == TrafficPattern::shuffle;
}

bool defined_for(TrafficPattern pattern, const Topology& topology) {
  if (moves_bits(pattern) && !std::has_single_bit(topology.nodes())) return false;
  return pattern != TrafficPattern::transpose || topology.label_bits() % 2 == 0;
}

std::string valid_patterns(const Topology& topology) {
  std::string text;
  for (const Word<TrafficPattern>& word : patterns) {
    if (!defined_for(word.value, topology)) continue;
    text += (text.empty() ? "" : " | ") + std::string(word.word);
  }
  return text + " | FILE";
}

}  // namespace

std::vector<double> rates_of(const std::string& text) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("--rate {} {}", ecube::quoted(text), why))
        .hint("messages of each node per 1,000 cycles, 0.000001 .. 1000: 5, or 1,2,5, or 1:64 (doubling), or 2:20:2");
  };
  const auto number = [&](std::string_view word) {
    double value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (problem != std::errc() || end != word.data() + word.size()) refuse("is no rate");
    if (!(value >= least_rate && value <= most_rate)) refuse("is out of range");
    return value;
  };
  const auto split = [](std::string_view rest, char at) {
    std::vector<std::string_view> words;
    for (std::size_t place = rest.find(at); place != std::string_view::npos; place = rest.find(at)) {
      words.push_back(rest.substr(0, place));
      rest.remove_prefix(place + 1);
    }
    words.push_back(rest);
    return words;
  };
  std::vector<double> rates;
  const std::vector<std::string_view> range = split(text, ':');
  if (range.size() > 3) refuse("is no range");
  if (range.size() == 1) {
    for (const std::string_view word : split(text, ',')) rates.push_back(number(word));
  } else {
    const double from = number(range[0]);
    const double to = number(range[1]);
    if (from > to) refuse("ends before it begins");
    constexpr double slack = 1 + 1e-9;
    const double step = range.size() == 3 ? number(range[2]) : 0;
    for (std::size_t i = 0; rates.size() <= most_rates; ++i) {
      const double rate = step > 0 ? from + static_cast<double>(i) * step : (rates.empty() ? from : 2 * rates.back());
      if (rate > to * slack) break;
      rates.push_back(rate);
    }
  }
  if (rates.size() > most_rates) refuse(fmt::format("has more than {} rates", most_rates));
  return rates;
}

bool from_file(const TrafficArguments& arguments) { return known(arguments.pattern.value()) == nullptr; }

TrafficArguments with_dim(TrafficArguments arguments) {
  const std::string& file = arguments.pattern.value();
  const bool is_file = from_file(arguments) && file.find_first_of("./") != std::string::npos;
  if (!is_file || arguments.run.dim.given() || names_topology(arguments.run)) return arguments;
  NodeId last = 0;
  for (const TrafficMessage& message : read_traffic(file, max_simulated_dim).messages) {
    last = std::max({last, message.source, message.destination});
  }
  arguments.run.dim = dim_for(std::uint64_t{last} + 1);
  return arguments;
}

TrafficPlan plan_of(const TrafficArguments& arguments, const RunSetup& setup, double rate) {
  TrafficWorkload workload;
  workload.bytes = arguments.bytes.value();
  const Topology topology = setup.topology();
  const auto most = static_cast<std::int64_t>(most_traffic_messages / topology.nodes());
  workload.messages = arguments.messages.within(1, most);
  workload.seed = setup.conditions.seed;
  workload.rate = rate;
  if (const Word<TrafficPattern>* const pattern = known(arguments.pattern.value())) {
    workload.pattern = pattern->value;
    if (moves_bits(workload.pattern) && !std::has_single_bit(topology.nodes())) {
      throw InputError(fmt::format("--pattern {} changes the bits of addresses, and {} has {} nodes, no power of two",
                                   pattern->word, topology.name(), topology.nodes()))
          .valid(valid_patterns(topology));
    }
    if (!defined_for(workload.pattern, topology)) {
      throw InputError(fmt::format("--pattern transpose is not defined for d = {}: the two halves of an address change "
                                   "places, which takes an even number of bits",
                                   setup.dim))
          .hint("give an even --dim, or another pattern")
          .valid(valid_patterns(topology));
    }
    return {workload, topology};
  }
  if (arguments.pattern.value() == "tornado") {
    throw InputError(
        "--pattern tornado is not defined for a hypercube: it sends almost half the way round each ring, "
        "and the rings of radix 2 have no half-way but the neighbour")
        .hint("neighbor is what is left of it: the node across a dimension, here a random one")
        .valid(valid_patterns(topology));
  }
  // A word that is no pattern and does not look like a file's name is probably a misspelt pattern.
  if (arguments.pattern.value().find_first_of("./") == std::string::npos) {
    (void)choose("--pattern", arguments.pattern.value(), patterns);
  }
  TrafficList list = read_traffic(arguments.pattern.value(), topology);
  if (list.dependencies.empty()) return {std::move(list.messages), topology};
  return {std::move(list.messages), list.dependencies, topology};
}

}  // namespace ecube
