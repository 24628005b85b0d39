// SPDX-License-Identifier: Apache-2.0
// The event wheel: events by the cycle in which they happen, with no heap and no allocation in the steady state.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "models/machine/cube.h"
#include "models/machine/huge_pages.h"

namespace ecube {

/// Which of the nearest `window` cycles hold an event. Wheels that advance together share one, so that the next cycle
/// is looked for once.
class CyclesAhead {
 public:
  static constexpr Cycles window = 4096;

  /// Cycle `at` holds an event.
  void mark(Cycles at) {
    const std::size_t index = at % window;
    words_[index / 64] |= std::uint64_t{1} << (index % 64);
    summary_ |= std::uint64_t{1} << (index / 64);
  }
  /// The events of the present cycle have been taken, or are about to be, out of all wheels.
  void clear(Cycles now) {
    const std::size_t index = now % window;
    words_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
    if (words_[index / 64] == 0) summary_ &= ~(std::uint64_t{1} << (index / 64));
  }
  void clear() { *this = {}; }
  /// The first cycle from `now` on that holds an event, or `never`.
  [[nodiscard]] Cycles first_from(Cycles now) const {
    if (summary_ == 0) return never;
    const std::size_t index = now % window;
    const std::size_t word = index / 64;
    const std::uint64_t here = words_[word] >> (index % 64);
    if (here != 0) return now + static_cast<Cycles>(std::countr_zero(here));
    // Words after this one, cyclically; the low bits of this word come last.
    const std::uint64_t others = std::rotr(summary_, static_cast<int>((word + 1) % 64));
    const std::size_t steps = static_cast<std::size_t>(std::countr_zero(others)) + 1;
    const std::size_t found = (word + steps) % 64;
    const std::size_t position = found * 64 + static_cast<std::size_t>(std::countr_zero(words_[found]));
    return now + (position + window - index) % window;
  }

 private:
  static_assert(window == Cycles{64} * 64, "one summary word covers the occupancy words");

  std::uint64_t summary_ = 0;
  std::array<std::uint64_t, 64> words_{};
};

/// Buckets of one cycle for the nearest `window` cycles, lists by span of `window` cycles beyond. `Event` is trivially
/// copyable; events of one cycle have no order that a result may depend on.
template <class Event>
class EventWheel {
 public:
  static constexpr Cycles window = CyclesAhead::window;

  struct Chunk {
    static constexpr std::size_t capacity = (1088 - 16) / sizeof(Event);
    Chunk* next = nullptr;
    std::uint64_t count = 0;
    std::array<Event, capacity> events;

    [[nodiscard]] std::span<Event> filled() { return std::span(events).first(count); }
  };
  static void for_each(Chunk* first, const auto& action) {
    for (Chunk* chunk = first; chunk != nullptr; chunk = chunk->next) {
      for (Event& event : chunk->filled()) action(event);
    }
  }

  EventWheel() : ahead_(own_) {}
  /// A wheel that advances together with others, whose cycles are in `shared` too: after every advance_to(), the events
  /// of the present cycle are taken out of all of them before anyone asks for the next cycle.
  explicit EventWheel(CyclesAhead& shared) : ahead_(shared) {}
  EventWheel(const EventWheel&) = delete;
  EventWheel& operator=(const EventWheel&) = delete;

  /// Files an event under cycle `at`, which must not be before the cycle last advanced to.
  // By value, in two registers: by reference, both parts would be written apart and read back as one, which the
  // processor cannot forward from its store buffer.
  [[gnu::always_inline]] void push(Cycles at, Event event) {
    assert(at >= now_);
    if (at - now_ < window) {
      push_near(at, event);
    } else {
      push_far(at, event);
    }
  }

  /// Files the events of a chunk from take() under another cycle and returns the chunk's successor. Replaces recycle()
  /// for that chunk.
  Chunk* refile(Cycles at, Chunk* chunk) {
    assert(at >= now_);
    const std::span<Event> events = chunk->filled();
    if (at - now_ >= window) {
      for (const Event& event : events) push_far(at, event);
      return recycle(chunk);
    }
    if (events.empty()) return recycle(chunk);
    Chunk* const next = chunk->next;
    Bucket& bucket = buckets_[at % window];
    if (bucket.tail != nullptr && bucket.tail->count + events.size() <= Chunk::capacity) {
      std::copy(events.begin(), events.end(),
                bucket.tail->events.begin() + static_cast<std::ptrdiff_t>(bucket.tail->count));
      bucket.tail->count += events.size();
      return recycle(chunk);
    }
    chunk->next = nullptr;
    append(at % window, chunk);
    return next;
  }

  /// The earliest cycle that holds an event, here or in a wheel that advances together with this one, or `never`. Does
  /// not move time.
  [[nodiscard]] Cycles next_cycle() const { return std::min(ahead_.first_from(now_), first_far_); }
  /// The earliest cycle beyond the window that holds an event of this wheel, or `never`.
  [[nodiscard]] Cycles first_far() const { return first_far_; }

  /// Moves time forward; `to` must not lie beyond next_cycle().
  void advance_to(Cycles to) {
    assert(to >= now_);
    now_ = to;
    if (to / window >= first_far_ / window) [[unlikely]]
      enter_span();
  }

  /// Detaches the events of the current cycle. The caller returns every chunk by recycle() or refile().
  [[nodiscard]] Chunk* take() {
    const std::size_t index = now_ % window;
    Bucket& bucket = buckets_[index];
    Chunk* const head = bucket.head;
    if (head == nullptr) return nullptr;
    bucket = {};
    ahead_.clear(now_);
    return head;
  }

  /// Puts a chunk on the free list and returns its successor.
  Chunk* recycle(Chunk* chunk) {
    Chunk* const next = chunk->next;
    chunk->next = free_;
    free_ = chunk;
    return next;
  }

  /// Forgets all events and returns to cycle 0; keeps the memory.
  void reset() {
    if (!slabs_.empty()) {
      for (Bucket& bucket : buckets_) {
        for (Chunk* chunk = bucket.head; chunk != nullptr;) chunk = recycle(chunk);
        bucket = {};
      }
    }
    ahead_.clear();
    far_.clear();
    first_far_ = never;
    open_span_ = never;
    now_ = 0;
  }

 private:
  struct Bucket {
    Chunk* head = nullptr;
    Chunk* tail = nullptr;
  };
  struct FarEvent {
    Cycles at;
    Event event;
  };
  struct Span {
    Cycles earliest = never;
    std::vector<FarEvent> events;
  };

  [[gnu::always_inline]] void push_near(Cycles at, Event event) {
    const std::size_t index = at % window;
    Chunk* tail = buckets_[index].tail;
    if (tail == nullptr || tail->count == Chunk::capacity) [[unlikely]]
      tail = lengthen(index);
    tail->events[tail->count++] = event;
  }

  [[gnu::noinline]] Chunk* lengthen(std::size_t index) {
    if (free_ == nullptr) [[unlikely]]
      make_room();
    Chunk* const fresh = free_;
    free_ = fresh->next;
    fresh->next = nullptr;
    fresh->count = 0;
    append(index, fresh);
    return fresh;
  }

  void append(std::size_t index, Chunk* chunk) {
    Bucket& bucket = buckets_[index];
    if (bucket.tail == nullptr) {
      bucket.head = chunk;
      ahead_.mark(index);
    } else {
      bucket.tail->next = chunk;
    }
    bucket.tail = chunk;
  }

  [[gnu::noinline]] void push_far(Cycles at, Event event) {
    const Cycles span = at / window;
    if (span != open_span_) {
      open_ = &far_[span];
      open_span_ = span;
    }
    open_->events.push_back({at, event});
    if (at < open_->earliest) open_->earliest = at;
    first_far_ = std::min(first_far_, at);
  }

  /// Time has come to a span of `window` cycles with events that were beyond the window.
  [[gnu::noinline]] void enter_span() {
    while (!far_.empty() && far_.begin()->first <= now_ / window) {
      for (const FarEvent& far : far_.begin()->second.events) push_near(far.at, far.event);
      far_.erase(far_.begin());
    }
    first_far_ = far_.empty() ? never : far_.begin()->second.earliest;
    open_span_ = never;
  }

  [[gnu::noinline]] void make_room() {
    slabs_.emplace_back(slabs_.empty() ? 16 : std::min(2 * slabs_.back().size(), huge_page / sizeof(Chunk)));
    for (Chunk& chunk : slabs_.back()) recycle(&chunk);
  }

  CyclesAhead own_;
  CyclesAhead& ahead_;
  Cycles now_ = 0;
  std::array<Bucket, window> buckets_{};
  std::map<Cycles, Span> far_;
  Span* open_ = nullptr;
  Cycles open_span_ = never;
  Cycles first_far_ = never;
  Chunk* free_ = nullptr;
  std::vector<Table<Chunk>> slabs_;
};

}  // namespace ecube
