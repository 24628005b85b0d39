// SPDX-License-Identifier: Apache-2.0
// Element-wise operations of a global combine on two vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

#include "models/machine/random.h"

namespace ecube {

enum class ItemType : std::uint8_t { float32, float64, int32, int64 };
enum class CombineFunction : std::uint8_t { sum, max, min, product };

[[nodiscard]] constexpr std::uint32_t bytes_of(ItemType type) {
  return type == ItemType::float32 || type == ItemType::int32 ? 4 : 8;
}

/// An operation on two items of one type, applied item by item. It should be associative and commutative; where
/// rounding or the operation makes it neither, all nodes still get the same bits, because the order of combining is
/// fixed and the item of the node with the smaller label is always the left operand.
class CombineOperation {
 public:
  /// `operation(left, right)` on items of type T, any trivially copyable type.
  template <class T, class Function>
  [[nodiscard]] static CombineOperation elementwise(Function operation) {
    CombineOperation result;
    result.item_bytes_ = sizeof(T);
    result.apply_ = [operation](std::byte* into, const std::byte* other, std::uint64_t items, bool into_is_left) {
      for (std::uint64_t i = 0; i < items; ++i, into += sizeof(T), other += sizeof(T)) {
        T a;
        T b;
        std::memcpy(&a, into, sizeof(T));
        std::memcpy(&b, other, sizeof(T));
        const T combined = into_is_left ? operation(a, b) : operation(b, a);
        std::memcpy(into, &combined, sizeof(T));
      }
    };
    return result;
  }

  /// Sums and products of integers wrap around, as two's complement does. max and min keep the left operand of equals.
  [[nodiscard]] static CombineOperation of(CombineFunction function, ItemType type);

  [[nodiscard]] std::uint32_t item_bytes() const { return item_bytes_; }
  /// `into` becomes into op other, or other op into, for `items` items.
  void apply(std::byte* into, const std::byte* other, std::uint64_t items, bool into_is_left) const {
    apply_(into, other, items, into_is_left);
  }

 private:
  std::uint32_t item_bytes_ = 4;
  std::function<void(std::byte*, const std::byte*, std::uint64_t, bool)> apply_;
};

/// Writes the items `first` .. `first` + `count` - 1 that node `node` starts with.
using InitialItems =
    std::function<void(std::uint32_t node, std::uint64_t first, std::uint64_t count, std::byte* items)>;

/// Random items for a function: reals in [-1, 1), for products in [1/2, 2); any integers.
[[nodiscard]] InitialItems random_items(ItemType type, CombineFunction function, std::uint64_t seed);

}  // namespace ecube
