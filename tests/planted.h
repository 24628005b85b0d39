// SPDX-License-Identifier: Apache-2.0
// What a test judges that alone decides a claim of a paper (testbench/reproduction/claims.tsv), and what is wrong in
// its place: a machine, an algorithm, a formula. Claims.ThatTestsDecideAreSaidNo runs each test with what is wrong.
#pragma once

#include <cstdlib>
#include <string_view>
#include <type_traits>

/// The right one, unless the environment plants what is wrong for this claim.
template <class Value>
[[nodiscard]] Value claimed(std::string_view claim, Value right, std::type_identity_t<Value> wrong) {
  const char* const planted = std::getenv("ECUBE_PLANTED");
  return planted != nullptr && claim == planted ? wrong : right;
}
