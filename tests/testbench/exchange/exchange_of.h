// SPDX-License-Identifier: Apache-2.0
// A complete exchange as a machine's library would have it.
#pragma once

#include "testbench/exchange/exchange_experiment.h"

namespace ecube {

/// On a cube of the partition's dimensions, over all ports of the machine.
inline ExchangeExperiment exchange_of(const Machine& machine, const Partition& partition, Bytes bytes) {
  return {.setup = {.machine = machine, .dim = partition.dim(), .conditions = {}},
          .workload = {.partition = partition,
                       .bytes = bytes,
                       .barrier = machine.library.barrier,
                       .identity_shuffle = machine.library.identity_shuffle,
                       .ports = machine.node.ports}};
}

/// Partition and length of an experiment, for messages.
inline std::string name_of(const ExchangeExperiment& test) {
  return test.setup.machine.name + " " + test.workload.partition.braced_name() + " of " +
         std::to_string(test.workload.bytes) + " B";
}

}  // namespace ecube
