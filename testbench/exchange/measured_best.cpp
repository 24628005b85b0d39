// SPDX-License-Identifier: Apache-2.0
// Partition, schedule and synchronisation of the complete exchange with the least time on the machine.

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <span>

#include "models/machine/error.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/run/progress_line.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

constexpr std::int64_t max_measured_best_dim = 10;
constexpr unsigned max_complete_dim = 6;
constexpr std::size_t most_partitions = 12;
constexpr std::uint64_t jittered_runs = 5;
/// Runs that take less than this share of their prediction are explained.
constexpr double notable_share = 0.995;

/// Every schedule, the one of pairs with and without synchronisation; on digits that are no bits, and on planes, there
/// are only pairs.
std::vector<ExchangeWay> ways_on(const Topology& topology) {
  std::vector<ExchangeWay> ways{{Schedule::xor_pairs, PairwiseSync::on}};
  for (const auto& [word, schedule] : exchange_schedules) {
    if (schedule == Schedule::xor_pairs || (topology.digits_are_bits() && topology.planes() == 0))
      ways.push_back({schedule, PairwiseSync::off});
  }
  return ways;
}

struct AheadReason {
  ExchangeCandidate candidate;
  ExchangeCandidate free_receipts{};               ///< library.receive and receive_zero are 0
  std::optional<ExchangeCandidate> full_duplex{};  ///< where network.duplex is together
};

/// Without a way: as typed, on the xor schedule.
ExchangeExperiment trial_of(const ExchangeArguments& arguments, const RunSetup& setup, const Partition& partition,
                            std::optional<ExchangeWay> way) {
  ExchangeExperiment trial{.setup = setup, .workload = exchange_workload_of(without_payload(arguments), setup)};
  trial.workload.partition = partition;
  trial.workload.schedule = way ? way->schedule : Schedule::xor_pairs;
  if (way) trial.workload.sync = way->sync;
  return trial;
}

/// What the jitter makes late, where that is not all.
std::string late_of(const RunConditions& conditions) {
  return conditions.late == Late::all ? "" : fmt::format(" of {}", word_of(conditions.late, late_words));
}

std::uint64_t runs_on(const RunSetup& setup) { return setup.conditions.jitter > 0 ? jittered_runs : 1; }

double predicted_us(TestBench& bench, const ExchangeArguments& arguments, const RunSetup& setup,
                    const Partition& partition, std::optional<ExchangeWay> way = {}) {
  const ExchangeExperiment trial = trial_of(arguments, setup, partition, way);
  const ExchangeParameters parameters =
      parameters_for(arguments.run, bench, setup.machine, setup.dim, trial.workload.sync);
  return equation_of(trial, parameters).terms(partition, trial.workload.bytes).total();
}

/// All, or of many those of least predicted time.
std::vector<Partition> tried_partitions(TestBench& bench, const ExchangeArguments& arguments, const RunSetup& setup) {
  std::vector<Partition> all = partitions_of(setup.topology());
  if (tries_all(setup.topology())) return all;
  std::multimap<double, Partition> costed;
  for (const Partition& partition : all) costed.emplace(predicted_us(bench, arguments, setup, partition), partition);
  all.clear();
  for (const auto& [us, partition] : costed) {
    if (all.size() < most_partitions) all.push_back(partition);
  }
  return all;
}

AheadReason reason_of(const ExchangeCandidate& candidate, TestBench& bench, const ExchangeArguments& arguments,
                      const RunSetup& asked) {
  const auto on = [&](const RunSetup& setup) {
    return measured_exchange(bench, arguments, setup, candidate.partition, candidate.way);
  };
  RunSetup setup = asked;
  setup.machine.library.receive_cycles = setup.machine.library.receive_zero_cycles = 0;
  AheadReason reason{.candidate = candidate, .free_receipts = on(setup)};
  if (asked.machine.network.duplex == Duplex::together) {
    setup.machine = asked.machine;
    setup.machine.network.duplex = Duplex::full;
    reason.full_duplex = on(setup);
  }
  return reason;
}

std::string_view sync_name(const ExchangeCandidate& one) {
  return one.way.schedule == Schedule::xor_pairs ? word_of(one.way.sync, sync_switches) : "-";
}

/// With what the answer says of its partition and way.
ExchangeCandidate told_way(ExchangeCandidate one) {
  const std::string_view schedule = word_of(one.way.schedule, exchange_schedules);
  one.name = one.partition.braced_name();
  one.choice = {{"partition", parts_json(one.partition)},
                {"schedule", schedule},
                {"pairwise_sync", nullptr},
                {"unfinished_runs", one.unfinished},
                {"blocked_circuits", one.blocked_circuits},
                {"serialised_circuits", one.serialised_circuits},
                {"ahead_of_prediction", one.ahead()}};
  one.options = fmt::format(" --partition {} --schedule {}", one.partition.name(), schedule);
  one.cells = {std::string(schedule), std::string(sync_name(one)), grouped(one.blocked_circuits),
               grouped(one.serialised_circuits)};
  if (one.ahead()) one.remark = " *";
  if (one.unfinished > 0) one.remark = fmt::format("  {} unfinished", counted(one.unfinished, "run"));
  if (one.way.schedule == Schedule::xor_pairs) {
    one.choice["pairwise_sync"] = sync_name(one);
    one.options += fmt::format(" --pairwise-sync {}", sync_name(one));
  }
  return one;
}

std::string runs_text(const RunSetup& setup, std::uint64_t runs) {
  const std::uint64_t first = setup.conditions.seed;
  return runs == 1 ? "one run each"
                   : fmt::format("times are medians of {} runs, seeds {} to {}", runs, first, first + runs - 1);
}

Json workload_json(const ExchangeArguments& arguments, const RunSetup& setup, std::uint64_t runs) {
  // The ports of the xor schedule; the other schedules send one message at a time.
  Json json = exchange_json(described_exchange(arguments, setup.machine, setup.topology()), setup.machine,
                            {&arguments.bytes, &arguments.order});
  add_conditions(json, setup.conditions);
  json["runs"] = runs;
  return json;
}

Json run_json(const ExchangeCandidate& one) {
  return {
      {"us", json_or_null(one.measured_us)}, {"predicted_us", *one.predicted_us}, {"ahead_of_prediction", one.ahead()}};
}

Json reasons_json(const std::vector<AheadReason>& reasons) {
  return json_list(reasons, [](const AheadReason& reason) -> Json {
    return {{"partition", parts_json(reason.candidate.partition)},
            {"schedule", word_of(reason.candidate.way.schedule, exchange_schedules)},
            {"ahead_us", reason.candidate.ahead_us()},
            {"without_receipts", run_json(reason.free_receipts)},
            {"full_duplex", reason.full_duplex ? run_json(*reason.full_duplex) : Json()}};
  });
}

void print_reason(const AheadReason& reason, const Machine& machine) {
  const ExchangeCandidate& one = reason.candidate;
  const ExchangeCandidate& without = reason.free_receipts;
  const double ahead = one.ahead_us();
  fmt::print("  {} {}: {:.1f} us ahead", one.partition.braced_name(), word_of(one.way.schedule, exchange_schedules),
             ahead);
  if (without.measured_us && machine.library.receive_cycles > 0) {
    const double left = std::max(0.0, without.ahead_us());
    fmt::print(
        "; with library.receive = 0 it takes {:.1f} us where {:.1f} are predicted:\n"
        "    receipts account for {:.0f}% of the lead",
        *without.measured_us, *without.predicted_us, std::max(0.0, 100 * (ahead - left) / ahead));
  }
  fmt::print("\n");
  if (reason.full_duplex && reason.full_duplex->measured_us) {
    fmt::print(
        "    with network.duplex = full it takes {:.1f} us: the window of network.together ({:.0f} us) costs {:.1f}\n",
        *reason.full_duplex->measured_us, machine.us(static_cast<double>(machine.network.together_cycles)),
        *one.measured_us - *reason.full_duplex->measured_us);
  }
}

/// One reason for each schedule with runs faster than their equation, from the candidate that is furthest ahead.
std::vector<AheadReason> reasons_of(const std::vector<ExchangeCandidate>& candidates, TestBench& bench,
                                    const ExchangeArguments& arguments, const RunSetup& setup) {
  std::vector<AheadReason> reasons;
  for (const auto& [word, schedule] : exchange_schedules) {
    const ExchangeCandidate* furthest = nullptr;
    for (const ExchangeCandidate& one : candidates) {
      if (one.way.schedule != schedule || !one.ahead()) continue;
      if (furthest == nullptr || one.ahead_us() > furthest->ahead_us()) furthest = &one;
    }
    if (furthest != nullptr) reasons.push_back(reason_of(*furthest, bench, arguments, setup));
  }
  return reasons;
}

void print_notes(const std::vector<ExchangeCandidate>& candidates, const std::vector<AheadReason>& reasons,
                 TestBench& bench, const ExchangeArguments& arguments, const RunSetup& setup) {
  const Machine& machine = setup.machine;
  const ExchangeCandidate& first = candidates.front();
  if (sends_synchronisation(machine, PairwiseSync::on) && first.way.sync == PairwiseSync::off) {
    const auto us = [&](PairwiseSync sync) {
      return predicted_us(bench, arguments, setup, first.partition, ExchangeWay{Schedule::xor_pairs, sync});
    };
    const double on = us(PairwiseSync::on);
    const double off = us(PairwiseSync::off);
    fmt::print(
        "\n{} synchronised on the xor schedule sends a zero-byte message before each of its own: {:.1f} of {:.1f} us\n",
        first.partition.braced_name(), on - off, on);
  }
  if (std::any_of(candidates.begin(), candidates.end(), [](const auto& one) { return one.unfinished > 0; })) {
    fmt::print("\nunfinished: runs that stall, as when a message comes before its receive and is lost\n");
  }
  if (reasons.empty()) return;
  fmt::print(
      "\n* ahead of its equation, in which every step ends with the arrival and the receipt of a message ({:.1f} us "
      "of\n"
      "  library.receive). On a one-sided schedule a node sends on as soon as its own tail has left, before that "
      "arrives;\n"
      "  receipts go on beside its transmissions\n",
      machine.us(static_cast<double>(machine.from_core(machine.library.receive_cycles))));
  for (const AheadReason& reason : reasons) print_reason(reason, machine);
}

}  // namespace

bool tries_all(const Topology& topology) {
  return topology.label_bits() <= max_complete_dim || partitions_of(topology).size() <= most_partitions;
}

bool ExchangeCandidate::ahead() const { return measured_us && *measured_us < notable_share * *predicted_us; }

ExchangeCandidate measured_exchange(TestBench& bench, const ExchangeArguments& arguments, const RunSetup& setup,
                                    const Partition& partition, std::optional<ExchangeWay> way) {
  ExchangeExperiment experiment = trial_of(arguments, setup, partition, way);
  const ExchangeWorkload& trial = experiment.workload;
  ExchangeCandidate candidate;
  candidate.partition = partition;
  candidate.way = {trial.schedule, trial.sync};
  candidate.ports = setup.machine.node.ports;
  candidate.was_run = true;
  const ExchangeParameters parameters = parameters_for(arguments.run, bench, setup.machine, setup.dim, trial.sync);
  std::vector<double> times;
  for (std::uint64_t run = 0; run < runs_on(setup); ++run) {
    experiment.setup.conditions.seed = experiment.workload.seed = setup.conditions.seed + run;
    const ExchangeMeasurement m = run_exchange(bench, experiment, parameters);
    candidate.predicted_us = m.predicted.total();
    candidate.average_distance_us = m.average_distance_us;
    if (run == 0) {
      candidate.blocked_circuits = m.run.network.link_blocked.circuits;
      candidate.serialised_circuits = m.run.network.serialised.circuits;
    }
    if (m.run.result.status == RunResult::Status::finished) {
      times.push_back(m.run.result.us);
    } else {
      ++candidate.unfinished;
    }
  }
  std::sort(times.begin(), times.end());
  if (candidate.unfinished == 0) candidate.measured_us = times[times.size() / 2];
  return candidate;
}

int measured_best(const ExchangeArguments& arguments) {
  const unsigned dim = dim_of(arguments.run, resolve(settings_of(arguments.run)), max_measured_best_dim, Networks::any);
  if (dim > max_measured_best_dim) {
    throw InputError(fmt::format("--measure runs exchanges of up to {} nodes", grouped(1U << max_measured_best_dim)))
        .hint("best exchange without --measure predicts");
  }
  const RunSetup setup = setup_of(arguments.run, Networks::any);
  const Topology topology = setup.topology();
  const std::vector<ExchangeWay> ways = ways_on(topology);
  TestBench bench(dim);
  const std::uint64_t runs = runs_on(setup);
  const std::vector<Partition> partitions = tried_partitions(bench, arguments, setup);
  const std::size_t of_all = partitions_of(topology).size();
  std::vector<ExchangeCandidate> candidates;
  CountProgress progress(partitions.size() * ways.size(), "steps", false);
  for (const Partition& partition : partitions) {
    for (const ExchangeWay& way : ways) {
      progress.next("exchanges run on the machine");
      candidates.push_back(measured_exchange(bench, arguments, setup, partition, way));
    }
  }
  progress.clear();
  sort_by_time(candidates);
  const std::vector<AheadReason> reasons = reasons_of(candidates, bench, arguments, setup);
  Recommendation answer{
      .workload = "exchange",
      .run = arguments.run,
      .options = given_words({&arguments.bytes, &arguments.order, &arguments.pairing, &arguments.retuning,
                              &arguments.run.jitter, &arguments.run.seed}),
      .data_bytes = contents_memory(topology, arguments.bytes.value()),
      .title = fmt::format("{}  {}  complete exchange on the machine  {} B/block  jitter {} cycles{}  seed {}",
                           setup.machine.name, network_name(setup.machine, setup.dim), grouped(arguments.bytes.value()),
                           grouped(setup.conditions.jitter), late_of(setup.conditions), setup.conditions.seed),
      .kind = "partition",
      .about = {{"machine", asked_machine_json(setup.machine, setup.dim, false)},
                {"workload", workload_json(arguments, setup, runs)},
                {"tried_partitions", partitions.size()},
                {"all_partitions", of_all}},
      .columns = {"schedule", "sync", "blocked", "serialised"},
      .more = {{"reasons", reasons_json(reasons)}}};
  for (const ExchangeCandidate& one : candidates) answer.candidates.push_back(told_way(one));
  return tell(answer, arguments.run.json, [&] {
    fmt::print(
        "{}; {}\n",
        partitions.size() == of_all
            ? fmt::format("all {} partitions were tried", of_all)
            : fmt::format("the {} partitions with the least predictions of {} were tried, synchronisation as typed",
                          partitions.size(), of_all),
        runs_text(setup, runs));
    if (ways.size() > 2) {
      const auto one_sided = std::span(exchange_schedules).subspan(1);
      fmt::print("one-sided schedules ({}) receive into a second buffer and do not synchronise\n",
                 listed(one_sided, one_sided.size(), [](const auto& row) { return std::string(row.word); }));
    }
    print_notes(candidates, reasons, bench, arguments, setup);
  });
}

}  // namespace ecube
