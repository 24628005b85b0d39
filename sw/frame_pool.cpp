// SPDX-License-Identifier: Apache-2.0
// Free lists of coroutine frames.
#include "sw/frame_pool.h"

#include <array>
#include <new>

namespace ecube {

namespace {

constexpr std::size_t granule = 64;
constexpr std::size_t largest = 4096;

struct FreeFrame {
  FreeFrame* next;
};

/// An allocator is shared by nature, like the heap it stands in front of; it carries no state of a run.
struct Pool {
  std::array<FreeFrame*, largest / granule + 1> free{};
  ~Pool() {
    for (FreeFrame* frame : free) {
      while (frame != nullptr) {
        FreeFrame* const next = frame->next;
        ::operator delete(frame);
        frame = next;
      }
    }
  }
};

thread_local Pool pool;

}  // namespace

void* allocate_frame(std::size_t bytes) {
  if (bytes > largest) return ::operator new(bytes);
  const std::size_t size_class = (bytes + granule - 1) / granule;
  FreeFrame*& free = pool.free[size_class];
  if (free == nullptr) return ::operator new(size_class* granule);
  FreeFrame* const frame = free;
  free = frame->next;
  return frame;
}

void release_frame(void* frame, std::size_t bytes) noexcept {
  if (bytes > largest) {
    ::operator delete(frame);
    return;
  }
  FreeFrame*& free = pool.free[(bytes + granule - 1) / granule];
  free = new (frame) FreeFrame{free};
}

}  // namespace ecube
