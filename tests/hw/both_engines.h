// SPDX-License-Identifier: Apache-2.0
// The same program on the event engine and on a machine of clocked modules, in SystemC or RTL, and the first
// difference.
#pragma once

#include "hw/clocked/cube.h"
#include "hw/cube.h"
#include "tests/hw/circuit_recorder.h"
#include "tests/test.h"

namespace ecube {

inline std::string counted(const LinkStatistics& s) {
  return std::to_string(s.circuits) + " circuits, " + std::to_string(s.bytes) + " bytes, busy " +
         std::to_string(s.busy) + ", blocked " + std::to_string(s.blocked) + ", most waiting " +
         std::to_string(s.most_waiters);
}

inline std::string all_links(const Links& links) {
  std::string text;
  for_each_link(links.topology(), [&](LinkId link) {
    text += "link " + std::to_string(link.node) + ":" + std::to_string(link.dimension) + " " +
            counted(links.statistics(link)) + "\n";
  });
  return text;
}

inline std::string counted(const RunStatistics& s) {
  const auto waits = [](const BlockedStatistics& each) {
    return std::to_string(each.circuits) + " for " + std::to_string(each.cycles);
  };
  std::string text = std::to_string(s.circuits) + " circuits, " + std::to_string(s.control_circuits) + " control, " +
                     std::to_string(s.payload_bytes) + " bytes, blocked " + waits(s.link_blocked) + ", port-blocked " +
                     waits(s.port_blocked) + ", serialised " + waits(s.serialised) + ", most stored " +
                     std::to_string(s.most_stored) + " in " + std::to_string(s.most_packets) + ", lost " +
                     std::to_string(s.lost);
  for (const LostMessage& lost : s.first_lost) {
    text += " " + std::to_string(lost.source) + "->" + std::to_string(lost.destination) + " type " +
            std::to_string(lost.type) + " at " + std::to_string(lost.at);
  }
  if (s.cut > 0) text += ", cut " + std::to_string(s.cut);
  for (const CutCircuit& cut : s.first_cut) {
    text += " " + std::to_string(cut.source) + "->" + std::to_string(cut.destination) + " type " +
            std::to_string(cut.type) + " on " + std::to_string(cut.link.node) + ":" +
            std::to_string(cut.link.dimension) + " at " + std::to_string(cut.at);
  }
  return text;
}

inline std::string counted(const PlaneStatistics& s) {
  return std::to_string(s.changes) + " changes, closing " + std::to_string(s.closing) + ", dark " +
         std::to_string(s.dark) + ", exposed " + std::to_string(s.exposed) + ", hidden " + std::to_string(s.hidden);
}

/// A SystemC process elaborates once: so all machines of a test are made before its first run.
class BothEngines {
 public:
  /// `name` stands for the machines of modules in messages.
  explicit BothEngines(std::string name = "clocked")
      : name_(std::move(name)), event_("cube", largest, Hierarchy::flat) {}

  /// Makes the machine of modules of this shape.
  void elaborate(const Machine& machine, unsigned dim, const clocked::NodeParts& parts = {}) {
    if (find(machine, dim) != nullptr) return;
    const std::string name = name_ + std::to_string(clocked_.size());
    clocked_.push_back(std::make_unique<ClockedCube>(name.c_str(), machine, dim, parts));
  }
  [[nodiscard]] ClockedCube* find(const Machine& machine, unsigned dim) const {
    for (const auto& cube : clocked_) {
      if (cube->shape() == clocked::shape_of(machine, dim)) return cube.get();
    }
    return nullptr;
  }
  [[nodiscard]] Cube& event() { return event_; }

  RunResult run_event(Program& program, const Machine& machine, unsigned dim, const RunConditions& conditions,
                      Observer& observer) {
    event_.reset(machine, dim, conditions);
    event_.observe(&observer);
    RunResult result = event_.run(program);
    event_.observe(nullptr);
    event_.unload();
    return result;
  }
  RunResult run_clocked(Program& program, const Machine& machine, unsigned dim, const RunConditions& conditions,
                        Observer& observer) {
    ClockedCube& cube = *find(machine, dim);
    cube.observe(&observer);
    cube.reset(machine, conditions);
    RunResult result = cube.run(program);
    cube.observe(nullptr);
    cube.unload();
    return result;
  }

  /// Runs the program from `make` on both engines; nothing may differ. Returns the number of circuits compared.
  template <class Make>
  std::size_t expect_equal(const Machine& machine, unsigned dim, const RunConditions& conditions, const Make& make,
                           const std::string& replay) {
    CircuitRecorder event;
    CircuitRecorder clocked;
    compare(machine, dim, conditions, make, replay, event, clocked);
    return event.circuits();
  }

 private:
  static constexpr unsigned largest = 6;

  template <class Make>
  void compare(const Machine& machine, unsigned dim, const RunConditions& conditions, const Make& make,
               const std::string& replay, CircuitRecorder& event, CircuitRecorder& clocked) {
    auto on_event = make();
    const RunResult event_result = run_event(on_event->program(), machine, dim, conditions, event);
    auto on_clocked = make();
    const RunResult clocked_result = run_clocked(on_clocked->program(), machine, dim, conditions, clocked);
    const ClockedCube& cube = *find(machine, dim);
    ASSERT_EQ(clocked_result.fault, event_result.fault) << replay;
    ASSERT_EQ(first_difference(event, clocked, name_).value_or("none"), "none") << replay;
    ASSERT_EQ(clocked_result.status, event_result.status) << replay;
    if (event_result.status == RunResult::Status::finished) {
      ASSERT_EQ(clocked_result.cycles, event_result.cycles) << replay;
    }
    ASSERT_EQ(all_links(cube), all_links(event_)) << replay;
    ASSERT_EQ(counted(cube.statistics()), counted(event_.engine().statistics())) << replay;
    ASSERT_EQ(counted(cube.plane_statistics()), counted(event_.engine().plane_statistics())) << replay;
    ASSERT_EQ(on_event->wrong(), 0U) << replay;
    ASSERT_EQ(on_clocked->wrong(), 0U) << replay;
  }

  std::string name_;
  Cube event_;
  std::vector<std::unique_ptr<ClockedCube>> clocked_;
};

}  // namespace ecube
