// SPDX-License-Identifier: Apache-2.0
// The processor of a node: library work, computation in the cycles between, and what is left of combining when messages
// have come (hw/README.md, rules 4.4, 5.1 and 5.3).
#pragma once

#include <deque>
#include <map>

#include "hw/clocked/library/message_table.h"
#include "hw/clocked/setting.h"

namespace ecube::clocked {

/// The progress of computation, accounted for up to an edge, in whole cycles.
struct ProcessorState {
  struct Work {
    Request* request = nullptr;
    Cycles left = 0;     ///< not counted down of a loop that is under way: its length is known when it ends
    Cycles had = 0;      ///< cycles that the computation has had
    Cycles begun = 0;    ///< edge
    bool waits = false;  ///< a loop that has not begun
    bool loop = false;   ///< under way in the memory of the node
  };
  Cycles accounted = 0;       ///< cycles before this edge are accounted for
  Cycles library_until = 0;   ///< library work is served without a gap until here
  std::deque<Work> work{};    ///< computation, the first under way
  std::uint32_t passing = 0;  ///< a bit for each port that sends phits, and 16 above for each that receives some
  Cycles idle = 0;            ///< cycles without library work, computation or, where they exclude it, phits
};

/// Accounts for the cycles up to edge `now`. In the last of these cycles the ports in `begun` had their first phit,
/// which is not in the state yet. `exclusive`: no computation while phits pass.
void account(ProcessorState& state, Cycles now, std::uint32_t begun, bool exclusive);
/// The edge at which the computation under way ends if no further work or phits come; of a loop, the edge behind the
/// next cycle that it has. `never` while phits keep it waiting.
[[nodiscard]] Cycles expected_end(const ProcessorState& state, bool exclusive);

class Processor {
 public:
  using Work = ProcessorState::Work;
  /// Ports that have begun, or ended, to send or receive phits in the cycle before an edge: bits as in `passing`.
  struct Phits {
    std::uint32_t begun = 0;
    std::uint32_t ended = 0;
    bool first_arrived = false;
  };

  void reset(const Machine& machine);
  [[nodiscard]] bool accounted(Cycles now) const { return state_.accounted == now; }
  void account_for(Cycles now, const Phits& phits);
  /// Library work of `length` cycles that became due at edge `now`; the edge at which it ends.
  Cycles library_work(Cycles now, Cycles length);
  /// Computation behind that issued before.
  void compute(const Work& work) { state_.work.push_back(work); }
  /// Computation that is issued and not ended, the first under way.
  [[nodiscard]] std::deque<Work>& computation() { return state_.work; }
  /// The edge at which the computation under way ends, or has its next cycle.
  [[nodiscard]] Cycles next_edge() const { return expected_end(state_, exclusive_); }
  /// Cycles of combining that are left when the messages have been received.
  [[nodiscard]] Cycles combining_left(const Operation& combine, NodeWork& work, NodeId node) const;

 private:
  const Machine* machine_ = nullptr;
  ProcessorState state_;
  bool exclusive_ = false;                ///< nothing is computed while phits pass
  std::map<Cycles, Cycles> idle_before_;  ///< by the edge at which a first phit was seen, where computation asks for it
};

}  // namespace ecube::clocked
