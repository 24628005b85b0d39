// SPDX-License-Identifier: Apache-2.0
// The core of a node: its program, and its processor (hw/README.md sections 5 and 8).
#pragma once

#include <deque>
#include <list>
#include <map>
#include <systemc>
#include <vector>

#include "hw/clocked/jitter.h"
#include "hw/clocked/library/request.h"
#include "hw/clocked/memory/services.h"
#include "hw/clocked/setting.h"

namespace ecube::clocked {

class Rendezvous;

/// The services of the core for the message library.
class CoreService : public sc_core::sc_interface {
 public:
  /// Queues library work of `length` cycles, due now, behind the work that is due already. Returns the edge at which it
  /// ends.
  virtual Cycles library_work(Cycles length) = 0;
  /// All parts of a request are complete at edge `at`, now or later.
  virtual void complete(Request& request, Cycles at) = 0;
  /// The next random number of this node.
  virtual Cycles jitter() = 0;
};

/// The services of the message library for the core.
class LibraryService : public sc_core::sc_interface {
 public:
  /// A send, or the send of a synchronised pair, is issued.
  virtual void send(Request& request) = 0;
  virtual void receive(Request& request) = 0;
  virtual void exchange(Request& request) = 0;
};

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

class Core final : public sc_core::sc_module, public CoreService {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_i{"rst_i"};
  sc_core::sc_in<Cycles> edge_i{"edge_i"};  ///< the number of the edge
  // [port] what happened at the last edge
  sc_core::sc_vector<sc_core::sc_in<bool>> sent_first_i;
  sc_core::sc_vector<sc_core::sc_in<bool>> sent_tail_i;
  sc_core::sc_vector<sc_core::sc_in<bool>> received_first_i;
  sc_core::sc_vector<sc_core::sc_in<bool>> received_tail_i;
  sc_core::sc_port<LibraryService> library{"library"};
  sc_core::sc_port<LoopService> memory{"memory"};

  Core(const sc_core::sc_module_name& name, NodeId node, const Setting& setting, Rendezvous& rendezvous);
  [[nodiscard]] const char* kind() const override { return "core"; }

  /// Starts `program` at the edge that the jitter says.
  void load(Program& program, NodePorts& ports);
  /// Calls Program::woken() at the future edge `at`.
  void wake(Cycles at) { wake_at_ = std::min(wake_at_, at); }
  /// The program asks for an operation. Throws std::invalid_argument for an operation that no node can do.
  void start(Operation& operation);
  /// The program has ended.
  void finished(std::exception_ptr error);

  Cycles library_work(Cycles length) override;
  void complete(Request& request, Cycles at) override;
  Cycles jitter() override { return jitter_.next(); }

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
  /// True if nothing is computed while phits pass.
  [[nodiscard]] bool exclusive() const { return setting_.machine.node.overlap == Overlap::off; }
  void finish_computation();
  void begin_compute(Request& request);
  void begin_loop(ProcessorState::Work& work);
  void go_on_with_loop();
  void end_loop(ProcessorState::Work& work);
  void loop_fails();
  [[nodiscard]] Cycles work_of(const Operation& operation) const;
  [[nodiscard]] bool meets(const Operation& operation) const;
  [[nodiscard]] Cycles combining_left(const Operation& operation) const;
  [[nodiscard]] Cycles now() const { return edge_i.read(); }

  NodeId node_;
  const Setting& setting_;
  Rendezvous& rendezvous_;
  Jitter jitter_;
  ProcessorState processor_;
  std::map<Cycles, Cycles> idle_before_;  ///< by the edge at which a first phit was seen, where computation asks for it
  std::list<Request> requests_;
  std::uint32_t issued_ = 0;
  std::multimap<Cycles, Request*> completions_;  ///< by edge
  Program* program_ = nullptr;
  NodePorts* ports_ = nullptr;
  Cycles start_at_ = 0;
  Cycles wake_at_ = never;
  Cycles dead_from_ = never;  ///< the program does not go on at this edge or later
  bool running_ = false;      ///< the program has started and not ended, or is to start
  bool started_ = false;
  bool continuing_ = false;  ///< inside continue_programs()
  Cycles finished_at_ = 0;
  std::exception_ptr error_;
  sc_core::sc_event continue_{"continue_now"};
  sc_core::sc_event postpone_{"continue_later"};
};

}  // namespace ecube::clocked
