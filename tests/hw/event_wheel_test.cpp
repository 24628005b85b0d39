// SPDX-License-Identifier: Apache-2.0
// The event wheel against a sorted map: every event comes at its cycle, once, however far ahead it was filed and
// however often it was filed again.
#include "hw/event/event_wheel.h"

#include <rapidcheck.h>

#include "tests/test.h"

namespace ecube::event_wheel_test {
namespace {

struct Event {
  std::uint64_t number = 0;
  bool again = false;  ///< the event is filed once more when it comes
};

using Wheel = EventWheel<Event>;

/// Distances of every kind: within a span, at the edge of the window, beyond it.
Cycles distance() {
  const Cycles window = Wheel::window;
  return *rc::gen::weightedElement<Cycles>({{8, *rc::gen::inRange<Cycles>(1, 8)},
                                            {2, *rc::gen::inRange<Cycles>(window - 3, window + 3)},
                                            {2, *rc::gen::inRange<Cycles>(1, 5 * window)}});
}

TEST(EventWheel, GivesEveryEventAtItsCycle) {
  EXPECT_TRUE(rc::check("as a sorted map does", [] {
    Wheel wheel;
    std::multimap<Cycles, std::uint64_t> expected;
    std::uint64_t number = 0;
    Cycles now = 0;
    const auto push = [&](Cycles at, bool again) {
      wheel.push(at, {number, again});
      expected.emplace(at, number++);
    };
    // Enough of one cycle to fill several chunks.
    const auto first = *rc::gen::inRange<std::size_t>(1, 3 * Wheel::Chunk::capacity);
    const Cycles together = distance();
    for (std::size_t i = 0; i < first; ++i) push(together, i % 3 == 0);
    int more = *rc::gen::inRange(0, 200);
    while (wheel.next_cycle() != never) {
      RC_ASSERT(wheel.next_cycle() == expected.begin()->first);
      now = wheel.next_cycle();
      wheel.advance_to(now);
      std::vector<std::uint64_t> came;
      // Events that are filed again stay in their chunk, all for one cycle, as in the routers.
      const Cycles later = now + distance();
      for (Wheel::Chunk* chunk = wheel.take(); chunk != nullptr;) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < chunk->count; ++i) {
          const Event event = chunk->events[i];
          came.push_back(event.number);
          if (!event.again) continue;
          expected.emplace(later, event.number);
          chunk->events[kept++] = {event.number, false};
        }
        chunk->count = kept;
        chunk = wheel.refile(later, chunk);
      }
      std::vector<std::uint64_t> due;
      for (auto [one, end] = expected.equal_range(now); one != end; ++one) due.push_back(one->second);
      expected.erase(now);
      std::sort(came.begin(), came.end());
      std::sort(due.begin(), due.end());
      RC_ASSERT(came == due);
      for (int i = 0; more > 0 && i < 3; ++i, --more) push(now + distance(), i == 0);
    }
    RC_ASSERT(expected.empty());
  }));
}

TEST(EventWheel, ForgetsEverythingWhenReset) {
  Wheel wheel;
  for (const Cycles at : {Cycles{3}, Wheel::window, 7 * Wheel::window}) wheel.push(at, {});
  wheel.reset();
  EXPECT_EQ(wheel.next_cycle(), never);
  wheel.push(5, {.number = 1});
  EXPECT_EQ(wheel.next_cycle(), 5U);
}

}  // namespace
}  // namespace ecube::event_wheel_test
