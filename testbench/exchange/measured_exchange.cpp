// SPDX-License-Identifier: Apache-2.0
// Runs the exchanges that a question compares.
#include "testbench/exchange/measured_exchange.h"

#include <fmt/core.h>

namespace ecube {

MeasuredExchange::MeasuredExchange(TestBench& bench, const ExchangeArguments& arguments,
                                   const ExchangeQuestion& question)
    : bench_(bench), question_(question) {
  experiment_.setup = {.machine = question.machine, .dim = question.dim, .conditions = {}};
  ExchangeWorkload& workload = experiment_.workload;
  workload.order = question.options.order;
  workload.sync = arguments.sync.value();
  workload.payload = Payload::none;
  workload.barrier = question.options.barrier;
  workload.slack_us = question.options.slack_us;
  workload.identity_shuffle = question.options.identity_shuffle;
  workload.ports = question.machine.node.ports;
  workload.pairing = arguments.pairing.value();
}

double MeasuredExchange::us(const Partition& partition, Bytes bytes) {
  experiment_.workload.partition = partition;
  experiment_.workload.bytes = bytes;
  const RunMeasurement run = run_exchange(bench_, experiment_, question_.parameters).run;
  if (run.result.status != RunResult::Status::finished) {
    throw std::runtime_error(fmt::format("the exchange {} of {} B did not finish", partition.name(), bytes));
  }
  return run.result.us;
}

}  // namespace ecube
