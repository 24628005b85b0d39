// SPDX-License-Identifier: Apache-2.0
// A router of the user's own, alone and in cubes, until an edge differs from the rules.
#include <fmt/core.h>

#include <numeric>
#include <random>

#include "models/machine/error.h"
#include "models/machine/random.h"
#include "models/machine/spelling.h"
#include "sw/api/firmware.h"
#include "sw/traffic/traffic.h"
#include "testbench/machine/rtl_library.h"
#include "testbench/machine/test_bench.h"
#include "testbench/router/pin_comparison.h"
#include "testbench/run/commands.h"
#include "testbench/run/progress_line.h"
#include "testbench/system/child_process.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

struct VerifyRouterArguments {
  std::string file;
  std::int64_t dim = 0;     ///< 0: not said
  std::string ports;        ///< empty: not said
  std::int64_t buffer = 0;  ///< 0: not said
  std::string seeds = "1:100";
  std::uint64_t first = 1;     ///< of `seeds`
  std::uint64_t programs = 0;  ///< one for each seed
  bool all = false;
  bool prove = false;
  [[nodiscard]] bool one_shape() const { return dim != 0 || !ports.empty() || buffer != 0; }
};

struct RouterShape {
  unsigned dim = 3;
  bool one_port = true;
  unsigned buffer = 0;  ///< flits of an input, of a router for worms; 0 for circuits

  [[nodiscard]] Machine machine() const {
    Machine machine;
    machine.node.ports.engines = one_port ? 1 : std::uint32_t{Ports::n};
    if (buffer > 0) {
      machine.network.switching = Switching::wormhole;
      machine.link.cycles_per_phit = {2, 1};
      machine.router.buffer_bytes = Bytes{buffer} * machine.link.phit_bytes;
    }
    return machine;
  }
  [[nodiscard]] RouterSetup setup() const { return {machine(), dim}; }
  [[nodiscard]] std::string text() const {
    return fmt::format("d = {}, {}{}", dim, one_port ? "one port" : "n ports",
                       buffer > 0 ? fmt::format(", worms, buffers of {}", buffer) : "");
  }
};

constexpr Word<bool> port_words[] = {{"one", true}, {"n", false}};
constexpr unsigned most_words = 8;  // of a buffer
constexpr unsigned most_tried = 6;  // dimensions, unless --dim names one

/// Messages, and a machine that carries them, both drawn from a seed.
struct DrawnRun {
  Machine machine;
  std::vector<TrafficMessage> messages;

  DrawnRun(std::uint64_t seed, const RouterShape& shape) : machine(shape.machine()) {
    std::mt19937_64 random(seed);
    const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
    machine.router.route_cycles = 1 + pick(1) * pick(11);
    machine.network.accept_cycles = 1 + pick(1) * pick(5);
    machine.link.phit_bytes = 1 + static_cast<std::uint32_t>(pick(7));
    const std::uint64_t den = 1 + pick(4);
    machine.link.cycles_per_phit = {den + pick(2 * den), den};
    if (shape.buffer > 0) {
      machine.link.cycles_per_phit = {2 + pick(5), 1};
      machine.router.buffer_bytes = Bytes{shape.buffer} * machine.link.phit_bytes;
      // Half of the machines accept late, so that words and tails wait in the ports.
      machine.network.accept_cycles = 1 + pick(1) * pick(40);
    }
    // Every sixteenth program has a count as wide as users run, and few messages, because it takes long.
    const bool wide = seed % 16 == 15;
    Bytes bytes = pick(40);
    if (wide) {
      const std::uint64_t count = logarithmic(random(), 16);
      const std::uint64_t which = pick(3);
      if (which == 0) machine.router.route_cycles = std::max<Cycles>(count, 1);
      if (which == 1) machine.network.accept_cycles = std::max<Cycles>(count, 1);
      if (which == 2) machine.link.cycles_per_phit = {std::max<std::uint64_t>(count, 2), 1};
      bytes = which == 2 ? machine.link.phit_bytes : which == 3 ? count : bytes;
    }
    constexpr std::array patterns{TrafficPattern::uniform, TrafficPattern::hotspot, TrafficPattern::bitcomp,
                                  TrafficPattern::all_to_one, TrafficPattern::randperm};
    constexpr std::array rates{1.0, 20.0, 1000.0};
    messages = make_traffic({.pattern = patterns[pick(patterns.size() - 1)],
                             .messages = 5 + (wide ? 0 : pick(15)),
                             .rate = rates[pick(rates.size() - 1)],
                             .bytes = bytes,
                             .seed = seed},
                            Topology::cube(shape.dim));
  }
};

std::string again(const VerifyRouterArguments& arguments, const RouterShape& shape, std::uint64_t seed) {
  return fmt::format("again: {} verify-router {} --dim {} --ports {}{} --seed {}\n", own_command(),
                     shell_word(arguments.file), shape.dim, shape.one_port ? "one" : "n",
                     shape.buffer > 0 ? fmt::format(" --buffer {}", shape.buffer) : "", seed);
}

std::string name_of(const VerifyRouterArguments& arguments) {
  return std::filesystem::path(arguments.file).filename().string();
}

/// Compares the router alone, at its pins. True if nothing differs.
bool pins_agree(const VerifyRouterArguments& arguments, const std::vector<RouterShape>& shapes, PinsTried& tried) {
  if (shapes.empty()) return true;
  std::vector<RouterSetup> setups;
  setups.reserve(shapes.size());
  for (const RouterShape& shape : shapes) setups.push_back(shape.setup());
  const std::vector<MakeLoneRouter*> routers = lone_routers(arguments.file, setups);
  const auto [first, programs] = std::pair(arguments.first, arguments.programs);
  CountProgress progress(programs * shapes.size(), "programs compared at the pins", false);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::uint64_t seed = first; seed < first + programs; ++seed) {
      progress.next();
      const std::string difference = pin_difference(*routers[i], clocked::shape_of(setups[i].machine, setups[i].dim),
                                                    seed, name_of(arguments), tried);
      if (difference.empty()) continue;
      progress.clear();
      fmt::print("{} differs from hw/README.md at its pins in a program of seed {} ({})\n{}{}", name_of(arguments),
                 seed, shapes[i].text(), difference, again(arguments, shapes[i], seed));
      return false;
    }
  }
  progress.clear();
  return true;
}

/// " one port (d = 1, 2), n ports (d = 2)"
std::string list_of(const std::vector<RouterShape>& shapes) {
  std::map<std::pair<bool, unsigned>, std::string> dims;  // by ports, one first, and buffer
  for (const RouterShape& shape : shapes) {
    std::string& of = dims[{!shape.one_port, shape.buffer}];
    of += fmt::format("{}{}", of.empty() ? "" : ", ", shape.dim);
  }
  std::string list;
  for (const auto& [kind, of] : dims) {
    const auto [many, buffer] = kind;
    list += fmt::format("{} {}{} (d = {})", list.empty() ? "" : ",", many ? "n ports" : "one port",
                        buffer > 0 ? fmt::format(" and buffers of {}", buffer) : "", of);
  }
  return list;
}

RunSetup drawn_setup(const VerifyRouterArguments& arguments, const RouterShape& shape, const Machine& machine,
                     EngineChoice engine) {
  RunSetup setup{.machine = machine, .dim = shape.dim, .conditions = {}, .engine = engine};
  if (engine == EngineChoice::rtl) setup.router = arguments.file;
  return setup;
}

RunMeasurement run_drawn(TestBench& bench, const RunSetup& setup, const DrawnRun& drawn, RecordedEdges& edges) {
  const TrafficPlan plan(drawn.messages, Topology::cube(setup.dim));
  Traffic traffic(plan);
  Firmware firmware([&traffic](Node& node) { return traffic.run(node); });
  return bench.run_aside(setup, firmware, {}, &edges);
}

/// Compares whole cubes in which every node has the router. True if nothing differs.
bool cubes_agree(const VerifyRouterArguments& arguments, const std::vector<RouterShape>& shapes) {
  TestBench bench(rtl_max_dim);
  for (const RouterShape& shape : shapes) {
    bench.elaborate(drawn_setup(arguments, shape, shape.machine(), EngineChoice::rtl));
  }
  const std::string name = name_of(arguments);
  const auto [first, programs] = std::pair(arguments.first, arguments.programs);
  // The largest that were tried.
  Cycles route = 0;
  Cycles accept = 0;
  std::uint64_t phit = 0;
  for (const RouterShape& shape : shapes) {
    std::uint64_t messages = 0;
    CountProgress progress(programs, "programs compared", false);
    for (std::uint64_t seed = first; seed < first + programs; ++seed) {
      progress.next();
      const DrawnRun drawn(seed, shape);
      RecordedEdges expected;
      RecordedEdges edges;
      (void)run_drawn(bench, drawn_setup(arguments, shape, drawn.machine, EngineChoice::event), drawn, expected);
      const RunMeasurement own =
          run_drawn(bench, drawn_setup(arguments, shape, drawn.machine, EngineChoice::rtl), drawn, edges);
      const std::string difference = first_difference(expected, edges, name);
      if (!difference.empty() || own.result.status != RunResult::Status::finished) {
        progress.clear();
        fmt::print("{} differs from hw/README.md in a program of seed {} ({})\n{}", name, seed, shape.text(),
                   difference);
        if (own.result.status == RunResult::Status::fault) fmt::print("  the run stopped: {}\n", own.result.fault);
        if (own.result.status == RunResult::Status::stalled) {
          fmt::print("  the run stalled at cycle {}: {} not finished\n", grouped(own.result.cycles),
                     own.unfinished == 1 ? "1 node has" : grouped(own.unfinished) + " nodes have");
        }
        fmt::print("{}", again(arguments, shape, seed));
        return false;
      }
      messages += drawn.messages.size();
      route = std::max(route, drawn.machine.router.route_cycles);
      accept = std::max(accept, drawn.machine.network.accept_cycles);
      phit = std::max(phit, drawn.machine.link.cycles_per_phit.num / drawn.machine.link.cycles_per_phit.den);
    }
    progress.clear();
    fmt::print("{}: {} messages in {} programs ({}, seeds {} .. {}), every edge as the rules say\n", name,
               grouped(messages), grouped(programs), shape.text(), first, first + programs - 1);
  }
  fmt::print(
      "not tried: other whole cubes than{}; in these, route delays beyond {}, accept delays beyond {}, phits that "
      "take more than {} cycles\n",
      list_of(shapes), grouped(route), grouped(accept), grouped(phit));
  return true;
}

/// "27" or "1:100". InputError for anything else.
void read_seeds(VerifyRouterArguments& arguments) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  const std::vector<std::string_view> ends = split(arguments.seeds, ':');
  const auto first = whole_number(ends.front());
  const auto last = whole_number(ends.back());
  if (ends.size() > 2 || !first || !last || *first > *last || *last > most || *last - *first >= 1'000'000) {
    throw InputError(fmt::format("--seed {} names no programs", ecube::quoted(arguments.seeds)))
        .valid("a seed of 0 .. 4611686018427387904, or FIRST:LAST of up to 1,000,000");
  }
  arguments.first = *first;
  arguments.programs = *last - *first + 1;
}

/// All shapes that the options allow. InputError for an option that such a router does not have.
std::vector<RouterShape> shapes_of(const VerifyRouterArguments& arguments) {
  const bool worms = own_router_has(arguments.file, "ecube_worm_router");
  if (!worms && arguments.buffer != 0) {
    throw InputError(fmt::format("--buffer is of routers for worms, and {} has no module ecube_worm_router",
                                 ecube::quoted(arguments.file)));
  }
  const auto chosen = [](std::int64_t said, const char* option, unsigned most, unsigned tried) {
    if (said != 0) return std::vector{static_cast<unsigned>(in_range(option, said, 1, most))};
    std::vector<unsigned> all(tried);
    std::iota(all.begin(), all.end(), 1U);
    return all;
  };
  const std::optional<bool> one_port =
      arguments.ports.empty() ? std::nullopt : std::optional(choose("--ports", arguments.ports, port_words));
  const std::vector<unsigned> buffers =
      worms ? chosen(arguments.buffer, "--buffer", most_words, most_words) : std::vector{0U};
  std::vector<RouterShape> shapes;
  for (const unsigned dim : chosen(arguments.dim, "--dim", rtl_max_dim, most_tried)) {
    for (const bool one : {true, false}) {
      if (one_port.value_or(one) != one || (dim == 1 && !one && !one_port)) continue;
      for (const unsigned buffer : buffers) {
        const bool edge = buffer <= 2 || buffer == most_words;
        if (edge || arguments.buffer != 0 || arguments.all) shapes.push_back({dim, one || dim == 1, buffer});
      }
    }
  }
  return shapes;
}

/// Exit status 1 when something differs.
int compare(const VerifyRouterArguments& arguments) {
  const std::vector<RouterShape> shapes = shapes_of(arguments);
  std::vector<RouterShape> first;   // tried first, as they are built fast
  std::vector<RouterShape> others;  // tried if nothing differs in the first
  std::vector<RouterShape> cubes;
  for (const RouterShape& shape : shapes) {
    const bool built = own_router_is_built(arguments.file, shape.setup(), alone);
    // Routers with long buffers and many ports are built for minutes.
    if (shape.dim == 3 && shape.buffer <= 1) {
      first.push_back(shape);
    } else if (arguments.one_shape() || arguments.all || shape.buffer <= 1 || shape.dim <= 2 || built) {
      others.push_back(shape);
    }
    if (arguments.all || own_router_is_built(arguments.file, shape.setup())) cubes.push_back(shape);
  }
  if (cubes.empty()) cubes.push_back(first.empty() ? others.front() : first.front());
  PinsTried tried;
  if (!pins_agree(arguments, first, tried) || !pins_agree(arguments, others, tried)) return 1;
  first.insert(first.end(), others.begin(), others.end());
  fmt::print("{}: alone, {} edges and {} grants, route delays up to {}, every pin as the rules say:{}\n",
             name_of(arguments), grouped(tried.edges), grouped(tried.grants), grouped(tried.route_delay),
             list_of(first));
  return cubes_agree(arguments, cubes) ? 0 : 1;
}

/// The script of the proofs, beside the user's router, and what it is to prove.
std::vector<std::string> proof_of(const std::string& router, const RouterShape& shape) {
  const std::filesystem::path script = own_router_sources(router, shape.machine()) / "verify";
  if (!std::filesystem::exists(script)) {
    throw InputError("the proofs are in a checkout only").hint("run ./ecube verify-router there");
  }
  const bool worms = shape.buffer > 0;
  const char* const top = worms ? "ecube_own_worm_router" : "ecube_own_router";
  std::vector<std::string> proof{script, "prove", top, "Dim", "2", "Ports", "1", "Width", "6", "Time", "2"};
  if (worms) proof.insert(proof.end(), {"Buffer", std::to_string(shape.buffer)});
  return proof;
}

int prove(const std::vector<std::string>& proof) {
  ChildProcess child({.words = proof});
  ProgressLine line(false);
  std::optional<ChildEnd> end;
  while (!(end = child.ended_within(std::chrono::milliseconds(100)))) {
    if (interrupt_wanted()) {
      line.clear();
      throw Interrupted("before the proofs had ended");
    }
    if (line.due()) line.show(fmt::format("proving, which takes a minute or several  {:.0f} s", line.seconds()));
  }
  line.clear();
  fmt::print("{}", child.printed());
  return end->by_signal ? 1 : end->number;
}

}  // namespace

void add_verify_router(Command& app, Invocation& invocation) {
  const auto arguments = std::make_shared<VerifyRouterArguments>();
  Command& command = app.add_command("verify-router", "Check your router against the reference, cycle by cycle");
  command.add_option("file", arguments->file,
                     "Router in SystemVerilog, with the pins of hw/rtl/ecube_router.sv or ecube_worm_router.sv",
                     {.required = true});
  command.add_option("-d,--dim", arguments->dim, "Dimension d of the cube, 1 .. 8: 2^d nodes; default: 1 to 6");
  command.add_option("--ports", arguments->ports, "Ports of a node: one, or n (one for each dimension); default: both");
  command.add_option("--seed", arguments->seeds,
                     "Of the programs to compare, each of random messages: one, or FIRST:LAST", {.show_default = true});
  command.add_option("--buffer", arguments->buffer,
                     "Of a router for worms: flits that an input holds, 1 .. 8; default: 1, 2 and 8");
  command.add_flag("--all", arguments->all, "Every shape, also as whole cubes, which takes many minutes to build");
  command.add_flag(
      "--prove", arguments->prove,
      "Also the proofs of hw/rtl/verify, at the router's pins, for 2 dimensions and one port, whatever --dim and "
      "--ports say; needs yosys and z3, and some minutes");
  command.on_run([arguments, &invocation] {
    invocation.interruptible.emplace();
    read_seeds(*arguments);
    const RouterShape shape = shapes_of(*arguments).front();
    // Before anything is built, as there may be no proofs.
    const std::vector<std::string> proof =
        arguments->prove ? proof_of(arguments->file, shape) : std::vector<std::string>();
    invocation.status = compare(*arguments);
    if (arguments->prove && invocation.status == 0) invocation.status = prove(proof);
  });
}

}  // namespace ecube
