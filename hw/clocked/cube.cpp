// SPDX-License-Identifier: Apache-2.0
// Nodes, links and clocks.
#include "hw/clocked/cube.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/contract/operations.h"

namespace ecube {

using clocked::Link;
using clocked::Node;

ClockedCube::ClockedCube(const sc_core::sc_module_name& name, const Machine& machine, unsigned dim,
                         const clocked::NodeParts& parts)
    : sc_core::sc_module(name),
      setting_{.machine = machine,
               .topology = machine.topology(dim),
               .shape = clocked::shape_of(machine, dim),
               .conditions = {},
               .paths = {}},
      memory_("memory", 0),
      monitor_(setting_),
      awake_(topology().nodes()),
      clk_("clk", topology().nodes()),
      core_clk_("core_clk", topology().nodes()),
      time_has_come_(topology().nodes()),
      touched_(topology().nodes()) {
  const NodeId count = topology().nodes();
  const unsigned outputs = topology().outputs();
  links_.init(std::size_t{count} * outputs, [this, outputs](const char* /*name*/, std::size_t i) {
    return new Link(("link" + std::to_string(i / outputs) + "_" + std::to_string(i % outputs)).c_str(), wires_);
  });
  const clocked::NodeContext context{
      {setting_, messages_, monitor_, planes_, libraries_, touched_}, parameters_, awake_, wires_, parts};
  nodes_.init(count, [&](const char* /*name*/, std::size_t id) {
    return new Node(("node" + std::to_string(id)).c_str(), access(*this, static_cast<NodeId>(id)), context);
  });
  for (NodeId id = 0; id < count; ++id) {
    Node& node = nodes_[id];
    node.clk_i(clk_[id]);
    node.core_clk_i(core_clk_[id]);
    node.rst_i(rst_);
    node.edge_i(edge_);
    for (unsigned i = 0; i < outputs; ++i) node.bind_leaving(i, link_at({id, i}));
    libraries_.push_back(&node.library());
  }
  for (unsigned i = 0; i < outputs; ++i) topology().planes() != 0 ? add_plane(i, context) : bind_arriving(i);
  // Never clocked: its clock is tied off.
  memory_.clk_i(rst_);
  memory_.edge_i(edge_);
  memory_.activity_o(memory_activity_);
  SC_HAS_PROCESS(ClockedCube);
  SC_METHOD(drive_clocks);
  sensitive << wake_;
  dont_initialize();
  reset(machine);
}

/// Rule 14.1.
void ClockedCube::add_plane(unsigned number, const clocked::LibraryContext& context) {
  clocked::Plane& plane = *planes_.emplace_back(
      std::make_unique<clocked::Plane>(("plane" + std::to_string(number)).c_str(), number, context, wires_));
  plane.edge_i(edge_);
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    plane.wire_i[id](link_at({id, number}).wire);
    plane.acknowledge_o[id](link_at({id, number}).acknowledge);
    nodes_[id].bind_arriving(number, plane.arriving[id]);
  }
}

/// Rule 1.1; every pin is bound. What leaves by an output without a link, which nothing ever does, arrives at an input
/// without one.
void ClockedCube::bind_arriving(unsigned input) {
  std::vector<NodeId> ends;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (!topology().exists(id, input)) ends.push_back(id);
  }
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    NodeId from = 0;
    if (topology().has_origin(id, input)) {
      from = topology().origin(id, input);
    } else {
      from = ends.back();
      ends.pop_back();
    }
    nodes_[id].bind_arriving(input, link_at({from, input}));
  }
}

void ClockedCube::reset(const Machine& machine, const RunConditions& conditions) {
  if (clocked::shape_of(machine, topology().label_bits()) != setting_.shape) {
    throw std::invalid_argument("a clocked cube keeps its dimension, ports, switching, buffers and model of nodes");
  }
  if (!usable_) throw std::logic_error("a clocked cube that has contradicted its specification cannot go on");
  CubeRun::reset(machine);
  setting_.machine = machine;
  setting_.conditions = conditions;
  memory_.configure(machine, conditions.seed);
  for (NodeId id = 0; id < nodes_.size() && setting_.shape.detailed; ++id) {
    nodes_[id].memory()->configure(machine, conditions.seed);
  }
  work_ = make_node_work(machine, nodes_.size(), conditions.seed, conditions.memo,
                         [this](const Machine&, std::uint64_t) -> RunLoop {
                           return [this](const auto& loop, auto& state) { return memory_.run(loop, state); };
                         });
  setting_.work = work_.get();
  setting_.paths = work_->path_lengths();
  messages_.clear();
  for (const auto& plane : planes_) plane->reset();
  for (clocked::MessageLibrary* const library : libraries_) library->reset();
  monitor_.reset();
  clocked_.clear();
  touched_.clear();
  due_.assign(nodes_.size(), never);
  dues_.clear();
  find_dead_links();
  fault_.clear();
  events_ = 0;
  restless_ = 0;
  const auto period = sc_core::sc_time(1.0 / static_cast<double>(machine.clock_hz), sc_core::SC_SEC);
  half_period_ = std::max(period / 2, sc_core::sc_get_time_resolution());
}

clocked::Node& ClockedCube::node(NodeId id) {
  if (id >= nodes_.size()) throw std::invalid_argument("the cube has no node " + std::to_string(id));
  return nodes_[id];
}

void ClockedCube::load(Program& program) {
  program_ = &beside(program);
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    nodes_[id].core().load(*program_, *this);
    touched_.insert(id);
  }
  begin_run();
  phase_ = Phase::reset;
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void ClockedCube::simulate() {
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report& report) {
    // The kernel does not go on after an error.
    fault_ = report.get_msg();
    usable_ = false;
  }
}

// --- Clocks --------------------------------------------------------------------------------------------------------

/// An error of a process would end the kernel. run() tells that a run is too long, where the cube is alone.
void ClockedCube::drive_clocks() {
  try {
    next_phase();
  } catch (const InputError&) {
    if (foreign_) throw;
    failure_ = std::current_exception();
  }
}

void ClockedCube::note_lines() {
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    lines_of_.push_back(lines_.size());
    nodes_[id].needed(lines_);
  }
  lines_of_.push_back(lines_.size());
}

void ClockedCube::next_phase() {
  switch (phase_) {
    case Phase::reset:
      foreign_ = any_module(topology().nodes());  // ports are bound at the end of elaboration
      if (lines_of_.empty()) note_lines();
      parameters_.write(setting_);
      for (NodeId id = 0; id < nodes_.size(); ++id) {
        nodes_[id].drive_constants();
        clk_[id].set(true);
        core_clk_[id].set(true);
        nodes_[id].raise_port_clocks(true);
      }
      edge_.write(0);
      rst_.write(true);
      phase_ = Phase::reset_low;
      return wake_.notify(sc_core::SC_ZERO_TIME);
    case Phase::reset_low:
      // The modules see the edge in this delta cycle.
      for (NodeId id = 0; id < nodes_.size(); ++id) nodes_[id].clock_edge();
      rst_.write(false);
      phase_ = Phase::settle;
      return wake_.notify(sc_core::SC_ZERO_TIME);
    case Phase::settle:
      for (NodeId id = 0; id < nodes_.size(); ++id) {
        clk_[id].set(false);
        core_clk_[id].set(false);
        nodes_[id].lower_port_clocks();
      }
      // Cycle 0 may be at this very time: all wires have to be idle before.
      if (sc_core::sc_pending_activity_at_current_time()) return wake_.notify(sc_core::SC_ZERO_TIME);
      for (NodeId id = 0; id < nodes_.size(); ++id) nodes_[id].settle();
      awake_.clear();
      ask_touched();
      return schedule(next_due());
    case Phase::rise:
      rise();
      phase_ = Phase::edge;
      return wake_.notify(sc_core::SC_ZERO_TIME);
    case Phase::edge:
      clock_nodes();
      phase_ = Phase::fall;
      return wake_.notify(half_period_);
    case Phase::fall:
      fall();
  }
}

// --- Failures (hw/README.md section 12) --------------------------------------------------------------------------

/// Rule 12.1.
void ClockedCube::find_dead_links() {
  for (const DeadLink& dead : dead_links_) {  // of the run before
    Link& link = link_at(dead.link);
    if (!dead.dead) continue;
    link.wire.mend_wire();
    link.acknowledge.mend_wire();
  }
  dead_links_.clear();
  if (setting_.conditions.failures.empty()) return;
  for_each_link(topology(), [this](LinkId link) {
    const Cycles from = dead_from(setting_.conditions.failures, topology(), link);
    if (from != never) dead_links_.push_back({link, from});
  });
}

/// Rule 12.4: at the edge to come, routers see the stop of dead links.
void ClockedCube::stop_worms() {
  for (DeadLink& dead : dead_links_) {
    if (dead.dead || scheduled_ < dead.from) continue;
    dead.dead = true;
    link_at(dead.link).acknowledge.stick_at(true);
  }
}

/// Rules 12.1 and 12.3: words and acknowledges that were driven at this edge on dead links do not arrive.
void ClockedCube::cut_words(bool probes) {
  using Lost = CutCircuit::Lost;
  for (DeadLink& dead : dead_links_) {
    if (scheduled_ < dead.from) continue;
    Link& link = link_at(dead.link);
    if (!std::exchange(dead.dead, true)) {
      link.wire.stick_at({});
      link.acknowledge.stick_at(false);
    }
    const clocked::WireKind kind = link.wire.driven().kind;
    if (probes) {
      if (kind == clocked::WireKind::probe) monitor_.cut(dead.link, Lost::probe, scheduled_);
      continue;
    }
    if (kind == clocked::WireKind::tail) monitor_.cut(dead.link, Lost::tail, scheduled_);
    if (link.acknowledge.driven()) monitor_.cut(dead.link, Lost::acknowledge, scheduled_);
  }
}

void ClockedCube::rise() {
  if (setting_.shape.worms) stop_worms();
  ask_touched();  // by programs that are modules
  for (; next_due() <= scheduled_; dues_.erase(dues_.begin())) time_has_come_.insert(dues_.begin()->second);
  core_clocked_.clear();
  const auto clock_core = [this](NodeId id) {
    core_clk_[id].set(true);
    core_clocked_.push_back(id);
    touched_.insert(id);
  };
  time_has_come_.take_all([&](NodeId id) {
    clock_core(id);
    awake_.insert(id);
  });
  if (clock_all_) {
    for (NodeId id = 0; id < nodes_.size(); ++id) awake_.insert(id);
  }
  for (const auto& plane : planes_) plane->clk.set(plane->next_edge() <= scheduled_);
  clocked_.clear();
  awake_.take_all([&](NodeId id) {
    clk_[id].set(true);
    nodes_[id].raise_port_clocks(clock_all_);
    if (clock_all_ || nodes_[id].reports()) clock_core(id);
    clocked_.push_back(id);
  });
  edge_.write(scheduled_);
  events_ += clocked_.size();
}

void ClockedCube::clock_nodes() {
  for (std::size_t i = 0; i < clocked_.size(); ++i) {
    fetch(i + 1, lines_.size());
    nodes_[clocked_[i]].clock_edge();
  }
}

void ClockedCube::fall() {
  if (!setting_.shape.worms) cut_words(false);
  bool routers_only = awake_.empty() && core_clocked_.empty();
  for (std::size_t i = 0; i < clocked_.size(); ++i) {
    const NodeId id = clocked_[i];
    fetch(i + 4, 5);
    clk_[id].set(false);
    nodes_[id].lower_port_clocks();
    nodes_[id].look();
    if (nodes_[id].routed() || nodes_[id].reports()) {
      monitor_.sample(nodes_[id], scheduled_, nodes_[id].reports());
      routers_only = false;
    }
    routers_only = routers_only && !nodes_[id].ports_move();
  }
  stop_restless_routers(routers_only);
  for (const NodeId id : core_clocked_) core_clk_[id].set(false);
  for (const auto& plane : planes_) plane->clk.set(false);
  if (!setting_.shape.worms) cut_words(true);
  make_progress();
  ask_touched();
  if (fault_.empty()) fault_ = monitor_.broken();
  const Cycles edge = scheduled_;
  Cycles next = awake_.empty() ? std::max(edge + 1, next_due()) : edge + 1;
  for (const auto& plane : planes_) next = std::min(next, std::max(edge + 1, plane->next_edge()));
  if (interrupted_ || !fault_.empty()) return end();
  if (next != never) return schedule(next);
  // Programs that are modules may act at any time.
  idle_ = foreign_ && unfinished() > 0;
  if (!idle_) end();
}

/// A router may report for ever that it moves, and would then keep a finished or stalled machine alive. With constant
/// inputs, it does nothing new after its longest count.
void ClockedCube::stop_restless_routers(bool routers_only) {
  restless_ = routers_only ? restless_ + 1 : 0;
  const Ratio& phit = setting_.machine.link.cycles_per_phit;
  if (restless_ > setting_.machine.router.route_cycles + phit.num / phit.den + 2) awake_.clear();
}

void ClockedCube::schedule(Cycles edge) {
  scheduled_ = edge;
  phase_ = Phase::rise;
  wake_.notify(until(edge));
}

/// Modules around the cube might run for ever.
void ClockedCube::end() {
  if (foreign_) sc_core::sc_pause();
}

void ClockedCube::wake(NodeId node, Cycles at) {
  nodes_[node].core().wake(at);
  touched_.insert(node);
  if (idle_ || (phase_ == Phase::rise && at < scheduled_)) schedule(at);
  idle_ = false;
}

/// Looks at the cores and libraries that were clocked or asked for something: their next edge may have changed, and
/// they may have failed.
void ClockedCube::ask_touched() {
  touched_.take_all([this](NodeId id) {
    const Node& node = nodes_[id];
    if (fault_.empty() && !node.library().fault().empty()) fault_ = node.library().fault();
    if (fault_.empty() && node.core().error() != nullptr) fault_ = escaped(id, node.core().error());
    if (const Cycles due = node.next_edge(); due != due_[id]) {
      dues_.erase({due_[id], id});
      if (due != never) dues_.emplace(due, id);
      due_[id] = due;
    }
  });
}

// --- Results -------------------------------------------------------------------------------------------------------

NodeId ClockedCube::unfinished() const {
  NodeId count = 0;
  for (NodeId id = 0; id < nodes_.size(); ++id) count += nodes_[id].core().running() ? 1U : 0U;
  return count;
}

std::exception_ptr ClockedCube::error() const {
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (nodes_[id].core().error() != nullptr) return nodes_[id].core().error();
  }
  return nullptr;
}

RunResult ClockedCube::result() const {
  RunResult result(fault_, interrupted_, unfinished() == 0);
  Cycles last_finish = 0;
  for (NodeId id = 0; id < nodes_.size(); ++id) last_finish = std::max(last_finish, nodes_[id].core().finished_at());
  result.cycles = result.status == RunResult::Status::finished ? last_finish : scheduled_;
  result.us = setting_.machine.us(static_cast<double>(result.cycles));
  return result;
}

std::vector<WaitingNode> ClockedCube::waiting_nodes(std::size_t most) const {
  std::vector<WaitingNode> result;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (result.size() == most) break;
    if (!nodes_[id].core().running()) continue;
    if (const Cycles dead = dead_from(setting_.conditions.failures, id); dead <= scheduled_) {
      result.push_back({.node = id, .waits_for = WaitingNode::For::nothing_any_more, .since = dead});
      continue;
    }
    result.push_back(nodes_[id].library().waiting());
  }
  return result;
}

}  // namespace ecube
