// SPDX-License-Identifier: Apache-2.0
// A combine to all nodes by halving and doubling on planes that are tuned (hw/README.md section 14): who hides the time
// in which planes are dark?
#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "sw/program/program.h"

using namespace ecube;

/// What each plane carries in each step.
class PlaneSchedule {
 public:
  explicit PlaneSchedule(const Job& job) : machine_(job.machine()), planes_(job.machine().network.planes) {
    const unsigned steps = 2 * job.dim();
    for (unsigned step = 0; step < steps; ++step) {
      const unsigned halving = std::min(step, steps - 1 - step);
      masks_.push_back(NodeId{1} << halving);
      bytes_.push_back(job.size("bytes") >> (halving + 1));
      shares_.emplace_back(planes_, 1U);
    }
    if (job.text("shares") != "even") read(job.text("shares"));
  }

  [[nodiscard]] unsigned steps() const { return static_cast<unsigned>(masks_.size()); }
  [[nodiscard]] unsigned planes() const { return planes_; }
  [[nodiscard]] NodeId mask(unsigned step) const { return masks_[step]; }
  /// Bytes of a step by one plane, in proportion to its share; the first plane that is used takes what is left over.
  [[nodiscard]] Bytes bytes(unsigned step, unsigned plane) const {
    const std::vector<unsigned>& shares = shares_[step];
    Bytes all = 0;
    for (const unsigned share : shares) all += share;
    if (shares[plane] == 0) return 0;
    Bytes rest = bytes_[step];
    for (unsigned other = 0; other < planes_; ++other) rest -= bytes_[step] / all * shares[other];
    const bool first = std::all_of(shares.begin(), shares.begin() + plane, [](unsigned share) { return share == 0; });
    return bytes_[step] / all * shares[plane] + (first ? rest : 0);
  }
  /// The next step from `step` on that uses the plane, or steps().
  [[nodiscard]] unsigned next_use(unsigned step, unsigned plane) const {
    while (step < steps() && shares_[step][plane] == 0) ++step;
    return step;
  }
  /// Nodes that keep step: in each step every plane sends when its link is up and the step before has ended.
  [[nodiscard]] Cycles predicted() const {
    std::vector<Cycles> up(planes_, 0);
    Cycles begin = 0;
    for (unsigned step = 0; step < steps(); ++step) {
      Cycles end = begin;
      for (unsigned plane = 0; plane < planes_; ++plane) {
        if (next_use(step, plane) != step) continue;
        const std::uint64_t phits = machine_.phits(bytes(step, plane));
        const Cycles done = std::max(begin, up[plane]) + machine_.path_lengths().send + machine_.one_phit_cycles(1) +
                            machine_.phit_cycles().floor_of(phits - 1);
        const unsigned next = next_use(step + 1, plane);
        const bool changes = next < steps() && masks_[next] != masks_[step];
        up[plane] = changes ? done + machine_.plane.retune_cycles + 1 : done;
        end = std::max(end, done);
      }
      begin = end;
    }
    return begin;
  }

 private:
  /// "25:7,0:1,..": for each step the shares of the planes.
  void read(const std::string& text) {
    std::istringstream steps(text);
    unsigned step = 0;
    for (std::string word; std::getline(steps, word, ','); ++step) {
      std::istringstream shares(word);
      std::vector<unsigned> read;
      for (std::string share; std::getline(shares, share, ':');)
        read.push_back(static_cast<unsigned>(std::stoul(share)));
      if (step >= shares_.size() || read.size() != planes_ || std::count(read.begin(), read.end(), 0U) == planes_) {
        throw std::invalid_argument("shares: " + std::to_string(shares_.size()) + " steps with a share for each of " +
                                    std::to_string(planes_) + " planes, as 3:1, not all 0");
      }
      shares_[step] = read;
    }
    if (step != shares_.size()) throw std::invalid_argument("shares: a step is missing");
  }

  Machine machine_;
  unsigned planes_;
  std::vector<NodeId> masks_;
  std::vector<Bytes> bytes_;
  std::vector<std::vector<unsigned>> shares_;  ///< [step][plane]
};

class HalvingDoubling {
 public:
  static constexpr std::string_view name = "halving_doubling";
  static constexpr std::string_view help = "a combine on planes: halves of a vector, then doubles, each step by a mask";
  static std::vector<Parameter> parameters() {
    return {{.name = "bytes", .type = ParameterType::size, .initial = "32000000", .help = "of the vector", .least = 1},
            {.name = "shares",
             .type = ParameterType::text,
             .initial = "even",
             .help = "of the planes in each step, as 3:1,0:1,..; even: all alike"}};
  }
  using Shared = PlaneSchedule;
  HalvingDoubling(const Job& /*job*/, const PlaneSchedule& plan) : plan_(plan) {}

  Task<> run(Node& node) {
    if (plan_.planes() == 0) throw std::invalid_argument("halving_doubling needs planes: network.planes");
    Tunes tunes;
    for (unsigned plane = 0; plane < plan_.planes(); ++plane) tune(node, 0, plane, tunes);
    for (unsigned step = 0; step < plan_.steps(); ++step) {
      std::vector<Task<>> planes;
      for (unsigned plane = 0; plane < plan_.planes(); ++plane) {
        if (plan_.next_use(step, plane) == step) planes.push_back(carry(node, step, plane, tunes));
      }
      co_await Node::all(planes);
    }
  }
  static double predict(const Job& job, const PlaneSchedule& plan) {
    return job.machine().us(static_cast<double>(plan.predicted()));
  }
  static std::string check(const NodesOf<HalvingDoubling>& nodes, const PlaneSchedule& plan) {
    Bytes all = 0;
    for (unsigned step = 0; step < plan.steps(); ++step) {
      for (unsigned plane = 0; plane < plan.planes(); ++plane) all += plan.bytes(step, plane);
    }
    for (NodeId node = 0; node < nodes.size(); ++node) {
      if (nodes[node].received_ != all) return "node " + std::to_string(node) + " has not received all halves";
    }
    return {};
  }

 private:
  using Tunes = std::vector<Pending>;  ///< under way, or complete

  /// The part of a step that a plane carries. Then the plane is free, and is tuned to the mask that it is used for
  /// next.
  Task<> carry(Node& node, unsigned step, unsigned plane, Tunes& tunes) {
    const Received received = co_await node.exchange({.with = node.id() ^ plan_.mask(step),
                                                      .type = plane,
                                                      .bytes = plan_.bytes(step, plane),
                                                      .port = static_cast<std::uint8_t>(plane)});
    received_ += received.bytes;
    tune(node, step + 1, plane, tunes);
  }
  void tune(Node& node, unsigned step, unsigned plane, Tunes& tunes) {
    const unsigned next = plan_.next_use(step, plane);
    if (next == plan_.steps()) return;
    tunes.push_back(node.start_tune(static_cast<std::uint8_t>(plane), plan_.mask(next)));
  }

  const PlaneSchedule& plan_;
  Bytes received_ = 0;
};

ECUBE_PROGRAMS(HalvingDoubling)
