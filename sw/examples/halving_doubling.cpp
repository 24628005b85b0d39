// SPDX-License-Identifier: Apache-2.0
// A program for `ecube run program`.
#include "sw/examples/halving_doubling.h"

using namespace ecube;

ECUBE_PROGRAMS(HalvingDoubling)
