// SPDX-License-Identifier: Apache-2.0
// Memory for coroutine frames, reused by size so that running firmware does not allocate.
#pragma once

#include <cstddef>

namespace ecube {

/// A frame of `bytes`, aligned to a cache line, because the operations in it are laid out by lines. Thread-local free
/// lists by size; frames above 4 KB go to the heap.
[[nodiscard]] void* allocate_frame(std::size_t bytes);
void release_frame(void* frame, std::size_t bytes) noexcept;

}  // namespace ecube
