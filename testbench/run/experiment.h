// SPDX-License-Identifier: Apache-2.0
// One run as a value: typed options become an experiment, and its run becomes figures, a table or JSON. The caller (a
// command, a study, a report) decides what is printed. One run as a command, from its experiment to its exit status.
// Failed links and nodes, and what waits for what in a machine in which nothing can move. Of `--fold`: runs in which
// one node is simulated in the place of all.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sw/exchange/exchange.h"
#include "testbench/run/run_arguments.h"
#include "testbench/text/text.h"

namespace ecube {

/// The estimated size of a run, as far as it is known beforehand.
struct RunSize {
  std::uint64_t circuits = 0;  ///< 0 = not known
  Bytes data = 0;              ///< carried by the messages, in memory
  double hops = 0;             ///< of a circuit, on average; 0 = half the dimensions
  bool one_run = true;         ///< else `where` tells which of its runs is under way
};

/// The parts of the JSON object that are particular to an experiment; `run_json` adds the others.
struct RunReport {
  std::string command;
  nlohmann::ordered_json workload{};   ///< without jitter and seed
  nlohmann::ordered_json measured{};   ///< beyond cycles and us
  nlohmann::ordered_json predicted{};  ///< with "us"; null without a prediction
  nlohmann::ordered_json extra{};      ///< members of the whole object
};

/// "the equation leaves out: ..", a line; empty without gaps.
[[nodiscard]] std::string leaves_out_note(const std::vector<std::string>& gaps);

class Experiment {
 public:
  Experiment(RunSetup setup, TestBench& bench) : setup_(std::move(setup)), bench_(bench) {}
  virtual ~Experiment() = default;
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  [[nodiscard]] const RunSetup& setup() const { return setup_; }
  [[nodiscard]] TestBench& bench() const { return bench_; }
  /// What the machine does and the equation leaves out.
  [[nodiscard]] const std::vector<std::string>& gaps() const { return gaps_; }

  [[nodiscard]] virtual RunSize size() const = 0;
  /// Lines for the user to read before the run; none as a rule.
  [[nodiscard]] virtual std::string warning() const { return {}; }
  virtual void run() = 0;
  /// How far the run is, as "phase 2/3"; may be empty.
  [[nodiscard]] virtual std::string where() const;

  [[nodiscard]] virtual const RunMeasurement& measurement() const = 0;

  // What follows is for a run that finished.

  /// Whether data arrived as they should; nothing where none were carried.
  [[nodiscard]] virtual std::optional<bool> verified() const { return std::nullopt; }
  /// Of a folded run: the nodes whose data were checked, by translation.
  [[nodiscard]] virtual NodeId verified_nodes() const { return 0; }
  [[nodiscard]] virtual RunReport report() const = 0;
  virtual void print(const Style& style) const = 0;
  /// A command to try next; may be empty. `contention_told`: the output already says who waited for whom.
  [[nodiscard]] virtual std::string next_command(bool contention_told) const;

 protected:
  /// Calls run(true) for a folded run, if the setup may be folded, and run(false) if it is not, or where that run found
  /// that it cannot be folded, and all nodes have to be simulated.
  void run_folded_or_not(const std::function<void(bool folded)>& run);

  /// "ipsc860  d=6 (64 nodes, 384 links)  WHAT  engine event  seed 1", and an empty line.
  void print_title(const std::string& what) const;
  /// Whether the data of the run were right: `done` for those that were, "vectors" for what was carried.
  void print_data(const Style& style, Payload payload, std::uint64_t wrong, const std::string& carried,
                  const std::string& done) const;
  /// That the engine has no network, if so; and the circuits of a protocol, if there were any.
  void print_engine() const;
  void print_control() const;
  /// The run is in the first part without an end, "phase" for one. `ends_us` lives as long as the run.
  void follow(std::string_view part, const std::vector<double>& ends_us) {
    part_ = part;
    ends_us_ = &ends_us;
  }

  std::vector<std::string> gaps_;

 private:
  RunSetup setup_;
  TestBench& bench_;
  std::string_view part_;
  const std::vector<double>* ends_us_ = nullptr;
};

/// An experiment whose measurement is a DataMeasurement, or more.
template <class Measurement>
class DataRun : public Experiment {
 public:
  using Experiment::Experiment;
  [[nodiscard]] const RunMeasurement& measurement() const override { return m_.run; }
  [[nodiscard]] std::optional<bool> verified() const override { return m_.verified; }
  [[nodiscard]] NodeId verified_nodes() const override { return m_.verified_nodes; }

 protected:
  Measurement m_;
};

/// An experiment whose measurement is that of its run alone.
class PlainRun : public Experiment {
 public:
  using Experiment::Experiment;
  [[nodiscard]] RunSize size() const override { return {}; }
  [[nodiscard]] const RunMeasurement& measurement() const override { return m_; }

 protected:
  /// Of the equation for messages, for a run on the engine ideal; other engines have no costs.
  [[nodiscard]] IdealCosts costs_for(const RunArguments& arguments) const;
  void print_measured() const;

  RunMeasurement m_;
};

/// Cells of a table: predicted and measured us, the error between them, and blocked circuits, marked if there are any.
[[nodiscard]] std::string compared_cells(std::optional<double> predicted_us, double measured_us, std::uint64_t blocked,
                                         const Style& style);

/// What `ecube run NAME` asks for: options, and the experiment that they describe.
struct RunRequest {
  std::function<void(Command& command)> declare;
  RunArguments& shared;                  ///< of the options
  std::function<std::string()> ignored;  ///< lines about options that were given and change nothing
  /// Loads code of users that the run executes. False where there is none.
  std::function<bool()> load_code;
  /// Checks the options; InputError for whatever is wrong. The machine is one of `benches`.
  std::function<std::unique_ptr<Experiment>(Benches& benches)> experiment;
};

/// A request whose options are a struct with the shared ones as `run`; `declare` declares the others.
template <class Arguments, class Declare, class Make, class Load = bool (*)(const Arguments&)>
[[nodiscard]] std::unique_ptr<RunRequest> run_request_of(
    Declare declare, Make make, Load load = [](const Arguments&) { return false; }) {
  const auto arguments = std::make_shared<Arguments>();
  return std::make_unique<RunRequest>(
      RunRequest{.declare =
                     [=](Command& command) {
                       declare(command, *arguments);
                       add_run_options(command, arguments->run);
                     },
                 .shared = arguments->run,
                 .ignored = [=] { return ignored_options(*arguments, "run"); },
                 .load_code = [=] { return load(*arguments); },
                 .experiment = [=](Benches& benches) { return make(*arguments, benches); }});
}

/// Jitter and seed of a run, as members of its workload.
void add_conditions(nlohmann::ordered_json& workload, const RunConditions& conditions);

[[nodiscard]] nlohmann::ordered_json run_json(const Experiment& experiment);
[[nodiscard]] nlohmann::ordered_json machine_json(const Machine& machine, unsigned dim, EngineChoice engine);

/// "machine" of an answer about a machine; with --params there is none, and only the dimension counts.
[[nodiscard]] nlohmann::ordered_json asked_machine_json(const Machine& machine, unsigned dim, bool params);

/// Of the equations for messages and exchanges.
[[nodiscard]] nlohmann::ordered_json exchange_parameters_json(const ExchangeParameters& parameters);

/// Lines about a stalled run: its circuits and nodes, which have finished, and the ring in which circuits wait, if any.
[[nodiscard]] std::string stall_text(const RunMeasurement& measurement, const Topology& topology);

/// The same in figures: "cycle", "nodes" that have not finished, "circuits_in_ring" and the "ring" itself, in which
/// each circuit waits for the next: source, destination, and the link that it waits for.
[[nodiscard]] nlohmann::ordered_json stall_json(const RunMeasurement& measurement);

/// The failures that `--fail` names: NODE:DIMENSION@TIME for a link, NODE@TIME for a node, without @TIME from the first
/// edge on; "none" names none. InputError for what the cube does not have, a wrong time, and a thing named twice.
[[nodiscard]] std::vector<Failure> parse_failures(const std::vector<std::string>& typed, const Machine& machine,
                                                  const Topology& topology);

/// "link 5:2 from cycle 400 on" of the first eight failures, with commas between them, and how many more there are.
[[nodiscard]] std::string failures_text(const std::vector<Failure>& failures);

/// "3 circuits were cut".
[[nodiscard]] std::string cut_count_text(std::uint64_t cut);

[[nodiscard]] nlohmann::ordered_json failures_json(const RunSetup& setup);

struct RunEnd {
  int status = 0;
  std::string problems{};  ///< lines for standard error; none when all is well
};
[[nodiscard]] RunEnd end_of(const Experiment& experiment);

/// Runs the experiment as a command: with progress, in the run directory that is wanted, if any (InputError when it
/// cannot be made). A run that finishes leaves its files and prints its tables or JSON object; a run that does not
/// finish leaves the files of an earlier run as they are. Prints errors on standard error and returns the exit status.
/// `command` is the command line, for the record; `ignored`, lines about options without effect, end the output.
[[nodiscard]] int run_as_command(const RunArguments& arguments, Experiment& experiment,
                                 const std::vector<std::string>& command, const std::string& ignored);
/// The same without any output; a run that does not finish leaves no files. std::runtime_error when its files cannot be
/// written, Interrupted when the user has stopped it.
void record_run(const RunArguments& arguments, Experiment& experiment, const std::vector<std::string>& command);

/// Reads --fold into `setup`, whose other members are complete, and settles what speaks against it in the options, the
/// machine and the conditions. InputError as below.
void read_fold(RunSetup& setup, const RunArguments& arguments);
/// There may be a reason against folding: InputError with --fold on; with --fold auto the setup keeps the first one.
void settle_fold(RunSetup& setup, const std::string& reason);

}  // namespace ecube
