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
struct Processor {
  struct Work {
    Request* request = nullptr;
    Cycles left = 0;     ///< not counted down of a loop that is under way: its length is known when it ends
    Cycles had = 0;      ///< cycles that the computation has had
    Cycles begun = 0;    ///< edge
    bool waits = false;  ///< a loop that has not begun
    bool loop = false;   ///< under way in the memory of the node
  };
  /// Ports that have begun, or ended, to send or receive phits in the cycle before an edge: bits as in `passing`.
  struct Phits {
    std::uint32_t begun = 0;
    std::uint32_t ended = 0;
    bool first_arrived = false;
  };

  bool exclusive = false;       ///< nothing is computed while phits pass
  bool while_arriving = false;  ///< items are combined while messages arrive
  Cycles accounted = 0;         ///< cycles before this edge are accounted for
  Cycles library_until = 0;     ///< library work is served without a gap until here
  std::deque<Work> work{};      ///< computation in order of issue, the first under way
  std::uint32_t passing = 0;    ///< a bit for each port that sends phits, and 16 above for each that receives some
  Cycles idle = 0;              ///< cycles without library work, computation or, where they exclude it, phits
  std::map<Cycles, Cycles> idle_before{};  ///< by the edge at which a first phit was seen, if while_arriving

  void reset(const Machine& machine);
  /// Accounts for the cycles up to edge `now`. In the last of these cycles ports have begun or ended.
  void account(Cycles now, const Phits& phits);
  /// Library work of `length` cycles that became due at edge `now`; the edge at which it ends.
  Cycles library_work(Cycles now, Cycles length);
  /// The edge at which the computation under way ends if no further work or phits come; of a loop, the edge behind the
  /// next cycle that it has. `never` while phits keep it waiting.
  [[nodiscard]] Cycles expected_end() const;
  /// Cycles of combining that are left when the messages have been received.
  [[nodiscard]] Cycles combining_left(const Operation& combine, const Setting& setting, NodeId node) const;

 private:
  void account_alike(Cycles until, bool excluded);
};

}  // namespace ecube::clocked
