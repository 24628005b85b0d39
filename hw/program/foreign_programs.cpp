// SPDX-License-Identifier: Apache-2.0
// Operations of a module wait until the next edge.
#include "hw/program/foreign_programs.h"

#include <algorithm>
#include <coroutine>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "models/contract/operations.h"

namespace ecube {

namespace {

/// A coroutine that notifies an event whenever it is resumed: a machine resumes the coroutine that waits for an
/// operation.
class Notifier {
 public:
  struct promise_type {
    Notifier get_return_object() { return Notifier(std::coroutine_handle<promise_type>::from_promise(*this)); }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() {}
    static void unhandled_exception() { std::terminate(); }
  };
  static Notifier of(sc_core::sc_event& event) {
    for (;;) {
      co_await std::suspend_always{};
      event.notify(sc_core::SC_ZERO_TIME);
    }
  }
  Notifier(Notifier&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~Notifier() {
    if (handle_) handle_.destroy();
  }
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;
  Notifier& operator=(Notifier&&) = delete;
  [[nodiscard]] std::coroutine_handle<> handle() const { return handle_; }

 private:
  explicit Notifier(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace

class CubeRun::Service final : public NodeAccess, private NodePorts {
 public:
  Service(NodePorts& machine, CubeRun& run, NodeId id) : machine_(machine), run_(run), id_(id) {}

  void register_port(sc_core::sc_port_base& port, const char* /*type*/) override {
    if (bound_) {
      SC_REPORT_ERROR("ecube", ("node " + std::to_string(id_) + " has a program already: " + port.name()).c_str());
    }
    bound_ = true;
    (void)events();
  }
  [[nodiscard]] bool bound() const { return bound_; }

  void begin() {
    running_ = true;
    ended_ = false;
    events().started.notify(sc_core::SC_ZERO_TIME);
  }
  void stop() {
    running_ = false;
    waiting_.clear();
  }
  /// Passes the operations requested since the previous edge to the machine.
  void take_effect() {
    for (const auto& [start, operation] : std::exchange(waiting_, {})) (machine_.*start)(id_, *operation);
    if (ended_ && std::exchange(running_, false)) machine_.finished(id_, std::exchange(error_, nullptr));
  }

  [[nodiscard]] NodeId id() const override { return id_; }
  [[nodiscard]] NodePorts& ports() override { return *this; }
  [[nodiscard]] const sc_core::sc_event& started() const override { return events().started; }
  [[nodiscard]] const sc_core::sc_event& completed() const override { return events().completed; }

 private:
  /// Made for the nodes that need them: SystemC names and registers every event, which takes half the time of making a
  /// large cube.
  struct Events {
    sc_core::sc_event started;
    sc_core::sc_event completed;
    Notifier notifier = Notifier::of(completed);
  };
  using Start = void (NodePorts::*)(NodeId, Operation&);

  [[nodiscard]] const Topology& topology() const override { return machine_.topology(); }
  [[nodiscard]] Cycles now() const override { return run_.edge_reached(); }
  [[nodiscard]] const Machine& machine() const override { return machine_.machine(); }
  void start_send(NodeId node, Operation& operation) override { ask(node, &NodePorts::start_send, operation); }
  void start_receive(NodeId node, Operation& operation) override { ask(node, &NodePorts::start_receive, operation); }
  void start_exchange(NodeId node, Operation& operation) override { ask(node, &NodePorts::start_exchange, operation); }
  void start_compute(NodeId node, Operation& operation) override { ask(node, &NodePorts::start_compute, operation); }
  void finished(NodeId node, std::exception_ptr error) override {
    check(node);
    ended_ = true;
    error_ = std::move(error);
    run_.wake(id_, now() + 1);
  }

  void ask(NodeId node, Start start, Operation& operation) {
    check(node);
    // Impossible operations are refused at once.
    begin_operation(operation, node, now(), topology(), machine().node.ports.physical(topology().outputs()));
    if (!operation.waiter) operation.waiter = events().notifier.handle();
    waiting_.emplace_back(start, &operation);
    if (waiting_.size() == 1) run_.wake(id_, now() + 1);
  }
  [[nodiscard]] Events& events() const {
    if (events_ == nullptr) events_ = std::make_unique<Events>();
    return *events_;
  }
  void check(NodeId node) const {
    if (node != id_) throw std::invalid_argument("these are the ports of node " + std::to_string(id_));
    if (!running_ || ended_) {
      throw std::logic_error("the program of node " + std::to_string(id_) +
                             (ended_ ? " has ended" : " has not started"));
    }
  }

  NodePorts& machine_;
  CubeRun& run_;
  NodeId id_;
  bool bound_ = false;
  bool running_ = false;
  bool ended_ = false;
  std::exception_ptr error_;
  std::vector<std::pair<Start, Operation*>> waiting_;  ///< asked for since the previous edge
  mutable std::unique_ptr<Events> events_;
};

RunResult CubeRun::run(Program& program) {
  failure_ = nullptr;
  try {
    load(program);
    alone_ = true;
    simulate();
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  } catch (...) {
    unload();  // the program may not outlive the caller's handling of the error
    throw;
  }
  return result();
}

void CubeRun::unload() {
  if (program_ != nullptr) program_->stop();
  program_ = nullptr;
  wake_.cancel();
}

void CubeRun::reset(const Machine& machine) {
  unload();
  scheduled_ = 0;
  idle_ = false;
  interrupted_ = false;
  edges_ = 0;
  clock_hz_ = machine.clock_hz;
  last_cycle_ = machine.last_counted_cycle();
}

sc_core::sc_time CubeRun::time_of(Cycles edge) const {
  if (edge > last_cycle_) throw too_long_a_run(last_cycle_);
  const long double picoseconds = static_cast<long double>(edge) * 1e12L / static_cast<long double>(clock_hz_);
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(picoseconds + 0.5L));
}

sc_core::sc_time CubeRun::until(Cycles edge) const { return started_ + time_of(edge) - sc_core::sc_time_stamp(); }

Cycles CubeRun::edge_reached() const {
  const sc_core::sc_time elapsed = sc_core::sc_time_stamp() - started_;
  auto cycle = static_cast<Cycles>(elapsed.to_seconds() * clock_hz_);
  while (cycle > 0 && time_of(cycle) > elapsed) --cycle;
  while (time_of(cycle + 1) <= elapsed) ++cycle;
  return cycle;
}

CubeRun::CubeRun() = default;
CubeRun::~CubeRun() = default;

NodeAccess& CubeRun::access(NodePorts& machine, NodeId node) {
  if (node == services_.size()) services_.push_back(std::make_unique<Service>(machine, *this, node));
  return *services_.at(node);
}

bool CubeRun::any_module(NodeId nodes) const {
  const auto end = services_.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(nodes, services_.size()));
  return std::any_of(services_.begin(), end, [](const auto& service) { return service->bound(); });
}

Program& CubeRun::beside(Program& firmware) {
  firmware_ = &firmware;
  return *this;
}

void CubeRun::start(NodePorts& ports, NodeId node) {
  if (node < services_.size() && services_[node]->bound()) return services_[node]->begin();
  firmware_->start(ports, node);
}

void CubeRun::woken(NodePorts& /*ports*/, NodeId node) { services_[node]->take_effect(); }

void CubeRun::stop() {
  for (const auto& service : services_) service->stop();
  if (firmware_ != nullptr) firmware_->stop();
}

}  // namespace ecube
