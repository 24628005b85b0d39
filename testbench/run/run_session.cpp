// SPDX-License-Identifier: Apache-2.0
// Progress, interruption and the end of a run.
#include "testbench/run/run_session.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "testbench/trace/contention_report.h"

namespace ecube {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

const Clock::time_point process_begin = Clock::now();

std::string simulated(double us) {
  return us < 1000 ? fmt::format("{:.1f} us", us) : fmt::format("{:.1f} ms", us / 1000);
}

void report_lost(const RunStatistics& network, Protocol protocol) {
  if (network.lost == 0) return;
  const LostMessage& first = network.first_lost.front();
  fmt::print(stderr,
             "lost {} messages: no receive was posted{}\n"
             "  the first: {}->{} type {} at cycle {}\n",
             grouped(network.lost), protocol == Protocol::forced ? "" : ", and the system buffer was full",
             first.source, first.destination, first.type, grouped(first.at));
}

void report_stall(const RunMeasurement& m, unsigned dim) {
  fmt::print(stderr, "stalled at cycle {}: nothing can move, {} nodes have not finished\n", grouped(m.result.cycles),
             grouped(m.unfinished));
  for (const WaitingCircuit& circuit : m.blocked) {
    const std::string output = circuit.output < dim
                                   ? fmt::format("link {}:{}", circuit.router, circuit.output)
                                   : fmt::format("eject port {}:{}", circuit.router, circuit.output - dim);
    fmt::print(stderr, "  {}->{} waits for {}", circuit.waiting.source, circuit.waiting.destination, output);
    if (circuit.held) fmt::print(stderr, " held by {}->{}", circuit.holder.source, circuit.holder.destination);
    fmt::print(stderr, "\n");
  }
  static constexpr std::array<std::string_view, 7> what{
      "has nothing under way",           "waits for a message from", "waits for the other half of an exchange with",
      "waits for a port to send to",     "waits for its circuit to", "waits to synchronise with",
      "waits for room, to be granted by"};
  for (const WaitingNode& wait : m.waiting) {
    fmt::print(stderr, "  node {} {}", wait.node, what[static_cast<std::size_t>(wait.waits_for)]);
    if (wait.waits_for != WaitingNode::For::nothing) {
      fmt::print(stderr, " {} (type {}, since cycle {})",
                 wait.peer == any_node ? std::string("any node") : "node " + std::to_string(wait.peer), wait.type,
                 grouped(wait.since));
    }
    fmt::print(stderr, "\n");
  }
  if (m.unfinished > m.waiting.size()) {
    fmt::print(stderr, "  and {} more nodes\n", grouped(m.unfinished - m.waiting.size()));
  }
}

}  // namespace

nlohmann::ordered_json machine_json(const Machine& machine, unsigned dim, EngineChoice engine) {
  const std::uint32_t ports = machine.node.ports.engines;
  nlohmann::ordered_json json = {{"name", machine.name}, {"dim", dim}};
  if (dim <= max_simulated_dim) json["nodes"] = 1U << dim;
  json["clock_mhz"] = machine.clock_hz / 1e6;
  json["engine"] = word_of(engine, engines);
  json["ports"] = ports == 1 ? "one" : ports == Ports::n ? "n" : std::to_string(ports);
  return json;
}

RunSession::RunSession(const RunArguments& arguments, const RunSetup& setup, TestBench& bench, ProgressPlan plan)
    : arguments_(arguments),
      setup_(setup),
      bench_(bench),
      plan_(std::move(plan)),
      style_(STDOUT_FILENO, !arguments.no_color),
      begin_(Clock::now()),
      line_(arguments.quiet) {
  const TraceRequest request = trace_of(arguments, setup.machine, setup.dim, setup.engine);
  const TracedMachine machine = request.wanted() ? bench.traced(setup) : TracedMachine();
  // Names of signals are known only now.
  if (machine.modules != nullptr) (void)RunTrace::select(request, setup, machine);
  if (!arguments.directory.empty()) {
    directory_.emplace(arguments.directory);
    if (arguments.circuits && setup.engine != EngineChoice::ideal) {
      circuits_ = std::make_unique<CircuitLog>(directory_->file("circuits.csv"));
      observers_.add(*circuits_);
    }
  }
  if (setup.engine != EngineChoice::ideal && (directory_ || request.wanted() || arguments.contention)) {
    trace_.emplace(request, setup, files_for_trace(request), machine);
    observers_.add(trace_->observer());
    if (machine.modules != nullptr) bench.trace_signals(trace_->signals());
    if (request.wanted() && !arguments.quiet) tell_size();
  }
  if (!observers_.empty()) bench.observe(&observers_);
  bench.on_progress([this](const RunProgress& reached) { return progress(reached); });
}

RunSession::~RunSession() {
  bench_.on_progress({});
  bench_.observe(nullptr);
  bench_.trace_signals(nullptr);
}

OutputDirectory* RunSession::files_for_trace(const TraceRequest& request) {
  if (!request.wanted()) return nullptr;
  const std::filesystem::path file(request.file);
  const std::string parent = file.has_parent_path() ? file.parent_path().string() : ".";
  std::error_code none;
  if (directory_ && std::filesystem::equivalent(parent, directory_->path(), none)) return &directory_->files();
  return &beside_.emplace(parent, file.stem().string());
}

void RunSession::tell_size() const {
  const TraceRequest& request = trace_->request();
  const std::string where = fmt::format("tracing to {}", request.file);
  std::string signals;
  if (const double cycle = trace_->signal_bytes(); cycle > 0) {
    signals = fmt::format(", and for signals of modules up to {} every 1,000 cycles", bytes_text(1000 * cycle));
  }
  if (plan_.circuits == 0) {
    fmt::print(stderr, "{}{}\n", where, signals);
    return;
  }
  const TraceSelection& selection = trace_->selection();
  const double hops = plan_.hops > 0 ? plan_.hops : setup_.dim / 2.0;
  const double bytes = RunTrace::estimated_bytes(request, selection, static_cast<double>(plan_.circuits), hops);
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

int RunSession::tell_trace(RunTrace::Outcome outcome, Cycles cycles) const {
  switch (outcome) {
    case RunTrace::Outcome::none:
      return 0;
    case RunTrace::Outcome::whole:
      if (!arguments_.quiet) fmt::print(stderr, "traced to {}\n", trace_->files_text());
      return 0;
    case RunTrace::Outcome::incomplete:
      fmt::print(stderr,
                 "error: the trace is incomplete, and was left out: {} could not be written; is the disk full?\n",
                 trace_->request().file);
      return 1;
    case RunTrace::Outcome::outside:
      fmt::print(stderr,
                 "error: --trace-window {} is outside the run, which took {} cycles; nothing was traced\n"
                 "  valid: a window that begins in 0 .. {}\n",
                 ecube::quoted(arguments_.trace_window), grouped(cycles), cycles);
      return 2;
  }
  return 0;
}

bool RunSession::progress(const RunProgress& reached) {
  reached_ = reached;
  if (interrupt_wanted()) return false;
  if (!line_.due()) return true;
  if (plan_.circuits == 0) {
    line_.show(fmt::format("{}  {} messages", simulated(reached.us), grouped(reached.circuits)));
    return true;
  }
  const double part = std::min(1.0, static_cast<double>(reached.circuits) / static_cast<double>(plan_.circuits));
  constexpr double width = 20;
  const auto full = static_cast<std::size_t>(part * width);
  std::string text = fmt::format("[{:-<20}] {:.0f}%  {}", std::string(full, '#'), part * 100, simulated(reached.us));
  if (plan_.where) text += "  " + plan_.where();
  if (part > 0.01) text += "  ETA " + duration_text(line_.seconds() * (1 - part) / part);
  line_.show(text);
  return true;
}

void RunSession::hint(const std::string& text) const {
  if (!arguments_.quiet) fmt::print("next: {}\n", text);
}

/// On a machine that stores and forwards packets: what nodes had to store, and whether the equations are for it.
void RunSession::print_stored(const RunStatistics& network) const {
  if (setup_.machine.network.switching != Switching::store_and_forward || setup_.engine == EngineChoice::ideal) return;
  fmt::print("stored and forwarded in packets of up to {} B; a node held {} B at most\n",
             grouped(setup_.machine.network.packet_bytes), grouped(network.most_stored));
  if (network.most_packets > 1) {
    fmt::print("equations are for messages of one packet; those of several overlap on their way\n");
  }
}

nlohmann::ordered_json RunSession::json_of(const RunMeasurement& m, const RunReport& report) const {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double wall_s = Seconds(Clock::now() - process_begin).count();
  nlohmann::ordered_json json = {{"schema", 1},
                                 {"command", report.command},
                                 {"machine", machine_json(setup_.machine, setup_.dim, setup_.engine)},
                                 {"workload", report.workload},
                                 {"measured", {{"cycles", m.result.cycles}, {"us", m.result.us}}},
                                 {"predicted", report.predicted},
                                 {"error_percent", nullptr}};
  if (!report.measured.is_null()) json["measured"].update(report.measured);
  if (!report.predicted.is_null()) json["error_percent"] = report.error_percent;
  json["network"] = {{"circuits", m.network.circuits},
                     {"payload_bytes", m.network.payload_bytes},
                     {"blocked_circuits", m.network.link_blocked.circuits},
                     {"blocked_cycles", m.network.link_blocked.cycles},
                     {"port_blocked_circuits", m.network.port_blocked.circuits},
                     {"port_blocked_cycles", m.network.port_blocked.cycles},
                     {"control_circuits", m.network.control_circuits},
                     {"serialised_circuits", m.network.serialised.circuits},
                     {"serialised_cycles", m.network.serialised.cycles},
                     {"lost_messages", m.network.lost},
                     {"utilisation_mean", m.utilisation_mean},
                     {"utilisation_max", m.utilisation_max}};
  if (setup_.machine.network.switching == Switching::store_and_forward) {
    json["network"]["most_stored_bytes"] = m.network.most_stored;
  }
  json["simulation"] = {{"events", m.events}};
  json["verified"] = nullptr;
  if (report.verified) json["verified"] = *report.verified;
  if (!report.extra.is_null()) json.update(report.extra);
  json["host"] = {{"wall_s", wall_s},
                  {"peak_rss_mib", static_cast<double>(usage.ru_maxrss) / 1024.0},
                  {"circuits_per_s", wall_s > 0 ? static_cast<double>(m.network.circuits) / wall_s : 0.0}};
  return json;
}

void RunSession::write_files(const nlohmann::ordered_json& summary, const Invocation& invocation) {
  directory_->write_machine(setup_.machine);
  directory_->write_summary(summary);
  if (trace_) directory_->write_links(bench_.links(), trace_->contention(), trace_->request().window);
  if (circuits_) circuits_->finish();
  directory_->write_provenance(invocation.arguments, setup_.conditions.seed);
}

void RunSession::publish() {
  if (beside_) beside_->publish();
  if (directory_) directory_->publish();
}

int RunSession::finish(const RunMeasurement& m, const RunReport& report, const Invocation& invocation,
                       const std::function<void()>& print_tables) {
  line_.clear();
  int trace_status = 0;
  std::string not_written;
  if (m.result.status == RunResult::Status::finished) {
    nlohmann::ordered_json json = json_of(m, report);
    RunTrace::Outcome outcome = RunTrace::Outcome::none;
    if (trace_) outcome = trace_->finish(bench_.links(), m.result.cycles);
    const bool tell = arguments_.contention || outcome != RunTrace::Outcome::none;
    std::optional<ContentionSource> contention;
    if (tell) {
      contention.emplace(ContentionSource{bench_.links(), trace_->contention(), m.network, m.result.cycles});
      json["contention"] = contention_json(*contention);
    }
    if (outcome != RunTrace::Outcome::none && outcome != RunTrace::Outcome::outside) {
      json["trace"] = {{"waveform", trace_->request().file},
                       {"timeline", trace_->request().beside(".pftrace")},
                       {"complete", outcome == RunTrace::Outcome::whole}};
    }
    // Files first: a reader of standard output that leaves early costs none of them.
    try {
      if (directory_) write_files(json, invocation);
      if (outcome != RunTrace::Outcome::outside) publish();
    } catch (const std::runtime_error& problem) {
      not_written = problem.what();
    }
    if (invocation.deliver) {
      invocation.deliver(json);
    } else if (arguments_.json) {
      fmt::print("{}\n", json.dump(2));
    } else {
      print_tables();
      print_stored(m.network);
      if (tell) fmt::print("{}", contention_text(*contention, terminal_columns(STDOUT_FILENO)));
    }
    std::fflush(stdout);
    trace_status = tell_trace(outcome, m.result.cycles);
    if (!not_written.empty()) fmt::print(stderr, "error: {}\n", not_written);
  }
  report_lost(m.network, setup_.machine.library.protocol);
  switch (m.result.status) {
    case RunResult::Status::finished:
      break;
    case RunResult::Status::fault:
      fmt::print(stderr, "stopped at cycle {}: {}\n", grouped(m.result.cycles), m.result.fault);
      return m.escaped_error && m.network.lost == 0 ? 1 : 3;
    case RunResult::Status::interrupted:
      fmt::print(stderr, "interrupted at cycle {}, after {} messages; nothing was written\n", grouped(m.result.cycles),
                 grouped(m.network.circuits));
      return interrupted_status;
    case RunResult::Status::stalled:
      report_stall(m, setup_.dim);
      return 3;
  }
  if (interrupt_wanted()) {
    fmt::print(stderr, "interrupted after the run had ended; its results are complete\n");
    return interrupted_status;
  }
  if (m.network.lost > 0) return 3;
  return std::max(trace_status, report.verified == false || !not_written.empty() ? 1 : 0);
}

}  // namespace ecube
