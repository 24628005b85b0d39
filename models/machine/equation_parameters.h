// SPDX-License-Identifier: Apache-2.0
// The argument of `--params`, parameters of an equation by name; and times that an equation cannot give.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace ecube {

/// The keys that an equation's `--params` takes, and texts for errors about it.
struct ParameterList {
  struct Key {
    std::string_view name;
    bool needed;
    double* value;  ///< set where the key is given
  };
  std::span<const Key> keys;
  std::string_view valid;    ///< the keys in words
  std::string_view example;  ///< "write --params lambda=100,tau=2 (us, us per byte)"
};

/// Reads "lambda=100,tau=2". Returns for each key of `list` whether it is given. Numbers are decimal, an exponent is
/// allowed. InputError for an unknown, repeated or missing key, and for anything but a finite number >= 0.
std::vector<bool> parse_parameters(std::string_view text, const ParameterList& list);

/// InputError when `us`, the time of `what` by its equation, is negative beyond rounding. A fitted start-up excludes
/// the first phit of a message, so it is negative where a phit takes longer than a start-up; the equation then holds
/// for messages of whole phits, but not for shorter ones.
void require_no_negative_time(double us, std::string_view what);

}  // namespace ecube
