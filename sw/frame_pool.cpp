// SPDX-License-Identifier: Apache-2.0
// Free lists of coroutine frames.
#include "sw/frame_pool.h"

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace ecube {

namespace {

constexpr std::size_t granule = 64;
constexpr std::size_t largest = 4096;
constexpr std::size_t slab_bytes = std::size_t{1} << 16;
constexpr std::align_val_t line{granule};

struct FreeFrame {
  FreeFrame* next;
};

struct Delete {
  void operator()(std::byte* slab) const noexcept { ::operator delete(slab, line); }
};

/// An allocator is shared by nature, like the heap it stands in front of; it carries no state of a run.
struct Pool {
  std::array<FreeFrame*, largest / granule + 1> free{};
  std::vector<std::unique_ptr<std::byte, Delete>> slabs;
  std::size_t left = 0;  ///< at the end of the last slab

  void* cut(std::size_t bytes) {
    if (left < bytes) {
      slabs.emplace_back(static_cast<std::byte*>(::operator new(slab_bytes, line)));
      left = slab_bytes;
    }
    left -= bytes;
    return slabs.back().get() + (slab_bytes - left - bytes);
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
