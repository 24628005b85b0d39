// SPDX-License-Identifier: Apache-2.0
// The option table: its rows and the texts made from it.
#include "models/machine/machine_parameters.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "models/machine/error.h"
#include "models/machine/spelling.h"

namespace ecube {
namespace {

using MaybeProblem = std::optional<Problem>;

constexpr std::uint64_t kilo = 1'000;
constexpr std::uint64_t giga = 1'000'000'000;
constexpr std::uint64_t max_cost = 1'000'000;
constexpr std::uint64_t max_phit = 65'536;
constexpr std::size_t text_width = 120;

std::uint64_t clock_of(const Machine& machine) { return static_cast<std::uint64_t>(std::llround(machine.clock_hz)); }
std::uint64_t core_clock_of(const Machine& machine) {
  return static_cast<std::uint64_t>(std::llround(machine.core.clock_hz));
}

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

MaybeProblem read_cycles(const Option& option, std::string_view text, std::uint64_t clock_hz, Cycles& value) {
  const Parsed<Time> time = parse_time(text);
  if (!time) return time.problem();
  return read_whole(option, whole_cycles(*time, clock_hz), value);
}

MaybeProblem read_ratio(const Option& option, const Parsed<Ratio>& parsed, Ratio& value) {
  if (!parsed) return parsed.problem();
  if ((*parsed).num < option.min * (*parsed).den || (*parsed).num > option.max * (*parsed).den)
    return out_of_range(option);
  value = *parsed;
  return std::nullopt;
}

MaybeProblem read_cost(const Option& option, const Parsed<Time>& time, std::uint64_t clock_hz, Ratio& value) {
  if (!time) return time.problem();
  return read_ratio(option, ratio_cycles(*time, clock_hz), value);
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
            return read_cycles(option, text, clock_of(machine), Field{}(machine));
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
    "Clock of the network, in which all time is counted; times in seconds become cycles of this clock",
    [](const Option& option, std::string_view text, Machine& machine) {
      std::uint64_t hertz = 0;
      MaybeProblem problem = read_whole(option, parse_frequency(text), hertz);
      if (!problem) machine.clock_hz = machine.core.clock_hz = static_cast<double>(hertz);
      return problem;
    },
    [](const Option&, const Machine& machine) { return format_frequency(clock_of(machine)); }};

constexpr Option core_clock_row = {
    "core.clock",
    OptionKind::frequency,
    kilo,
    100 * giga,
    "",
    "",
    "Clock of the processor core, which counts the cycles of core.* and library.* parameters; as clock unless given",
    [](const Option& option, std::string_view text, Machine& machine) {
      std::uint64_t hertz = 0;
      MaybeProblem problem = read_whole(option, parse_frequency(text), hertz);
      if (!problem) machine.core.clock_hz = static_cast<double>(hertz);
      return problem;
    },
    [](const Option&, const Machine& machine) { return format_frequency(core_clock_of(machine)); }};

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
      return read_cost(option, parse_time(text), clock_of(machine), machine.link.cycles_per_phit);
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

/// A time in cycles of the core.
template <typename Field>
constexpr Option core_time_row(std::string_view key, std::string_view help, Field) {
  return {key,
          OptionKind::time,
          0,
          max_cycles,
          "",
          "",
          help,
          [](const Option& option, std::string_view text, Machine& machine) {
            return read_cycles(option, text, core_clock_of(machine), Field{}(machine));
          },
          [](const Option&, const Machine& machine) { return format_cycles(Field{}(machine)); }};
}

/// Issue cycles of the core for each byte.
template <typename Field>
constexpr Option per_byte_row(std::string_view key, std::string_view help, Field) {
  return {key,
          OptionKind::time_per_byte,
          0,
          max_cost,
          "",
          "",
          help,
          [](const Option& option, std::string_view text, Machine& machine) {
            return read_cost(option, parse_time_per(text, "byte"), core_clock_of(machine), Field{}(machine));
          },
          [](const Option&, const Machine& machine) { return format_ratio(Field{}(machine)) + " cycles/byte"; }};
}

/// Issue cycles of the core for each item.
template <typename Field>
constexpr Option per_item_row(std::string_view key, std::string_view help, Field) {
  return {key,
          OptionKind::time_per_item,
          0,
          max_cost,
          "",
          "",
          help,
          [](const Option& option, std::string_view text, Machine& machine) {
            return read_cost(option, parse_time_per(text, "item"), core_clock_of(machine), Field{}(machine));
          },
          [](const Option&, const Machine& machine) { return format_ratio(Field{}(machine)) + " cycles/item"; }};
}

template <typename Field>
constexpr Option size_row(std::string_view key, std::uint64_t min, std::uint64_t max, std::string_view help, Field) {
  return {key,
          OptionKind::size,
          min,
          max,
          "",
          "",
          help,
          [](const Option& option, std::string_view text, Machine& machine) {
            std::uint64_t bytes = 0;
            MaybeProblem problem = read_whole(option, parse_size(text), bytes);
            auto& value = Field{}(machine);
            if (!problem) value = static_cast<std::remove_reference_t<decltype(value)>>(bytes);
            return problem;
          },
          [](const Option&, const Machine& machine) { return format_size(Field{}(machine)); }};
}

template <typename Field>
constexpr Option count_row(std::string_view key, std::uint64_t min, std::uint64_t max, std::string_view help, Field) {
  return {key,
          OptionKind::count,
          min,
          max,
          "",
          "",
          help,
          [](const Option& option, std::string_view text, Machine& machine) {
            std::uint64_t count = 0;
            MaybeProblem problem = read_whole(option, parse_count(text), count);
            auto& value = Field{}(machine);
            if (!problem) value = static_cast<std::remove_reference_t<decltype(value)>>(count);
            return problem;
          },
          [](const Option&, const Machine& machine) { return std::to_string(Field{}(machine)); }};
}

/// The same row, for one type of node only.
constexpr Option only(NodeModel node, Option row) {
  row.node = node;
  return row;
}

constexpr std::uint64_t max_address = 1ULL << 40;

/// A size of 2^i bytes.
template <typename Field>
constexpr Option power_row(std::string_view key, std::uint64_t min, std::uint64_t max, std::string_view help,
                           Field field) {
  Option row = size_row(key, min, max, help, field);
  row.node = NodeModel::detailed;
  row.read = [](const Option& option, std::string_view text, Machine& machine) -> MaybeProblem {
    std::uint64_t bytes = 0;
    if (MaybeProblem problem = read_whole(option, parse_size(text), bytes)) return problem;
    if (!std::has_single_bit(bytes)) return Problem{"is no power of two", "", range(option)};
    auto& value = Field{}(machine);
    value = static_cast<std::remove_reference_t<decltype(value)>>(bytes);
    return std::nullopt;
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

constexpr std::array option_table = {
    clock_row,
    core_clock_row,
    phit_row,
    cycles_per_phit_row,
    bandwidth_row,
    time_row(
        "router.route", 1, "Cycles a router takes to find the output for a probe (r)",
        [](auto& machine) -> auto& { return machine.router.route_cycles; }),
    size_row(
        "router.buffer", 1, 1ULL << 20,
        "Bytes of a worm that an input of a router holds, in whole phits and at least one, where network.switching is "
        "wormhole",
        [](auto& machine) -> auto& { return machine.router.buffer_bytes; }),
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
    word_row(
        "network.switching", "circuit|store-and-forward|wormhole",
        "Whether a message takes a circuit from end to end, its packets are received whole and sent on by every node, "
        "or its phits follow the probe at once and stall where they are",
        [](auto& machine) -> auto& { return machine.network.switching; }),
    size_row(
        "network.packet", 1, 1ULL << 30, "Longest packet, where network.switching is store-and-forward",
        [](auto& machine) -> auto& { return machine.network.packet_bytes; }),
    word_row(
        "network.duplex", "full|together",
        "Whether a node sends and receives at the same time always, or only when both begin together",
        [](auto& machine) -> auto& { return machine.network.duplex; }),
    time_row(
        "network.together", 0,
        "How long after its own first phit a node still accepts, where network.duplex is together",
        [](auto& machine) -> auto& { return machine.network.together_cycles; }),
    // Written for detailed nodes only: the files and reports of the other machines are as they are without it.
    only(NodeModel::detailed, word_row(
                                  "node.model", "rates|detailed",
                                  "What loops over memory take: cycles for each byte or item, or what core, cache, "
                                  "TLB, buffers, bus and DRAM take for their operations (hw/node/README.md)",
                                  [](auto& machine) -> auto& { return machine.node.model; })),
    only(NodeModel::detailed,
         word_row(
             "node.coherence", "uncached|flush|snoop",
             "What keeps the cache from holding old contents of a buffer that a message has arrived in",
             [](auto& machine) -> auto& { return machine.detailed.coherence; })),
    ports_row,
    word_row(
        "node.startups", "queued|overlapped",
        "Whether start-ups and receipts occupy the node's processor one after the other or belong to its ports",
        [](auto& machine) -> auto& { return machine.node.startups; }),
    word_row(
        "node.transfer", "dma|programmed",
        "Who moves phits between memory and link: a controller, at the speed of the bus, or the processor's copy loop",
        [](auto& machine) -> auto& { return machine.node.transfer; }),
    word_row(
        "node.overlap", "on|off", "Whether the core computes while the node's interface moves phits",
        [](auto& machine) -> auto& { return machine.node.overlap; }),
    word_row(
        "core.loops", "compiled|tuned", "Which variant of the copy, permute and combine loops runs",
        [](auto& machine) -> auto& { return machine.core.loops; }),
    only(NodeModel::rates,
         per_byte_row(
             "core.permute", "Issue cycles of the compiled loop that permutes blocks, for each byte (part of rho)",
             [](auto& machine) -> auto& { return machine.core.permute.compiled; })),
    only(NodeModel::rates, per_byte_row(
                               "core.permute_tuned", "The same, tuned by hand",
                               [](auto& machine) -> auto& { return machine.core.permute.tuned; })),
    only(NodeModel::rates,
         per_item_row(
             "core.combine", "Issue cycles of the compiled loop that combines two items, for each item (part of gamma)",
             [](auto& machine) -> auto& { return machine.core.combine.compiled; })),
    only(NodeModel::rates, per_item_row(
                               "core.combine_tuned", "The same, tuned by hand",
                               [](auto& machine) -> auto& { return machine.core.combine.tuned; })),
    only(NodeModel::rates,
         per_byte_row(
             "core.copy", "Issue cycles of the compiled loop that copies out of a system buffer, for each byte",
             [](auto& machine) -> auto& { return machine.core.copy.compiled; })),
    only(NodeModel::rates, per_byte_row(
                               "core.copy_tuned", "The same, tuned by hand",
                               [](auto& machine) -> auto& { return machine.core.copy.tuned; })),
    size_row(
        "memory.bus", 1, max_phit, "Bytes of one bus transfer",
        [](auto& machine) -> auto& { return machine.memory.bus_bytes; }),
    time_row(
        "memory.transfer", 0, "Cycles of one bus transfer",
        [](auto& machine) -> auto& { return machine.memory.transfer_cycles; }),
    size_row(
        "memory.line", 1, max_phit, "Bytes of a cache line, which takes line / bus transfers",
        [](auto& machine) -> auto& { return machine.memory.line_bytes; }),
    time_row(
        "memory.page_miss", 0, "Cycles more for every line: the loops alternate between pages",
        [](auto& machine) -> auto& { return machine.memory.page_miss_cycles; }),
    power_row(
        "memory.page", 256, 1ULL << 20, "Bytes of a page of the DRAM, of which one is open",
        [](auto& machine) -> auto& { return machine.detailed.dram_page_bytes; }),
    power_row(
        "cache.size", 64, 1ULL << 24, "Bytes of the data cache",
        [](auto& machine) -> auto& { return machine.detailed.cache.bytes; }),
    only(NodeModel::detailed, count_row(
                                  "cache.ways", 1, 64, "Lines of a set of the data cache",
                                  [](auto& machine) -> auto& { return machine.detailed.cache.ways; })),
    only(NodeModel::detailed, word_row(
                                  "cache.allocate", "read|write",
                                  "Whether a store that misses goes to memory, or fills a line as a load does",
                                  [](auto& machine) -> auto& { return machine.detailed.cache.allocate; })),
    only(NodeModel::detailed,
         word_row(
             "cache.write", "back|through", "Whether a store that hits stays in the cache, or goes to memory as well",
             [](auto& machine) -> auto& { return machine.detailed.cache.write; })),
    only(NodeModel::detailed, word_row(
                                  "cache.replacement", "random|lru", "Which line of a full set a fill replaces",
                                  [](auto& machine) -> auto& { return machine.detailed.cache.replacement; })),
    only(NodeModel::detailed, count_row(
                                  "tlb.entries", 0, 65'536, "Entries of the TLB; with none translation takes no time",
                                  [](auto& machine) -> auto& { return machine.detailed.tlb.entries; })),
    only(NodeModel::detailed, count_row(
                                  "tlb.ways", 1, 64, "Entries of a set of the TLB",
                                  [](auto& machine) -> auto& { return machine.detailed.tlb.ways; })),
    power_row(
        "tlb.page", 256, 1ULL << 24, "Bytes of a page of the address space",
        [](auto& machine) -> auto& { return machine.detailed.tlb.page_bytes; }),
    only(NodeModel::detailed,
         count_row(
             "buffers.writes", 1, 64, "Write buffers, each for a word or the line of a dirty victim",
             [](auto& machine) -> auto& { return machine.detailed.write_buffers; })),
    only(NodeModel::detailed, size_row(
                                  "fifo.size", 1, 1ULL << 20, "Bytes of the FIFO of the network interface, each way",
                                  [](auto& machine) -> auto& { return machine.detailed.fifo_bytes; })),
    only(NodeModel::detailed, size_row(
                                  "layout.source", 0, max_address, "Address of the buffer that loops read",
                                  [](auto& machine) -> auto& { return machine.detailed.layout.source; })),
    only(NodeModel::detailed, size_row(
                                  "layout.target", 0, max_address, "Address of the buffer that loops write",
                                  [](auto& machine) -> auto& { return machine.detailed.layout.target; })),
    only(NodeModel::detailed, size_row(
                                  "layout.operand", 0, max_address, "Address of the second operand of a combine",
                                  [](auto& machine) -> auto& { return machine.detailed.layout.operand; })),
    only(NodeModel::detailed,
         size_row(
             "layout.system", 0, max_address, "Address of the system buffer that messages are copied out of",
             [](auto& machine) -> auto& { return machine.detailed.layout.system; })),
    only(NodeModel::detailed, size_row(
                                  "layout.frame", 0, max_address, "Address of the variables of a loop in memory",
                                  [](auto& machine) -> auto& { return machine.detailed.layout.frame; })),
    only(NodeModel::detailed, size_row(
                                  "layout.padding", 0, 1ULL << 20, "Bytes between a block and the next",
                                  [](auto& machine) -> auto& { return machine.detailed.layout.padding; })),
    power_row(
        "loops.element", 1, 8, "Bytes that a compiled loop moves at a time",
        [](auto& machine) -> auto& { return machine.detailed.loops.element_bytes; }),
    only(NodeModel::detailed,
         word_row(
             "loops.variables", "memory|registers", "Where a compiled loop keeps its index and base addresses",
             [](auto& machine) -> auto& { return machine.detailed.loops.variables; })),
    only(NodeModel::detailed, count_row(
                                  "loops.unroll", 1, 64, "Elements that a compiled loop moves between branches",
                                  [](auto& machine) -> auto& { return machine.detailed.loops.unroll; })),
    only(NodeModel::detailed, word_row(
                                  "loops.loads", "cached|pipelined", "Whether loops load through the cache or past it",
                                  [](auto& machine) -> auto& { return machine.detailed.loops.loads; })),
    only(NodeModel::detailed,
         count_row(
             "library.lines", 0, 100'000,
             "Lines of the library's own data that the start-up and the receipt of a message each read, and find "
             "not in the cache",
             [](auto& machine) -> auto& { return machine.detailed.library_lines; })),
    core_time_row(
        "library.send", "Path of a message with bytes until its probe leaves: its start-up (part of lambda)",
        [](auto& machine) -> auto& { return machine.library.send_cycles; }),
    core_time_row(
        "library.send_zero", "The same for a message of zero bytes",
        [](auto& machine) -> auto& { return machine.library.send_zero_cycles; }),
    core_time_row(
        "library.receive", "Path of a message with bytes after its arrival: its receipt (part of lambda)",
        [](auto& machine) -> auto& { return machine.library.receive_cycles; }),
    core_time_row(
        "library.receive_zero", "The same for a message of zero bytes",
        [](auto& machine) -> auto& { return machine.library.receive_zero_cycles; }),
    core_time_row(
        "library.control_send", "Start-up of a grant, and of data that was granted",
        [](auto& machine) -> auto& { return machine.library.control_send_cycles; }),
    core_time_row(
        "library.control_receive", "Receipt of a reservation or a grant",
        [](auto& machine) -> auto& { return machine.library.control_receive_cycles; }),
    core_time_row(
        "library.signal_send", "Start-up of a barrier's message",
        [](auto& machine) -> auto& { return machine.library.signal_send_cycles; }),
    core_time_row(
        "library.signal_receive", "Receipt of a barrier's message",
        [](auto& machine) -> auto& { return machine.library.signal_receive_cycles; }),
    core_time_row(
        "library.forward", "Start-up of a packet that a node sends on, where network.switching is store-and-forward",
        [](auto& machine) -> auto& { return machine.library.forward_cycles; }),
    core_time_row(
        "library.call", "What a collective routine does itself for each message it sends or receives (part of alpha)",
        [](auto& machine) -> auto& { return machine.library.call_cycles; }),
    per_byte_row(
        "library.call_byte", "The same for each byte of the message (part of beta)",
        [](auto& machine) -> auto& { return machine.library.call_per_byte; }),
    word_row(
        "library.combining", "received|arriving",
        "Whether a collective routine combines a message once it is received, or already while it arrives, in the "
        "cycles that "
        "the library and node.overlap leave",
        [](auto& machine) -> auto& { return machine.library.combining; }),
    word_row(
        "library.protocol", "none|forced|unforced",
        "Message protocol: forced discards a message nobody waits for, unforced reserves room for long ones",
        [](auto& machine) -> auto& { return machine.library.protocol; }),
    size_row(
        "library.threshold", 0, giga, "Unforced messages longer than this reserve room at the receiver first",
        [](auto& machine) -> auto& { return machine.library.threshold_bytes; }),
    size_row(
        "library.buffer", 0, 64 * giga, "System buffer of a node, for unforced messages that nobody waits for yet",
        [](auto& machine) -> auto& { return machine.library.buffer_bytes; }),
    word_row(
        "library.barrier", "none|phase|step|clock",
        "Where a complete exchange synchronises all nodes: clock starts every phase at a time computed before",
        [](auto& machine) -> auto& { return machine.library.barrier; }),
    time_row(
        "library.slack", 0,
        "How much later than computed a phase begins, for nodes that are late, where library.barrier is clock",
        [](auto& machine) -> auto& { return machine.library.slack_cycles; }),
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
    case OptionKind::count:
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

/// The help, and the type of node that has the parameter if only one does.
std::string meaning_of(const Option& option) {
  const std::string help(option.help);
  if (!option.node || option.key == "node.model") return help;
  return help + (*option.node == NodeModel::rates ? " (node.model = rates only)" : " (node.model = detailed only)");
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

std::span<const Option> options() { return option_table; }

const Option* find_option(std::string_view key) {
  const auto found =
      std::find_if(option_table.begin(), option_table.end(), [&](const Option& option) { return option.key == key; });
  return found == option_table.end() ? nullptr : &*found;
}

bool applies(const Option& option, const Machine& machine) {
  return !option.node.has_value() || *option.node == machine.node.model;
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
    case OptionKind::count:
      return "a number";
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
  for (const Option& option : option_table) {
    text += padded(std::string(option.key), key_width) + padded(default_value(option), default_width);
    std::string meaning = meaning_of(option) + "; " + range(option);
    if (option.words.empty()) meaning += ", as " + spelling(option);
    append_wrapped(text, meaning, key_width + default_width);
    text += "\n";
  }
  return text;
}

std::string options_as_markdown(const Machine& example) {
  std::string text;
  std::string_view part;
  for (const Option& option : option_table) {
    const std::string_view own = option.key.substr(0, std::min(option.key.find('.'), option.key.size()));
    if (own != part) {
      part = own;
      text += (text.empty() ? "## " : "\n## ") + std::string(part) + "\n\n| key | default | " + example.name +
              " | values | spelled | meaning |\n|---|---|---|---|---|---|\n";
    }
    const std::string value = option.write(option, example);
    text += "| `" + std::string(option.key) + "` | " + default_value(option) + " | " + (value.empty() ? "-" : value) +
            " | " + range(option) + " | " + spelling(option) + " | " + meaning_of(option) + " |\n";
  }
  return text;
}

std::string machine_as_toml(const Machine& machine) {
  std::string text = "name = \"" + machine.name + "\"\n";
  for (const Option& option : option_table)
    if (const std::string value = option.write(option, machine); !value.empty() && applies(option, machine))
      text += std::string(option.key) + " = \"" + value + "\"\n";
  return text;
}

}  // namespace ecube
