// SPDX-License-Identifier: Apache-2.0
// A machine: every parameter of the modelled hardware and its message library, as one plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/machine/cube.h"
#include "models/machine/quantity.h"
#include "models/machine/topology.h"

namespace ecube {

enum class Startups : std::uint8_t { queued, overlapped };
enum class Distance : std::uint8_t { real, fixed };
enum class Duplex : std::uint8_t { full, together };
enum class Protocol : std::uint8_t { none, forced, unforced };
/// A circuit from end to end, packets that every node on the way receives whole and sends on, or a worm whose phits
/// follow their probe without waiting for an acknowledge.
enum class Switching : std::uint8_t { circuit, store_and_forward, wormhole };
/// Where a complete exchange synchronises all nodes: nowhere, by messages before every phase or step, or by a clock
/// that all nodes share.
enum class Barrier : std::uint8_t { none, phase, step, clock };
/// What closes together when a plane is tuned: the two ends of a link, or the plane.
enum class PlaneScope : std::uint8_t { link, plane };
enum class IdentityShuffle : std::uint8_t { charge, skip };
enum class Loops : std::uint8_t { compiled, tuned };
enum class Transfer : std::uint8_t { dma, programmed };
enum class Overlap : std::uint8_t { on, off };
enum class Combining : std::uint8_t { received, arriving };

enum class NodeModel : std::uint8_t { rates, detailed };
enum class Allocate : std::uint8_t { read, write };
enum class WritePolicy : std::uint8_t { back, through };
enum class Replacement : std::uint8_t { random, lru };
enum class Coherence : std::uint8_t { uncached, flush, snoop };
/// Where a compiled loop keeps its index and base addresses.
enum class Variables : std::uint8_t { memory, registers };
enum class LoopLoads : std::uint8_t { cached, pipelined };

/// Simultaneous links per node: one, all (n), or at most `engines` at a time.
struct Ports {
  static constexpr std::uint32_t n = 0;
  std::uint32_t engines = 1;  ///< 1 = one-port, Ports::n = n-port, otherwise K engines

  /// Inject (and eject) ports of a router with `links` outputs to other routers; in a cube, its dimension.
  [[nodiscard]] constexpr std::uint32_t physical(unsigned links) const { return engines == 1 ? 1 : links; }
  /// Links of so many that a node uses at the same time.
  [[nodiscard]] constexpr std::uint32_t used(unsigned links) const {
    return engines == n || engines > links ? links : engines;
  }
  /// True when fewer engines than ports exist, so that the interface has to share them.
  [[nodiscard]] constexpr bool shared(unsigned links) const { return engines > 1 && engines < links; }
  friend constexpr bool operator==(const Ports&, const Ports&) = default;
};

/// Issue cycles of one loop, per byte or per item: as the compiler made it, and tuned by hand.
struct LoopCost {
  Ratio compiled{0, 1};
  Ratio tuned{0, 1};
  friend constexpr bool operator==(const LoopCost&, const LoopCost&) = default;
};

/// The longest time of a phit in cycles, on the link or in the node, for which times of messages are exact.
inline constexpr std::uint64_t largest_phit_cycles = 1'000'000;

/// The cost in cycles of an operation that takes longer than the limit of simulated time. Sums of a few of these costs
/// fit in 64 bits.
inline constexpr Cycles endless = Cycles{1} << 60;

/// Parts and loops of a detailed node (hw/node/README.md): its cache, TLB, buffers, FIFOs, buffers in memory and loops.
struct DetailedNode {
  struct Cache {
    std::uint32_t bytes = 8192;
    std::uint32_t ways = 2;
    Allocate allocate = Allocate::read;
    WritePolicy write = WritePolicy::back;
    Replacement replacement = Replacement::random;
  } cache;

  struct Tlb {
    std::uint32_t entries = 64;  ///< 0: translation takes no time
    std::uint32_t ways = 4;
    std::uint32_t page_bytes = 4096;
  } tlb;

  std::uint32_t write_buffers = 2;
  std::uint32_t dram_page_bytes = 4096;
  std::uint32_t fifo_bytes = 64;
  Coherence coherence = Coherence::flush;

  /// Where buffers lie in the address space of every node.
  struct Layout {
    Bytes source = 0x100000;   ///< what loops read: blocks, the first operand of a combine
    Bytes target = 0x200000;   ///< what they write
    Bytes operand = 0x300000;  ///< the second operand: what has arrived
    Bytes system = 0x400000;   ///< system buffer, for messages without a receive
    Bytes frame = 0x8000;      ///< variables of a loop in memory
    Bytes padding = 0;         ///< behind every block
  } layout;

  struct Loops {
    std::uint32_t element_bytes = 1;  ///< moved at a time by the compiled loops that copy and permute
    Variables variables = Variables::memory;
    std::uint32_t unroll = 1;
    std::uint32_t tile = 1;  ///< a permutation goes through its matrix in tiles of so many blocks a side; 1: in order
    LoopLoads loads = LoopLoads::cached;
  } loops;

  /// Cycles of the machine in which the processor moves a word of the bus to the link, measured by running its loop;
  /// of programmed transfer.
  Ratio programmed_word{0, 1};

  std::uint32_t library_lines = 0;  ///< of the library's own data that the path of a message touches, cold
};

/// Field meanings and cycle rules: hw/README.md. Names, units, ranges and help: models/machine/machine_parameters.h,
/// the one table.
struct Machine {
  std::string name = "custom";
  double clock_hz = 40e6;

  struct Link {
    std::uint32_t phit_bytes = 1;
    Ratio cycles_per_phit{1, 1};
    std::uint32_t channels = 1;  ///< wires, each with buffer and owner, that a link of the topology is made of
    /// Phits of a message; a message without bytes is one phit, the tail.
    [[nodiscard]] std::uint64_t phits(Bytes bytes) const {
      return bytes == 0 ? 1 : (bytes + phit_bytes - 1) / phit_bytes;
    }
  } link;

  struct Router {
    Cycles route_cycles = 1;
    Bytes buffer_bytes = 1;  ///< of an input, with Switching::wormhole
  } router;

  struct Network {
    std::optional<Topology> topology{};  ///< empty: the cube
    Cycles accept_cycles = 1;
    Distance distance = Distance::real;
    Cycles setup_cycles = 0;  ///< probe edge to receiver ready of a one-phit message, used when distance is fixed
    Switching switching = Switching::circuit;
    Bytes packet_bytes = 1024;  ///< of the longest packet, with Switching::store_and_forward
    Duplex duplex = Duplex::full;
    Cycles together_cycles = 0;  ///< how far apart two transmissions may begin to run together, with Duplex::together
    std::uint32_t planes = 0;    ///< tuned by the program, in the place of links; 0: links are fixed
  } network;

  struct Plane {
    Cycles retune_cycles = 1000;  ///< dark cycles of a change
    PlaneScope scope = PlaneScope::link;
  } plane;

  struct Core {
    double clock_hz = 40e6;  ///< counts the cycles of loops and of the message library
    Loops loops = Loops::compiled;
    LoopCost permute;  ///< per byte
    LoopCost combine;  ///< per item
    LoopCost copy;     ///< per byte
  } core;

  struct Memory {
    std::uint32_t bus_bytes = 8;    ///< moved by one transfer
    Cycles transfer_cycles = 0;     ///< of one transfer
    std::uint32_t line_bytes = 32;  ///< of a cache line
    Cycles page_miss_cycles = 0;    ///< added for every line
  } memory;

  struct Node {
    NodeModel model = NodeModel::rates;
    Ports ports;
    Startups startups = Startups::overlapped;
    Transfer transfer = Transfer::dma;
    Overlap overlap = Overlap::on;
  } node;

  DetailedNode detailed;  ///< used with NodeModel::detailed

  /// Path lengths are in cycles of the core.
  struct Library {
    Cycles send_cycles = 100;  ///< before the probe of a message with bytes
    Cycles send_zero_cycles = 100;
    Cycles receive_cycles = 0;  ///< after the arrival of a message with bytes
    Cycles receive_zero_cycles = 0;
    Cycles control_send_cycles = 0;  ///< of grants, and of data that was granted
    Cycles control_receive_cycles = 0;
    Cycles signal_send_cycles = 100;  ///< of a barrier's messages
    Cycles signal_receive_cycles = 0;
    Cycles forward_cycles = 0;  ///< before the probe of a packet that is sent on, with Switching::store_and_forward
    Cycles call_cycles = 0;     ///< of a collective routine itself, for each message that it sends or receives
    Ratio call_per_byte{0, 1};  ///< the same for each byte of these messages
    Combining combining = Combining::received;
    Protocol protocol = Protocol::none;
    Bytes threshold_bytes = 100;  ///< longer unforced messages reserve room first
    Bytes buffer_bytes = 0;       ///< of a node, for unforced messages without a receive
    Barrier barrier = Barrier::none;
    Cycles slack_cycles = 0;  ///< between the computed end of a phase and the start of the next, with Barrier::clock
    IdentityShuffle identity_shuffle = IdentityShuffle::charge;
  } library;

  /// Path lengths of the library's code, in cycles of the machine.
  struct PathLengths {
    Cycles send = 0, send_zero = 0, receive = 0, receive_zero = 0, control_send = 0, control_receive = 0,
           signal_send = 0, signal_receive = 0, forward = 0;
  };

  static constexpr std::uint32_t item_bytes = 4;  ///< of a float, the item of the published gamma and beta

  /// The network of a run: `dim` is the dimension of the cube, where the network is one.
  [[nodiscard]] Topology topology(unsigned dim) const {
    if (network.planes != 0) return Topology::on_planes(dim, network.planes);
    const Topology one = network.topology && !network.topology->is_cube() ? *network.topology : Topology::cube(dim);
    return link.channels == 1 ? one : one.with_channels(link.channels);
  }
  /// A cube of links that stay as they are.
  [[nodiscard]] bool on_cube() const {
    return network.planes == 0 && (!network.topology || network.topology->is_cube());
  }
  /// The fewest of `links` ports that a node can have: all with planes, and two where a port names a link's channel.
  [[nodiscard]] std::uint32_t fewest_ports(std::uint32_t links) const {
    if (network.planes != 0) return links;
    return link.channels == 1 ? 1 : 2;
  }
  /// Channels of a link that a node can use together: on fewer than all ports, one.
  [[nodiscard]] std::uint32_t shared_channels() const { return node.ports.engines == Ports::n ? link.channels : 1; }
  [[nodiscard]] double us(double cycles) const { return cycles * 1e6 / clock_hz; }
  /// The last cycle that begins within simulated time: SystemC counts picoseconds in 64 bits, half of which are left
  /// for its differences of times.
  [[nodiscard]] Cycles last_counted_cycle() const {
    constexpr long double most_seconds = 9e6L;
    return static_cast<Cycles>(most_seconds * static_cast<long double>(clock_hz));
  }
  /// Cycles of the machine that `cycles` of the core take, rounded up.
  [[nodiscard]] Cycles from_core(Cycles cycles) const;
  /// Cycles of the core that `cycles` of the machine take, rounded up.
  [[nodiscard]] Cycles to_core(Cycles cycles) const;
  /// What `time_of` says that each path of the library takes, from its cycles of the core.
  template <class TimeOf>
  [[nodiscard]] PathLengths path_lengths(const TimeOf& time_of) const {
    return {.send = time_of(library.send_cycles),
            .send_zero = time_of(library.send_zero_cycles),
            .receive = time_of(library.receive_cycles),
            .receive_zero = time_of(library.receive_zero_cycles),
            .control_send = time_of(library.control_send_cycles),
            .control_receive = time_of(library.control_receive_cycles),
            .signal_send = time_of(library.signal_send_cycles),
            .signal_receive = time_of(library.signal_receive_cycles),
            .forward = time_of(library.forward_cycles)};
  }
  [[nodiscard]] PathLengths path_lengths() const {
    return path_lengths([this](Cycles cycles) { return from_core(cycles); });
  }
  [[nodiscard]] std::uint64_t phits(Bytes bytes) const { return link.phits(bytes); }
  /// Phits that an input of a router can hold of a worm, at least one.
  [[nodiscard]] std::uint64_t buffer_phits() const {
    return router.buffer_bytes <= link.phit_bytes ? 1 : router.buffer_bytes / link.phit_bytes;
  }
  /// Cycles to move one cache line between memory and processor.
  [[nodiscard]] Cycles line_cycles() const;
  /// Cycles from one phit to the next: the time of the link or, if longer, of the node to move a phit between memory
  /// and link. A time above largest_phit_cycles is not exact; resolve() refuses such a machine.
  [[nodiscard]] Ratio phit_cycles() const;
  // Loops over memory, rounded up: issue cycles, and the lines moved for every line of data. A compiled loop that
  // copies or permutes reads a line, fetches the one it writes and writes it back; a tuned one writes whole lines
  // unfetched. Combining reads two operands and writes one back.
  [[nodiscard]] Cycles permute_cycles(Bytes bytes) const;
  [[nodiscard]] Cycles combine_cycles(std::uint64_t items, Bytes bytes) const;
  [[nodiscard]] Cycles copy_cycles(Bytes bytes) const;
  /// Cycles of a collective routine itself for `messages` messages of `bytes` bytes in all, rounded up.
  [[nodiscard]] Cycles call_cycles(std::uint64_t messages, Bytes bytes) const;
  /// Probe edge to receiver ready of an uncontended one-phit message over `hop_count` links (hw/README.md section 3),
  /// of a circuit.
  [[nodiscard]] Cycles one_phit_cycles(unsigned hop_count) const {
    return network.distance == Distance::fixed ? network.setup_cycles : least_setup(hop_count);
  }
  /// The same where nothing is padded: the smallest network.setup with which circuits over so many links are set up in
  /// time.
  [[nodiscard]] Cycles least_setup(unsigned hop_count) const {
    return (Cycles{hop_count} + 1) * (router.route_cycles + 3) + network.accept_cycles + 3;
  }
};

}  // namespace ecube
