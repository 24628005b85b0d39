// SPDX-License-Identifier: Apache-2.0
// Blocks that differ in size: reading --sizes, tables and JSON.
#include <fmt/core.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "models/exchange/unequal_exchange_cost.h"
#include "models/machine/error.h"
#include "models/machine/quantity.h"
#include "models/machine/spelling.h"
#include "sw/exchange/exchange.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/system/process.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text.h"
#include "testbench/text/text_file.h"

namespace ecube {

namespace {

constexpr std::string_view valid_sizes =
    "zipf:EXPONENT | zipf:EXPONENT:SEED | uniform | uniform:SEED | a file with lines \"from to bytes\"";
constexpr Bytes most_bytes = Bytes{1} << 30;

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw InputError(fmt::format("--sizes {} {}", ecube::quoted(text), why)).valid(valid_sizes);
}

BlockSizes read_sizes(const std::string& file, unsigned dim) {
  constexpr std::string_view format = "from to bytes, as 0 5 100";
  const bool may_be_word = file.find('/') == std::string::npos && file.find('.') >= file.find(':');
  std::istringstream stream(numbers_of(file, "file of sizes", may_be_word ? valid_sizes : std::string_view{}));
  const std::uint64_t last = (std::uint64_t{1} << dim) - 1;
  BlockSizes sizes(dim);
  std::vector<bool> named(std::size_t{1} << (2 * dim), false);
  std::string text;
  for (std::uint32_t number = 1; std::getline(stream, text); ++number) {
    NumberLine line(text, {.where = file, .line = number, .text = text}, format);
    if (line.blank()) continue;
    const auto from = static_cast<NodeId>(line.number("node", last));
    const auto to = static_cast<NodeId>(line.number("node", last));
    const std::size_t pair = std::size_t{from} << dim | to;
    if (named[pair]) {
      line.refuse(fmt::format("the block from {} to {} has a size already", from, to), "one line for each block");
    }
    named[pair] = true;
    sizes.of(from, to) = line.number("number of bytes", most_bytes);
    line.end("three");
  }
  return sizes;
}

void refuse_options(const ExchangeArguments& arguments, const Machine& machine, unsigned dim) {
  const auto refuse_option = [](const std::string& option, std::string_view valid) {
    throw InputError(option + " is for blocks of one size").valid(valid);
  };
  if (dim > max_unequal_dim) {
    throw InputError(fmt::format("--dim {} is too large to follow every block of --sizes", dim))
        .valid(fmt::format("1 .. {}", max_unequal_dim));
  }
  if (machine.network.planes != 0) refuse_option("an exchange on planes that are tuned", "network.planes = 0");
  if (machine.node.ports != Ports{}) refuse_option("an exchange on several ports", "--ports one");
  if (arguments.schedule.value() != Schedule::xor_pairs)
    refuse_option("--schedule " + arguments.schedule.text(), "--schedule xor");
  if (machine.library.barrier == Barrier::clock)
    refuse_option("library.barrier=clock", "library.barrier=none | phase | step");
  if (arguments.payload.value() == Payload::checks) refuse_option("--payload checks", "--payload bytes | none");
}

/// The sizes as typed: zipf:EXPONENT, uniform, or a file. InputError for what is none of them, for a cube above
/// max_unequal_dim, and for options that equal blocks only have.
BlockSizes block_sizes_of(const ExchangeArguments& arguments, const Machine& machine, unsigned dim) {
  refuse_options(arguments, machine, dim);
  const std::string& text = arguments.sizes.value();
  const Bytes mean = arguments.bytes.value();
  if (arguments.sizes_from_file()) return read_sizes(text, dim);
  const std::vector<std::string_view> fields = split(text, ':');
  const bool uniform = fields[0] == "uniform";
  const std::size_t most = uniform ? 2 : 3;
  if (fields.size() > most) refuse(text, "has a word too many");
  if (std::ranges::count(fields, std::string_view()) > 0) refuse(text, "has nothing where a number belongs");
  const auto seed = fields.size() < most ? std::optional<std::uint64_t>(1) : whole_number(fields.back());
  if (!seed) refuse(text, "has a seed that is no whole number");
  if (uniform) return BlockSizes::uniform(dim, mean, *seed);
  const auto exponent = parse_ratio(fields.size() > 1 ? fields[1] : "");
  if (!exponent || (*exponent).value() > 10) refuse(text, "has no exponent of 0 to 10");
  return BlockSizes::zipf(dim, static_cast<double>(mean), (*exponent).value(), *seed);
}

Json workload_json(const ExchangeArguments& arguments, const BlockSizes& sizes, const ExchangeWorkload& workload,
                   const Machine& machine, const std::vector<const OptionRow*>& rows) {
  Json json = {{"sizes", arguments.sizes.value()},
               {"bytes", sizes.mean()},
               {"largest_bytes", sizes.largest()},
               {"total_bytes", sizes.total()}};
  json.update(exchange_json(workload, machine, rows));
  return json;
}

Json prediction_json(const UnequalExchangeCost& cost, const ExchangeParameters& parameters) {
  return {{"equation", "nodes followed from step to step"},
          {"us", cost.us},
          {"equal_us", cost.equal_us},
          {"longest_message_bytes", cost.longest_message},
          {"moved_bytes", cost.moved_bytes},
          {"parameters", exchange_parameters_json(parameters)}};
}

bool alike(const BlockSizes& sizes) {
  return sizes.largest() > 0 && sizes.mean() == static_cast<double>(sizes.largest());
}

/// What the equation for equal blocks says, how far it is off, and why it is where sizes are the reason.
std::string equal_note(const BlockSizes& sizes, const UnequalExchangeCost& cost, double us) {
  return fmt::format(
      "blocks of up to {} B, {:.6g} B on average; longest message {} B, {} B moved in all\n"
      "the equation for equal blocks of {:.6g} B says {:.3f} us, {}{}\n",
      grouped(sizes.largest()), sizes.mean(), grouped(cost.longest_message), grouped(cost.moved_bytes), sizes.mean(),
      cost.equal_us, percent(deviation_percent(cost.equal_us, us)),
      alike(sizes) ? ""
                   : ": in it no node waits for a longer message than its own,\n"
                     "  and messages without bytes have the start-up of others");
}

Partition partition_for(const ExchangeArguments& arguments, const BlockSizes& sizes,
                        const ExchangeParameters& parameters, const ExchangeOptions& options) {
  return arguments.partition.value() == "best" ? best_unequal_partition(sizes, parameters, options)
                                               : Partition::parse(arguments.partition.value(), sizes.dim());
}

/// What the prediction leaves out on this machine.
std::vector<std::string> gaps_of(const Machine& machine, const BlockSizes& sizes, const UnequalExchangeCost& cost) {
  std::vector<std::string> gaps = exchange_gaps(machine, sizes.dim(), cost.longest_message);
  if (!alike(sizes)) {
    gaps.emplace_back(
        "a node continues while the longer message of a step is received, and nodes that are ahead block circuits");
  }
  return gaps;
}

class UnequalRun final : public DataRun<DataMeasurement> {
 public:
  UnequalRun(const ExchangeArguments& arguments, RunSetup setup, const ExchangeWorkload& workload, BlockSizes sizes,
             TestBench& bench)
      : DataRun(std::move(setup), bench), arguments_(arguments), workload_(workload), sizes_(std::move(sizes)) {
    const Machine& machine = this->setup().machine;
    parameters_ = parameters_for(arguments.run, bench, machine, this->setup().dim, workload.sync);
    options_ = equation_of({this->setup(), workload_}, parameters_).options;
    workload_.partition = partition_for(arguments, sizes_, parameters_, options_);
    cost_ = unequal_exchange_cost(workload_.partition, sizes_, parameters_, options_);
    if (this->setup().engine != EngineChoice::ideal) gaps_ = gaps_of(machine, sizes_, cost_);
  }

  [[nodiscard]] RunSize size() const override {
    const bool synchronises = sends_synchronisation(setup().machine, workload_.sync);
    return {.circuits = CompleteExchange::messages(workload_, setup().topology(), synchronises),
            .data = workload_.payload == Payload::bytes ? sizes_.total() : 0};
  }

  void run() override {
    exchange_.emplace(workload_, sizes_);
    m_.run = bench().run(setup(), exchange_->program(), costs_of(setup(), parameters_));
    if (workload_.payload == Payload::bytes) m_.verify(*exchange_);
  }

  [[nodiscard]] RunReport report() const override {
    const ExchangeArguments& a = arguments_;
    RunReport report{.command = "run exchange",
                     .workload = workload_json(a, sizes_, workload_, setup().machine,
                                               {&a.partition, &a.order, &a.schedule, &a.sync, &a.payload}),
                     .predicted = prediction_json(cost_, parameters_)};
    report.extra["phases"] = json_list(exchange_->phases(), [this](const Phase& phase) -> Json {
      return {{"lowest_bit", phase.first},
              {"bits", phase.dims},
              {"steps", phase.size() - 1},
              {"predicted_us", lasted(cost_.phase_ends, phase.index)},
              {"measured_us", lasted(exchange_->phase_ends_us(), phase.index)}};
    });
    return report;
  }

  void print(const Style& style) const override {
    print_title(fmt::format("multiphase {}  sizes {}", workload_.partition.braced_name(), arguments_.sizes.value()));
    fmt::print("{:<6} {:<10} steps  predicted us   measured us     error\n", "phase", "subcube");
    const auto row = [&](const std::string& name, const std::string& subcube, const std::string& steps,
                         double predicted, double measured) {
      fmt::print("{:<6} {:<10} {:>5}  {:>12.3f}  {:>12.3f}  {:>8}\n", name, subcube, steps, predicted, measured,
                 percent(deviation_percent(measured, predicted)));
    };
    for (const Phase& phase : exchange_->phases()) {
      const Subcube subcube = phase.subcube();
      row(std::to_string(phase.index + 1), fmt::format("bits {}-{}", subcube.low + subcube.dim - 1, subcube.low),
          grouped(phase.size() - 1), lasted(cost_.phase_ends, phase.index),
          lasted(exchange_->phase_ends_us(), phase.index));
    }
    row("total", "", "", cost_.us, m_.run.result.us);
    fmt::print("{}", equal_note(sizes_, cost_, m_.run.result.us));
    fmt::print("{}", synchronisation_note(setup(), workload_.sync));
    fmt::print("circuits: {}, {} blocked\n", grouped(m_.run.network.circuits),
               grouped(m_.run.network.link_blocked.circuits));
    print_data(style, workload_.payload, m_.wrong, "blocks",
               fmt::format("{} blocks in place", grouped(std::uint64_t{1} << (2 * setup().dim))));
  }

  [[nodiscard]] std::string next_command(bool /*contention_told*/) const override {
    return own_command() + " best exchange" + machine_words(arguments_.run) +
           given_words({&arguments_.bytes, &arguments_.sizes, &arguments_.order, &arguments_.sync});
  }

 private:
  /// Of the ends of phases: how long one took.
  static double lasted(const std::vector<double>& ends, std::size_t phase) {
    return std::max(0.0, ends[phase] - (phase == 0 ? 0 : ends[phase - 1]));
  }

  ExchangeArguments arguments_;
  ExchangeWorkload workload_;
  BlockSizes sizes_;
  ExchangeParameters parameters_;
  ExchangeOptions options_;
  UnequalExchangeCost cost_;
  std::optional<UnequalExchange> exchange_;
};

struct UnequalQuestion {
  explicit UnequalQuestion(const ExchangeArguments& arguments)
      : question(exchange_question_of(arguments, bench)),
        sizes(block_sizes_of(arguments, question.machine, question.dim)) {}

  /// The machine and the exchange by this partition, as members of the answer.
  [[nodiscard]] Json about(const ExchangeArguments& arguments, const Partition& partition) const {
    ExchangeWorkload workload = question.workload;
    workload.partition = partition;
    return {{"machine", question.machine_json},
            {"workload", workload_json(arguments, sizes, workload, question.machine,
                                       {&arguments.partition, &arguments.order, &arguments.schedule})}};
  }

  TestBench bench{max_tried_dim};
  ExchangeQuestion question;
  BlockSizes sizes;
};

}  // namespace

bool ExchangeArguments::sizes_from_file() const {
  const std::string name = sizes.value().substr(0, sizes.value().find(':'));
  return sizes.given() && name != "uniform" && name != "zipf";
}

std::unique_ptr<Experiment> unequal_exchange_run(const ExchangeArguments& arguments, Benches& benches) {
  RunSetup setup = setup_of(arguments.run);
  settle_fold(setup, "every pair of nodes has a block of its own size");
  BlockSizes sizes = block_sizes_of(arguments, setup.machine, setup.dim);
  ExchangeWorkload workload = exchange_workload_of(without_payload(arguments), setup);
  workload.payload = arguments.payload.value();
  if (arguments.partition.value() != "best")
    workload.partition = Partition::parse(arguments.partition.value(), setup.dim);
  if (workload.payload == Payload::bytes) {
    require_memory(2 * sizes.total() + (sizeof(std::vector<std::byte>) << (2 * setup.dim)), "the blocks need",
                   "fewer --bytes | a smaller --dim | --payload none");
  }
  TestBench& bench = benches.get(setup);
  return std::make_unique<UnequalRun>(arguments, std::move(setup), workload, std::move(sizes), bench);
}

int predict_unequal_exchange(const ExchangeArguments& arguments) {
  UnequalQuestion asked(arguments);
  const ExchangeQuestion& question = asked.question;
  const Partition partition = partition_for(arguments, asked.sizes, question.parameters, question.options);
  const UnequalExchangeCost cost = unequal_exchange_cost(partition, asked.sizes, question.parameters, question.options);
  const LeftOut left_out(arguments.params, gaps_of(question.machine, asked.sizes, cost), cost.us, question.dim,
                         cost.longest_message, asked.bench,
                         [&](Benches& benches) { return unequal_exchange_run(without_payload(arguments), benches); });
  Json object = asked.about(arguments, partition);
  object["predicted"] = prediction_json(cost, question.parameters);
  const auto print = [&] {
    fmt::print("{}  d={}  multiphase {}  sizes {}\n\ntotal  {:.3f} us\n{}", question.name, question.dim,
               partition.braced_name(), arguments.sizes.value(), cost.us, equal_note(asked.sizes, cost, cost.us));
  };
  return left_out.tell("exchange", arguments.run.json, object, print);
}

int best_unequal_exchange(const ExchangeArguments& arguments) {
  const UnequalQuestion asked(arguments);
  const ExchangeQuestion& question = asked.question;
  const auto us = [&](const Partition& partition) {
    return unequal_exchange_cost(partition, asked.sizes, question.parameters, question.options).us;
  };
  const Partition best = best_unequal_partition(asked.sizes, question.parameters, question.options);
  const Partition equal =
      best_partition(Topology::cube(question.dim), asked.sizes.mean(), question.parameters, question.options);
  const UnequalExchangeCost cost = unequal_exchange_cost(best, asked.sizes, question.parameters, question.options);
  const auto candidate = [&](const Partition& partition) {
    return Candidate{.name = short_name(partition),
                     .choice = {{"partition", parts_json(partition)}},
                     .options = " --partition " + partition.name(),
                     .predicted_us = us(partition)};
  };
  Recommendation answer{.workload = "exchange",
                        .run = arguments.run,
                        .options = given_words({&arguments.bytes, &arguments.sizes, &arguments.order, &arguments.sync}),
                        .runnable = !arguments.params.given(),
                        .title = fmt::format("{}  d={}  complete exchange  sizes {}", question.name, question.dim,
                                             arguments.sizes.value()),
                        .kind = "partition",
                        .about = asked.about(arguments, best),
                        .candidates = {candidate(best)},
                        .beside = {{"equal", candidate(equal)},
                                   {"direct", candidate(Partition::direct(question.dim))},
                                   {"standard", candidate(Partition::standard(question.dim))}},
                        .more = {{"best_of_equal_blocks", {{"partition", parts_json(equal)}, {"us", us(equal)}}},
                                 {"parameters", exchange_parameters_json(question.parameters)}}};
  if (!arguments.params.given()) {
    answer.leaves_out = exchange_gaps(question.machine, question.dim, cost.longest_message);
  }
  answer.candidates.front().choice["equal_us"] = cost.equal_us;
  return tell(answer, arguments.run.json, [&] {
    fmt::print("equal: the best for equal blocks\n{}", equal_note(asked.sizes, cost, cost.us));
    fmt::print("the recommendation is an estimate: with --sizes no candidate is run on the machine\n");
  });
}

}  // namespace ecube
