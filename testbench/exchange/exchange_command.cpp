// SPDX-License-Identifier: Apache-2.0
// The equation of the exchange, as a table or JSON.
#include <fmt/core.h>

#include "testbench/collective/equation_note.h"
#include "testbench/exchange/exchange_choice.h"
#include "testbench/exchange/exchange_experiment.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/exchange/unequal/unequal_request.h"
#include "testbench/exchange/unequal/unequal_run.h"
#include "testbench/run/commands.h"
#include "testbench/run/experiment.h"
#include "testbench/text/json_text.h"

namespace ecube {

namespace {

void print_prediction(const ExchangeTerms& terms, double average_us, const ExchangeParameters& p, bool staged) {
  fmt::print("start-up      {:>14.3f} us\ndistance      {:>14.3f} us\ntransmission  {:>14.3f} us\n", terms.startup_us,
             terms.distance_us, terms.transmission_us);
  fmt::print("permutation   {:>14.3f} us\nbarrier       {:>14.3f} us\n", terms.permutation_us, terms.barrier_us);
  if (terms.waiting_us > 0) fmt::print("shared links  {:>14.3f} us   a bound\n", terms.waiting_us);
  if (staged) {
    fmt::print("engines       {:>14.3f} us\nserialised    {:>14.3f} us\n", terms.engine_us, terms.serialised_us);
  }
  fmt::print("total         {:>14.3f} us   with the average distance {:.3f} us\n\n", terms.total(), average_us);
  fmt::print("parameters, {}: lambda {:.6g} us, tau {:.6g} us/byte, delta ", p.source, p.lambda_us, p.tau_us_per_byte);
  if (p.delta_us > 0) fmt::print("{:.6g} us{}", p.delta_us, p.delta_hop_us > 0 ? " + " : "");
  if (p.delta_us == 0 || p.delta_hop_us > 0) fmt::print("{:.6g} us/hop", p.delta_hop_us);
  if (p.tau_hop_us_per_byte > 0) fmt::print(" + {:.6g} us/byte and hop", p.tau_hop_us_per_byte);
  fmt::print(", rho {:.6g} us/byte, barrier {:.6g} us\n", p.rho_us_per_byte, p.barrier_us);
  if (p.short_bytes > 0) {
    fmt::print("  up to {:.0f} B: lambda {:.6g} us, delta {:.6g} us/hop\n", p.short_bytes, p.lambda_short_us,
               p.delta_hop_short_us);
  }
  if (p.pairwise_sync_messages) {
    fmt::print("  synchronised: {:.6g} us and the distance once more before every exchange\n", p.lambda0_us);
  }
}

int predict(const ExchangeArguments& arguments) {
  if (arguments.sizes.given()) return predict_unequal_exchange(arguments);
  const ExchangeQuestion question = exchange_question_of(arguments);
  const unsigned dim = question.dim;
  const ExchangeParameters& parameters = question.parameters;
  ExchangeOptions options = question.options;
  const bool staged = question.stages.has_value();
  const Bytes bytes = arguments.bytes.value();
  const Partition partition =
      partition_of(arguments, question.machine, dim, bytes, parameters, options, question.stages);
  const auto cost = [&](HopCount hop_count) {
    options.hops = hop_count;
    return predicted_exchange(question.machine, partition, bytes, parameters, options, question.stages);
  };
  const ExchangeTerms terms = cost(HopCount::real);
  const double average_us = cost(HopCount::average).total();
  std::vector<std::string> gaps;
  if (!arguments.params.given()) gaps = exchange_gaps(question.machine, dim, bytes, partition, options.order);
  if (arguments.run.json) {
    nlohmann::ordered_json workload = {{"bytes", bytes},
                                       {"partition", parts_json(partition)},
                                       {"order", word_of(options.order, block_orders)},
                                       {"barrier", word_of(options.barrier, barrier_words)},
                                       {"identity_shuffle", word_of(options.identity_shuffle, identity_words)}};
    add_ports_json(workload, staged, question.machine.node.ports, arguments.pairing.value());
    nlohmann::ordered_json json = {{"machine", question.machine_json},
                                   {"workload", workload},
                                   {"predicted", exchange_prediction_json(terms, average_us, parameters, staged)}};
    add_leaves_out(json, gaps);
    print_json("predict exchange", json);
    return 0;
  }
  fmt::print("{}  {}  multiphase {}{}  {} B/block\n\n", question.name, network_name(question.machine, dim),
             partition.braced_name(), staged ? fmt::format("  {} ports", ports_word(question.machine.node.ports)) : "",
             grouped(bytes));
  print_prediction(terms, average_us, parameters, staged);
  fmt::print("{}", leaves_out_note(gaps));
  fmt::print("{}", idle_options_note(arguments, staged, options.barrier));
  return 0;
}

}  // namespace

void add_predict_exchange(Command& predict_command, Invocation& invocation) {
  add_question<ExchangeArguments>(
      predict_command, invocation, "exchange", "Multiphase complete exchange",
      [](ExchangeArguments& a) -> std::vector<OptionRow*> {
        return {&a.bytes, &a.partition, &a.order, &a.sync, &a.pairing, &a.retuning, &a.sizes, &a.params};
      },
      [](const ExchangeArguments& a) { return predict(a); },
      "Examples:\n"
      "  ecube predict exchange --machine ipsc860 --dim 6 --bytes 32 --partition 3,3\n"
      "  ecube predict exchange --machine ncube2 --dim 6 --bytes 32 --partition 3,3\n"
      "  ecube predict exchange --params lambda=100,delta=10,tau=2,rho=1 --dim 4 --partition best");
}

}  // namespace ecube
