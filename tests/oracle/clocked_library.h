// SPDX-License-Identifier: Apache-2.0
// The message library of one node of the clocked reference, edge by edge (hw/README.md section 5), and the script that
// is the node's program.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "tests/oracle/clocked_reference.h"

namespace ecube::oracle {

/// What a program asks for. Types are unique in a run, so that a send and its receive find each other.
struct LibraryOperation {
  enum class Kind : std::uint8_t { send, receive, exchange };
  Kind kind = Kind::send;
  NodeId node = 0;  ///< who asks
  NodeId peer = 0;
  std::uint32_t type = 0;
  Bytes bytes = 0;
  bool synchronised = false;  ///< exchanges only
};

/// A step of a program: start an operation, or wait until one is complete.
struct LibraryStep {
  bool waits = false;
  std::size_t operation = 0;
};

/// The circuits that an operation may take, by position in the record: 4 for each operation.
enum class CircuitRole : std::uint8_t { synchronisation, reservation, grant, data };
inline constexpr std::size_t roles = 4;

[[nodiscard]] constexpr std::size_t circuit_of(std::size_t operation, CircuitRole role) {
  return operation * roles + static_cast<std::size_t>(role);
}

/// A run of programs on the clocked machine.
struct LibraryRun {
  std::vector<CircuitTimes> circuits;  ///< [operation x 4 + role]; untouched where an operation needs none
  std::vector<Cycles> completed;       ///< [operation]: the edge at which it was complete
};

/// Clocks the machine of hw/README.md with its message library until all programs have ended: `scripts` has one for
/// each node. For protocol forced and unforced, one-port and n-port machines, paths of at least one cycle, queued
/// start-ups, no jitter. Throws as run_clocked().
[[nodiscard]] LibraryRun run_clocked_library(const Machine& machine, unsigned dim,
                                             std::span<const LibraryOperation> operations,
                                             std::span<const std::vector<LibraryStep>> scripts,
                                             Cycles edge_limit = default_edge_limit);

/// One node's library: its registers change at every edge, in the order of section 8.
class ClockedLibrary {
 public:
  ClockedLibrary(const Machine& machine, std::span<const LibraryOperation> operations,
                 const std::vector<LibraryStep>& script, NodeId node, std::vector<Cycles>& completed);

  /// Library work for the processor.
  struct Task {
    bool copy = false;        ///< a copy, else a receipt
    std::size_t circuit = 0;  ///< whose message it is
    Cycles cycles = 0;
  };

  /// A message arrives; its receipt is due.
  [[nodiscard]] Task arrived(std::size_t circuit);
  /// A receipt or copy ends.
  void ended(const Task& task, Cycles edge);
  /// A circuit of this node has left: its tail was driven one edge ago.
  void left(std::size_t circuit, Cycles edge);
  /// A synchronisation message of this node has left.
  void synchronisation_left(std::size_t circuit);
  /// The program goes on as far as it can, and what it asks for is noted. True if it took a step.
  bool run_program(Cycles edge);
  /// Waiting reservations are looked at, if a receive was posted.
  void look_again();
  /// At the end of the edge: messages without a receive are buffered or lost.
  void settle();

  // What the last call brought about, emptied by the caller.
  std::vector<std::size_t> ready;   ///< circuits that go ahead of sends that have not begun
  std::vector<std::size_t> sends;   ///< operations whose send begins
  std::vector<Task> copies;         ///< due now
  std::vector<Task> posted_copies;  ///< due now, after the sends of this edge

  [[nodiscard]] bool finished() const { return step_ == script_.size(); }
  [[nodiscard]] std::size_t first_circuit(std::size_t operation) const;
  [[nodiscard]] NodeId peer_of(std::size_t circuit) const;
  [[nodiscard]] static CircuitRole role_of(std::size_t circuit) { return static_cast<CircuitRole>(circuit % roles); }
  /// True for circuits after which more of the same send follow.
  [[nodiscard]] static bool continued(std::size_t circuit) { return role_of(circuit) <= CircuitRole::reservation; }

 private:
  struct State {
    unsigned halves = 0;            ///< still to complete
    unsigned synchronisations = 0;  ///< still to leave or to be received
  };
  static constexpr std::size_t nobody = ~std::size_t{0};
  struct Message {
    std::size_t circuit = 0;
    std::size_t taker = nobody;
    bool receipt_ended = false;
    bool buffered = false;
    bool fresh = true;  ///< arrived at this edge
  };

  [[nodiscard]] const LibraryOperation& about(std::size_t circuit) const { return operations_[circuit / roles]; }
  [[nodiscard]] bool reserves(const LibraryOperation& operation) const;
  [[nodiscard]] std::size_t take_posted(std::uint32_t type);
  void begin_data(std::size_t operation);
  void post(std::size_t operation, Cycles edge);
  void begin(std::size_t operation, Cycles edge);
  [[nodiscard]] bool grant(std::size_t send);
  void complete_half(std::size_t operation, Cycles edge);
  void receive(const Message& message, Cycles edge);
  [[nodiscard]] Task copy_of(std::size_t circuit) const;

  const Machine& machine_;
  std::span<const LibraryOperation> operations_;
  const std::vector<LibraryStep>& script_;
  NodeId node_;
  std::vector<Cycles>& completed_;
  std::size_t step_ = 0;
  std::vector<State> states_;                                  ///< by operation
  std::vector<std::size_t> posted_;                            ///< receives not yet matched or promised, in order
  std::deque<Message> messages_;                               ///< data that has arrived and is not delivered
  std::vector<std::size_t> reservations_;                      ///< sends of others, in order of arrival
  std::vector<std::pair<std::size_t, std::size_t>> promised_;  ///< send of another node, receive of this one
  std::vector<std::uint32_t> early_;                           ///< types of synchronisations before their exchange
  std::vector<std::size_t> expecting_;                         ///< exchanges that wait for a synchronisation
  std::vector<std::size_t> fresh_;                             ///< completed as they were posted: known one step later
  bool posted_now_ = false;
  Bytes buffered_ = 0;
};

}  // namespace ecube::oracle
