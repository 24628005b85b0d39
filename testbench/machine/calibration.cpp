// SPDX-License-Identifier: Apache-2.0
// The micro-benchmark plan and the fits.

#include "hw/cube.h"
#include "models/machine/error.h"
#include "models/machine/quantity.h"
#include "sw/micro_benchmarks/micro_benchmarks.h"
#include "testbench/machine/test_bench.h"

namespace ecube {

namespace {

/// Lengths at which a machine with fractional phit times is affine to less than a cycle: whole groups of 25 phits.
std::vector<Bytes> long_lengths(const Machine& machine, Bytes above) {
  const Bytes group = Bytes{25} * machine.link.phit_bytes;
  const Bytes first = above / group + 1;
  return {first * group, 4 * first * group, 10 * first * group, 40 * first * group};
}

/// Lengths of short messages, where these cost another time than longer ones; none where all are alike.
std::vector<Bytes> short_lengths(const Machine& machine, Bytes threshold) {
  const Bytes phit = machine.link.phit_bytes;
  if (threshold < phit) return {};
  const Bytes most = threshold / phit;
  return {phit, (most + 1) / 2 * phit, most * phit};
}

class Measurements {
 public:
  Measurements(Cube& cube, const Machine& machine) : cube_(cube), machine_(machine) { needs_fixed_links(machine); }

  /// Time of a program on all nodes, in us.
  double run(unsigned dim, const Firmware::Body& body) {
    Firmware firmware(body);
    cube_.reset(machine_, dim);
    const RunResult result = cube_.run(firmware);
    cube_.unload();
    if (result.status != RunResult::Status::finished) throw std::runtime_error("a micro-benchmark did not finish");
    return result.us;
  }

  /// One way to each distance, for each length.
  std::vector<MessageSample> ping_pongs(const std::vector<Bytes>& lengths) {
    std::vector<MessageSample> samples;
    for (const NodeId to : {1U, 3U, 7U}) {
      for (const Bytes bytes : lengths) {
        Cycles elapsed = 0;
        run(calibration_dim, [&](Node& node) { return ping_pong(node, 0, to, bytes, 2, elapsed); });
        samples.push_back({.bytes = bytes, .hops = hops(0, to), .us = machine_.us(static_cast<double>(elapsed) / 4.0)});
      }
    }
    return samples;
  }

  double exchange(Bytes bytes, PairwiseSync sync) {
    return run(1, [=](Node& node) { return exchange_once(node, bytes, sync); });
  }

  /// Slope, in us, of times that should be proportional to `amounts`; the worst residual is kept.
  double slope(const std::vector<double>& amounts, const std::function<double(double)>& time) {
    std::vector<double> times;
    for (const double amount : amounts) times.push_back(time(amount));
    static constexpr std::array<std::string_view, 1> name{"slope"};
    const LinearFit fit = fit_linear(amounts, times, name);
    if (std::any_of(times.begin(), times.end(), [](double us) { return us > 0; })) keep(fit.worst_percent);
    return std::max(0.0, fit.coefficients.front().value_or(0));  // no time is negative, not even by rounding
  }

  /// Start-ups and transmission of a collective routine's messages or exchanges between neighbours, by least squares.
  NeighbourCost neighbours(Task<> (*once)(Node&, Bytes), Bytes threshold) {
    const auto time = [&](Bytes bytes) { return run(1, [=](Node& node) { return once(node, bytes); }); };
    NeighbourCost result;
    result.alpha_zero_us = time(0);
    std::vector<double> design;
    std::vector<double> times;
    const auto sample = [&](Bytes bytes) {
      const bool is_short = bytes <= threshold;
      design.insert(design.end(), {is_short ? 1.0 : 0.0, is_short ? 0.0 : 1.0, static_cast<double>(bytes)});
      times.push_back(time(bytes));
    };
    for (const Bytes bytes : short_lengths(machine_, threshold)) sample(bytes);
    for (const Bytes bytes : long_lengths(machine_, threshold)) sample(bytes);
    static constexpr std::array<std::string_view, 3> names{"alpha_short", "alpha", "beta"};
    const LinearFit fit = fit_linear(design, times, names);
    keep(fit.worst_percent);
    result.alpha_us = fit.coefficients[1].value_or(0);
    result.alpha_short_us = fit.coefficients[0].value_or(result.alpha_us);
    result.beta_us_per_item = fit.coefficients[2].value_or(0);
    return result;
  }

  /// The time of each further message of a node that sends, or with `back` receives, several at once.
  double per_message(bool back, Bytes bytes) {
    const std::uint32_t engines = machine_.node.ports.engines;
    const unsigned most = machine_.node.ports.shared(calibration_dim) ? engines : calibration_dim;
    std::vector<double> design;
    std::vector<double> times;
    for (unsigned count = 1; count <= most; ++count) {
      Cycles elapsed = 0;
      run(calibration_dim, [&](Node& node) { return star(node, count, bytes, back, elapsed); });
      design.insert(design.end(), {static_cast<double>(count), 1.0});
      times.push_back(machine_.us(static_cast<double>(elapsed)));
    }
    static constexpr std::array<std::string_view, 2> names{"each message", "all"};
    const LinearFit fit = fit_linear(design, times, names);
    // The messages of a protocol queue too, in an order of their own, so with a protocol this fit is an estimate.
    if (machine_.library.protocol == Protocol::none) keep(fit.worst_percent);
    return std::max(0.0, fit.coefficients.front().value_or(0));
  }

  /// `bytes` is large, so that the transmission of one message never hides the receipt of another.
  std::optional<ProcessorTimes> processor(Bytes bytes) {
    if (machine_.node.startups != Startups::queued || machine_.node.ports.engines == 1) return std::nullopt;
    ProcessorTimes times{.startup_us = per_message(false, bytes),
                         .receipt_us = per_message(true, bytes),
                         .startup_zero_us = per_message(false, 0),
                         .receipt_zero_us = per_message(true, 0)};
    if (machine_.library.protocol == Protocol::forced) {  // an empty message synchronises before each
      times.startup_us += times.startup_zero_us;
      times.receipt_us += times.receipt_zero_us;
      times.startup_zero_us *= 2;
      times.receipt_zero_us *= 2;
    }
    return times;
  }

  void keep(double percent) { worst_percent_ = std::max(worst_percent_, percent); }
  [[nodiscard]] double worst_percent() const { return worst_percent_; }

 private:
  Cube& cube_;
  const Machine& machine_;
  double worst_percent_ = 0;
};

}  // namespace

void needs_fixed_links(const Machine& machine) {
  if (machine.network.planes == 0) return;
  throw InputError("no plane is tuned (network.planes), so that no message could be sent")
      .hint(
          "run exchange tunes; a combine is ecube run program sw/examples/halving_doubling.cpp; own programs tune by "
          "node.tune(plane, mask)");
}

ShuffleParameters Calibration::shuffle(std::uint32_t element_bytes, std::uint64_t packet) const {
  const std::uint64_t share = quotient_up(packet, channels);  // of one channel
  const Bytes bytes = share * element_bytes;
  const Bytes packets = packet_bytes == 0 ? 1 : (bytes + packet_bytes - 1) / packet_bytes;
  return {.tau_us = static_cast<double>(packets) *
                    (bytes <= threshold ? neighbour_exchange.alpha_short_us : neighbour_exchange.alpha_us),
          .tc_us_per_element = element_bytes * neighbour_exchange.beta_us_per_item *
                               (static_cast<double>(share) / static_cast<double>(packet)),
          .rho_us_per_element = element_bytes * rho_us_per_byte,
          .source = "fitted",
          .processor = processor};
}

Calibration calibrate(Cube& cube, const Machine& machine) {
  Measurements measure(cube, machine);
  Calibration result;
  result.channels = machine.shared_channels();
  result.synchronises = machine.library.protocol == Protocol::forced;
  const bool reserves = machine.library.protocol == Protocol::unforced;
  if (reserves) {
    result.threshold = machine.library.threshold_bytes;
    const Bytes phit = machine.link.phit_bytes;
    const Bytes most = std::max(result.threshold / phit, Bytes{4}) * phit;
    result.short_message = fit_messages(measure.ping_pongs({0, phit, most / 2 / phit * phit, most}));
    result.message = fit_messages(measure.ping_pongs(long_lengths(machine, result.threshold)));
    measure.keep(result.short_message->worst_percent);
  } else {
    std::vector<Bytes> lengths = long_lengths(machine, 0);
    lengths.insert(lengths.begin(), 0);
    const std::vector<MessageSample> samples = measure.ping_pongs(lengths);
    const bool stores = machine.network.switching == Switching::store_and_forward;
    result.message = stores ? fit_stored_messages(samples) : fit_messages(samples);
    if (stores) result.packet_bytes = machine.network.packet_bytes;
  }
  result.combines_arriving = machine.library.combining == Combining::arriving && machine.node.overlap == Overlap::on;
  measure.keep(result.message.worst_percent);

  const std::vector<double> bytes = {1000, 10'000, 100'000};
  const auto amount = [](double value) { return static_cast<std::uint64_t>(value); };
  result.rho_us_per_byte = measure.slope(
      bytes, [&](double b) { return measure.run(1, [&](Node& node) -> Task<> { co_await node.permute(amount(b)); }); });
  result.copy_us_per_byte = measure.slope(
      bytes, [&](double b) { return measure.run(1, [&](Node& node) -> Task<> { co_await node.copy(amount(b)); }); });
  const auto gamma = [&](Bytes item_bytes) {
    return measure.slope(bytes, [&](double n) {
      return measure.run(1, [&](Node& node) -> Task<> {
        co_await node.combine({.items = amount(n), .bytes = item_bytes * amount(n)});
      });
    });
  };
  result.gamma_us_per_item = gamma(Machine::item_bytes);
  result.gamma_us_per_wide_item = gamma(8);
  result.neighbour_exchange = measure.neighbours(neighbour_exchange, result.threshold);
  result.collective_message = measure.neighbours(collective_message, result.threshold);
  result.collective_exchange = measure.neighbours(collective_exchange, result.threshold);
  result.barrier_us_per_dim = measure.slope({1, 2, 3}, [&](double dim) {
    return measure.run(static_cast<unsigned>(dim), [](Node& node) { return barrier(node); });
  });
  const Bytes exchanged = long_lengths(machine, result.threshold).front();
  result.processor = measure.processor(exchanged);
  const double transmission = result.transmission_us_per_byte() * static_cast<double>(exchanged);
  result.exchange_us = measure.exchange(exchanged, PairwiseSync::off) - transmission;
  result.synchronised_exchange_us = measure.exchange(exchanged, PairwiseSync::on) - transmission;
  result.worst_percent = measure.worst_percent();
  return result;
}

}  // namespace ecube
