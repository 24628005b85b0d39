// SPDX-License-Identifier: Apache-2.0
// The recommendation of `best` for the nCUBE-2, compared with everything else that could be run there.
#include "testbench/collective/recommendation.h"
#include "testbench/combine/combine_choice.h"
#include "testbench/combine/combine_experiment.h"
#include "testbench/shuffle/shuffle_choice.h"
#include "testbench/shuffle/shuffle_request.h"
#include "tests/test.h"
#include "tests/testbench/run/queued_sweep.h"

namespace ecube::queued_best_test {
namespace {

/// How much faster another run may be than the recommended one, in percent.
constexpr double most_beaten_percent = 5;

/// By how much the recommended run is longer than the fastest run tried; the recommended run may also be shorter than
/// all of these.
double beaten_percent(double recommended_us, double least_us) {
  return std::max(0.0, 100 * (recommended_us / least_us - 1));
}

double measured_us(unsigned dim, std::uint64_t items, CombineTarget target, Ports ports, bool tree,
                   const Strategy& strategy) {
  CombineExperiment test;
  test.setup.machine = ncube2_with(ports.engines);
  test.setup.dim = dim;
  test.workload.items = items;
  test.workload.target = target;
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
        const CombineProblem problem{
            .dim = dim, .items = items, .ports = machine.node.ports, .startups = Startups::queued, .target = target};
        const std::vector<CombineChoice> choices = combine_choices(problem, p);
        const CombineChoice& best = least_of(choices);
        const double recommended = measured_us(dim, items, target, best.problem.ports, best.tree, best.strategy);
        double least = measured_us(dim, items, target, {}, true, Strategy::full(dim));
        for (const Ports ports : port_choices(machine.node.ports, dim)) {
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
  worst.print(sample);
  EXPECT_LE(worst.percent(), most_beaten_percent) << worst.name() << ", " << sample.name();
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
        ShuffleWorkload permutation;
        permutation.permutation = DimensionPermutation(shape.cycles, {});
        permutation.elements = elements;
        permutation.ports = machine.node.ports;
        std::vector<ShuffleChoice> choices = shuffle_choices(permutation, {}, dim, parameters);
        const ShuffleChoice by_equation = choices.front();
        add_measured_route(choices, permutation, {}, dim, machine, queued_bench());
        const std::string name = "shuffle --dim " + std::to_string(dim) + " --elements " + std::to_string(elements) +
                                 " " + permutation.permutation.name() + " by ";
        Fastest schedule;  // of exchanges between neighbours
        Fastest any;
        for (const Ports ports : port_choices(machine.node.ports, dim)) {
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
  worst.print(sample);
  EXPECT_LE(worst.percent(), most_beaten_percent) << worst.name() << ", " << sample.name();
}

}  // namespace
}  // namespace ecube::queued_best_test
