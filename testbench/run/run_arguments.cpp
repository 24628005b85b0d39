// SPDX-License-Identifier: Apache-2.0
// Checking the shared options.
#include "testbench/run/run_arguments.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "hw/clocked/shape.h"
#include "hw/rtl/parts.h"
#include "models/machine/machine_parameters.h"
#include "models/machine/quantity.h"
#include "models/machine/spelling.h"
#include "models/presets/presets.h"
#include "models/static_check/link_conflicts.h"
#include "testbench/machine/machine_file.h"
#include "testbench/machine/rtl_library.h"
#include "testbench/run/experiment.h"

namespace ecube {

namespace {

RunConditions conditions_of(const RunArguments& arguments, const Machine& machine) {
  const std::string& jitter = arguments.jitter.value();
  const std::size_t time = jitter.find(':') + 1;  // 0 where no word is before it
  const Word<Late>* const late = find_word(late_words, time == 0 ? "all" : jitter.substr(0, time - 1));
  const auto cycles = parse_cycles(jitter.substr(time), machine.clock_hz);
  if (late == nullptr || !cycles) {
    throw InputError(fmt::format("--jitter {} {}", ecube::quoted(jitter),
                                 late == nullptr ? "is late in nothing that there is" : cycles.problem().message))
        .hint(late == nullptr ? "" : cycles.problem().hint)
        .valid("TIME | starts:TIME | startups:TIME");
  }
  return {.jitter = *cycles, .late = late->value, .seed = arguments.seed.value()};
}

void needs_machine(bool asked, const std::string& why, std::string_view machines = "event | clocked | rtl") {
  if (asked) throw InputError("--engine ideal " + why).valid(machines);
}

void needs_directory(bool asked, const char* why) {
  if (asked) throw InputError(why).hint("add -o DIR");
}

/// network.topology, if the machine has one. InputError where --dim says something else.
const Topology* named_topology(const RunArguments& arguments, const Machine& machine) {
  if (!machine.network.topology) return nullptr;
  const Topology& topology = *machine.network.topology;
  const bool same = topology.is_cube() && arguments.dim.value() == topology.label_bits();
  if (!arguments.dim.given() || same) return &topology;
  throw InputError(fmt::format("--dim {} is the dimension of a cube, and network.topology is {}", arguments.dim.typed(),
                               topology.name()))
      .hint("leave out one of the two");
}

/// A waveform replaces an earlier file, or the file that a link points to, in a directory that exists.
void check_waveform(std::string& file) {
  namespace fs = std::filesystem;
  const auto refuse = [&](const std::string& reason) {
    throw InputError(fmt::format("cannot write {}: {}", ecube::quoted(file), reason))
        .hint("give a file in a directory that exists and can be written");
  };
  std::error_code none;
  if (fs::is_symlink(file, none) && fs::exists(file, none)) file = fs::canonical(file, none).string();
  if (fs::exists(file, none) && !fs::is_regular_file(file, none)) refuse("it is not a regular file");
  fs::path directory = fs::path(file).parent_path();
  if (directory.empty()) directory = ".";
  if (access(directory.c_str(), W_OK) != 0) refuse(std::strerror(errno));
  if (fs::exists(file, none) && access(file.c_str(), W_OK) != 0) refuse(std::strerror(errno));
}

/// The layout names the waveform's file, and a line of a layout can be a program for GTKWave to run.
void check_trace_name(const std::string& trace) {
  const std::string name = std::filesystem::path(trace).filename().string();
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ._-+=,@";
  if (name.find_first_not_of(plain) == std::string::npos) return;
  throw InputError(fmt::format("--trace {} has a character that no waveform's name may have", ecube::quoted(name)))
      .valid("letters a to z, digits, blanks, and . _ - + = , @");
}

/// What a barrier (hw/README.md, section 5.4) takes beyond that of a cube, whose partners are neighbours: hops beyond
/// the first, and waits for links that circuits share.
double beyond_neighbours_us(const Topology& topology, const ExchangeParameters& p) {
  const NodeId nodes = topology.nodes();
  const NodeId paired = std::bit_floor(nodes);
  double us = 0;
  const auto add_step = [&](NodeId first, NodeId end, NodeId mask, NodeId apart = 1) {
    std::vector<PlannedCircuit> step;
    for (NodeId node = first; node < end; node += apart) {
      step.push_back({node, node ^ mask});
      if (first > 0) step.push_back({node ^ mask, node});
    }
    const Topology::StepLoad load = load_of(step, topology);
    us += (load.hops - 1) * p.hop_us(0) + (LinkWaits() += load).us(p.delta_us, p.hop_us(0));
  };
  if (paired == nodes) {
    // Digits are bits of labels: a circuit stays in its line of nodes, and the lines of a dimension are all alike.
    NodeId apart = 1;
    for (const Topology::Dimension& dimension : topology.dimensions()) {
      const NodeId end = apart * dimension.radix;
      for (NodeId bit = apart; bit < end; bit <<= 1) add_step(0, end, bit, apart);
      apart = end;
    }
    return us;
  }
  add_step(paired, nodes, paired);
  for (NodeId bit = 1; bit < paired; bit <<= 1) add_step(0, paired, bit);
  add_step(paired, nodes, paired);
  return us;
}

}  // namespace

void add_machine_options(Command& app, RunArguments& arguments) {
  arguments.machine.declare(app);
  app.add_option("--set", arguments.set,
                 "Any machine parameter, as key=value; repeatable; ecube machines --options lists the keys",
                 {.group = "machine", .one_value_each = true});
  declare_options(app, {&arguments.dim, &arguments.topology, &arguments.ports, &arguments.parameters});
  app.add_flag("--json", arguments.json, "One JSON object on standard output", group::common);
  app.add_flag("--no-color", arguments.no_color, "No colours, as with NO_COLOR set", "output");
}

void add_run_options(Command& app, RunArguments& arguments) {
  add_machine_options(app, arguments);
  declare_options(app, {&arguments.engine, &arguments.rtl_nodes, &arguments.router, &arguments.jitter, &arguments.seed,
                        &arguments.fail, &arguments.directory});
  app.add_flag(
      "--replace", arguments.replace,
      "Replace an earlier run in the run directory, also where this deletes files that this run does not write, "
      "or files that a user has changed",
      "files and reports");
  declare_options(app, {&arguments.trace, &arguments.trace_window, &arguments.trace_filter, &arguments.export_goal});
  app.add_flag("--contention", arguments.contention,
               "Report who waited for whom: most blocked links, longest waits and the chains behind them",
               "files and reports");
  app.add_flag("--circuits", arguments.circuits,
               "Also circuits.csv, every edge of every circuit, programs.csv, what nodes do, and on planes dark.csv "
               "(needs -o)",
               "files and reports");
  app.add_flag("--quiet", arguments.quiet, "No progress and no hints", "output");
}

void refuse_machine(const TextOption& params, const RunArguments& run) {
  if (!params.given()) return;
  if (run.measure) throw InputError("--measure needs a machine, --params are none").valid("--machine NAME");
  if (!run.machine.given() && !run.parameters.given()) return;
  throw InputError("--params stand in place of --machine and --parameters").hint("leave out one of the two");
}

std::vector<Setting> settings_of(const RunArguments& arguments) {
  std::vector<Setting> settings = load_machine(arguments.machine.value());
  for (const std::string& set : arguments.set) settings.push_back(parse_set(set));
  if (const std::string& ports = arguments.ports.value(); !ports.empty()) {
    settings.push_back(option_setting("node.ports", ports, "--ports " + ports));
  }
  if (const std::string& topology = arguments.topology.value(); !topology.empty()) {
    settings.push_back(option_setting("network.topology", topology, "--topology " + topology));
  }
  return settings;
}

bool sets(const RunArguments& arguments, std::string_view parameter) {
  return std::any_of(arguments.set.begin(), arguments.set.end(), [&](const std::string& set) {
    return trimmed(std::string_view(set).substr(0, set.find('='))) == parameter;
  });
}

std::int64_t dim_for(std::uint64_t nodes) { return std::max(1, static_cast<int>(std::bit_width(nodes - 1))); }

bool names_topology(const RunArguments& arguments) {
  // The last one counts.
  std::string topology = "cube";
  for (const Setting& setting : settings_of(arguments)) {
    if (setting.key == "network.topology") topology = setting.value;
  }
  return topology != "cube";
}

std::string words_of(const Topology& topology) {
  return topology.is_cube() ? fmt::format("a cube of {} dimensions", topology.label_bits()) : topology.name();
}

std::string ports_word(Ports ports) {
  return ports.engines == 1 ? "one" : ports.engines == Ports::n ? "n" : std::to_string(ports.engines);
}

std::string network_name(const Machine& machine, unsigned dim) {
  const std::optional<Topology>& topology = machine.network.topology;
  return topology && !topology->is_cube() ? topology->name() : fmt::format("d={}", dim);
}

unsigned dim_of(const RunArguments& arguments, const Machine& machine, std::int64_t max_dim, Networks networks) {
  if (networks == Networks::logical_cubes) (void)arguments.embed.value();  // refused if it is none, on cubes, too
  const Topology* const topology = named_topology(arguments, machine);
  if (topology != nullptr && !topology->is_cube()) {
    if (networks == Networks::logical_cubes && !topology->digits_are_bits()) {
      throw InputError(fmt::format("{} has {} nodes, and a logical cube 2^d", topology->name(), topology->nodes()))
          .hint("a network whose radices are powers of two stands for a cube");
    }
    if (networks != Networks::cubes) {
      check_topology(machine, *topology);
      return topology->label_bits();
    }
    throw InputError(fmt::format("network.topology is {}, and this command is about the binary cube", topology->name()))
        .hint(
            "run exchange without --sizes, traffic, barrier, pingpong, program and goal have any topology, combine and "
            "the collectives those of 2^d nodes")
        .valid("cube | cube:1 .. cube:20");
  }
  const auto dim =
      topology != nullptr ? topology->label_bits() : static_cast<unsigned>(arguments.dim.within(1, max_dim));
  if (dim <= max_simulated_dim) check_dimension(machine, dim);
  return dim;
}

/// "all", or labels with commas between them; the engine is then rtl, whose nodes are in SystemC otherwise.
std::vector<bool> rtl_nodes_of(const RunArguments& arguments, EngineChoice& engine, unsigned dim) {
  const std::string& typed = arguments.rtl_nodes.value();
  if (typed.empty()) return {};
  const auto refuse = [&](const std::string& reason) {
    throw InputError(fmt::format("--rtl-nodes {}: {}", ecube::quoted(typed), reason))
        .valid(fmt::format("all | labels of 0 .. {} with commas between them, as 0,1", (1U << dim) - 1));
  };
  if (!has_modules(engine)) {
    refuse(fmt::format("--engine {} has no nodes that could be in RTL", word_of(engine, engines)));
  }
  engine = EngineChoice::rtl;
  if (typed == "all") return {};
  std::vector<bool> chosen(std::size_t{1} << dim, false);
  for (const std::string_view label : split(typed, ',')) {
    const auto node = whole_number(label);
    if (!node) refuse(fmt::format("{} is no label", ecube::quoted(label)));
    if (*node >= chosen.size()) refuse(fmt::format("a cube of {} dimensions has no node {}", dim, *node));
    chosen[*node] = true;
  }
  return chosen;
}

/// A router of one's own implies the engine rtl, and no other engine has it.
EngineChoice engine_of(const RunArguments& arguments) {
  if (arguments.mixed_routers) return EngineChoice::clocked;
  if (!arguments.engine.given() && !arguments.router.empty()) return EngineChoice::rtl;
  const EngineChoice engine = arguments.engine.value();
  if (!arguments.router.empty() && engine != EngineChoice::rtl) {
    throw InputError(fmt::format("--engine {} has no routers in SystemVerilog for --router", arguments.engine.text()))
        .valid("rtl")
        .hint("leave --engine out");
  }
  return engine;
}

RunSetup setup_of(const RunArguments& arguments, Networks networks) {
  RunSetup setup;
  setup.machine = resolve(settings_of(arguments));
  setup.dim = dim_of(arguments, setup.machine, max_simulated_dim, networks);
  const Topology topology = setup.topology();
  if (networks == Networks::logical_cubes && !topology.is_cube()) setup.embedding = arguments.embed.value();
  setup.conditions = conditions_of(arguments, setup.machine);
  setup.engine = engine_of(arguments);
  if (!arguments.router.empty()) (void)own_router_text(arguments.router.value());
  setup.router = arguments.mixed_routers ? mixed_router : arguments.router.value();
  setup.conditions.failures = parse_failures(arguments.fail.values(), setup.machine, topology);
  needs_machine(setup.engine == EngineChoice::ideal && !setup.conditions.failures.empty(),
                "has no links that could fail; --fail needs a machine");
  needs_machine(setup.engine == EngineChoice::ideal && setup.machine.network.planes != 0,
                "has no planes that are tuned (network.planes)", "event | clocked");
  if (setup.machine.network.planes != 0 && !setup.conditions.failures.empty()) {
    throw InputError("--fail: the links of planes that are tuned do not fail");
  }
  const auto refuse = [&setup](const std::string& why) {
    throw InputError(fmt::format("--engine {} {}", word_of(setup.engine, engines), why))
        .hint(setup.engine == EngineChoice::clocked || setup.router.empty()
                  ? "--engine event has the same cycles at any size"
                  : "");
  };
  const unsigned most = setup.engine == EngineChoice::rtl ? rtl_max_dim : clocked::max_dim;
  if (has_modules(setup.engine) && setup.dim > most) {
    refuse(fmt::format("is for cubes of up to {} dimensions: it has a module for every part of every node", most));
  }
  const unsigned inputs = topology.outputs() + setup.machine.node.ports.physical(topology.outputs());
  if (setup.engine == EngineChoice::clocked && inputs > clocked::max_lines) {
    refuse(fmt::format("has routers of at most {} inputs, and {} has {} with its ports", clocked::max_lines,
                       topology.name(), inputs));
  }
  if (setup.engine == EngineChoice::clocked) {
    try {
      (void)clocked::shape_of(setup.machine, setup.dim);
    } catch (const std::invalid_argument& problem) {
      refuse(fmt::format("cannot build {}: {}", topology.name(), problem.what()));
    }
  }
  setup.rtl_nodes = rtl_nodes_of(arguments, setup.engine, setup.dim);
  if (setup.engine == EngineChoice::rtl) check_rtl(setup.machine, setup.dim);
  (void)arguments.parameters.value();
  (void)trace_of(arguments, setup.machine, topology, setup.engine);
  if (setup.engine == EngineChoice::ideal) {
    needs_machine(arguments.contention, "has no network in which circuits could wait; --contention needs one");
    needs_machine(arguments.circuits, "has no circuits to list; --circuits needs a machine");
    needs_machine(!arguments.export_goal.empty(), "tells nobody what programs ask for; --export-goal needs a machine");
  }
  if (arguments.directory.empty()) {
    needs_directory(arguments.replace, "--replace is about the earlier run in a run directory");
    needs_directory(arguments.circuits, "--circuits writes circuits.csv into the run directory");
  }
  read_fold(setup, arguments);
  return setup;
}

void add_embedding(nlohmann::ordered_json& workload, const RunSetup& setup) {
  if (setup.embedding) workload["embed"] = word_of(*setup.embedding, embeddings);
}

TraceRequest trace_of(const RunArguments& arguments, const Machine& machine, const Topology& topology,
                      EngineChoice engine) {
  TraceRequest request;
  const std::string& trace = arguments.trace.value();
  if (trace.empty()) {
    if (arguments.trace_window.empty() && !arguments.trace_filter.given()) return request;
    throw InputError(
        fmt::format("{} is about a waveform", arguments.trace_window.empty() ? "--trace-filter" : "--trace-window"))
        .hint("add --trace FILE.fst");
  }
  needs_machine(engine == EngineChoice::ideal, "has no network to trace");
  request.format = trace.ends_with(".fst")   ? WaveFormat::fst
                   : trace.ends_with(".vcd") ? WaveFormat::vcd
                                             : WaveFormat::none;
  if (request.format == WaveFormat::none || trace.size() == 4) {
    throw InputError(fmt::format("--trace {} is no waveform file", ecube::quoted(trace))).valid("FILE.fst | FILE.vcd");
  }
  check_trace_name(trace);
  const bool bare = trace.find('/') == std::string::npos;
  request.file = bare && !arguments.directory.empty() ? arguments.directory.value() + "/" + trace : trace;
  if (!arguments.trace_window.empty()) request.window = parse_window(arguments.trace_window.value(), machine);
  request.patterns = arguments.trace_filter.values();
  // Patterns may also name signals, whose names are known only when the machine has been made.
  if (!has_modules(engine)) (void)TraceSelection(machine, topology, HierarchyNames(), request.patterns);
  // A waveform in the run directory is checked when the directory has been made.
  if (request.file == trace) check_waveform(request.file);
  return request;
}

std::string machine_words(const RunArguments& arguments, bool with_ports) {
  std::string words = fmt::format(" --machine {}", shell_word(arguments.machine.value()));
  words += given_words({&arguments.topology, &arguments.embed});
  if (!names_topology(arguments)) words += fmt::format(" --dim {}", arguments.dim.typed());
  words += given_words({&arguments.parameters});
  if (with_ports) words += given_words({&arguments.ports});
  for (const std::string& setting : arguments.set) words += " --set " + shell_word(setting);
  return words;
}

RunArguments on_ports(RunArguments arguments, std::string_view ports) {
  arguments.ports = ports;
  std::erase_if(arguments.set, [](const std::string& set) { return parse_set(set).key == "node.ports"; });
  return arguments;
}

void require_machine_memory(unsigned dim) {
  constexpr Bytes node_bytes = 2048;  // with its router, links and firmware, as measured up to 2^18 nodes
  require_memory(node_bytes << dim, "the tables of the machine need", "a smaller --dim");
}

TestBench& Benches::get(const RunSetup& setup) {
  if (lent_ != nullptr) return *lent_;
  const bool event = setup.engine == EngineChoice::event;
  const auto check_memory = [&](unsigned dim) {
    if (dim <= checked_dim_) return;
    require_machine_memory(dim);
    checked_dim_ = dim;
  };
  if (bench_) {
    if (has_modules(setup.engine) ? !bench_->has(setup) && !bench_->elaborating() : event && setup.dim > dim_) {
      throw AnotherElaboration();
    }
    if (event && !setup.may_fold()) check_memory(setup.dim);
    bench_->elaborate(setup);
    return *bench_;
  }
  if (setup.engine == EngineChoice::ideal) return bench_.emplace(dim_);
  dim_ = std::max(dim_, setup.dim);
  // A flat cube has no tables before it is run.
  if (setup.may_fold()) return bench_.emplace(dim_);
  check_memory(dim_);
  const bool full = event && dim_ <= max_auto_full_dim;
  bench_.emplace(dim_, full ? Hierarchy::full : Hierarchy::flat).elaborate(setup);
  return *bench_;
}

ExchangeParameters parameters_for(const RunArguments& arguments, TestBench& bench, const Machine& machine, unsigned dim,
                                  PairwiseSync sync) {
  // What depends on the network are barriers.
  const std::optional<Topology>& network = machine.network.topology;
  const bool on_cube = !network || network->is_cube();
  if (!on_cube) dim = network->barrier_steps();
  const bool synchronised = sends_synchronisation(machine, sync);
  if (arguments.parameters.value() == ParameterSource::fitted) {
    // Messages on planes take what messages over one fixed link take.
    Machine fixed = machine;
    fixed.network.planes = 0;
    ExchangeParameters parameters = bench.calibrate(fixed).exchange(dim, synchronised);
    const bool signals = machine.library.barrier == Barrier::phase || machine.library.barrier == Barrier::step;
    if (!on_cube && signals) parameters.barrier_us += beyond_neighbours_us(*network, parameters);
    return parameters;
  }
  if (auto parameters = published_parameters(machine.name, dim)) {
    parameters->pairwise_sync_messages = synchronised;
    return *parameters;
  }
  std::string with_paper;
  for (const Preset& preset : presets()) {
    if (published_parameters(preset.name, 1)) with_paper += (with_paper.empty() ? "" : " | ") + preset.name;
  }
  throw InputError(fmt::format("no paper has published parameters of machine {}", ecube::quoted(machine.name)))
      .hint("--parameters published works with --machine " + with_paper);
}

}  // namespace ecube
