// SPDX-License-Identifier: Apache-2.0
// Random messages through a router of the user's own and through the event engine, until an edge differs.
#include "testbench/router/verify_router_command.h"

#include <fmt/core.h>

#include <array>
#include <filesystem>
#include <memory>
#include <random>

#include "models/machine/error.h"
#include "sw/api/firmware.h"
#include "sw/traffic/traffic.h"
#include "testbench/machine/own_router.h"
#include "testbench/machine/test_bench.h"
#include "testbench/router/circuit_edges.h"
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
  bool prove = false;
};

constexpr Word<bool> port_words[] = {{"one", true}, {"n", false}};

/// Messages, and a machine that carries them, both drawn from a seed.
struct DrawnRun {
  Machine machine;
  std::vector<TrafficMessage> messages;

  DrawnRun(std::uint64_t seed, bool one_port, unsigned dim) {
    std::mt19937_64 random(seed);
    const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
    machine.node.ports.engines = one_port ? 1 : std::uint32_t{Ports::n};
    machine.router.route_cycles = 1 + pick(1) * pick(11);
    machine.network.accept_cycles = 1 + pick(1) * pick(5);
    machine.link.phit_bytes = 1 + static_cast<std::uint32_t>(pick(7));
    const std::uint64_t den = 1 + pick(4);
    machine.link.cycles_per_phit = {den + pick(2 * den), den};
    constexpr std::array patterns{TrafficPattern::uniform, TrafficPattern::hotspot, TrafficPattern::bitcomp,
                                  TrafficPattern::all_to_one, TrafficPattern::randperm};
    constexpr std::array rates{1.0, 20.0, 1000.0};
    messages = make_traffic({.pattern = patterns[pick(patterns.size() - 1)],
                             .messages = 5 + pick(15),
                             .rate = rates[pick(rates.size() - 1)],
                             .bytes = pick(40),
                             .seed = seed},
                            dim);
  }
};

class Campaign {
 public:
  Campaign(const VerifyRouterArguments& arguments, unsigned dim, bool one_port)
      : arguments_(arguments),
        name_(std::filesystem::path(arguments.file).filename()),
        dim_(dim),
        one_port_(one_port),
        bench_(dim) {
    RunSetup setup = setup_of(DrawnRun(0, one_port, dim), EngineChoice::rtl);
    bench_.elaborate(setup);
  }

  /// True if nothing differs.
  [[nodiscard]] bool run() {
    std::uint64_t messages = 0;
    const auto first = static_cast<std::uint64_t>(arguments_.seed);
    const auto programs = static_cast<std::uint64_t>(arguments_.programs);
    for (std::uint64_t seed = first; seed < first + programs; ++seed) {
      const DrawnRun drawn(seed, one_port_, dim_);
      RecordedEdges expected;
      RecordedEdges edges;
      (void)measure(drawn, EngineChoice::event, expected);
      const RunMeasurement own = measure(drawn, EngineChoice::rtl, edges);
      const auto difference = first_difference(expected, edges, name_);
      if (difference || own.result.status != RunResult::Status::finished) {
        tell(seed, own, difference);
        return false;
      }
      messages += drawn.messages.size();
    }
    fmt::print("{}: {} messages in {} programs (d = {}, {} port{}, seeds {} .. {}), every edge as the rules say\n",
               name_, grouped(messages), grouped(programs), dim_, one_port_ ? "one" : "n", one_port_ ? "" : "s", first,
               first + programs - 1);
    return true;
  }

 private:
  [[nodiscard]] RunSetup setup_of(const DrawnRun& drawn, EngineChoice engine) const {
    RunSetup setup{.machine = drawn.machine, .dim = dim_, .conditions = {}, .engine = engine};
    if (engine == EngineChoice::rtl) setup.router = arguments_.file;
    return setup;
  }
  [[nodiscard]] RunMeasurement measure(const DrawnRun& drawn, EngineChoice engine, RecordedEdges& edges) {
    const TrafficPlan plan(drawn.messages, dim_);
    Traffic traffic(plan);
    Firmware firmware([&traffic](Node& node) { return traffic.run(node); });
    return bench_.run_aside(setup_of(drawn, engine), firmware, {}, &edges);
  }
  void tell(std::uint64_t seed, const RunMeasurement& own, const std::optional<std::string>& difference) const {
    fmt::print("{} differs from hw/README.md in a program of seed {} (d = {}, {} port{})\n", name_, seed, dim_,
               one_port_ ? "one" : "n", one_port_ ? "" : "s");
    if (difference) fmt::print("{}", *difference);
    if (own.result.status == RunResult::Status::fault) fmt::print("  the run stopped: {}\n", own.result.fault);
    if (own.result.status == RunResult::Status::stalled) {
      fmt::print("  the run stalled at cycle {}: {} not finished\n", grouped(own.result.cycles),
                 own.unfinished == 1 ? "1 node has" : grouped(own.unfinished) + " nodes have");
    }
    fmt::print("again: {} verify-router {} --dim {} --ports {} --seed {} --programs 1\n", own_command(),
               shell_word(arguments_.file), dim_, arguments_.ports, seed);
  }

  const VerifyRouterArguments& arguments_;
  std::string name_;
  unsigned dim_;
  bool one_port_;
  TestBench bench_;
};

/// The script of the proofs, beside the user's router.
std::filesystem::path proofs_of(const std::string& router) {
  const std::filesystem::path script = own_router_sources(router, Machine{}) / "verify";
  if (!std::filesystem::exists(script)) {
    throw ErrorText("the proofs are in a checkout only").hint("run ./ecube verify-router there").error();
  }
  return script;
}

/// Returns the exit status.
int prove(const std::filesystem::path& script) {
  ChildProcess child(
      {.words = {script.string(), "prove", "ecube_router", "Dim", "2", "Ports", "1", "Width", "6", "Time", "3"},
       .output = ChildCommand::Output::kept});
  const ChildEnd end = child.wait();
  fmt::print("{}", child.printed());
  return end.by_signal ? 1 : end.number;
}

}  // namespace

void add_verify_router(Command& app, Invocation& invocation) {
  const auto arguments = std::make_shared<VerifyRouterArguments>();
  Command& command = app.add_command("verify-router", "Is a router of one's own equal to the rules, edge by edge?");
  command.add_option("file", arguments->file, "Router in SystemVerilog, with the pins of hw/rtl/ecube_router.sv")
      .required();
  command.add_option("-d,--dim", arguments->dim, "Dimension d of the cube: 2^d nodes").show_default();
  command.add_option("--ports", arguments->ports, "Of a node: one, or n (one for each dimension)").show_default();
  command.add_option("--programs", arguments->programs, "Programs to compare, each of random messages").show_default();
  command.add_option("--seed", arguments->seed, "Of the first program").show_default();
  command.add_flag("--prove", arguments->prove,
                   "Also the proofs of hw/rtl/verify, for a router that instantiates its properties; of 2 dimensions "
                   "and one port, whatever --dim and --ports say; needs yosys and z3");
  command.footer(
      "Machines and messages are drawn at random. The first message and edge that differ from the event engine are "
      "named. Routers of worms are not compared: they only run (run --router).\n\nExamples:\n  ecube verify-router "
      "my_router.sv\n  ecube run exchange --dim 3 --router my_router.sv\n\n"
      "Exit status: 0 nothing differs, 1 something does, 2 bad input.");
  command.on_run([arguments, &invocation] {
    invocation.interruptible.emplace();
    const auto dim = static_cast<unsigned>(in_range("--dim", arguments->dim, 1, 6));
    const bool one_port = choose("--ports", arguments->ports, port_words);
    (void)in_range("--programs", arguments->programs, 1, 1'000'000);
    (void)in_range("--seed", arguments->seed, 0, std::int64_t{1} << 62);
    // Before anything is built, as there may be no proofs.
    const std::filesystem::path proofs = arguments->prove ? proofs_of(arguments->file) : "";
    invocation.status = Campaign(*arguments, dim, one_port).run() ? 0 : 1;
    if (arguments->prove && invocation.status == 0) invocation.status = prove(proofs);
  });
}

}  // namespace ecube
