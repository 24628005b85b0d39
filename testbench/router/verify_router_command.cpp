// SPDX-License-Identifier: Apache-2.0
// Random messages through a router of the user's own and through the event engine, until an edge differs.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>

#include "models/machine/error.h"
#include "models/machine/random.h"
#include "sw/api/firmware.h"
#include "sw/traffic/traffic.h"
#include "testbench/machine/own_router.h"
#include "testbench/machine/test_bench.h"
#include "testbench/router/circuit_edges.h"
#include "testbench/run/commands.h"
#include "testbench/run/progress_line.h"
#include "testbench/system/child_process.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

struct VerifyRouterArguments {
  std::string file;
  std::int64_t dim = 3;
  std::string ports = "one";
  std::int64_t programs = 100;
  std::int64_t seed = 1;
  std::int64_t buffer = 0;  ///< 0: not said
  bool prove = false;
};

/// What is compared: a kind of router, in a cube.
struct RouterShape {
  unsigned dim = 3;
  bool one_port = true;
  unsigned buffer = 0;  ///< words of an input, of a router for worms; 0 for circuits
};

constexpr Word<bool> port_words[] = {{"one", true}, {"n", false}};

/// Messages, and a machine that carries them, both drawn from a seed.
struct DrawnRun {
  Machine machine;
  std::vector<TrafficMessage> messages;

  DrawnRun(std::uint64_t seed, const RouterShape& shape) {
    std::mt19937_64 random(seed);
    const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
    machine.node.ports.engines = shape.one_port ? 1 : std::uint32_t{Ports::n};
    machine.router.route_cycles = 1 + pick(1) * pick(11);
    machine.network.accept_cycles = 1 + pick(1) * pick(5);
    machine.link.phit_bytes = 1 + static_cast<std::uint32_t>(pick(7));
    const std::uint64_t den = 1 + pick(4);
    machine.link.cycles_per_phit = {den + pick(2 * den), den};
    if (shape.buffer > 0) {
      machine.network.switching = Switching::wormhole;
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
                            shape.dim);
  }
};

class Campaign {
 public:
  Campaign(const VerifyRouterArguments& arguments, const RouterShape& shape)
      : arguments_(arguments),
        name_(std::filesystem::path(arguments.file).filename()),
        shape_(shape),
        bench_(shape.dim) {
    bench_.elaborate(setup_of(DrawnRun(0, shape), EngineChoice::rtl));
  }

  /// True if nothing differs.
  [[nodiscard]] bool run() {
    std::uint64_t messages = 0;
    const auto first = static_cast<std::uint64_t>(arguments_.seed);
    const auto programs = static_cast<std::uint64_t>(arguments_.programs);
    CountProgress progress(programs, "programs compared", false);
    for (std::uint64_t seed = first; seed < first + programs; ++seed) {
      progress.next();
      const DrawnRun drawn(seed, shape_);
      RecordedEdges expected;
      RecordedEdges edges;
      (void)measure(drawn, EngineChoice::event, expected);
      const RunMeasurement own = measure(drawn, EngineChoice::rtl, edges);
      const auto difference = first_difference(expected, edges, name_);
      if (difference || own.result.status != RunResult::Status::finished) {
        progress.clear();
        tell(seed, own, difference);
        return false;
      }
      messages += drawn.messages.size();
      route_ = std::max(route_, drawn.machine.router.route_cycles);
      accept_ = std::max(accept_, drawn.machine.network.accept_cycles);
      phit_ = std::max(phit_, drawn.machine.link.cycles_per_phit.num / drawn.machine.link.cycles_per_phit.den);
    }
    progress.clear();
    fmt::print("{}: {} messages in {} programs ({}, seeds {} .. {}), every edge as the rules say\n", name_,
               grouped(messages), grouped(programs), shape_text(), first, first + programs - 1);
    fmt::print(
        "not tried: other dimensions, {}{}route delays beyond {}, accept delays beyond {}, phits that take more than "
        "{} cycles\n",
        shape_.dim == 1   ? ""
        : shape_.one_port ? "n ports, "
                          : "one port, ",
        shape_.buffer > 0 ? "other buffers, " : "", grouped(route_), grouped(accept_), grouped(phit_));
    return true;
  }

 private:
  [[nodiscard]] RunSetup setup_of(const DrawnRun& drawn, EngineChoice engine) const {
    RunSetup setup{.machine = drawn.machine, .dim = shape_.dim, .conditions = {}, .engine = engine};
    if (engine == EngineChoice::rtl) setup.router = arguments_.file;
    return setup;
  }
  [[nodiscard]] RunMeasurement measure(const DrawnRun& drawn, EngineChoice engine, RecordedEdges& edges) {
    const TrafficPlan plan(drawn.messages, shape_.dim);
    Traffic traffic(plan);
    Firmware firmware([&traffic](Node& node) { return traffic.run(node); });
    return bench_.run_aside(setup_of(drawn, engine), firmware, {}, &edges);
  }
  void tell(std::uint64_t seed, const RunMeasurement& own, const std::optional<std::string>& difference) const {
    fmt::print("{} differs from hw/README.md in a program of seed {} ({})\n", name_, seed, shape_text());
    if (difference) fmt::print("{}", *difference);
    if (own.result.status == RunResult::Status::fault) fmt::print("  the run stopped: {}\n", own.result.fault);
    if (own.result.status == RunResult::Status::stalled) {
      fmt::print("  the run stalled at cycle {}: {} not finished\n", grouped(own.result.cycles),
                 own.unfinished == 1 ? "1 node has" : grouped(own.unfinished) + " nodes have");
    }
    fmt::print("again: {} verify-router {} --dim {} --ports {}{} --seed {} --programs 1\n", own_command(),
               shell_word(arguments_.file), shape_.dim, arguments_.ports,
               shape_.buffer > 0 ? fmt::format(" --buffer {}", shape_.buffer) : "", seed);
  }
  [[nodiscard]] std::string shape_text() const {
    return fmt::format("d = {}, {}{}", shape_.dim, shape_.one_port ? "one port" : "n ports",
                       shape_.buffer > 0 ? fmt::format(", worms, buffers of {}", shape_.buffer) : "");
  }

  const VerifyRouterArguments& arguments_;
  std::string name_;
  RouterShape shape_;
  TestBench bench_;
  // The largest that were tried.
  Cycles route_ = 0;
  Cycles accept_ = 0;
  std::uint64_t phit_ = 0;
};

/// What the file is to be compared as. InputError for an option that such a router does not have.
RouterShape shape_of(const VerifyRouterArguments& arguments) {
  RouterShape shape{.dim = static_cast<unsigned>(in_range("--dim", arguments.dim, 1, 6)),
                    .one_port = choose("--ports", arguments.ports, port_words)};
  constexpr std::int64_t most_words = 8;
  if (own_router_names(arguments.file, "ecube_worm_router", "module")) {
    shape.buffer =
        arguments.buffer == 0 ? 1 : static_cast<unsigned>(in_range("--buffer", arguments.buffer, 1, most_words));
  } else if (arguments.buffer != 0) {
    throw ErrorText(fmt::format("--buffer is of routers for worms, and {} has no module ecube_worm_router",
                                ecube::quoted(arguments.file)))
        .error();
  }
  return shape;
}

/// The script of the proofs, beside the user's router, and what it is to prove.
std::vector<std::string> proof_of(const std::string& router, const RouterShape& shape) {
  Machine machine;
  if (shape.buffer > 0) machine.network.switching = Switching::wormhole;
  const std::filesystem::path script = own_router_sources(router, machine) / "verify";
  if (!std::filesystem::exists(script)) {
    throw ErrorText("the proofs are in a checkout only").hint("run ./ecube verify-router there").error();
  }
  // A router that gives its registers to our properties is proved by induction; any other at its pins.
  const bool worms = shape.buffer > 0;
  const std::string kind = worms ? "worm_" : "";
  const bool ours = own_router_names(router, worms ? "ecube_worm_properties" : "ecube_router_properties");
  std::vector<std::string> proof{script.string(),
                                 "prove",
                                 (ours ? "ecube_" : "ecube_own_") + kind + "router",
                                 "Dim",
                                 "2",
                                 "Ports",
                                 "1",
                                 "Width",
                                 "6",
                                 "Time",
                                 ours ? "3" : "2"};
  if (worms) proof.insert(proof.end(), {"Buffer", std::to_string(shape.buffer)});
  return proof;
}

/// Returns the exit status.
int prove(const std::vector<std::string>& proof) {
  ChildProcess child({.words = proof, .output = ChildCommand::Output::kept});
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
  command
      .add_option("file", arguments->file,
                  "Router in SystemVerilog, with the pins of hw/rtl/ecube_router.sv or ecube_worm_router.sv")
      .required();
  command.add_option("-d,--dim", arguments->dim, "Dimension d of the cube: 2^d nodes").show_default();
  command.add_option("--ports", arguments->ports, "Of a node: one, or n (one for each dimension)").show_default();
  command.add_option("--programs", arguments->programs, "Programs to compare, each of random messages").show_default();
  command.add_option("--seed", arguments->seed, "Of the first program").show_default();
  command.add_option("--buffer", arguments->buffer, "Of a router for worms: words that an input holds, 1 .. 8; 1");
  command.add_flag(
      "--prove", arguments->prove,
      "Also the proofs of hw/rtl/verify, at the pins of any router; of 2 dimensions and one port, whatever "
      "--dim and --ports say; needs yosys and z3, and a minute or several");
  command.footer(
      "Machines and messages are drawn at random. The first message and edge that differ from the event engine are "
      "named. A file with a module ecube_worm_router is compared on machines of worms.\n\n"
      "The file is code and runs with your rights: $system, $c and DPI in a router do whatever you can. Lint finds "
      "mistakes, not malice: read a stranger's file first.\n\nExamples:\n  ecube "
      "verify-router "
      "my_router.sv\n  ecube run exchange --dim 3 --router my_router.sv\n\n"
      "Exit status: 0 nothing differs, 1 something does, 2 bad input.");
  command.on_run([arguments, &invocation] {
    invocation.interruptible.emplace();
    const RouterShape shape = shape_of(*arguments);
    (void)in_range("--programs", arguments->programs, 1, 1'000'000);
    (void)in_range("--seed", arguments->seed, 0, std::int64_t{1} << 62);
    // Before anything is built, as there may be no proofs.
    const std::vector<std::string> proof =
        arguments->prove ? proof_of(arguments->file, shape) : std::vector<std::string>();
    invocation.status = Campaign(*arguments, shape).run() ? 0 : 1;
    if (arguments->prove && invocation.status == 0) invocation.status = prove(proof);
  });
}

}  // namespace ecube
