// SPDX-License-Identifier: Apache-2.0
// Looking parameters up.
#include "sw/program/job.h"

#include <stdexcept>

namespace ecube {

const ParameterValue& Job::value(std::string_view name, ParameterType type) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    throw std::logic_error("the program has declared no parameter '" + std::string(name) + "'");
  }
  if (found->second.type != type) {
    throw std::logic_error("the program has declared its parameter '" + std::string(name) + "' as another type");
  }
  return found->second;
}

const ExchangeParameters& Job::costs() const {
  if (!costs_) throw std::logic_error("the costs of the machine are known to predict() only");
  return *costs_;
}

double Job::message_us(Bytes bytes, unsigned hops) const {
  return costs().message_us(static_cast<double>(bytes), hops);
}

}  // namespace ecube
