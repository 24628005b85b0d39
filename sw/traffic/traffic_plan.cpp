// SPDX-License-Identifier: Apache-2.0
// Patterns, random times, and lists.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "models/machine/random.h"
#include "sw/traffic/traffic.h"

namespace ecube {
namespace {

NodeId reversed(NodeId node, unsigned dim) {
  NodeId result = 0;
  for (unsigned i = 0; i < dim; ++i) result |= (node >> i & 1U) << (dim - 1 - i);
  return result;
}

NodeId transposed(NodeId node, unsigned dim) {
  const unsigned half = dim / 2;
  return (node & ((NodeId{1} << half) - 1)) << half | node >> half;
}

/// A permutation of the nodes (Fisher & Yates).
std::vector<NodeId> permutation(std::uint64_t seed, NodeId nodes) {
  std::vector<NodeId> result(nodes);
  std::iota(result.begin(), result.end(), NodeId{0});
  for (std::size_t left = result.size(); left > 1; --left) {
    std::swap(result[left - 1], result[below(draw(seed, std::uint64_t{1} << 32, left), left)]);
  }
  return result;
}

NodeId other_node(NodeId source, std::uint64_t random, NodeId nodes) {
  const auto other = static_cast<NodeId>(below(random, nodes - std::uint64_t{1}));
  return other < source ? other : other + 1;
}

}  // namespace

TrafficPlan::TrafficPlan(const TrafficWorkload& workload, Topology topology)
    : topology_(std::move(topology)),
      workload_(workload),
      gaps_(workload.rate / 1000.0, workload.messages * topology_.nodes()) {
  if (workload.pattern == TrafficPattern::randperm) permuted_ = permutation(workload.seed, topology_.nodes());
  survey();
}

TrafficPlan::TrafficPlan(std::vector<TrafficMessage> messages, const std::vector<TrafficDependency>& dependencies,
                         Topology topology)
    : topology_(std::move(topology)), first_(topology_.nodes() + std::size_t{1}) {
  if (dependencies.empty()) std::ranges::stable_sort(messages, {}, &TrafficMessage::cycle);
  for (const TrafficMessage& message : messages) ++first_[message.source + std::size_t{1}];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::uint32_t> place(messages.size());  // [message]: in the list
  std::vector<std::uint64_t> next = first_;
  list_.resize(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    place[i] = static_cast<std::uint32_t>(next[messages[i].source]++);
    list_[place[i]] = messages[i];
  }
  if (!dependencies.empty()) {
    waits_for_.resize(list_.size());
    first_dependent_.resize(list_.size() + 1);
    dependents_.resize(dependencies.size());
    for (const TrafficDependency& one : dependencies) {
      ++waits_for_[place[one.after]];
      ++first_dependent_[place[one.before] + std::size_t{1}];
    }
    std::partial_sum(first_dependent_.begin(), first_dependent_.end(), first_dependent_.begin());
    std::vector<std::uint32_t> behind = first_dependent_;
    for (const TrafficDependency& one : dependencies) dependents_[behind[place[one.before]]++] = place[one.after];
  }
  survey();
}

/// Goes through all messages once.
void TrafficPlan::survey() {
  expected_.resize(topology_.nodes());
  const bool waits = dependent();
  for (NodeId source = 0; source < topology_.nodes(); ++source) {
    Reader reader = of(source);
    if (reader.ended()) continue;
    size_ += count_of(source);
    Cycles last = 0;
    Bytes longest = 0;
    for (std::uint64_t i = first_.empty() ? 0 : first_[source]; !reader.ended(); reader.advance(), ++i) {
      const TrafficMessage message = reader.message();
      if (!waits || waits_for_[i] == 0) last = std::max(last, message.cycle);
      ++expected_[message.destination];
      longest = std::max(longest, message.bytes);
    }
    longest_ = std::max(longest_, longest);
    last_cycle_ = std::max(last_cycle_, last);
    first_end_ = std::min(first_end_, last);
  }
}

std::uint64_t TrafficPlan::count_of(NodeId source) const {
  if (!first_.empty()) return first_[source + std::size_t{1}] - first_[source];
  return workload_.pattern == TrafficPattern::all_to_one && source == 0 ? 0 : workload_.messages;
}

NodeId TrafficPlan::destination(NodeId source, std::uint64_t random) const {
  const NodeId last = topology_.nodes() - 1;
  switch (workload_.pattern) {
    case TrafficPattern::uniform:
      return other_node(source, random, topology_.nodes());
    case TrafficPattern::bitcomp:
      return source ^ last;
    case TrafficPattern::bitrev:
      return reversed(source, topology_.label_bits());
    case TrafficPattern::transpose:
      return transposed(source, topology_.label_bits());
    case TrafficPattern::shuffle:
      return (source << 1 & last) | source >> (topology_.label_bits() - 1);
    case TrafficPattern::randperm:
      return permuted_[source];
    case TrafficPattern::neighbor:
      return some_neighbour(source, random);
    case TrafficPattern::hotspot:
      return (random & 3) == 0 && source != last ? last : other_node(source, random, topology_.nodes());
    case TrafficPattern::all_to_one:
      break;
  }
  return 0;
}

/// At the ends of lines, fewer links than outputs lead somewhere.
NodeId TrafficPlan::some_neighbour(NodeId source, std::uint64_t random) const {
  std::uint64_t links = 0;
  for (unsigned output = 0; output < topology_.outputs(); ++output) links += topology_.exists(source, output) ? 1 : 0;
  std::uint64_t chosen = below(random, links);
  unsigned output = 0;
  for (; !topology_.exists(source, output) || chosen-- > 0; ++output) {
  }
  return topology_.neighbour(source, output);
}

TrafficMessage TrafficPlan::without_cycle(std::uint64_t i) const {
  if (!first_.empty()) return list_[i];
  const NodeId first = workload_.pattern == TrafficPattern::all_to_one ? 1 : 0;
  const NodeId source = first + static_cast<NodeId>(i / workload_.messages);
  const std::uint64_t random = draw(workload_.seed, source, 2 * (i % workload_.messages) + 1);
  return {source, destination(source, random), workload_.bytes, 0};
}

// --- Readers -------------------------------------------------------------------------------------------------------

TrafficPlan::Reader::Reader(const TrafficPlan& plan, NodeId source)
    : plan_(&plan),
      listed_(plan.first_.empty() ? nullptr : plan.list_.data() + plan.first_[source]),
      source_(source),
      count_(plan.count_of(source)),
      stream_(stream_of(plan.workload_.seed, source)) {
  if (!ended()) find_due();
}

void TrafficPlan::Reader::find_due() {
  due_ = listed_ != nullptr ? listed_[number_].cycle : due_ + plan_->gaps_(draw(stream_, 2 * number_));
}

TrafficMessage TrafficPlan::Reader::message() const {
  if (listed_ != nullptr) return listed_[number_];
  return {source_, plan_->destination(source_, draw(stream_, 2 * number_ + 1)), plan_->workload_.bytes, due_};
}

void TrafficPlan::Reader::advance() {
  ++number_;
  if (!ended()) find_due();
}

std::vector<TrafficMessage> make_traffic(const TrafficWorkload& workload, const Topology& topology) {
  std::vector<TrafficMessage> result;
  TrafficPlan(workload, topology).for_each([&](const TrafficMessage& message) { result.push_back(message); });
  return result;
}

GeometricGaps::GeometricGaps(double probability, std::uint64_t draws) : pieces_(pieces) {
  if (probability < 1.0) log_of_failure_ = std::log1p(-probability);
  if (draws < worth_it) return;
  const auto gap_at = [this](std::uint64_t place) { return by_formula(place << 11); };
  for (std::uint64_t i = 0; i < pieces; ++i) {
    // Gaps become shorter as u grows. The logarithm of the next u differs by more than the rounding of both: the change
    // is at one place.
    std::uint64_t longer = i << piece_bits;
    std::uint64_t shorter = longer + (std::uint64_t{1} << piece_bits) - 1;
    const Cycles gap = gap_at(longer);
    const Cycles last = gap_at(shorter);
    if (gap == last) {
      pieces_[i] = {.shorter_from = ~std::uint64_t{0}, .gap = gap};
    } else if (gap == last + 1) {
      while (shorter - longer > 1) {
        const std::uint64_t middle = longer + (shorter - longer) / 2;
        (gap_at(middle) == gap ? longer : shorter) = middle;
      }
      pieces_[i] = {.shorter_from = shorter, .gap = gap};
    }
  }
}

Cycles GeometricGaps::by_formula(std::uint64_t random) const {
  if (log_of_failure_ == 0) return 1;
  const double uniform = (static_cast<double>(random >> 11) + 0.5) * 0x1p-53;
  return 1 + static_cast<Cycles>(std::log(uniform) / log_of_failure_);
}

}  // namespace ecube
