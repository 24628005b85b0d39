// SPDX-License-Identifier: Apache-2.0
// Operations on items of every type against the same on one processor, and the items that vectors begin with.
#include "sw/combine/combine_operation.h"

#include "tests/test.h"

namespace ecube::combine_operation_test {
namespace {

template <class T>
std::vector<T> applied(CombineFunction function, ItemType type, std::vector<T> into, const std::vector<T>& other,
                       bool into_is_left = true) {
  const CombineOperation operation = CombineOperation::of(function, type);
  EXPECT_EQ(operation.item_bytes(), sizeof(T));
  operation.apply(reinterpret_cast<std::byte*>(into.data()), reinterpret_cast<const std::byte*>(other.data()),
                  into.size(), into_is_left);
  return into;
}

template <class T>
void expect_all_functions(ItemType type) {
  const std::vector<T> a{3, -2, 7, 0};
  const std::vector<T> b{-5, -4, 7, 2};
  EXPECT_EQ(applied(CombineFunction::sum, type, a, b), (std::vector<T>{-2, -6, 14, 2}));
  EXPECT_EQ(applied(CombineFunction::product, type, a, b), (std::vector<T>{-15, 8, 49, 0}));
  EXPECT_EQ(applied(CombineFunction::max, type, a, b), (std::vector<T>{3, -2, 7, 2}));
  EXPECT_EQ(applied(CombineFunction::min, type, a, b), (std::vector<T>{-5, -4, 7, 0}));
}

TEST(CombineOperations, AreThoseOfTheirNamesOnEveryType) {
  expect_all_functions<float>(ItemType::float32);
  expect_all_functions<double>(ItemType::float64);
  expect_all_functions<std::int32_t>(ItemType::int32);
  expect_all_functions<std::int64_t>(ItemType::int64);
}

TEST(CombineOperations, WrapAroundAndKeepTheLeftOfEquals) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(applied<std::int32_t>(CombineFunction::sum, ItemType::int32, {most}, {1}),
            (std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::min()}));
  EXPECT_EQ(applied<std::int32_t>(CombineFunction::product, ItemType::int32, {most}, {2}),
            (std::vector<std::int32_t>{-2}));
  for (const CombineFunction function : {CombineFunction::max, CombineFunction::min}) {
    EXPECT_TRUE(std::signbit(applied<double>(function, ItemType::float64, {-0.0}, {0.0})[0]));
    EXPECT_FALSE(std::signbit(applied<double>(function, ItemType::float64, {-0.0}, {0.0}, false)[0]));
  }
}

template <class T>
std::vector<T> items(ItemType type, CombineFunction function, std::uint64_t seed, std::uint32_t node,
                     std::uint64_t first, std::uint64_t count) {
  std::vector<T> all(count, T{99});
  random_items(type, function, seed)(node, first, count, reinterpret_cast<std::byte*>(all.data()));
  return all;
}

template <class T>
void expect_drawn_items(ItemType type, CombineFunction function, T least, T below) {
  const std::vector<T> all = items<T>(type, function, 5, 3, 0, 4000);
  for (const T item : all) ASSERT_TRUE(item >= least && item < below) << item;
  const T quarter = (below - least) / 4;
  EXPECT_LT(*std::min_element(all.begin(), all.end()), least + quarter / 16);
  EXPECT_GT(*std::max_element(all.begin(), all.end()), below - quarter / 16);
  EXPECT_NEAR(static_cast<double>(std::accumulate(all.begin(), all.end(), T{0}) / 4000),
              static_cast<double>(least + 2 * quarter), static_cast<double>(quarter / 8));
  // A part of the vector has the items of that part, and other nodes and seeds have others.
  EXPECT_EQ(items<T>(type, function, 5, 3, 100, 50), std::vector<T>(all.begin() + 100, all.begin() + 150));
  EXPECT_NE(items<T>(type, function, 5, 4, 0, 4000), all);
  EXPECT_NE(items<T>(type, function, 6, 3, 0, 4000), all);
}

TEST(RandomItems, AreInTheRangeOfTheirFunction) {
  for (const CombineFunction function : {CombineFunction::sum, CombineFunction::max, CombineFunction::min}) {
    expect_drawn_items<float>(ItemType::float32, function, -1, 1);
    expect_drawn_items<double>(ItemType::float64, function, -1, 1);
  }
  expect_drawn_items<float>(ItemType::float32, CombineFunction::product, 0.5, 2);
  expect_drawn_items<double>(ItemType::float64, CombineFunction::product, 0.5, 2);
}

TEST(RandomItems, OfIntegersAreAnyIntegers) {
  for (const CombineFunction function : {CombineFunction::sum, CombineFunction::product}) {
    const auto words = items<std::int32_t>(ItemType::int32, function, 1, 0, 0, 1000);
    EXPECT_GT(std::set<std::int32_t>(words.begin(), words.end()).size(), 995U);
    EXPECT_LT(*std::min_element(words.begin(), words.end()), -2'000'000'000);
    EXPECT_GT(*std::max_element(words.begin(), words.end()), 2'000'000'000);
    const auto longs = items<std::int64_t>(ItemType::int64, function, 1, 0, 0, 1000);
    EXPECT_EQ(std::set<std::int64_t>(longs.begin(), longs.end()).size(), 1000U);
    EXPECT_LT(*std::min_element(longs.begin(), longs.end()), -9'000'000'000'000'000'000);
    EXPECT_GT(*std::max_element(longs.begin(), longs.end()), 9'000'000'000'000'000'000);
  }
}

}  // namespace
}  // namespace ecube::combine_operation_test
