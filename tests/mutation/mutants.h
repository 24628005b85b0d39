// SPDX-License-Identifier: Apache-2.0
// What a mutated source calls: every mutant is in the program, and the environment chooses one of them.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

/// A mutated operator stands as `a < Site{} < b`: same operator, same precedence, so that no operand has to be found in
/// the text. `a < Site{}` notes the left operand, and the second `<` does what the chosen mutant does.
namespace mutation {

inline constexpr int most_mutants = 1 << 17;
inline constexpr int no_code = 77;  ///< exit code of a mutant that has no code: its operator is none of its operands'

inline int active = 0;                    // NOLINT: set before any other initialisation
inline unsigned char seen[most_mutants];  // NOLINT: by number of mutant, 1 when its place was run

[[gnu::constructor(101)]] inline void choose() {
  const char* number = std::getenv("ECUBE_MUTANT");
  if (number != nullptr) active = std::atoi(number);
}

inline void write_seen() {
  const char* name = std::getenv("ECUBE_MUTANTS_SEEN");
  std::FILE* file = name != nullptr ? std::fopen(name, "w") : nullptr;
  if (file == nullptr) return;
  for (int mutant = 0; mutant < most_mutants; ++mutant) {
    if (seen[mutant] != 0) std::fprintf(file, "%d\n", mutant);
  }
  std::fclose(file);
}
[[gnu::constructor(102)]] inline void write_at_exit() { std::atexit(write_seen); }

inline bool run_chosen(int mutant) {
  seen[mutant] = 1;
  return active == mutant;
}

/// Constant: in a constexpr function, which the compiler too may run; it runs the original.
template <bool Constant>
constexpr bool chosen(int mutant) {
  if constexpr (Constant) {
    if (std::is_constant_evaluated()) return false;
  }
  return run_chosen(mutant);
}

[[noreturn]] inline void refuse() { std::_Exit(no_code); }

template <typename Site>
struct Mark {};
template <typename Left, typename Site>
struct Half {
  Left&& left;  // NOLINT: lives in one expression
};

// Original, and the operator of the first and of the second mutant.
#define MUTATION_BINARY(Name, op, first, second)                                                         \
  template <int Id, bool Constant>                                                                       \
  struct Name {                                                                                          \
    template <typename L, typename R>                                                                    \
    static constexpr decltype(auto) apply(L&& l, R&& r) {                                                \
      using Result = decltype(static_cast<L&&>(l) op static_cast<R&&>(r));                               \
      if (chosen<Constant>(Id)) {                                                                        \
        if constexpr (requires { static_cast<Result>(static_cast<L&&>(l) first static_cast<R&&>(r)); })  \
          return static_cast<Result>(static_cast<L&&>(l) first static_cast<R&&>(r));                     \
        else                                                                                             \
          refuse();                                                                                      \
      }                                                                                                  \
      if (chosen<Constant>(Id + 1)) {                                                                    \
        if constexpr (requires { static_cast<Result>(static_cast<L&&>(l) second static_cast<R&&>(r)); }) \
          return static_cast<Result>(static_cast<L&&>(l) second static_cast<R&&>(r));                    \
        else                                                                                             \
          refuse();                                                                                      \
      }                                                                                                  \
      return static_cast<L&&>(l) op static_cast<R&&>(r);                                                 \
    }                                                                                                    \
  };                                                                                                     \
  template <typename L, int Id, bool C>                                                                  \
  constexpr Half<L, Name<Id, C>> operator op(L&& l, Mark<Name<Id, C>>) {                                 \
    return {static_cast<L&&>(l)};                                                                        \
  }                                                                                                      \
  template <typename L, int Id, bool C, typename R>                                                      \
  constexpr decltype(auto) operator op(Half<L, Name<Id, C>> half, R&& r) {                               \
    return Name<Id, C>::apply(static_cast<L&&>(half.left), static_cast<R&&>(r));                         \
  }

MUTATION_BINARY(Less, <, <=, >=)
MUTATION_BINARY(LessOrEqual, <=, <, >)
MUTATION_BINARY(Greater, >, >=, <=)
MUTATION_BINARY(GreaterOrEqual, >=, >, <)
MUTATION_BINARY(Equal, ==, !=, >=)
MUTATION_BINARY(NotEqual, !=, ==, <)
MUTATION_BINARY(Add, +, -, *)
MUTATION_BINARY(Subtract, -, +, *)
MUTATION_BINARY(Multiply, *, +, /)
MUTATION_BINARY(Divide, /, *, -)
MUTATION_BINARY(Remainder, %, /, *)
MUTATION_BINARY(ShiftLeft, <<, >>, +)
MUTATION_BINARY(ShiftRight, >>, <<, -)
MUTATION_BINARY(And, &, |, ^)
MUTATION_BINARY(Or, |, &, ^)
MUTATION_BINARY(ExclusiveOr, ^, |, &)

// `x += Site{} += y` groups from the right.
#define MUTATION_ASSIGN(Name, op, other)                                                                          \
  template <int Id, bool Constant>                                                                                \
  struct Name {                                                                                                   \
    template <typename L, typename R>                                                                             \
    static constexpr decltype(auto) apply(L& l, R&& r) {                                                          \
      if (chosen<Constant>(Id)) {                                                                                 \
        if constexpr (requires { static_cast<decltype(l op static_cast<R&&>(r))>(l other static_cast<R&&>(r)); }) \
          return static_cast<decltype(l op static_cast<R&&>(r))>(l other static_cast<R&&>(r));                    \
        else                                                                                                      \
          refuse();                                                                                               \
      }                                                                                                           \
      return l op static_cast<R&&>(r);                                                                            \
    }                                                                                                             \
  };                                                                                                              \
  template <typename R, int Id, bool C>                                                                           \
  constexpr Half<R, Name<Id, C>> operator op(Mark<Name<Id, C>>, R&& r) {                                          \
    return {static_cast<R&&>(r)};                                                                                 \
  }                                                                                                               \
  template <typename L, int Id, bool C, typename R>                                                               \
  constexpr decltype(auto) operator op(L& l, Half<R, Name<Id, C>> half) {                                         \
    return Name<Id, C>::apply(l, static_cast<R&&>(half.left));                                                    \
  }

MUTATION_ASSIGN(AddTo, +=, -=)
MUTATION_ASSIGN(SubtractFrom, -=, +=)
MUTATION_ASSIGN(MultiplyBy, *=, /=)
MUTATION_ASSIGN(DivideBy, /=, *=)
MUTATION_ASSIGN(RemainderOf, %=, /=)
MUTATION_ASSIGN(ShiftLeftBy, <<=, >>=)
MUTATION_ASSIGN(ShiftRightBy, >>=, <<=)
MUTATION_ASSIGN(AndWith, &=, |=)
MUTATION_ASSIGN(OrWith, |=, &=)
MUTATION_ASSIGN(ExclusiveOrWith, ^=, |=)

template <int Id, bool Constant, typename T>
constexpr T number(T value) {
  if (chosen<Constant>(Id)) return static_cast<T>(value + T{1});
  if (chosen<Constant>(Id + 1)) return static_cast<T>(value - T{1});
  return value;
}

template <int Id, bool Constant>
constexpr bool condition(bool value) {
  return chosen<Constant>(Id) ? !value : value;
}

template <int Id, bool Constant>
constexpr bool stays() {
  return !chosen<Constant>(Id);
}

}  // namespace mutation
