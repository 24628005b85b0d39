// SPDX-License-Identifier: Apache-2.0
// From words to a run beside its equation, and from grids of commands in words, as their tables have them, to families.
#include "testbench/validation/validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>

#include "models/exchange/partition.h"
#include "models/family/plan.h"
#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "testbench/text/csv.h"
#include "testbench/text/json_text.h"
#include "testbench/workloads/workload_list.h"

namespace ecube {

// Assumption, run, jitter in us, and the member of the prediction that is compared. The papers' equation has one
// distance for all messages.
extern const char* const broken_table;
// Of a grid: its name, what is varied, the first dimension, the step to the next one, the run. Rows of one name are one
// grid. Of a family: name, machine, grid, what else is varied, tolerance in per cent and its reason. Of a tolerance:
// the workload or "any", the conditions under which it is this one, per cent, reason; the first row that fits counts.
// "-" is nothing.
extern const char* const grids_table;
extern const char* const families_table;
extern const char* const tolerances_table;

namespace {

/// Words with blanks between them; a word may have blanks of its own in single quotes.
std::vector<std::string> words_in(const std::string& run) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char letter : run) {
    if (letter == '\'') {
      quoted = !quoted;
    } else if (letter == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += letter;
    }
  }
  return words;
}

/// "p4,p3,p2" from p`first` up, or every `step`-th of them.
std::string bits(unsigned first, unsigned count, unsigned step = 1) {
  std::string text;
  for (unsigned i = count; i-- > 0;) text += fmt::format("{}p{}", text.empty() ? "" : ",", first + i * step);
  return text;
}

/// So many cycles of one order, mixed ones with a storage dimension each: "--cycle p1,p0,s0 --cycle p3,p2,s1".
std::string cycle_options(unsigned count, unsigned order, bool mixed) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text +=
        fmt::format("{}--cycle {}{}", i > 0 ? " " : "", bits(i * order, order), mixed ? fmt::format(",s{}", i) : "");
  }
  return text;
}

std::string all_partitions(unsigned dim) {
  std::string text;
  for (const Partition& one : partitions_of(dim)) text += (text.empty() ? "" : "|") + one.name();
  return text;
}

/// Fills in d, its partitions, nodes, cycles and other dimensions of a shuffle, K ports, and items: of which all parts
/// of all nodes in 16 packets are equal, and one fewer than 16 equal packets have.
std::string filled_in(const std::string& run, unsigned dim, unsigned ports) {
  return fmt::format(fmt::runtime(run), fmt::arg("d", dim), fmt::arg("K", ports),
                     fmt::arg("partitions", all_partitions(dim)), fmt::arg("nodes", 1U << dim),
                     fmt::arg("middle", 1U << (dim - 1)), fmt::arg("last_but_one", (1U << dim) - 2),
                     fmt::arg("last", (1U << dim) - 1), fmt::arg("equal", dim << (dim + 4)),
                     fmt::arg("all_but_one_item", (dim << 7) - 1), fmt::arg("all", bits(0, dim)),
                     fmt::arg("all_but_1", bits(0, dim - 1)), fmt::arg("all_but_2", bits(0, std::max(dim, 2U) - 2)),
                     fmt::arg("first_K", bits(0, ports)), fmt::arg("halves", cycle_options(2, dim / 2, true)),
                     fmt::arg("thirds", cycle_options(3, dim / 3, true)),
                     fmt::arg("pairs", cycle_options(dim / 2, 2, false)), fmt::arg("even", bits(0, (dim + 1) / 2, 2)));
}

/// Adds a run for each combination of what stands in brackets, unless it is there.
void add_runs(const std::string& run, std::vector<std::string>& runs) {
  const std::size_t begin = run.find('[');
  if (begin == std::string::npos) {
    if (std::find(runs.begin(), runs.end(), run) == runs.end()) runs.push_back(run);
    return;
  }
  const std::size_t end = run.find(']', begin);
  for (std::size_t at = begin; at < end;) {
    const std::size_t next = std::min(run.find('|', at + 1), end);
    add_runs(run.substr(0, begin) + run.substr(at + 1, next - at - 1) + run.substr(end + 1), runs);
    at = next;
  }
}

std::string_view root_of(const Collective& collective) { return collective.rooted ? " --root [0|{last_but_one}]" : ""; }

/// Every algorithm of a collective on the machine of a preset, on one port or on all.
ValidationFamily collective_family(const Collective& collective, std::string_view preset, bool all_ports) {
  std::vector<std::string_view> algorithms;
  for (const CollectiveAlgorithm& algorithm : collective.algorithms) {
    if (all_ports || !algorithm.all_ports) algorithms.push_back(algorithm.name);
  }
  ValidationFamily family{.name = fmt::format("{} {}{}", collective.name, preset, all_ports ? " n-port" : ""),
                          .machine = fmt::format("--machine {} --ports {}", preset, all_ports ? "n" : "one"),
                          .grid = "d 1 .. 6, every algorithm, 7, p, 100 and 1,000 floats, root 0 and the last but one",
                          .lines = {{.run = fmt::format("--dim {{d}} --items [7|{{nodes}}|100|1000] --algorithm [{}]{}",
                                                        joined(algorithms, "|"), root_of(collective))}}};
  family.set_tolerance({std::string(preset), collective.before == Holding::all_on_root ? "from_root" : ""});
  return family;
}

/// Formulas as printed, which know messages of one length only: on parts that are equal, and in packets of which the
/// last one is an item shorter.
ValidationFamily formula_family(const Collective& collective, bool all_ports) {
  ValidationFamily family{
      .name = fmt::format("{} formula{}", collective.name, all_ports ? " n-port" : ""),
      .machine = fmt::format("--machine ideal --set core.combine='3 cycles/item' --ports {}", all_ports ? "n" : "one"),
      .grid = "d 1 .. 6, every algorithm, vectors in equal parts; pipelines in 16 packets, also with an item fewer",
      .tolerance_percent = 0.001,
      .reason = "the formula in print, on messages of one length",
      .predicted = "/published/us"};
  for (const CollectiveAlgorithm& algorithm : collective.algorithms) {
    if (algorithm.all_ports && !all_ports) continue;
    const std::string run = fmt::format("--dim {{d}} --algorithm {}{} --items ", algorithm.name, root_of(collective));
    family.lines.push_back(
        {.run = run + (algorithm.packets ? "[{equal}|{all_but_one_item}] --packets 16" : "{equal}")});
    if (!algorithm.packets) continue;
    family.tolerance_percent = 0.3;
    family.reason =
        "the formula in print, on messages of one length, of which the last is an item shorter in pipelines";
  }
  return family;
}

/// The points of a grid, in words.
std::vector<std::string> grid_runs(const ValidationFamily& family) {
  std::vector<std::string> runs;
  for (const ValidationFamily::Lines& lines : family.lines) {
    const bool some_ports = lines.run.find("{K}") != std::string::npos;
    for (unsigned dim = lines.from; dim <= validation_dim; dim += lines.step) {
      for (unsigned ports = 2; ports < (some_ports ? dim : 3); ++ports) {
        add_runs(filled_in(lines.run, dim, ports), runs);
      }
    }
  }
  return runs;
}

}  // namespace

void ValidationFamily::run(ValidationSetup& setup) {
  const std::string begin = workload() + " " + machine;
  const Machine changed = setup.experiment(begin)->setup().machine;  // refuses changes that the machine cannot take
  std::exception_ptr refused;
  for (const std::string& one : draw ? draw(*this, changed, setup.seed()) : grid_runs(*this)) {
    try {
      points.push_back(setup.point(fmt::format("{} {}", begin, one), predicted));
    } catch (const InputError&) {
      if (draw) throw;
      refused = std::current_exception();  // packets that do not make up the elements
    }
  }
  if (points.empty()) std::rethrow_exception(refused);
}

const ValidationPoint& ValidationFamily::worst() const {
  return *std::ranges::max_element(points, {},
                                   [](const ValidationPoint& one) { return std::abs(one.error_percent()); });
}

double ValidationFamily::rms_percent() const {
  double sum = 0;
  for (const ValidationPoint& point : points) sum += point.error_percent() * point.error_percent();
  return std::sqrt(sum / static_cast<double>(points.size()));
}

std::size_t ValidationFamily::broken() const {
  return points.size() - static_cast<std::size_t>(std::ranges::count_if(points, &ValidationPoint::assumptions_held));
}

bool ValidationFamily::pass() const { return std::abs(worst().error_percent()) <= tolerance_percent && broken() == 0; }

ValidationSetup::ValidationSetup(const ValidateArguments& arguments)
    : changes_(arguments.set),
      seed_(static_cast<std::uint64_t>(in_range("--seed", arguments.seed, 0, std::int64_t{1} << 62))) {}

std::unique_ptr<Experiment> ValidationSetup::experiment(const std::string& run) {
  std::vector<std::string> words = words_in(run);
  for (const std::string& change : changes_) words.insert(words.end(), {"--set", change});
  words.emplace_back("--quiet");
  return run_request(words)->experiment(benches_);
}

ValidationPoint ValidationSetup::point(const std::string& run, const std::string& predicted) {
  const std::unique_ptr<Experiment> one = experiment(run);
  one->run();
  const RunMeasurement& measured = one->measurement();
  return {.run = run,
          .predicted_us = one->report().predicted.at(Json::json_pointer(predicted)),
          .measured_us = measured.result.us,
          .blocked_circuits = measured.network.link_blocked.circuits,
          .port_blocked_circuits = measured.network.port_blocked.circuits,
          .serialised_circuits = measured.network.serialised.circuits,
          .lost_messages = measured.network.lost,
          .finished = measured.result.status == RunResult::Status::finished,
          .verified = one->verified() == true};
}

ErrorSpread spread_of(std::span<const ValidationPoint> runs) {
  ErrorSpread spread{.runs = runs.size()};
  std::vector<double> errors;
  for (const ValidationPoint& run : runs) {
    if (run.finished) errors.push_back(run.error_percent());
  }
  spread.stalled = runs.size() - errors.size();
  if (errors.empty()) return spread;
  std::sort(errors.begin(), errors.end());
  const auto at = [&](std::size_t percent) { return errors[(percent * errors.size() + 99) / 100 - 1]; };
  spread.median_percent = at(50);
  spread.low_percent = at(5);
  spread.high_percent = at(95);
  return spread;
}

void add_spread(Json& json, const ErrorSpread& spread) {
  json["seeds"] = spread.runs;
  json["stalled"] = spread.stalled;
  json["stalled_percent"] = spread.stalled_percent();
  json["median_error_percent"] = json_or_null(spread.median_percent);
  json["p5_error_percent"] = json_or_null(spread.low_percent);
  json["p95_error_percent"] = json_or_null(spread.high_percent);
}

std::vector<BrokenAssumption> break_assumptions(ValidationSetup& setup) {
  std::vector<BrokenAssumption> broken;
  for (const std::vector<std::string>& row : table_rows(broken_table, 4)) {
    BrokenAssumption& one = broken.emplace_back(BrokenAssumption{.assumption = row[0]});
    if (row[2] == "0") one.points.push_back(setup.point(row[1], row[3]));
    for (std::uint64_t seed = 1; row[2] != "0" && seed <= jitter_seeds; ++seed) {
      one.points.push_back(setup.point(fmt::format("{} --jitter '{} us' --seed {}", row[1], row[2], seed), row[3]));
    }
  }
  return broken;
}

void ValidationFamily::set_tolerance(const std::set<std::string, std::less<>>& conditions) {
  for (const std::vector<std::string>& row : table_rows(tolerances_table, 4)) {
    const std::vector<std::string_view> wanted = split(row[1], ' ');
    const bool all = row[1] == "-" || std::ranges::all_of(wanted, [&](auto one) { return conditions.contains(one); });
    if (!all || (row[0] != workload() && row[0] != "any")) continue;
    tolerance_percent = std::stod(row[2]);
    reason = row[3];
    return;
  }
  throw std::logic_error("tolerances.tsv has none for " + name);
}

std::vector<ValidationFamily> validation_families() {
  std::vector<ValidationFamily> families;
  const std::vector<std::vector<std::string>> grids = table_rows(grids_table, 5);
  for (const std::vector<std::string>& row : table_rows(families_table, 6)) {
    ValidationFamily& family = families.emplace_back(
        ValidationFamily{.name = row[0], .machine = row[1], .tolerance_percent = std::stod(row[4]), .reason = row[5]});
    for (const std::vector<std::string>& grid : grids) {
      if (grid[0] != row[2]) continue;
      if (grid[1] != "-") family.grid = grid[1];
      family.lines.push_back(
          {static_cast<unsigned>(std::stoul(grid[2])), static_cast<unsigned>(std::stoul(grid[3])), grid[4]});
    }
    if (row[3] != "-") family.grid += ", " + row[3];
  }
  for (const Collective* collective : collectives()) {
    for (const bool all_ports : {false, true}) {
      families.push_back(collective_family(*collective, "ideal", all_ports));
      families.push_back(formula_family(*collective, all_ports));
    }
    families.push_back(collective_family(*collective, "ipsc860-nx", false));
    families.push_back(collective_family(*collective, "ncube2", true));
  }
  std::ranges::move(sampled_families(), std::back_inserter(families));
  return families;
}

}  // namespace ecube
