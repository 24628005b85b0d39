// SPDX-License-Identifier: Apache-2.0
// From a program's name or file to its run.
#include <fmt/core.h>

#include "models/fit/equation_gaps.h"
#include "models/machine/error.h"
#include "models/machine/quantity.h"
#include "sw/api/firmware.h"
#include "sw/examples/programs.h"
#include "testbench/program/program_library.h"
#include "testbench/run/commands.h"

namespace ecube {

namespace {

struct ProgramArguments {
  RunArguments run;
  std::string program;
  std::string name;
  std::vector<std::string> parameters;
  std::string step_limit;  ///< default_step_limit when empty
  bool sanitize = false;
  [[nodiscard]] MemoryChecks checks() const { return sanitize ? MemoryChecks::sanitizers : MemoryChecks::none; }
};

double step_limit_of(const ProgramArguments& arguments) {
  if (arguments.step_limit.empty()) return default_program_step_limit;
  const auto seconds = parse_ratio(arguments.step_limit);
  if (!seconds || (*seconds).value() < 0.1 || (*seconds).value() > 1e6) {
    throw InputError(fmt::format("--step-limit {} is no time in seconds", ecube::quoted(arguments.step_limit)))
        .valid("0.1 .. 1000000");
  }
  return (*seconds).value();
}

class ExampleRun : public PlainRun {
 public:
  ExampleRun(const ProgramArguments& arguments, const programs::Entry& program, const RunSetup& setup, TestBench& bench)
      : PlainRun(setup, bench), arguments_(arguments), program_(program), costs_(costs_for(arguments.run)) {}

  void run() override {
    Firmware firmware(program_.body);
    m_ = bench().run(setup(), firmware, costs_);
  }

  [[nodiscard]] RunReport report() const override {
    return {.command = "run program", .workload = {{"program", arguments_.program}}};
  }

  void print(const Style& /*style*/) const override {
    print_title("program " + arguments_.program);
    print_measured();
  }

 private:
  ProgramArguments arguments_;
  const programs::Entry& program_;
  IdealCosts costs_;
};

class FileRun : public PlainRun {
 public:
  FileRun(const ProgramArguments& arguments, const ProgramLibrary& library, const ProgramEntry& entry,
          const RunSetup& setup, ParameterValues values, TestBench& bench)
      : PlainRun(setup, bench),
        file_(arguments.program),
        library_(library),
        entry_(entry),
        values_(std::move(values)),
        guard_(entry.name, step_limit_of(arguments), arguments.checks()) {
    std::optional<ExchangeParameters> parameters;
    if (setup.engine == EngineChoice::ideal || entry.predicts) {
      // An exchange of a program synchronises unless it says otherwise.
      parameters = parameters_for(arguments.run, bench, setup.machine, setup.dim, PairwiseSync::on);
      source_ = parameters->source;
      costs_ = ideal_costs(*parameters, setup.machine, setup.dim);
    }
    const Job job(setup.machine, setup.dim, setup.conditions.seed, values_, parameters);
    // Constructors of the user's objects run here, and the prediction.
    try {
      const auto begin = [&] {
        runner_ = entry.make(job);
        predicted_us_ = runner_->predict();
      };
      guard_.run(begin, ProgramGuard::Counts::all_time);
    } catch (const ProgramCrash&) {
      throw;
    } catch (const InputError&) {
      throw;
    } catch (const std::exception& problem) {
      throw InputError(fmt::format("program {} cannot begin: {}", entry.name, problem.what()));
    }
  }

  void run() override {
    Firmware program([this](Node& node) {
      node.ports().runs(node.id());
      ProgramGuard::watch(node.ports());
      return runner_->run(node);
    });
    guard_.run([&] {
      m_ = bench().run(setup(), program, costs_);
      if (m_.result.status != RunResult::Status::finished) return;
      wrong_ = runner_->check();
      sums_ = runner_->sums();
    });
    if (m_.escaped_error) m_.result.fault = fmt::format("program {}: {}", entry_.name, m_.result.fault);
  }

  [[nodiscard]] std::optional<bool> verified() const override {
    return wrong_ ? std::optional(wrong_->empty()) : std::nullopt;
  }

  [[nodiscard]] RunReport report() const override {
    nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
    for (const Parameter& parameter : entry_.parameters) {
      const ParameterValue& value = values_.at(parameter.name);
      const bool words = value.type == ParameterType::text || value.type == ParameterType::file;
      nlohmann::ordered_json& json = parameters[parameter.name] = value.whole;
      if (value.type == ParameterType::real) json = value.real;
      if (value.type == ParameterType::flag) json = value.whole != 0;
      if (words) json = value.text;
    }
    RunReport report{
        .command = "run program",
        .workload = {
            {"program", file_}, {"name", entry_.name}, {"source_hash", library_.hash}, {"parameters", parameters}}};
    if (!sums_.all().empty()) report.measured["sums"] = sums_.all();
    if (predicted_us_) {
      report.predicted = {
          {"equation", "stated by the program"}, {"us", *predicted_us_}, {"parameters", {{"source", source_}}}};
    }
    return report;
  }

  void print(const Style& style) const override {
    print_title("program " + fmt::format("{} of {}", entry_.name, file_));
    if (predicted_us_) {
      fmt::print("predicted us   measured us     error  blocked\n{:>12.3f}  {:>12.3f}  {:>8}  {:>7}\n\n",
                 *predicted_us_, m_.result.us, percent(deviation_percent(m_.result.us, *predicted_us_)),
                 grouped(m_.network.link_blocked.circuits));
    }
    print_measured();
    for (const auto& [name, amount] : sums_.all()) fmt::print("{}  {:.10g}\n", name, amount);
    if (!wrong_) {
      fmt::print("results not checked: the program states no check\n");
    } else if (wrong_->empty()) {
      fmt::print("results verified by the program's check\n");
    } else {
      fmt::print("{}: {}\n", style.bad("wrong results"), *wrong_);
    }
  }

 private:
  std::string file_;
  const ProgramLibrary& library_;
  const ProgramEntry& entry_;
  ParameterValues values_;
  ProgramGuard guard_;
  IdealCosts costs_;
  std::string source_;
  std::unique_ptr<ProgramRunner> runner_;
  std::optional<double> predicted_us_;
  std::optional<std::string> wrong_;
  Sums sums_;
};

std::unique_ptr<Experiment> example_run(const ProgramArguments& arguments, Benches& benches) {
  const programs::Entry* chosen = nullptr;
  std::vector<std::string_view> names;
  for (const programs::Entry& entry : programs::all()) {
    names.push_back(entry.name);
    if (entry.name == arguments.program) chosen = &entry;
  }
  if (chosen == nullptr) refuse_word("run program", arguments.program, names);
  const char* const given = !arguments.name.empty()         ? "names are"
                            : !arguments.parameters.empty() ? "--param values are"
                            : !arguments.step_limit.empty() ? "--step-limit is"
                            : arguments.sanitize            ? "--sanitize is"
                                                            : nullptr;
  if (given != nullptr) {
    throw InputError(fmt::format("{} for programs from files", given)).hint("write ecube run program ./mine.cpp");
  }
  const RunSetup setup = setup_of(arguments.run, settings_of(arguments.run), Networks::any);
  return std::make_unique<ExampleRun>(arguments, *chosen, setup, benches.get(setup));
}

const ProgramLibrary& library_of(const ProgramArguments& arguments) {
  if (arguments.sanitize) load_sanitizers();
  return program_library(arguments.program, step_limit_of(arguments), arguments.checks());
}

std::unique_ptr<Experiment> file_run(const ProgramArguments& arguments, Benches& benches) {
  const RunSetup setup = setup_of(arguments.run, settings_of(arguments.run), Networks::any);
  const ProgramLibrary& library = library_of(arguments);
  const ProgramEntry& entry = program_of(library, arguments.name);
  ParameterValues values = parameter_values(entry, arguments.parameters, setup.machine);
  return std::make_unique<FileRun>(arguments, library, entry, setup, std::move(values), benches.get(setup));
}

}  // namespace

void add_explain_program(Command& explain) {
  const auto file = std::make_shared<std::string>();
  Command& command = explain.add_command("program", "The programs of a file, and their parameters");
  command.add_option("file", *file, "A file in C++, as for ecube run program", {.required = true});
  command.on_run([file] {
    for (const ProgramEntry& entry : program_library(*file).programs) fmt::print("{}", parameters_text(entry));
  });
}

std::unique_ptr<RunRequest> program_run_request() {
  return run_request_of<ProgramArguments>(
      [](Command& command, ProgramArguments& a) {
        command.add_option("program,--program", a.program, "A name below, or a file in C++ (./mine.cpp)",
                           {.required = true});
        command.add_option("--name", a.name, "Of a file with several programs: the program");
        command.add_option(
            "--param", a.parameters,
            "A parameter of a file's program, as n=100; repeatable (ecube explain program FILE says which)",
            {.one_value_each = true});
        command.add_option(
            "--step-limit", a.step_limit,
            "Of a file's program: seconds of processor time that a node may take from one co_await to the next [10]");
        command.add_flag(
            "--sanitize", a.sanitize,
            "Compile a file's program with AddressSanitizer and UBSan: a wrong access to memory ends the run "
            "with its file and line; slower");
        a.run.topology.list_in(group::common);
        add_run_options(command, a.run);
        std::string help = "Programs:\n";
        for (const programs::Entry& entry : programs::all())
          help += fmt::format("  {:<10} {}\n", entry.name, entry.help);
        command.footer(help + "\n");
      },
      [](const ProgramArguments& a, Benches& benches) {
        return names_program_file(a.program) ? file_run(a, benches) : example_run(a, benches);
      },
      [](const ProgramArguments& a) {
        if (!names_program_file(a.program)) return false;
        (void)library_of(a);
        return true;
      });
}

}  // namespace ecube
