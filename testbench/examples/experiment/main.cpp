// SPDX-License-Identifier: Apache-2.0
// A program of its own that runs one experiment: Direct and multiphase exchange of 32-byte blocks on 8 nodes.
#include <cstdio>
#include <systemc>

#include "testbench/exchange/exchange_experiment.h"

int sc_main(int, char**) {
  constexpr unsigned dim = 3;
  ecube::TestBench bench(dim);
  for (const ecube::Partition& partition : {ecube::Partition({3}), ecube::Partition({2, 1})}) {
    ecube::ExchangeExperiment experiment;
    experiment.setup.dim = dim;
    experiment.workload.partition = partition;
    experiment.workload.bytes = 32;
    const ecube::ExchangeMeasurement measured =
        run_exchange(bench, experiment, bench.calibrate(experiment.setup.machine).exchange(dim));
    std::printf("%s: predicted %.3f us, measured %.3f us, data %s\n", partition.braced_name().c_str(),
                measured.predicted.total(), measured.run.result.us,
                measured.verified == true ? "in place" : "not in place");
  }
  return 0;
}
