// SPDX-License-Identifier: Apache-2.0
// One network interface of the clocked reference: its registers and their next value (hw/README.md sections 3 and 4).
#pragma once

#include <deque>
#include <span>

#include "tests/oracle/clocked_library.h"
#include "tests/oracle/clocked_signals.h"

namespace ecube::oracle {

inline constexpr std::size_t max_node_ports = max_clocked_dim;

struct InterfaceState {
  /// worm: with wormhole switching, probe and phits one after the other; closing: its tail is on the way to the router.
  enum class Sending : std::uint8_t { idle, startup, probing, data, worm, closing };
  struct Inject {
    Sending phase = Sending::idle;
    std::size_t message = 0;
    Cycles startup_left = 0;  ///< overlapped start-ups only; queued ones are counted by the processor
    Cycles probe_age = 0;     ///< edges since the probe was driven
    bool acknowledged = false;
    std::int64_t credit = 0;  ///< (cycles since T0 + 1) x den - phits driven x num, with c = num / den
    Bytes bytes_left = 0;     ///< not yet driven
    Cycles first_phit = 0;    ///< T0
    Cycles pace_left = 0;     ///< wormhole: cycles until the wire can take the next phit
    bool begun = false;       ///< wormhole: the first phit has been driven
    bool held = false;        ///< by a send of several circuits, also between them
    Forward drive{};
  };

  enum class Receiving : std::uint8_t { idle, waiting, accepting, data, complete };
  struct Eject {
    Receiving phase = Receiving::idle;
    std::size_t message = 0;
    Cycles accept_left = 0;
    std::uint64_t phits_seen = 0;
    std::uint64_t held = 0;  ///< wormhole: words in the buffer, the probe among them
    bool tail_held = false;
    std::array<bool, max_node_ports> until_sent{};  ///< own transmissions that have to end before acceptance
    Backward drive{};
  };

  struct Processor {
    /// A start-up, by its port, or a receipt or copy.
    struct Work {
      bool startup = true;
      std::size_t port = 0;
      ClockedLibrary::Task task{};
    };
    bool busy = false;
    Work work;  ///< under way
    Cycles left = 0;
    std::deque<Work> queue;  ///< due, in the order of service
  };

  std::array<Inject, max_node_ports> inject{};
  std::array<Eject, max_node_ports> eject{};
  Processor processor;
  std::deque<std::size_t> waiting_sends;   ///< issued but not yet eligible, in the order of issue
  std::deque<std::size_t> waiting_probes;  ///< eject ports whose probe has no receive engine yet, in order of arrival
  std::uint32_t send_engines_taken = 0;
  std::uint32_t receive_engines_taken = 0;
};

/// What the own router drove before this edge, by node port, and what the program issues at this edge.
struct InterfaceWires {
  std::array<Forward, max_node_ports> forward{};    ///< from eject port p
  std::array<Backward, max_node_ports> backward{};  ///< to inject port p
  std::span<const std::size_t> issued;
  ClockedLibrary* library = nullptr;  ///< of this node; null when messages have no protocol
};

/// The parameters of all interfaces, and the messages that their tags mean.
struct InterfaceContext {
  const Machine& machine;
  Shape shape;
  std::span<const Traffic> traffic;

  /// Sends, and receives, that a node can have under way: K, or one for each port.
  [[nodiscard]] std::uint32_t engines() const;
  /// The inject port of a message.
  [[nodiscard]] std::size_t inject_port(const Traffic& message) const;
};

/// The registers after edge `edge`; what the interface decides goes to `record`, indexed by message.
[[nodiscard]] InterfaceState next_interface(const InterfaceState& now, const InterfaceWires& wires,
                                            const InterfaceContext& context, Cycles edge,
                                            std::span<CircuitTimes> record);

}  // namespace ecube::oracle
