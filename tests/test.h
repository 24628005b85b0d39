// SPDX-License-Identifier: Apache-2.0
// What every test has: GoogleTest, the standard library, files of its own, its number of cases, and words in a text.
// Its other includes say what it is about.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <queue>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/directory.h"
#include "tests/effort.h"
#include "tests/places.h"
#include "tests/text_file.h"

/// Whether `text` has these words anywhere. Where it does not, both are shown.
#define EXPECT_HAS(text, words) EXPECT_PRED_FORMAT2(::testing::IsSubstring, words, text)
#define ASSERT_HAS(text, words) ASSERT_PRED_FORMAT2(::testing::IsSubstring, words, text)
#define ASSERT_LACKS(text, words) ASSERT_PRED_FORMAT2(::testing::IsNotSubstring, words, text)
#define EXPECT_LACKS(text, words) EXPECT_PRED_FORMAT2(::testing::IsNotSubstring, words, text)

/// The words of the Error that `call` throws; empty where it throws none.
template <class Error, class Call>
std::string thrown(const Call& call) {
  try {
    (void)call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
