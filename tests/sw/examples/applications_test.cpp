// SPDX-License-Identifier: Apache-2.0
// The applications among the example programs: right data, the predicted time, and a check that can fail.
#include <memory>

#include "models/machine/error.h"
#include "sw/api/firmware.h"
#include "sw/program/program.h"
#include "tests/sw/ideal_run.h"

// Each file ends with what makes it a shared object; here all are in one program.
#undef ECUBE_PROGRAMS
#define ECUBE_PROGRAMS(...)
#include "sw/examples/adi.cpp"                 // NOLINT(bugprone-suspicious-include): whole programs
#include "sw/examples/conjugate_gradient.cpp"  // NOLINT(bugprone-suspicious-include): whole programs
#include "sw/examples/fft.cpp"                 // NOLINT(bugprone-suspicious-include): whole programs
#include "sw/examples/transpose.cpp"           // NOLINT(bugprone-suspicious-include): whole programs

namespace ecube {
namespace {

constexpr double tau = 0.125;

/// One run of a program with parameters other than their defaults.
struct Application {
  ProgramEntry entry;
  unsigned dim = 1;
  std::map<std::string, std::string> given{};
  bool computes_meanwhile = true;
  Fault fault{};

  [[nodiscard]] Job job(Machine machine) const {
    ParameterValues values;
    for (const Parameter& parameter : entry.parameters) {
      const auto found = given.find(parameter.name);
      const std::string& text = found == given.end() ? parameter.initial : found->second;
      ParameterValue value{.type = parameter.type, .text = text};
      if (parameter.type == ParameterType::whole) value.whole = std::stoll(text);
      if (parameter.type == ParameterType::real) value.real = std::stod(text);
      if (parameter.type == ParameterType::time) value.whole = 4;
      if (parameter.type == ParameterType::flag) value.whole = text == "on" ? 1 : 0;
      values[parameter.name] = value;
    }
    ExchangeParameters costs;
    costs.lambda_us = 3;
    costs.lambda0_us = 2;
    costs.tau_us_per_byte = tau;
    costs.delta_hop_us = 0.5;
    costs.rho_us_per_byte = 0.0625;
    return {std::move(machine), dim, 7, std::move(values), costs};
  }

  struct Outcome {
    RunResult result;
    double predicted_us = 0;
    std::string wrong;
  };
  [[nodiscard]] Outcome run() const {
    IdealRun where;
    where.dim = dim;
    where.machine.node.overlap = computes_meanwhile ? Overlap::on : Overlap::off;
    const MessageCosts message{.lambda_us = 3, .lambda0_us = 2, .tau_us_per_byte = tau, .delta_hop_us = 0.5};
    where.costs = {.message = message, .exchange = message, .rho_us_per_byte = 0.0625};
    const std::unique_ptr<ProgramRunner> runner = entry.make(job(where.machine));
    Firmware firmware([&](Node& node) { return runner->run(node); });
    Outcome outcome;
    outcome.predicted_us = runner->predict().value();
    if (fault) {
      Faulty faulty(firmware, fault);
      outcome.result = ecube::run(where, faulty);
    } else {
      outcome.result = ecube::run(where, firmware);
    }
    outcome.wrong = runner->check().value();
    return outcome;
  }
  [[nodiscard]] std::string words() const {
    std::string all = entry.name + ", d=" + std::to_string(dim);
    for (const auto& [name, value] : given) all.append(" ").append(name).append("=").append(value);
    return all;
  }
};

template <class Program>
ProgramEntry entry() {
  return program_list<Program>().front();
}

void expect_right(const Application& application) {
  const Application::Outcome outcome = application.run();
  EXPECT_EQ(outcome.result.status, RunResult::Status::finished) << application.words() << outcome.result.fault;
  EXPECT_EQ(outcome.wrong, "") << application.words();
  EXPECT_NEAR(outcome.result.us, outcome.predicted_us, 1e-9 * outcome.predicted_us) << application.words();
}

TEST(Applications, TransformByEveryPartitionInEveryOrderInPiecesWithAndWithoutOverlap) {
  for (unsigned dim = 1; dim <= 4; ++dim) {
    for (const Partition& partition : compositions_of(dim)) {
      for (const char* const order : {"high", "low", "inplace"}) {
        expect_right({entry<Fft>(),
                      dim,
                      {{"rows", "16"}, {"columns", "32"}, {"partition", partition.name()}, {"order", order}}});
      }
    }
    for (const char* const pieces : {"1", "2", "4"}) {
      for (const char* const overlap : {"on", "off"}) {
        for (const bool computes_meanwhile : {true, false}) {
          expect_right({entry<Fft>(), dim, {{"pieces", pieces}, {"overlap", overlap}}, computes_meanwhile});
        }
      }
    }
  }
}

TEST(Applications, TransposeAndSweepSquaresThatNodesDivide) {
  for (unsigned dim = 1; dim <= 4; ++dim) {
    for (const unsigned multiple : {1U, 3U}) {
      const std::string n = std::to_string(multiple << dim);
      for (const char* const partition : {"best", "alone", "direct", "standard"}) {
        expect_right({entry<Transpose>(), dim, {{"n", n}, {"partition", partition}}});
        expect_right({entry<Adi>(), dim, {{"n", n}, {"partition", partition}}});
      }
    }
  }
}

TEST(Applications, ConjugateGradientsConvergeWithOneCombineAndWithTwo) {
  for (unsigned dim = 1; dim <= 5; ++dim) {
    for (const char* const combines : {"1", "2", "best"}) {
      expect_right({entry<ConjugateGradient>(), dim, {{"n", "24"}, {"combines", combines}}});
    }
  }
  const auto given_up = Application{entry<ConjugateGradient>(), 2, {{"most", "3"}}}.run();
  EXPECT_NE(given_up.wrong.find("the residual is"), std::string::npos) << given_up.wrong;
  // A residual far below a millionth is printed as what it is.
  const auto close = Application{entry<ConjugateGradient>(), 2, {{"tolerance", "1e-18"}, {"most", "200"}}}.run();
  EXPECT_NE(close.wrong.find("e-1"), std::string::npos) << close.wrong;
}

/// Nothing is left to do where zero is near enough: no iteration, and none that is predicted.
TEST(Applications, ConjugateGradientsPredictTheTimeOfNoIterationAndOfOne) {
  for (const char* const combines : {"1", "2"}) {
    for (const char* const tolerance : {"1", "0.9"}) {
      expect_right({entry<ConjugateGradient>(), 3, {{"tolerance", tolerance}, {"combines", combines}}});
    }
  }
}

/// A block that is lost on its way shows in every check, and so does one that arrives in another place.
TEST(Applications, ChecksFindOneExchangeThatWentWrong) {
  for (const ProgramEntry& program : {entry<Fft>(), entry<Transpose>(), entry<Adi>(), entry<ConjugateGradient>()}) {
    for (const bool lost : {true, false}) {
      unsigned left = 5;
      Application application{program, 3};
      application.fault = [&](NodeId /*node*/, Operation& operation) {
        if (operation.kind != OperationKind::exchange || left == 0 || --left > 0) return;
        if (lost) {
          operation.incoming = {};
        } else {
          operation.outgoing.base += sizeof(double);
        }
      };
      const Application::Outcome outcome = application.run();
      EXPECT_EQ(left, 0U) << program.name;
      EXPECT_NE(outcome.wrong, "") << program.name << (lost ? ", lost" : ", misplaced");
    }
  }
}

/// On other costs another partition is best, so that a transform takes no longer than by any other.
TEST(Applications, TakeThePartitionOfLeastTime) {
  for (unsigned dim = 2; dim <= 4; ++dim) {
    Application application{entry<Fft>(), dim, {{"pieces", "2"}}};
    const double best = application.run().result.us;
    unsigned equal = 0;
    for (const Partition& partition : partitions_of(dim)) {
      application.given["partition"] = partition.name();
      const double us = application.run().result.us;
      EXPECT_LE(best, us + 1e-6) << application.words();
      if (us <= best + 1e-6) ++equal;
    }
    EXPECT_GE(equal, 1U) << "d=" << dim;
  }
}

TEST(Applications, RefuseWhatCannotBeDividedOrHeldAndSayWhatWouldFit) {
  const Machine machine = resolve(preset_settings(preset("ideal")));
  const auto refusal = [&](const Application& application) -> std::string {
    try {
      (void)application.entry.make(application.job(machine));
    } catch (const InputError& error) {
      return error.what();
    }
    return "taken";
  };
  const auto expect = [&](const Application& application, const std::string& what, const std::string& valid) {
    const std::string text = refusal(application);
    EXPECT_NE(text.find(what), std::string::npos) << application.words() << ": " << text;
    EXPECT_NE(text.find("valid: " + valid), std::string::npos) << application.words() << ": " << text;
  };
  expect({entry<Fft>(), 3, {{"rows", "100"}}}, "100 rows are no power of two", "64 or 128");
  expect({entry<Fft>(), 3, {{"columns", "4"}}}, "4 columns cannot be divided into 8", "8");
  expect({entry<Fft>(), 3, {{"rows", "1048576"}, {"columns", "1048576"}}}, "MiB of memory", "");
  expect({entry<Fft>(), 3, {{"pieces", "3"}}}, "8 rows of a node cannot be cut into 3 pieces",
         "a number that divides 8");
  expect({entry<Fft>(), 3, {{"order", "hihg"}}}, "no order 'hihg'", "high | low | inplace");
  expect({entry<Transpose>(), 3, {{"n", "60"}}}, "60 rows cannot be divided into 8", "56 or 64");
  expect({entry<Adi>(), 3, {{"n", "7"}}}, "7 rows cannot be divided into 8", "8");
  expect({entry<Adi>(), 3, {{"partition", "2,2"}}}, "partition 2,2 sums to 4", "3 | 2,1");
  expect({entry<ConjugateGradient>(), 3, {{"n", "22"}}}, "22 rows cannot be divided into 4", "20 or 24");
  expect({entry<ConjugateGradient>(), 3, {{"combines", "3"}}}, "with '3' combines", "1 | 2 | best");
  EXPECT_EQ(refusal({entry<Transpose>(), 3}), "taken");
}

}  // namespace
}  // namespace ecube
