// SPDX-License-Identifier: Apache-2.0
// Memory in huge pages, for tables that are read in random order, and prefetches.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace ecube {

inline constexpr std::size_t huge_page = std::size_t{1} << 21;

/// Zeroed memory, mapped outside the heap, in huge pages if it is large. Fails as operator new does.
[[nodiscard]] void* allocate_pages(std::size_t bytes);
void release_pages(void* memory, std::size_t bytes) noexcept;
struct ReleasePages {
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const noexcept { release_pages(memory, bytes); }
};
/// Such memory, which its owner releases.
using Pages = std::unique_ptr<std::byte, ReleasePages>;
[[nodiscard]] inline Pages make_pages(std::size_t bytes) {
  return Pages(static_cast<std::byte*>(allocate_pages(bytes)), {bytes});
}
[[nodiscard]] constexpr bool is_large(std::size_t bytes) { return bytes >= huge_page / 2; }

/// Puts large tables into huge pages: with more 4 KB pages than the TLB holds, TLB misses cost more than the reads
/// themselves.
template <class T>
struct TableAllocator {
  using value_type = T;

  TableAllocator() = default;
  template <class U>
  TableAllocator(const TableAllocator<U>&) {}  // NOLINT(google-explicit-constructor): allocators convert

  [[nodiscard]] T* allocate(std::size_t count) {
    if (is_large(bytes(count))) return static_cast<T*>(allocate_pages(bytes(count)));
    return static_cast<T*>(::operator new (bytes(count), std::align_val_t{alignof(T)}));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (is_large(bytes(count))) return release_pages(memory, bytes(count));
    ::operator delete (memory, std::align_val_t{alignof(T)});
  }
  friend bool operator==(const TableAllocator&, const TableAllocator&) { return true; }

 private:
  static std::size_t bytes(std::size_t count) {
    return count * sizeof(T);  // NOLINT(bugprone-sizeof-expression): of pointers, too
  }
};

template <class T>
using Table = std::vector<T, TableAllocator<T>>;

// GCC deletes calls that it has not inlined to functions that only prefetch, as if these had no effect (12.2; seen in
// the machine code). The empty asm statement keeps the calls.

/// Prefetches the cache line of `place`, which need not be valid, for reading.
inline void fetch_to_read(const void* place) {
  __builtin_prefetch(place);
  asm volatile("");
}

/// The same, for writing.
inline void fetch_to_write(const void* place) {
  __builtin_prefetch(place, 1);
  asm volatile("");
}

}  // namespace ecube
