// SPDX-License-Identifier: Apache-2.0
// The option table: every machine parameter, in the order in which a machine is resolved.
#include <array>

#include "models/machine/option_rows.h"

namespace ecube {
namespace option_rows {
namespace {

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
    only(NodeModel::detailed,
         count_row(
             "loops.tile", 1, 1024,
             "Blocks of a side of the tiles in which a permutation goes through its matrix of blocks; 1: in order",
             [](auto& machine) -> auto& { return machine.detailed.loops.tile; })),
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

}  // namespace
}  // namespace option_rows

std::span<const Option> options() { return option_rows::option_table; }

}  // namespace ecube
