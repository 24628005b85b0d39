// SPDX-License-Identifier: Apache-2.0
// Code with a test that sees everything of one function and too little of the others.
#pragma once

inline int larger(int a, int b) {
  if (a > b) return a;
  return b;
}

unsigned half_up(unsigned number);
unsigned not_tested(unsigned number);
unsigned sum_to(unsigned last);
