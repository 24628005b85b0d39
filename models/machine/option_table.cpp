// SPDX-License-Identifier: Apache-2.0
// The option table: every machine parameter, in the order in which a machine is resolved, and for each kind of
// parameter how its text is read and written.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <vector>

#include "models/machine/error.h"
#include "models/machine/machine_parameters.h"

namespace ecube {
namespace option_rows {
namespace {

using MaybeProblem = std::optional<Problem>;

constexpr std::uint64_t kilo = 1'000;
constexpr std::uint64_t giga = 1'000'000'000;
constexpr std::uint64_t max_cost = 1'000'000;
constexpr std::uint64_t max_phit = 65'536;
constexpr std::uint64_t max_planes = 15;
constexpr std::uint64_t max_channels = 4;
constexpr std::uint64_t max_address = 1ULL << 40;

std::uint64_t whole_hertz(double hertz) { return static_cast<std::uint64_t>(std::llround(hertz)); }
std::uint64_t clock_of(const Machine& machine) { return whole_hertz(machine.clock_hz); }
std::uint64_t core_clock_of(const Machine& machine) { return whole_hertz(machine.core.clock_hz); }

bool is_within(const Option& option, std::uint64_t number) { return option.min <= number && number <= option.max; }
bool is_within(const Option& option, const Ratio& ratio) {
  return option.min * ratio.den <= ratio.num && ratio.num <= option.max * ratio.den;
}

/// Stores a number that is within the limits of the row.
template <class Number, class Value>
MaybeProblem set(const Option& option, const Parsed<Number>& parsed, Value& value) {
  if (!parsed) return parsed.problem();
  if (!is_within(option, *parsed)) return Problem{"is out of range", "", range(option)};
  value = static_cast<Value>(*parsed);
  return std::nullopt;
}

MaybeProblem not_a_word(const Option& option, std::string_view text) {
  // Barriers are also named by their costs.
  if (option.key == "library.barrier" && parse_time(text)) {
    return Problem{"says where barriers are, not what they cost",
                   "a barrier is zero-byte messages: set library.signal_send and library.signal_receive",
                   range(option)};
  }
  return Problem{"is unknown", did_you_mean(text, split(option.words, '|')), range(option)};
}

std::optional<std::size_t> word_index(const Option& option, std::string_view text) {
  const std::vector<std::string_view> words = split(option.words, '|');
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) return std::nullopt;
  return static_cast<std::size_t>(found - words.begin());
}

// Kinds of numbers.

std::string written_frequency(double hertz) { return format_frequency(whole_hertz(hertz)); }
std::string written_count(std::uint64_t count) { return std::to_string(count); }

/// A whole number that no clock changes.
template <OptionKind of, auto parse, auto format>
struct Plain {
  static constexpr OptionKind kind = of;
  static Parsed<std::uint64_t> read(std::string_view text, const Machine& /*machine*/) { return parse(text); }
  template <class Value>
  static std::string write(const Value& value) {
    return format(value);
  }
};
using Frequency = Plain<OptionKind::frequency, parse_frequency, written_frequency>;
using Size = Plain<OptionKind::size, parse_size, format_size>;
using Count = Plain<OptionKind::count, parse_count, written_count>;

/// A time in whole cycles of a clock.
template <auto clock>
struct Duration {
  static constexpr OptionKind kind = OptionKind::time;
  static Parsed<Cycles> read(std::string_view text, const Machine& machine) {
    return whole_cycles(parse_time(text), clock(machine));
  }
  static std::string write(Cycles cycles) { return format_cycles(cycles); }
};

/// A ratio of cycles of a clock, for each phit, byte or item.
template <OptionKind of, auto clock>
struct Cost {
  static constexpr OptionKind kind = of;
  static constexpr std::string_view unit = of == OptionKind::time_per_byte   ? "byte"
                                           : of == OptionKind::time_per_item ? "item"
                                                                             : "";
  static Parsed<Ratio> read(std::string_view text, const Machine& machine) {
    return ratio_cycles(parse_time(text, unit), clock(machine));
  }
  static std::string write(const Ratio& ratio) {
    return format_ratio(ratio) + " cycles" + (unit.empty() ? "" : "/") + std::string(unit);
  }
};

using NetworkTime = Duration<clock_of>;
using CoreTime = Duration<core_clock_of>;
/// Issue cycles of the core for each byte or item.
using ByteCost = Cost<OptionKind::time_per_byte, core_clock_of>;
using ItemCost = Cost<OptionKind::time_per_item, core_clock_of>;

/// A row of a parameter that is not another spelling.
constexpr Option plain_row(std::string_view key, OptionKind kind, std::uint64_t min, std::uint64_t max,
                           std::string_view words, decltype(Option::read) read, decltype(Option::write) write) {
  return {key, kind, min, max, words, "", read, write};
}

// Rows name their field by a lambda, which serves to read and to write it.

template <class Kind>
constexpr Option row(auto field, std::string_view key, std::uint64_t min, std::uint64_t max) {
  return plain_row(
      key, Kind::kind, min, max, "",
      [](const Option& option, std::string_view text, Machine& machine) {
        return set(option, Kind::read(text, machine), decltype(field){}(machine));
      },
      [](const Option&, const Machine& machine) { return Kind::write(decltype(field){}(machine)); });
}

constexpr Option word_row(auto field, std::string_view key, std::string_view words) {
  return plain_row(
      key, OptionKind::word, 0, 0, words,
      [](const Option& option, std::string_view text, Machine& machine) -> MaybeProblem {
        const auto index = word_index(option, text);
        if (!index) return not_a_word(option, text);
        auto& value = decltype(field){}(machine);
        value = static_cast<std::remove_reference_t<decltype(value)>>(*index);
        return std::nullopt;
      },
      [](const Option& option, const Machine& machine) {
        return std::string(split(option.words, '|')[static_cast<std::size_t>(decltype(field){}(machine))]);
      });
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

/// A size of 2^i bytes, of detailed nodes.
constexpr Option power_row(auto field, std::string_view key, std::uint64_t min, std::uint64_t max) {
  Option power = of_detailed(row<Size>(field, key, min, max));
  power.read = [](const Option& option, std::string_view text, Machine& machine) -> MaybeProblem {
    Bytes bytes = 0;
    if (MaybeProblem problem = set(option, parse_size(text), bytes)) return problem;
    if (!std::has_single_bit(bytes)) return Problem{"is no power of two", "", range(option)};
    return set(option, parse_size(text), decltype(field){}(machine));
  };
  return power;
}

// Rows with rules of their own.

/// The clock of the network, and until core.clock is given that of the core.
constexpr Option clock_row = plain_row(
    "clock", OptionKind::frequency, kilo, 100 * giga, "",
    [](const Option& option, std::string_view text, Machine& machine) {
      MaybeProblem problem = set(option, parse_frequency(text), machine.clock_hz);
      if (!problem) machine.core.clock_hz = machine.clock_hz;
      return problem;
    },
    [](const Option&, const Machine& machine) { return Frequency::write(machine.clock_hz); });

constexpr Option bandwidth_row = {
    "link.bandwidth",
    OptionKind::bandwidth,
    1,
    1'000'000 * giga,
    "",
    "link.cycles_per_phit",
    [](const Option& option, std::string_view text, Machine& machine) -> MaybeProblem {
      Ratio rate;
      if (MaybeProblem problem = set(option, parse_bandwidth(text), rate)) return problem;
      const Parsed<Ratio> cycles = phit_cycles(machine.link.phit_bytes, clock_of(machine), rate);
      if (!cycles) return Problem{"makes a phit take more than 1000000 cycles", "", ""};
      if ((*cycles).num < (*cycles).den)
        return Problem{"is more than one phit (link.phit) in a cycle (clock)", "raise link.phit or clock", ""};
      machine.link.cycles_per_phit = *cycles;
      return std::nullopt;
    },
    [](const Option&, const Machine&) { return std::string(); }};

constexpr Option ports_row = plain_row(
    "node.ports", OptionKind::count_or_word, 1, max_simulated_dim, "one|n",
    [](const Option& option, std::string_view text, Machine& machine) -> MaybeProblem {
      if (const auto index = word_index(option, text)) {
        machine.node.ports.engines = *index == 0 ? 1 : Ports::n;
        return std::nullopt;
      }
      const Parsed<std::uint64_t> count = parse_count(text);
      return count ? set(option, count, machine.node.ports.engines) : not_a_word(option, text);
    },
    [](const Option&, const Machine& machine) {
      const std::uint32_t engines = machine.node.ports.engines;
      return engines == 1 ? std::string("one") : engines == Ports::n ? std::string("n") : std::to_string(engines);
    });

constexpr Option topology_row = plain_row(
    "network.topology", OptionKind::topology, 0, 0, "",
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

/// A field of a machine, to be read and to be written.
#define FIELD(path) ([](auto& machine) -> auto& { return machine.path; })

constexpr std::array option_table = {
    clock_row,
    row<Frequency>(FIELD(core.clock_hz), "core.clock", kilo, 100 * giga),
    row<Size>(FIELD(link.phit_bytes), "link.phit", 1, max_phit),
    row<Cost<OptionKind::time_per_phit, clock_of>>(FIELD(link.cycles_per_phit), "link.cycles_per_phit", 1, max_cost),
    bandwidth_row,
    row<Count>(FIELD(link.channels), "link.channels", 1, max_channels),
    row<NetworkTime>(FIELD(router.route_cycles), "router.route", 1, max_cycles),
    row<Size>(FIELD(router.buffer_bytes), "router.buffer", 1, 1ULL << 20),
    topology_row,
    row<NetworkTime>(FIELD(network.accept_cycles), "network.accept", 1, max_cycles),
    word_row(FIELD(network.distance), "network.distance", "real|fixed"),
    row<NetworkTime>(FIELD(network.setup_cycles), "network.setup", 0, max_cycles),
    word_row(FIELD(network.switching), "network.switching", "circuit|store-and-forward|wormhole"),
    row<Size>(FIELD(network.packet_bytes), "network.packet", 1, 1ULL << 30),
    word_row(FIELD(network.duplex), "network.duplex", "full|together"),
    row<NetworkTime>(FIELD(network.together_cycles), "network.together", 0, max_cycles),
    row<Count>(FIELD(network.planes), "network.planes", 0, max_planes),
    row<NetworkTime>(FIELD(plane.retune_cycles), "plane.retune", 1, max_cycles),
    word_row(FIELD(plane.scope), "plane.scope", "link|plane"),
    // Written for detailed nodes only: the files and reports of the other machines are as they are without it.
    of_detailed(word_row(FIELD(node.model), "node.model", "rates|detailed")),
    of_detailed(word_row(FIELD(detailed.coherence), "node.coherence", "uncached|flush|snoop")),
    ports_row,
    word_row(FIELD(node.startups), "node.startups", "queued|overlapped"),
    word_row(FIELD(node.transfer), "node.transfer", "dma|programmed"),
    word_row(FIELD(node.overlap), "node.overlap", "on|off"),
    word_row(FIELD(core.loops), "core.loops", "compiled|tuned"),
    of_rates(row<ByteCost>(FIELD(core.permute.compiled), "core.permute", 0, max_cost)),
    of_rates(row<ByteCost>(FIELD(core.permute.tuned), "core.permute_tuned", 0, max_cost)),
    of_rates(row<ItemCost>(FIELD(core.combine.compiled), "core.combine", 0, max_cost)),
    of_rates(row<ItemCost>(FIELD(core.combine.tuned), "core.combine_tuned", 0, max_cost)),
    of_rates(row<ByteCost>(FIELD(core.copy.compiled), "core.copy", 0, max_cost)),
    of_rates(row<ByteCost>(FIELD(core.copy.tuned), "core.copy_tuned", 0, max_cost)),
    row<Size>(FIELD(memory.bus_bytes), "memory.bus", 1, max_phit),
    row<NetworkTime>(FIELD(memory.transfer_cycles), "memory.transfer", 0, max_cycles),
    row<Size>(FIELD(memory.line_bytes), "memory.line", 1, max_phit),
    row<NetworkTime>(FIELD(memory.page_miss_cycles), "memory.page_miss", 0, max_cycles),
    power_row(FIELD(detailed.dram_page_bytes), "memory.page", 256, 1ULL << 20),
    power_row(FIELD(detailed.cache.bytes), "cache.size", 64, 1ULL << 24),
    of_detailed(row<Count>(FIELD(detailed.cache.ways), "cache.ways", 1, 64)),
    of_detailed(word_row(FIELD(detailed.cache.allocate), "cache.allocate", "read|write")),
    of_detailed(word_row(FIELD(detailed.cache.write), "cache.write", "back|through")),
    of_detailed(word_row(FIELD(detailed.cache.replacement), "cache.replacement", "random|lru")),
    of_detailed(row<Count>(FIELD(detailed.tlb.entries), "tlb.entries", 0, 65'536)),
    of_detailed(row<Count>(FIELD(detailed.tlb.ways), "tlb.ways", 1, 64)),
    power_row(FIELD(detailed.tlb.page_bytes), "tlb.page", 256, 1ULL << 24),
    of_detailed(row<Count>(FIELD(detailed.write_buffers), "buffers.writes", 1, 64)),
    of_detailed(row<Size>(FIELD(detailed.fifo_bytes), "fifo.size", 1, 1ULL << 20)),
    of_detailed(row<Size>(FIELD(detailed.layout.source), "layout.source", 0, max_address)),
    of_detailed(row<Size>(FIELD(detailed.layout.target), "layout.target", 0, max_address)),
    of_detailed(row<Size>(FIELD(detailed.layout.operand), "layout.operand", 0, max_address)),
    of_detailed(row<Size>(FIELD(detailed.layout.system), "layout.system", 0, max_address)),
    of_detailed(row<Size>(FIELD(detailed.layout.frame), "layout.frame", 0, max_address)),
    of_detailed(row<Size>(FIELD(detailed.layout.padding), "layout.padding", 0, 1ULL << 20)),
    power_row(FIELD(detailed.loops.element_bytes), "loops.element", 1, 8),
    of_detailed(word_row(FIELD(detailed.loops.variables), "loops.variables", "memory|registers")),
    of_detailed(row<Count>(FIELD(detailed.loops.unroll), "loops.unroll", 1, 64)),
    of_detailed(row<Count>(FIELD(detailed.loops.tile), "loops.tile", 1, 1024)),
    of_detailed(word_row(FIELD(detailed.loops.loads), "loops.loads", "cached|pipelined")),
    of_detailed(row<Count>(FIELD(detailed.library_lines), "library.lines", 0, 100'000)),
    row<CoreTime>(FIELD(library.send_cycles), "library.send", 0, max_cycles),
    row<CoreTime>(FIELD(library.send_zero_cycles), "library.send_zero", 0, max_cycles),
    row<CoreTime>(FIELD(library.receive_cycles), "library.receive", 0, max_cycles),
    row<CoreTime>(FIELD(library.receive_zero_cycles), "library.receive_zero", 0, max_cycles),
    row<CoreTime>(FIELD(library.control_send_cycles), "library.control_send", 0, max_cycles),
    row<CoreTime>(FIELD(library.control_receive_cycles), "library.control_receive", 0, max_cycles),
    row<CoreTime>(FIELD(library.signal_send_cycles), "library.signal_send", 0, max_cycles),
    row<CoreTime>(FIELD(library.signal_receive_cycles), "library.signal_receive", 0, max_cycles),
    row<CoreTime>(FIELD(library.forward_cycles), "library.forward", 0, max_cycles),
    row<CoreTime>(FIELD(library.call_cycles), "library.call", 0, max_cycles),
    row<ByteCost>(FIELD(library.call_per_byte), "library.call_byte", 0, max_cost),
    word_row(FIELD(library.combining), "library.combining", "received|arriving"),
    word_row(FIELD(library.protocol), "library.protocol", "none|forced|unforced"),
    row<Size>(FIELD(library.threshold_bytes), "library.threshold", 0, giga),
    row<Size>(FIELD(library.buffer_bytes), "library.buffer", 0, 64 * giga),
    word_row(FIELD(library.barrier), "library.barrier", "none|phase|step|clock"),
    row<NetworkTime>(FIELD(library.slack_cycles), "library.slack", 0, max_cycles),
    word_row(FIELD(library.identity_shuffle), "library.identity_shuffle", "charge|skip"),
};

#undef FIELD

}  // namespace
}  // namespace option_rows

std::span<const Option> options() { return option_rows::option_table; }

}  // namespace ecube
