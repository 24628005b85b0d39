// SPDX-License-Identifier: Apache-2.0
// The option table: every machine parameter, in the order in which a machine is resolved, and for each kind of
// parameter how its text is read and written.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <vector>

#include "models/machine/machine_parameters.h"
#include "models/machine/spelling.h"

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
  if (parsed && is_within(option, *parsed)) {
    value = static_cast<Value>(*parsed);
    return std::nullopt;
  }
  Problem problem = parsed ? Problem{"is out of range", "", ""} : parsed.problem();
  if (problem.valid.empty()) problem.valid = range(option);
  return problem;
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

/// A row of a parameter that is not another spelling.
constexpr Option plain_row(std::string_view key, OptionKind kind, std::uint64_t min, std::uint64_t max,
                           std::string_view words, std::string_view help, decltype(Option::read) read,
                           decltype(Option::write) write) {
  return {key, kind, min, max, words, "", help, read, write};
}

// Rows name their field by a lambda, which serves to read and to write it.

template <class Kind>
constexpr Option row(auto field, std::string_view key, std::uint64_t min, std::uint64_t max, std::string_view help) {
  return plain_row(
      key, Kind::kind, min, max, "", help,
      [](const Option& option, std::string_view text, Machine& machine) {
        return set(option, Kind::read(text, machine), decltype(field){}(machine));
      },
      [](const Option&, const Machine& machine) { return Kind::write(decltype(field){}(machine)); });
}

constexpr Option time_row(auto field, std::string_view key, std::uint64_t min, std::string_view help) {
  return row<Duration<clock_of>>(field, key, min, max_cycles, help);
}
constexpr Option core_time_row(auto field, std::string_view key, std::string_view help) {
  return row<Duration<core_clock_of>>(field, key, 0, max_cycles, help);
}
/// Issue cycles of the core for each byte or item.
constexpr Option byte_row(auto field, std::string_view key, std::string_view help) {
  return row<Cost<OptionKind::time_per_byte, core_clock_of>>(field, key, 0, max_cost, help);
}
constexpr Option item_row(auto field, std::string_view key, std::string_view help) {
  return row<Cost<OptionKind::time_per_item, core_clock_of>>(field, key, 0, max_cost, help);
}

constexpr Option word_row(auto field, std::string_view key, std::string_view words, std::string_view help) {
  return plain_row(
      key, OptionKind::word, 0, 0, words, help,
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
constexpr Option power_row(auto field, std::string_view key, std::uint64_t min, std::uint64_t max,
                           std::string_view help) {
  Option power = of_detailed(row<Size>(field, key, min, max, help));
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
    "Clock of the network, in which all time is counted; times in seconds become cycles of this clock",
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
    "Bytes per second of one direction of a link: sets link.cycles_per_phit to phit * clock / bandwidth",
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
    "Links a node uses at the same time: one, n (one for each dimension), or at most K",
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

/// A field of a machine, to be read and to be written.
#define FIELD(path) ([](auto& machine) -> auto& { return machine.path; })

constexpr std::array option_table = {
    clock_row,
    row<Frequency>(FIELD(core.clock_hz), "core.clock", kilo, 100 * giga,
                   "Clock of the processor core, which counts the cycles of core.* and library.* parameters; as clock "
                   "unless given"),
    row<Size>(FIELD(link.phit_bytes), "link.phit", 1, max_phit,
              "Bytes a link carries as one unit; a message takes whole phits"),
    row<Cost<OptionKind::time_per_phit, clock_of>>(
        FIELD(link.cycles_per_phit), "link.cycles_per_phit", 1, max_cost,
        "Cycles from one phit to the next on a link, at least 1, not necessarily a whole number"),
    bandwidth_row,
    row<Count>(FIELD(link.channels), "link.channels", 1, max_channels,
               "Channels of a link: each is a link of its own, named by the route's inject port (node.ports = n or 2 "
               "and more)"),
    time_row(FIELD(router.route_cycles), "router.route", 1, "Cycles a router takes to find the output for a probe (r)"),
    row<Size>(FIELD(router.buffer_bytes), "router.buffer", 1, 1ULL << 20,
              "Bytes of a worm that an input of a router holds, in whole phits and at least one, where "
              "network.switching is wormhole"),
    topology_row,
    time_row(FIELD(network.accept_cycles), "network.accept", 1,
             "Cycles a network interface takes to accept a circuit (A)"),
    word_row(FIELD(network.distance), "network.distance", "real|fixed",
             "Whether a circuit's set-up depends on its hops or is padded to the constant network.setup"),
    time_row(FIELD(network.setup_cycles), "network.setup", 0,
             "Set-up of a one-phit message, probe to receiver ready, where network.distance is fixed (F)"),
    word_row(FIELD(network.switching), "network.switching", "circuit|store-and-forward|wormhole",
             "Whether a message takes a circuit from end to end, its packets are received whole and sent on by every "
             "node, or its phits follow the probe at once and stall where they are"),
    row<Size>(FIELD(network.packet_bytes), "network.packet", 1, 1ULL << 30,
              "Longest packet, where network.switching is store-and-forward"),
    word_row(FIELD(network.duplex), "network.duplex", "full|together",
             "Whether a node sends and receives at the same time always, or only when both begin together"),
    time_row(FIELD(network.together_cycles), "network.together", 0,
             "How long after its own first phit a node still accepts, where network.duplex is together"),
    row<Count>(FIELD(network.planes), "network.planes", 0, max_planes,
               "Planes in the place of the cube's links, each with a tunable port on every node (node.ports = n); 0: "
               "none"),
    time_row(FIELD(plane.retune_cycles), "plane.retune", 1,
             "Cycles for which the links of a plane are dark when they are tuned to another mask (X)"),
    word_row(FIELD(plane.scope), "plane.scope", "link|plane",
             "Whether the two ends of a link are tuned together, or all nodes of a plane"),
    // Written for detailed nodes only: the files and reports of the other machines are as they are without it.
    of_detailed(word_row(FIELD(node.model), "node.model", "rates|detailed",
                         "What loops over memory take: cycles for each byte or item, or what core, cache, TLB, "
                         "buffers, bus and DRAM take for their operations (hw/node/README.md)")),
    of_detailed(word_row(FIELD(detailed.coherence), "node.coherence", "uncached|flush|snoop",
                         "What keeps the cache from holding old contents of a buffer that a message has arrived in")),
    ports_row,
    word_row(FIELD(node.startups), "node.startups", "queued|overlapped",
             "Whether start-ups and receipts occupy the node's processor one after the other or belong to its ports"),
    word_row(FIELD(node.transfer), "node.transfer", "dma|programmed",
             "Who moves phits between memory and link: a controller, at the speed of the bus, or the processor's copy "
             "loop"),
    word_row(FIELD(node.overlap), "node.overlap", "on|off",
             "Whether the core computes while the node's interface moves phits"),
    word_row(FIELD(core.loops), "core.loops", "compiled|tuned",
             "Which variant of the copy, permute and combine loops runs"),
    of_rates(byte_row(FIELD(core.permute.compiled), "core.permute",
                      "Issue cycles of the compiled loop that permutes blocks, for each byte (part of rho)")),
    of_rates(byte_row(FIELD(core.permute.tuned), "core.permute_tuned", "The same, tuned by hand")),
    of_rates(item_row(FIELD(core.combine.compiled), "core.combine",
                      "Issue cycles of the compiled loop that combines two items, for each item (part of gamma)")),
    of_rates(item_row(FIELD(core.combine.tuned), "core.combine_tuned", "The same, tuned by hand")),
    of_rates(byte_row(FIELD(core.copy.compiled), "core.copy",
                      "Issue cycles of the compiled loop that copies out of a system buffer, for each byte")),
    of_rates(byte_row(FIELD(core.copy.tuned), "core.copy_tuned", "The same, tuned by hand")),
    row<Size>(FIELD(memory.bus_bytes), "memory.bus", 1, max_phit, "Bytes of one bus transfer"),
    time_row(FIELD(memory.transfer_cycles), "memory.transfer", 0, "Cycles of one bus transfer"),
    row<Size>(FIELD(memory.line_bytes), "memory.line", 1, max_phit,
              "Bytes of a cache line, which takes line / bus transfers"),
    time_row(FIELD(memory.page_miss_cycles), "memory.page_miss", 0,
             "Cycles more for every line: the loops alternate between pages"),
    power_row(FIELD(detailed.dram_page_bytes), "memory.page", 256, 1ULL << 20,
              "Bytes of a page of the DRAM, of which one is open"),
    power_row(FIELD(detailed.cache.bytes), "cache.size", 64, 1ULL << 24, "Bytes of the data cache"),
    of_detailed(row<Count>(FIELD(detailed.cache.ways), "cache.ways", 1, 64, "Lines of a set of the data cache")),
    of_detailed(word_row(FIELD(detailed.cache.allocate), "cache.allocate", "read|write",
                         "Whether a store that misses goes to memory, or fills a line as a load does")),
    of_detailed(word_row(FIELD(detailed.cache.write), "cache.write", "back|through",
                         "Whether a store that hits stays in the cache, or goes to memory as well")),
    of_detailed(word_row(FIELD(detailed.cache.replacement), "cache.replacement", "random|lru",
                         "Which line of a full set a fill replaces")),
    of_detailed(row<Count>(FIELD(detailed.tlb.entries), "tlb.entries", 0, 65'536,
                           "Entries of the TLB; with none translation takes no time")),
    of_detailed(row<Count>(FIELD(detailed.tlb.ways), "tlb.ways", 1, 64, "Entries of a set of the TLB")),
    power_row(FIELD(detailed.tlb.page_bytes), "tlb.page", 256, 1ULL << 24, "Bytes of a page of the address space"),
    of_detailed(row<Count>(FIELD(detailed.write_buffers), "buffers.writes", 1, 64,
                           "Write buffers, each for a word or the line of a dirty victim")),
    of_detailed(row<Size>(FIELD(detailed.fifo_bytes), "fifo.size", 1, 1ULL << 20,
                          "Bytes of the FIFO of the network interface, each way")),
    of_detailed(row<Size>(FIELD(detailed.layout.source), "layout.source", 0, max_address,
                          "Address of the buffer that loops read")),
    of_detailed(row<Size>(FIELD(detailed.layout.target), "layout.target", 0, max_address,
                          "Address of the buffer that loops write")),
    of_detailed(row<Size>(FIELD(detailed.layout.operand), "layout.operand", 0, max_address,
                          "Address of the second operand of a combine")),
    of_detailed(row<Size>(FIELD(detailed.layout.system), "layout.system", 0, max_address,
                          "Address of the system buffer that messages are copied out of")),
    of_detailed(row<Size>(FIELD(detailed.layout.frame), "layout.frame", 0, max_address,
                          "Address of the variables of a loop in memory")),
    of_detailed(row<Size>(FIELD(detailed.layout.padding), "layout.padding", 0, 1ULL << 20,
                          "Bytes between a block and the next")),
    power_row(FIELD(detailed.loops.element_bytes), "loops.element", 1, 8, "Bytes that a compiled loop moves at a time"),
    of_detailed(word_row(FIELD(detailed.loops.variables), "loops.variables", "memory|registers",
                         "Where a compiled loop keeps its index and base addresses")),
    of_detailed(row<Count>(FIELD(detailed.loops.unroll), "loops.unroll", 1, 64,
                           "Elements that a compiled loop moves between branches")),
    of_detailed(row<Count>(FIELD(detailed.loops.tile), "loops.tile", 1, 1024,
                           "Blocks of a side of the tiles in which a permutation goes through its matrix of blocks; "
                           "1: in order")),
    of_detailed(word_row(FIELD(detailed.loops.loads), "loops.loads", "cached|pipelined",
                         "Whether loops load through the cache or past it")),
    of_detailed(row<Count>(FIELD(detailed.library_lines), "library.lines", 0, 100'000,
                           "Lines of the library's own data that the start-up and the receipt of a message each read, "
                           "and find not in the cache")),
    core_time_row(FIELD(library.send_cycles), "library.send",
                  "Path of a message with bytes until its probe leaves: its start-up (part of lambda)"),
    core_time_row(FIELD(library.send_zero_cycles), "library.send_zero", "The same for a message of zero bytes"),
    core_time_row(FIELD(library.receive_cycles), "library.receive",
                  "Path of a message with bytes after its arrival: its receipt (part of lambda)"),
    core_time_row(FIELD(library.receive_zero_cycles), "library.receive_zero", "The same for a message of zero bytes"),
    core_time_row(FIELD(library.control_send_cycles), "library.control_send",
                  "Start-up of a grant, and of data that was granted"),
    core_time_row(FIELD(library.control_receive_cycles), "library.control_receive",
                  "Receipt of a reservation or a grant"),
    core_time_row(FIELD(library.signal_send_cycles), "library.signal_send", "Start-up of a barrier's message"),
    core_time_row(FIELD(library.signal_receive_cycles), "library.signal_receive", "Receipt of a barrier's message"),
    core_time_row(FIELD(library.forward_cycles), "library.forward",
                  "Start-up of a packet that a node sends on, where network.switching is store-and-forward"),
    core_time_row(FIELD(library.call_cycles), "library.call",
                  "What a collective routine does itself for each message it sends or receives (part of alpha)"),
    byte_row(FIELD(library.call_per_byte), "library.call_byte", "The same for each byte of the message (part of beta)"),
    word_row(FIELD(library.combining), "library.combining", "received|arriving",
             "Whether a collective routine combines a message once it is received, or already while it arrives, in the "
             "cycles that the library and node.overlap leave"),
    word_row(FIELD(library.protocol), "library.protocol", "none|forced|unforced",
             "Message protocol: forced discards a message nobody waits for, unforced reserves room for long ones"),
    row<Size>(FIELD(library.threshold_bytes), "library.threshold", 0, giga,
              "Unforced messages longer than this reserve room at the receiver first"),
    row<Size>(FIELD(library.buffer_bytes), "library.buffer", 0, 64 * giga,
              "System buffer of a node, for unforced messages that nobody waits for yet"),
    word_row(FIELD(library.barrier), "library.barrier", "none|phase|step|clock",
             "Where a complete exchange synchronises all nodes: clock starts every phase at a time computed before"),
    time_row(FIELD(library.slack_cycles), "library.slack", 0,
             "How much later than computed a phase begins, for nodes that are late, where library.barrier is clock"),
    word_row(FIELD(library.identity_shuffle), "library.identity_shuffle", "charge|skip",
             "Whether a permutation that moves nothing is paid for"),
};

#undef FIELD

}  // namespace
}  // namespace option_rows

std::span<const Option> options() { return option_rows::option_table; }

}  // namespace ecube
