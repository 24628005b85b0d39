// SPDX-License-Identifier: Apache-2.0
// The values of all presets, each with its source.
#include <algorithm>
#include <array>

#include "models/presets/presets.h"

namespace ecube {
namespace {

constexpr std::array<SourceMark, 8> marks = {{
    {'N', "Nicol & Bokhari 1994, Optimal Multiphase Complete Exchange on Circuit-Switched Hypercube Architectures"},
    {'V', "van de Geijn 1991, On Global Combine Operations"},
    {'B', "Bokhari 1993, Multiphase Complete Exchange: A Theoretical Analysis"},
    {'J', "Johnsson & Ho 1991, Generalized Shuffle Permutations on Boolean Cubes"},
    {'L', "other literature, found as text"},
    {'R', "recalled from the literature, not found as text: a default to be changed by those who know better"},
    {'D', "derived from the values named"},
    {'A', "assumption: chosen for this machine, no measurement stands behind it"},
}};

constexpr std::string_view times_only = "the equations know times only; 40 MHz keeps whole cycles for all of them";
constexpr std::string_view byte_phits = "every byte takes the same time, as in the equations";
constexpr std::string_view least_route = "the least a router can take";
constexpr std::string_view least_accept = "the least an interface can take";
constexpr std::string_view one_circuit = "a node takes part in one exchange at a time";
constexpr std::string_view no_protocol = "the equations know no message protocol";
constexpr std::string_view no_barrier = "the equations are used without a barrier term";
constexpr std::string_view always_shuffle =
    "equation (1) of [B] charges a shuffle to every phase, Direct's redundant one included";

constexpr std::string_view overlapped = "start-ups belong to the ports and cost the processor nothing";
constexpr std::string_view least_both = "a node sends and receives at the same time, always";

constexpr auto ideal_values = std::to_array<PresetValue>({
    {"clock", "40 MHz", 'A', times_only},
    {"link.phit", "1 B", 'A', byte_phits},
    {"link.cycles_per_phit", "1 cycle", 'A', "one byte a cycle, 40 MB/s"},
    {"router.route", "1 cycle", 'A', "the least a router can take: 4 cycles a hop, time is affine in bytes and hops"},
    {"network.accept", "1 cycle", 'A', least_accept},
    {"network.distance", "real", 'A', "every hop counts"},
    {"network.duplex", "full", 'A', least_both},
    {"node.ports", "one", 'A', one_circuit},
    {"node.startups", "overlapped", 'A', overlapped},
    {"library.send", "100 cycles", 'A', "a round number, 2.5 us"},
    {"library.send_zero", "100 cycles", 'A', "the equations do not distinguish messages without bytes"},
    {"library.signal_send", "100 cycles", 'A', "a barrier is made of messages like any other"},
    {"core.permute", "0 cycles/byte", 'A', "local moves are free unless set"},
    {"core.combine", "0 cycles/item", 'A', "arithmetic is free unless set"},
    {"library.protocol", "none", 'A', no_protocol},
    {"library.barrier", "none", 'A', no_barrier},
    {"library.identity_shuffle", "charge", 'A', always_shuffle},
});

constexpr auto hull_values = std::to_array<PresetValue>({
    {"clock", "40 MHz", 'A', times_only},
    {"link.phit", "1 B", 'A', byte_phits},
    {"link.cycles_per_phit", "80 cycles", 'B', "Fig. 1: tau = 2 us/byte"},
    {"router.route", "1 cycle", 'A', least_route},
    {"network.accept", "1 cycle", 'A', least_accept},
    {"network.distance", "fixed", 'B', "Fig. 1: delta = 10 us for a message over any distance"},
    {"network.setup", "480 cycles", 'D',
     "delta = 10 us [B] = 400 cycles and one phit of 80: m bytes take start-up + set-up + 80 (m - 1) = 4400 + 80 m "
     "cycles = lambda + delta + tau m"},
    {"network.duplex", "full", 'B', least_both},
    {"node.ports", "one", 'B', one_circuit},
    {"node.startups", "overlapped", 'A', overlapped},
    {"library.send", "4000 cycles", 'B', "Fig. 1: lambda = 100 us"},
    {"library.send_zero", "4000 cycles", 'B',
     "Fig. 1: lambda = 100 us; a message of zero bytes is one phit and takes as long as one of 1 byte"},
    {"library.signal_send", "4000 cycles", 'B', "Fig. 1: lambda = 100 us"},
    {"core.permute", "40 cycles/byte", 'B', "Fig. 1: rho = 1 us/byte"},
    {"core.combine", "0 cycles/item", 'A', "the paper combines nothing"},
    {"library.protocol", "none", 'B', no_protocol},
    {"library.barrier", "none", 'B', no_barrier},
    {"library.identity_shuffle", "charge", 'B', always_shuffle},
});

constexpr auto ipsc860_values = std::to_array<PresetValue>({
    {"clock", "40 MHz", 'L', "Intel i860 XR at 40 MHz; the network is counted in cycles of this clock as well"},
    {"core.clock", "40 MHz", 'L', "Intel i860 XR at 40 MHz"},
    {"link.phit", "4 B", 'A', "bit-serial channels; 4 bytes are the unit in which the model counts them"},
    {"link.cycles_per_phit", "63.04 cycles", 'D', "tau = 0.394 us/byte [N] = 15.76 cycles/byte, 4 bytes"},
    {"router.route", "409 cycles", 'D', "delta = 10.3 us per hop [N] = 412 cycles, of which 3 are registers"},
    {"network.accept", "1 cycle", 'A', "the least an interface can take; only its sum with the paths is known"},
    {"network.distance", "real", 'N', "delta is 5.15 d us on average: it grows with the hops"},
    {"network.duplex", "together", 'N',
     "two opposite transmissions run together only when they start together, else one after the other"},
    {"network.together", "2000 cycles", 'A',
     "50 us: more than the receipt of the zero-byte message that makes two nodes start together"},
    {"node.ports", "one", 'L', "the processor serves one send and one receive at a time"},
    {"node.startups", "queued", 'L', "the message library runs on the node's one processor"},
    {"node.transfer", "dma", 'R',
     "the bus takes 2 cycles for 8 bytes, far less than the link: it never limits a message"},
    {"node.overlap", "off", 'R', "the node's programs wait for their messages"},
    {"core.loops", "compiled", 'N', "the measured code is compiled"},
    {"core.permute", "20.1 cycles/byte", 'D',
     "rho = 0.54 us/byte [N] = 21.6 cycles/byte, mostly index arithmetic, less 1.5 for three lines of 16 cycles in 32 "
     "bytes"},
    {"core.permute_tuned", "0.25 cycles/byte", 'A',
     "a load and a store of 8 bytes; with its lines 1.25, near 1 cycle/byte [D]"},
    {"core.combine", "8 cycles/item", 'D',
     "gamma = 0.35 us/float [V] = 14 cycles, less 6 for three lines of 16 cycles in 8 items"},
    {"core.combine_tuned", "2 cycles/item", 'A',
     "two pipelined loads, an add and a store in dual-instruction mode [L]"},
    {"core.copy", "1 cycle/byte", 'A', "a load, a store and their index for 4 bytes"},
    {"core.copy_tuned", "0.25 cycles/byte", 'A', "a load and a store of 8 bytes"},
    {"memory.bus", "8 B", 'L', "64-bit bus"},
    {"memory.transfer", "2 cycles", 'L', "at best one transfer in 2 clocks, 160 MB/s"},
    {"memory.line", "32 B", 'L', "lines of the 8 KB data cache"},
    {"memory.page_miss", "8 cycles", 'R', "a DRAM page miss costs some 6-10 clocks more"},
    {"library.send", "2247 cycles", 'D',
     "trap and checks, header, queue. lambda = 95.0 us [N] = 3800 cycles = send + receive + 416 (412 of the own "
     "router, 4 of the interfaces) - 63.04 (the first phit is in the set-up). Only the sum is measured; the split is a "
     "calibration"},
    {"library.receive", "1200 cycles", 'D', "interrupt, matching, return: the rest of lambda"},
    {"library.send_zero", "1884 cycles", 'D',
     "82.5 us for zero bytes [N] = 3300 cycles = send_zero + receive_zero + 416. The split is a calibration"},
    {"library.receive_zero", "1000 cycles", 'D', "the rest of the 82.5 us"},
    {"library.control_send", "176 cycles", 'D', "as on ipsc860-nx; in use only if library.protocol is set to unforced"},
    {"library.control_receive", "160 cycles", 'D',
     "as on ipsc860-nx; in use only if library.protocol is set to unforced"},
    {"library.signal_send", "3172 cycles", 'D',
     "Q = 150 d us [N] = 6000 cycles for each dimension = signal_send + signal_receive + 412 + 416. The split is a "
     "calibration"},
    {"library.signal_receive", "2000 cycles", 'D', "the rest of the 150 us"},
    {"library.protocol", "forced", 'N', "FORCED messages, receives posted beforehand"},
    {"library.threshold", "100 B", 'N', "up to 100 bytes the receiver is assumed to have room"},
    {"library.buffer", "1 MB", 'A', "a part of the node's memory of 8 MB and more"},
    {"library.barrier", "phase", 'N', "nodes are synchronised before every phase"},
    {"library.identity_shuffle", "skip", 'D', "Direct needs no shuffle; the published crossings are nearer without it"},
});

/// A detailed node instead of rates.
constexpr auto detailed_values = std::to_array<PresetValue>({
    {"node.model", "detailed", 'A', "the loops of the node are run, none of its rates is given"},
    {"memory.page", "4 KiB", 'A', "one open page, as large as a page of the address space"},
    {"cache.size", "8 KiB", 'L', "data cache of the i860 XR"},
    {"cache.ways", "2", 'L', "two ways"},
    {"cache.allocate", "read", 'R', "a store that misses goes to memory"},
    {"cache.write", "back", 'L', "write-back"},
    {"cache.replacement", "random", 'L', "random replacement"},
    {"tlb.entries", "64", 'R', "64 entries"},
    {"tlb.ways", "4", 'R', "in sets of 4"},
    {"tlb.page", "4 KiB", 'R', "4 KB pages"},
    {"buffers.writes", "2", 'A', "a line and a word can wait"},
    {"fifo.size", "64 B", 'A', "two lines each way"},
    {"node.coherence", "flush", 'A', "the processor knows nothing of what the network has written"},
    {"loops.element", "1 B", 'A', "blocks have any length: a portable loop moves bytes"},
    {"loops.variables", "memory", 'A', "code that is not optimised keeps index and bases in memory"},
    {"loops.unroll", "1", 'A', "not optimised"},
    {"loops.tile", "1", 'A', "a permutation in order, block by block: nothing in print says that it was blocked"},
    {"loops.loads", "cached", 'A', "compilers of the time issue no pipelined loads for such a loop"},
    {"library.lines", "0", 'A', "the paths of the library are those of ipsc860, data included"},
});

constexpr bool is_rate(std::string_view key) {
  return key.starts_with("core.permute") || key.starts_with("core.combine") || key.starts_with("core.copy");
}

constexpr auto ipsc860_node_values = [] {
  constexpr std::size_t rates = static_cast<std::size_t>(
      std::count_if(ipsc860_values.begin(), ipsc860_values.end(), [](const PresetValue& v) { return is_rate(v.key); }));
  std::array<PresetValue, ipsc860_values.size() - rates + detailed_values.size()> values{};
  auto* const end = std::copy_if(ipsc860_values.begin(), ipsc860_values.end(), values.begin(),
                                 [](const PresetValue& v) { return !is_rate(v.key); });
  std::copy(detailed_values.begin(), detailed_values.end(), end);
  return values;
}();

/// `values`, of which some are others. None is new, or this does not compile.
template <std::size_t N, std::size_t M>
constexpr auto varied(std::array<PresetValue, N> values, const std::array<PresetValue, M>& others) {
  for (const PresetValue& other : others) {
    *std::ranges::find_if(values, [&](const PresetValue& value) { return value.key == other.key; }) = other;
  }
  return values;
}

/// The other library on the same node.
constexpr auto ipsc860_nx_values = varied(
    ipsc860_values,
    std::to_array<PresetValue>({
        {"link.cycles_per_phit", "64 cycles", 'D', "0.4 us/byte [L] = 16 cycles/byte, 4 bytes"},
        {"router.route", "437 cycles", 'D',
         "11 us per hop [L] = 440 cycles, of which 3 are registers. [N] measured 10.3 us on the same network: the two "
         "measurements conflict, and each library keeps its own"},
        {"network.distance", "real", 'L',
         "11 us per hop for short messages, 33 us for long ones, which are three circuits"},
        {"library.send", "1380 cycles", 'D',
         "csend. Up to 100 bytes take 64 + 11 h + 0.4 m us [L] = 2560 + 440 h + 16 m cycles = send + receive + 444 + "
         "440 h - 64 (the first phit is in the set-up) + 16 m. The split is a calibration"},
        {"library.receive", "800 cycles", 'D', "crecv: the rest of the 64 us"},
        {"library.send_zero", "1316 cycles", 'D', "64 us for zero bytes as well: send_zero + receive_zero + 444"},
        {"library.receive_zero", "800 cycles", 'D', "the rest of the 64 us"},
        {"library.control_send", "176 cycles", 'D',
         "above 100 bytes 103 + 33 h + 0.4 m us [L] = 4120 + 1320 h + 16 m cycles: three circuits, and 2 (control_send "
         "+ control_receive) = 672 cycles beyond their set-up. The split is a calibration"},
        {"library.control_receive", "160 cycles", 'D', "the rest of the 103 us"},
        {"library.signal_send", "1316 cycles", 'A', "a barrier is made of empty messages like any other"},
        {"library.signal_receive", "800 cycles", 'A', "a barrier is made of empty messages like any other"},
        {"library.protocol", "unforced", 'L', "short messages go at once, long ones reserve room first"},
        {"library.barrier", "none", 'V', "the combine is not synchronised"},
        {"library.identity_shuffle", "skip", 'D', "as in [N]"},
    }));

constexpr PresetValue ipsc860_call = {"library.call", "6880 cycles", 'D',
                                      "subroutine calls and bookkeeping. alpha = 480 us in effect [V] = 136 us of "
                                      "csend and crecv + 2 x 172 us: an exchange sends one message and receives one. "
                                      "Messages longer by 30 floats (48 us) then start in 528 us; [V] has 525"};
constexpr PresetValue ipsc860_call_byte = {"library.call_byte", "2 cycles/byte", 'D',
                                           "beta = 2.0 us/float in effect [V] = 1.6 us of the link + 2 x 4 bytes x "
                                           "0.05 us. The even split between sending and receiving is a calibration"};

/// csend and crecv, and the combine routine that van de Geijn measured on top of them.
constexpr auto ipsc860_combine_values = [] {
  std::array<PresetValue, ipsc860_nx_values.size() + 2> values{};
  std::copy(ipsc860_nx_values.begin(), ipsc860_nx_values.end(), values.begin());
  values[ipsc860_nx_values.size()] = ipsc860_call;
  values[ipsc860_nx_values.size() + 1] = ipsc860_call_byte;
  return values;
}();

constexpr auto ipsc2_values = std::to_array<PresetValue>({
    {"clock", "16 MHz", 'L', "Intel 80386 at 16 MHz; the network is counted in cycles of this clock as well"},
    {"core.clock", "16 MHz", 'L', "Intel 80386 at 16 MHz"},
    {"link.phit", "4 B", 'A', "bit-serial channels, the same modules as in the iPSC/860"},
    {"link.cycles_per_phit", "23.04 cycles", 'D', "0.36 us/byte [L] = 5.76 cycles/byte, 4 bytes"},
    {"router.route", "157 cycles", 'D', "about 10 us per hop [R] = 160 cycles, of which 3 are registers"},
    {"network.accept", "1 cycle", 'A', "the least an interface can take; only its sum with the paths is known"},
    {"network.distance", "real", 'R', "every hop counts"},
    {"network.duplex", "together", 'R', "the same modules as in the iPSC/860"},
    {"network.together", "2400 cycles", 'A', "150 us: more than a receipt"},
    {"node.ports", "one", 'L', "the processor serves one send and one receive at a time"},
    {"node.startups", "queued", 'L', "the message library runs on the node's one processor"},
    {"node.transfer", "dma", 'R', "a controller moves the data"},
    {"node.overlap", "off", 'R', "the node's programs wait for their messages"},
    {"core.loops", "compiled", 'A', "no tuned loop is known"},
    {"core.permute", "20 cycles/byte", 'R', "a guess: indexed moves of a 80386, memory included"},
    {"core.permute_tuned", "2 cycles/byte", 'R', "a guess: string moves of 4 bytes in 8 cycles"},
    {"core.combine", "100 cycles/item", 'R', "a guess: load, add and store of a 80387"},
    {"core.combine_tuned", "80 cycles/item", 'R', "a guess: the same with its operands ready"},
    {"core.copy", "4 cycles/byte", 'R', "a guess"},
    {"core.copy_tuned", "2 cycles/byte", 'R', "a guess: string moves of 4 bytes in 8 cycles"},
    {"memory.bus", "4 B", 'L', "32-bit bus; its time is in the loops"},
    {"library.send", "3299 cycles", 'D',
     "about 350 us for a short message to a neighbour [L, R] = 5600 cycles = send + receive + 324 - 23.04. The split "
     "is a calibration"},
    {"library.receive", "2000 cycles", 'D', "the rest of the 350 us"},
    {"library.send_zero", "3276 cycles", 'D', "350 us for zero bytes as well"},
    {"library.receive_zero", "2000 cycles", 'D', "the rest of the 350 us"},
    {"library.control_send", "1216 cycles", 'D',
     "660-700 us for a long message to a neighbour [L, R]: 680 us = 10880 cycles, three circuits, and 2 (control_send "
     "+ control_receive) = 4632 cycles beyond their set-up. The split is a calibration"},
    {"library.control_receive", "1100 cycles", 'D', "the rest of the 680 us"},
    {"library.signal_send", "3276 cycles", 'A', "a barrier is made of empty messages like any other"},
    {"library.signal_receive", "2000 cycles", 'A', "a barrier is made of empty messages like any other"},
    {"library.protocol", "unforced", 'R', "short messages go at once, long ones reserve room first"},
    {"library.threshold", "100 B", 'R', "as on the iPSC/860"},
    {"library.buffer", "1 MB", 'A', "a part of the node's memory"},
    {"library.barrier", "none", 'A', "programs synchronise where they need to"},
    {"library.identity_shuffle", "skip", 'A', "a shuffle that moves nothing is left out"},
});

constexpr auto cm2_values = std::to_array<PresetValue>({
    {"clock", "7 MHz", 'R', "about 7 MHz"},
    {"link.phit", "1 B", 'A', "one wire a direction; a byte is the unit in which the model counts its bits"},
    {"link.cycles_per_phit", "8 cycles", 'R', "a bit a cycle: one wire for each dimension and direction"},
    {"router.route", "1 cycle", 'A', least_route},
    {"network.accept", "1 cycle", 'A', least_accept},
    {"network.distance", "real", 'A', "only neighbours exchange; a message further away would pay for every hop"},
    {"network.duplex", "full", 'J', "every dimension is used in both directions at once"},
    {"node.ports", "n", 'J', "communication on all channels of all processors at once"},
    {"node.startups", "overlapped", 'J', "one instruction exchanges in all dimensions: no start-up beyond the first"},
    {"library.send", "149 cycles", 'D',
     "a 32-bit exchange takes about 185 cycles [R] = send + 12 (two routers, two interfaces) + 24 (three more bytes)"},
    {"library.send_zero", "149 cycles", 'A', "messages without bytes are not known of"},
    {"library.signal_send", "149 cycles", 'A', "a barrier is made of exchanges like any other"},
    {"core.permute", "0 cycles/byte", 'A',
     "local moves are free unless set; [J] measured 270 + (3.2 + 3.9 beta) K us for beta 2-cycles, local moves "
     "included"},
    {"core.combine", "0 cycles/item", 'A', "arithmetic is free unless set"},
    {"library.protocol", "none", 'A', "exchanges are synchronous: nothing arrives unasked"},
    {"library.barrier", "none", 'A', "all processors run in step"},
    {"library.identity_shuffle", "charge", 'A', always_shuffle},
});

constexpr auto ipsc1_values = std::to_array<PresetValue>({
    {"clock", "8 MHz", 'R', "Intel 80286 at 8 MHz; the network is counted in cycles of this clock as well"},
    {"core.clock", "8 MHz", 'R', "Intel 80286 at 8 MHz"},
    {"link.phit", "1 B", 'A', "bit-serial channels"},
    {"link.cycles_per_phit", "14.4 cycles", 'R', "about 1.8 us/byte, what memory and processor make of a channel"},
    {"router.route", "1 cycle", 'A', least_route},
    {"network.accept", "1 cycle", 'A', least_accept},
    {"network.distance", "real", 'R', "every hop counts"},
    {"network.switching", "store-and-forward", 'R', "node software receives every packet whole and sends it on"},
    {"network.packet", "1 KiB", 'R', "packets of up to 1 KB"},
    {"network.duplex", "full", 'A', least_both},
    {"node.ports", "one", 'R', "one message sent and one received at a time"},
    {"node.startups", "queued", 'R', "the message library runs on the node's one processor"},
    {"node.transfer", "dma", 'A', "its cost is in the time for a byte"},
    {"node.overlap", "off", 'R', "the node's programs wait for their messages"},
    {"core.loops", "compiled", 'A', "no tuned loop is known"},
    {"core.permute", "8 cycles/byte", 'A', "a guess: indexed moves of a 80286, memory included"},
    {"core.permute_tuned", "2 cycles/byte", 'A', "a guess: string moves of 2 bytes in 4 cycles"},
    {"core.combine", "300 cycles/item", 'A', "a guess: load, add and store of a 80287"},
    {"core.combine_tuned", "250 cycles/item", 'A', "a guess: the same with its operands ready"},
    {"core.copy", "4 cycles/byte", 'A', "a guess"},
    {"core.copy_tuned", "2 cycles/byte", 'A', "a guess: string moves of 2 bytes in 4 cycles"},
    {"library.send", "5002 cycles", 'D',
     "about 1 ms for a message to a neighbour [R] = 8000 cycles = send + receive + 12 - 14.4, rounded. The split is a "
     "calibration"},
    {"library.receive", "3000 cycles", 'D', "the rest of the 1 ms"},
    {"library.send_zero", "4988 cycles", 'D', "1 ms for zero bytes as well"},
    {"library.receive_zero", "3000 cycles", 'D', "the rest of the 1 ms"},
    {"library.signal_send", "4988 cycles", 'A', "a barrier is made of messages like any other"},
    {"library.signal_receive", "3000 cycles", 'A', "the same"},
    {"library.forward", "8002 cycles", 'D', "one start-up per hop [R]"},
    {"library.protocol", "none", 'R', "buffers are taken to be unbounded; the most they held is reported"},
    {"library.barrier", "none", 'A', "the papers' algorithms on it use none"},
    {"library.identity_shuffle", "charge", 'A', always_shuffle},
});

constexpr auto ncube2_values = std::to_array<PresetValue>({
    {"clock", "20 MHz", 'R', "processor and router of one chip"},
    {"link.phit", "1 B", 'A', "bit-serial channels"},
    {"link.cycles_per_phit", "9 cycles", 'L', "0.45 us/byte"},
    {"router.route", "39 cycles", 'R', "about 2 us per hop = 40 cycles, of which one is a register"},
    {"router.buffer", "1 B", 'A', "one phit: a worm stalls where it is"},
    {"network.accept", "1 cycle", 'A', least_accept},
    {"network.distance", "real", 'R', "every hop counts"},
    {"network.switching", "wormhole", 'R', "data follow the address without an acknowledge"},
    {"network.duplex", "full", 'R', "a channel each way in every dimension, each with its own DMA"},
    {"node.ports", "n", 'R', "all channels of a node at once"},
    {"node.startups", "queued", 'A', "the message library runs on the node's one processor"},
    {"node.transfer", "dma", 'R', "controllers move the data"},
    {"node.overlap", "on", 'A', "the processor goes on while controllers move data"},
    {"core.loops", "compiled", 'A', "no tuned loop is known"},
    {"core.permute", "16 cycles/byte", 'A', "a guess: indexed moves, memory included"},
    {"core.permute_tuned", "2 cycles/byte", 'A', "a guess: moves of 8 bytes in 16 cycles"},
    {"core.combine", "40 cycles/item", 'A', "a guess: load, add and store"},
    {"core.combine_tuned", "25 cycles/item", 'A', "a guess: the same with its operands ready"},
    {"core.copy", "4 cycles/byte", 'A', "a guess"},
    {"core.copy_tuned", "2 cycles/byte", 'A', "a guess: moves of 8 bytes in 16 cycles"},
    {"library.send", "1979 cycles", 'D',
     "start-up 160 us [L] = 3200 cycles = send + receive + 42, what the equation's line has at no hops and no bytes. "
     "The split is a calibration"},
    {"library.receive", "1179 cycles", 'D', "the rest of the 160 us"},
    {"library.send_zero", "1750 cycles", 'D',
     "151 us for an empty message to a neighbour [L] = 3020 cycles = send_zero + receive_zero + 91. The split is a "
     "calibration"},
    {"library.receive_zero", "1179 cycles", 'D', "the rest of the 151 us"},
    {"library.signal_send", "1750 cycles", 'A', "a barrier is made of messages like any other"},
    {"library.signal_receive", "1179 cycles", 'A', "the same"},
    {"library.protocol", "none", 'A', "nodes keep whatever arrives"},
    {"library.barrier", "none", 'A', "programs synchronise where they need to"},
    {"library.identity_shuffle", "charge", 'A', always_shuffle},
});

constexpr std::array<Preset, 10> preset_table = {{
    {"ideal", "the papers' assumptions and nothing else: fast links, free local moves, no protocol",
     "Synthetic. One byte a cycle, the least router, start-ups that overlap: time is affine in bytes and in hops.",
     ideal_values},
    {"hull", "the machine of Bokhari 1993, Fig. 1: lambda 100, tau 2, rho 1, delta 10 us at any distance",
     "Synthetic. Set-up is padded at the network interface, so that distance costs the same everywhere.", hull_values},
    {"ipsc860", "Intel iPSC/860, posted FORCED messages (isend, irecv), as measured by Nicol & Bokhari 1994",
     "The measured totals are split into path lengths of the message library, issue cycles of the loops and transfers "
     "of the bus. The totals are the paper's; the split is a calibration that can be changed.",
     ipsc860_values},
    {"ipsc860-node", "ipsc860 with a node in detail: core, cache, TLB, bus and DRAM run its loops",
     "Network and message library of ipsc860. What permuting, copying and combining cost is not given but follows from "
     "the loops' operations (hw/node/README.md); the published rho and gamma are to be compared with it.",
     ipsc860_node_values},
    {"ipsc860-nx", "Intel iPSC/860, csend and crecv, UNFORCED, as measured for van de Geijn 1991 and by Dunigan",
     "The same node and network as ipsc860 under another library, with its own measurements: where the two disagree "
     "(10.3 and 11 us per hop, 0.394 and 0.4 us/byte), each keeps its own. csend of zero bytes (64 + 11 h us) is "
     "cheaper than the FORCED zero-byte message (82.5 + 10.3 h us).",
     ipsc860_nx_values},
    {"ipsc860-combine", "ipsc860-nx with the overhead of the combine routine that van de Geijn 1991 measured",
     "csend and crecv as on ipsc860-nx, and what the routine itself spends for each message and byte: alpha 480 us, "
     "beta 2 us and gamma 0.35 us a float in effect, 525 us with padded messages. In version 1 the calls of sender and "
     "receiver overlap, so that its start-up is lower, as the paper saw.",
     ipsc860_combine_values},
    {"cm2", "Connection Machine CM-2: exchanges with all neighbours at once, 185 cycles for 32 bits",
     "n-port, one wire a dimension and direction, no start-up of its own: what a step of a shuffle costs there. Its "
     "general router is not modelled.",
     cm2_values},
    {"ipsc1", "Intel iPSC/1 (80286, 8 MHz): packets stored and forwarded by node software",
     "Every hop costs a start-up of about 1 ms on the node's processor. Its loops are guesses; the equations of "
     "circuit switching hold for neighbours only.",
     ipsc1_values},
    {"ipsc2", "Intel iPSC/2 (80386, 16 MHz), csend and crecv",
     "The predecessor: the same routing modules, a slower processor. Its loops are guesses.", ipsc2_values},
    {"ncube2", "nCUBE-2 (20 MHz): wormhole switching, all channels at once",
     "A worm's phits follow its probe without an acknowledge and stall where they are when it is blocked; there are no "
     "virtual channels. Start-up, bytes and hops are published, its loops are guesses.",
     ncube2_values},
}};

}  // namespace

std::span<const SourceMark> source_marks() { return marks; }

std::span<const Preset> presets() { return preset_table; }

}  // namespace ecube
