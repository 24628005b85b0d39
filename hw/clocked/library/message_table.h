// SPDX-License-Identifier: Apache-2.0
// Contents and kind of every circuit under way, by the key that its probe carries; requests of programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "hw/clocked/wires/wire.h"
#include "hw/observed/circuit.h"
#include "models/contract/node_ports.h"

namespace ecube::clocked {

struct Request;

/// A message as its sender gave it to its message library. It does not change once it is on its way.
struct Message : CircuitRecord {
  Request* request = nullptr;         ///< the sender's, as long as it is not complete
  bool reserves = false;              ///< a reservation goes before it
  std::vector<std::byte> contents{};  ///< empty where it has only a length
};

/// A node's notes about an operation that its program has asked for.
struct Request {
  Operation* operation = nullptr;
  std::uint32_t number = 0;  ///< counts this node's requests in order of issue
  unsigned parts = 1;        ///< halves, or messages of receive_each or receive_counted, still to complete
  unsigned completions = 1;  ///< edges at which it is, or will be, told complete: of a counted receive one a message
  unsigned open = 0;         ///< messages that the receive can still be matched with or promised to
  unsigned synchronisations = 0;     ///< messages still to leave or to come, of a synchronised exchange
  Cycles complete_at = 0;            ///< the latest of the parts completed so far
  Cycles issued_at = 0;              ///< for a send after a rendezvous, the edge at which the partners met
  std::shared_ptr<Message> message;  ///< the message that the request sends
  Bytes unsent = 0;                  ///< bytes of the message in packets still to be made
};

/// One circuit, for a message, a packet of one, or control about one: of a packet it joins two nodes on the way.
struct Envelope : CircuitRecord {
  std::shared_ptr<const Message> message;
  std::uint64_t packets = 1;  ///< packets that the message is cut into
};

/// The envelopes of the circuits under way, by the keys that their probes carry. Written by the message library of the
/// source and read by that of the destination only.
using MessageTable = std::unordered_map<std::uint64_t, Envelope>;
[[nodiscard]] inline std::uint64_t key_of(NodeId source, unsigned port, std::uint16_t sequence) {
  return std::uint64_t{source} << 32 | std::uint64_t{port} << 16 | sequence;
}

}  // namespace ecube::clocked
