// SPDX-License-Identifier: Apache-2.0
// The list.
#include "models/collectives/collectives.h"

#include <array>

#include "models/broadcast/broadcast.h"
#include "models/scatter/scatter.h"

namespace ecube {

std::span<const Collective* const> collectives() {
  static const std::array list{
      &broadcast(),
      &scatter(),
      ,
  };
  return list;
}

}  // namespace ecube
