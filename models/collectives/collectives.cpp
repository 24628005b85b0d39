// SPDX-License-Identifier: Apache-2.0
// The list.
#include "models/collectives/collectives.h"

#include <vector>

namespace ecube {

std::span<const Collective* const> collectives() {
  static const std::vector<const Collective*> list = [] {
    std::vector<const Collective*> all{&broadcast()};
    for (const Collective& block : building_blocks()) all.push_back(&block);
    all.push_back(&scan());
    return all;
  }();
  return list;
}

}  // namespace ecube
