// SPDX-License-Identifier: Apache-2.0
// Timelines read back as Perfetto reads them: slices nest, add up to the links' statistics, and name who holds what.
#include <protozero/pbf_reader.hpp>

#include "hw/cube.h"
#include "sw/traffic/traffic.h"
#include "testbench/trace/run_trace.h"
#include "tests/machines.h"
#include "tests/test.h"
#include "tests/testbench/machine/diagram_machine.h"
#include "tests/testbench/shared_bench.h"

namespace ecube::perfetto_timeline_test {
namespace {

constexpr auto bench = shared_bench<4>;

struct Slice {
  std::string name;
  std::uint64_t from = 0;
  std::uint64_t until = 0;
  unsigned depth = 0;
};

/// The contents of a file, by the field numbers of perfetto's protos.
struct TimelineFile {
  std::map<std::string, std::vector<Slice>> tracks;  ///< by name
  std::map<std::string, std::string> parents;
  std::multiset<std::uint64_t> flows;
  std::multiset<std::uint64_t> ended_flows;
  unsigned unbalanced = 0;

  explicit TimelineFile(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    std::map<std::uint64_t, std::string> track_names;
    std::map<std::uint64_t, std::string> names;
    struct Event {
      std::uint64_t track = 0;
      std::uint64_t type = 0;
      std::uint64_t name = 0;
    };
    std::multimap<std::uint64_t, Event> events;  // by time, equal ones as in the file
    for (protozero::pbf_reader trace(bytes); trace.next(1);) {
      protozero::pbf_reader packet = trace.get_message();
      std::uint64_t time = 0;
      while (packet.next()) {
        if (packet.tag() == 8) {
          time = packet.get_uint64();
        } else if (packet.tag() == 12) {
          for (protozero::pbf_reader data = packet.get_message(); data.next();) {
            if (data.tag() != 2) {
              data.skip();
              continue;
            }
            std::uint64_t iid = 0;
            for (protozero::pbf_reader name = data.get_message(); name.next();) {
              if (name.tag() == 1) iid = name.get_uint64();
              if (name.tag() == 2) names[iid] = name.get_string();
            }
          }
        } else if (packet.tag() == 60) {
          std::uint64_t uuid = 0;
          for (protozero::pbf_reader track = packet.get_message(); track.next();) {
            if (track.tag() == 1) {
              uuid = track.get_uint64();
            } else if (track.tag() == 2) {
              track_names[uuid] = track.get_string();
              tracks[track_names[uuid]];
            } else if (track.tag() == 5) {
              parents[track_names[uuid]] = track_names.at(track.get_uint64());
            } else {
              track.skip();
            }
          }
        } else if (packet.tag() == 11) {
          Event event;
          for (protozero::pbf_reader one = packet.get_message(); one.next();) {
            if (one.tag() == 9) {
              event.type = one.get_uint64();
            } else if (one.tag() == 10) {
              event.name = one.get_uint64();
            } else if (one.tag() == 11) {
              event.track = one.get_uint64();
            } else if (one.tag() == 47) {
              flows.insert(one.get_fixed64());
            } else if (one.tag() == 48) {
              ended_flows.insert(one.get_fixed64());
            } else {
              one.skip();
            }
          }
          events.emplace(time, event);
        } else {
          packet.skip();
        }
      }
    }
    std::map<std::uint64_t, std::vector<Slice>> open;
    for (const auto& [time, event] : events) {
      std::vector<Slice>& stack = open[event.track];
      if (event.type == 1) {
        stack.push_back({names.at(event.name), time, 0, static_cast<unsigned>(stack.size())});
      } else if (stack.empty()) {
        ++unbalanced;
      } else {
        stack.back().until = time;
        tracks[track_names.at(event.track)].push_back(stack.back());
        stack.pop_back();
      }
    }
    for (const auto& [track, stack] : open) unbalanced += static_cast<unsigned>(stack.size());
  }
};

std::uint64_t total(const std::vector<Slice>& slices, unsigned depth) {
  std::uint64_t sum = 0;
  for (const Slice& slice : slices) {
    if (slice.depth == depth) sum += slice.until - slice.from;
  }
  return sum;
}

struct TracedRun {
  RunMeasurement measurement;
  TimelineFile timeline;
};

/// Runs traffic with a trace, and reads its timeline.
TracedRun traced(const RunSetup& setup, const std::vector<TrafficMessage>& messages, TraceWindow window = {}) {
  const Directory directory;
  StagedFiles files(directory / "");
  RunTrace trace({.format = WaveFormat::fst, .file = directory / "w.fst", .window = window}, setup, &files);
  const TrafficPlan plan(messages, Topology::cube(setup.dim));
  Traffic traffic(plan, nullptr, TrafficOperations::separate);
  Firmware firmware([&](Node& node) { return traffic.run(node); });
  RunMeasurement measurement = bench().run_aside(setup, firmware, {}, &trace.observers());
  EXPECT_EQ(trace.finish(bench().cube(), measurement.result.cycles), RunTrace::Outcome::whole);
  files.move_each();
  return {std::move(measurement), TimelineFile(directory / "w.pftrace")};
}

TEST(Timeline, AddsUpToTheStatistics) {
  for (const char* const ports : {"one", "n"})
    for (const char* const base : {"ideal", "ncube2"}) {
      SCOPED_TRACE(std::string(base) + " " + ports);
      const Machine machine = preset_machine(base, {std::string("node.ports=") + ports});
      const RunSetup setup{.machine = machine, .dim = 4, .conditions = {.jitter = 5, .seed = 3}};
      const TracedRun run =
          traced(setup, make_traffic({.messages = 50, .rate = 50, .bytes = 20, .seed = 8}, Topology::cube(4)));
      const TimelineFile& timeline = run.timeline;
      EXPECT_EQ(timeline.unbalanced, 0U);
      const std::uint64_t ns = 1'000'000'000 / static_cast<std::uint64_t>(setup.machine.clock_hz);
      std::uint64_t blocked = 0;
      const unsigned count = setup.machine.node.ports.physical(4);
      for (NodeId node = 0; node < 16; ++node) {
        for (unsigned dimension = 0; dimension < 4; ++dimension) {
          const std::string name = "link " + std::to_string(node) + ":" + std::to_string(dimension);
          const LinkStatistics statistics = bench().cube().engine().statistics({node, dimension});
          EXPECT_EQ(total(timeline.tracks.at(name), 0), (statistics.busy + statistics.circuits) * ns) << name;
          EXPECT_EQ(timeline.parents.at(name), "node " + std::to_string(node));
        }
        for (unsigned port = 0; port < count; ++port) {
          blocked += total(timeline.tracks.at("inject " + std::to_string(node) + ":" + std::to_string(port)), 1);
        }
      }
      const RunStatistics& network = run.measurement.network;
      // A worm may have left its source's port while its probe still waits.
      if (setup.machine.network.switching == Switching::circuit) {
        EXPECT_EQ(blocked, (network.link_blocked.cycles + network.port_blocked.cycles) * ns);
      }
      EXPECT_GT(blocked, 0U);
      EXPECT_EQ(timeline.flows.size(), network.circuits);
      EXPECT_EQ(timeline.flows, timeline.ended_flows);
    }
}

TEST(Timeline, NamesWhoHoldsWhatACircuitWaitsFor) {
  const Machine machine = diagram_machine();
  const std::uint64_t ns = 1'000'000'000 / static_cast<std::uint64_t>(machine.clock_hz);
  const TracedRun run = traced({.machine = machine, .dim = 3, .conditions = {}}, chain_of_three());
  const TimelineFile& timeline = run.timeline;
  const auto inner = [&](const std::string& track) {
    std::vector<std::string> result;
    for (const Slice& slice : timeline.tracks.at(track)) {
      if (slice.depth != 1) continue;
      std::ostringstream text;
      text << slice.from / ns << ".." << slice.until / ns << " " << slice.name;
      result.push_back(text.str());
    }
    return result;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(inner("link 4:1"), (Texts{"4..109 waits for link 6:2 held by 6->2 #1"}));
  EXPECT_EQ(inner("inject 4:0"), (Texts{"4..109 waits for link 6:2 held by 6->2 #1"}));
  EXPECT_EQ(inner("link 5:0"), (Texts{"4..127 waits for link 4:1 held by 4->2 #1"}));
  EXPECT_EQ(inner("link 6:2"), Texts{});
}

TEST(Timeline, OfAWindowIsCutAtItsEnds) {
  const RunSetup setup{.machine = preset_machine("ideal"), .dim = 4, .conditions = {}};
  const TracedRun run =
      traced(setup, make_traffic({.messages = 50, .rate = 50, .bytes = 20, .seed = 8}, Topology::cube(4)),
             {.from = 500, .until = 900});
  const TimelineFile& timeline = run.timeline;
  EXPECT_EQ(timeline.unbalanced, 0U);
  const std::uint64_t ns = 1'000'000'000 / static_cast<std::uint64_t>(setup.machine.clock_hz);
  std::size_t slices = 0;
  for (const auto& [name, track] : timeline.tracks)
    for (const Slice& slice : track) {
      EXPECT_GE(slice.from, 500 * ns);
      EXPECT_LE(slice.until, 900 * ns);
      ++slices;
    }
  EXPECT_GT(slices, 100U);
}

}  // namespace
}  // namespace ecube::perfetto_timeline_test
