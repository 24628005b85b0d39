// SPDX-License-Identifier: Apache-2.0
// Lines, their lower envelope, and bounds. On several ports, trials of partitions and of sizes.
#include "models/exchange/hull.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "models/machine/error.h"

namespace ecube {
namespace {

Wide power_of_2(unsigned exponent) { return std::ldexp(Wide{1}, static_cast<int>(exponent)); }

// E(d, n) has n - r parts of w = floor(d / n) and r = d mod n parts of w + 1.

/// S(n).
Wide sum_of_powers(unsigned dim, unsigned phases) {
  return power_of_2(dim / phases) * static_cast<Wide>(phases + dim % phases);
}

/// The x at which a line with more phases and one with fewer meet.
Wide meeting(const HullLine& more, const HullLine& fewer) {
  return (fewer.intercept - more.intercept) / (more.slope - fewer.slope);
}

void require_lines(const ExchangeParameters& parameters) {
  const std::string_view reason = why_no_lines(parameters);
  if (reason.empty()) return;
  throw InputError("the hull is made of straight lines, but " + std::string(reason))
      .valid("another --machine | --params lambda=..,tau=..");
}

bool nearly(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

/// True if, of two lines that are best at one point, `one` is best beyond it: the flatter, of equals the one with
/// fewest phases.
bool goes_on(const RealHopsFace& one, const RealHopsFace& other) {
  return nearly(one.slope_us_per_byte, other.slope_us_per_byte) ? one.partition.size() < other.partition.size()
                                                                : one.slope_us_per_byte < other.slope_us_per_byte;
}

/// The block up to which a permutation between phases takes less than the tuning that it hides; 0 where none hides any.
double hidden_up_to(const Topology& topology, const ExchangeParameters& p, const ExchangeOptions& options) {
  const bool hides = hides_tunings(topology, options) && p.rho_us_per_byte > 0;
  return hides ? options.retune_us / (p.rho_us_per_byte * topology.nodes()) : 0;
}

/// The times of partitions, which are straight lines between two blocks.
std::vector<RealHopsFace> lines_between(double low, double high, const Topology& topology, const ExchangeParameters& p,
                                        const ExchangeOptions& options) {
  std::vector<RealHopsFace> lines;
  PhaseExtents extents(topology);
  std::vector<Partition> partitions = partitions_of(topology);
  if (hides_tunings(topology, options)) {
    const std::vector<Partition> ordered = compositions_of(topology.label_bits());
    partitions.insert(partitions.end(), ordered.begin(), ordered.end());
  }
  for (const Partition& partition : partitions) {
    const auto at = [&](double bytes) { return exchange_cost(partition, extents, bytes, p, options); };
    const ExchangeTerms at_0 = at(0);
    const ExchangeTerms at_1 = at(1);
    const double tuned_us = at(low).retuning_us;
    const double tuning_slope = (at(high).retuning_us - tuned_us) / (high - low);
    lines.push_back({.partition = partition,
                     .slope_us_per_byte = at_1.transmission_us + at_1.permutation_us +
                                          (at_1.waiting_us - at_0.waiting_us) + tuning_slope,
                     .intercept_us = at_1.startup_us + at_1.distance_us + at_1.barrier_us + at_0.waiting_us + tuned_us -
                                     tuning_slope * low});
  }
  return lines;
}

void require_searchable(unsigned dim) {
  if (dim <= max_staged_search_dim) return;
  throw InputError("on several ports the best partition is found by trying them all, which takes too long at --dim " +
                   std::to_string(dim))
      .valid("--dim 1 .. " + std::to_string(max_staged_search_dim) + " | --ports one");
}

/// The partition of `partitions` that takes the least time; of equals the one with fewest phases.
template <class Lengths>
const Partition& best_of(const std::vector<Partition>& partitions, BlockOrder order, const Lengths& lengths_of,
                         const ExchangeParameters& parameters, const StageOptions& options,
                         const OnTrial& on_partition = {}) {
  std::vector<std::pair<double, const Partition*>> bounds;
  for (const Partition& partition : partitions) {
    const ExchangeStages stages(partition, order);
    bounds.emplace_back(least_staged_us(stages, lengths_of(partition), parameters, options), &partition);
  }
  std::stable_sort(bounds.begin(), bounds.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const Partition* best = nullptr;
  double least = 0;
  constexpr double rounding = 1 - 1e-12;
  for (const auto& [bound, partition] : bounds) {
    if (best != nullptr && bound * rounding > least) break;
    if (on_partition) on_partition(partitions.size());
    const double us = staged_cost(*partition, lengths_of(*partition), parameters, options).total();
    const bool fewer = best != nullptr && partition->size() < best->size();
    if (best == nullptr || us < least * rounding || (us * rounding <= least && fewer)) {
      best = partition;
      least = us;
    }
  }
  return *best;
}

/// Equal parts of a hull's blocks. For parts without bytes the limit of the time is meant: lambda, not lambda0.
std::vector<double> hull_lengths(double bytes, const Partition& partition) {
  constexpr double next_to_none = 1e-9;
  const std::size_t parts = partition.size();
  return std::vector<double>(parts, std::max(bytes, next_to_none) / static_cast<double>(parts));
}

/// The faces where times are not lines, found by trying sizes.
std::vector<RealHopsFace> searched_faces(const std::vector<Partition>& partitions, const ExchangeParameters& parameters,
                                         const StageOptions& options, const OnTrial& on_size) {
  std::vector<double> sizes = {0, 1};
  constexpr double factor = 1.189207115002721;  // 2^(1/4)
  for (double size = factor; size < max_staged_hull_bytes; size *= factor) {
    if (std::floor(size) > sizes.back()) sizes.push_back(std::floor(size));
  }
  sizes.push_back(max_staged_hull_bytes);
  const auto best_at = [&](double bytes) -> const Partition& {
    const auto lengths = [bytes](const Partition& partition) { return hull_lengths(bytes, partition); };
    return best_of(partitions, options.exchange.order, lengths, parameters, options);
  };
  const Partition* at = &best_at(sizes.front());
  std::vector<RealHopsFace> faces = {{*at, 0}};
  double below = 0;
  const auto narrow = [&](double low, double high, const Partition& lower, const Partition& upper,
                          const auto& self) -> void {
    if (lower == upper) return;
    if (high - low <= 1) {
      faces.push_back({upper, high});
      return;
    }
    const double middle = std::floor((low + high) / 2);
    const Partition& between = best_at(middle);
    self(low, middle, lower, between, self);
    self(middle, high, between, upper, self);
  };
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    if (on_size) on_size(sizes.size() - 1);
    const Partition& here = best_at(sizes[i]);
    narrow(below, sizes[i], *at, here, narrow);
    at = &here;
    below = sizes[i];
  }
  return faces;
}

}  // namespace

std::string_view why_no_lines(const ExchangeParameters& parameters) {
  if (parameters.short_bytes > 0) return "short messages of this machine have start-ups of their own";
  if (parameters.tau_hop_us_per_byte > 0) return "packets of this machine are transmitted once for every hop";
  return {};
}

std::vector<RealHopsFace> real_hops_hull(const Topology& topology, const ExchangeParameters& parameters,
                                         const ExchangeOptions& options) {
  require_lines(parameters);
  ExchangeOptions real = options;
  real.hops = HopCount::real;
  const double kink = hidden_up_to(topology, parameters, real);
  std::vector<RealHopsFace> hull;
  if (kink > 0) {
    hull = lower_envelope(lines_between(0, kink, topology, parameters, real));
    std::erase_if(hull, [kink](const RealHopsFace& face) { return face.from_bytes >= kink; });
  }
  const std::vector<RealHopsFace> beyond =
      lower_envelope(lines_between(kink, 2 * kink + 1, topology, parameters, real));
  for (std::size_t i = 0; i < beyond.size(); ++i) {
    if (i + 1 < beyond.size() && beyond[i + 1].from_bytes <= kink) continue;
    if (!hull.empty() && hull.back().partition == beyond[i].partition) continue;
    hull.push_back(beyond[i]);
    hull.back().from_bytes = std::max(hull.back().from_bytes, kink);
  }
  return hull;
}

std::vector<RealHopsFace> lower_envelope(const std::vector<RealHopsFace>& lines) {
  std::vector<RealHopsFace> faces = {lines.front()};
  for (const RealHopsFace& line : lines) {
    const bool same = nearly(line.intercept_us, faces.front().intercept_us);
    if (same ? goes_on(line, faces.front()) : line.intercept_us < faces.front().intercept_us) faces.front() = line;
  }
  for (;;) {
    const RealHopsFace& at = faces.back();
    const RealHopsFace* next = nullptr;
    double from = 0;
    for (const RealHopsFace& line : lines) {
      if (line.slope_us_per_byte >= at.slope_us_per_byte || nearly(line.slope_us_per_byte, at.slope_us_per_byte))
        continue;
      const double meets = (line.intercept_us - at.intercept_us) / (at.slope_us_per_byte - line.slope_us_per_byte);
      if (next != nullptr && (nearly(meets, from) ? !goes_on(line, *next) : meets > from)) continue;
      next = &line;
      from = meets;
    }
    if (next == nullptr) return faces;
    RealHopsFace face = *next;
    face.from_bytes = from;
    faces.push_back(face);
  }
}

HullParameters hull_parameters(const ExchangeParameters& parameters, unsigned dim, const ExchangeOptions& options) {
  require_lines(parameters);
  const double distance = parameters.delta_us + parameters.delta_hop_us * dim / 2;
  const bool sync = parameters.pairwise_sync_messages;
  // A barrier of every step is a part of what its message costs (Nicol & Bokhari 1994, section 2.3).
  return {.message_us = parameters.lambda_us + (sync ? parameters.lambda0_us : 0) + (sync ? 2 : 1) * distance +
                        (options.barrier == Barrier::step ? parameters.barrier_us : 0),
          .tau_us_per_byte = parameters.tau_us_per_byte,
          .rho_us_per_byte = options.order == BlockOrder::inplace ? 0 : parameters.rho_us_per_byte,
          .barrier_us = options.barrier == Barrier::phase   ? parameters.barrier_us
                        : options.barrier == Barrier::clock ? options.slack_us
                                                            : 0,
          .identity_shuffle = options.identity_shuffle};
}

HullLine equipartition_line(unsigned dim, unsigned phases, const HullParameters& p) {
  const Wide n = phases;
  const Wide fractions = (n - static_cast<Wide>(dim % phases) / 2) / power_of_2(dim / phases);  // sum 2^-d_i
  const bool skipped = phases == 1 && p.identity_shuffle == IdentityShuffle::skip;
  return {.phases = phases,
          .slope = (n - fractions) * p.tau_us_per_byte + (skipped ? 0 : n * p.rho_us_per_byte),
          .intercept = (sum_of_powers(dim, phases) - n) * p.message_us + n * p.barrier_us};
}

std::vector<unsigned> face_candidates(unsigned dim) {
  std::set<unsigned> candidates;
  for (unsigned q = 1; q * q <= dim; ++q) candidates.insert({q, (dim + q) / (q + 1), dim / q});
  return {candidates.begin(), candidates.end()};
}

Wide face_difference(unsigned dim, unsigned phases) {
  return sum_of_powers(dim, phases - 1) - sum_of_powers(dim, phases) + 1;
}

Hull::Hull(unsigned dim, const HullParameters& p) : dim_(dim) {
  std::vector<HullLine> chain;  // from Direct on: as slopes grow, x falls
  const Wide ratio = p.message_us > 0 ? Wide{p.barrier_us} / p.message_us : std::numeric_limits<Wide>::infinity();
  for (const unsigned phases : face_candidates(dim)) {
    if (phases > 1 && face_difference(dim, phases) <= ratio) continue;
    const HullLine line = equipartition_line(dim, phases, p);
    if (!chain.empty() && line.intercept >= chain.back().intercept) continue;
    // The new line is below the last one, and parallel to it or flatter: the last one is nowhere best.
    while (!chain.empty() && line.slope <= chain.back().slope) chain.pop_back();
    // The last line has no face if the new line is below it from the point at which its face would begin.
    while (chain.size() > 1 && meeting(line, chain.back()) >= meeting(chain.back(), chain[chain.size() - 2])) {
      chain.pop_back();
    }
    chain.push_back(line);
  }
  for (std::size_t i = chain.size(); i-- > 0;) {
    faces_.push_back({.line = chain[i], .from = i + 1 == chain.size() ? 0 : meeting(chain[i + 1], chain[i])});
  }
}

const HullFace& Hull::at_block(Wide bytes) const {
  const Wide x = std::ldexp(bytes, static_cast<int>(dim_));
  const auto after = std::upper_bound(faces_.begin() + 1, faces_.end(), x,
                                      [](Wide value, const HullFace& face) { return value < face.from; });
  return *(after - 1);
}

Wide Hull::block(const HullFace& face) const { return std::ldexp(face.from, -static_cast<int>(dim_)); }

double optimal_sum(unsigned dim, double block_bytes, const HullParameters& p) {
  // In v = 1/u, 0 < v < 1: L = x tau v^2 + (x rho + Q) v^2 / (1 - v)^2, whose right side grows with v.
  const Wide x = std::ldexp(Wide{block_bytes}, static_cast<int>(dim));
  const auto beyond = [&](Wide v) {
    const Wide part = v / (1 - v);
    return x * p.tau_us_per_byte * v * v + (x * p.rho_us_per_byte + p.barrier_us) * part * part > p.message_us;
  };
  // Bisected in log2 u, between 0 and a bound that no cube reaches.
  Wide low = 0;
  Wide high = 2 * Wide{max_predicted_dim};
  for (unsigned i = 0; i < 100; ++i) {
    const Wide middle = (low + high) / 2;
    (beyond(std::exp2(-middle)) ? low : high) = middle;
  }
  return static_cast<double>(2 * high);
}

OptimalityBounds optimality_bounds(unsigned dim, double block_bytes, const HullParameters& p) {
  const Wide tau = p.tau_us_per_byte;
  const Wide barrier = p.barrier_us / (block_bytes * tau);
  const Wide x = power_of_2(dim);
  const Wide half = std::exp2(static_cast<Wide>(dim) / 2) - 1;
  return {.direct = static_cast<double>(1 + (x * p.rho_us_per_byte / tau + barrier) / (half * half)),
          .standard = static_cast<double>(x * (Wide{0.25} + p.rho_us_per_byte / tau) + barrier)};
}

Partition best_staged_partition(unsigned dim, Bytes bytes, const ExchangeParameters& parameters,
                                const StageOptions& options, const OnTrial& on_partition) {
  require_searchable(dim);
  const auto lengths = [bytes](const Partition& partition) {
    return part_lengths(bytes, static_cast<unsigned>(partition.size()));
  };
  return best_of(partitions_of(dim), options.exchange.order, lengths, parameters, options, on_partition);
}

double equal_parts_us(const Partition& partition, double bytes, const ExchangeParameters& parameters,
                      const StageOptions& options) {
  return staged_cost(partition, hull_lengths(bytes, partition), parameters, options).total();
}

StagedHull staged_hull(unsigned dim, const ExchangeParameters& parameters, const StageOptions& options,
                       const OnTrial& on_size) {
  require_searchable(dim);
  const std::vector<Partition> partitions = partitions_of(dim);
  const bool lines = parameters.short_bytes == 0 && options.exchange.barrier != Barrier::step &&
                     options.service.startups != Startups::queued && !options.service.ports.shared(dim);
  if (!lines) return {.faces = searched_faces(partitions, parameters, options, on_size), .lines = false};
  std::vector<RealHopsFace> times;
  for (const Partition& partition : partitions) {
    const double at_1 = equal_parts_us(partition, 1, parameters, options);
    const double slope = equal_parts_us(partition, 2, parameters, options) - at_1;
    times.push_back({.partition = partition, .slope_us_per_byte = slope, .intercept_us = at_1 - slope});
  }
  return {.faces = lower_envelope(times), .lines = true};
}

}  // namespace ecube
