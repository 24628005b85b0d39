// SPDX-License-Identifier: Apache-2.0
// From options to messages.
#include <fmt/core.h>

#include <bit>
#include <charconv>
#include <string_view>
#include <unordered_map>

#include "models/machine/spelling.h"
#include "testbench/text/text.h"
#include "testbench/text/text_file.h"
#include "testbench/traffic/traffic_experiment.h"

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
    text.append(word.word).append(" | ");
  }
  return text + "FILE";
}

constexpr std::string_view format =
    "source destination bytes cycle, then if need be 'as NAME' and 'after NAME ..', as 0 5 100 0 as first";

class TrafficReader {
 public:
  TrafficReader(const std::string& file, NodeId nodes)
      : file_(file), last_(nodes - std::uint64_t{1}), text_(numbers_of(file, "file of messages")) {}

  [[nodiscard]] TrafficList read() {
    std::uint32_t number = 0;
    for (const std::string_view line : split(text_, '\n')) read_line({line, ++number});
    if (list_.messages.empty()) {
      throw InputError(fmt::format("{} has no messages", ecube::quoted(file_))).hint(format);
    }
    for (const Wait& wait : waits_) take(wait);
    check_rings();
    return std::move(list_);
  }

 private:
  struct Line {
    std::string_view text;
    std::uint32_t number = 0;
  };
  /// The word `name` after `after`.
  struct Wait {
    std::uint32_t message;
    Line line;
    std::string_view name;
  };

  [[nodiscard]] Place place(const Line& line) const {
    return {.where = file_, .line = line.number, .text = std::string(line.text)};
  }
  [[noreturn]] void refuse(const Line& line, std::string_view word, const std::string& what,
                           const std::string& hint) const {
    Place at = place(line);
    at.column = static_cast<std::uint32_t>(word.data() - line.text.data() + 1);
    at.length = static_cast<std::uint32_t>(word.size());
    throw ContentError(InputError(what).at(at, hint),
                       fmt::format("line {} of {} has a mistake", line.number, ecube::quoted(file_)));
  }

  void read_line(const Line& text) {
    NumberLine line(text.text, place(text), format);
    if (line.blank()) return;
    TrafficMessage message;
    message.source = static_cast<NodeId>(line.number("source", last_));
    message.destination = static_cast<NodeId>(line.number("destination", last_));
    message.bytes = line.number("number of bytes", std::uint64_t{1} << 30);
    message.cycle = line.number("cycle", std::uint64_t{1} << 40);
    const auto number = static_cast<std::uint32_t>(list_.messages.size());
    std::string_view word = line.word();
    if (word == "as") {
      const std::string_view name = line.word();
      if (name.empty() || name == "after") line.refuse("no name", "as NAME");
      const auto [known, fresh] = named_.emplace(name, number);
      if (!fresh) {
        line.refuse(fmt::format("a second message {}", ecube::quoted(name)),
                    fmt::format("the first is in line {}", lines_[known->second].number));
      }
      word = line.word();
    }
    if (word == "after") {
      const std::string_view after = word;
      word = line.word();
      if (word.empty()) line.refuse("no name", "after NAME ..");
      for (; !word.empty(); word = line.word()) waits_.push_back({number, text, word});
      if (message.cycle == 0) {
        refuse(text, after, "a message that waits for others leaves 1 cycle after they have ended, or later",
               "the fourth number is the delay: 1 or more");
      }
    }
    if (!word.empty())
      line.refuse(fmt::format("{} does not belong here", ecube::quoted(word)), "as NAME | after NAME ..");
    list_.messages.push_back(message);
    lines_.push_back(text);
    if (list_.messages.size() > most_traffic_messages) {
      throw InputError(fmt::format("{} has more than {} messages", ecube::quoted(file_), most_traffic_messages));
    }
  }

  void take(const Wait& wait) {
    const auto found = named_.find(wait.name);
    if (found == named_.end()) {
      std::vector<std::string_view> names;
      names.reserve(named_.size());
      for (const auto& [name, number] : named_) names.push_back(name);
      std::sort(names.begin(), names.end());
      const std::string meant = did_you_mean(wait.name, names);
      refuse(wait.line, wait.name, fmt::format("there is no message {}", ecube::quoted(wait.name)),
             meant.empty() ? "a message gets its name by: as NAME" : meant);
    }
    const TrafficMessage& before = list_.messages[found->second];
    const NodeId node = list_.messages[wait.message].source;
    if (before.source != node && before.destination != node) {
      refuse(wait.line, wait.name,
             fmt::format("node {} cannot know of message {}, which goes from node {} to node {}", node,
                         ecube::quoted(wait.name), before.source, before.destination),
             "a message that its node sends or receives");
    }
    list_.dependencies.push_back({found->second, wait.message});
  }

  /// Takes away messages that wait for none until no more can be; those that stay are on a ring, or behind one.
  void check_rings() const {
    if (list_.dependencies.empty()) return;
    const std::size_t count = list_.messages.size();
    std::vector<std::uint32_t> open(count);
    std::vector<std::vector<std::uint32_t>> dependents(count);
    for (const TrafficDependency& one : list_.dependencies) {
      ++open[one.after];
      dependents[one.before].push_back(one.after);
    }
    std::vector<std::uint32_t> free;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (open[i] == 0) free.push_back(i);
    }
    for (std::size_t i = 0; i < free.size(); ++i) {
      for (const std::uint32_t after : dependents[free[i]]) {
        if (--open[after] == 0) free.push_back(after);
      }
    }
    if (free.size() < count) tell_ring(open);
  }

  /// `open` messages wait for each other: from any of them, steps to one that it waits for come to a ring.
  [[noreturn]] void tell_ring(const std::vector<std::uint32_t>& open) const {
    constexpr std::size_t none = ~std::size_t{0};
    std::vector<std::size_t> before(open.size(), none);  ///< [message]: the number of a wait for an open message
    for (std::size_t i = 0; i < waits_.size(); ++i) {
      const std::uint32_t message = waits_[i].message;
      if (open[message] > 0 && open[list_.dependencies[i].before] > 0 && before[message] == none) before[message] = i;
    }
    const auto waiting = std::find_if(open.begin(), open.end(), [](std::uint32_t n) { return n > 0; });
    auto at = static_cast<std::size_t>(waiting - open.begin());
    for (std::size_t i = 0; i < open.size(); ++i) at = list_.dependencies[before[at]].before;
    // Now on the ring.
    std::vector<Wait> ring;
    const std::size_t first = at;
    do {
      ring.push_back(waits_[before[at]]);
      at = list_.dependencies[before[at]].before;
    } while (at != first);
    constexpr std::size_t most = 8;
    const std::string text = listed(ring, most, [](const Wait& wait) {
      return fmt::format("line {} waits for {}", wait.line.number, ecube::quoted(wait.name));
    });
    refuse(ring.front().line, ring.front().name, "messages wait for each other: " + text,
           "none of them can ever leave");
  }

  const std::string& file_;
  std::uint64_t last_;
  std::string text_;
  TrafficList list_;
  std::vector<Line> lines_;  ///< [message]
  std::unordered_map<std::string_view, std::uint32_t> named_;
  std::vector<Wait> waits_;  ///< in the order of list_.dependencies
};

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

bool from_file(const TrafficArguments& arguments) { return find_word(patterns, arguments.pattern.value()) == nullptr; }

std::vector<Effect> TrafficArguments::effects(const std::string& question, const Machine& /*machine*/) const {
  const Word<TrafficPattern>* const word = find_word(patterns, pattern.value());
  const bool runs = question == "run";
  const bool draws =
      word != nullptr && (runs || !(moves_bits(word->value) || word->value == TrafficPattern::all_to_one));
  constexpr std::string_view of_file = "the file says which messages are sent, and when";
  return {{rate, word != nullptr, of_file},
          {messages, word != nullptr, of_file},
          {bytes, word != nullptr && runs, runs ? of_file : "a check asks for none"},
          {run.parameters, false, "traffic has no equation"},
          {run.seed, draws || run.jitter.given(), "nothing is drawn"}};
}

TrafficArguments with_dim(TrafficArguments arguments) {
  const std::string& file = arguments.pattern.value();
  const bool is_file = from_file(arguments) && file.find_first_of("./") != std::string::npos;
  if (!is_file || arguments.run.dim.given() || names_topology(arguments.run)) return arguments;
  NodeId last = 0;
  for (const TrafficMessage& message : read_traffic(file, Topology::cube(max_simulated_dim)).messages) {
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
  if (const Word<TrafficPattern>* const pattern = find_word(patterns, arguments.pattern.value())) {
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
        .hint("the nearest pattern is neighbor: the node across a random dimension")
        .valid(valid_patterns(topology));
  }
  // A word that is no pattern and does not look like a file's name is probably a misspelt pattern.
  if (arguments.pattern.value().find_first_of("./") == std::string::npos) {
    (void)choose("--pattern", arguments.pattern.value(), patterns);
  }
  TrafficList list = read_traffic(arguments.pattern.value(), topology);
  return {std::move(list.messages), list.dependencies, topology};
}

TrafficList read_traffic(const std::string& file, const Topology& topology) {
  return TrafficReader(file, topology.nodes()).read();
}

}  // namespace ecube
