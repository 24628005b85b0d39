// SPDX-License-Identifier: Apache-2.0
// The option table: its rows and the texts made from it.
#include "models/options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "models/error.h"

namespace ecube {
namespace {

using MaybeProblem = std::optional<Problem>;

constexpr std::uint64_t kilo = 1'000;
constexpr std::uint64_t giga = 1'000'000'000;
constexpr std::uint64_t max_cost = 1'000'000;
constexpr std::uint64_t max_phit = 65'536;
constexpr std::size_t text_width = 120;

std::uint64_t clock_of(const Machine& machine) { return static_cast<std::uint64_t>(std::llround(machine.clock_hz)); }

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    words.push_back(list.substr(0, list.find('|')));
    list.remove_prefix(std::min(words.back().size() + 1, list.size()));
  }
  return words;
}

MaybeProblem out_of_range(const Option& option) { return Problem{"is out of range", "", range(option)}; }

MaybeProblem read_whole(const Option& option, const Parsed<std::uint64_t>& parsed, std::uint64_t& value) {
  if (!parsed) return parsed.problem();
  if (*parsed < option.min || *parsed > option.max) return out_of_range(option);
  value = *parsed;
  return std::nullopt;
}

MaybeProblem read_cycles(const Option& option, std::string_view text, const Machine& machine, Cycles& value) {
  const Parsed<Time> time = parse_time(text);
  if (!time) return time.problem();
  return read_whole(option, whole_cycles(*time, clock_of(machine)), value);
}

MaybeProblem read_ratio(const Option& option, const Parsed<Ratio>& parsed, Ratio& value) {
  if (!parsed) return parsed.problem();
  if ((*parsed).num < option.min * (*parsed).den || (*parsed).num > option.max * (*parsed).den)
    return out_of_range(option);
  value = *parsed;
  return std::nullopt;
}

MaybeProblem read_cost(const Option& option, const Parsed<Time>& time, const Machine& machine, Ratio& value) {
  if (!time) return time.problem();
  return read_ratio(option, ratio_cycles(*time, clock_of(machine)), value);
}

MaybeProblem not_a_word(const Option& option, std::string_view text) {
  return Problem{"is unknown", did_you_mean(text, words_of(option.words)), range(option)};
}

std::optional<std::size_t> word_index(const Option& option, std::string_view text) {
  const std::vector<std::string_view> words = words_of(option.words);
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) return std::nullopt;
  return static_cast<std::size_t>(found - words.begin());
}

// The rows below name a field by a lambda `field`, which serves to read and to write it.

template <typename Field>
constexpr Option time_row(std::string_view key, std::uint64_t min, std::string_view help, Field) {
  return {key,
          OptionKind::time,
          min,
          max_cycles,
          "",
          "",
          help,
          [](const Option& option, std::string_view text, Machine& machine) {
            return read_cycles(option, text, machine, Field{}(machine));
          },
          [](const Option&, const Machine& machine) { return format_cycles(Field{}(machine)); }};
}

template <typename Field>
constexpr Option word_row(std::string_view key, std::string_view words, std::string_view help, Field) {
  return {key,
          OptionKind::word,
          0,
          0,
          words,
          "",
          help,
          [](const Option& option, std::string_view text, Machine& machine) -> MaybeProblem {
            const auto index = word_index(option, text);
            if (!index) return not_a_word(option, text);
            auto& value = Field{}(machine);
            value = static_cast<std::remove_reference_t<decltype(value)>>(*index);
            return std::nullopt;
          },
          [](const Option& option, const Machine& machine) {
            return std::string(words_of(option.words)[static_cast<std::size_t>(Field{}(machine))]);
          }};
}

constexpr Option clock_row = {
    "clock",
    OptionKind::frequency,
    kilo,
    100 * giga,
    "",
    "",
    "Clock of the whole machine; times in seconds become cycles of this clock",
    [](const Option& option, std::string_view text, Machine& machine) {
      std::uint64_t hertz = 0;
      MaybeProblem problem = read_whole(option, parse_frequency(text), hertz);
      if (!problem) machine.clock_hz = static_cast<double>(hertz);
      return problem;
    },
    [](const Option&, const Machine& machine) { return format_frequency(clock_of(machine)); }};

constexpr Option phit_row = {
    "link.phit",
    OptionKind::size,
    1,
    max_phit,
    "",
    "",
    "Bytes a link carries as one unit; a message takes whole phits",
    [](const Option& option, std::string_view text, Machine& machine) {
      std::uint64_t bytes = 0;
      MaybeProblem problem = read_whole(option, parse_size(text), bytes);
      if (!problem) machine.link.phit_bytes = static_cast<std::uint32_t>(bytes);
      return problem;
    },
    [](const Option&, const Machine& machine) { return format_size(machine.link.phit_bytes); }};

constexpr Option cycles_per_phit_row = {
    "link.cycles_per_phit",
    OptionKind::time_per_phit,
    1,
    max_cost,
    "",
    "",
    "Cycles from one phit to the next on a link, at least 1, not necessarily a whole number",
    [](const Option& option, std::string_view text, Machine& machine) {
      return read_cost(option, parse_time(text), machine, machine.link.cycles_per_phit);
    },
    [](const Option&, const Machine& machine) { return format_ratio(machine.link.cycles_per_phit) + " cycles"; }};

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

constexpr Option permute_row = {"node.permute",
                                OptionKind::time_per_byte,
                                0,
                                max_cost,
                                "",
                                "",
                                "Processor time to permute blocks in memory, for each byte (rho)",
                                [](const Option& option, std::string_view text, Machine& machine) {
                                  return read_cost(option, parse_time_per(text, "byte"), machine,
                                                   machine.node.permute_cycles_per_byte);
                                },
                                [](const Option&, const Machine& machine) {
                                  return format_ratio(machine.node.permute_cycles_per_byte) + " cycles/byte";
                                }};

constexpr Option combine_row = {"node.combine",
                                OptionKind::time_per_item,
                                0,
                                max_cost,
                                "",
                                "",
                                "Processor time to combine two items into one (gamma)",
                                [](const Option& option, std::string_view text, Machine& machine) {
                                  return read_cost(option, parse_time_per(text, "item"), machine,
                                                   machine.node.combine_cycles_per_item);
                                },
                                [](const Option&, const Machine& machine) {
                                  return format_ratio(machine.node.combine_cycles_per_item) + " cycles/item";
                                }};

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

constexpr std::array table = {
    clock_row,
    phit_row,
    cycles_per_phit_row,
    bandwidth_row,
    time_row(
        "router.route", 1, "Cycles a router takes to find the output for a probe (r)",
        [](auto& machine) -> auto& { return machine.router.route_cycles; }),
    time_row(
        "network.accept", 1, "Cycles a network interface takes to accept a circuit (A)",
        [](auto& machine) -> auto& { return machine.network.accept_cycles; }),
    word_row(
        "network.distance", "real|fixed",
        "Whether a circuit's set-up depends on its hops or is padded to the constant network.setup",
        [](auto& machine) -> auto& { return machine.network.distance; }),
    time_row(
        "network.setup", 0,
        "Set-up of a one-phit message, probe to receiver ready, where network.distance is fixed (F)",
        [](auto& machine) -> auto& { return machine.network.setup_cycles; }),
    ports_row,
    word_row(
        "node.startups", "queued|overlapped",
        "Whether start-ups occupy the node's processor one after the other or belong to its ports",
        [](auto& machine) -> auto& { return machine.node.startups; }),
    time_row(
        "node.startup", 0, "Start-up of a message with bytes, before its probe leaves (part of lambda)",
        [](auto& machine) -> auto& { return machine.node.startup_cycles; }),
    time_row(
        "node.startup_zero", 0, "Start-up of a message of zero bytes",
        [](auto& machine) -> auto& { return machine.node.startup_zero_cycles; }),
    permute_row,
    combine_row,
    word_row(
        "library.protocol", "none|forced|unforced",
        "Message protocol: forced discards a message nobody waits for, unforced reserves room for long ones",
        [](auto& machine) -> auto& { return machine.library.protocol; }),
    word_row(
        "library.barrier", "none|phase|step", "Where a complete exchange synchronises all nodes",
        [](auto& machine) -> auto& { return machine.library.barrier; }),
    word_row(
        "library.identity_shuffle", "charge|skip", "Whether a permutation that moves nothing is paid for",
        [](auto& machine) -> auto& { return machine.library.identity_shuffle; }),
};

std::string amount(const Option& option, std::uint64_t value) {
  switch (option.kind) {
    case OptionKind::frequency:
      return format_frequency(value);
    case OptionKind::size:
      return format_size(value);
    case OptionKind::time:
    case OptionKind::time_per_phit:
      return format_cycles(value);
    case OptionKind::time_per_byte:
      return std::to_string(value) + " cycles/byte";
    case OptionKind::time_per_item:
      return std::to_string(value) + " cycles/item";
    case OptionKind::bandwidth:
      return std::to_string(value) + " B/s";
    case OptionKind::count_or_word:
    case OptionKind::word:
      return std::to_string(value);
  }
  return {};
}

std::string words_in_a_sentence(const Option& option, std::string_view last) {
  std::vector<std::string_view> words = words_of(option.words);
  if (!last.empty()) words.push_back(last);
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += std::string(i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + std::string(words[i]);
  return text;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 2, width), ' ');
  return text;
}

/// Appends `words`, broken so that no line exceeds text_width; lines after the first begin at column `indent`.
void append_wrapped(std::string& text, std::string_view words, std::size_t indent) {
  std::size_t column = text.size() - (text.rfind('\n') + 1);
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    if (column > indent && column + 1 + word.size() > text_width) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) text += ' ', ++column;
    text += word;
    column += word.size();
  }
}

}  // namespace

std::span<const Option> options() { return table; }

const Option* find_option(std::string_view key) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Option& option) { return option.key == key; });
  return found == table.end() ? nullptr : &*found;
}

std::string spelling(const Option& option) {
  switch (option.kind) {
    case OptionKind::frequency:
      return "\"40 MHz\"";
    case OptionKind::size:
      return "\"4 B\"";
    case OptionKind::time:
      return "\"3800 cycles\" or \"95 us\"";
    case OptionKind::time_per_phit:
      return "\"63.04 cycles\" or \"1.576 us\"";
    case OptionKind::time_per_byte:
      return "\"21.6 cycles/byte\" or \"0.54 us/byte\"";
    case OptionKind::time_per_item:
      return "\"14 cycles/item\" or \"0.35 us/item\"";
    case OptionKind::bandwidth:
      return "\"2.8 MB/s\"";
    case OptionKind::count_or_word:
      return words_in_a_sentence(option, "a number");
    case OptionKind::word:
      return words_in_a_sentence(option, "");
  }
  return {};
}

std::string range(const Option& option) {
  const std::string numbers = amount(option, option.min) + " to " + amount(option, option.max);
  if (option.kind == OptionKind::count_or_word) return words_in_a_sentence(option, numbers);
  return option.words.empty() ? numbers : spelling(option);
}

std::string default_value(const Option& option) {
  const std::string value = option.write(option, Machine{});
  return value.empty() ? "-" : value;
}

std::string options_as_text() {
  constexpr std::size_t key_width = 26;
  constexpr std::size_t default_width = 18;
  std::string text = padded("key", key_width) + padded("default", default_width) + "meaning; values\n";
  for (const Option& option : table) {
    text += padded(std::string(option.key), key_width) + padded(default_value(option), default_width);
    std::string meaning = std::string(option.help) + "; " + range(option);
    if (option.words.empty()) meaning += ", as " + spelling(option);
    append_wrapped(text, meaning, key_width + default_width);
    text += "\n";
  }
  return text;
}

std::string options_as_markdown() {
  std::string text = "| key | default | values | spelled | meaning |\n|---|---|---|---|---|\n";
  for (const Option& option : table)
    text += "| `" + std::string(option.key) + "` | " + default_value(option) + " | " + range(option) + " | " +
            spelling(option) + " | " + std::string(option.help) + " |\n";
  return text;
}

std::string machine_as_toml(const Machine& machine) {
  std::string text = "name = \"" + machine.name + "\"\n";
  for (const Option& option : table)
    if (const std::string value = option.write(option, machine); !value.empty())
      text += std::string(option.key) + " = \"" + value + "\"\n";
  return text;
}

}  // namespace ecube
