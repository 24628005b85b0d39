// SPDX-License-Identifier: Apache-2.0
// The table of exchange sequences, as in Figures 5, 8 and 9 of Johnsson & Ho 1991.
#include <fmt/core.h>

#include <algorithm>

#include "testbench/run/commands.h"
#include "testbench/shuffle/shuffle_request.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

std::string entry_name(const RowEntry& entry, std::size_t constituents) {
  const std::string primes(constituents > 1 ? entry.constituent : 0U, '\'');
  return fmt::format("{}{},{}{}", entry.extra ? "v" : "0", primes, entry.index, primes);
}

Json schedule_json(const RowSchedule& schedule) {
  const auto entry_json = [](const RowEntry& entry) -> Json {
    return {{"step", entry.step},
            {"constituent", entry.constituent},
            {"control", entry.extra ? "v" : "a0"},
            {"dimension", entry.index}};
  };
  return json_list(schedule.rows, [&](const ScheduleRow& row) {
    Json one = {{"entries", json_list(row.entries, entry_json)},
                {"set", json_or_null(row.set)},
                {"synchronised_after", nullptr}};
    if (row.set) one["synchronised_after"] = schedule.sets[*row.set].sync_after;
    return one;
  });
}

/// A line of a table with a column for each step; cells[0] is none.
void print_line(std::string line, const std::vector<std::string>& cells, std::size_t width) {
  for (std::size_t step = 1; step < cells.size(); ++step) line += fmt::format(" {:<{}}", cells[step], width);
  line.erase(line.find_last_not_of(' ') + 1);
  fmt::print("{}\n", line);
}

/// The numbers of the steps as the line above them.
void print_header(const std::string& line, std::uint64_t steps, std::size_t width) {
  std::vector<std::string> numbers;
  for (std::uint64_t step = 0; step <= steps; ++step) numbers.push_back(std::to_string(step));
  print_line(line, numbers, width);
}

void print_schedule(const RowSchedule& schedule, std::size_t constituents) {
  std::size_t width = 1;
  for (const ScheduleRow& row : schedule.rows) {
    for (const RowEntry& entry : row.entries) width = std::max(width, entry_name(entry, constituents).size());
  }
  const std::size_t with_mark = width + (schedule.sets.empty() ? 0 : 1);
  print_header(fmt::format("{:<8}", "step"), schedule.steps, with_mark);
  std::uint32_t plain = 0;
  for (const ScheduleRow& row : schedule.rows) {
    const std::string name = row.set ? fmt::format("set {}.{}", *row.set, row.half) : fmt::format("d{}", plain++);
    std::vector<std::string> cells(schedule.steps + std::size_t{1});
    for (const RowEntry& entry : row.entries) cells[entry.step] = entry_name(entry, constituents);
    if (row.set && schedule.sets[*row.set].sync_after <= schedule.steps) {
      std::string& last = cells[schedule.sets[*row.set].sync_after];
      last = fmt::format("{:<{}}*", last, width);
    }
    print_line(fmt::format("{:<8}", name), cells, with_mark);
  }
}

/// The cycles as pairs of dimensions, and rows of elements that make the same hops, with these hops.
Json two_cycles_json(const TwoCyclePlan& plan, std::uint64_t elements) {
  std::vector<Json> hops(elements, Json::array());
  for (std::uint64_t step = 1; step <= plan.steps(); ++step) {
    for (const TwoCycleHop& hop : plan.hops(step)) {
      const Json one = {{"step", step},
                        {"cycle", hop.cycle},
                        {"hop", hop.second ? 2 : 1},
                        {"dimension", fmt::format("p{}", hop.dim)}};
      for (const std::uint64_t element : hop.elements) hops[element].push_back(one);
    }
  }
  // Elements of a group and path, 2 beta apart, share packets.
  const std::uint64_t apart = 2 * plan.cycles().size();
  std::vector<Json> rows;
  for (std::uint64_t part = 0; part < std::min(apart, elements); ++part) {
    for (std::uint64_t element = part; element < elements; element += apart) {
      if (element == part || rows.back()["entries"] != hops[element]) {
        rows.push_back({{"elements", Json::array()}, {"entries", hops[element]}});
      }
      rows.back()["elements"].push_back(element);
    }
  }
  const auto cycle_json = [](const LabelBits& bits) {
    return Json::array({fmt::format("p{}", bits.dim[0]), fmt::format("p{}", bits.dim[1])});
  };
  return {{"cycles", json_list(plan.cycles(), cycle_json)}, {"steps", plan.steps()}, {"rows", rows}};
}

/// "5", or for elements that share packets "0, 6, .. 18".
std::string elements_text(const Json& row) {
  const auto elements = row["elements"].get<std::vector<std::uint64_t>>();
  std::string name = fmt::format("{}", elements.front());
  if (elements.size() > 1) name += fmt::format(", {}", elements[1]);
  if (elements.size() > 2) name += fmt::format("{} {}", elements.size() > 3 ? ", .." : ",", elements.back());
  return name;
}

void print_two_cycles(const Json& table) {
  const auto steps = table["steps"].get<std::uint64_t>();
  std::string names;
  for (const Json& cycle : table["cycles"]) {
    names += fmt::format(" ({} {})", cycle[0].get<std::string>(), cycle[1].get<std::string>());
  }
  fmt::print(
      "\nA2 squared of{}, {} steps; entries: the dimension that elements cross from\n"
      "nodes whose two bits of its cycle differ, and in the next step from nodes whose bits are equal\n",
      names, steps);
  std::size_t first = std::string_view("element").size();
  std::size_t width = std::to_string(steps).size();
  for (const Json& row : table["rows"]) {
    first = std::max(first, elements_text(row).size());
    for (const Json& hop : row["entries"]) width = std::max(width, hop["dimension"].get<std::string>().size());
  }
  print_header(fmt::format("{:<{}} step", "element", first), steps, width);
  for (const Json& row : table["rows"]) {
    std::vector<std::string> cells(steps + 1);
    for (const Json& hop : row["entries"])
      cells[hop["step"].get<std::uint64_t>()] = hop["dimension"].get<std::string>();
    print_line(fmt::format("{:<{}}     ", elements_text(row), first), cells, width);
  }
}

std::string names_of(const std::vector<unsigned>& dims) {
  std::string text;
  for (const unsigned bit : dims) text += fmt::format(" p{}", bit);
  return text;
}

void explain_stage(const DimensionPermutation& stage, const ShuffleWorkload& workload, unsigned dim) {
  const Factors factors = factor(stage);
  const std::vector<RowSchedule> schedules = schedules_of(stage, workload, dim);
  for (std::size_t j = 0; j < factors.mixed.size(); ++j) {
    fmt::print("constituent {}: a_1 .. a_{} ={}, a_0 = s{}\n", j, factors.mixed[j].order(),
               names_of(factors.mixed[j].dims), factors.mixed[j].control);
  }
  const RealParts parts = real_parts(factors, workload, dim);
  for (const std::vector<LabelBits>& round : parts.rounds) {
    for (const LabelBits& bits : round) fmt::print("real 2-cycle: p{} and p{}\n", bits.dim[0], bits.dim[1]);
  }
  print_two_cycles(workload, dim);
  for (const Constituent& real : parts.by_a1) {
    fmt::print("real constituent: a_1 .. a_{} ={}, the first one twice; the control is s0\n", real.order(),
               names_of(real.dims));
  }
  for (const Constituent& real : parts.by_a2) {
    fmt::print(
        "real constituent: a_1 .. a_{} ={}; no table: whole buffers, from half of the nodes to the others in the "
        "first dimension, back in the last\n",
        real.order(), names_of(real.dims));
  }
  for (const LocalBit& bit : factors.virtual_bits) {
    fmt::print("in local memory: s{} takes {}s{}\n", bit.to, bit.complement ? "the complement of " : "", bit.from);
  }
  for (std::size_t number = 0; number < schedules.size(); ++number) {
    const bool mixed = number == 0 && !factors.mixed.empty();
    fmt::print("\n{} rows of local pairs, {} steps; control, dimension{}\n", schedules[number].rows.size(),
               schedules[number].steps, schedules[number].sets.empty() ? "" : "; * synchronisation point");
    print_schedule(schedules[number], mixed ? factors.mixed.size() : 1);
  }
  for (const std::vector<LabelBits>& round : parts.rounds) {
    print_two_cycles(two_cycles_json({round, workload.spread_elements(), workload.packet}, workload.spread_elements()));
  }
}

/// Entries of tables as JSON, and cells of a printed table with its empty ones: more than anybody reads.
constexpr std::uint64_t most_entries = std::uint64_t{1} << 16;
constexpr std::uint64_t most_cells = std::uint64_t{1} << 21;

void check_length(std::uint64_t length, std::uint64_t most, const std::string& what) {
  if (length <= most) return;
  throw InputError(fmt::format("a table of this shuffle has {} {}, of which {} are shown at most", grouped(length),
                               what, grouped(most)))
      .valid("fewer --elements | a larger --packet");
}

/// InputError for tables too long to be read. The lengths follow from the numbers of elements and packets alone.
void check_tables(const std::vector<DimensionPermutation>& stages, const ShuffleWorkload& workload, unsigned dim,
                  bool json) {
  const std::uint64_t elements = workload.spread_elements();
  for (const DimensionPermutation& stage : stages) {
    const Factors factors = factor(stage);
    const RealParts parts = real_parts(factors, workload, dim);
    std::uint64_t width = 0;
    for (const Constituent& mixed : factors.mixed) width += mixed.order();
    for (const Constituent& real : parts.by_a1) width += real.order() + 1;
    const std::uint64_t rows = quotient_up(elements / 2, workload.packet);
    check_length(rows * width, most_entries, "entries");
    if (!parts.rounds.empty()) check_length(2 * elements, most_entries, "hops of elements");
    if (json) continue;
    for (const RowSchedule& schedule : schedules_of(stage, workload, dim))
      check_length(schedule.rows.size() * schedule.steps, most_cells, "cells (--json lists entries only)");
    for (const std::vector<LabelBits>& round : parts.rounds)
      check_length(elements * TwoCyclePlan(round, elements, workload.packet).steps(), most_cells,
                   "cells (--json lists entries only)");
  }
}

int explain(const ShuffleArguments& arguments) {
  const Machine machine = resolve(settings_of(arguments.run));
  const unsigned dim = dim_of(arguments.run, machine, max_simulated_dim);
  TestBench bench(calibration_dim);
  const ShuffleWorkload workload = whole_shuffle_of(arguments, machine, dim, [&]() -> TestBench& { return bench; });
  const std::vector<DimensionPermutation> stages = stages_of(workload);
  check_tables(stages, workload, dim, arguments.run.json);
  if (arguments.run.json) {
    Json all = Json::array();
    Json two_cycles = Json::array();
    for (const DimensionPermutation& stage : stages) {
      for (const RowSchedule& schedule : schedules_of(stage, workload, dim)) {
        all.push_back({{"permutation", stage.name()}, {"steps", schedule.steps}, {"rows", schedule_json(schedule)}});
      }
      for (const std::vector<LabelBits>& round : real_parts(factor(stage), workload, dim).rounds) {
        const TwoCyclePlan plan(round, workload.spread_elements(), workload.packet);
        Json one = {{"permutation", stage.name()}};
        one.update(two_cycles_json(plan, workload.spread_elements()));
        two_cycles.push_back(one);
      }
    }
    return print_json(
        "explain shuffle",
        {{"workload", shuffle_json(workload, dim)}, {"schedules", all}, {"two_cycle_schedules", two_cycles}});
  }
  fmt::print("shuffle {}  {} elements, packets of {}  {}\n", workload.permutation.name(), grouped(workload.elements),
             workload.packet, algorithm_name(workload));
  if (workload.method == ShuffleMethod::route) {
    fmt::print("no table: every packet goes straight to the node where it belongs, by e-cube routing\n");
  }
  if (workload.extend > 0) {
    fmt::print("{} elements of a node are spread over {} nodes first, and brought back last: half of them at a time\n",
               grouped(workload.elements), NodeId{1} << workload.extend);
  }
  for (std::size_t number = 0; number < stages.size(); ++number) {
    if (stages.size() > 1) fmt::print("\nstage {} of {}: {}\n", number + 1, stages.size(), stages[number].name());
    explain_stage(stages[number], workload, dim);
  }
  return 0;
}

}  // namespace

void add_shuffle_explanation(const Questions& to) {
  add_question<ShuffleArguments>(
      to.explain, to.invocation, "shuffle", "The table of exchange sequences: rows of local pairs by steps",
      [](ShuffleArguments& a) { return a.rows(); }, explain);
}

}  // namespace ecube
