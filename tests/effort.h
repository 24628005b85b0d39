// SPDX-License-Identifier: Apache-2.0
// How many cases a test takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

/// How many times fewer cases a test takes under sanitizers, which look for errors of memory in the same code and make
/// it ten times slower; some exhaustive tests take smaller cubes instead. Other runs test all cases.
#ifdef ECUBE_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
inline constexpr unsigned fewer_cases = sanitized ? 20 : 1;

/// The largest dimension of an exhaustive test: never so small that it has no case.
constexpr unsigned exhaustive_dim(unsigned dim) { return sanitized && dim > 2 ? dim - 2 : dim; }

/// All cases, or fewer by the factor above; one at least, as a test of no case passes whatever the program does.
constexpr std::size_t random_cases(std::size_t all) { return all < fewer_cases ? 1 : all / fewer_cases; }

/// Whether this is a long test, which takes all of its cases.
inline const bool all_cases = std::getenv("ECUBE_ALL_CASES") != nullptr;

/// The number that the environment gives under this name, such as ECUBE_SEED.
inline std::uint64_t given(const char* name, std::uint64_t otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// The cases of an exhaustive test that a run takes: one of `one_of`, drawn with a seed that the environment may give
/// as ECUBE_SEED; in the long tests all.
class Sample {
 public:
  explicit Sample(unsigned one_of = 1) : one_of_(one_of * fewer_cases) {}

  [[nodiscard]] bool takes() { return all_cases || draws_() % one_of_ == 0; }
  [[nodiscard]] std::string name() const { return "seed " + std::to_string(seed_); }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

 private:
  unsigned one_of_;
  std::uint64_t seed_ = given("ECUBE_SEED", 1);
  std::mt19937_64 draws_{seed_};
};
