// SPDX-License-Identifier: Apache-2.0
// Prefetches.
#pragma once

namespace ecube {

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
