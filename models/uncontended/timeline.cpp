// SPDX-License-Identifier: Apache-2.0
// Programs of steps on nodes without contention.
#include "models/uncontended/timeline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <type_traits>

namespace ecube {
namespace {

using uncontended::Circuit;
using uncontended::Picoseconds;
using uncontended::Rank;

template <class Time>
Time time_of(double us) {
  if constexpr (std::is_same_v<Time, Picoseconds>) {
    return std::llround(us * 1e6);
  } else {
    return us;
  }
}
double us_of(double us) { return us; }
double us_of(Picoseconds time) { return static_cast<double>(time) * 1e-6; }

/// A message of a program, or the program that is woken.
struct Between {
  std::uint32_t from = 0;
  TimedMessage message{};
};

template <class Time>
class Timeline final : private uncontended::Nodes<Time, Between> {
  using Base = uncontended::Nodes<Time, Between>;
  using Base::time;
  using typename Base::Message;

 public:
  Timeline(const TimedNodes& nodes, const TimedProgram& program)
      : shape_(nodes), program_(program), states_(std::size_t{nodes.nodes} * nodes.programs) {
    this->reset(nodes.nodes, nodes.limits);
    begin_all();
  }

  double run() {
    while (this->is_due()) this->advance();
    if (std::any_of(states_.begin(), states_.end(), [](const State& state) { return !state.ended; })) {
      throw std::logic_error("partners never meet");
    }
    return us_of(time());
  }

 private:
  struct State {
    std::uint64_t step = 0;
    std::uint32_t open = 0;  ///< halves of messages of this step that are not done
    Time work{};
    bool ended = false;
  };
  struct Asked {
    TimedMessage message;
    std::uint64_t issue = 0;
  };

  void wake_program(std::uint32_t number, Time at) {
    this->wake(at, Rank::program, number, {.from = number}, number / shape_.programs);
  }

  void begin_all() {
    for (std::uint32_t number = 0; number < states_.size(); ++number) {
      if (!states_[number].ended) wake_program(number, time());
    }
  }

  void woken(Rank rank, const Message& by) override {
    if (rank == Rank::program) return ask(by.of.from);
    Message message = by;
    message.to = by.of.message.partner / shape_.programs;
    message.arrives_in = by.of.message.arrives_in;
    message.turn = by.of.from;
    message.circuits = static_cast<std::uint32_t>(1 + by.of.message.more.size());
    this->send(message);
  }

  void ask(std::uint32_t number) {
    State& state = states_[number];
    do {
      step_.messages.clear();
      step_.work_us = 0;
      if (!program_(number, state.step++, step_)) {
        state.ended = true;
        return;
      }
    } while (step_.messages.empty());
    state.work = time_of<Time>(step_.work_us);
    for (const TimedMessage& message : step_.messages)
      state.open += (message.sends ? 1U : 0U) + (message.receives ? 1U : 0U);
    ++in_step_;
    for (const TimedMessage& message : step_.messages) {
      const Asked own{message, issued_++};
      if (message.partner == number) {
        start(number, own);
        continue;
      }
      std::queue<Asked>& waiting = asked_[{message.partner, number, message.tag}];
      if (waiting.empty()) {
        asked_[{number, message.partner, message.tag}].push(own);
        continue;
      }
      start(number, own);
      start(message.partner, waiting.front());
      waiting.pop();
    }
  }

  void start(std::uint32_t number, const Asked& half) {
    if (!half.message.sends) return;
    this->wake(time(), Rank::request, half.issue, {number, half.message}, number / shape_.programs);
  }

  Circuit<Time> begin(const Message& message) override {
    const TimedMessage& sent = message.of.message;
    const TimedCircuit& us = message.circuit == 0 ? sent.circuit : sent.more[message.circuit - 1];
    return {time_of<Time>(us.startup), time_of<Time>(us.transit), time_of<Time>(us.receipt), time_of<Time>(us.early)};
  }
  void left(const Message& message) override {
    if (message.is_last()) done(message.of.from);
  }
  void received(const Message& message) override {
    if (message.is_last()) done(message.of.message.partner);
  }

  void done(std::uint32_t number) {
    State& state = states_[number];
    if (--state.open > 0) return;
    --in_step_;
    if (!shape_.in_step) return wake_program(number, time() + state.work);
    if (in_step_ == 0) begin_all();
  }

  TimedNodes shape_;
  const TimedProgram& program_;
  std::vector<State> states_;
  /// Messages that a program has asked for with a partner and tag, and the partner has not.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::queue<Asked>> asked_;
  TimedStep step_;
  std::uint64_t issued_ = 0;
  std::size_t in_step_ = 0;  ///< programs in a step
};

}  // namespace

TimedCircuit ProcessorTimes::circuit(double us, bool empty) const {
  const double startup = empty ? startup_zero_us : startup_us;
  const double receipt = empty ? receipt_zero_us : receipt_us;
  return {.startup = startup, .transit = std::max(0.0, us - startup - receipt), .receipt = receipt};
}

template <class Time>
double timeline_us(const TimedNodes& nodes, const TimedProgram& program) {
  return Timeline<Time>(nodes, program).run();
}
template double timeline_us<double>(const TimedNodes& nodes, const TimedProgram& program);
template double timeline_us<Picoseconds>(const TimedNodes& nodes, const TimedProgram& program);

double queued_step_us(std::span<const TimedMessage> messages) {
  struct Receipt {
    double due;
    double length;
  };
  std::vector<Receipt> receipts;
  receipts.reserve(messages.size());
  double processor_free = 0;
  double end = 0;
  const auto serve = [&](const Receipt& receipt) {
    // A receipt of zero time does not need the processor.
    const double begin = receipt.length > 0 ? std::max(processor_free, receipt.due) : receipt.due;
    if (receipt.length > 0) processor_free = begin + receipt.length;
    end = std::max(end, begin + receipt.length);
  };
  for (const bool sends : {true, false}) {
    for (const TimedMessage& message : messages) {
      if (message.sends != sends) continue;
      // Where the node only receives, the sender's processor is idle.
      const double probe = sends ? processor_free + message.circuit.startup : message.circuit.startup;
      if (sends) processor_free = probe;
      const Receipt receipt{probe + message.circuit.transit, message.circuit.receipt};
      uncontended::moment_of(receipt.due) == 0 ? serve(receipt) : receipts.push_back(receipt);
    }
  }
  std::stable_sort(receipts.begin(), receipts.end(), [](const Receipt& a, const Receipt& b) {
    return uncontended::moment_of(a.due) < uncontended::moment_of(b.due);
  });
  for (const Receipt& receipt : receipts) serve(receipt);
  return end;
}

double queued_exchanges_us(std::uint64_t count, const TimedCircuit& each) {
  if (count == 0) return 0;
  const auto q = static_cast<double>(count);
  const double startups = q * each.startup;
  const double receipts = q * each.receipt;
  return std::max(
      {startups + receipts, startups + each.transit + each.receipt, each.startup + each.transit + receipts});
}

}  // namespace ecube
