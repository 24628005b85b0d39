// SPDX-License-Identifier: Apache-2.0
// Steps of shuffles with queued start-ups.
#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include "models/machine/equation_parameters.h"
#include "models/machine/quantity.h"
#include "models/shuffle/shuffle_workload.h"

namespace ecube {
namespace {

/// The time of a message by its number of elements.
struct Wire {
  const ShuffleParameters& parameters;  ///< with the processor's share

  /// Time of a packet that is exchanged alone.
  [[nodiscard]] double packet_us(std::uint64_t elements) const {
    return parameters.tau_us + parameters.tc_us_per_element * static_cast<double>(elements);
  }
  [[nodiscard]] TimedCircuit circuit(std::uint64_t elements) const {
    return parameters.processor->circuit(packet_us(elements), false);
  }
  /// Adds the message of `out` elements to a partner, and of `in` from it, if there is any.
  void add_message(TimedStep& step, std::uint32_t partner, std::uint32_t tag, std::uint64_t out,
                   std::uint64_t in) const {
    if (out + in == 0) return;
    step.messages.push_back(
        {.partner = partner, .tag = tag, .sends = out > 0, .receives = in > 0, .circuit = circuit(out)});
  }
};

/// Packets one after the other, of which the longest messages count, and their time.
struct Sequence {
  ShuffleCount count;
  double us = 0;

  Sequence& operator+=(const Sequence& other) {
    count += other.count;
    us += other.us;
    return *this;
  }
};

/// Elements of each row's packets: rows of sets are full; the last of the other rows has the rest of `pairs`.
std::vector<std::uint64_t> row_lengths(const RowSchedule& schedule, std::uint64_t pairs, std::uint64_t packet) {
  std::uint64_t left = pairs;
  for (const ScheduleRow& row : schedule.rows) left -= row.set ? packet : 0;
  std::vector<std::uint64_t> lengths;
  for (const ScheduleRow& row : schedule.rows) {
    lengths.push_back(row.set ? packet : std::min(packet, left));
    if (!row.set) left -= lengths.back();
  }
  return lengths;
}

/// In every step of a schedule of rows all nodes do the same.
Sequence scheduled(const RowSchedule& schedule, std::uint64_t elements, std::uint64_t packet, const Wire& wire) {
  std::vector<std::vector<std::uint64_t>> steps(schedule.steps);
  const std::vector<std::uint64_t> lengths = row_lengths(schedule, elements / 2, packet);
  for (std::size_t q = 0; q < schedule.rows.size(); ++q) {
    for (const RowEntry& entry : schedule.rows[q].entries) steps[entry.step - 1].push_back(lengths[q]);
  }
  Sequence sum;
  std::vector<TimedMessage> messages;
  for (const std::vector<std::uint64_t>& step : steps) {
    if (step.empty()) continue;
    sum.count += {.steps = *std::max_element(step.begin(), step.end()), .startups = 1};
    const bool alike = std::adjacent_find(step.begin(), step.end(), std::not_equal_to<>()) == step.end();
    if (alike) {
      sum.us += queued_exchanges_us(step.size(), wire.circuit(step.front()));
      continue;
    }
    messages.clear();
    for (const std::uint64_t length : step) messages.push_back({.circuit = wire.circuit(length)});
    sum.us += queued_step_us(messages);
  }
  return sum;
}

/// Elements that are moved at synchronisation points by a node for which the parity of every constituent is odd. A set
/// of one constituent has two pairs of locations for each pair of the packet, a set of AAPC two for each pair, lane and
/// constituent.
std::uint64_t synchronised(const RowSchedule& schedule, std::uint64_t packet) {
  std::uint64_t moved = 0;
  for (const SpecialSet& set : schedule.sets) {
    const auto constituents = static_cast<std::uint64_t>(std::popcount(set.constituents));
    moved += 4 * packet * constituents << (constituents - 1);
  }
  return moved;
}

/// The groups in which elements go through a real cycle by A2. Bit i of a node's number is the cycle's dimension i.
struct A2Groups {
  const Constituent& real;
  std::uint32_t count;
  std::uint64_t elements;
  std::uint64_t length = quotient_up(elements, count);  ///< of the longest

  /// Elements of the packet that begins at element `at` of group g.
  [[nodiscard]] std::uint64_t packet(std::uint32_t g, std::uint64_t at, std::uint64_t most) const {
    const std::uint64_t begin = std::min(g * length + at, elements);
    return std::min({begin + most, (g + 1) * length, elements}) - begin;
  }
  /// Whether a node exchanges elements of the group between the first step and the last.
  [[nodiscard]] bool is_active(std::uint32_t node, std::uint32_t g) const {
    const std::uint32_t last = (g + real.order() - 1) % real.order();
    return bit_of(node, g) == (bit_of(node, last) != real.complement[g]);
  }
  /// Elements that the node moves in the end, because those that it kept are in its second buffer: if an odd number of
  /// dimensions is complemented.
  [[nodiscard]] std::uint64_t moved(std::uint32_t node) const {
    if (std::count(real.complement.begin(), real.complement.end(), true) % 2 == 0) return 0;
    std::uint64_t moved = 0;
    for (std::uint32_t g = 0; g < count; ++g) moved += is_active(node, g) ? packet(g, 0, length) : 0;
    return moved;
  }
};

/// A2 on the nodes of one cycle's subcube.
Sequence a2(const Constituent& real, bool all_ports, std::uint64_t elements, std::uint64_t packet, const Wire& wire) {
  const std::uint32_t order = real.order();
  const A2Groups groups{real, all_ports ? order : 1, elements};
  const std::uint64_t packets = quotient_up(groups.length, packet);
  const TimedProgram steps = [&](std::uint32_t node, std::uint64_t number, TimedStep& into) {
    const std::uint64_t step = number / packets;
    if (step == order) return false;
    for (std::uint32_t g = 0; g < groups.count; ++g) {
      const std::uint64_t length = groups.packet(g, number % packets * packet, packet);
      const bool active = groups.is_active(node, g);
      const std::uint64_t out = active != (step == 0) ? length : 0;
      const std::uint64_t in = active != (step + 1 == order) ? length : 0;
      wire.add_message(into, node ^ std::uint32_t{1} << (g + step) % order, g, out, in);
    }
    return true;
  };
  const ShuffleCount alone = a2_count(order, elements, packet, !all_ports);
  if (!all_ports) {  // a node has one message at a time: nothing queues
    const double us = wire.packet_us(0) * static_cast<double>(alone.startups) +
                      (wire.packet_us(1) - wire.packet_us(0)) * static_cast<double>(alone.steps);
    return {alone, us};
  }
  return {alone, timeline_us<uncontended::Picoseconds>({.nodes = std::uint32_t{1} << order}, steps)};
}

/// Real 2-cycles together by A2 squared. The messages of a node and of its partner depend only on the cycles whose two
/// bits differ in the node's label. So one node stands for all nodes with the same such cycles, bit c of its number for
/// cycle c.
Sequence two_cycles(std::uint32_t cycles, std::uint64_t elements, std::uint64_t packet, const Wire& wire) {
  std::vector<LabelBits> bits;
  for (unsigned c = 0; c < cycles; ++c) bits.push_back({{2 * c, 2 * c + 1}});
  const TwoCyclePlan plan(bits, elements, packet);
  /// Elements of the first and of the second hops in one dimension at one step.
  struct Lengths {
    std::uint64_t hop[2] = {0, 0};
  };
  std::vector<std::vector<Lengths>> lengths(plan.steps(), std::vector<Lengths>(std::size_t{2} * cycles));
  for (std::uint64_t step = 1; step <= plan.steps(); ++step) {
    for (const TwoCycleHop& hop : plan.hops(step)) {
      lengths[step - 1][hop.dim].hop[hop.second ? 1 : 0] = hop.elements.size();
    }
  }
  const TimedProgram steps = [&](std::uint32_t node, std::uint64_t number, TimedStep& into) {
    if (number == lengths.size()) return false;
    for (std::uint32_t dim = 0; dim < 2 * cycles; ++dim) {
      const Lengths& length = lengths[number][dim];
      const bool moves = bit_of(node, dim / 2);
      wire.add_message(into, node ^ std::uint32_t{1} << dim / 2, dim, length.hop[moves ? 0 : 1],
                       length.hop[moves ? 1 : 0]);
    }
    return true;
  };
  return {.count = a2x2_count(cycles, elements, packet),
          .us = timeline_us<uncontended::Picoseconds>({.nodes = std::uint32_t{1} << cycles}, steps)};
}

/// Elements spread from one node of each extended subcube, or brought back to it.
Sequence spread(const ShuffleWorkload& workload, bool outwards, const Wire& wire) {
  const unsigned extend = workload.extend;
  const unsigned parts = workload.spread_parts();
  const std::uint64_t local = workload.spread_elements();
  const std::uint64_t length = (local + parts - 1) / parts;
  const auto share = [&](unsigned part) {
    return std::min((part + 1) * length, local) - std::min(part * length, local);
  };
  // All packets, round after round; the longest part determines their number.
  struct Packet {
    unsigned round;
    std::uint64_t at;
  };
  std::vector<Packet> packets;
  for (unsigned i = 0; i < extend; ++i) {
    const unsigned round = outwards ? i : extend - 1 - i;
    for (std::uint64_t at = 0; at < length << (extend - round - 1); at += workload.packet)
      packets.push_back({round, at});
  }
  const TimedProgram steps = [&](std::uint32_t node, std::uint64_t number, TimedStep& into) {
    if (number == packets.size()) return false;
    const auto [round, at] = packets[number];
    for (unsigned part = 0; part < parts; ++part) {
      std::uint32_t place = 0;
      for (unsigned i = 0; i < extend; ++i) place = place << 1 | (node >> (part + i) % extend & 1U);
      const std::uint32_t still = (std::uint32_t{1} << (extend - round)) - 1;
      const bool near = (place & still) == 0;
      if (!near && (place & still) != (still + 1) / 2) continue;
      const std::uint64_t half = share(part) << (extend - round - 1);
      const std::uint64_t elements = std::min<std::uint64_t>(workload.packet, half - std::min(at, half));
      const bool sends = near == outwards;
      wire.add_message(into, node ^ std::uint32_t{1} << (part + round) % extend, part, sends ? elements : 0,
                       sends ? 0 : elements);
    }
    return true;
  };
  return {.count = spread_count(extend, workload.elements, workload.packet, parts == 1),
          .us = timeline_us<uncontended::Picoseconds>({.nodes = std::uint32_t{1} << extend}, steps)};
}

/// Without alignment: whether elements of some node are in a wrong place at the end of a plan, as where a complement is
/// on their way. The `first` plan also does the purely local part.
bool moves_in_the_end(const ShufflePlan& plan, const Factors& factors, bool first) {
  for (std::uint32_t parities = 0; parities >> plan.constituents().size() == 0; ++parities) {
    for (std::uint64_t slot = 0; slot < plan.elements(); ++slot) {
      const std::uint64_t address = plan.final_address(slot, parities);
      if (plan.address(slot, parities, true) != (first ? factors.local(address) : address)) return true;
    }
  }
  return false;
}

/// Elements that are moved besides the alignment in `count`, on the nodes that move most.
std::uint64_t moved_aside(const DimensionPermutation& stage, const ShuffleWorkload& workload, unsigned dim) {
  const Factors factors = factor(stage);
  const std::uint64_t elements = workload.spread_elements();
  std::uint64_t moved = 0;
  if (workload.align) {
    for (const RowSchedule& schedule : schedules_of(stage, workload, dim)) {
      moved += synchronised(schedule, workload.packet);
    }
  } else {
    bool first = true;
    for (const ShufflePlan& plan : plans_of(stage, workload, dim)) {
      if (moves_in_the_end(plan, factors, first)) moved += elements;
      first = false;
    }
  }
  const RealParts parts = real_parts(factors, workload, dim);
  if (factors.mixed.empty() && parts.by_a1.empty() && !factors.virtual_bits.empty()) moved += elements;
  for (const Constituent& real : parts.by_a2) {
    const A2Groups groups{real, workload.all_at_once(real) ? real.order() : 1, elements};
    std::uint64_t most = 0;
    for (std::uint32_t node = 0; node < std::uint32_t{1} << real.order(); ++node) {
      most = std::max(most, groups.moved(node));
    }
    moved += most;
  }
  return moved;
}

/// All messages.
Sequence sent(const ShuffleWorkload& workload, unsigned dim, const Wire& wire) {
  const std::uint64_t elements = workload.spread_elements();
  Sequence sum;
  if (workload.extend > 0) {
    sum += spread(workload, true, wire);
    sum += spread(workload, false, wire);
  }
  for (const DimensionPermutation& stage : stages_of(workload)) {
    for (const RowSchedule& schedule : schedules_of(stage, workload, dim)) {
      sum += scheduled(schedule, elements, workload.packet, wire);
    }
    const RealParts parts = real_parts(factor(stage), workload, dim);
    for (const Constituent& real : parts.by_a2) {
      sum += a2(real, workload.all_at_once(real), elements, workload.packet, wire);
    }
    for (const std::vector<LabelBits>& round : parts.rounds) {
      sum += two_cycles(static_cast<std::uint32_t>(round.size()), elements, workload.packet, wire);
    }
  }
  return sum;
}

}  // namespace

ShuffleTerms workload_cost(const ShuffleWorkload& workload, unsigned dim, const ShuffleCount& count,
                           const ShuffleParameters& parameters) {
  ShuffleTerms terms = shuffle_cost(count, parameters);
  if (workload.method == ShuffleMethod::route) return terms;
  if (parameters.rho_us_per_element > 0) {
    std::uint64_t moved = 0;
    for (const DimensionPermutation& stage : stages_of(workload)) moved += moved_aside(stage, workload, dim);
    terms.local_us += parameters.rho_us_per_element * static_cast<double>(moved);
  }
  if (parameters.processor) {
    const Sequence sum = sent(workload, dim, {parameters});
    terms.startup_us = parameters.tau_us * static_cast<double>(sum.count.startups);
    terms.transmission_us = parameters.tc_us_per_element * static_cast<double>(sum.count.steps);
    terms.queued_startup_us = without_rounding(sum.us - terms.startup_us - terms.transmission_us);
  }
  require_no_negative_time(terms.total(), "the shuffle");
  return terms;
}

ShuffleTerms workload_cost(const ShuffleWorkload& workload, unsigned dim, const ShuffleParameters& parameters) {
  const auto formula = formula_of(workload, dim);
  return workload_cost(workload, dim, formula ? *formula : count_of(workload, dim), parameters);
}

PacketChoice best_packet_choice(const ShuffleWorkload& workload, unsigned dim,
                                const std::function<ShuffleParameters(std::uint64_t packet)>& parameters) {
  const ShuffleFormula formula(workload, dim);
  ShuffleWorkload tried = workload;
  const auto us_of = [&](std::uint64_t packet) {
    tried.packet = static_cast<std::uint32_t>(packet);
    return workload_cost(tried, dim, parameters(packet)).total();
  };
  const std::uint64_t most = formula.largest_packet();
  if (!parameters(1).processor && formula.exists()) {
    PacketChoice least{.us = std::numeric_limits<double>::infinity()};
    for (std::uint64_t packet = 1; packet <= most; ++packet) {
      if (!formula.fits(packet)) continue;
      const double us = shuffle_cost(formula.count(packet), parameters(packet)).total();
      if (us < least.us) least = {static_cast<std::uint32_t>(packet), us};
    }
    return {least.packet, us_of(least.packet)};
  }
  std::set<std::uint64_t> sizes;
  for (std::uint64_t size = 1; size <= most; size *= 2) sizes.insert(size);
  if (parameters(1).processor) {
    std::set<std::uint64_t> shares = {workload.spread_elements() / 2, workload.spread_elements()};
    for (const DimensionPermutation& stage : stages_of(workload)) {
      for (const Constituent& real : factor(stage).real)
        shares.insert(quotient_up(workload.spread_elements(), real.order()));
    }
    constexpr std::uint64_t most_packets = 64;
    for (const std::uint64_t share : shares) {
      for (std::uint64_t packets = 1; packets <= std::min(share, most_packets); ++packets) {
        sizes.insert(std::min(quotient_up(share, packets), most));
      }
    }
  }
  std::optional<PacketChoice> best;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    if (formula.exists() && !formula.fits(*size)) continue;
    // Counting needs a schedule. Above this number of packets the first and the last ones no longer matter.
    constexpr std::uint64_t most_counted = 512;
    if (best && parameters(1).processor && !formula.exists() && workload.spread_elements() / 2 / *size > most_counted) {
      continue;
    }
    // Queueing makes no step shorter.
    if (best && formula.exists() && shuffle_cost(formula.count(*size), parameters(*size)).total() >= best->us) continue;
    const double us = us_of(*size);
    if (!best || us < best->us) best = PacketChoice{static_cast<std::uint32_t>(*size), us};
  }
  return best.value_or(PacketChoice{});
}

}  // namespace ecube
