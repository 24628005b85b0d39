// SPDX-License-Identifier: Apache-2.0
// Moving the bytes of messages between regions of memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "models/contract/node_ports.h"

namespace ecube {

/// Copies `region` to `to`, packed.
inline void pack(const Region& region, std::byte* to) {
  const std::byte* from = region.base;
  for (std::uint32_t run = 0; run < region.runs; ++run, from += region.stride, to += region.run_bytes) {
    std::memcpy(to, from, region.run_bytes);
  }
}

/// Spreads `bytes` packed bytes over the beginning of `region`.
inline void unpack(const std::byte* from, Bytes bytes, const Region& region) {
  std::byte* to = region.base;
  for (std::uint32_t run = 0; run < region.runs && bytes > 0; ++run, to += region.stride) {
    const Bytes piece = region.run_bytes < bytes ? region.run_bytes : bytes;
    std::memcpy(to, from, piece);
    from += piece;
    bytes -= piece;
  }
}

/// True when both regions are laid out alike, so that runs can be copied one by one.
inline bool same_layout(const Region& a, const Region& b) { return a.run_bytes == b.run_bytes && a.runs == b.runs; }

/// Exchanges `bytes` bytes that do not overlap.
inline void swap_bytes(std::byte* left, std::byte* right, Bytes bytes) {
  constexpr Bytes piece = 16;
  for (; bytes >= piece; bytes -= piece, left += piece, right += piece) {
    std::byte from_left[piece];
    std::byte from_right[piece];
    std::memcpy(from_left, left, piece);
    std::memcpy(from_right, right, piece);
    std::memcpy(left, from_right, piece);
    std::memcpy(right, from_left, piece);
  }
  std::swap_ranges(left, left + bytes, right);
}

/// Exchanges the contents of two regions of the same layout.
inline void swap_contents(const Region& a, const Region& b) {
  std::byte* left = a.base;
  std::byte* right = b.base;
  for (std::uint32_t run = 0; run < a.runs; ++run, left += a.stride, right += b.stride) {
    swap_bytes(left, right, a.run_bytes);
  }
}

/// Buffers by size class, kept for reuse.
class BufferPool {
 public:
  /// A buffer of at least `bytes`; give it back with release().
  [[nodiscard]] std::byte* allocate(Bytes bytes) {
    auto& free = free_[size_class(bytes)];
    if (free.empty()) {
      owned_.push_back(std::make_unique<std::byte[]>(Bytes{1} << size_class(bytes)));
      return owned_.back().get();
    }
    std::byte* const buffer = free.back();
    free.pop_back();
    return buffer;
  }
  void release(std::byte* buffer, Bytes bytes) { free_[size_class(bytes)].push_back(buffer); }
  void reset() {
    for (auto& free : free_) free.clear();
    owned_.clear();
  }

 private:
  static unsigned size_class(Bytes bytes) { return bytes <= 16 ? 4 : static_cast<unsigned>(std::bit_width(bytes - 1)); }

  std::vector<std::byte*> free_[64];
  std::vector<std::unique_ptr<std::byte[]>> owned_;
};

/// Copies the bytes of `from` to the beginning of `to`, whatever their layouts; they must not overlap.
inline void copy(const Region& from, const Region& to, BufferPool& buffers) {
  if (same_layout(from, to)) {
    const std::byte* source = from.base;
    std::byte* target = to.base;
    for (std::uint32_t run = 0; run < from.runs; ++run, source += from.stride, target += to.stride) {
      std::memcpy(target, source, from.run_bytes);
    }
    return;
  }
  std::byte* const packed = buffers.allocate(from.bytes());
  pack(from, packed);
  unpack(packed, from.bytes(), to);
  buffers.release(packed, from.bytes());
}

}  // namespace ecube
