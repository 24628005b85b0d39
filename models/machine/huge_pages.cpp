// SPDX-License-Identifier: Apache-2.0
// Memory mapped straight from the operating system.
#include "models/machine/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace ecube {

namespace {

/// Half a huge page or more becomes a whole one. The rest of a table beyond its last whole huge page is in small pages,
/// because a huge page takes its 2 MB with the first byte that is written.
std::size_t whole_pages(std::size_t bytes) {
  constexpr std::size_t small_page = 4096;
  const std::size_t page = is_large(bytes) && bytes < huge_page ? huge_page : small_page;
  return (bytes + page - 1) / page * page;
}

}  // namespace

void* allocate_pages(std::size_t bytes) {
  const std::size_t whole = whole_pages(bytes);
  const std::size_t spare = is_large(bytes) ? huge_page : 0;
  void* memory = MAP_FAILED;
  for (;;) {
    memory = mmap(nullptr, whole + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) break;
    // As operator new does.
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
  if (spare == 0) return memory;
  // The memory begins at the first huge page; the rest before and behind is unmapped.
  auto* const begin = static_cast<std::byte*>(memory);
  const std::size_t before = (huge_page - reinterpret_cast<std::uintptr_t>(begin) % huge_page) % huge_page;
  if (before > 0) munmap(begin, before);
  if (before < spare) munmap(begin + before + whole, spare - before);
  madvise(begin + before, whole / huge_page * huge_page, MADV_HUGEPAGE);  // if refused, small pages do
  return begin + before;
}

void release_pages(void* memory, std::size_t bytes) noexcept { munmap(memory, whole_pages(bytes)); }

}  // namespace ecube
