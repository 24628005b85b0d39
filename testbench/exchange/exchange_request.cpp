// SPDX-License-Identifier: Apache-2.0
// From typed options to an exchange, or to a question about one.
#include "testbench/exchange/exchange_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "models/machine/error.h"
#include "testbench/system/process.h"
#include "testbench/text/text.h"

namespace ecube {

Partition partition_of(const ExchangeArguments& arguments, const ExchangeEquation& equation, Bytes bytes) {
  const std::string& typed = arguments.partition.value();
  if (typed == "best") return equation.fastest(bytes, arguments.run.quiet);
  const unsigned dim = equation.dim;
  return dim > max_simulated_dim ? Partition::parse(typed, dim)
                                 : Partition::parse(typed, equation.machine.topology(dim));
}

Json exchange_json(const ExchangeWorkload& workload, const Machine& machine,
                   const std::vector<const OptionRow*>& rows) {
  Json json = options_json(rows);
  if (json.contains("partition")) json["partition"] = parts_json(workload.partition);
  json["barrier"] = word_of(workload.barrier, barrier_words);
  if (json.contains("pairwise_sync")) {
    json["pairwise_sync"] = word_of(workload.sync, sync_switches);
    json["protocol"] = word_of(machine.library.protocol, protocol_words);
  }
  json["identity_shuffle"] = word_of(workload.identity_shuffle, identity_words);
  const bool staged = workload.staged();
  json["ports"] = ports_word(staged ? workload.ports : Ports{});
  json["pair_masks"] = staged ? Json(word_of(workload.pairing, pairing_switches)) : Json();
  if (machine.network.planes != 0) json["retuning"] = word_of(workload.retuning, retunings);
  return json;
}

/// Whether predictions are the same with every order of the blocks: on one port of a cube, permutations alone differ.
static bool orders_cost_alike(const ExchangeArguments& arguments, const Machine& machine) {
  if (!machine.on_cube() || machine.node.ports != Ports{} || arguments.sizes.given()) return false;
  if (arguments.params.given()) return parse_exchange_parameters(arguments.params.value()).rho_us_per_byte == 0;
  constexpr Bytes many = Bytes{1} << 30;
  return arguments.run.parameters.value() == ParameterSource::fitted && machine.node.model == NodeModel::rates &&
         machine.permute_cycles(many) == 0;
}

std::vector<Effect> ExchangeArguments::effects(const std::string& question, const Machine& machine) const {
  const bool runs = run.measure || question == "run";
  const bool pairs = schedule.value() == Schedule::xor_pairs;
  const bool by_messages = machine.library.protocol != Protocol::none;
  const bool of_pairs = !machine.network.topology || machine.network.topology->digits_are_bits();
  const bool timed = question != "check" && (question != "explain" || partition.value() == "best");
  const bool predicts = !run.measure && (question == "predict" || question == "best" || question == "hull");
  const bool both_ways = run.measure && question == "best";
  const bool chooses = both_ways && by_messages &&
                       (machine.network.planes != 0 ||
                        !tries_all(machine.topology(dim_of(run, machine, max_simulated_dim, Networks::any))));
  return {{bytes, !sizes_from_file(), "blocks are as the file of --sizes has them"},
          {bytes, question != "check" || partition.value() == "best", "only the best partition depends on it"},
          {order, !predicts || !orders_cost_alike(*this, machine), "every order is predicted to take the same time"},
          {sync, !both_ways || chooses, "partitions are run with and without it"},
          {sync, both_ways || (pairs && (by_messages ? of_pairs && !params.given() : runs)),
           "no time is taken to synchronise"},
          {pairing, pairs && machine.on_cube() && machine.node.ports != Ports{},
           "the exchange sends one message at a time"},
          {retuning, machine.network.planes != 0, "links are fixed while network.planes is 0"},
          {run.parameters, timed, "no time is predicted"},
          {run.seed, run.measure || run.jitter.given() || schedule.value() == Schedule::random,
           "only --jitter and --schedule random draw"}};
}

std::string synchronisation_note(const RunSetup& setup, PairwiseSync sync) {
  const bool protocol = setup.machine.library.protocol != Protocol::none;
  if (sync == PairwiseSync::on) {
    return fmt::format("pairwise synchronisation: {}\n", protocol
                                                             ? "zero-byte messages both ways, circuits of their own"
                                                             : "a rendezvous that costs nothing");
  }
  if (!protocol || setup.conditions.jitter != 0) return {};
  return "pairwise synchronisation: off; all nodes run in lock step, which hides what it is for (lost messages, "
         "opposite\n"
         "  transmissions one after the other): add --jitter TIME\n";
}

Bytes required_memory(const RunSetup& setup, const ExchangeWorkload& workload, bool folded) {
  if (workload.payload != Payload::bytes) return 0;
  if (folded) {
    // Names of blocks, one for each part on several ports, and room to move them in.
    const Bytes parts = workload.staged() ? workload.partition.size() : 1;
    return (2 * parts * BlockStore::name_bytes) << setup.dim;
  }
  const Topology topology = setup.topology();
  return BlockStore::required(topology, workload.bytes, CompleteExchange::buffers(workload, topology));
}

Bytes contents_memory(const Topology& topology, Bytes block) {
  constexpr unsigned most_buffers = 2;
  return topology.nodes() >> max_carried_dim > 1 ? std::numeric_limits<Bytes>::max()
                                                 : BlockStore::required(topology, block, most_buffers);
}

void require_block_memory(const RunSetup& setup, const ExchangeWorkload& workload) {
  if (workload.payload != Payload::bytes) return;
  if (setup.dim > max_carried_dim) {
    const Topology topology = setup.topology();
    throw InputError(fmt::format("{} is too large to carry payload bytes",
                                 topology.is_cube() ? fmt::format("--dim {}", setup.dim) : topology.name()))
        .valid(fmt::format("--payload checks | none above {}", topology.is_cube()
                                                                   ? fmt::format("--dim {}", max_carried_dim)
                                                                   : grouped(NodeId{1} << max_carried_dim) + " nodes"));
  }
  require_memory(required_memory(setup, workload), "the blocks need",
                 "fewer --bytes | a smaller --dim | --payload checks | --payload none");
}

namespace {

ExchangeWorkload typed_exchange(const ExchangeArguments& arguments, const Machine& machine) {
  ExchangeWorkload workload{.bytes = arguments.bytes.value(),
                            .order = arguments.order.value(),
                            .schedule = arguments.schedule.value(),
                            .barrier = machine.library.barrier,
                            .slack_us = machine.us(static_cast<double>(machine.library.slack_cycles)),
                            .sync = arguments.sync.value(),
                            .identity_shuffle = machine.library.identity_shuffle,
                            .payload = arguments.payload.value(),
                            .seed = arguments.run.seed.value(),
                            .pairing = arguments.pairing.value(),
                            .retuning = arguments.retuning.value()};
  if (machine.on_cube()) workload.ports = machine.node.ports;
  return workload;
}

/// Where digits are no bits, nodes are no pairs.
void require_shifts(Schedule schedule, const Machine& machine, const Topology& topology) {
  if (topology.digits_are_bits()) return;
  const std::string hint = "radices that are powers of two pair nodes by the bits of their labels";
  if (schedule != Schedule::xor_pairs) {
    throw InputError(fmt::format("--schedule {} counts in bits, and {} has {} nodes",
                                 word_of(schedule, exchange_schedules), topology.name(), topology.nodes()))
        .hint(hint)
        .valid("xor");
  }
  if (machine.library.protocol == Protocol::forced) {
    throw InputError(fmt::format("library.protocol=forced loses messages that come before their receive, and the nodes "
                                 "of {} do not exchange in pairs that could synchronise",
                                 topology.name()))
        .hint(hint)
        .valid("library.protocol none | unforced");
  }
}

}  // namespace

ExchangeWorkload described_exchange(const ExchangeArguments& arguments, const Machine& machine,
                                    const Topology& topology) {
  ExchangeWorkload workload = typed_exchange(arguments, machine);
  require_shifts(workload.schedule, machine, topology);
  if (shifts_digits(workload, topology) && machine.library.protocol != Protocol::none) {
    workload.sync = PairwiseSync::off;
  }
  if (topology.planes() != 0 && workload.schedule != Schedule::xor_pairs) {
    throw InputError("network.planes needs --schedule xor: a plane joins nodes in pairs");
  }
  if (topology.planes() != 0 && sends_synchronisation(machine, workload.sync)) {
    throw InputError("network.planes has no room for synchronisation by messages, as library.protocol = " +
                     std::string(word_of(machine.library.protocol, protocol_words)) + " has it")
        .valid("library.protocol = none | --pairwise-sync off");
  }
  return workload;
}

ExchangeWorkload exchange_workload_of(const ExchangeArguments& arguments, const RunSetup& setup) {
  ExchangeWorkload workload = described_exchange(arguments, setup.machine, setup.topology());
  workload.seed = setup.conditions.seed;
  if (!setup.may_fold() || !why_not_translated(workload).empty()) require_block_memory(setup, workload);
  return workload;
}

std::string short_name(const Partition& partition) {
  if (partition.size() <= 8) return partition.braced_name();
  const auto parts = partition.parts();
  const auto larger = static_cast<std::size_t>(std::count(parts.begin(), parts.end(), parts.front()));
  std::string name = fmt::format("{} x {}", larger, parts.front());
  if (larger < parts.size()) name += fmt::format(" + {} x {}", parts.size() - larger, parts.back());
  return name;
}

void print_hull_parameters(const ExchangeQuestion& question, const HullParameters& p) {
  fmt::print(
      "\nparameters, {}: L {:.6g} us a message ({} distance), tau {:.6g} us/byte, rho {:.6g} us/byte, Q {:.6g} us\n",
      question.parameters.source, p.message_us, question.parameters.delta_hop_us > 0 ? "average" : "constant",
      p.tau_us_per_byte, p.rho_us_per_byte, p.barrier_us);
  fmt::print("the shuffle of a phase over the whole cube is {}\n",
             p.identity_shuffle == IdentityShuffle::skip ? "skipped" : "charged");
}

void print_real_parameters(const ExchangeQuestion& question) {
  const ExchangeParameters& p = question.parameters;
  if (question.stages) {
    fmt::print("every block in equal parts, {}\n",
               question.stages->pairing == MaskPairing::on ? "masks with their complements" : "single masks");
  }
  fmt::print(
      "\nparameters, {}: lambda {:.6g} us, delta {:.6g} us/hop, tau {:.6g} us/byte, rho {:.6g} us/byte, Q {:.6g} us\n",
      p.source, p.lambda_us, p.delta_hop_us, p.tau_us_per_byte, p.rho_us_per_byte, p.barrier_us);
  fmt::print("distances are real; permutations that move nothing are {}\n",
             question.options.identity_shuffle == IdentityShuffle::skip ? "skipped" : "charged");
}

Json parts_json(const Partition& partition) {
  return std::vector<unsigned>(partition.parts().begin(), partition.parts().end());
}

ExchangeQuestion exchange_question_of(const ExchangeArguments& arguments, TestBench& bench) {
  const bool of_machine = !arguments.params.given();
  ExchangeExperiment asked;
  auto& [setup, workload] = asked;
  setup.machine = resolve(settings_of(arguments.run));
  const Machine& machine = setup.machine;
  setup.dim = dim_of(arguments.run, machine, max_predicted_dim, Networks::any);
  // Of --params as little is described as of the ideal engine.
  if (!of_machine) setup.engine = EngineChoice::ideal;
  workload = typed_exchange(arguments, machine);
  ExchangeParameters parameters;
  if (of_machine) {
    const bool bits = machine.on_cube() || setup.topology().digits_are_bits();
    if (!bits) require_shifts(workload.schedule, machine, setup.topology());
    const bool pairs = bits && workload.schedule == Schedule::xor_pairs;
    parameters =
        parameters_for(arguments.run, bench, machine, setup.dim, pairs ? arguments.sync.value() : PairwiseSync::off);
  } else {
    parameters = parse_exchange_parameters(arguments.params.value());
  }
  // --params are of no machine: its preset says neither.
  const auto says = [&](std::string_view key) { return of_machine || sets(arguments.run, key); };
  if (!says("library.identity_shuffle")) workload.identity_shuffle = IdentityShuffle::charge;
  if (!says("library.barrier")) workload.barrier = Barrier::phase;
  return {equation_of(asked, parameters), of_machine ? machine.name : "--params",
          asked_machine_json(machine, setup.dim, !of_machine), workload};
}

Json exchange_terms_json(const ExchangeTerms& terms, bool staged) {
  Json json = {{"startup_us", terms.startup_us},
               {"distance_us", terms.distance_us},
               {"transmission_us", terms.transmission_us},
               {"permutation_us", terms.permutation_us},
               {"barrier_us", terms.barrier_us}};
  if (terms.retuning_us != 0) json["retuning_us"] = terms.retuning_us;
  if (terms.waiting_us > 0) json["waiting_us"] = terms.waiting_us;
  if (staged) {
    json["engine_us"] = terms.engine_us;
    json["serialised_us"] = terms.serialised_us;
  }
  return json;
}

Json exchange_prediction_json(const ExchangeTerms& terms, double average_us, const ExchangeParameters& parameters,
                              bool staged) {
  return {{"equation", staged ? "Nicol & Bokhari 1994 (1) for parts in stages (models/exchange/README.md), real hops"
                              : "Nicol & Bokhari 1994 (2), real hops"},
          {"us", terms.total()},
          {"average_distance_us", average_us},
          {"terms", exchange_terms_json(terms, staged)},
          {"parameters", exchange_parameters_json(parameters)}};
}

}  // namespace ecube
