// SPDX-License-Identifier: Apache-2.0
// The event engine's notes about operations, in the room that they have for the engine, and its counts of them.
#pragma once

#include "models/contract/node_ports.h"

namespace ecube::event {

/// Where the contents that an operation sends are: in its buffer; set aside, because arriving bytes needed the buffer;
/// or taken.
enum class Contents : std::uint8_t { in_place, set_aside, taken };

/// Notes of every operation.
struct Notes {
  Operation* next;      ///< in a list of receives, or of computations
  Operation* partner;   ///< the receive that gets the message, where known early: rendezvous, promise
  std::uint32_t open;   ///< messages that it can still be matched with or promised to
  std::uint32_t parts;  ///< halves, or messages of receive_each, still to complete
  std::uint32_t issue;  ///< counts the operations of a node
  Contents contents;
  bool swaps;  ///< the contents only change places with the partner's
};
struct SendNotes {
  Operation* next;   ///< in a list of sends
  Cycles posted_at;  ///< when it began to wait
};
/// Notes of an operation with contents, or of a synchronised exchange on a machine with a protocol.
struct DataNotes {
  std::byte* saved;                ///< contents set aside
  std::uint32_t synchronisations;  ///< messages still to leave or to come, of a synchronised exchange
};
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

/// A node's counts of its own operations. Kept apart from the data that messages read: issuing an operation touches
/// only these.
struct OperationCount {
  std::uint32_t issued = 0;
  std::uint32_t unfinished : 31 = 0;  ///< operations that take turns (all but receives) and are not yet done
  std::uint32_t busy : 1 = 0;         ///< its operation is open; not kept up once several are (Engine::overlaps_)
};

}  // namespace ecube::event
