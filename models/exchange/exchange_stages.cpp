// SPDX-License-Identifier: Apache-2.0
// The phase of each part in each stage, and the order of its slots.
#include "models/exchange/exchange_stages.h"

namespace ecube {

ExchangeStages::ExchangeStages(const Partition& partition, BlockOrder order)
    : dim_(partition.dim()), order_(order), dims_(partition.parts().begin(), partition.parts().end()) {
  unsigned sum = 0;
  for (const unsigned dims : dims_) {
    before_.push_back(sum);
    sum += dims;
  }
}

unsigned ExchangeStages::phase_low(unsigned phase) const {
  return order_ == BlockOrder::low ? before_[phase] : dim_ - before_[phase] - dims_[phase];
}

unsigned ExchangeStages::rotation(unsigned stage, unsigned part) const {
  if (stage == 0 || stage == count() || order_ == BlockOrder::inplace) return 0;
  const unsigned before = before_[(part + stage) % count()];
  return order_ == BlockOrder::high ? before : (dim_ - before) % dim_;
}

StagePart ExchangeStages::at(unsigned stage, unsigned part) const {
  StagePart what{.part = part, .phase = (part + stage) % count()};
  const unsigned rotated = rotation(stage, part);
  what.slot_low = (phase_low(what.phase) + rotated) % dim_;
  what.rotate_left = (rotation(stage + 1, part) + dim_ - rotated) % dim_;
  return what;
}

}  // namespace ecube
