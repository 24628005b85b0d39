// SPDX-License-Identifier: Apache-2.0
// The messages of one node in a complete exchange, step by step: Bokhari 1993, section 2.3, and in stages on several
// ports.
#include <fmt/core.h>

#include <algorithm>

#include "models/machine/error.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/run/commands.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

/// A node has up to 2^d - 1 messages to list.
constexpr std::int64_t max_explained_dim = 12;

struct ExchangePlan {
  Topology topology;
  NodeId node = 0;
  ExchangeWorkload workload{};
  bool synchronising = false;
  std::vector<Phase> phases{};
  std::vector<Json> rounds{};  ///< as the answer lists them

  [[nodiscard]] unsigned dim() const { return topology.label_bits(); }
  /// The partners of a step differ from their nodes in the bits of one mask.
  [[nodiscard]] bool has_masks() const { return topology.is_cube() || topology.planes() != 0; }
};

Json phase_json(const ExchangePlan& plan, const Phase& phase) {
  const bool cube = plan.topology.is_cube();
  return {{"phase", phase.index + 1},
          {cube ? "lowest_bit" : "first_dimension", phase.first},
          {cube ? "bits" : "dimensions", phase.dims}};
}

/// The message of a step, from 1, whose partner sends as much in the same step.
Json message_json(const ExchangePlan& plan, const StagePart& what, NodeId step, NodeId partner, Bytes block) {
  const NodeId blocks = plan.phases[what.phase].effective();
  Json json = {{"step", step},
               {"part", what.part},
               {"phase", what.phase + 1},
               {"mask", plan.node ^ partner},
               {"partner", partner},
               {"hops", plan.topology.hops(plan.node, partner)},
               {"blocks", blocks},
               {"bytes", block * blocks},
               {"receives_from", partner}};
  if (!plan.has_masks()) json["mask"] = nullptr;
  return json;
}

/// The permutation of a part of the blocks when a phase or stage has ended; `rotate` by as many of d bits.
Json permutation_json(unsigned part, unsigned rotate, bool left, Bytes paid) {
  return {{"part", part}, {"rotate_bits", rotate}, {"direction", left ? "left" : "right"}, {"paid_bytes", paid}};
}

Json round_of(const ExchangePlan& plan, const Phase& phase) {
  const ExchangeWorkload& workload = plan.workload;
  const bool shifts = shifts_digits(workload, plan.topology);
  const std::vector<NodeId> partners = shifts ? std::vector<NodeId>() : targets(workload, phase, plan.node);
  std::vector<Json> steps;
  for (NodeId step = 1; step < phase.size(); ++step) {
    const NodeId partner = shifts ? plan.topology.plus(plan.node, step * phase.stride) : partners[step - 1];
    Json& message = steps.emplace_back(message_json(plan, {.phase = phase.index}, step, partner, workload.bytes));
    Json& source = message["receives_from"];
    if (shifts) source = plan.topology.minus(plan.node, step * phase.stride);
    if (workload.schedule == Schedule::shift) {
      const NodeId own = phase.index_of(plan.node);
      source = phase.subcube().member(plan.node, (own - step) & (phase.size() - 1));
    }
    // In these schedules every node has an order of its own: who sends to this node in a step is not known.
    if (workload.schedule == Schedule::ordered || workload.schedule == Schedule::random) source = nullptr;
  }
  const bool moves = !phase.is_identity();
  const bool paid = pays_shuffle(phase, workload.order, workload.identity_shuffle);
  Json shuffle = permutation_json(0, moves && !shifts ? phase.subcube().dim : 0, workload.order == BlockOrder::high,
                                  paid ? workload.bytes * plan.topology.nodes() : 0);
  // Where digits are no bits, a matrix of slots is transposed.
  if (moves && shifts) shuffle["columns"] = phase.columns();
  return {{"phases", Json::array({phase_json(plan, phase)})}, {"steps", steps}, {"shuffles", Json::array({shuffle})}};
}

Json stage_of(const ExchangePlan& plan, const ExchangeStages& stages, unsigned number) {
  const ExchangeWorkload& workload = plan.workload;
  const BlockParts parts(workload.bytes, stages.count());
  std::vector<Json> spans;
  std::vector<Json> steps;
  std::vector<Json> shuffles;
  for (unsigned part = 0; part < parts.travelling(); ++part) {
    const StagePart what = stages.at(number, part);
    const Phase& phase = plan.phases[what.phase];
    spans.push_back(phase_json(plan, phase));
    for (NodeId step = 0; step < steps_of_phase(phase.dims, workload.pairing); ++step) {
      const StepMasks masks = masks_of_step(step, phase.dims, workload.pairing);
      for (const NodeId mask : {masks.mask, masks.complement}) {
        if (mask == 0) continue;
        steps.push_back(message_json(plan, what, step + 1, phase.partner(plan.node, mask), parts.length(part)));
      }
    }
    const bool paid = stages.pays_permutation(what, workload.identity_shuffle);
    shuffles.push_back(permutation_json(part, what.rotate_left, true, paid ? parts.length(part) << plan.dim() : 0));
  }
  std::ranges::stable_sort(steps, {}, [](const Json& message) { return message["step"].get<NodeId>(); });
  return {{"phases", spans}, {"steps", steps}, {"shuffles", shuffles}};
}

std::string shuffle_text(const ExchangePlan& plan, const Json& shuffle) {
  std::string moves = "no slot moves";
  if (shuffle.contains("columns")) {
    moves = fmt::format("slots change places as a matrix of {} columns does, that is read by columns",
                        shuffle["columns"].get<NodeId>());
  } else if (const auto rotate = shuffle["rotate_bits"].get<unsigned>(); rotate > 0) {
    moves = fmt::format("slot numbers rotate {} by {} of {} bits", shuffle["direction"].get<std::string>(), rotate,
                        plan.dim());
  }
  const auto paid = shuffle["paid_bytes"].get<Bytes>();
  return moves + (paid > 0 ? fmt::format(", {} B permuted", grouped(paid)) : ", free of charge");
}

void print_round(const ExchangePlan& plan, std::size_t number) {
  const Json& round = plan.rounds[number];
  const bool staged = plan.workload.staged();
  const bool cube = plan.has_masks();
  fmt::print("\n{} {} of {}:", staged ? "stage" : "phase", number + 1, plan.rounds.size());
  for (std::size_t part = 0; part < round["phases"].size(); ++part) {
    const Phase& phase = plan.phases[round["phases"][part]["phase"].get<unsigned>() - 1];
    if (staged) fmt::print("{} part {} in phase {},", part > 0 ? ";" : "", part, phase.index + 1);
    fmt::print(" {} {}-{}", cube ? "bits" : "dimensions", phase.first + phase.dims - 1, phase.first);
  }
  const double retuning_us = round.value("retuning_us", 0.0);
  if (retuning_us > 0) fmt::print("; waits {:.3f} us for planes that are tuned", retuning_us);
  fmt::print("{}\n", plan.workload.barrier == Barrier::phase   ? "; begins with a barrier"
                     : plan.workload.barrier == Barrier::step  ? "; every step begins with a barrier"
                     : plan.workload.barrier == Barrier::clock ? "; begins when the clock shows its computed start"
                                                               : "");
  const unsigned width = cube ? std::max(plan.dim(), 4U) : 8;
  fmt::print("{:<6} {}{:<{}}  {:>8}  {:>5}  {:>9}  {:>12}\n", "step", staged ? "part  " : "", cube ? "mask" : "from",
             width, "partner", "hops", "blocks", "bytes");
  for (const Json& message : round["steps"]) {
    const auto at = [&](const char* key) { return message[key].get<std::uint64_t>(); };
    const bool source_known = !message["receives_from"].is_null();
    fmt::print("{:<6} {}{:<{}}  {:>8}  {:>5}  {:>9}  {:>12}\n", at("step"),
               staged ? fmt::format("{:<6}", at("part")) : "",
               cube ? fmt::format("{:0{}b}", at("mask"), plan.dim())
                    : std::to_string(at(source_known ? "receives_from" : "partner")),
               width, at("partner"), at("hops"), grouped(at("blocks")), grouped(at("bytes")));
  }
  for (const Json& one : round["shuffles"]) {
    fmt::print("then{}: {}\n", staged ? fmt::format(", part {}", one["part"].get<unsigned>()) : "",
               shuffle_text(plan, one));
  }
}

void print_plan(const ExchangePlan& plan, const std::string& name) {
  const ExchangeWorkload& workload = plan.workload;
  fmt::print("complete exchange  {}  {} nodes, {} B/block, {}, schedule {}\n", name, grouped(plan.topology.nodes()),
             grouped(workload.bytes), workload.partition.braced_name(), word_of(workload.schedule, exchange_schedules));
  fmt::print("messages that node {} sends{}\n", plan.node,
             plan.has_masks() ? "; a mask has a 1 in every dimension that the message crosses"
                              : ", and the nodes from which it receives in the same steps");
  if (const unsigned planes = plan.topology.planes(); planes != 0) {
    fmt::print("steps take {} in turn, --retuning {}\n", counted(planes, "plane"),
               word_of(workload.retuning, retunings));
  }
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
  for (std::size_t number = 0; number < plan.rounds.size(); ++number) print_round(plan, number);
}

ExchangePlan plan_of(const ExchangeArguments& arguments, const ExchangeQuestion& question) {
  ExchangePlan plan{.topology = question.topology()};
  plan.node = static_cast<NodeId>(arguments.node.within(0, std::int64_t{plan.topology.nodes()} - 1));
  ExchangeWorkload& workload = plan.workload;
  workload = described_exchange(arguments, question.machine, plan.topology);
  workload.barrier = question.workload.barrier;
  workload.identity_shuffle = question.workload.identity_shuffle;
  workload.partition = partition_of(arguments, question, workload.bytes);
  plan.synchronising =
      workload.schedule == Schedule::xor_pairs && sends_synchronisation(question.machine, workload.sync);
  plan.phases = phases(workload.partition, workload.order, plan.topology);
  if (workload.staged()) {
    const ExchangeStages stages(workload.partition, workload.order);
    for (unsigned number = 0; number < stages.count(); ++number) plan.rounds.push_back(stage_of(plan, stages, number));
  } else {
    PhaseExtents extents(plan.topology);
    for (const Phase& phase : plan.phases) {
      Json& round = plan.rounds.emplace_back(round_of(plan, phase));
      const double us = retuning_us(workload.partition, phase.index, extents, static_cast<double>(workload.bytes),
                                    question.parameters, question.options);
      if (us > 0) round["retuning_us"] = us;
    }
  }
  return plan;
}

int explain_exchange(const ExchangeArguments& given) {
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
    return 0;
  }
  return print_json(
      "explain exchange",
      {{"machine", question.machine_json},
       {"workload", exchange_json(workload, question.machine,
                                  {&given.bytes, &given.partition, &given.order, &given.schedule, &given.run.seed})},
       {"node", plan.node},
       {"synchronising_messages", plan.synchronising},
       {workload.staged() ? "stages" : "phases", plan.rounds}});
}

}  // namespace

void add_exchange_explanation(const Questions& to) {
  add_question<ExchangeArguments>(
      to.explain, to.invocation, "exchange",
      "What a node of the complete exchange sends: masks, hops, bytes and shuffles, step by step",
      [](ExchangeArguments& a) -> std::vector<OptionRow*> {
        return {&a.bytes,    &a.partition, &a.order,    &a.sync, &a.pairing,
                &a.retuning, &a.schedule,  &a.run.seed, &a.node, &a.params};
      },
      explain_exchange);
}

}  // namespace ecube
