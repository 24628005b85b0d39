// SPDX-License-Identifier: Apache-2.0
// The whole machine as modules with pins on a clock.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "hw/clocked/broken.h"
#include "hw/clocked/memory/node_memory.h"
#include "hw/clocked/monitor.h"
#include "hw/clocked/node.h"
#include "hw/clocked/plane.h"
#include "hw/program/foreign_programs.h"

namespace ecube {

/// A hypercube or other topology of clocked nodes, made for one shape: a network, a number of ports, a way of
/// switching, a model of nodes and, for worms, a size of buffers. reset() changes everything else. One process raises,
/// in one delta cycle, the clocks of all nodes whose registers an edge may change (README.md, What an edge costs).
class ClockedCube : public sc_core::sc_module,
                    public NodePorts,
                    public Links,
                    public clocked::BrokenSpecification,
                    public CubeRun {
 public:
  /// Elaborates the shape that `machine` has, in a cube of `dim` dimensions unless it names a topology. Throws
  /// std::invalid_argument beyond 2^clocked::max_dim nodes or clocked::max_lines inputs of a router. `parts` makes the
  /// routers and ports; by default SystemC modules.
  ClockedCube(const sc_core::sc_module_name& name, const Machine& machine, unsigned dim,
              const clocked::NodeParts& parts = {});

  /// Cycle 0 again, for another run. Ends the previous program. std::invalid_argument for a machine of another shape.
  void reset(const Machine& machine, const RunConditions& conditions = {});
  /// Throws std::invalid_argument for a label beyond the cube.
  [[nodiscard]] clocked::Node& node(NodeId id);
  void load(Program& program) override;
  [[nodiscard]] RunResult result() const override;
  [[nodiscard]] const RunStatistics& statistics() const { return monitor_.totals(); }
  [[nodiscard]] const PlaneStatistics& plane_statistics() const { return monitor_.plane_statistics(); }
  [[nodiscard]] LinkStatistics statistics(LinkId link) const override { return monitor_.statistics(link); }
  [[nodiscard]] std::optional<LinkId> find(const std::string& name) const override {
    return find_in(this->name(), name);
  }
  [[nodiscard]] std::vector<WaitingCircuit> waiting() const { return monitor_.waiting(); }
  /// The nodes that have not finished, with what each waits for: at most `most` of them, in order of node.
  [[nodiscard]] std::vector<WaitingNode> waiting_nodes(std::size_t most) const;
  [[nodiscard]] NodeId unfinished() const;
  [[nodiscard]] std::exception_ptr error() const;
  /// Edges at which a node was clocked, since the reset.
  [[nodiscard]] std::uint64_t events() const { return events_; }

  void observe(Observer* observer) {
    setting_.observer = observer;
    monitor_.plane_times().observe(observer);
  }
  /// Clocks every node at every edge at which any node is clocked; results are the same.
  void clock_all(bool all) { clock_all_ = all; }
  [[nodiscard]] const clocked::Shape& shape() const { return setting_.shape; }
  [[nodiscard]] const char* kind() const override { return "clocked_cube"; }

  [[nodiscard]] const Topology& topology() const override { return setting_.topology; }
  [[nodiscard]] Cycles now() const override { return edge_.read(); }
  [[nodiscard]] const Machine& machine() const override { return setting_.machine; }
  void start_send(NodeId node, Operation& operation) override { begin(node, operation); }
  void start_receive(NodeId node, Operation& operation) override { begin(node, operation); }
  void start_exchange(NodeId node, Operation& operation) override { begin(node, operation); }
  void start_compute(NodeId node, Operation& operation) override { begin(node, operation); }
  void finished(NodeId node, std::exception_ptr error) override {
    touched_.insert(node);
    nodes_[node].core().finished(error);
  }

 private:
  void broken(const std::string& what) override {
    if (fault_.empty()) fault_ = what + ", at cycle " + std::to_string(scheduled_);
  }
  void note_lines();
  /// Fetches, where there are many nodes, what an edge needs of node `next` among those that are clocked: at most
  /// `most` lines, those of the node itself first.
  void fetch(std::size_t next, std::size_t most) const {
    constexpr std::size_t many = 64;
    if (nodes_.size() <= many || next >= clocked_.size()) return;
    const NodeId id = clocked_[next];
    lines_.fetch(lines_of_[id], std::min(lines_of_[id] + most, lines_of_[id + 1]));
  }
  void clock_nodes();
  enum class Phase : std::uint8_t { reset, reset_low, settle, rise, edge, fall };
  void simulate() override;
  void drive_clocks();
  void next_phase();
  void schedule(Cycles edge);
  void end();
  void stop_restless_routers(bool routers_only);
  void wake(NodeId node, Cycles at) override;
  void rise();
  void fall();
  void bind_arriving(unsigned input);
  void add_plane(unsigned number, const clocked::LibraryContext& context);
  [[nodiscard]] clocked::Link& link_at(LinkId link) {
    return links_[std::size_t{link.node} * topology().outputs() + link.output];
  }
  void find_dead_links();
  void stop_worms();
  void cut_words(bool probes);
  void begin(NodeId node, Operation& operation) {
    touched_.insert(node);
    nodes_[node].core().start(operation);
  }
  void ask_touched();
  /// The next edge at which a core or library has something to do though nothing moves.
  [[nodiscard]] Cycles next_due() const { return dues_.empty() ? never : dues_.begin()->first; }

  clocked::Setting setting_;
  std::unique_ptr<NodeWork> work_;
  sc_core::sc_signal<clocked::MemoryActivity> memory_activity_{"memory_activity"};  ///< no part reads it
  clocked::NodeMemory memory_;  ///< for loops of the message library and others whose length is needed at their begin
  clocked::MessageTable messages_;
  clocked::Monitor monitor_;
  clocked::ParameterSignals parameters_;
  clocked::NodeSet awake_;  ///< nodes that are clocked at the next edge
  clocked::WireBank wires_{"wires", awake_};
  sc_core::sc_vector<clocked::Clock> clk_;
  sc_core::sc_vector<clocked::Clock> core_clk_;
  clocked::Signal<bool> rst_{"rst"};
  clocked::Signal<Cycles> edge_{"edge"};
  sc_core::sc_vector<clocked::Node> nodes_{"nodes"};
  sc_core::sc_vector<clocked::Link> links_{"links"};  ///< [node][dimension] that it leaves by
  clocked::Planes planes_;
  std::vector<clocked::MessageLibrary*> libraries_;
  std::vector<NodeId> clocked_;               ///< nodes clocked at this edge
  clocked::CacheLines lines_;                 ///< of nodes, in order
  std::vector<std::size_t> lines_of_;         ///< [node] the number of its first one, and behind all nodes their count
  std::vector<NodeId> core_clocked_;          ///< those whose core and library are clocked, too
  clocked::NodeSet time_has_come_;            ///< nodes whose core and library are clocked at this edge
  clocked::NodeSet touched_;                  ///< nodes whose core or library may have come to another next edge
  std::vector<Cycles> due_;                   ///< [node] the next edge of core or library though nothing moves
  std::set<std::pair<Cycles, NodeId>> dues_;  ///< of them those that are to come, by edge
  /// A link that fails in this run (hw/README.md section 12).
  struct DeadLink {
    LinkId link;
    Cycles from = never;
    bool dead = false;
  };
  std::vector<DeadLink> dead_links_;
  std::string fault_;
  Phase phase_ = Phase::rise;
  std::uint64_t events_ = 0;
  Cycles restless_ = 0;  ///< edges in a row at which only routers reported that they move
  bool clock_all_ = false;
  bool usable_ = true;
  sc_core::sc_time half_period_;
};

}  // namespace ecube
