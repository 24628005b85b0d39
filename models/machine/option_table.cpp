// SPDX-License-Identifier: Apache-2.0
// The option table: every machine parameter, in the order in which a machine is resolved.
#include <array>

#include "models/machine/option_rows.h"

namespace ecube {
namespace option_rows {
namespace {

/// A field of a machine, to be read and to be written.
#define FIELD(path) ([](auto& machine) -> auto& { return machine.path; })

constexpr std::array option_table = {
    clock_row,
    frequency_row(
        FIELD(core.clock_hz), "core.clock",
        "Clock of the processor core, which counts the cycles of core.* and library.* parameters; as clock unless "
        "given"),
    size_row(FIELD(link.phit_bytes), "link.phit", 1, max_phit,
             "Bytes a link carries as one unit; a message takes whole phits"),
    cycles_per_phit_row,
    bandwidth_row,
    count_row(
        FIELD(link.channels), "link.channels", 1, max_channels,
        "Channels of a link: each is a link of its own, named by the route's inject port (node.ports = n or 2 and "
        "more)"),
    time_row(FIELD(router.route_cycles), "router.route", 1, "Cycles a router takes to find the output for a probe (r)"),
    size_row(
        FIELD(router.buffer_bytes), "router.buffer", 1, 1ULL << 20,
        "Bytes of a worm that an input of a router holds, in whole phits and at least one, where network.switching is "
        "wormhole"),
    topology_row,
    time_row(FIELD(network.accept_cycles), "network.accept", 1,
             "Cycles a network interface takes to accept a circuit (A)"),
    word_row(FIELD(network.distance), "network.distance", "real|fixed",
             "Whether a circuit's set-up depends on its hops or is padded to the constant network.setup"),
    time_row(FIELD(network.setup_cycles), "network.setup", 0,
             "Set-up of a one-phit message, probe to receiver ready, where network.distance is fixed (F)"),
    word_row(
        FIELD(network.switching), "network.switching", "circuit|store-and-forward|wormhole",
        "Whether a message takes a circuit from end to end, its packets are received whole and sent on by every node, "
        "or its phits follow the probe at once and stall where they are"),
    size_row(FIELD(network.packet_bytes), "network.packet", 1, 1ULL << 30,
             "Longest packet, where network.switching is store-and-forward"),
    word_row(FIELD(network.duplex), "network.duplex", "full|together",
             "Whether a node sends and receives at the same time always, or only when both begin together"),
    time_row(FIELD(network.together_cycles), "network.together", 0,
             "How long after its own first phit a node still accepts, where network.duplex is together"),
    count_row(
        FIELD(network.planes), "network.planes", 0, max_planes,
        "Planes in the place of the cube's links, each with a tunable port on every node (node.ports = n); 0: none"),
    time_row(FIELD(plane.retune_cycles), "plane.retune", 1,
             "Cycles for which the links of a plane are dark when they are tuned to another mask (X)"),
    word_row(FIELD(plane.scope), "plane.scope", "link|plane",
             "Whether the two ends of a link are tuned together, or all nodes of a plane"),
    // Written for detailed nodes only: the files and reports of the other machines are as they are without it.
    of_detailed(word_row(
        FIELD(node.model), "node.model", "rates|detailed",
        "What loops over memory take: cycles for each byte or item, or what core, cache, TLB, buffers, bus and DRAM "
        "take for their operations (hw/node/README.md)")),
    of_detailed(word_row(FIELD(detailed.coherence), "node.coherence", "uncached|flush|snoop",
                         "What keeps the cache from holding old contents of a buffer that a message has arrived in")),
    ports_row,
    word_row(FIELD(node.startups), "node.startups", "queued|overlapped",
             "Whether start-ups and receipts occupy the node's processor one after the other or belong to its ports"),
    word_row(
        FIELD(node.transfer), "node.transfer", "dma|programmed",
        "Who moves phits between memory and link: a controller, at the speed of the bus, or the processor's copy loop"),
    word_row(FIELD(node.overlap), "node.overlap", "on|off",
             "Whether the core computes while the node's interface moves phits"),
    word_row(FIELD(core.loops), "core.loops", "compiled|tuned",
             "Which variant of the copy, permute and combine loops runs"),
    of_rates(per_byte_row(FIELD(core.permute.compiled), "core.permute",
                          "Issue cycles of the compiled loop that permutes blocks, for each byte (part of rho)")),
    of_rates(per_byte_row(FIELD(core.permute.tuned), "core.permute_tuned", "The same, tuned by hand")),
    of_rates(per_item_row(FIELD(core.combine.compiled), "core.combine",
                          "Issue cycles of the compiled loop that combines two items, for each item (part of gamma)")),
    of_rates(per_item_row(FIELD(core.combine.tuned), "core.combine_tuned", "The same, tuned by hand")),
    of_rates(per_byte_row(FIELD(core.copy.compiled), "core.copy",
                          "Issue cycles of the compiled loop that copies out of a system buffer, for each byte")),
    of_rates(per_byte_row(FIELD(core.copy.tuned), "core.copy_tuned", "The same, tuned by hand")),
    size_row(FIELD(memory.bus_bytes), "memory.bus", 1, max_phit, "Bytes of one bus transfer"),
    time_row(FIELD(memory.transfer_cycles), "memory.transfer", 0, "Cycles of one bus transfer"),
    size_row(FIELD(memory.line_bytes), "memory.line", 1, max_phit,
             "Bytes of a cache line, which takes line / bus transfers"),
    time_row(FIELD(memory.page_miss_cycles), "memory.page_miss", 0,
             "Cycles more for every line: the loops alternate between pages"),
    power_row(FIELD(detailed.dram_page_bytes), "memory.page", 256, 1ULL << 20,
              "Bytes of a page of the DRAM, of which one is open"),
    power_row(FIELD(detailed.cache.bytes), "cache.size", 64, 1ULL << 24, "Bytes of the data cache"),
    of_detailed(count_row(FIELD(detailed.cache.ways), "cache.ways", 1, 64, "Lines of a set of the data cache")),
    of_detailed(word_row(FIELD(detailed.cache.allocate), "cache.allocate", "read|write",
                         "Whether a store that misses goes to memory, or fills a line as a load does")),
    of_detailed(word_row(FIELD(detailed.cache.write), "cache.write", "back|through",
                         "Whether a store that hits stays in the cache, or goes to memory as well")),
    of_detailed(word_row(FIELD(detailed.cache.replacement), "cache.replacement", "random|lru",
                         "Which line of a full set a fill replaces")),
    of_detailed(count_row(FIELD(detailed.tlb.entries), "tlb.entries", 0, 65'536,
                          "Entries of the TLB; with none translation takes no time")),
    of_detailed(count_row(FIELD(detailed.tlb.ways), "tlb.ways", 1, 64, "Entries of a set of the TLB")),
    power_row(FIELD(detailed.tlb.page_bytes), "tlb.page", 256, 1ULL << 24, "Bytes of a page of the address space"),
    of_detailed(count_row(FIELD(detailed.write_buffers), "buffers.writes", 1, 64,
                          "Write buffers, each for a word or the line of a dirty victim")),
    of_detailed(size_row(FIELD(detailed.fifo_bytes), "fifo.size", 1, 1ULL << 20,
                         "Bytes of the FIFO of the network interface, each way")),
    of_detailed(size_row(FIELD(detailed.layout.source), "layout.source", 0, max_address,
                         "Address of the buffer that loops read")),
    of_detailed(size_row(FIELD(detailed.layout.target), "layout.target", 0, max_address,
                         "Address of the buffer that loops write")),
    of_detailed(size_row(FIELD(detailed.layout.operand), "layout.operand", 0, max_address,
                         "Address of the second operand of a combine")),
    of_detailed(size_row(FIELD(detailed.layout.system), "layout.system", 0, max_address,
                         "Address of the system buffer that messages are copied out of")),
    of_detailed(size_row(FIELD(detailed.layout.frame), "layout.frame", 0, max_address,
                         "Address of the variables of a loop in memory")),
    of_detailed(size_row(FIELD(detailed.layout.padding), "layout.padding", 0, 1ULL << 20,
                         "Bytes between a block and the next")),
    power_row(FIELD(detailed.loops.element_bytes), "loops.element", 1, 8, "Bytes that a compiled loop moves at a time"),
    of_detailed(word_row(FIELD(detailed.loops.variables), "loops.variables", "memory|registers",
                         "Where a compiled loop keeps its index and base addresses")),
    of_detailed(count_row(FIELD(detailed.loops.unroll), "loops.unroll", 1, 64,
                          "Elements that a compiled loop moves between branches")),
    of_detailed(count_row(
        FIELD(detailed.loops.tile), "loops.tile", 1, 1024,
        "Blocks of a side of the tiles in which a permutation goes through its matrix of blocks; 1: in order")),
    of_detailed(word_row(FIELD(detailed.loops.loads), "loops.loads", "cached|pipelined",
                         "Whether loops load through the cache or past it")),
    of_detailed(count_row(
        FIELD(detailed.library_lines), "library.lines", 0, 100'000,
        "Lines of the library's own data that the start-up and the receipt of a message each read, and find not in the "
        "cache")),
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
    per_byte_row(FIELD(library.call_per_byte), "library.call_byte",
                 "The same for each byte of the message (part of beta)"),
    word_row(FIELD(library.combining), "library.combining", "received|arriving",
             "Whether a collective routine combines a message once it is received, or already while it arrives, in the "
             "cycles that the library and node.overlap leave"),
    word_row(FIELD(library.protocol), "library.protocol", "none|forced|unforced",
             "Message protocol: forced discards a message nobody waits for, unforced reserves room for long ones"),
    size_row(FIELD(library.threshold_bytes), "library.threshold", 0, giga,
             "Unforced messages longer than this reserve room at the receiver first"),
    size_row(FIELD(library.buffer_bytes), "library.buffer", 0, 64 * giga,
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
