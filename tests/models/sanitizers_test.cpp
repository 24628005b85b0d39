// SPDX-License-Identifier: Apache-2.0
// What the sanitizers' build is for: wrong memory and undefined behaviour end a program, with a status that is none of
// the command's.
#ifdef ECUBE_SANITIZED
#include "tests/test.h"

namespace sanitizers_test {
namespace {

[[gnu::noinline]] int one_more_than(int number) { return number + 1; }

TEST(Sanitizers, EndAProgramWhoseNumbersOverflow) {
  EXPECT_EXIT((void)one_more_than(std::numeric_limits<int>::max()), testing::ExitedWithCode(86),
              "ILL.*\n.*one_more_than|signed integer overflow");
}

TEST(Sanitizers, EndAProgramThatReadsMemoryItGaveBack) {
  const auto read = [] {
    auto number = std::make_unique<volatile int>(1);
    volatile int* const gone = number.get();
    number.reset();
    return *gone;
  };
  EXPECT_EXIT((void)read(), testing::ExitedWithCode(86), "heap-use-after-free");
}

}  // namespace
}  // namespace sanitizers_test
#endif
