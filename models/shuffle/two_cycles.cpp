// SPDX-License-Identifier: Apache-2.0
// From slots to packets and hops.
#include "models/shuffle/two_cycles.h"

#include <algorithm>
#include <stdexcept>

namespace ecube {

TwoCyclePlan::TwoCyclePlan(std::vector<LabelBits> cycles, std::uint64_t elements, std::uint64_t packet)
    : cycles_(std::move(cycles)), elements_(elements) {
  if (cycles_.empty() || elements == 0 || packet == 0) throw std::logic_error("2-cycles without cycles or elements");
  const std::uint64_t parts = 2 * cycles_.size();
  slots_ = (elements + parts - 1) / parts;
  packet_ = std::min(packet, slots_);
  stage_ = std::max(slots_, 2 * packet_);
  packets_ = ((cycles_.size() - 1) * stage_ + slots_ - 1) / packet_ + 1;
}

void TwoCyclePlan::packet(std::uint32_t cycle, std::uint32_t path, std::uint64_t number,
                          std::vector<std::uint64_t>& elements) const {
  elements.clear();
  const std::uint64_t beta = cycles_.size();
  const std::uint64_t end = std::min((number + 1) * packet_, beta * stage_);
  for (std::uint64_t at = number * packet_; at < end; ++at) {
    const std::uint64_t slot = at % stage_;
    if (slot >= slots_) continue;
    const std::uint64_t group = (cycle + beta - at / stage_) % beta;
    const std::uint64_t element = group + beta * (path + 2 * slot);
    if (element < elements_) elements.push_back(element);
  }
}

std::vector<TwoCycleHop> TwoCyclePlan::hops(std::uint64_t step) const {
  std::vector<TwoCycleHop> result;
  for (std::uint32_t cycle = 0; cycle < cycles_.size(); ++cycle) {
    for (std::uint32_t path = 0; path < 2; ++path) {
      for (const bool second : {false, true}) {
        const std::uint64_t first_step = second ? step - 1 : step;
        if (first_step < 1 || first_step > packets_) continue;
        TwoCycleHop hop{.cycle = cycle, .dim = cycles_[cycle].dim[second ? 1 - path : path], .second = second};
        packet(cycle, path, first_step - 1, hop.elements);
        if (!hop.elements.empty()) result.push_back(std::move(hop));
      }
    }
  }
  return result;
}

std::uint64_t TwoCyclePlan::elements_in_sequence() const {
  std::uint64_t sum = 0;
  for (std::uint64_t step = 1; step <= steps(); ++step) {
    std::size_t longest = 0;
    for (const TwoCycleHop& hop : hops(step)) longest = std::max(longest, hop.elements.size());
    sum += longest;
  }
  return sum;
}

}  // namespace ecube
