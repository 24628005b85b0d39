// SPDX-License-Identifier: Apache-2.0
// The processors of all nodes, event by event.
#include "models/processor/processor_timeline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <stdexcept>
#include <tuple>

namespace ecube {
namespace {

/// Picoseconds: their sums are exact, so that events at the same time compare equal.
using Tick = std::int64_t;

Tick time_of(double us) { return std::llround(us * 1e6); }

class ProcessorTimeline {
 public:
  ProcessorTimeline(std::uint32_t nodes, const TimelineProgram& program) : program_(program), nodes_(nodes) {
    for (std::uint32_t node = 0; node < nodes; ++node) events_.push({.at = 0, .kind = Kind::ask, .node = node});
  }

  double run() {
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      switch (event.kind) {
        case Kind::receipt:
          done(event.node, serve(event.node, event.receipt));
          break;
        case Kind::ask:
          ask(event.node);
          break;
        case Kind::startup: {
          const Tick arrived = serve(event.node, event.startup) + event.wire;
          done(event.node, arrived);
          events_.push({.at = arrived, .kind = Kind::receipt, .node = event.partner, .receipt = event.receipt});
          break;
        }
      }
    }
    if (std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return !node.ended; })) {
      throw std::logic_error("partners never meet");
    }
    return static_cast<double>(end_) * 1e-6;
  }

 private:
  /// In the order in which events of one time are served: a node may ask at the time of its last receipt, and its
  /// start-ups are due behind the receipts.
  enum class Kind : std::uint8_t { receipt, ask, startup };
  struct Event {
    Tick at = 0;
    Kind kind = Kind::ask;
    std::uint32_t node = 0;
    std::uint64_t issue = 0;  ///< order of a node's start-ups
    std::uint32_t partner = 0;
    Tick startup = 0;
    Tick wire = 0;
    Tick receipt = 0;  ///< at the partner
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return std::tuple(a.at, a.kind, a.node, a.issue) > std::tuple(b.at, b.kind, b.node, b.issue);
    }
  };
  struct Asked {
    TimelineMessage message;
    std::uint64_t issue = 0;
  };
  struct Node {
    std::uint64_t step = 0;
    std::uint64_t issued = 0;
    std::size_t left = 0;  ///< halves of messages of this step that are not done
    Tick step_end = 0;
    Tick work = 0;
    Tick processor_free = 0;
    bool ended = false;
  };

  Tick serve(std::uint32_t node, Tick length) {
    Tick& free = nodes_[node].processor_free;
    free = std::max(free, now_) + length;
    return free;
  }

  void done(std::uint32_t number, Tick at) {
    Node& node = nodes_[number];
    node.step_end = std::max(node.step_end, at);
    if (--node.left == 0) events_.push({.at = node.step_end + node.work, .kind = Kind::ask, .node = number});
  }

  void ask(std::uint32_t number) {
    Node& node = nodes_[number];
    do {
      step_.messages.clear();
      step_.work_us = 0;
      if (!program_(number, node.step++, step_)) {
        node.ended = true;
        end_ = std::max(end_, now_);
        return;
      }
    } while (step_.messages.empty());
    node.work = time_of(step_.work_us);
    for (const TimelineMessage& message : step_.messages) {
      node.left += (message.sends ? 1U : 0U) + (message.receives ? 1U : 0U);
    }
    for (const TimelineMessage& message : step_.messages) {
      const Asked own{message, node.issued++};
      std::queue<Asked>& waiting = asked_[{message.partner, number, message.type}];
      if (waiting.empty()) {
        asked_[{number, message.partner, message.type}].push(own);
        continue;
      }
      start(number, own, waiting.front());
      start(message.partner, waiting.front(), own);
      waiting.pop();
    }
  }

  void start(std::uint32_t node, const Asked& sent, const Asked& received) {
    if (!sent.message.sends) return;
    events_.push({.at = now_,
                  .kind = Kind::startup,
                  .node = node,
                  .issue = sent.issue,
                  .partner = sent.message.partner,
                  .startup = time_of(sent.message.startup_us),
                  .wire = time_of(sent.message.wire_us),
                  .receipt = time_of(received.message.receipt_us)});
  }

  const TimelineProgram& program_;
  std::vector<Node> nodes_;
  /// Messages that a node has asked for with a partner and type, and the partner has not.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::queue<Asked>> asked_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  TimelineStep step_;
  Tick now_ = 0;
  Tick end_ = 0;
};

}  // namespace

double timeline_us(std::uint32_t nodes, const TimelineProgram& program) {
  return ProcessorTimeline(nodes, program).run();
}

}  // namespace ecube
