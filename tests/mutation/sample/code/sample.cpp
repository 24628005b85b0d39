// SPDX-License-Identifier: Apache-2.0
// See the header.
#include "code/sample.h"

namespace {
constexpr unsigned rounding = 1;
}

unsigned half_up(unsigned number) { return (number + rounding) / 2; }

unsigned not_tested(unsigned number) { return number * 3; }
