// SPDX-License-Identifier: Apache-2.0
// From a program's name or file to its run, with values by the type that a parameter of the program has declared.
#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "models/fit/equation_gaps.h"
#include "models/machine/error.h"
#include "models/machine/quantity.h"
#include "models/machine/spelling.h"
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
  [[nodiscard]] std::vector<Effect> effects(const std::string& /*question*/, const Machine& /*machine*/) const {
    const bool asks = names_program_file(program) || run.engine.value() == EngineChoice::ideal;
    return {{run.parameters, asks, "only --engine ideal asks an equation"}};
  }
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

/// [ParameterType]: its name, and its values.
constexpr std::pair<std::string_view, std::string_view> types[] = {
    {"whole number", "a whole number, as 100"},
    {"number", "a number, as 0.5"},
    {"size", "a size, as 100 B or 4 KB (1 KB = 1,024 B); bytes without a unit"},
    {"time", "a time, as 10 us or 400 cycles"},
    {"text", "a text"},
    {"file", "a file"},
    {"flag", "on | off"},
};

const auto& text_of(ParameterType type) { return types[static_cast<std::size_t>(type)]; }

/// `text` as one of these numbers, without a rest.
template <class Number>
bool read_number(const std::string& text, Number& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size();
}

ParameterValue value_of(const Parameter& parameter, const std::string& text, const ProgramEntry& program,
                        const Machine& machine) {
  const auto refuse = [&](std::string_view why, std::string_view hint = {}) {
    throw InputError(fmt::format("--param {}={} {}", parameter.name, ecube::quoted(text), why))
        .hint(hint)
        .hint(fmt::format("{} of {}: {}", parameter.name, program.name, parameter.help))
        .valid(text_of(parameter.type).second);
  };
  const auto checked = [&](const auto& value) {
    if (!value) refuse(value.problem().message, value.problem().hint);
    return static_cast<std::int64_t>(*value);
  };
  const auto check_range = [&](const auto& number, const auto& least, const auto& most, bool without_most) {
    if (number >= least && number <= most) return;
    throw InputError(fmt::format("--param {}={} is out of range", parameter.name, text))
        .valid(without_most        ? fmt::format("{} or more", least)
               : std::isinf(least) ? fmt::format("{} or less", most)
                                   : fmt::format("{} .. {}", least, most));
  };
  ParameterValue value{.type = parameter.type, .text = text};
  switch (parameter.type) {
    case ParameterType::whole:
      if (!read_number(text, value.whole)) refuse("is no whole number");
      break;
    case ParameterType::real:
      if (!read_number(text, value.real) || !std::isfinite(value.real)) refuse("is no number");
      check_range(value.real, parameter.least_real, parameter.most_real, std::isinf(parameter.most_real));
      return value;
    case ParameterType::size:
      if (!read_number(text, value.whole)) value.whole = checked(parse_size(text));
      break;
    case ParameterType::time:
      value.whole = checked(parse_cycles(text, machine.clock_hz));
      break;
    case ParameterType::flag:
      if (text != "on" && text != "off") refuse("is neither on nor off");
      value.whole = text == "on" ? 1 : 0;
      return value;
    case ParameterType::text:
    case ParameterType::file:
      return value;
  }
  check_range(value.whole, parameter.least, parameter.most, parameter.most == std::numeric_limits<std::int64_t>::max());
  return value;
}

/// The values of all parameters of `program`: those of `given`, each "name=value", and defaults. Times become cycles
/// of `machine`. InputError for a name that the program does not declare, with the nearest one, for a value that is
/// not of its type or out of its range, and for a name that is given twice.
ParameterValues parameter_values(const ProgramEntry& program, std::span<const std::string> given,
                                 const Machine& machine) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : program.parameters) names.push_back(parameter.name);
  std::map<std::string, std::string, std::less<>> texts;
  for (const std::string& word : given) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == std::string::npos) {
      throw InputError(fmt::format("--param {} has no value", ecube::quoted(word))).hint("write --param n=100");
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw InputError(fmt::format("program {} has no parameter {}", program.name, ecube::quoted(name)))
          .hint(did_you_mean(name, names))
          .valid(names.empty() ? "none, it declares no parameters" : joined(names));
    }
    if (!texts.emplace(name, word.substr(equals + 1)).second) {
      throw InputError(fmt::format("--param {} is given twice", name)).hint("say it once");
    }
  }
  ParameterValues values;
  for (const Parameter& parameter : program.parameters) {
    const auto text = texts.find(parameter.name);
    values[parameter.name] =
        value_of(parameter, text == texts.end() ? parameter.initial : text->second, program, machine);
  }
  return values;
}

std::string parameters_text(const ProgramEntry& program) {
  std::string text = fmt::format("{:<16} {}\n", program.name, program.help);
  for (const Parameter& one : program.parameters) {
    text += fmt::format("  {:<14} {}{}; {}, {} when not given\n", one.name, one.help,
                        one.unit.empty() ? "" : " (" + one.unit + ")", text_of(one.type).first,
                        one.initial.empty() ? "empty" : one.initial);
  }
  return text;
}

class ExampleRun : public PlainRun {
 public:
  ExampleRun(const ProgramArguments& arguments, const programs::Entry& program, const RunSetup& setup, TestBench& bench)
      : PlainRun(setup, bench), program_(program), costs_(costs_for(arguments.run)) {}

  void run() override {
    Firmware firmware(program_.body);
    m_ = bench().run(setup(), firmware, costs_);
  }

  [[nodiscard]] RunReport report() const override {
    return {.command = "run program", .workload = {{"program", program_.name}}};
  }

  void print(const Style& /*style*/) const override {
    print_title(fmt::format("program {}", program_.name));
    print_measured();
  }

 private:
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
  const RunSetup setup = setup_of(arguments.run, Networks::any);
  return std::make_unique<ExampleRun>(arguments, *chosen, setup, benches.get(setup));
}

const ProgramLibrary& library_of(const ProgramArguments& arguments) {
  if (arguments.sanitize) load_sanitizers();
  return program_library(arguments.program, step_limit_of(arguments), arguments.checks());
}

std::unique_ptr<Experiment> file_run(const ProgramArguments& arguments, Benches& benches) {
  const RunSetup setup = setup_of(arguments.run, Networks::any);
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
