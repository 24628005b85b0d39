// SPDX-License-Identifier: Apache-2.0
// Memory for coroutine frames, reused by size so that running firmware does not allocate.
#pragma once

#include <cstddef>

namespace ecube {

/// A frame of `bytes`, at the beginning of a cache line, for the operations in it are laid out by lines. Thread-local
/// free lists by size; frames above 4 KB go to the heap.
[[nodiscard]] void* allocate_frame(std::size_t bytes);
void release_frame(void* frame, std::size_t bytes) noexcept;

}  // namespace ecube
