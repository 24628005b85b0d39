// SPDX-License-Identifier: Apache-2.0
// A loop that some mutants never leave.
#include "code/sample.h"

unsigned sum_to(unsigned last) {
  unsigned sum = 0;
  for (unsigned i = 1; i <= last; ++i) {
    sum += i;
  }
  return sum;
}
