// SPDX-License-Identifier: Apache-2.0
// The yardstick of the benchmarks: circuits on a cube by the barest event wheel there is.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace ecube::bench {

/// The pairs of senders and receivers. `pairs`: in each step every node exchanges with node xor mask, both partners
/// ready. `random`: every node sends to a node drawn from its number and the step, and the number of masks is the
/// number of steps.
enum class Pattern { pairs, random };

/// No firmware, no payload, no arbitration but first come first served, no statistics, no cycle rules: an event for
/// every start, hop and end, links that are held to the end, and one send under way at each node.
template <Pattern pattern>
class BareWheel {
 public:
  /// A step for each of `masks`, none of them 0.
  BareWheel(unsigned dim, std::uint32_t cycles_of_data, std::vector<std::uint32_t> masks)
      : nodes_(1U << dim),
        data_(cycles_of_data),
        masks_(std::move(masks)),
        sends_(nodes_),
        links_(std::size_t{nodes_} * dim),
        ejects_(nodes_) {
    std::uint32_t slots = 64;
    while (slots <= data_ + 2 || slots <= startup + 2) slots *= 2;
    buckets_.resize(slots);
    filled_.resize(slots / 64);
    mask_ = slots - 1;
    dim_ = dim;
  }

  /// Runs all steps of every node; returns the messages delivered.
  std::uint64_t run() {
    for (std::uint32_t node = 0; node < nodes_; ++node) begin(node);
    std::uint32_t node = 0;
    while (next_event(node)) advance(node);
    return messages_;
  }

 private:
  static constexpr std::uint32_t startup = 75;
  static constexpr std::uint32_t hop = 10;
  static constexpr std::uint32_t nobody = ~0U;

  struct Send {
    std::uint32_t step = 0;
    std::uint32_t at = 0;
    std::uint32_t remaining = 0;
    std::uint32_t behind = nobody;  ///< the send that waits behind this one
    std::uint8_t halves = 0;
    bool started = false;
    bool ends = false;
  };
  struct Resource {
    std::uint32_t owner = nobody;
    std::uint32_t first = nobody;
    std::uint32_t last = nobody;
  };

  void mark(std::uint64_t cycle, bool filled) {
    const std::size_t slot = cycle & mask_;
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    filled ? filled_[slot / 64] |= bit : filled_[slot / 64] &= ~bit;
  }
  /// The next event in time; the wheel hands out one event at a time.
  bool next_event(std::uint32_t& node) {
    for (;;) {
      std::vector<std::uint32_t>& bucket = buckets_[now_ & mask_];
      if (position_ < bucket.size()) {
        node = bucket[position_++];
        --pending_;
        return true;
      }
      bucket.clear();
      position_ = 0;
      mark(now_, false);
      if (pending_ == 0) return false;
      now_ += distance_to_next();
    }
  }
  std::uint64_t distance_to_next() const {
    const std::size_t from = (now_ + 1) & mask_;
    std::size_t word = from / 64;
    std::uint64_t bits = filled_[word] & (~std::uint64_t{0} << (from % 64));
    while (bits == 0) {
      word = (word + 1) & (filled_.size() - 1);
      bits = filled_[word];
    }
    const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return (slot - now_) & mask_;
  }
  void schedule(std::uint32_t after, std::uint32_t node) {
    buckets_[(now_ + after) & mask_].push_back(node);
    mark(now_ + after, true);
    ++pending_;
  }
  std::uint32_t target(std::uint32_t node, std::uint32_t step) const {
    if constexpr (pattern == Pattern::pairs) return node ^ masks_[step - 1];
    std::uint32_t x = (node * 0x9E3779B9U) ^ (step * 0x85EBCA6BU);
    x = (x ^ (x >> 16)) * 0x7FEB352DU;
    const std::uint32_t offset = (x >> 15) & (nodes_ - 1);
    return node ^ (offset == 0 ? 1 : offset);
  }
  void begin(std::uint32_t node) {
    Send& send = sends_[node];
    if (++send.step > masks_.size()) return;
    send.started = send.ends = false;
    send.halves = 0;
    if constexpr (pattern == Pattern::pairs) {
      const std::uint32_t partner = target(node, send.step);
      if (sends_[partner].step != send.step) return;
      schedule(startup, partner);
    }
    schedule(startup, node);
  }
  Resource& resource(const Send& send) {
    if (send.remaining == 0) return ejects_[send.at];
    return links_[std::size_t{send.at} * dim_ + static_cast<unsigned>(std::countr_zero(send.remaining))];
  }
  void take(std::uint32_t node) {
    Send& send = sends_[node];
    if (send.remaining == 0) {
      send.ends = true;
      schedule(data_, node);
      return;
    }
    const std::uint32_t bit = send.remaining & (~send.remaining + 1);
    send.at ^= bit;
    send.remaining ^= bit;
    schedule(hop, node);
  }
  void give_up(Resource& held) {
    held.owner = held.first;
    if (held.owner == nobody) return;
    held.first = sends_[held.owner].behind;
    take(held.owner);
  }
  void advance(std::uint32_t node) {
    Send& send = sends_[node];
    if (send.ends) return end(node);
    if (!send.started) {
      send.started = true;
      send.at = node;
      send.remaining = node ^ target(node, send.step);
    }
    Resource& wanted = resource(send);
    if (wanted.owner == nobody) {
      wanted.owner = node;
      take(node);
      return;
    }
    send.behind = nobody;
    (wanted.first == nobody ? wanted.first : sends_[wanted.last].behind) = node;
    wanted.last = node;
  }
  void end(std::uint32_t node) {
    const std::uint32_t to = target(node, sends_[node].step);
    std::uint32_t at = node;
    for (std::uint32_t left = node ^ to; left != 0; left &= left - 1) {
      give_up(links_[std::size_t{at} * dim_ + static_cast<unsigned>(std::countr_zero(left))]);
      at ^= left & (~left + 1);
    }
    give_up(ejects_[to]);
    ++messages_;
    if constexpr (pattern == Pattern::pairs) {
      if (++sends_[node].halves == 2) begin(node);
      if (++sends_[to].halves == 2) begin(to);
    } else {
      begin(node);
    }
  }

  std::uint32_t nodes_;
  std::uint32_t data_;
  std::vector<std::uint32_t> masks_;
  unsigned dim_ = 0;
  std::size_t mask_ = 0;  ///< of a cycle's bucket
  std::uint64_t now_ = 0;
  std::uint64_t pending_ = 0;
  std::size_t position_ = 0;  ///< in the bucket of this cycle
  std::uint64_t messages_ = 0;
  std::vector<Send> sends_;
  std::vector<Resource> links_;
  std::vector<Resource> ejects_;
  std::vector<std::vector<std::uint32_t>> buckets_;
  std::vector<std::uint64_t> filled_;
};

}  // namespace ecube::bench
