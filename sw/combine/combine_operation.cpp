// SPDX-License-Identifier: Apache-2.0
// Sum, maximum, minimum and product of reals and integers.
#include "sw/combine/combine_operation.h"

#include <algorithm>
#include <type_traits>

namespace ecube {
namespace {

/// Integers are added and multiplied without sign, where overflow is defined.
template <class T>
using Arithmetic =
    typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

template <class T>
CombineOperation operation_on(CombineFunction function) {
  using A = Arithmetic<T>;
  switch (function) {
    case CombineFunction::sum:
      return CombineOperation::elementwise<A>([](A a, A b) { return a + b; });
    case CombineFunction::product:
      return CombineOperation::elementwise<A>([](A a, A b) { return a * b; });
    case CombineFunction::max:
      return CombineOperation::elementwise<T>([](T a, T b) { return std::max(a, b); });
    case CombineFunction::min:
      break;
  }
  return CombineOperation::elementwise<T>([](T a, T b) { return std::min(a, b); });
}

/// Calls `action` with a value of the type.
template <class Action>
auto with_type(ItemType type, Action action) {
  switch (type) {
    case ItemType::float32:
      return action(float{});
    case ItemType::float64:
      return action(double{});
    case ItemType::int32:
      return action(std::int32_t{});
    case ItemType::int64:
      break;
  }
  return action(std::int64_t{});
}

template <class T>
T random_item(std::uint64_t bits, CombineFunction function) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(bits));
  } else {
    const auto unit = static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-53);  // [0, 1]
    return function == CombineFunction::product ? T{0.5} + T{1.5} * unit : T{2} * unit - T{1};
  }
}

}  // namespace

CombineOperation CombineOperation::of(CombineFunction function, ItemType type) {
  return with_type(type, [function](auto item) { return operation_on<decltype(item)>(function); });
}

InitialItems random_items(ItemType type, CombineFunction function, std::uint64_t seed) {
  return with_type(type, [function, seed](auto item) -> InitialItems {
    using T = decltype(item);
    return [function, seed](std::uint32_t node, std::uint64_t first, std::uint64_t count, std::byte* items) {
      const std::uint64_t stream = mix(mix(seed) ^ node);
      for (std::uint64_t i = 0; i < count; ++i, items += sizeof(T)) {
        const T value = random_item<T>(mix(stream ^ (first + i)), function);
        std::memcpy(items, &value, sizeof(T));
      }
    };
  });
}

}  // namespace ecube
