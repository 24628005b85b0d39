// SPDX-License-Identifier: Apache-2.0
// The applications among the example programs: right data, the predicted time, and a check that can fail.
#include "models/machine/error.h"
#include "sw/api/firmware.h"
#include "sw/program/program.h"
#include "tests/planted.h"
#include "tests/sw/ideal_run.h"
#include "tests/test.h"

// Each file ends with what makes it a shared object; here all are in one program.
#undef ECUBE_PROGRAMS
#define ECUBE_PROGRAMS(...)
#include "sw/examples/adi.cpp"                 // NOLINT(bugprone-suspicious-include): whole programs
#include "sw/examples/conjugate_gradient.cpp"  // NOLINT(bugprone-suspicious-include): whole programs
#include "sw/examples/fft.cpp"                 // NOLINT(bugprone-suspicious-include): whole programs
#include "sw/examples/product.cpp"             // NOLINT(bugprone-suspicious-include): whole programs
#include "sw/examples/reshape.cpp"             // NOLINT(bugprone-suspicious-include): whole programs
#include "sw/examples/shared.cpp"              // NOLINT(bugprone-suspicious-include): whole programs
#include "sw/examples/transpose.cpp"           // NOLINT(bugprone-suspicious-include): whole programs

namespace ecube::applications_test {
namespace {

constexpr double tau = 0.125;
ExchangeParameters costs() {
  return {.lambda_us = 3, .lambda0_us = 2, .tau_us_per_byte = tau, .delta_hop_us = 0.5, .rho_us_per_byte = 0.0625};
}

/// One run of a program with parameters other than their defaults.
struct Application {
  ProgramEntry entry;
  unsigned dim = 1;
  std::map<std::string, std::string> given{};
  bool computes_meanwhile = true;
  Fault fault = right;

  static void right(NodeId /*node*/, Operation& /*operation*/) {}
  [[nodiscard]] Job job(Machine machine) const {
    ParameterValues values;
    for (const Parameter& parameter : entry.parameters) {
      const auto found = given.find(parameter.name);
      const std::string& text = found == given.end() ? parameter.initial : found->second;
      ParameterValue value{.type = parameter.type, .text = text};
      if (parameter.type == ParameterType::whole) value.whole = std::stoll(text);
      if (parameter.type == ParameterType::real) value.real = std::stod(text);
      if (parameter.type == ParameterType::time) value.whole = 4;
      if (parameter.type == ParameterType::size) value.whole = std::stoll(text);
      if (parameter.type == ParameterType::flag) value.whole = text == "on" ? 1 : 0;
      values[parameter.name] = value;
    }
    return {std::move(machine), dim, 7, std::move(values), costs()};
  }

  struct Outcome {
    RunResult result;
    double predicted_us = 0;
    std::string wrong;
    std::map<std::string, double> sums;
  };
  [[nodiscard]] Outcome run() const {
    IdealRun where;
    where.dim = dim;
    where.machine.node.overlap = computes_meanwhile ? Overlap::on : Overlap::off;
    where.costs = {.message = costs(), .exchange = costs()};
    const std::unique_ptr<ProgramRunner> runner = entry.make(job(where.machine));
    Firmware firmware([&](Node& node) { return runner->run(node); });
    Outcome outcome;
    outcome.predicted_us = runner->predict().value_or(0);
    Faulty faulty(firmware, fault);
    outcome.result = ecube::run(where, faulty);
    outcome.wrong = runner->check().value();
    outcome.sums = runner->sums().all();
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

ProgramList programs() {
  return program_list<Fft, Transpose, Adi, ConjugateGradient, Product, Reshape, SharedNetwork>();
}

/// Exchanges lose what comes in.
void lose(NodeId /*node*/, Operation& operation) {
  if (operation.kind == OperationKind::exchange) operation.incoming = {};
}

void expect_right(Application application, const Fault& fault = Application::right) {
  application.fault = fault;
  const Application::Outcome outcome = application.run();
  EXPECT_EQ(outcome.result.status, RunResult::Status::finished) << application.words() << outcome.result.fault;
  EXPECT_EQ(outcome.wrong, "") << application.words();
  EXPECT_NEAR(outcome.result.us, outcome.predicted_us, 1e-9 * outcome.predicted_us) << application.words();
}

TEST(Applications, TransformByEveryPartitionInEveryOrderInPiecesWithAndWithoutOverlap) {
  for (unsigned dim = 1; dim <= exhaustive_dim(4); ++dim) {
    for (const Partition& partition : compositions_of(dim))
      for (const char* const order : {"high", "low", "inplace"}) {
        expect_right({entry<Fft>(),
                      dim,
                      {{"rows", "16"}, {"columns", "32"}, {"partition", partition.name()}, {"order", order}}});
      }
    for (const char* const pieces : {"1", "2", "4"})
      for (const char* const overlap : {"on", "off"})
        for (const bool computes_meanwhile : {true, false}) {
          expect_right({entry<Fft>(), dim, {{"pieces", pieces}, {"overlap", overlap}}, computes_meanwhile},
                       claimed<Fault>("B7", Application::right, lose));
        }
  }
}

TEST(Applications, TransposeAndSweepSquaresThatNodesDivide) {
  for (unsigned dim = 1; dim <= 4; ++dim)
    for (const unsigned multiple : {1U, 3U}) {
      const std::string n = std::to_string(multiple << dim);
      for (const unsigned columns : {1U, 2U, 5U})
        for (const char* const order : {"high", "low", "inplace"}) {
          expect_right(
              {entry<Transpose>(), dim, {{"n", n}, {"columns", std::to_string(columns << dim)}, {"order", order}}});
        }
      for (const char* const partition : {"best", "alone", "direct", "standard"}) {
        expect_right({entry<Transpose>(), dim, {{"n", n}, {"partition", partition}}});
        expect_right({entry<Adi>(), dim, {{"n", n}, {"partition", partition}}},
                     claimed<Fault>("B6", Application::right, lose));
      }
    }
}

/// Arrays of 4 x 16 in another shape, all grids of nodes before and after: mixed, real and virtual shuffles.
TEST(Applications, ReshapeArraysOnEveryGrid) {
  for (unsigned dim = 1; dim <= 3; ++dim) {
    for (const char* const new_rows : {"4", "16", "64"}) {
      for (unsigned down = 0; down <= std::min(dim, 2U); ++down) {
        for (unsigned new_down = 0; new_down <= dim; ++new_down) {
          const bool tall =
              std::stoul(new_rows) >= 1U << new_down && 64 / std::stoul(new_rows) >= 1U << (dim - new_down);
          if (!tall) continue;
          expect_right({entry<Reshape>(),
                        dim,
                        {{"rows", "4"},
                         {"columns", "16"},
                         {"down", std::to_string(1U << down)},
                         {"new_rows", new_rows},
                         {"new_down", std::to_string(1U << new_down)}}});
        }
      }
    }
  }
}

/// The job moves its blocks, whatever the others do.
TEST(Applications, ExchangeOnANetworkThatOthersUse) {
  for (unsigned dim = 2; dim <= 4; ++dim) {
    for (const Partition& partition : compositions_of(dim - 1)) {
      for (const char* const messages : {"0", "20"}) {
        const Application shared{
            entry<SharedNetwork>(), dim, {{"partition", partition.name()}, {"bytes", "12"}, {"messages", messages}}};
        const Application::Outcome outcome = shared.run();
        EXPECT_EQ(outcome.result.status, RunResult::Status::finished) << shared.words() << outcome.result.fault;
        EXPECT_EQ(outcome.wrong, "") << shared.words();
        EXPECT_LE(outcome.sums.at("us of the job, mean of its nodes"), outcome.result.us + 1e-9) << shared.words();
        EXPECT_GE(outcome.result.us, std::stoi(messages) * (3 + tau * 1024 + 2 * 0.5)) << shared.words();
      }
    }
  }
}

TEST(Applications, MultiplyMatricesThatNodesDivide) {
  for (unsigned dim = 1; dim <= 4; ++dim) {
    for (const char* const columns : {"1", "3", "16"}) {
      for (const char* const partition : {"best", "alone", "direct", "standard"}) {
        const std::string n = std::to_string(3U << dim);
        expect_right({entry<Product>(), dim, {{"n", n}, {"columns", columns}, {"partition", partition}}},
                     claimed<Fault>("B8", Application::right, lose));
      }
    }
  }
}

TEST(Applications, ConjugateGradientsConvergeWithOneCombineAndWithTwo) {
  // Nothing is left to do where zero is near enough: no iteration, and none that is predicted.
  for (unsigned dim = 1; dim <= 5; ++dim)
    for (const char* const combines : {"1", "2", "best"})
      for (const char* const tolerance : {"1e-6", "0.9", "1"}) {
        expect_right(
            {entry<ConjugateGradient>(), dim, {{"n", "24"}, {"combines", combines}, {"tolerance", tolerance}}});
      }
  for (const char* const combines : {"1", "2"}) {
    const auto given_up = Application{entry<ConjugateGradient>(), 2, {{"most", "3"}, {"combines", combines}}}.run();
    EXPECT_HAS(given_up.wrong, "the residual is");
    EXPECT_HAS(given_up.wrong, " after 3 iterations");
    EXPECT_EQ(given_up.sums.at("iterations"), 3);
  }
  // A residual far below a millionth is printed as what it is.
  const auto close = Application{entry<ConjugateGradient>(), 2, {{"tolerance", "1e-18"}, {"most", "200"}}}.run();
  EXPECT_HAS(close.wrong, "e-1");
}

/// A block that is lost on its way shows in every check, and so does one that arrives in another place.
TEST(Applications, ChecksFindOneExchangeThatWentWrong) {
  for (const ProgramEntry& program : programs())
    for (const bool lost : {true, false}) {
      if (!lost && program.name == "reshape") continue;  // its halves end with the memory
      unsigned left = 5;
      Application application{program, 3};
      if (program.name == "shared") application.given["partition"] = "2";
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

/// On other costs another partition is best, so that a transform takes no longer than by any other.
TEST(Applications, TakeThePartitionOfLeastTime) {
  for (unsigned dim = 2; dim <= 4; ++dim) {
    Application application{entry<Fft>(), dim, {{"pieces", "2"}}};
    const double best = application.run().result.us;
    double least = std::numeric_limits<double>::infinity();
    for (const Partition& partition : partitions_of(dim)) {
      application.given["partition"] = partition.name();
      least = std::min(least, application.run().result.us);
    }
    EXPECT_NEAR(best, least, 1e-6) << "d=" << dim;
  }
  // The exchange alone, of blocks of 8 bytes: {3} takes 28 + 6 us, {1,1,1} 3 x 11.5 and {2,1} 21 + 11.5.
  const auto alone = Application{entry<Transpose>(), 3, {{"n", "8"}, {"partition", "alone"}}}.run();
  EXPECT_EQ(alone.sums, (std::map<std::string, double>{{"nodes that exchange by {2,1}", 8}}));
}

/// Rows: program, dimension, parameters, words of the refusal. MiB: of 3, 3, 2 and 16 copies of 2^40 elements.
TEST(Applications, RefuseWhatCannotBeDividedOrHeldAndSayWhatWouldFit) {
  const Machine machine = resolve(preset_settings(preset("ideal")));
  const auto refusal = [&](const Application& application) -> std::string {
    return thrown<InputError>([&] { return application.entry.make(application.job(machine)); });
  };
  unsigned rows = 0;
  for (const std::string& line : file_lines(in_tree("tests/sw/examples/refused.txt"))) {
    std::istringstream row(line);
    std::string name;
    std::string word;
    Application application;
    row >> name >> application.dim;
    for (const ProgramEntry& program : programs()) {
      if (program.name == name) application.entry = program;
    }
    while (row >> word && word != "!")
      application.given[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    const std::string text = refusal(application);
    unsigned reasons = 0;
    for (; std::getline(row >> std::ws, word, '!'); ++reasons)
      EXPECT_HAS(text, word.substr(0, word.find_last_not_of(' ') + 1));
    EXPECT_GT(reasons, 0U) << line;
    ++rows;
  }
  EXPECT_GT(rows, 10U);
  const std::string told = refusal({entry<Adi>(), 3, {{"n", "1048576"}}});
  const std::string available = told.substr(told.find(", of which ") + 11);
  EXPECT_GT(std::stoull(available), 16U) << told;
  EXPECT_LT(std::stoull(available), std::uint64_t{1} << 26) << told;
  EXPECT_EQ(refusal({entry<Transpose>(), 3}), "");
}

TEST(Applications, DeclareDefaultsAndRanges) {
  std::ostringstream declared;
  for (const ProgramEntry& program : programs())
    for (const Parameter& one : program.parameters) {
      declared << program.name << ' ' << one.name << " = " << one.initial << ", ";
      if (one.type == ParameterType::real) {
        declared << one.least_real << " to " << one.most_real << '\n';
      } else {
        declared << one.least << " to " << one.most << '\n';
      }
    }
  EXPECT_EQ(declared.str(), file_text(in_tree("tests/sw/examples/parameters.txt")));
}

/// Worked out by hand: the time of a computation of so many operations, of 4 cycles each.
double operations_us(double operations) { return resolve(preset_settings(preset("ideal"))).us(4 * operations); }
/// The time of a message to a neighbour.
double message_us(double bytes) { return 3 + 0.5 + tau * bytes; }
constexpr double rho = 0.0625;

/// 8 rows of 16 on 2 nodes: 4 rows of 10 x 8 x 4 operations and 8 columns of 10 x 4 x 3 operations a node. A node
/// packs 1,024 bytes, exchanges 512 of them and unpacks 1,024.
TEST(Applications, AddUpTheTimesOfATransform) {
  const double rows = operations_us(4 * 320);
  const double columns = operations_us(8 * 120);
  const double packing = rho * 1024;
  Application transform{entry<Fft>(), 1, {{"rows", "8"}, {"columns", "16"}}};
  const auto expect = [&](const Application::Outcome& outcome, double moving) {
    EXPECT_NEAR(outcome.sums.at("us computing, mean of the nodes"), rows + columns, 1e-9);
    EXPECT_NEAR(outcome.sums.at("us exchanging and waiting, mean of the nodes"), 2 * packing + moving, 1e-9);
    EXPECT_EQ(outcome.sums.at("nodes that exchange by {1}"), 2);
  };
  expect(transform.run(), message_us(512));
  // In two pieces, of which the second is computed while the first is exchanged.
  transform.given["pieces"] = "2";
  const double moving = std::max(message_us(256), rows / 2) + message_us(256);
  const auto overlapped = transform.run();
  expect(overlapped, moving);
  EXPECT_NEAR(overlapped.result.us, rows / 2 + packing / 2 + moving + packing / 2 + packing + columns, 1e-9);
  // One after the other, because of the machine or of what the program is told.
  for (const bool told : {false, true}) {
    transform.given["overlap"] = told ? "off" : "on";
    transform.computes_meanwhile = told;
    expect(transform.run(), 2 * message_us(256));
  }
}

/// 8 x 8 points on 2 nodes, 32 points each: 5 operations of a point in the first part of the sweep, 13 in the second,
/// 8 in the third, and two transpositions of 256 bytes, of which half are exchanged.
TEST(Applications, TakeTheTimeOfASweepThatIsWorkedOutByHand) {
  const auto sweep = Application{entry<Adi>(), 1, {{"n", "8"}}}.run();
  const double transposition = 2 * rho * 256 + message_us(128);
  EXPECT_NEAR(sweep.result.us,
              operations_us(32 * 5) + operations_us(32 * 13) + operations_us(32 * 8) + 2 * transposition, 1e-9);
  EXPECT_EQ(sweep.sums, (std::map<std::string, double>{{"nodes that exchange by {1}", 2}}));
  const auto transpose = Application{entry<Transpose>(), 1, {{"n", "8"}}}.run();
  EXPECT_NEAR(transpose.result.us, transposition * 2 - 2 * rho * 256 - message_us(128), 1e-9);
  EXPECT_EQ(transpose.sums, (std::map<std::string, double>{{"nodes that exchange by {1}", 2}}));
  const auto rectangle = Application{entry<Transpose>(), 1, {{"n", "8"}, {"columns", "4"}}}.run();
  EXPECT_NEAR(rectangle.result.us, transposition - rho * 256 - message_us(128) + message_us(64), 1e-9);
}

/// 8 x 8 times 8 x 3 on 2 nodes: 2 operations for each of 8 x 4 x 3 products, a sum for each of 8 x 3 elements; a part
/// of 4 x 3 elements goes to the other node.
TEST(Applications, TakeTheTimeOfAProductOfTwoFactorsThatIsWorkedOutByHand) {
  const Application product{entry<Product>(), 1, {{"n", "8"}, {"columns", "3"}}};
  EXPECT_NEAR(product.run().result.us, operations_us(2 * 96 + 24) + message_us(96), 1e-9);
  const ProductPlan plan(product.job(resolve(preset_settings(preset("ideal")))));
  EXPECT_NE(plan.left(1, 2), plan.right(1, 2));
}

/// On 4 nodes every node has a neighbour along each axis, so that no node waits. Edges have 4 points, combines go over
/// 2 dimensions. An iteration with two combines has 7 + 6 operations of a point and 2 more unless it is the last, after
/// 2 for the right side; one with one combine has 8 and 9, after 9.
TEST(Applications, AddUpTheTimesOfConjugateGradients) {
  const double edges = 2 * message_us(32);
  for (const char* const combines : {"1", "2"}) {
    const auto solved = Application{entry<ConjugateGradient>(), 2, {{"n", "8"}, {"combines", combines}}}.run();
    const double iterations = solved.sums.at("iterations");
    EXPECT_GT(iterations, 5);
    EXPECT_EQ(iterations, std::round(iterations));
    const bool together = *combines == '1';
    EXPECT_EQ(solved.sums.at("combines of an iteration"), together ? 1 : 2);
    const double combined = together ? (iterations + 1) * 2 * message_us(16) : (2 * iterations + 1) * 2 * message_us(8);
    const double exchanged = (together ? iterations + 1 : iterations) * edges;
    const double computed = together ? 9 + 17 * iterations : 2 + 13 * iterations + 2 * (iterations - 1);
    EXPECT_NEAR(solved.sums.at("us combining, mean of the nodes"), combined, 1e-9 * combined);
    EXPECT_NEAR(solved.sums.at("us exchanging edges, mean of the nodes"), exchanged, 1e-9 * exchanged);
    EXPECT_NEAR(solved.result.us, combined + exchanged + operations_us(16 * computed), 1e-9 * solved.result.us);
  }
}

/// `best` is the form that takes less time: two combines where operations take long, one where messages do.
TEST(Applications, CombineInTheFormOfLeastTime) {
  for (const unsigned dim : {1U, 2U, 4U, 6U})
    for (const char* const n : {"8", "16", "64"}) {
      Application solver{entry<ConjugateGradient>(), dim, {{"n", n}}};
      std::map<std::string, double> us;
      for (const char* const combines : {"1", "2", "best"}) {
        solver.given["combines"] = combines;
        auto solved = solver.run();
        EXPECT_EQ(solved.wrong, "") << solver.words();
        us[combines] = solved.predicted_us;
        if (*combines == 'b') continue;
        EXPECT_EQ(std::to_string(std::lround(solved.sums["combines of an iteration"])), combines);
      }
      EXPECT_EQ(us["best"], std::min(us["1"], us["2"])) << solver.words();
    }
}

/// A transform one of whose nodes ends with an element that is off in its last bit.
template <NodeId off>
struct OffTransform : Fft {
  using Fft::Fft;
  Task<> run(Node& node) {
    co_await Fft::run(node);
    if (node.id() == off) slice_[5].imag(std::nextafter(slice_[5].imag(), 2 * std::abs(slice_[5].imag()) + 1));
  }
};
template <std::uint64_t by>
struct OffTranspose : Transpose {
  using Transpose::Transpose;
  Task<> run(Node& node) {
    co_await Transpose::run(node);
    if (node.id() == 1) slice_[13] += by;
  }
};
struct OffSweep : Adi {
  using Adi::Adi;
  Task<> run(Node& node) {
    co_await Adi::run(node);
    if (node.id() == 1) slice_[13] = std::nextafter(slice_[13], 9.0);
  }
};
/// A point of the solution is off by so much.
template <int exponent>
struct OffSolution : ConjugateGradient {
  using ConjugateGradient::ConjugateGradient;
  Task<> run(Node& node) {
    co_await ConjugateGradient::run(node);
    if (node.id() == 2) x_[own_.at(own_.rows - 1, own_.columns - 1)] += std::ldexp(1.0, exponent);
  }
};
struct OffIterations : ConjugateGradient {
  using ConjugateGradient::ConjugateGradient;
  Task<> run(Node& node) {
    co_await ConjugateGradient::run(node);
    if (node.id() == 3) ++iterations_;
  }
};

TEST(Applications, ChecksNameThePlaceOfWhatIsWrongInTheLastBit) {
  const auto wrong = [](const ProgramEntry& program, std::map<std::string, std::string> given) {
    return Application{program, 2, std::move(given)}.run().wrong;
  };
  // Node 1 of 4 has columns 4 .. 7 of 16, of 8 elements each.
  const std::map<std::string, std::string> rectangle{{"rows", "8"}, {"columns", "16"}};
  EXPECT_EQ(wrong(entry<OffTransform<0>>(), rectangle), "column 0 differs from that of one processor");
  EXPECT_EQ(wrong(entry<OffTransform<1>>(), rectangle), "column 4 differs from that of one processor");
  // And columns 2 and 3 of 8, element 13 of which is in row 5 of the latter.
  for (const ProgramEntry& transpose : {entry<OffTranspose<1>>(), entry<OffTranspose<~std::uint64_t{0}>>()})
    EXPECT_EQ(wrong(transpose, {{"n", "8"}}), "row 5, column 3 is not column 5, row 3 of the matrix");
  EXPECT_EQ(wrong(entry<OffSweep>(), {{"n", "8"}}), "row 3 differs from that of one processor");
  EXPECT_EQ(wrong(entry<OffIterations>(), {{"n", "8"}}), "node 3 has iterated otherwise");
  EXPECT_EQ(wrong(entry<OffSolution<-45>>(), {{"n", "8"}}), "the solution differs from that of one processor");
  // A point of node 2, which has the lower left quarter, at the border of the square: it has three neighbours, so that
  // the residual is 2^20 sqrt(4^2 + 3).
  const std::string off = wrong(entry<OffSolution<20>>(), {{"n", "8"}});
  const Machine machine = resolve(preset_settings(preset("ideal")));
  const CgPlan plan(Application{entry<ConjugateGradient>(), 2, {{"n", "8"}}}.job(machine));
  double squares = 0;
  for (std::uint64_t row = 0; row < 8; ++row)
    for (std::uint64_t column = 0; column < 8; ++column) {
      const double b = plan.right_side(row, column);
      EXPECT_TRUE(b >= -1 && b < 1) << b;
      squares += b * b;
    }
  std::array<char, 32> part{};
  std::snprintf(part.data(), part.size(), "%.3g", 0x1p20 * std::sqrt(19 / squares));
  EXPECT_EQ(off, std::string("the residual is ")
                     .append(part.data())
                     .append(" of the right side after ")
                     .append(std::to_string(plan.iterations))
                     .append(" iterations"));
}

/// The definition, term by term.
TEST(Applications, TransformByTheDefinitionIsTheDoubleSum) {
  Application small{entry<Fft>(), 1, {{"rows", "4"}, {"columns", "8"}}};
  const Machine machine = resolve(preset_settings(preset("ideal")));
  const FftPlan plan(small.job(machine));
  double squares = 0;
  for (std::uint64_t row = 0; row < 4; ++row)
    for (std::uint64_t column = 0; column < 8; ++column) {
      const double value = plan.input(row, column).real();
      EXPECT_TRUE(value >= -1 && value < 1) << value;
      squares += value * value;
    }
  for (std::uint64_t at = 0; at < 8; ++at) {
    std::vector<std::uint64_t> rows;
    DirectTransform(plan).column(at, 3, [&](std::uint64_t k, std::uint64_t column, long double re, long double im) {
      EXPECT_EQ(column, at);
      rows.push_back(k);
      double real = 0;
      double imaginary = 0;
      for (std::uint64_t row = 0; row < 4; ++row)
        for (std::uint64_t j = 0; j < 8; ++j) {
          const double turn = static_cast<double>(row * k) / 4 + static_cast<double>(j * at) / 8;
          real += plan.input(row, j).real() * std::cos(2 * std::numbers::pi * turn);
          imaginary -= plan.input(row, j).real() * std::sin(2 * std::numbers::pi * turn);
        }
      EXPECT_NEAR(static_cast<double>(re), real, 1e-13);
      EXPECT_NEAR(static_cast<double>(im), imaginary, 1e-13);
    });
    EXPECT_EQ(rows, (std::vector<std::uint64_t>{0, 3}));
  }
  // Higham's bound to first order in u = 2^-53: 5 stages of u (1 + 4 sqrt 2), times the norm of the result.
  struct Bound : Fft {
    using Fft::error_bound;
  };
  const double first_order = 5 * 0x1p-53 * (1 + 4 * std::numbers::sqrt2) * std::sqrt(32 * squares);
  EXPECT_NEAR(Bound::error_bound(plan) / first_order, 1, 1e-12);
}

/// sin(pi x) sin(pi y) + sin(2 pi x) sin(3 pi y) + sin(5 pi x) sin(4 pi y), at x = (column + 1) / 9, y = (row + 1) / 9.
TEST(Applications, SweepsBeginWithThreeModes) {
  Application sweep{entry<Adi>(), 1, {{"n", "8"}}};
  const AdiPlan plan(sweep.job(resolve(preset_settings(preset("ideal")))));
  const auto wave = [](double times, std::uint64_t i) {
    return std::sin(times * std::numbers::pi * static_cast<double>(i + 1) / 9);
  };
  for (std::uint64_t row = 0; row < 8; ++row)
    for (std::uint64_t column = 0; column < 8; ++column) {
      const double wanted =
          wave(1, row) * wave(1, column) + wave(2, row) * wave(3, column) + wave(5, row) * wave(4, column);
      EXPECT_NEAR(plan.modes(row, column, [](auto, auto) { return 1.0; }), wanted, 1e-14);
    }
}

/// The closed form of a sweep holds from time steps of next to nothing to those that leave only rounding.
TEST(Applications, SweepsAreTheDampedModesForTimeStepsOfAnyLength) {
  for (const char* const ratio : {"1e-300", "1e-9", "0.01", "1", "30", "1e4", "1e9", "1e300"})
    for (const char* const n : {"2", "6", "50"}) {
      const auto sweep = Application{entry<Adi>(), 1, {{"n", n}, {"ratio", ratio}}}.run();
      EXPECT_EQ(sweep.wrong, "") << ratio << " " << n;
    }
}

/// A sweep whose steps in time are too long by a part in 2^-exponent, on the nodes and on the one processor alike.
template <int exponent>
struct LongStep : Adi {
  struct Shared : AdiPlan {
    explicit Shared(const Job& job) : AdiPlan(job) { step = HeatStep(n, ratio * (1 + std::ldexp(1.0, exponent))); }
  };
  using Adi::Adi;
};

/// For n = 50 within 1e-12 at a ratio of 1/2, and at 1e4 within 8 x 2^-52 x 51^2 / 8 x (4 + 1e-4) = 2.3e-12. Steps that
/// are too long by a part change the sum of the modes by 0.1 to 0.2 of that part.
TEST(Applications, SweepsAreAsNearToTheModesAsTheirConditionAllows) {
  const auto wrong = [](const ProgramEntry& program, const std::string& ratio) {
    return Application{program, 1, {{"n", "50"}, {"ratio", ratio}}}.run().wrong;
  };
  EXPECT_EQ(wrong(entry<LongStep<-39>>(), "0.5"), "");
  EXPECT_HAS(wrong(entry<LongStep<-36>>(), "0.5"), "is not the damped sum");
  EXPECT_EQ(wrong(entry<LongStep<-36>>(), "1e4"), "");
  EXPECT_HAS(wrong(entry<LongStep<-34>>(), "1e4"), "is not the damped sum");
}

}  // namespace
}  // namespace ecube::applications_test
