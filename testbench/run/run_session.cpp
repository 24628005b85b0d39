// SPDX-License-Identifier: Apache-2.0
// One run as a command: progress, interruption, files, output.
#include <fmt/chrono.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "hw/clocked/shape.h"
#include "hw/observed/circuit.h"
#include "models/machine/machine_parameters.h"
#include "testbench/publication/publication.h"
#include "testbench/run/experiment.h"
#include "testbench/run/progress_line.h"
#include "testbench/run/run_files.h"
#include "testbench/system/program_files.h"
#include "testbench/text/csv.h"
#include "testbench/text/json_text.h"
#include "testbench/trace/run_trace.h"
#include "testbench/trace/wait_chains.h"
#include "testbench/version.h"

namespace ecube {

namespace {

std::string simulated(double us) {
  return us < 1000 ? fmt::format("{:.1f} us", us) : fmt::format("{:.1f} ms", us / 1000);
}

/// Whether the run was folded, in a line for a person; empty without --fold.
std::string fold_text(const RunSetup& setup, bool folded) {
  if (setup.fold == Fold::off) return {};
  if (!folded) return fmt::format("not folded: {}\n", setup.not_folded);
  return fmt::format(
      "folded: node 0 was simulated, and stands for all {} nodes; the bytes of the others were not verified\n",
      grouped(std::uint64_t{1} << setup.dim));
}

/// On a machine that stores and forwards: the most that a node stored, and whether the equations cover the run.
void print_stored(const RunSetup& setup, const RunStatistics& network) {
  if (setup.machine.network.switching != Switching::store_and_forward || setup.engine == EngineChoice::ideal) return;
  fmt::print("stored and forwarded in packets of up to {} B; a node held {} B at most\n",
             grouped(setup.machine.network.packet_bytes), grouped(network.most_stored));
  if (network.most_packets > 1) {
    fmt::print("equations are for messages of one packet; those of several overlap on their way\n");
  }
}

void print_planes(const RunSetup& setup, const PlaneStatistics& planes) {
  if (setup.machine.network.planes == 0) return;
  fmt::print("planes: {} changes; closing {}, dark {} cycles; nodes waited in {} of their cycles, {} were hidden\n",
             grouped(planes.changes), grouped(planes.closing), grouped(planes.dark), grouped(planes.exposed),
             grouped(planes.hidden));
}

/// A line for each directed link: circuits, bytes, busy and blocked cycles, most waiters (hw/README.md section 6), the
/// blocked cycles within the traced window unless that is the whole run, and the longest wait with its chain.
std::string links_table(const Links& links, const RunTrace& trace) {
  const bool whole = trace.request().window.whole();
  std::string text = fmt::format(
      "node,output,name,to,circuits,bytes,busy_cycles,blocked_cycles,most_waiters,{}longest_wait_cycles,longest_wait\n",
      whole ? "" : "blocked_cycles_in_window,");
  const Topology& topology = links.topology();
  for_each_link(topology, [&](LinkId id) {
    const auto [node, output] = id;
    const LinkStatistics link = links.statistics(id);
    // A plane leads to another node after each tune.
    const std::string to = topology.planes() != 0 ? "" : std::to_string(topology.neighbour(node, output));
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},", node, output,
                   topology.output_name(node, output), to, link.circuits, link.bytes, link.busy, link.blocked,
                   link.most_waiters);
    if (!whole) text += fmt::format("{},", trace.contention().window_blocked(id));
    const Wait* const longest = trace.contention().longest_of(id);
    text += longest == nullptr
                ? "0,\n"
                : fmt::format("{},{}\n", longest->cycles(), csv_quoted(sentence_of(*longest, topology.outputs())));
  });
  return text;
}

class RunSession {
 public:
  RunSession(const RunArguments& arguments, Experiment& experiment)
      : arguments_(arguments),
        experiment_(experiment),
        setup_(experiment.setup()),
        bench_(experiment.bench()),
        size_(experiment.size()),
        style_(STDOUT_FILENO, !arguments.no_color),
        line_(arguments.quiet) {
    const TraceRequest request = trace_of(arguments, setup_.machine, setup_.topology(), setup_.engine);
    const TracedMachine machine = request.wanted() ? bench_.traced(setup_) : TracedMachine();
    // The names of signals are known only after elaboration.
    if (machine.modules != nullptr) (void)RunTrace::select(request, setup_, machine);
    if (!arguments.directory.empty()) {
      directory_.emplace(arguments.directory.value());
      directory_->claim(names_in_directory(request), arguments.replace);
      if (!directory_->locked() && !arguments.quiet) {
        fmt::print(stderr, "note: the file system of {} has no locks: let one run at a time write into it\n",
                   arguments.directory.value());
      }
      if (arguments.circuits && setup_.engine != EngineChoice::ideal) {
        observers_.add(circuits_.emplace(directory_->files().file("circuits.csv"), setup_.topology()));
      }
    }
    if (setup_.engine != EngineChoice::ideal && (directory_ || request.wanted() || arguments.contention)) {
      trace_.emplace(request, setup_, files_for_trace(request), machine);
      if (circuits_) trace_->report_to(programs_.emplace(directory_->files(), setup_.machine.network.planes));
      if (directory_ && leaves_node_times(setup_.machine, setup_.dim)) {
        trace_->report_to(node_times_.emplace(setup_.topology().nodes()));
        observers_.add(*node_times_);
      }
      observers_.add(trace_->observers().observer());
      if (machine.modules != nullptr) bench_.trace_signals(trace_->signals());
      if (request.wanted() && !arguments.quiet) {
        tell_size();
        // Tables take a loop as one computation: there are no cycles of its accesses to show.
        if (machine.modules == nullptr && setup_.machine.node.model == NodeModel::detailed) {
          fmt::print(stderr,
                     "the trace has no core, cache or bus of these detailed nodes; --engine clocked, up to {} "
                     "dimensions, shows them\n",
                     clocked::max_dim);
        }
      }
    }
    if (!arguments.export_goal.empty()) observers_.add(goal_.emplace(setup_.machine, setup_.topology().nodes()));
    if (!observers_.empty()) bench_.observe(&observers_.observer());
    bench_.on_progress([this](double us, std::uint64_t circuits) { return progress(us, circuits); });
  }

  ~RunSession() {
    bench_.on_progress({});
    bench_.observe(nullptr);
    bench_.trace_signals(nullptr);
  }

  int run(const std::vector<std::string>& command, const std::string& ignored) {
    if (!arguments_.quiet) fmt::print(stderr, "{}", experiment_.warning());
    experiment_.run();
    line_.clear();
    const RunMeasurement& m = experiment_.measurement();
    const bool finished = m.result.status == RunResult::Status::finished;
    const int told = finished ? tell(m, command, ignored) : 0;
    const RunEnd end = end_of(experiment_);
    fmt::print(stderr, "{}", end.problems);
    if (finished && interrupt_wanted()) {
      fmt::print(stderr, "interrupted after the run had ended; its results are complete\n");
      return interrupted_status;
    }
    return end.status == 3 ? end.status : std::max(told, end.status);
  }

  void record(const std::vector<std::string>& command) {
    experiment_.run();
    line_.clear();
    const RunResult& result = experiment_.measurement().result;
    if (result.status == RunResult::Status::interrupted) throw Interrupted("interrupted; nothing was written");
    if (result.status != RunResult::Status::finished) return;
    if (trace_) (void)trace_->finish(bench_.links(), result.cycles);
    if (directory_) write_files(run_json(experiment_));
    publish(command);
  }

 private:
  bool traces_into_directory(const TraceRequest& request) const {
    std::error_code none;
    return request.wanted() && directory_ &&
           std::filesystem::equivalent(request.directory(), directory_->files().directory().path(), none);
  }

  const StagedFiles* files_for_trace(const TraceRequest& request) {
    if (!request.wanted()) return nullptr;
    return traces_into_directory(request) ? &directory_->files() : &beside_.emplace(request.directory());
  }

  std::vector<std::string> names_in_directory(const TraceRequest& request) const {
    std::vector<std::string> names{"resolved.toml", "summary.json"};
    if (setup_.engine == EngineChoice::ideal) return names;
    names.emplace_back("links.csv");
    if (arguments_.circuits) names.insert(names.end(), {"circuits.csv", "programs.csv"});
    if (arguments_.circuits && setup_.machine.network.planes != 0) names.emplace_back("dark.csv");
    if (leaves_node_times(setup_.machine, setup_.dim)) names.emplace_back("node_times.csv");
    if (!traces_into_directory(request)) return names;
    for (const std::string& file : request.files()) names.push_back(std::filesystem::path(file).filename().string());
    return names;
  }

  void tell_size() const {
    const TraceRequest& request = trace_->request();
    const std::string where = fmt::format("tracing to {}", request.file);
    std::string signals;
    if (const double cycle = trace_->signal_bytes(); cycle > 0) {
      signals = fmt::format(", and for signals of modules up to {} every 1,000 cycles", bytes_text(1000 * cycle));
    }
    if (size_.circuits == 0) {
      fmt::print(stderr, "{}{}\n", where, signals);
      return;
    }
    const double hops = size_.hops > 0 ? size_.hops : setup_.dim / 2.0;
    const double bytes = trace_->estimated_bytes(static_cast<double>(size_.circuits), hops);
    fmt::print(stderr, "{} and a timeline: {} {} together{}", where, request.window.whole() ? "about" : "at most",
               bytes_text(bytes), signals);
    std::error_code none;
    const auto space = std::filesystem::space(std::filesystem::absolute(request.file, none).parent_path(), none);
    if (!none && bytes > static_cast<double>(space.available)) {
      fmt::print(stderr, ", and {} are free there: less is written with --trace-window or --trace-filter",
                 bytes_text(static_cast<double>(space.available)));
    }
    fmt::print(stderr, "\n");
  }

  int tell_trace(RunTrace::Outcome outcome, Cycles cycles) const {
    if (outcome == RunTrace::Outcome::incomplete) {
      fmt::print(stderr,
                 "error: the trace is incomplete, and was left out: {} could not be written; is the disk full?\n",
                 trace_->request().file);
      return 1;
    }
    if (outcome == RunTrace::Outcome::outside) {
      fmt::print(stderr,
                 "error: --trace-window {} is outside the run, which took {} cycles; nothing was traced\n"
                 "  valid: a window that begins in 0 .. {}\n",
                 ecube::quoted(arguments_.trace_window.value()), grouped(cycles), cycles);
      return 2;
    }
    if (outcome == RunTrace::Outcome::whole && !arguments_.quiet) {
      fmt::print(stderr, "traced to {}\n", trace_->files_text());
    }
    return 0;
  }

  bool progress(double us, std::uint64_t circuits) {
    if (interrupt_wanted()) return false;
    if (!line_.due()) return true;
    const std::string where = experiment_.where().empty() ? "" : "  " + experiment_.where();
    if (size_.circuits == 0 || !size_.one_run) {
      line_.show(fmt::format("{}  {} messages{}", simulated(us), grouped(circuits), where));
      return true;
    }
    const double part = std::min(1.0, static_cast<double>(circuits) / static_cast<double>(size_.circuits));
    constexpr double width = 20;
    const auto full = static_cast<std::size_t>(part * width);
    std::string text = fmt::format("[{:-<20}] {:.0f}%  {}{}", std::string(full, '#'), part * 100, simulated(us), where);
    if (part > 0.01) text += "  ETA " + duration_text(line_.seconds() * (1 - part) / part);
    line_.show(text);
    return true;
  }

  void write_files(const nlohmann::ordered_json& summary) {
    directory_->files().write("resolved.toml", machine_as_toml(setup_.machine));
    directory_->files().write("summary.json", json_text(summary));
    if (trace_) directory_->files().write("links.csv", links_table(bench_.links(), *trace_));
    if (circuits_) circuits_->finish();
    if (programs_) programs_->finish();
    if (node_times_) {
      directory_->files().write("node_times.csv", node_times_->table(experiment_.measurement().result.cycles));
    }
  }

  /// Puts the files in the place of those of an earlier run, with version, build, seed, arguments and time of this one.
  void publish(const std::vector<std::string>& command) {
    // A layout that is there has its waveform.
    if (beside_) beside_->move_each({std::filesystem::path(trace_->request().beside(".gtkw")).filename().string()});
    if (!directory_) return;
    directory_->publish({{"schema", json_schema},
                         {"version", program_version},
                         {"compiler", program_compiler},
                         {"build_type", program_build_type},
                         {"seed", setup_.conditions.seed},
                         {"arguments", command},
                         {"finished", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}});
  }

  void tell_replaced() const {
    if (arguments_.quiet || !directory_ || !directory_->replaces()) return;
    const OpenDirectory& place = directory_->files().directory();
    fmt::print(stderr, "replaced the files of the earlier run in {}\n", place.path());
    if (place.status(report_name)) {
      fmt::print(stderr, "note: {}/{} still shows the earlier run; {} report {} makes it anew\n", place.path(),
                 report_name, own_command(), shell_word(place.path()));
    }
  }

  int tell(const RunMeasurement& m, const std::vector<std::string>& command, const std::string& ignored) {
    nlohmann::ordered_json json = run_json(experiment_);
    RunTrace::Outcome outcome = RunTrace::Outcome::none;
    if (trace_) outcome = trace_->finish(bench_.links(), m.result.cycles);
    const bool contended = arguments_.contention || outcome != RunTrace::Outcome::none;
    std::optional<ContentionSource> contention;
    if (contended) {
      contention.emplace(ContentionSource{bench_.links(), trace_->contention(), m.network, m.result.cycles});
      json["contention"] = contention_json(*contention);
    }
    if (outcome != RunTrace::Outcome::none && outcome != RunTrace::Outcome::outside) {
      json["trace"] = {{"waveform", trace_->request().file},
                       {"timeline", trace_->request().beside(".pftrace")},
                       {"complete", outcome == RunTrace::Outcome::whole}};
    }
    // Files first: a reader of standard output that leaves early must not cost any file.
    std::string not_written;
    try {
      if (directory_) write_files(json);
      if (outcome != RunTrace::Outcome::outside) publish(command);
      if (goal_) {
        std::string line;
        for (std::size_t i = 1; i < command.size(); ++i) line += (i > 1 ? " " : "") + shell_word(command[i]);
        write_file(arguments_.export_goal.value(), goal_->text("ecube " + line));
      }
    } catch (const std::runtime_error& problem) {
      not_written = problem.what();
    }
    if (arguments_.json) {
      fmt::print("{}", json_text(json));
    } else {
      experiment_.print(style_);
      fmt::print("{}{}", leaves_out_note(experiment_.gaps()), fold_text(setup_, m.folded));
      print_stored(setup_, m.network);
      print_planes(setup_, m.network.planes);
      if (const auto& failures = setup_.conditions.failures; !failures.empty()) {
        fmt::print("failed: {}; {}\n", failures_text(failures), cut_count_text(m.network.cut));
      }
      if (contended) fmt::print("{}", contention_text(*contention, terminal_columns(STDOUT_FILENO)));
      fmt::print("{}", ignored);
      const bool page = circuits_ && setup_.topology().is_cube();
      const std::string next = page ? fmt::format("{} report {}, the run as a page to replay", own_command(),
                                                  shell_word(arguments_.directory.value()))
                                    : experiment_.next_command(arguments_.contention || !arguments_.trace.empty());
      if (!arguments_.quiet && !next.empty()) fmt::print("next: {}\n", next);
    }
    std::fflush(stdout);
    const int trace_status = tell_trace(outcome, m.result.cycles);
    if (not_written.empty()) {
      tell_replaced();
      return trace_status;
    }
    fmt::print(stderr, "error: {}\n", not_written);
    return std::max(trace_status, 1);
  }

  const RunArguments& arguments_;
  Experiment& experiment_;
  const RunSetup& setup_;
  TestBench& bench_;
  RunSize size_;
  Style style_;
  Interruptible interruptible_;
  std::optional<Publication> directory_;
  std::optional<StagedFiles> beside_;  ///< the files of a waveform that is not in the run directory
  std::optional<CircuitLog> circuits_;
  std::optional<ProgramLog> programs_;
  std::optional<NodeTimes> node_times_;  ///< of detailed nodes
  std::optional<RunTrace> trace_;
  std::optional<GoalRecorder> goal_;
  ObserverList observers_;
  ProgressLine line_;
};

}  // namespace

int run_as_command(const RunArguments& arguments, Experiment& experiment, const std::vector<std::string>& command,
                   const std::string& ignored) {
  return RunSession(arguments, experiment).run(command, ignored);
}

void record_run(const RunArguments& arguments, Experiment& experiment, const std::vector<std::string>& command) {
  RunSession(arguments, experiment).record(command);
}

}  // namespace ecube
