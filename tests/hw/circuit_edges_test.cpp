// SPDX-License-Identifier: Apache-2.0
// Edges of circuits on both engines: those of circuits.txt, worked out by hand, and the formulas of hw/README.md for
// all pairs of nodes.
#include "hw/observed/observer.h"
#include "sw/api/firmware.h"
#include "tests/hw/both_engines.h"
#include "tests/machines.h"
#include "tests/test.h"

namespace ecube::circuit_edges_test {
namespace {

using Edges = std::vector<Cycles>;

/// One message. Among the messages of one node with the same issue edge, the order in the list is the order of issue.
struct TimedSend {
  NodeId source = 0;
  NodeId destination = 0;
  Bytes bytes = 0;
  Cycles issue = 0;  ///< edge at which the program issues the send
  std::uint8_t port = automatic_port;
};

/// The edges of one circuit; symbols as in hw/README.md section 3.
struct CircuitTimes {
  Cycles probe = never;          ///< p, the probe is driven
  std::vector<Cycles> requests;  ///< first edge at which router k is asked for an output, k = 0..h
  std::vector<Cycles> grants;    ///< g_k
  Cycles acknowledge = never;    ///< a + A - 1
  Cycles first_phit = never;     ///< T0
  Cycles tail = never;           ///< Tt
  Cycles sender_ready = never;
  Cycles receiver_ready = never;
  std::vector<Cycles> free_from;  ///< x_k + 1, the first edge at which the output of router k can be granted again
  friend bool operator==(const CircuitTimes&, const CircuitTimes&) = default;
};

/// Collects the edges of every circuit by the number in its check word.
class TimesRecorder final : public Observer {
 public:
  explicit TimesRecorder(std::size_t messages) : times(messages) {}
  void injected(CircuitId, const CircuitRecord& circuit) override { times[circuit.check].probe = circuit.probe; }
  void granted(CircuitId, const CircuitRecord& circuit, NodeId, unsigned, Cycles asked, Cycles at) override {
    times[circuit.check].requests.push_back(asked);
    times[circuit.check].grants.push_back(at);
  }
  void released(CircuitId, const CircuitRecord& circuit, NodeId, unsigned, Cycles free_from) override {
    times[circuit.check].free_from.push_back(free_from);
  }
  void established(CircuitId, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    CircuitTimes& time = times[circuit.check];
    time.acknowledge = edges.acknowledge;
    time.first_phit = edges.data;
    time.tail = edges.tail;
    time.sender_ready = edges.sender_ready;
    time.receiver_ready = edges.receiver_ready;
  }
  std::vector<CircuitTimes> times;
};

/// The sends as firmware; every message has a type of its own and a receive that is posted first.
class TimedSends {
 public:
  explicit TimedSends(const std::vector<TimedSend>& sends)
      : sends_(sends), firmware_([this](Node& node) { return run(node); }) {}
  Program& program() { return firmware_; }
  [[nodiscard]] static std::uint64_t wrong() { return 0; }

 private:
  Task<> run(Node& node) const {
    std::deque<Pending> pending;
    std::vector<std::uint32_t> own;
    for (std::uint32_t i = 0; i < sends_.size(); ++i) {
      if (sends_[i].destination == node.id()) {
        pending.push_back(node.start_receive({.from = sends_[i].source, .tag = i, .bytes = sends_[i].bytes}));
      }
      if (sends_[i].source == node.id()) own.push_back(i);
    }
    std::stable_sort(own.begin(), own.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return sends_[a].issue < sends_[b].issue; });
    for (const std::uint32_t i : own) {
      const TimedSend& send = sends_[i];
      if (node.now() < send.issue) co_await node.until(send.issue);
      pending.push_back(
          node.start_send({.to = send.destination, .tag = i, .bytes = send.bytes, .check = i, .port = send.port}));
    }
    for (Pending& each : pending) co_await each;
  }

  const std::vector<TimedSend>& sends_;
  Firmware firmware_;
};

/// r = 1, A = 1, c = 1, one byte per phit, no start-up: the probe is driven at the edge of issue.
Machine bare(std::uint32_t engines = 1) {
  Machine machine;
  machine.node.ports.engines = engines;
  machine.library.send_cycles = 0;
  machine.library.send_zero_cycles = 0;
  return machine;
}

TimedSend send(NodeId source, NodeId destination, Bytes bytes, Cycles issue = 0) {
  return {.source = source, .destination = destination, .bytes = bytes, .issue = issue};
}

/// An edge or the edges of this name in circuits.txt.
Edges named(const CircuitTimes& t, const std::string& name) {
  const std::map<std::string, Edges> all{{"probe", {t.probe}},         {"requests", t.requests},
                                         {"grants", t.grants},         {"acknowledge", {t.acknowledge}},
                                         {"data", {t.first_phit}},     {"tail", {t.tail}},
                                         {"sender", {t.sender_ready}}, {"receiver", {t.receiver_ready}},
                                         {"free", t.free_from}};
  const std::vector<std::string> parts = pieces_of(name, '.');
  const Edges& edges = all.at(parts.at(0));
  return parts.size() == 1 ? edges : Edges{edges.at(std::stoul(parts[1]))};
}

/// Machines of both engines.
class Circuits : public ::testing::Test {
 protected:
  void elaborate(unsigned most_dim) {
    for (unsigned dim = 1; dim <= most_dim; ++dim)
      for (const std::uint32_t engines : {1U, 2U, 3U, std::uint32_t{Ports::n}}) engines_.elaborate(bare(engines), dim);
  }

  /// The edges of all circuits, which are the same on both engines.
  std::vector<CircuitTimes> run(const Machine& machine, unsigned dim, const std::vector<TimedSend>& sends) {
    TimesRecorder event(sends.size());
    TimesRecorder clocked(sends.size());
    TimedSends on_event(sends);
    engines_.run_event(on_event.program(), machine, dim, {}, event);
    TimedSends on_clocked(sends);
    const RunResult result = engines_.run_clocked(on_clocked.program(), machine, dim, {}, clocked);
    EXPECT_EQ(result.status, RunResult::Status::finished) << result.fault;
    if (event.times == clocked.times) return clocked.times;
    for (std::size_t i = 0; i < sends.size(); ++i)
      for (const char* const what :
           {"probe", "requests", "grants", "acknowledge", "data", "tail", "sender", "receiver", "free"}) {
        EXPECT_EQ(named(event.times[i], what), named(clocked.times[i], what)) << what << " of message " << i;
      }
    return clocked.times;
  }

  BothEngines engines_;
};

/// A test of circuits.txt.
class HandWorked final : public Circuits {
 public:
  explicit HandWorked(std::vector<std::string> lines) : lines_(std::move(lines)) {}

 private:
  void TestBody() override {
    for (const std::string& line : lines_) {  // a process elaborates once
      if (line.starts_with("on ")) begin(line);
      engines_.elaborate(machine_, dim_);
    }
    for (const std::string& line : lines_) {
      SCOPED_TRACE(line);
      std::istringstream words(line);
      std::string first;
      words >> first;
      if (first == "on") {
        begin(line);
      } else if (first == "send") {
        TimedSend& one = sends_.emplace_back();
        words >> one.source >> one.destination >> one.bytes;
        for (std::string word; words >> word;) {
          if (word[0] == '@') one.issue = std::stoull(word.substr(1));
          if (word == "port") one.port = static_cast<std::uint8_t>(words >> word ? std::stoul(word) : 0);
        }
      } else {
        if (times_.empty()) times_ = run(machine_, dim_, sends_);
        expect(line);
      }
    }
    EXPECT_FALSE(times_.empty()) << "nothing is said of the last run";
  }
  /// Settings take the place of those of the bare machine.
  void begin(const std::string& line) {
    std::map<std::string, std::string> settings{{"library.send", "0 cycles"}, {"library.send_zero", "0 cycles"}};
    const std::string given = line.substr(std::min(line.size(), std::string("on N ").size()));
    for (const std::string& each : pieces_of(given, ',')) {
      const Setting setting = parse_set(each);
      settings[setting.key] = setting.value;
    }
    std::vector<Setting> all;
    for (const auto& [key, value] : settings) all.push_back(parse_set(std::string(key).append("=").append(value)));
    machine_ = resolve(all);
    dim_ = static_cast<unsigned>(std::stoul(line.substr(3)));
    sends_.clear();
    times_.clear();
  }
  void expect(const std::string& line) const {
    const std::size_t colon = line.find(": ");
    Edges edges;
    if (colon == std::string::npos) {
      ASSERT_TRUE(line.starts_with("probes "));
      for (const CircuitTimes& circuit : times_) edges.push_back(circuit.probe);
      EXPECT_EQ(edges, edges_in(line));
      return;
    }
    for (const std::string& part : pieces_of(line.substr(colon + 2), ';')) {
      std::istringstream words(part);
      std::string name;
      words >> name;
      EXPECT_EQ(named(times_.at(std::stoul(line)), name), edges_in(part)) << part;
    }
  }
  /// The numbers behind the first word.
  static Edges edges_in(const std::string& text) {
    std::istringstream words(text);
    std::string name;
    words >> name;
    return {std::istream_iterator<Cycles>(words), std::istream_iterator<Cycles>()};
  }

  std::vector<std::string> lines_;
  Machine machine_ = bare();
  unsigned dim_ = 1;
  std::vector<TimedSend> sends_;
  std::vector<CircuitTimes> times_;
};

const bool registered = [] {
  std::vector<std::vector<std::string>> tests;
  for (const std::string& line : file_lines(in_tree("tests/hw/circuits.txt"))) {
    if (line.empty() || line.starts_with("#")) continue;
    if (line.starts_with("== ")) tests.emplace_back();
    tests.back().push_back(line);
  }
  for (const std::vector<std::string>& lines : tests) {
    const std::vector<std::string> name = pieces_of(lines.front().substr(3), '.');
    ::testing::RegisterTest(name.at(0).c_str(), name.at(1).c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [lines]() -> Circuits* {
                              return new HandWorked({lines.begin() + 1, lines.end()});
                            });
  }
  return true;
}();

/// All pairs of nodes one after the other, far enough apart to have the network to themselves.
std::vector<TimedSend> every_pair(unsigned dim, Bytes bytes, Cycles apart = 200) {
  std::vector<TimedSend> sends;
  for (NodeId from = 0; from >> dim == 0; ++from)
    for (NodeId to = 0; to >> dim == 0; ++to) sends.push_back(send(from, to, bytes, 5 + apart * sends.size()));
  return sends;
}

TEST_F(Circuits, UncontendedCircuitsFollowTheTableForEveryPair) {
  elaborate(3);
  const std::vector<Ratio> rates{{1, 1}, {3, 2}, {7, 3}, {5, 1}};
  Sample sample(4);
  for (unsigned dim = 1; dim <= 3; ++dim)
    for (const std::uint32_t engines : {1u, Ports::n, 2u})
      for (const Cycles r : {1u, 2u, 5u})
        for (const Cycles accept : {1u, 4u})
          for (const Ratio c : rates)
            for (const Bytes bytes : {0u, 1u, 2u, 7u}) {
              if (!sample.takes()) continue;
              Machine machine = bare(engines);
              machine.router.route_cycles = r;
              machine.network.accept_cycles = accept;
              machine.link.cycles_per_phit = c;
              const std::vector<TimedSend> sends = every_pair(dim, bytes);
              const std::vector<CircuitTimes> times = run(machine, dim, sends);
              const Cycles data = bytes < 2 ? 0 : (bytes - 1) * c.num / c.den;
              SCOPED_TRACE("r " + std::to_string(r) + ", A " + std::to_string(accept) + ", bytes " +
                           std::to_string(bytes) + ", " + sample.name());
              for (std::size_t i = 0; i < sends.size(); ++i) {
                const CircuitTimes& t = times[i];
                const Cycles p = sends[i].issue;
                const Cycles h = hops(sends[i].source, sends[i].destination);
                ASSERT_EQ(t.probe, p);
                ASSERT_EQ(t.requests, t.grants);
                ASSERT_EQ(t.grants.size(), h + 1);
                for (Cycles k = 0; k <= h; ++k) ASSERT_EQ(t.grants[k], p + (k + 1) * (1 + r));
                ASSERT_EQ(t.acknowledge, t.grants[h] + accept);
                ASSERT_EQ(t.first_phit, t.acknowledge + h + 2);
                ASSERT_EQ(t.tail, t.first_phit + data);
                ASSERT_EQ(t.sender_ready, t.tail + 1);
                ASSERT_EQ(t.free_from.size(), h + 1);
                for (Cycles k = 0; k <= h; ++k) ASSERT_EQ(t.free_from[k], t.tail + k + 2);
                ASSERT_EQ(t.receiver_ready - t.probe, (h + 1) * (r + 3) + accept + 3 + data);
              }
            }
}

using Wormhole = Circuits;

TEST_F(Wormhole, AnUncontendedWormTakesTheTimeOfTheFormula) {
  Machine machine = bare();
  machine.network.switching = Switching::wormhole;
  machine.link.cycles_per_phit = {5, 1};
  machine.link.phit_bytes = 4;
  machine.router.route_cycles = 7;
  machine.network.accept_cycles = 4;
  machine.router.buffer_bytes = 4;
  engines_.elaborate(machine, 3);
  for (const Bytes bytes : {0U, 1U, 4U, 5U, 100U}) {
    const std::vector<TimedSend> sends = every_pair(3, bytes, 1000);
    const std::vector<CircuitTimes> times = run(machine, 3, sends);
    for (std::size_t i = 0; i < sends.size(); ++i) {
      // (h + 1)(r + 1) + c n + 2
      const Cycles phits = std::max<Cycles>(1, (bytes + 3) / 4);
      const Cycles h = hops(sends[i].source, sends[i].destination);
      EXPECT_EQ(times[i].receiver_ready - times[i].probe, (h + 1) * 8 + 5 * phits + 2) << h << " hops, " << bytes;
    }
  }
}

TEST_F(Circuits, PhitsLeaveAtTheFloorOfTheirRatio) {
  elaborate(1);
  Machine machine = bare();
  machine.link.cycles_per_phit = {7, 3};
  const Edges phit_after_first{0, 2, 4, 7, 9, 11, 14};
  for (Bytes n = 1; n <= phit_after_first.size(); ++n)
    EXPECT_EQ(run(machine, 1, {send(0, 1, n)})[0].tail, 8 + phit_after_first[n - 1]) << n << " phits";
}

TEST_F(Circuits, OnAFixedDistanceMachineEveryPairIsEquallyFar) {
  elaborate(3);
  Machine machine = bare();
  machine.network.distance = Distance::fixed;
  for (const Cycles setup : {20u, 41u}) {  // 20 is the least for D = 3
    machine.network.setup_cycles = setup;
    for (const CircuitTimes& t : run(machine, 3, every_pair(3, 5))) {
      EXPECT_EQ(t.receiver_ready, t.probe + setup + 4);
      EXPECT_EQ(t.grants[0], t.probe + 2);
    }
  }
}

/// The outputs that a circuit holds: links by (node, dimension), eject ports by (node, D + port).
using Resource = std::pair<NodeId, unsigned>;

std::vector<Resource> path(const Machine& machine, unsigned dim, const TimedSend& message) {
  std::vector<Resource> outputs;
  unsigned arrival = message.source == message.destination && message.port != automatic_port ? message.port : 0;
  along_route(message.source, message.destination, [&](LinkId link) {
    outputs.emplace_back(link.node, link.output);
    arrival = link.output;
  });
  outputs.emplace_back(message.destination, dim + (machine.node.ports.engines == 1 ? 0 : arrival));
  return outputs;
}

TEST_F(Circuits, OutputsHaveOneOwnerAndAreNeverIdleWhileSomebodyAsks) {
  elaborate(4);
  constexpr unsigned dim = 4;
  for (const std::uint32_t engines : {1u, 2u, 3u, Ports::n})
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", engines " + std::to_string(engines));
      std::mt19937 draw(seed);
      std::vector<TimedSend> traffic;
      for (int i = 0; i < 150; ++i) traffic.push_back(send(draw() % 16, draw() % 16, draw() % 30, draw() % 200));
      Machine machine = bare(engines);
      machine.node.startups = seed % 2 == 0 ? Startups::queued : Startups::overlapped;
      machine.library.send_cycles = draw() % 12;
      machine.router.route_cycles = 1 + draw() % 3;
      const auto circuits = run(machine, dim, traffic);

      std::map<Resource, std::vector<std::pair<Cycles, Cycles>>> owned;  // [grant, free from)
      for (std::size_t i = 0; i < traffic.size(); ++i) {
        const auto outputs = path(machine, dim, traffic[i]);
        ASSERT_EQ(outputs.size(), circuits[i].grants.size());
        for (std::size_t k = 0; k < outputs.size(); ++k)
          owned[outputs[k]].emplace_back(circuits[i].grants[k], circuits[i].free_from[k]);
      }
      for (auto& [output, intervals] : owned) {
        std::ranges::sort(intervals);
        for (std::size_t i = 1; i < intervals.size(); ++i) ASSERT_LE(intervals[i - 1].second, intervals[i].first);
      }
      for (std::size_t i = 0; i < traffic.size(); ++i) {
        const auto outputs = path(machine, dim, traffic[i]);
        for (std::size_t k = 0; k < outputs.size(); ++k)
          for (Cycles edge = circuits[i].requests[k]; edge < circuits[i].grants[k]; ++edge)
            ASSERT_TRUE(std::ranges::any_of(
                owned[outputs[k]],
                [&](const auto& interval) { return interval.first <= edge && edge < interval.second; }))
                << "message " << i << " waits at edge " << edge << " for a free output";
      }
    }
}

}  // namespace
}  // namespace ecube::circuit_edges_test
