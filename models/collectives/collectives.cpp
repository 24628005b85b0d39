// SPDX-License-Identifier: Apache-2.0
// The list.
#include "models/collectives/collectives.h"

#include <array>

#include "models/all_gather/all_gather.h"
#include "models/broadcast/broadcast.h"
#include "models/gather/gather.h"
#include "models/reduce_scatter/reduce_scatter.h"
#include "models/scan/scan.h"
#include "models/scatter/scatter.h"

namespace ecube {

std::span<const Collective* const> collectives() {
  static const std::array list{
      &broadcast(), &scatter(), &gather(), &all_gather(), &reduce_scatter(), &scan(),
  };
  return list;
}

}  // namespace ecube
