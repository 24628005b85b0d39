// SPDX-License-Identifier: Apache-2.0
// The options that all runs share: as typed, and as checked values.
#pragma once

#include <fmt/core.h>

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/presets/settings.h"
#include "sw/exchange/exchange.h"
#include "testbench/command_line/option_row.h"
#include "testbench/machine/test_bench.h"
#include "testbench/system/process.h"
#include "testbench/trace/trace_request.h"

namespace ecube {

class Benches;

/// The input of a command besides its own options, and the program's exit status.
struct Invocation {
  std::vector<std::string> arguments;  ///< as typed, the program's name first
  Benches* benches = nullptr;          ///< where runs get their test bench
  int status = 0;
  /// From when on a signal waits until the command has put its work in order.
  std::optional<Interruptible> interruptible{};
};

enum class ParameterSource : std::uint8_t { fitted, published };

inline constexpr Word<EngineChoice> engines[] = {{"event", EngineChoice::event},
                                                 {"clocked", EngineChoice::clocked},
                                                 {"rtl", EngineChoice::rtl},
                                                 {"ideal", EngineChoice::ideal}};

inline constexpr Word<Fold> folds[] = {{"off", Fold::off}, {"auto", Fold::automatic}, {"on", Fold::on}};

inline constexpr Word<Embedding> embeddings[] = {{"number", Embedding::number}, {"gray", Embedding::gray}};

inline constexpr Word<Late> late_words[] = {{"all", Late::all}, {"starts", Late::starts}, {"startups", Late::startups}};
inline constexpr Word<ParameterSource> parameter_sources[] = {{"fitted", ParameterSource::fitted},
                                                              {"published", ParameterSource::published}};

struct RunArguments {
  TextOption machine{"--machine", "Preset (ecube machines), or machine file (.toml)", group::common, "ideal"};
  std::vector<std::string> set;
  NumberOption dim{"-d,--dim", "Dimension d of the cube: 2^d nodes", group::common, 4, {1}};
  TextOption topology{"--topology",
                      "The network: cube:6, generalised:4x4x4 (complete graphs), mesh:8x8, or a product of these, as "
                      "generalised:4x4+mesh:8; not for shuffles",
                      "machine"};
  WordOption<EngineChoice> engine{
      "--engine",
      "event (fast), clocked (SystemC modules with pins on a clock, d <= 12), rtl (the same with routers and ports in "
      "SystemVerilog): the same cycles on all three; or ideal (every operation costs its equation). With --router it "
      "is rtl",
      "engine", EngineChoice::event, engines};
  TextOption rtl_nodes{
      "--rtl-nodes", "Of --engine clocked and rtl: nodes in SystemVerilog, as 0,5 (the others are in SystemC), or all",
      "engine"};
  TextOption router{"--router",
                    "FILE.sv: a router of your own with the pins of hw/rtl/ecube_router.sv, in the nodes of --engine "
                    "rtl, the only engine that it runs on; built on first use (ecube verify-router). It is code and "
                    "runs with your rights, $system, $c and DPI included",
                    "engine"};
  bool mixed_routers = false;  ///< MixedRouters, of lessons and tests: no option asks for them
  WordOption<Embedding> embed{"--embed",
                              "Off cubes, which node of a logical cube a node is: {} (its label, or the Gray code of "
                              "every digit)",
                              "machine", Embedding::number, embeddings};
  TextOption ports{"--ports", "one, n, or the number of simultaneous engines of a node", group::common};
  TextOption jitter{
      "--jitter", "Node starts and start-ups are longer by a uniform 0 .. TIME; starts:TIME, startups:TIME: only these",
      "jitter and failures", "0 cycles"};
  NumberOption seed{"--seed", "Seed of all random draws", "jitter and failures", 1, {0, std::int64_t{1} << 62}};
  ListOption fail{"--fail",
                  "NODE:DIMENSION@TIME, a link, or NODE@TIME, a node with all its links: dead from that time on, as "
                  "5:2@10us; without @TIME from the beginning; several with commas between them, or none alone; "
                  "repeatable",
                  "jitter and failures"};
  WordOption<Fold> fold{
      "--fold",
      "auto: simulate node 0 for all nodes, with the same cycles, where all do the same at the same time and no two "
      "circuits meet; on: refuse other runs; off",
      "engine", Fold::off, folds};
  WordOption<ParameterSource> parameters{"--parameters",
                                         "Parameters of the equation: fitted on the machine, or published by its paper",
                                         "machine", ParameterSource::fitted, parameter_sources};
  TextOption directory{"-o,--output", "Run directory: resolved.toml, summary.json, links.csv, provenance.json",
                       group::common};
  TextOption trace{"--trace",
                   "FILE.fst or FILE.vcd: links and programs as a waveform, with a GTKWave layout (ecube view) and a "
                   "timeline (.pftrace, for ui.perfetto.dev) beside it; a bare name goes into the run directory. With "
                   "--engine clocked and rtl also the signals of all modules",
                   "tracing"};
  TextOption trace_window{"--trace-window", "FROM:TO, cycles or times: trace only these, as 10us:20us", "tracing"};
  ListOption trace_filter{"--trace-filter",
                          "Trace only what this names: node5, node5.router.link2, link2, off cubes also '+x' or 'x to "
                          "3', 'node[0-3]'; with --engine clocked and rtl also modules, pins and signals, as "
                          "node5.port0; repeatable",
                          "tracing"};
  TextOption export_goal{"--export-goal",
                         "FILE: the run as a schedule of sends, receives and calculations in GOAL's text (ecube run "
                         "goal)",
                         "files and reports"};
  bool measure = false;  ///< runs too, of `hull` and `best`
  bool contention = false;
  bool replace = false;
  bool circuits = false;
  bool json = false;
  bool quiet = false;
  bool no_color = false;
};

void add_machine_options(Command& app, RunArguments& arguments);
void add_run_options(Command& app, RunArguments& arguments);

/// For commands to try next: " --machine ipsc860 --dim 6 --set 'library.send=95 us'", and --ports where `with_ports`.
[[nodiscard]] std::string machine_words(const RunArguments& arguments, bool with_ports = true);

/// The arguments with this number of ports, in the place of what they say of it.
[[nodiscard]] RunArguments on_ports(RunArguments arguments, std::string_view ports);
/// A line for each option, and for library.slack, that was given and changes nothing of the answer to a question:
/// "run", "predict", "best", "hull", "explain" or "check". Arguments::effects(question, machine) has the conditions.
template <class Arguments>
[[nodiscard]] std::string ignored_options(const Arguments& arguments, const std::string& question) {
  const Machine machine = resolve(settings_of(arguments.run));
  const bool no_slack = machine.library.barrier != Barrier::clock && sets(arguments.run, "library.slack");
  return ignored(arguments.effects(question, machine)) +
         (no_slack ? "library.slack: no effect without library.barrier=clock\n" : "");
}

/// InputError for options that ask for a machine beside --params, which stand in place of one.
void refuse_machine(const TextOption& params, const RunArguments& run);

/// Adds a command and the Arguments that its options write to, which `action` takes; it returns the exit status.
template <class Arguments, class Action>
[[nodiscard]] std::pair<Command&, Arguments&> add_action(Command& parent, Invocation& invocation,
                                                         const std::string& name, const std::string& description,
                                                         Action action) {
  const auto arguments = std::make_shared<Arguments>();
  Command& command = parent.add_command(name, description);
  command.on_run([arguments, action, &invocation] { invocation.status = action(*arguments); });
  return {command, *arguments};
}

/// Adds a question about a workload to `parent`: options `rows` of its `Arguments`, the options that describe the
/// machine. `answer` takes the options as typed, and returns the exit status; `footer` stands before the examples.
template <class Arguments, class Rows, class Answer>
void add_question(Command& parent, Invocation& invocation, std::string_view name, const std::string& description,
                  const Rows& rows, Answer answer, const std::string& footer = {}) {
  const auto arguments = std::make_shared<Arguments>();
  Command& command = parent.add_command(std::string(name), description);
  command.on_named([arguments, rows, &command] {
    if constexpr (std::is_invocable_v<Rows, Arguments&, Command&>) {
      declare_options(command, rows(*arguments, command));
    } else {
      declare_options(command, rows(*arguments));
    }
    add_machine_options(command, arguments->run);
  });
  command.footer(footer);
  constexpr bool has_params = requires(Arguments options) { options.params; };
  command.on_run([arguments, answer, question = parent.name(), &invocation] {
    if constexpr (has_params) refuse_machine(arguments->params, arguments->run);
    invocation.status = answer(*arguments);
    if (!arguments->run.json) fmt::print("{}", ignored_options(*arguments, question));
  });
}

/// Of a workload: the same without data.
template <class Arguments>
[[nodiscard]] Arguments without_payload(Arguments arguments) {
  arguments.payload = Payload::none;
  return arguments;
}

[[nodiscard]] std::vector<Setting> settings_of(const RunArguments& arguments);
[[nodiscard]] bool sets(const RunArguments& arguments, std::string_view parameter);
[[nodiscard]] bool names_topology(const RunArguments& arguments);
/// "a cube of 3 dimensions", "mesh:8x8".
[[nodiscard]] std::string words_of(const Topology& topology);
/// Whether a command is about the binary cube, runs on any topology, or on those of 2^d nodes as a logical cube.
enum class Networks : std::uint8_t { cubes, any, logical_cubes };
/// The dimension of the cube; of other networks, where allowed, the bits of the largest label. InputError else.
[[nodiscard]] unsigned dim_of(const RunArguments& arguments, const Machine& machine, std::int64_t max_dim,
                              Networks networks = Networks::cubes);
/// "one", "n" or the number, as `--ports` takes it.
[[nodiscard]] std::string ports_word(Ports ports);
/// "d=6", "mesh:8x8".
[[nodiscard]] std::string network_name(const Machine& machine, unsigned dim);
[[nodiscard]] std::int64_t dim_for(std::uint64_t nodes);
/// "embed" of a workload on a logical cube.
void add_embedding(nlohmann::ordered_json& workload, const RunSetup& setup);
[[nodiscard]] RunSetup setup_of(const RunArguments& arguments, Networks networks = Networks::cubes);
/// The waveform that is asked for, if any, with the file's directory. InputError for a wrong request.
[[nodiscard]] TraceRequest trace_of(const RunArguments& arguments, const Machine& machine, const Topology& topology,
                                    EngineChoice engine);
/// InputError where there is no memory for the event engine's tables of such a cube.
void require_machine_memory(unsigned dim);
class AnotherElaboration : public std::logic_error {
 public:
  AnotherElaboration() : std::logic_error("this process has elaborated another machine") {}
};

/// The test bench of a process: SystemC elaborates once, so a process has one bench for all its runs.
class Benches {
 public:
  /// Made for the first run that asks; `dim` is the largest dimension that later runs may ask for.
  explicit Benches(unsigned dim = 0) : dim_(dim) {}
  /// Runs on the event engine, up to the dimension of `lent`; sizes of other runs.
  explicit Benches(TestBench& lent) : lent_(&lent) {}

  [[nodiscard]] TestBench& get(const RunSetup& setup);

 private:
  unsigned dim_ = 0;
  unsigned checked_dim_ = 0;  ///< there is memory for the tables of such a cube
  std::optional<TestBench> bench_;
  TestBench* lent_ = nullptr;
};
/// For predictions: fitted on the machine, or printed by the paper behind the preset (InputError when there is none).
[[nodiscard]] ExchangeParameters parameters_for(const RunArguments& arguments, TestBench& bench, const Machine& machine,
                                                unsigned dim, PairwiseSync sync = PairwiseSync::off);
/// True when synchronised exchanges send zero-byte messages first; on machines without protocol they cost nothing.
[[nodiscard]] inline bool sends_synchronisation(const Machine& machine, PairwiseSync sync) {
  return machine.library.protocol != Protocol::none && sync == PairwiseSync::on;
}

inline constexpr Word<Payload> payload_words[] = {
    {"bytes", Payload::bytes}, {"checks", Payload::checks}, {"none", Payload::none}};

[[nodiscard]] inline WordOption<Payload> payload_option() {
  return {"--payload", "bytes (checked), checks (8 bytes a message) or none", group::own, Payload::bytes,
          payload_words};
}

}  // namespace ecube
