// SPDX-License-Identifier: Apache-2.0
// A node's processor and engines, event by event.
#include "models/processor/node_timeline.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>

namespace ecube {

namespace {

/// Kinds of events, in the order in which those of one time are handled (hw/README.md, sections 4 and 8).
enum class Kind : std::uint8_t { engine_free, next_leg, arrival, received, send };

struct Event {
  double us = 0;
  std::int64_t at = 0;  ///< the same in picoseconds: sums that differ only by rounding are one time
  Kind kind = Kind::send;
  std::uint32_t order = 0;  ///< among events of one time and kind
  std::uint32_t message = 0;

  [[nodiscard]] bool later_than(const Event& other) const {
    if (at != other.at) return at > other.at;
    if (kind != other.kind) return kind > other.kind;
    return order > other.order;
  }
};

struct Later {
  bool operator()(const Event& a, const Event& b) const { return a.later_than(b); }
};

class NodeTimeline {
 public:
  NodeTimeline(const std::vector<const TimedPart*>& parts, const NodeLimits& limits) : limits_(limits), parts_(parts) {
    open_.resize(parts.size(), 0);
    step_.resize(parts.size(), 0);
  }

  /// Runs all steps of all parts or, with `in_step`, one step of each, from `begin_us` on; returns the time of the last
  /// receipt.
  double run(double begin_us, bool in_step) {
    in_step_ = in_step;
    end_us_ = begin_us;
    for (std::uint32_t part = 0; part < parts_.size(); ++part) begin_step(part, begin_us);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      handle(event);
    }
    return end_us_;
  }

  [[nodiscard]] bool finished() const {
    for (std::uint32_t part = 0; part < parts_.size(); ++part) {
      if (step_[part] < parts_[part]->steps()) return false;
    }
    return true;
  }

 private:
  /// A message under way.
  struct Message {
    const TimedMessage* what = nullptr;
    std::uint32_t part = 0;
    std::uint32_t leg = 0;
  };

  void push(double us, Kind kind, std::uint32_t order, std::uint32_t message) {
    constexpr double per_us = 1e6;
    events_.push({us, std::llround(us * per_us), kind, order, message});
  }

  void begin_step(std::uint32_t part, double us) {
    if (step_[part] == parts_[part]->steps()) return;
    step_messages_.clear();
    parts_[part]->step(step_[part]++, step_messages_);
    for (const TimedMessage* const what : step_messages_) {
      std::uint32_t number = 0;
      if (free_.empty()) {
        number = static_cast<std::uint32_t>(messages_.size());
        messages_.emplace_back();
      } else {
        number = free_.back();
        free_.pop_back();
      }
      messages_[number] = {what, part, 0};
      ++open_[part];
      push(us, Kind::send, issued_++, number);
    }
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case Kind::engine_free:
        --busy_;
        serve_engines(event.us);
        return;
      case Kind::next_leg:
        if (limits_.engines == 0) return start(event.message, event.us);
        going_on_.push_back(event.message);
        return serve_engines(event.us);
      case Kind::send:
        if (limits_.engines == 0) return start(event.message, event.us);
        waiting_.push_back(event.message);
        return serve_engines(event.us);
      case Kind::arrival:
        return arrive(event);
      case Kind::received:
        return receive(event);
    }
  }

  void serve_engines(double us) {
    while (busy_ < limits_.engines && !(going_on_.empty() && waiting_.empty())) {
      std::deque<std::uint32_t>& first = going_on_.empty() ? waiting_ : going_on_;
      const std::uint32_t message = first.front();
      first.pop_front();
      ++busy_;
      start(message, us);
    }
  }

  /// The end of work that is due on the processor at `us`; where nothing queues, the work begins at once.
  double served(double us, double takes_us) {
    if (!limits_.queued) return us + takes_us;
    processor_free_us_ = std::max(processor_free_us_, us) + takes_us;
    return processor_free_us_;
  }

  void start(std::uint32_t number, double us) {
    const Message& message = messages_[number];
    const MessageLeg& leg = message.what->legs[message.leg];
    const double probe_us = served(us, leg.startup_us);
    const double arrival_us = probe_us + leg.transit_us;
    push(arrival_us, Kind::arrival, message.what->arrives_in, number);
    if (limits_.engines != 0) push(std::max(probe_us, arrival_us - leg.early_us), Kind::engine_free, 0, number);
  }

  void arrive(const Event& event) {
    const Message& message = messages_[event.message];
    const double end_us = served(event.us, message.what->legs[message.leg].receipt_us);
    push(end_us, Kind::received, message.part, event.message);
  }

  void receive(const Event& event) {
    Message& message = messages_[event.message];
    if (++message.leg < message.what->legs.size()) return push(event.us, Kind::next_leg, issued_++, event.message);
    free_.push_back(event.message);
    end_us_ = std::max(end_us_, event.us);
    if (--open_[message.part] == 0 && !in_step_) begin_step(message.part, event.us);
  }

  NodeLimits limits_;
  const std::vector<const TimedPart*>& parts_;
  bool in_step_ = false;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_;
  std::vector<const TimedMessage*> step_messages_;
  std::vector<std::uint32_t> open_;  ///< messages under way, by part
  std::vector<std::uint64_t> step_;  ///< next step to begin, by part
  std::uint32_t issued_ = 0;
  std::deque<std::uint32_t> going_on_;
  std::deque<std::uint32_t> waiting_;
  std::uint32_t busy_ = 0;
  double processor_free_us_ = 0;
  double end_us_ = 0;
};

}  // namespace

double node_timeline_us(const std::vector<const TimedPart*>& parts, const NodeLimits& limits, bool in_step) {
  NodeTimeline timeline(parts, limits);
  double us = timeline.run(0, in_step);
  while (!timeline.finished()) us = timeline.run(us, in_step);
  return us;
}

}  // namespace ecube
