// SPDX-License-Identifier: Apache-2.0
// The core of a node: its processor and its program (hw/README.md sections 5 and 8, and rule 4.4).
#pragma once

#include <deque>
#include <list>
#include <map>
#include <systemc>

#include "hw/clocked/library/message_library.h"

namespace ecube::clocked {

class NodeMemory;

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

/// Of the program that a core runs.
struct CoreState {
  Processor processor_;
  std::list<Request> requests_;
  std::uint32_t issued_ = 0;
  std::uint64_t draws_ = 0;                      ///< random numbers drawn
  std::multimap<Cycles, Request*> completions_;  ///< by edge
  Program* program_ = nullptr;
  NodePorts* ports_ = nullptr;
  Cycles start_at_ = never;
  Cycles wake_at_ = never;
  Cycles dead_from_ = never;  ///< the program does not go on at this edge or later
  bool running_ = false;      ///< the program has started and not ended, or is to start
  bool continuing_ = false;   ///< inside continue_programs()
  Cycles finished_at_ = 0;
  std::exception_ptr error_;
};

class Core final : public sc_core::sc_module, private CoreState {
  const Setting& setting_;

 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_i{"rst_i"};
  sc_core::sc_in<Cycles> edge_i{"edge_i"};  ///< the number of the edge
  // [port] what happened at the last edge
  sc_core::sc_vector<sc_core::sc_in<bool>> sent_first_i{"sent_first_i", setting_.shape.ports};
  sc_core::sc_vector<sc_core::sc_in<bool>> sent_tail_i{"sent_tail_i", setting_.shape.ports};
  sc_core::sc_vector<sc_core::sc_in<bool>> received_first_i{"received_first_i", setting_.shape.ports};
  sc_core::sc_vector<sc_core::sc_in<bool>> received_tail_i{"received_tail_i", setting_.shape.ports};

  /// `memory` is null where nodes have rates.
  Core(const sc_core::sc_module_name& name, NodeId node, const Setting& setting, MessageLibrary& library,
       NodeMemory* memory);
  [[nodiscard]] const char* kind() const override { return "core"; }

  /// Starts `program` at the edge that the jitter says.
  void load(Program& program, NodePorts& ports);
  /// Calls Program::woken() at the future edge `at`.
  void wake(Cycles at) { wake_at_ = std::min(wake_at_, at); }
  /// The program asks for an operation. Throws std::invalid_argument for an operation that no node can do.
  void start(Operation& operation);
  /// The program has ended.
  void finished(std::exception_ptr error);

  // For the message library:
  /// Queues library work of `length` cycles, due now, behind the work that is due already. Returns the edge at which it
  /// ends.
  Cycles library_work(Cycles length);
  /// All parts of a request are complete at edge `at`, now or later.
  void complete(Request& request, Cycles at);
  /// Rule 4.12: the next random number of this node.
  Cycles jitter() { return setting_.conditions.jitter_of(node_, draws_++); }

  /// The next edge at which the core has something to do though nothing happens at the ports.
  [[nodiscard]] Cycles next_edge() const;
  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] Cycles finished_at() const { return finished_at_; }
  [[nodiscard]] std::exception_ptr error() const { return error_; }

 private:
  void clock_edge();
  void continue_programs();
  void postpone() { continue_.notify(sc_core::SC_ZERO_TIME); }
  void account_now();
  void finish_computation();
  void begin_compute(Request& request);
  void begin_loop(Processor::Work& work);
  void go_on_with_loop();
  void end_loop(Processor::Work& work);
  void loop_fails();
  [[nodiscard]] Cycles work_of(const Operation& operation) const;
  [[nodiscard]] bool meets(const Operation& operation) const;
  [[nodiscard]] Cycles now() const { return edge_i.read(); }

  NodeId node_;
  MessageLibrary& library_;
  NodeMemory* memory_;
  sc_core::sc_event continue_{"continue_now"};
  sc_core::sc_event postpone_{"continue_later"};
};

}  // namespace ecube::clocked
