// SPDX-License-Identifier: Apache-2.0
// What the event engine notes about an operation, in the room that the operation has for it.
#pragma once

#include "models/contract/node_ports.h"

namespace ecube::event {

/// Where what an operation sends is: in its buffer; set aside, because arriving bytes needed the buffer; or taken.
enum class Contents : std::uint8_t { in_place, set_aside, taken };

/// Of every operation.
struct Notes {
  Operation* next;      ///< in a list of receives, or of computations
  Operation* partner;   ///< who receives what is sent, where known before: rendezvous, promise
  std::uint32_t open;   ///< messages that it can still be matched with or promised to
  std::uint32_t parts;  ///< halves, or messages of receive_each, still to complete
  std::uint32_t issue;  ///< counts the operations of a node
  Contents contents;
  bool swaps;  ///< with its partner's, the contents only change places
};
/// Of one that sends or computes.
struct SendNotes {
  Operation* next;   ///< in a list of sends
  Cycles posted_at;  ///< when it began to wait
};
/// Of one with contents, or a synchronised exchange on a machine with a protocol.
struct DataNotes {
  std::byte* saved;                ///< contents set aside
  std::uint32_t synchronisations;  ///< messages still to leave or to come, of a synchronised exchange
};
/// Of a computation.
struct ComputationNotes {
  Cycles cycles;
};

[[nodiscard]] inline Notes& notes(Operation& operation) { return operation.notes.as<Notes>(); }
[[nodiscard]] inline const Notes& notes(const Operation& operation) { return operation.notes.as<Notes>(); }
[[nodiscard]] inline SendNotes& send_notes(Operation& send) { return send.send_notes.as<SendNotes>(); }
[[nodiscard]] inline const SendNotes& send_notes(const Operation& send) { return send.send_notes.as<SendNotes>(); }
[[nodiscard]] inline DataNotes& data_notes(Operation& operation) { return operation.data_notes.as<DataNotes>(); }
[[nodiscard]] inline const DataNotes& data_notes(const Operation& operation) {
  return operation.data_notes.as<DataNotes>();
}
[[nodiscard]] inline Cycles& cycles_of(Operation& computation) {
  return computation.data_notes.as<ComputationNotes>().cycles;
}

}  // namespace ecube::event
