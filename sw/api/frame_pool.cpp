// SPDX-License-Identifier: Apache-2.0
// Free lists of coroutine frames.
#include <array>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "models/machine/huge_pages.h"
#include "sw/api/task.h"

namespace ecube {

namespace {

constexpr std::size_t granule = 64;
constexpr std::size_t largest = 4096;
constexpr std::size_t first_slab = std::size_t{1} << 16;  // enough for small machines
constexpr std::align_val_t line{granule};

struct FreeFrame {
  FreeFrame* next;
};

/// An allocator is shared like the heap behind it; it has no state of a run.
struct Pool {
  std::array<FreeFrame*, largest / granule + 1> free{};
  std::vector<Pages> slabs;
  std::byte* next = nullptr;  ///< of the last slab, free from here
  std::size_t left = 0;

  std::byte* cut(std::size_t bytes) {
    if (left < bytes) {
      left = slabs.empty() ? first_slab : huge_page;
      next = slabs.emplace_back(make_pages(left)).get();
    }
    left -= bytes;
    return std::exchange(next, next + bytes);
  }
};

thread_local Pool pool;

}  // namespace

void* allocate_frame(std::size_t bytes) {
  if (bytes > largest) return ::operator new(bytes, line);
  const std::size_t size_class = (bytes + granule - 1) / granule;
  FreeFrame*& free = pool.free[size_class];
  if (free == nullptr) return pool.cut(size_class * granule);
  FreeFrame* const frame = free;
  free = frame->next;
  return frame;
}

void release_frame(void* frame, std::size_t bytes) noexcept {
  if (bytes > largest) {
    ::operator delete(frame, line);
    return;
  }
  FreeFrame*& free = pool.free[(bytes + granule - 1) / granule];
  free = new (frame) FreeFrame{free};
}

}  // namespace ecube
