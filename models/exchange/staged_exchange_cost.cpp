// SPDX-License-Identifier: Apache-2.0
// The cost equation of the complete exchange on several ports.
#include "models/exchange/staged_exchange_cost.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "models/machine/equation_parameters.h"
#include "models/machine/error.h"

namespace ecube {

namespace {

constexpr double most_timed_messages = 1 << 25;

/// `value` times 2^exponent. Zero stays zero where 2^exponent alone would be infinite.
double scaled(double value, unsigned exponent) { return std::ldexp(value, static_cast<int>(exponent)); }

/// C(n, k), scaled by 2^-n so that it fits.
double binomial_part(unsigned n, unsigned k) {
  constexpr int some = 512;
  double value = 1;
  int exponent = -static_cast<int>(n);
  for (unsigned i = 1; i <= k; ++i) {
    value = value * (n - k + i) / i;  // a whole number, exact below 2^53
    if (value < std::ldexp(1.0, some)) continue;
    value = std::ldexp(value, -some);
    exponent += some;
  }
  return std::ldexp(value, exponent);
}

/// Steps of a phase, and hops of the longer circuit of each, summed.
struct PhaseSums {
  double steps = 0;
  double hops = 0;
};

/// steps_of_phase() of any phase.
double steps_of(unsigned dims, MaskPairing pairing) {
  return pairing == MaskPairing::on ? scaled(1, dims - 1) : scaled(1, dims) - 1;
}

PhaseSums sums_of(unsigned dims, unsigned dim, MaskPairing pairing, HopCount hops) {
  PhaseSums sums{.steps = steps_of(dims, pairing)};
  if (hops == HopCount::average) {
    sums.hops = sums.steps * dim / 2;
    return sums;
  }
  const unsigned half = (dims + 1) / 2;
  sums.hops = scaled(dims, dims - 1);
  if (pairing == MaskPairing::on) sums.hops = (sums.hops + scaled(half * binomial_part(dims, half), dims)) / 2;
  return sums;
}

/// The cost of messages of one length.
struct MessageCost {
  double bytes;
  const ExchangeParameters& p;

  /// The terms of `messages` messages with `hops` hops in all, one after the other.
  [[nodiscard]] ExchangeTerms terms(double messages, double hops) const {
    const bool synchronised = p.pairwise_sync_messages;
    ExchangeTerms terms;
    terms.startup_us = messages * (p.startup_us(bytes) + (synchronised ? p.lambda0_us : 0));
    terms.distance_us = messages * p.delta_us * (synchronised ? 2 : 1);
    terms.distance_us += hops * (p.hop_us(bytes) + (synchronised ? p.hop_us(0) : 0));
    terms.transmission_us = messages * p.tau_us_per_byte * bytes;
    if (p.tau_hop_us_per_byte > 0) terms.transmission_us += hops * p.tau_hop_us_per_byte * bytes;
    return terms;
  }

  /// The circuits of one message over `hops` links.
  [[nodiscard]] std::vector<TimedCircuit> legs(double hops, const NodeService& service) const {
    const ProcessorTimes times =
        service.processor.value_or(ProcessorTimes{.startup_us = p.startup_us(bytes), .startup_zero_us = p.lambda0_us});
    const double early_us = service.early_us + service.early_hop_us * hops;
    TimedCircuit empty = times.circuit(p.lambda0_us + p.delta_us + p.hop_us(0) * hops, true);
    empty.early = early_us;
    std::vector<TimedCircuit> legs;
    if (p.pairwise_sync_messages) legs.push_back(empty);
    const std::size_t first = legs.size();
    if (service.stores) {
      for (unsigned hop = 0; hop == 0 || hop + 0.5 < hops; ++hop)
        legs.push_back({hop == 0 ? times.startup_us : service.forward_us, 0, 0, service.early_us});
      legs.back().receipt = times.receipt_us;
    } else if (service.reserve_above_bytes >= 0 && bytes > service.reserve_above_bytes) {
      legs.push_back({times.startup_us, empty.transit, service.control_receipt_us, early_us});
      legs.push_back({service.control_startup_us, empty.transit, service.control_receipt_us, early_us});
      legs.push_back({service.control_startup_us, 0, times.receipt_us, early_us});
    } else {
      legs.push_back(times.circuit(0, bytes == 0));
      legs.back().early = early_us;
    }
    // The time that neither the processor nor the circuits above account for.
    double rest_us = p.message_us(bytes, hops);
    for (std::size_t i = first; i < legs.size(); ++i) rest_us -= legs[i].startup + legs[i].transit + legs[i].receipt;
    const std::size_t sharing = service.stores ? legs.size() - first : 1;
    for (std::size_t i = legs.size() - sharing; i < legs.size(); ++i)
      legs[i].transit += std::max(0.0, rest_us / static_cast<double>(sharing));
    return legs;
  }
};

/// A part of the blocks in a stage, as messages of a timeline.
class StagedPart {
 public:
  StagedPart(const ExchangeStages& stages, unsigned phase, const MessageCost& message, const StageOptions& options)
      : dims_(stages.phase_dims(phase)), pairing_(options.pairing), low_(stages.phase_low(phase)) {
    for (unsigned hops = 0; hops <= dims_; ++hops) {
      const double charged = options.exchange.hops == HopCount::real ? hops : stages.dim() / 2.0;
      circuits_.push_back(message.legs(charged, options.service));
    }
  }

  [[nodiscard]] std::uint64_t steps() const { return steps_of_phase(dims_, pairing_); }
  /// The messages of step `number`, as those of program `part`. All nodes do the same.
  void step(std::uint64_t number, std::uint32_t part, std::vector<TimedMessage>& messages) const {
    const StepMasks masks = masks_of_step(static_cast<NodeId>(number), dims_, pairing_);
    messages.push_back(message(masks.mask, part));
    if (masks.complement != 0) messages.push_back(message(masks.complement, part));
  }
  /// Hops of the step's longer circuit.
  [[nodiscard]] unsigned hops(std::uint64_t number) const {
    const StepMasks masks = masks_of_step(static_cast<NodeId>(number), dims_, pairing_);
    return std::max(ecube::hops(0, masks.mask), ecube::hops(0, masks.complement));
  }

 private:
  [[nodiscard]] TimedMessage message(NodeId mask, std::uint32_t part) const {
    const std::span<const TimedCircuit> circuits = circuits_[ecube::hops(0, mask)];
    return {.partner = part,
            .arrives_in = static_cast<std::uint8_t>(low_ + last_dimension(0, mask)),
            .circuit = circuits.front(),
            .more = circuits.subspan(1)};
  }

  unsigned dims_;
  MaskPairing pairing_;
  unsigned low_;
  std::vector<std::vector<TimedCircuit>> circuits_;  ///< [hops]
};

/// The parts of a stage, without permutation and barrier.
struct Moves {
  const ExchangeStages& stages;
  const ExchangeParameters& parameters;
  const StageOptions& options;

  /// `run` has the phase and the length of every part that travels.
  using Runs = std::vector<std::pair<unsigned, double>>;

  [[nodiscard]] ExchangeTerms longest(const Runs& runs) const {
    ExchangeTerms longest;
    for (const auto& [phase, length] : runs) {
      const PhaseSums sums = sums_of(stages.phase_dims(phase), stages.dim(), options.pairing, options.exchange.hops);
      const ExchangeTerms terms = message(phase, length).terms(sums.steps, sums.hops);
      if (terms.total() > longest.total() || !std::isfinite(terms.total())) longest = terms;
    }
    return longest;
  }

  /// Time for which the processor is busy in a stage, where start-ups queue.
  [[nodiscard]] double processor_us(const Runs& runs) const {
    if (options.service.startups != Startups::queued) return 0;
    double us = 0;
    for (const auto& [phase, length] : runs) {
      const unsigned dims = stages.phase_dims(phase);
      for (const TimedCircuit& leg : message(phase, length).legs(1, options.service))
        us += (scaled(1, dims) - 1) * (leg.startup + leg.receipt);
    }
    return us;
  }

  [[nodiscard]] bool limited() const {
    return options.service.startups == Startups::queued || options.service.ports.shared(stages.dim());
  }

  [[nodiscard]] ExchangeTerms terms(const Runs& runs) const {
    const bool in_step = options.exchange.barrier == Barrier::step;
    ExchangeTerms terms = longest(runs);
    if (!limited() && !in_step) return terms;
    refuse_too_many(runs);
    std::vector<StagedPart> parts;
    parts.reserve(runs.size());
    for (const auto& [phase, length] : runs) parts.emplace_back(stages, phase, message(phase, length), options);
    if (in_step) terms = step_by_step(runs, parts);
    if (!limited()) return terms;
    const TimedProgram program = [&](std::uint32_t part, std::uint64_t number, TimedStep& step) {
      if (number == parts[part].steps()) return false;
      parts[part].step(number, part, step.messages);
      return true;
    };
    TimedNodes node{.programs = static_cast<std::uint32_t>(parts.size()), .limits = {}, .in_step = in_step};
    double before_us = terms.total();
    if (options.service.ports.shared(stages.dim())) {
      node.limits.engines = options.service.ports.engines;
      const double us = timeline_us<double>(node, program);
      terms.engine_us = us - before_us;
      before_us = us;
    }
    if (options.service.startups == Startups::queued) {
      node.limits.queued = true;
      terms.serialised_us = timeline_us<double>(node, program) - before_us;
    }
    return terms;
  }

  [[nodiscard]] MessageCost message(unsigned phase, double length) const {
    return {scaled(length, stages.dim() - stages.phase_dims(phase)), parameters};
  }

  [[nodiscard]] ExchangeTerms step_by_step(const Runs& runs, const std::vector<StagedPart>& parts) const {
    ExchangeTerms all;
    std::uint64_t steps = 0;
    for (const StagedPart& part : parts) steps = std::max(steps, part.steps());
    for (std::uint64_t step = 0; step < steps; ++step) {
      ExchangeTerms longest;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (step >= parts[i].steps()) continue;
        const double hops =
            options.exchange.hops == HopCount::real ? parts[i].hops(step) : static_cast<double>(stages.dim()) / 2;
        const ExchangeTerms terms = message(runs[i].first, runs[i].second).terms(1, hops);
        if (terms.total() > longest.total()) longest = terms;
      }
      all += longest;
    }
    return all;
  }

  void refuse_too_many(const Runs& runs) const {
    double messages = 0;
    for (const auto& [phase, length] : runs) messages += scaled(1, stages.phase_dims(phase)) - 1;
    if (messages <= most_timed_messages) return;
    throw InputError("on several ports with " +
                     std::string(!limited()                                     ? "a barrier in every step"
                                 : options.service.startups == Startups::queued ? "queued start-ups"
                                                                                : "fewer engines than ports") +
                     " the equation follows every message of a node, and a phase has more than 33,554,432")
        .valid("parts of at most 24 dimensions | --ports one | --ports n with --set node.startups=overlapped");
  }
};

Moves::Runs runs_of(const ExchangeStages& stages, unsigned stage, const std::vector<double>& lengths) {
  Moves::Runs runs;
  for (unsigned part = 0; part < lengths.size(); ++part) runs.emplace_back(stages.at(stage, part).phase, lengths[part]);
  return runs;
}

/// Adds permutation and barrier to the terms of the parts.
void add_end_of_stage(ExchangeTerms& terms, const ExchangeStages& stages, unsigned stage,
                      const std::vector<double>& lengths, const ExchangeParameters& p, const StageOptions& options) {
  double permuted = 0;
  double steps = 0;
  for (unsigned part = 0; part < lengths.size(); ++part) {
    const StagePart what = stages.at(stage, part);
    if (stages.pays_permutation(what, options.exchange.identity_shuffle)) permuted += lengths[part];
    steps = std::max(steps, steps_of(stages.phase_dims(what.phase), options.pairing));
  }
  terms.permutation_us += scaled(p.rho_us_per_byte * permuted, stages.dim());
  if (options.exchange.barrier == Barrier::phase) terms.barrier_us += p.barrier_us;
  if (options.exchange.barrier == Barrier::step) terms.barrier_us += steps * p.barrier_us;
  if (options.exchange.barrier == Barrier::clock) terms.barrier_us += options.exchange.slack_us;
}

void require_finite(const ExchangeTerms& terms, unsigned dim) {
  require_no_negative_time(terms.total(), "an exchange on several ports");
  if (std::isfinite(terms.total())) return;
  throw InputError("the time of an exchange on several ports at --dim " + std::to_string(dim) +
                   " is beyond 1.8e308 us, the largest number there is")
      .hint("take a smaller --dim, smaller blocks, or a partition with smaller parts");
}

}  // namespace

NodeService undescribed_service(const Machine& machine) {
  return {.ports = machine.node.ports, .startups = machine.node.startups};
}

NodeService node_service(const Machine& machine) {
  NodeService service = undescribed_service(machine);
  const Machine::Library& library = machine.library;
  const auto us = [&machine](Cycles core_cycles) {
    return machine.us(static_cast<double>(machine.from_core(core_cycles)));
  };
  service.processor = ProcessorTimes{.startup_us = us(library.send_cycles),
                                     .receipt_us = us(library.receive_cycles),
                                     .startup_zero_us = us(library.send_zero_cycles),
                                     .receipt_zero_us = us(library.receive_zero_cycles)};
  service.stores = machine.network.switching == Switching::store_and_forward;
  service.forward_us = us(library.forward_cycles);
  if (library.protocol == Protocol::unforced)
    service.reserve_above_bytes = static_cast<double>(library.threshold_bytes);
  service.control_startup_us = us(library.control_send_cycles);
  service.control_receipt_us = us(library.control_receive_cycles);
  // From the sender's port being free to the arrival: hw/README.md section 3, h + 2 cycles; stored packets go over one
  // link. Section 10: the tail of a worm follows its probe at the pace of the buffers behind it.
  double early = service.stores ? 3 : 2;
  double early_hop = service.stores ? 0 : 1;
  if (machine.network.switching == Switching::wormhole) {
    const double pace = machine.phit_cycles().value();
    early_hop = std::min(static_cast<double>(machine.router.route_cycles) + 1,
                         pace * static_cast<double>(machine.buffer_phits()) - 1);
    early = early_hop + 2 - pace;
  }
  service.early_us = machine.us(early);
  service.early_hop_us = machine.us(early_hop);
  return service;
}

std::vector<double> part_lengths(Bytes bytes, unsigned phases) {
  const BlockParts parts(bytes, phases);
  std::vector<double> lengths;
  for (unsigned part = 0; part < parts.travelling(); ++part) lengths.push_back(static_cast<double>(parts.length(part)));
  return lengths;
}

ExchangeTerms stage_cost(const ExchangeStages& stages, unsigned stage, const std::vector<double>& lengths,
                         const ExchangeParameters& parameters, const StageOptions& options) {
  ExchangeTerms terms = Moves{stages, parameters, options}.terms(runs_of(stages, stage, lengths));
  add_end_of_stage(terms, stages, stage, lengths, parameters, options);
  require_finite(terms, stages.dim());
  return terms;
}

ExchangeTerms staged_cost(const Partition& partition, const std::vector<double>& lengths,
                          const ExchangeParameters& parameters, const StageOptions& options) {
  const ExchangeStages stages(partition, options.exchange.order);
  const Moves moves{stages, parameters, options};
  // Stages differ in the phase of each part; stages whose phases have equally many dimensions take the same time.
  std::map<std::vector<unsigned>, ExchangeTerms> known;
  ExchangeTerms all;
  for (unsigned stage = 0; stage < stages.count(); ++stage) {
    const Moves::Runs runs = runs_of(stages, stage, lengths);
    std::vector<unsigned> dims;
    for (const auto& [phase, length] : runs) dims.push_back(stages.phase_dims(phase));
    if (!known.contains(dims)) known[dims] = moves.terms(runs);
    ExchangeTerms terms = known[dims];
    add_end_of_stage(terms, stages, stage, lengths, parameters, options);
    all += terms;
  }
  require_finite(all, stages.dim());
  return all;
}

double least_staged_us(const ExchangeStages& stages, const std::vector<double>& lengths,
                       const ExchangeParameters& parameters, const StageOptions& options) {
  const Moves moves{stages, parameters, options};
  double us = 0;
  for (unsigned stage = 0; stage < stages.count(); ++stage) {
    const Moves::Runs runs = runs_of(stages, stage, lengths);
    ExchangeTerms terms = moves.longest(runs);
    const double alone_us = terms.total();
    add_end_of_stage(terms, stages, stage, lengths, parameters, options);
    us += terms.total() + std::max(0.0, moves.processor_us(runs) - alone_us);
  }
  return us;
}

}  // namespace ecube
