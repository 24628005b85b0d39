// SPDX-License-Identifier: Apache-2.0
// The messages of one node in a complete exchange, step by step: Bokhari 1993, section 2.3, and in stages on several
// ports.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "models/machine/error.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/run/commands.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

/// A node has up to 2^d - 1 messages to list.
constexpr std::int64_t max_explained_dim = 12;

struct ExchangeExplainArguments : ExchangeArguments {
  NumberOption node{"--node", "Whose messages", group::own, 0, {0}};
};

struct SentMessage {
  unsigned phase = 0;
  unsigned part = 0;
  NodeId step = 0;  ///< from 1
  NodeId partner = 0;
  NodeId source = 0;  ///< the node whose message comes in the same step; the partner where nodes exchange
  NodeId blocks = 0;
  Bytes bytes = 0;
};

/// The permutation of a part of the blocks when a phase or stage has ended.
struct EndPermutation {
  unsigned part = 0;
  unsigned rotate = 0;  ///< by as many of d bits; 0 where no slot moves
  bool left = true;
  Bytes paid_bytes = 0;
  NodeId columns = 0;  ///< of the matrix of slots that is transposed, where digits are no bits
};

struct ExplainedRound {
  std::vector<unsigned> phases{};  ///< of part 0, 1, ..
  std::vector<SentMessage> messages{};
  std::vector<EndPermutation> permutations{};
};

struct ExchangePlan {
  Topology topology;
  NodeId node = 0;
  ExchangeWorkload workload{};
  bool synchronising = false;
  std::vector<Phase> phases{};
  std::vector<ExplainedRound> rounds{};

  [[nodiscard]] unsigned dim() const { return topology.label_bits(); }
};

ExplainedRound round_of(const ExchangePlan& plan, const Phase& phase) {
  const ExchangeWorkload& workload = plan.workload;
  ExplainedRound round{.phases = {phase.index}};
  const NodeId blocks = phase.effective();
  const bool shifts = shifts_digits(workload, plan.topology);
  const std::vector<NodeId> partners = shifts ? std::vector<NodeId>() : targets(workload, phase, plan.node);
  for (NodeId step = 1; step < phase.size(); ++step) {
    const NodeId partner = shifts ? plan.topology.plus(plan.node, step * phase.stride) : partners[step - 1];
    SentMessage message{.phase = phase.index,
                        .step = step,
                        .partner = partner,
                        .source = partner,
                        .blocks = blocks,
                        .bytes = workload.bytes * blocks};
    if (shifts) message.source = plan.topology.minus(plan.node, step * phase.stride);
    if (workload.schedule == Schedule::shift) {
      const NodeId own = phase.index_of(plan.node);
      message.source = phase.subcube().member(plan.node, (own - step) & (phase.size() - 1));
    }
    round.messages.push_back(message);
  }
  const bool paid = pays_shuffle(phase, workload.order, workload.identity_shuffle);
  round.permutations.push_back({.rotate = shifts || phase.is_identity() ? 0 : phase.subcube().dim,
                                .left = workload.order == BlockOrder::high,
                                .paid_bytes = paid ? workload.bytes * plan.topology.nodes() : 0,
                                .columns = shifts && !phase.is_identity() ? phase.columns() : 0});
  return round;
}

ExplainedRound stage_of(const ExchangePlan& plan, const ExchangeStages& stages, unsigned number) {
  const ExchangeWorkload& workload = plan.workload;
  const BlockParts parts(workload.bytes, stages.count());
  ExplainedRound round;
  for (unsigned part = 0; part < parts.travelling(); ++part) {
    const StagePart what = stages.at(number, part);
    const unsigned dims = stages.phase_dims(what.phase);
    const NodeId blocks = NodeId{1} << (plan.dim() - dims);
    round.phases.push_back(what.phase);
    const auto add = [&](NodeId step, NodeId mask) {
      const NodeId partner = plan.node ^ (mask << stages.phase_low(what.phase));
      round.messages.push_back({.phase = what.phase,
                                .part = part,
                                .step = step + 1,
                                .partner = partner,
                                .source = partner,
                                .blocks = blocks,
                                .bytes = parts.length(part) * blocks});
    };
    for (NodeId step = 0; step < steps_of_phase(dims, workload.pairing); ++step) {
      const StepMasks masks = masks_of_step(step, dims, workload.pairing);
      add(step, masks.mask);
      if (masks.complement != 0) add(step, masks.complement);
    }
    const bool paid = stages.pays_permutation(what, workload.identity_shuffle);
    round.permutations.push_back(
        {.part = part, .rotate = what.rotate_left, .paid_bytes = paid ? parts.length(part) << plan.dim() : 0});
  }
  std::ranges::stable_sort(round.messages, [](const SentMessage& a, const SentMessage& b) { return a.step < b.step; });
  return round;
}

/// "bits 2-1" of the label, or "dimensions 1-0".
std::string spanned_text(const ExchangePlan& plan, unsigned phase) {
  const Phase& one = plan.phases[phase];
  return fmt::format("{} {}-{}", plan.topology.is_cube() ? "bits" : "dimensions", one.first + one.dims - 1, one.first);
}

nlohmann::ordered_json rounds_json(const ExchangePlan& plan) {
  const auto phase_json = [&](unsigned phase) -> nlohmann::ordered_json {
    const Phase& one = plan.phases[phase];
    const bool cube = plan.topology.is_cube();
    return {{"phase", phase + 1},
            {cube ? "lowest_bit" : "first_dimension", one.first},
            {cube ? "bits" : "dimensions", one.dims}};
  };
  const auto message_json = [&](const SentMessage& message) {
    const NodeId mask = plan.node ^ message.partner;
    nlohmann::ordered_json json = {
        {"step", message.step},           {"part", message.part},
        {"phase", message.phase + 1},     {"mask", mask},
        {"partner", message.partner},     {"hops", plan.topology.hops(plan.node, message.partner)},
        {"blocks", message.blocks},       {"bytes", message.bytes},
        {"receives_from", message.source}};
    if (!plan.topology.is_cube()) json["mask"] = nullptr;
    // In these schedules every node has an order of its own: who sends to this node in a step is not known.
    const Schedule schedule = plan.workload.schedule;
    if (schedule == Schedule::ordered || schedule == Schedule::random) json["receives_from"] = nullptr;
    return json;
  };
  const auto shuffle_json = [](const EndPermutation& one) -> nlohmann::ordered_json {
    nlohmann::ordered_json json = {{"part", one.part},
                                   {"rotate_bits", one.rotate},
                                   {"direction", one.left ? "left" : "right"},
                                   {"paid_bytes", one.paid_bytes}};
    if (one.columns > 0) json["columns"] = one.columns;
    return json;
  };
  return json_list(plan.rounds, [&](const ExplainedRound& round) -> nlohmann::ordered_json {
    return {{"phases", json_list(round.phases, phase_json)},
            {"steps", json_list(round.messages, message_json)},
            {"shuffles", json_list(round.permutations, shuffle_json)}};
  });
}

std::string shuffle_text(const ExchangePlan& plan, const EndPermutation& one) {
  const std::string moves = one.columns > 0 ? fmt::format(
                                                  "slots change places as a matrix of {} columns does, "
                                                  "that is read by columns",
                                                  one.columns)
                            : one.rotate == 0 ? "no slot moves"
                                              : fmt::format("slot numbers rotate {} by {} of {} bits",
                                                            one.left ? "left" : "right", one.rotate, plan.dim());
  return moves + (one.paid_bytes > 0 ? fmt::format(", {} B permuted", grouped(one.paid_bytes)) : ", free of charge");
}

void print_round(const ExchangePlan& plan, const ExplainedRound& round, std::size_t number) {
  const bool staged = plan.workload.staged();
  fmt::print("\n{} {} of {}:", staged ? "stage" : "phase", number + 1, plan.rounds.size());
  for (std::size_t part = 0; part < round.phases.size(); ++part) {
    if (staged) fmt::print("{} part {} in phase {},", part > 0 ? ";" : "", part, round.phases[part] + 1);
    fmt::print(" {}", spanned_text(plan, round.phases[part]));
  }
  fmt::print("{}\n", plan.workload.barrier == Barrier::phase   ? "; begins with a barrier"
                     : plan.workload.barrier == Barrier::step  ? "; every step begins with a barrier"
                     : plan.workload.barrier == Barrier::clock ? "; begins when the clock shows its computed start"
                                                               : "");
  const bool cube = plan.topology.is_cube();
  const unsigned width = cube ? std::max(plan.dim(), 4U) : 8;
  fmt::print("{:<6} {}{:<{}}  {:>8}  {:>5}  {:>9}  {:>12}\n", "step", staged ? "part  " : "", cube ? "mask" : "from",
             width, "partner", "hops", "blocks", "bytes");
  for (const SentMessage& message : round.messages) {
    const std::string mask = fmt::format("{:0{}b}", plan.node ^ message.partner, plan.dim());
    fmt::print("{:<6} {}{:<{}}  {:>8}  {:>5}  {:>9}  {:>12}\n", message.step,
               staged ? fmt::format("{:<6}", message.part) : "", cube ? mask : std::to_string(message.source), width,
               message.partner, plan.topology.hops(plan.node, message.partner), grouped(message.blocks),
               grouped(message.bytes));
  }
  for (const EndPermutation& one : round.permutations) {
    fmt::print("then{}: {}\n", staged ? fmt::format(", part {}", one.part) : "", shuffle_text(plan, one));
  }
}

void print_plan(const ExchangePlan& plan, const std::string& name) {
  const ExchangeWorkload& workload = plan.workload;
  fmt::print("complete exchange  {}  {} nodes, {} B/block, {}, schedule {}\n", name, grouped(plan.topology.nodes()),
             grouped(workload.bytes), workload.partition.braced_name(), word_of(workload.schedule, exchange_schedules));
  fmt::print("messages that node {} sends{}\n", plan.node,
             plan.topology.is_cube() ? "; a mask has a 1 in every dimension that the message crosses"
                                     : ", and the nodes from which it receives in the same steps");
  if (shifts_digits(workload, plan.topology)) {
    fmt::print("a step adds the same numbers, one for each dimension, to the digits of all nodes\n");
  } else if (workload.schedule == Schedule::xor_pairs) {
    fmt::print("the partner of a step sends as much to node {} in the same step{}\n", plan.node,
               plan.synchronising ? ", after zero-byte messages both ways" : "");
  }
  if (workload.staged()) {
    fmt::print("{} ports: every block is cut into parts, which go through the phases in orders of their own{}\n",
               ports_word(workload.ports),
               workload.pairing == MaskPairing::on ? "; a mask goes together with its complement" : "");
  }
  for (std::size_t number = 0; number < plan.rounds.size(); ++number) print_round(plan, plan.rounds[number], number);
}

ExchangePlan plan_of(const ExchangeExplainArguments& arguments, const ExchangeQuestion& question) {
  ExchangePlan plan{.topology = question.topology()};
  plan.node = static_cast<NodeId>(arguments.node.within(0, std::int64_t{plan.topology.nodes()} - 1));
  ExchangeWorkload& workload = plan.workload;
  workload = described_exchange(arguments, question.machine, plan.topology);
  workload.barrier = question.options.barrier;
  workload.slack_us = question.options.slack_us;
  workload.identity_shuffle = question.options.identity_shuffle;
  workload.partition = partition_of(arguments, question.machine, question.dim, workload.bytes, question.parameters,
                                    question.options, workload.staged() ? question.stages : std::nullopt);
  plan.synchronising =
      workload.schedule == Schedule::xor_pairs && sends_synchronisation(question.machine, workload.sync);
  plan.phases = phases(workload.partition, workload.order, plan.topology);
  if (workload.staged()) {
    const ExchangeStages stages(workload.partition, workload.order);
    for (unsigned number = 0; number < stages.count(); ++number) plan.rounds.push_back(stage_of(plan, stages, number));
  } else {
    for (const Phase& phase : plan.phases) plan.rounds.push_back(round_of(plan, phase));
  }
  return plan;
}

int explain_exchange(const ExchangeExplainArguments& given) {
  (void)given.run.dim.within(1, max_explained_dim);
  TestBench bench(calibration_dim);
  const ExchangeQuestion question = exchange_question_of(given, bench);
  if (question.dim > max_explained_dim) {
    throw InputError(fmt::format("{} has {} nodes, more than can be listed", question.topology().name(),
                                 grouped(question.topology().nodes())))
        .valid(fmt::format("at most {}", grouped(NodeId{1} << max_explained_dim)));
  }
  const ExchangePlan plan = plan_of(given, question);
  const ExchangeWorkload& workload = plan.workload;
  if (!given.run.json) {
    print_plan(plan, question.name);
    fmt::print("{}", idle_options_note(given, workload.staged(), workload.barrier));
    return 0;
  }
  nlohmann::ordered_json what = {{"bytes", workload.bytes},
                                 {"partition", parts_json(workload.partition)},
                                 {"order", word_of(workload.order, block_orders)},
                                 {"schedule", word_of(workload.schedule, exchange_schedules)},
                                 {"barrier", word_of(workload.barrier, barrier_words)},
                                 {"identity_shuffle", word_of(workload.identity_shuffle, identity_words)},
                                 {"seed", workload.seed}};
  add_ports_json(what, workload.staged(), workload.ports, workload.pairing);
  const nlohmann::ordered_json json = {{"machine", question.machine_json},
                                       {"workload", what},
                                       {"node", plan.node},
                                       {"synchronising_messages", plan.synchronising},
                                       {workload.staged() ? "stages" : "phases", rounds_json(plan)}};
  print_json("explain exchange", json);
  return 0;
}

}  // namespace

void add_explain_exchange(Command& explain_command, Invocation& invocation) {
  add_question<ExchangeExplainArguments>(
      explain_command, invocation, "exchange",
      "What a node of the complete exchange sends: masks, hops, bytes and shuffles, step by step",
      [](ExchangeExplainArguments& a) -> std::vector<OptionRow*> {
        return {&a.bytes,    &a.partition, &a.order,    &a.sync, &a.pairing,
                &a.retuning, &a.schedule,  &a.run.seed, &a.node, &a.params};
      },
      explain_exchange);
}

}  // namespace ecube
