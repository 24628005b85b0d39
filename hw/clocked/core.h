// SPDX-License-Identifier: Apache-2.0
// The core of a node: its program, and its processor (hw/README.md sections 5 and 8).
#pragma once

#include <list>
#include <map>
#include <systemc>
#include <vector>

#include "hw/clocked/jitter.h"
#include "hw/clocked/library/request.h"
#include "hw/clocked/memory/services.h"
#include "hw/clocked/processor.h"
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
  /// On planes: the program asks for a send, or an exchange, which may be issued later.
  virtual void called(Request& request) = 0;
  virtual void tune(Request& request) = 0;
};

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
  const Setting& setting_;
  Rendezvous& rendezvous_;
  Jitter jitter_;
  Processor processor_;
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
