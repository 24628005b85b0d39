// SPDX-License-Identifier: Apache-2.0
// How rows of the option table are made: for each kind of parameter, how its text is read and written.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "models/machine/machine_parameters.h"
#include "models/machine/spelling.h"

namespace ecube::option_rows {

using MaybeProblem = std::optional<Problem>;

constexpr std::uint64_t kilo = 1'000;
constexpr std::uint64_t giga = 1'000'000'000;
constexpr std::uint64_t max_cost = 1'000'000;
constexpr std::uint64_t max_phit = 65'536;
constexpr std::uint64_t max_planes = 15;
constexpr std::uint64_t max_channels = 4;

inline std::uint64_t clock_of(const Machine& machine) {
  return static_cast<std::uint64_t>(std::llround(machine.clock_hz));
}
inline std::uint64_t core_clock_of(const Machine& machine) {
  return static_cast<std::uint64_t>(std::llround(machine.core.clock_hz));
}

inline MaybeProblem out_of_range(const Option& option) { return Problem{"is out of range", "", range(option)}; }

inline MaybeProblem read_whole(const Option& option, const Parsed<std::uint64_t>& parsed, std::uint64_t& value) {
  if (!parsed) return parsed.problem();
  if (*parsed < option.min || *parsed > option.max) return out_of_range(option);
  value = *parsed;
  return std::nullopt;
}

inline MaybeProblem read_cycles(const Option& option, std::string_view text, std::uint64_t clock_hz, Cycles& value) {
  const Parsed<Time> time = parse_time(text);
  if (!time) return time.problem();
  return read_whole(option, whole_cycles(*time, clock_hz), value);
}

inline MaybeProblem read_ratio(const Option& option, const Parsed<Ratio>& parsed, Ratio& value) {
  if (!parsed) return parsed.problem();
  if ((*parsed).num < option.min * (*parsed).den || (*parsed).num > option.max * (*parsed).den)
    return out_of_range(option);
  value = *parsed;
  return std::nullopt;
}

inline MaybeProblem read_cost(const Option& option, const Parsed<Time>& time, std::uint64_t clock_hz, Ratio& value) {
  if (!time) return time.problem();
  return read_ratio(option, ratio_cycles(*time, clock_hz), value);
}

inline MaybeProblem not_a_word(const Option& option, std::string_view text) {
  // Barriers are also named by their costs.
  if (option.key == "library.barrier" && parse_time(text)) {
    return Problem{"says where barriers are, not what they cost",
                   "a barrier is zero-byte messages: set library.signal_send and library.signal_receive",
                   range(option)};
  }
  return Problem{"is unknown", did_you_mean(text, split(option.words, '|')), range(option)};
}

inline std::optional<std::size_t> word_index(const Option& option, std::string_view text) {
  const std::vector<std::string_view> words = split(option.words, '|');
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) return std::nullopt;
  return static_cast<std::size_t>(found - words.begin());
}

/// A row of a parameter whose values are not words, and not another spelling.
constexpr Option number_row(std::string_view key, OptionKind kind, std::uint64_t min, std::uint64_t max,
                            std::string_view help, decltype(Option::read) read, decltype(Option::write) write) {
  return {key, kind, min, max, "", "", help, read, write};
}

// Rows name their field by a lambda, which serves to read and to write it.

template <typename Field>
MaybeProblem set_whole(const Option& option, const Parsed<std::uint64_t>& parsed, Machine& machine) {
  std::uint64_t number = 0;
  MaybeProblem problem = read_whole(option, parsed, number);
  auto& value = Field{}(machine);
  if (!problem) value = static_cast<std::remove_reference_t<decltype(value)>>(number);
  return problem;
}

/// A time in cycles of the network, or of another clock.
template <auto clock = clock_of, typename Field>
constexpr Option time_row(Field, std::string_view key, std::uint64_t min, std::string_view help) {
  return number_row(
      key, OptionKind::time, min, max_cycles, help,
      [](const Option& option, std::string_view text, Machine& machine) {
        return read_cycles(option, text, clock(machine), Field{}(machine));
      },
      [](const Option&, const Machine& machine) { return format_cycles(Field{}(machine)); });
}
template <typename Field>
constexpr Option core_time_row(Field field, std::string_view key, std::string_view help) {
  return time_row<core_clock_of>(field, key, 0, help);
}

template <typename Field>
constexpr Option word_row(Field, std::string_view key, std::string_view words, std::string_view help) {
  Option row = number_row(
      key, OptionKind::word, 0, 0, help,
      [](const Option& option, std::string_view text, Machine& machine) -> MaybeProblem {
        const auto index = word_index(option, text);
        if (!index) return not_a_word(option, text);
        auto& value = Field{}(machine);
        value = static_cast<std::remove_reference_t<decltype(value)>>(*index);
        return std::nullopt;
      },
      [](const Option& option, const Machine& machine) {
        return std::string(split(option.words, '|')[static_cast<std::size_t>(Field{}(machine))]);
      });
  row.words = words;
  return row;
}

template <typename Field>
constexpr Option frequency_row(Field, std::string_view key, std::string_view help) {
  return number_row(
      key, OptionKind::frequency, kilo, 100 * giga, help,
      [](const Option& option, std::string_view text, Machine& machine) {
        return set_whole<Field>(option, parse_frequency(text), machine);
      },
      [](const Option&, const Machine& machine) {
        return format_frequency(static_cast<std::uint64_t>(std::llround(Field{}(machine))));
      });
}

/// The clock of the network, and until core.clock is given that of the core.
constexpr Option clock_row = number_row(
    "clock", OptionKind::frequency, kilo, 100 * giga,
    "Clock of the network, in which all time is counted; times in seconds become cycles of this clock",
    [](const Option& option, std::string_view text, Machine& machine) {
      std::uint64_t hertz = 0;
      MaybeProblem problem = read_whole(option, parse_frequency(text), hertz);
      if (!problem) machine.clock_hz = machine.core.clock_hz = static_cast<double>(hertz);
      return problem;
    },
    [](const Option&, const Machine& machine) { return format_frequency(clock_of(machine)); });

constexpr Option cycles_per_phit_row = number_row(
    "link.cycles_per_phit", OptionKind::time_per_phit, 1, max_cost,
    "Cycles from one phit to the next on a link, at least 1, not necessarily a whole number",
    [](const Option& option, std::string_view text, Machine& machine) {
      return read_cost(option, parse_time(text), clock_of(machine), machine.link.cycles_per_phit);
    },
    [](const Option&, const Machine& machine) { return format_ratio(machine.link.cycles_per_phit) + " cycles"; });

constexpr Option bandwidth_row = {
    "link.bandwidth",
    OptionKind::bandwidth,
    1,
    1'000'000 * giga,
    "",
    "link.cycles_per_phit",
    "Bytes per second of one direction of a link: sets link.cycles_per_phit to phit * clock / bandwidth",
    [](const Option& option, std::string_view text, Machine& machine) -> MaybeProblem {
      Ratio rate;
      if (MaybeProblem problem = read_ratio(option, parse_bandwidth(text), rate)) return problem;
      const Parsed<Ratio> cycles = phit_cycles(machine.link.phit_bytes, clock_of(machine), rate);
      if (!cycles) return Problem{"makes a phit take more than 1000000 cycles", "", ""};
      if ((*cycles).num < (*cycles).den)
        return Problem{"is more than one phit (link.phit) in a cycle (clock)", "raise link.phit or clock", ""};
      machine.link.cycles_per_phit = *cycles;
      return std::nullopt;
    },
    [](const Option&, const Machine&) { return std::string(); }};

constexpr std::string_view unit_of(const Option& option) {
  return option.kind == OptionKind::time_per_byte ? "byte" : "item";
}

/// Issue cycles of the core for each byte or item.
template <typename Field>
constexpr Option per_row(Field, OptionKind kind, std::string_view key, std::string_view help) {
  return number_row(
      key, kind, 0, max_cost, help,
      [](const Option& option, std::string_view text, Machine& machine) {
        return read_cost(option, parse_time_per(text, unit_of(option)), core_clock_of(machine), Field{}(machine));
      },
      [](const Option& option, const Machine& machine) {
        return format_ratio(Field{}(machine)) + " cycles/" + std::string(unit_of(option));
      });
}
template <typename Field>
constexpr Option per_byte_row(Field field, std::string_view key, std::string_view help) {
  return per_row(field, OptionKind::time_per_byte, key, help);
}
template <typename Field>
constexpr Option per_item_row(Field field, std::string_view key, std::string_view help) {
  return per_row(field, OptionKind::time_per_item, key, help);
}

template <typename Field>
constexpr Option size_row(Field, std::string_view key, std::uint64_t min, std::uint64_t max, std::string_view help) {
  return number_row(
      key, OptionKind::size, min, max, help,
      [](const Option& option, std::string_view text, Machine& machine) {
        return set_whole<Field>(option, parse_size(text), machine);
      },
      [](const Option&, const Machine& machine) { return format_size(Field{}(machine)); });
}

template <typename Field>
constexpr Option count_row(Field, std::string_view key, std::uint64_t min, std::uint64_t max, std::string_view help) {
  return number_row(
      key, OptionKind::count, min, max, help,
      [](const Option& option, std::string_view text, Machine& machine) {
        return set_whole<Field>(option, parse_count(text), machine);
      },
      [](const Option&, const Machine& machine) { return std::to_string(Field{}(machine)); });
}

/// The same row, for one type of node only.
constexpr Option of_detailed(Option row) {
  row.node = NodeModel::detailed;
  return row;
}
constexpr Option of_rates(Option row) {
  row.node = NodeModel::rates;
  return row;
}

constexpr std::uint64_t max_address = 1ULL << 40;

/// A size of 2^i bytes, of detailed nodes.
template <typename Field>
constexpr Option power_row(Field field, std::string_view key, std::uint64_t min, std::uint64_t max,
                           std::string_view help) {
  Option row = of_detailed(size_row(field, key, min, max, help));
  row.read = [](const Option& option, std::string_view text, Machine& machine) -> MaybeProblem {
    std::uint64_t bytes = 0;
    if (MaybeProblem problem = read_whole(option, parse_size(text), bytes)) return problem;
    if (!std::has_single_bit(bytes)) return Problem{"is no power of two", "", range(option)};
    return set_whole<Field>(option, parse_size(text), machine);
  };
  return row;
}

constexpr Option ports_row = {
    "node.ports",
    OptionKind::count_or_word,
    1,
    max_simulated_dim,
    "one|n",
    "",
    "Links a node uses at the same time: one, n (one for each dimension), or at most K",
    [](const Option& option, std::string_view text, Machine& machine) -> MaybeProblem {
      if (const auto index = word_index(option, text)) {
        machine.node.ports.engines = *index == 0 ? 1 : Ports::n;
        return std::nullopt;
      }
      const Parsed<std::uint64_t> count = parse_count(text);
      if (!count) return not_a_word(option, text);
      if (*count < option.min || *count > option.max) return out_of_range(option);
      machine.node.ports.engines = static_cast<std::uint32_t>(*count);
      return std::nullopt;
    },
    [](const Option&, const Machine& machine) {
      const std::uint32_t engines = machine.node.ports.engines;
      return engines == 1 ? std::string("one") : engines == Ports::n ? std::string("n") : std::to_string(engines);
    }};

constexpr Option topology_row = number_row(
    "network.topology", OptionKind::topology, 0, 0,
    "Dimensions of the network: a complete graph or a line each; cube is the binary cube of --dim",
    [](const Option&, std::string_view text, Machine& machine) -> MaybeProblem {
      machine.network.topology.reset();
      if (text == "cube") return std::nullopt;
      const Parsed<Topology> topology = Topology::parse(text);
      if (!topology) return topology.problem();
      machine.network.topology = *topology;
      return std::nullopt;
    },
    [](const Option&, const Machine& machine) {
      return machine.network.topology ? machine.network.topology->name() : std::string("cube");
    });

}  // namespace ecube::option_rows
