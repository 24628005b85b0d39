// SPDX-License-Identifier: Apache-2.0
// Random machines of every mode, and random programs for them: sends, receives, exchanges, signals, barriers and work
// of every kind, several under way at a node at a time. Programs may wait for each other in rings or lose messages;
// engines have to agree on this too.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "models/contract/run.h"
#include "models/machine/random.h"
#include "models/presets/presets.h"
#include "models/presets/settings.h"
#include "sw/api/barrier.h"
#include "sw/api/firmware.h"

namespace ecube {

/// A request of a node, or an end that it waits for.
struct ProgramStep {
  enum class Kind : std::uint8_t {
    send,
    receive,
    receive_any,
    receive_each,  ///< one message from every other node of a subcube
    exchange,
    signal,
    compute,
    loop,  ///< `work`, waited for
    until,
    wait,
    combine,  ///< the data that the step `number` received
    barrier
  };
  Kind kind = Kind::send;
  NodeId peer = 0;
  std::uint32_t tag = 0;
  Bytes bytes = 0;
  PairwiseSync sync = PairwiseSync::off;
  std::uint8_t port = automatic_port;
  /// Cycles of computation, the cycle to wait for, or the earlier step whose end is awaited; of a message, its number.
  std::uint64_t number = 0;
  Work work = Work::cycles;
  Subcube sources{};
};

struct RandomProgram {
  unsigned dim = 1;
  Machine machine;
  RunConditions conditions;
  Bytes room = 61;                              ///< of every receive
  bool few_tags = false;                        ///< receives may take messages that were meant for other receives
  std::vector<std::vector<ProgramStep>> steps;  ///< [node]
};

/// Shapes of machines that random programs are for.
struct RandomShape {
  unsigned dim = 1;
  std::uint32_t engines = 1;
  unsigned buffer = 0;     ///< of worms, phits; 0 for circuits
  std::string topology{};  ///< in the place of a cube of `dim` dimensions
  std::uint32_t channels = 1;
};

using Shapes = std::vector<RandomShape>;

/// Cubes of these dimensions with every number of ports and each of these buffers.
inline Shapes shapes_of(const std::vector<unsigned>& dims, const std::vector<unsigned>& buffers = {0, 0, 1, 2, 3}) {
  Shapes shapes;
  for (const unsigned dim : dims)
    for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}, 2U, 3U}) {
      if (engines > 1 && engines >= dim) continue;
      for (const unsigned buffer : buffers) shapes.push_back({dim, engines, buffer});
    }
  return shapes;
}

/// The least machine of this shape.
inline Machine machine_of(const RandomShape& shape) {
  Machine machine;
  machine.node.ports.engines = shape.engines;
  machine.link.channels = shape.channels;
  if (!shape.topology.empty()) machine.network.topology = *Topology::parse(shape.topology);
  if (shape.buffer == 0) return machine;
  machine.network.switching = Switching::wormhole;
  machine.link.cycles_per_phit = {2, 1};
  machine.router.buffer_bytes = Bytes{shape.buffer} * machine.link.phit_bytes;
  return machine;
}

inline Machine random_machine(std::mt19937_64& random, const RandomShape& shape) {
  const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
  const auto one_of = [&pick](auto... values) {
    const std::array all{values...};
    return all[pick(all.size() - 1)];
  };
  Machine machine = machine_of(shape);
  machine.router.route_cycles = 1 + pick(1) * pick(11);
  machine.network.accept_cycles = 1 + pick(1) * pick(5);
  machine.link.phit_bytes = 1 + static_cast<std::uint32_t>(pick(7));
  const std::uint64_t den = 1 + pick(9);
  machine.link.cycles_per_phit = {den + pick(3 * den), den};
  if (shape.buffer > 0) {
    machine.link.cycles_per_phit = {2 + pick(5), 1};
    machine.router.buffer_bytes = std::uint64_t{shape.buffer} * machine.link.phit_bytes;
  } else if (pick(4) == 0) {
    machine.network.switching = Switching::store_and_forward;
    machine.network.packet_bytes = 1 + pick(30);
  }
  if (shape.buffer == 0 && pick(3) == 0) {
    machine.network.duplex = Duplex::together;
    machine.network.together_cycles = pick(30);
  }
  if (machine.network.switching == Switching::circuit && pick(3) == 0) {
    machine.network.distance = Distance::fixed;
    machine.network.setup_cycles = machine.least_setup(machine.topology(shape.dim).diameter()) + pick(30);
  }
  machine.node.startups = one_of(Startups::queued, Startups::overlapped);
  machine.node.overlap = one_of(Overlap::on, Overlap::off);
  machine.core.copy.compiled = {pick(3), 1 + pick(1)};
  machine.core.permute.compiled = {pick(3), 1 + pick(1)};
  machine.core.combine.compiled = {1 + pick(5), 1};
  Machine::Library& library = machine.library;
  const Cycles longest = one_of(Cycles{3}, Cycles{20}, Cycles{100});
  for (Cycles* path : {&library.send_cycles, &library.send_zero_cycles, &library.receive_cycles,
                       &library.receive_zero_cycles, &library.control_send_cycles, &library.control_receive_cycles,
                       &library.signal_send_cycles, &library.signal_receive_cycles, &library.forward_cycles}) {
    *path = pick(2) == 0 ? 0 : pick(longest);
  }
  if (machine.network.switching != Switching::store_and_forward) {
    library.protocol = one_of(Protocol::none, Protocol::forced, Protocol::unforced);
  }
  library.combining = one_of(Combining::received, Combining::arriving);
  library.call_cycles = pick(1) * pick(30);
  library.threshold_bytes = pick(40);
  library.buffer_bytes = pick(1) == 0 ? pick(160) : 10000;
  return machine;
}

/// Widens the count `first` of a machine, and perhaps one more, to what users run: up to 2^16, or as a preset has it.
inline void widen(std::mt19937_64& random, Machine& machine, unsigned dim, std::uint64_t first) {
  const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
  const bool worms = machine.network.switching == Switching::wormhole;
  const Bytes words = machine.router.buffer_bytes / machine.link.phit_bytes;
  using Count = Cycles& (*)(Machine&);
  constexpr std::array<Count, 10> counts{
      [](Machine& of) -> Cycles& { return of.router.route_cycles; },
      [](Machine& of) -> Cycles& { return of.network.accept_cycles; },
      [](Machine& of) -> Cycles& { return of.network.setup_cycles; },
      [](Machine& of) -> Cycles& { return of.network.together_cycles; },
      [](Machine& of) -> Cycles& { return of.link.cycles_per_phit.num; },
      [](Machine& of) -> Cycles& { return of.link.cycles_per_phit.den; },
      [](Machine& of) -> Cycles& { return of.library.send_cycles; },
      [](Machine& of) -> Cycles& { return of.library.receive_cycles; },
      [](Machine& of) -> Cycles& { return of.library.control_send_cycles; },
      [](Machine& of) -> Cycles& { return of.library.call_cycles; },
  };
  for (std::uint64_t left = 1 + pick(1); left > 0; --left, first = random()) {
    const Count count = counts[first % counts.size()];
    Machine preset = resolve(preset_settings(presets()[pick(presets().size() - 1)]));
    count(machine) = pick(3) == 0 ? count(preset) : logarithmic(random(), 16);
  }
  machine.router.route_cycles = std::max<Cycles>(machine.router.route_cycles, 1);
  machine.network.accept_cycles = std::max<Cycles>(machine.network.accept_cycles, 1);
  Ratio& c = machine.link.cycles_per_phit;
  if (worms) c = {std::max<std::uint64_t>(c.num, 2), 1};
  c.den = std::max<std::uint64_t>(c.den, 1);
  if (c.num < c.den) c.num += c.den;
  // A message of few phits, where each takes long.
  if (c.num > 40 * c.den) {
    machine.link.phit_bytes = 30;
    machine.network.packet_bytes = 30;
  }
  if (worms) machine.router.buffer_bytes = words * machine.link.phit_bytes;
  if (machine.network.setup_cycles > 0 && machine.network.switching == Switching::circuit) {
    machine.network.distance = Distance::fixed;
    machine.network.setup_cycles =
        std::max(machine.network.setup_cycles, machine.least_setup(machine.topology(dim).diameter()));
  }
  if (machine.network.together_cycles > 0 && !worms) machine.network.duplex = Duplex::together;
}

/// Tags of signals, which no message has.
inline constexpr std::uint32_t signal_tags = 0x10000;

/// What random_program() draws for a machine: steps and jitter.
inline RandomProgram random_steps(std::mt19937_64& random, std::uint64_t seed, const Machine& machine, unsigned dim,
                                  unsigned messages, bool few_tags) {
  using Kind = ProgramStep::Kind;
  const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
  RandomProgram program;
  program.dim = dim;
  program.few_tags = few_tags;
  program.machine = machine;
  program.conditions = {.jitter = pick(2) == 0 ? 1 + pick(60) : 0, .seed = seed};
  const Topology topology = machine.topology(dim);
  const NodeId nodes = topology.nodes();
  const std::uint32_t ports = program.machine.node.ports.physical(topology.outputs());
  const Protocol protocol = program.machine.library.protocol;
  // Receives that come late lose forced messages.
  const bool early = protocol == Protocol::forced ? pick(7) != 0 : pick(1) == 0;
  const bool hot = pick(1) == 0;
  const Cycles spread = pick(1) == 0 ? 200 : 2000;
  const bool signals = pick(11) == 0;
  const bool opening = pick(3) == 0 || (protocol == Protocol::forced && pick(7) != 0);
  const bool closing = pick(3) == 0;
  std::vector<std::vector<ProgramStep>> first(nodes);
  std::vector<std::vector<ProgramStep>> late(nodes);
  for (std::uint32_t number = 1; number <= messages * nodes; ++number) {
    const auto tag = few_tags ? static_cast<std::uint32_t>(mix(seed ^ number) % 3) : number;
    const auto source = static_cast<NodeId>(pick(nodes - 1));
    const auto destination = hot && pick(1) == 0 ? nodes - 1 : static_cast<NodeId>(pick(nodes - 1));
    const Bytes bytes = pick(3) == 0 ? 0 : 1 + pick(60);
    const std::uint8_t port = pick(4) == 0 ? static_cast<std::uint8_t>(pick(ports - 1)) : automatic_port;
    const bool synchronises = pick(1) == 0 || (protocol == Protocol::forced && pick(7) != 0);
    const PairwiseSync sync = synchronises ? PairwiseSync::on : PairwiseSync::off;
    if (source != destination && pick(3) == 0) {
      const Bytes back = pick(3) == 0 ? 0 : 1 + pick(60);
      late[source].push_back({Kind::exchange, destination, tag, bytes, sync, port, number});
      late[destination].push_back({Kind::exchange, source, tag, back, sync, automatic_port, number});
      continue;
    }
    if (source != destination && signals && pick(9) == 0) {
      late[source].push_back({.kind = Kind::signal, .peer = destination, .tag = signal_tags + number});
      late[destination].push_back({.kind = Kind::signal, .peer = source, .tag = signal_tags + number});
      continue;
    }
    if (pick(23) == 0 && std::has_single_bit(nodes)) {
      const auto low = static_cast<unsigned>(pick(dim - 1));
      const Subcube sources{.low = low, .dim = 1 + static_cast<unsigned>(pick(dim - 1 - low))};
      for (NodeId index = 0; index < sources.size(); ++index) {
        const NodeId other = sources.member(destination, index);
        if (other == destination) continue;
        late[other].push_back({.kind = Kind::send, .peer = destination, .tag = tag, .bytes = bytes, .number = number});
      }
      first[destination].push_back({.kind = Kind::receive_each, .tag = tag, .number = number, .sources = sources});
      continue;
    }
    const bool meets = sync == PairwiseSync::on && source != destination;
    const Kind kind = !meets && pick(5) == 0 ? Kind::receive_any : Kind::receive;
    const PairwiseSync both = meets ? PairwiseSync::on : PairwiseSync::off;
    late[source].push_back({Kind::send, destination, tag, bytes, both, port, number});
    (early ? first : late)[destination].push_back({kind, source, tag, bytes, both, automatic_port, number});
  }
  for (NodeId node = 0; node < nodes; ++node) {
    std::vector<ProgramStep>& steps = program.steps.emplace_back(first[node]);
    std::vector<std::size_t> open(steps.size());
    for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
    const auto wait_for = [&](std::size_t step) {
      const Kind kind = steps[step].kind;
      steps.push_back({.kind = Kind::wait, .number = step});
      if (kind == Kind::receive && pick(2) == 0) steps.push_back({.kind = Kind::combine, .number = step});
    };
    if (opening) steps.push_back({.kind = Kind::barrier});
    const unsigned patience = 1 + static_cast<unsigned>(pick(4));
    for (const ProgramStep& step : late[node]) {
      if (pick(7) == 0) steps.push_back({.kind = Kind::until, .number = pick(spread)});
      if (pick(4) == 0) {
        open.push_back(steps.size());
        steps.push_back({.kind = Kind::compute, .number = pick(60)});
      }
      if (pick(9) == 0) {
        constexpr std::array loops{Work::permute_bytes, Work::copy_bytes, Work::calls};
        steps.push_back({.kind = Kind::loop, .number = pick(20), .work = loops[pick(loops.size() - 1)]});
      }
      if (step.kind != Kind::signal) open.push_back(steps.size());
      steps.push_back(step);
      if (open.empty() || pick(patience) != 0) continue;
      const std::size_t which = pick(open.size() - 1);
      wait_for(open[which]);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
    }
    for (const std::size_t step : open) wait_for(step);
    if (closing) steps.push_back({.kind = Kind::barrier});
  }
  return program;
}

/// Lengthens a third of the messages to up to 2^17 phits, 2^18 cycles; or on a machine that asks for sends to begin
/// together, all: half of them to somewhat more than that rule's cycles, and half to fewer.
inline void lengthen(std::mt19937_64& random, RandomProgram& program) {
  using Kind = ProgramStep::Kind;
  Machine& machine = program.machine;
  const Ratio& c = machine.link.cycles_per_phit;
  const bool together = machine.network.duplex == Duplex::together;
  if (c.num > 40 * c.den) return;
  machine.network.packet_bytes = 1U << 14;
  for (std::vector<ProgramStep>& steps : program.steps)
    for (ProgramStep& step : steps) {
      if ((step.kind != Kind::send && step.kind != Kind::exchange) || (!together && random() % 3 != 0)) continue;
      const std::uint64_t most = machine.network.together_cycles * c.den / c.num;
      const std::uint64_t phits = !together           ? std::min(logarithmic(random(), 17), (c.den << 18) / c.num)
                                  : random() % 2 == 0 ? most + logarithmic(random(), 12)
                                                      : up_to(random(), most);
      step.bytes = phits * machine.link.phit_bytes;
      program.room = std::max(program.room, step.bytes);
    }
}

/// A program of few messages on a machine with wide counts, or of long messages. Seeds go through all counts.
inline RandomProgram wide_program(std::uint64_t seed, const RandomShape& shape, bool few_tags = false) {
  std::mt19937_64 random(draw(seed, shape.dim, shape.engines));
  Machine machine = random_machine(random, shape);
  widen(random, machine, shape.dim, seed / 32);
  const bool together = machine.network.duplex == Duplex::together;
  RandomProgram program = random_steps(random, seed, machine, shape.dim, together ? 2 : 1, few_tags);
  if (together || random() % 2 == 0) lengthen(random, program);
  return program;
}

/// Every 32nd program is wide, and these take as long as all others.
inline bool is_wide(std::uint64_t seed) { return seed % 32 == 31; }

/// About `messages` messages and exchanges at each node, each of a tag of its own, or of one of a few tags.
inline RandomProgram random_program(std::uint64_t seed, const RandomShape& shape, unsigned messages,
                                    bool few_tags = false) {
  if (is_wide(seed)) return wide_program(seed, shape, few_tags);
  std::mt19937_64 random(seed);
  const Machine machine = random_machine(random, shape);
  return random_steps(random, seed, machine, shape.dim, messages, few_tags);
}

/// The same on a machine of one of these shapes; every fourth has few tags.
inline RandomProgram random_program(std::uint64_t seed, const Shapes& shapes) {
  return random_program(seed, shapes[mix(seed) % shapes.size()], static_cast<unsigned>(3 + seed % 9), seed % 4 == 0);
}

/// Links and nodes that fail, early and late, some of them twice on one path.
inline std::vector<Failure> random_failures(std::uint64_t seed, const RandomProgram& program) {
  const Topology topology = program.machine.topology(program.dim);
  std::mt19937_64 random(seed * 1'000'003);
  const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
  std::vector<Failure> failures;
  const std::uint64_t spread = pick(1) == 0 ? 300 : 3000;
  for (std::uint64_t count = 1 + pick(3); count > 0; --count) {
    Failure failure{.node = static_cast<NodeId>(pick(topology.nodes() - 1)), .output = {}, .from = pick(spread)};
    if (pick(5) != 0) failure.output = static_cast<unsigned>(pick(topology.outputs() - 1));
    if (!failure.output || topology.exists(failure.node, *failure.output)) failures.push_back(failure);
  }
  return failures;
}

/// Runs the steps of a node; every byte sent is a function of tag, sender and place, and checked where it arrives.
inline Task<> interpret(Node& node, const RandomProgram& program, std::uint64_t& wrong) {
  using Kind = ProgramStep::Kind;
  const Bytes room = program.room;
  const std::vector<ProgramStep>& steps = program.steps[node.id()];
  const auto receives = [](const ProgramStep& step) {
    return step.kind == Kind::receive || step.kind == Kind::receive_any || step.kind == Kind::exchange;
  };
  const auto contents = [](std::uint32_t tag, NodeId from, Bytes at) {
    return static_cast<std::byte>(tag * 7 + from * 13 + at);
  };
  std::vector<std::optional<Pending>> pending(steps.size());
  std::vector<std::vector<std::byte>> sent(steps.size());
  std::vector<std::vector<std::byte>> received(steps.size());
  std::vector<Received> got(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ProgramStep& step = steps[i];
    sent[i].resize(step.bytes);
    received[i].resize(receives(step) ? room : 0);
    for (Bytes at = 0; at < step.bytes; ++at) sent[i][at] = contents(step.tag, node.id(), at);
    const Region outgoing = step.bytes > 0 ? Region::contiguous(sent[i].data(), step.bytes) : Region{};
    const Region incoming = Region::contiguous(received[i].data(), room);
    switch (step.kind) {
      case Kind::send:
        pending[i].emplace(node.start_send({.to = step.peer,
                                            .tag = step.tag,
                                            .bytes = step.bytes,
                                            .data = outgoing,
                                            .check = step.number,
                                            .port = step.port,
                                            .sync = step.sync}));
        break;
      case Kind::receive:
      case Kind::receive_any:
        pending[i].emplace(node.start_receive({.from = step.kind == Kind::receive_any ? any_node : step.peer,
                                               .tag = step.tag,
                                               .bytes = room,
                                               .data = incoming,
                                               .sync = step.sync}));
        break;
      case Kind::receive_each:
        pending[i].emplace(
            node.start_receive(IncomingFromEach{.sources = step.sources, .tag = step.tag, .bytes = room}));
        break;
      case Kind::exchange:
        pending[i].emplace(node.start_exchange({.with = step.peer,
                                                .tag = step.tag,
                                                .bytes = step.bytes,
                                                .room = room,
                                                .outgoing = outgoing,
                                                .incoming = incoming,
                                                .check = step.number,
                                                .port = step.port,
                                                .sync = step.sync}));
        break;
      case Kind::compute:
        pending[i].emplace(node.start_compute(step.number));
        break;
      case Kind::signal:
        co_await node.signal({.with = step.peer, .tag = step.tag});
        break;
      case Kind::barrier:
        co_await barrier(node);
        break;
      case Kind::loop:
        if (step.work == Work::permute_bytes) co_await node.permute(step.number);
        if (step.work == Work::copy_bytes) co_await node.copy(step.number);
        if (step.work == Work::calls) co_await node.call(1, step.number);
        break;
      case Kind::combine: {
        const Received& message = got[step.number];
        co_await node.combine(
            {.items = message.bytes, .bytes = message.bytes, .longest = message.bytes, .since = message.since});
        break;
      }
      case Kind::until:
        co_await node.until(step.number);
        break;
      case Kind::wait: {
        const ProgramStep& awaited = steps[step.number];
        Pending& end = *pending[step.number];
        const Received message = co_await end;
        got[step.number] = message;
        if (awaited.kind == Kind::send || awaited.kind == Kind::compute || awaited.kind == Kind::receive_each) break;
        if (!program.few_tags && (message.from != awaited.peer || message.check != awaited.number)) ++wrong;
        for (Bytes at = 0; at < message.bytes; ++at) {
          if (received[step.number][at] != contents(awaited.tag, message.from, at)) ++wrong;
        }
        break;
      }
    }
  }
}

/// A random program as firmware.
class RandomFirmware {
 public:
  explicit RandomFirmware(const RandomProgram& program)
      : firmware_([this, &program](Node& node) { return interpret(node, program, wrong_); }) {}
  Program& program() { return firmware_; }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  std::uint64_t wrong_ = 0;
  Firmware firmware_;
};

inline auto firmware_of(const RandomProgram& program) { return std::make_unique<RandomFirmware>(program); }

}  // namespace ecube
