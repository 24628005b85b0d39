// SPDX-License-Identifier: Apache-2.0
// Machines whose start-ups queue, the nCUBE-2: combines and shuffles over any number of ports within two percent of
// their equations, and the recommendation of `best` against everything else that could be run there.
#include "testbench/collective/recommendation.h"
#include "testbench/combine/combine_request.h"
#include "testbench/shuffle/shuffle_request.h"
#include "tests/machines.h"
#include "tests/models/shuffle/permutations.h"
#include "tests/test.h"
#include "tests/testbench/shared_bench.h"

namespace ecube::queued_startups_test {
namespace {

constexpr auto queued_bench = shared_bench<6>;

Machine ncube2_with(std::uint32_t ports) { return preset_machine("ncube2", ports); }

using PermutationCycles = std::vector<DimensionPermutation::Cycle>;

struct Shape {
  PermutationCycles cycles;
  bool mixed = false;
  bool real = false;
};

/// All dimensions in one cycle, in two, in a mixed and a real one, or in three; half of them in one.
std::vector<Shape> shapes_of(unsigned dim) {
  std::vector<Shape> shapes = {{{cycle_of(0, dim, 0)}, true, false}, {{cycle_of(0, dim)}, false, true}};
  if (dim >= 3) shapes.push_back({{cycle_of(0, dim - 1, 0)}, true, false});
  if (dim % 2 == 0) shapes.push_back({{cycle_of(0, dim / 2, 0), cycle_of(dim / 2, dim / 2, 1)}, true, false});
  if (dim >= 4) shapes.push_back({{cycle_of(0, dim - 2, 0), cycle_of(dim - 2, 2)}, true, true});
  if (dim >= 4) shapes.push_back({{cycle_of(0, 2), cycle_of(2, dim - 2)}, false, true});
  if (dim > 2) shapes.push_back({{cycle_of(0, 2)}, false, true});
  if (dim == 6) shapes.push_back({{cycle_of(0, 2, 0), cycle_of(2, 2, 1), cycle_of(4, 2, 2)}, true, false});
  if (dim == 6) {
    shapes.push_back({{cycle_of(0, 2), cycle_of(2, 2), cycle_of(4, 2)}, false, true});
  }
  return shapes;
}

/// The case that is furthest off.
class Worst {
 public:
  void add(double percent, const std::string& name) {
    ++cases_;
    if (std::getenv("ECUBE_ABOVE") != nullptr && std::abs(percent) > std::atof(std::getenv("ECUBE_ABOVE"))) {
      std::printf("%+.3f %%  %s\n", percent, name.c_str());
    }
    if (cases_ > 1 && std::abs(percent) <= percent_) return;
    percent_ = std::abs(percent);
    name_ = name;
  }
  void expect_within(double most_percent, const Sample& sample) const {
    std::printf("worst of %d cases: %.3f %% off, %s (%s)\n", cases_, percent_, name_.c_str(), sample.name().c_str());
    EXPECT_LE(percent_, most_percent) << name_ << ", " << sample.name();
  }

 private:
  int cases_ = 0;
  double percent_ = 0;
  std::string name_;
};

enum class Version : std::uint8_t { v1, v2, v3, hybrid };
constexpr Version versions[] = {Version::v1, Version::v2, Version::v3, Version::hybrid};
constexpr const char* version_names[] = {"v1", "v2", "v3", "hybrid"};

CombineExperiment experiment(unsigned dim, std::uint32_t ports, std::uint64_t items, CombineTarget target,
                             Version version) {
  CombineExperiment test{.setup = {.machine = ncube2_with(ports), .dim = dim, .conditions = {}},
                         .workload = {{.items = items, .target = target}, {}}};
  if (target == CombineTarget::root) test.workload.root = static_cast<NodeId>(items % (1U << dim));
  test.workload.tree = version == Version::v1;
  adapt(test.workload, test.setup);
  const CombineParameters p = queued_bench().calibrate(test.setup.machine).combine(Machine::item_bytes);
  test.workload.rule = HalvingRule::by(version == Version::hybrid ? best_strategy(test.workload, p)
                                       : version == Version::v3   ? Strategy::halving(dim)
                                                                  : Strategy::full(dim));
  return test;
}

TEST(QueuedCombine, OverAnyNumberOfPortsIsWithin2PercentOfItsEquation) {
  Sample sample(10);
  Worst worst;
  for (unsigned dim = 2; dim <= 6; ++dim)
    for (std::uint32_t ports = 1; ports <= dim; ++ports)
      for (const std::uint64_t items : {1U, 2U, 3U, 5U, 7U, 16U, 40U, 64U, 65U, 100U, 384U, 1000U, 4096U})
        for (const Version version : versions)
          for (const CombineTarget target : {CombineTarget::all, CombineTarget::root}) {
            if (!sample.takes()) continue;
            const CombineExperiment test = experiment(dim, ports, items, target, version);
            const CombineMeasurement m = run_combine(
                queued_bench(), test, queued_bench().calibrate(test.setup.machine).combine(Machine::item_bytes));
            ASSERT_EQ(m.verified, true);
            worst.add(m.error_percent(),
                      "combine --dim " + std::to_string(dim) + " --ports " + std::to_string(ports) + " --items " +
                          std::to_string(items) + " --strategy " + version_names[static_cast<int>(version)] +
                          (target == CombineTarget::root ? " --target root --root " + std::to_string(test.workload.root)
                                                         : ""));
          }
  worst.expect_within(2.0, sample);
}

/// These tests notice a prediction that leaves out the queue.
TEST(QueuedCombine, WithoutTheQueueIsFarFromItsEquation) {
  CombineExperiment test = experiment(4, Ports::n, 40, CombineTarget::all, Version::v2);
  const CombineParameters p = queued_bench().calibrate(test.setup.machine).combine(Machine::item_bytes);
  EXPECT_LT(std::abs(run_combine(queued_bench(), test, p).error_percent()), 2);
  test.workload.ports = {};  // the equation of one port
  const double one_port = followed_cost(test.workload, p, test.workload.rule, false).terms.total();
  test.workload.ports = test.setup.machine.node.ports;
  EXPECT_GT(run_combine(queued_bench(), test, p).run.result.us, 2 * one_port);
}

/// Whether `run` accepts the workload. For a part that a shape does not have, only the first algorithm counts.
bool is_taken(const Shape& shape, const ShuffleWorkload& workload, unsigned dim) {
  if (!shape.mixed && workload.mixed != MixedAlgorithm::one_port) return false;
  if (!shape.real && (workload.real != RealAlgorithm::a1 || workload.two_cycles)) return false;
  if (unfit(workload, dim)) return false;
  const ShuffleFormula formula(workload, dim);
  return workload.packet <= formula.largest_packet() && (!formula.exists() || formula.fits(workload.packet));
}

TEST(QueuedShuffle, OverAnyNumberOfPortsIsWithin2PercentOfItsEquation) {
  Sample sample(40);
  Worst worst;
  const std::optional<RealAlgorithm> two_cycle_choices[] = {std::nullopt, RealAlgorithm::a2x2};
  for (unsigned dim = 2; dim <= 6; ++dim)
    for (const Shape& shape : shapes_of(dim))
      for (std::uint32_t ports = 1; ports <= dim; ++ports)
        for (const std::uint64_t elements : {16U, 24U, 64U, 250U, 512U})
          for (const std::uint32_t packet : {1U, 2U, 4U, 7U, 16U, 64U})
            for (const auto& mixed : mixed_algorithms)
              for (const auto& real : real_algorithms)
                for (const std::optional<RealAlgorithm>& two_cycles : two_cycle_choices) {
                  if (!sample.takes()) continue;
                  ShuffleExperiment test;
                  test.setup.machine = ncube2_with(ports);
                  test.setup.dim = dim;
                  ShuffleWorkload& workload = test.workload;
                  if (shape.cycles.size() > 1 && elements % (shape.cycles.size() > 2 ? 8 : 4) != 0) continue;
                  workload.permutation = DimensionPermutation(shape.cycles, {});
                  workload.elements = elements;
                  workload.packet = packet;
                  workload.mixed = mixed.value;
                  workload.real = real.value;
                  workload.two_cycles = two_cycles;
                  workload.ports = test.setup.machine.node.ports;
                  if (!is_taken(shape, workload, dim)) continue;
                  const ShuffleMeasurement m =
                      run_shuffle(queued_bench(), test,
                                  queued_bench().calibrate(test.setup.machine).shuffle(element_bytes, workload.packet));
                  ASSERT_EQ(m.verified, true);
                  worst.add(m.error_percent(), "shuffle --dim " + std::to_string(dim) + " --ports " +
                                                   std::to_string(ports) + " --elements " + std::to_string(elements) +
                                                   " --packet " + std::to_string(packet) + " --algorithm " +
                                                   algorithm_name(workload) + " " + workload.permutation.name());
                }
  worst.expect_within(2.0, sample);
}

/// The equation waits for the last node before the permutation begins, the machine does not.
TEST(QueuedShuffle, OnAnExtendedCubeIsWithin5PercentOfItsEquation) {
  Sample sample(8);
  Worst worst;
  for (unsigned dim = 3; dim <= 6; ++dim)
    for (unsigned extend = 1; extend < dim && extend <= 3; ++extend)
      for (std::uint32_t ports = 1; ports <= dim; ++ports)
        for (const std::uint64_t elements : {64U, 240U})
          for (const std::uint32_t packet : {1U, 3U, 8U}) {
            if (!sample.takes()) continue;
            ShuffleExperiment test;
            test.setup.machine = ncube2_with(ports);
            test.setup.dim = dim;
            ShuffleWorkload& workload = test.workload;
            workload.permutation = DimensionPermutation({cycle_of(0, dim - extend, 0)}, {});
            workload.elements = elements;
            workload.extend = extend;
            workload.packet = packet;
            workload.mixed = ports == 1 ? MixedAlgorithm::one_port : MixedAlgorithm::pipelined;
            workload.ports = test.setup.machine.node.ports;
            if (packet > ShuffleFormula(workload, dim).largest_packet()) continue;
            const ShuffleMeasurement m = run_shuffle(
                queued_bench(), test, queued_bench().calibrate(test.setup.machine).shuffle(element_bytes, packet));
            ASSERT_EQ(m.verified, true);
            worst.add(m.error_percent(), "shuffle --dim " + std::to_string(dim) + " --ports " + std::to_string(ports) +
                                             " --elements " + std::to_string(elements) + " --packet " +
                                             std::to_string(packet) + " --extend " + std::to_string(extend));
          }
  worst.expect_within(5.0, sample);
}

/// These tests notice a prediction that leaves out the queue.
TEST(QueuedShuffle, WithoutTheQueueIsFarFromItsEquation) {
  ShuffleExperiment test{
      .setup = {.machine = ncube2_with(Ports::n), .dim = 5, .conditions = {}},
      .workload = {.permutation = DimensionPermutation({cycle_of(0, 5, 0)}, {}), .elements = 64, .packet = 4}};
  test.workload.ports = test.setup.machine.node.ports;
  ShuffleParameters parameters = queued_bench().calibrate(test.setup.machine).shuffle(element_bytes, 4);
  EXPECT_LT(std::abs(run_shuffle(queued_bench(), test, parameters).error_percent()), 2);
  parameters.processor.reset();
  EXPECT_GT(run_shuffle(queued_bench(), test, parameters).error_percent(), 200);
}

/// How much faster another run may be than the recommended one, in percent.
constexpr double most_beaten_percent = 5;

/// By how much the recommended run is longer than the fastest run tried; the recommended run may also be shorter than
/// all of these.
double beaten_percent(double recommended_us, double least_us) {
  return std::max(0.0, 100 * (recommended_us / least_us - 1));
}

double measured_us(unsigned dim, std::uint64_t items, CombineTarget target, Ports ports, bool tree,
                   const Strategy& strategy) {
  CombineExperiment test{.setup = {.machine = ncube2_with(ports.engines), .dim = dim, .conditions = {}},
                         .workload = {{.items = items, .target = target}, {}}};
  test.workload.tree = tree;
  adapt(test.workload, test.setup);
  test.workload.rule = HalvingRule::by(strategy);
  const CombineMeasurement m = run_combine(queued_bench(), test, CombineParameters{});
  EXPECT_EQ(m.verified, true);
  return m.run.result.us;
}

TEST(QueuedBest, CombineIsNotBeatenByAnotherStrategyOrNumberOfPorts) {
  Sample sample(8);
  Worst worst;
  const Machine machine = ncube2_with(Ports::n);
  const CombineParameters p = queued_bench().calibrate(machine).combine(Machine::item_bytes);
  for (unsigned dim = 2; dim <= 6; ++dim)
    for (const std::uint64_t items : {1U, 3U, 16U, 40U, 100U, 333U, 1024U, 4096U})
      for (const CombineTarget target : {CombineTarget::all, CombineTarget::root}) {
        if (!sample.takes()) continue;
        CombineQuestion question;
        question.machine = machine;
        const Ports all = machine.node.ports;
        question.workload = {{.dim = dim, .items = items, .ports = all, .startups = Startups::queued, .target = target},
                             {}};
        question.parameters = p;
        const CombineChoice best = combine_choices(question).front();
        const double recommended = measured_us(dim, items, target, best.ports, best.tree, best.strategy);
        double least = measured_us(dim, items, target, {}, true, Strategy::full(dim));
        for (const Ports ports : port_choices(machine, dim)) {
          // All strategies on small cubes; on larger cubes the strategies that halve first, and every fifth.
          std::vector<Strategy> strategies = Strategy::all(dim);
          for (std::size_t i = 0; i < strategies.size(); ++i) {
            const bool tried = dim < 5 || i % 5 == 0;
            if (tried) least = std::min(least, measured_us(dim, items, target, ports, false, strategies[i]));
          }
          for (unsigned k = 0; k <= dim; ++k) {
            least = std::min(least, measured_us(dim, items, target, ports, false, Strategy::halving_from(k, dim)));
          }
        }
        worst.add(beaten_percent(recommended, least), "combine --dim " + std::to_string(dim) + " --items " +
                                                          std::to_string(items) +
                                                          (target == CombineTarget::root ? " --target root" : ""));
      }
  worst.expect_within(most_beaten_percent, sample);
}

double measured_us(const ShuffleWorkload& workload, unsigned dim) {
  ShuffleExperiment test;
  test.setup.machine = ncube2_with(workload.ports.engines);
  test.setup.dim = dim;
  test.workload = workload;
  const ShuffleMeasurement m = run_shuffle(queued_bench(), test, ShuffleParameters{});
  EXPECT_EQ(m.verified, true);
  return m.run.result.us;
}

/// Everything that `run` accepts for this permutation and these ports, in packets of powers of two and of a third.
template <class Visit>
void every_run(const ShuffleWorkload& permutation, unsigned dim, const Visit& visit) {
  for (const auto& mixed : mixed_algorithms)
    for (const auto& real : real_algorithms) {
      ShuffleWorkload workload = permutation;
      workload.mixed = mixed.value;
      workload.real = real.value;
      if (unfit(workload, dim)) continue;
      const ShuffleFormula formula(workload, dim);
      for (std::uint64_t size = 1; size <= formula.largest_packet(); size *= 2)
        for (const std::uint64_t packet : {size, size + size / 2}) {
          if (packet > formula.largest_packet() || (formula.exists() && !formula.fits(packet))) continue;
          workload.packet = static_cast<std::uint32_t>(packet);
          visit(workload);
        }
    }
  ShuffleWorkload route = permutation;
  route.method = ShuffleMethod::route;
  for (std::uint64_t size = 1; size <= permutation.elements; size *= 2) {
    route.packet = static_cast<std::uint32_t>(size);
    visit(route);
  }
}

/// The fastest of the runs tried.
struct Fastest {
  double us = std::numeric_limits<double>::infinity();
  std::string name;

  void add(const ShuffleWorkload& workload, double its_us) {
    if (its_us >= us) return;
    us = its_us;
    name = algorithm_name(workload) + " --packet " + std::to_string(workload.packet) + " --ports " +
           ports_word(workload.ports);
  }
};

TEST(QueuedBest, ShuffleIsNotBeatenByAnotherAlgorithmPacketOrNumberOfPorts) {
  Sample sample(50);
  Worst worst;
  const Machine machine = ncube2_with(Ports::n);
  const Calibration fitted = queued_bench().calibrate(machine);
  const PacketParameters parameters = [&](std::uint64_t packet) { return fitted.shuffle(element_bytes, packet); };
  for (unsigned dim = 2; dim <= 6; ++dim)
    for (const Shape& shape : shapes_of(dim))
      for (const std::uint64_t elements :
           all_cases ? std::vector<std::uint64_t>{16, 64, 256, 1024} : std::vector<std::uint64_t>{16, 48, 128}) {
        if (!sample.takes()) continue;
        ShuffleWorkload permutation{
            .permutation = DimensionPermutation(shape.cycles, {}), .elements = elements, .ports = machine.node.ports};
        std::vector<ShuffleChoice> choices = shuffle_choices({permutation, {}, dim, parameters, machine});
        const ShuffleChoice by_equation = choices.front();
        add_measured_route(choices, {permutation, {}, dim, parameters, machine}, queued_bench());
        const std::string name = "shuffle --dim " + std::to_string(dim) + " --elements " + std::to_string(elements) +
                                 " " + permutation.permutation.name() + " by ";
        Fastest schedule;  // of exchanges between neighbours
        Fastest any;
        for (const Ports ports : port_choices(machine, dim)) {
          permutation.ports = ports;
          every_run(permutation, dim, [&](const ShuffleWorkload& workload) {
            const double us = measured_us(workload, dim);
            any.add(workload, us);
            if (workload.method != ShuffleMethod::route) schedule.add(workload, us);
          });
        }
        worst.add(beaten_percent(measured_us(by_equation.workload, dim), schedule.us), name + schedule.name);
        worst.add(beaten_percent(measured_us(choices.front().workload, dim), any.us), name + any.name);
      }
  worst.expect_within(most_beaten_percent, sample);
}

}  // namespace
}  // namespace ecube::queued_startups_test
