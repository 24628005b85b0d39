// SPDX-License-Identifier: Apache-2.0
// A combine to all nodes by halving and doubling on planes that are tuned (hw/README.md section 14): who hides the time
// in which planes are dark?
#include <algorithm>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "sw/program/program.h"

using namespace ecube;

/// What each plane carries in each step.
class PlaneSchedule {
 public:
  struct Step {
    NodeId mask = 0;
    std::vector<Bytes> bytes;  ///< [plane]
  };

  explicit PlaneSchedule(const Job& job) : planes_(job.machine().network.planes), steps_(2 * job.dim()) {
    const std::string& shares = job.text("shares");
    std::string even = "1";
    for (unsigned plane = 1; plane < planes(); ++plane) even += ":1";
    std::istringstream words(shares);
    for (unsigned step = 0; step < steps(); ++step) {
      const unsigned halving = std::min(step, steps() - 1 - step);
      std::string word = even;
      if (shares != "even") std::getline(words, word, ',');
      steps_[step] = {NodeId{1} << halving, divided(job.size("bytes") >> (halving + 1), word)};
    }
    if (shares != "even" && !words.eof()) refuse();
  }

  [[nodiscard]] unsigned steps() const { return static_cast<unsigned>(steps_.size()); }
  [[nodiscard]] unsigned planes() const { return planes_; }
  [[nodiscard]] const Step& at(unsigned step) const { return steps_[step]; }
  /// The next step from `step` on that uses the plane, or steps().
  [[nodiscard]] unsigned next_use(unsigned step, unsigned plane) const {
    while (step < steps() && steps_[step].bytes[plane] == 0) ++step;
    return step;
  }

 private:
  /// In proportion to shares as "25:7"; what is left over goes by the first plane that has a share.
  [[nodiscard]] std::vector<Bytes> divided(Bytes bytes, const std::string& shares) const {
    std::istringstream text(shares);
    std::vector<Bytes> parts;
    for (std::string share; std::getline(text, share, ':');) parts.push_back(std::stoul(share));
    const Bytes all = std::accumulate(parts.begin(), parts.end(), Bytes{0});
    if (planes() == 0 || parts.size() != planes() || all == 0) refuse();
    Bytes& first = *std::find_if(parts.begin(), parts.end(), [](Bytes share) { return share > 0; });
    Bytes rest = bytes;
    for (Bytes& part : parts) rest -= part *= bytes / all;
    first += rest;
    return parts;
  }
  [[noreturn]] void refuse() const {
    throw std::invalid_argument("shares: " + std::to_string(steps()) + " steps with a share for each of " +
                                std::to_string(planes()) + " planes (network.planes), as 3:1, not all 0");
  }

  unsigned planes_;
  std::vector<Step> steps_;
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

 private:
  using Tunes = std::vector<Pending>;  ///< under way, or complete

  /// The part of a step that a plane carries. Then the plane is free, and is tuned to the mask that it is used for
  /// next.
  Task<> carry(Node& node, unsigned step, unsigned plane, Tunes& tunes) {
    co_await node.exchange({.with = node.id() ^ plan_.at(step).mask,
                            .type = plane,
                            .bytes = plan_.at(step).bytes[plane],
                            .port = static_cast<std::uint8_t>(plane)});
    tune(node, step + 1, plane, tunes);
  }
  void tune(Node& node, unsigned step, unsigned plane, Tunes& tunes) {
    const unsigned next = plan_.next_use(step, plane);
    if (next == plan_.steps()) return;
    tunes.push_back(node.start_tune(static_cast<std::uint8_t>(plane), plan_.at(next).mask));
  }

  const PlaneSchedule& plan_;
};

ECUBE_PROGRAMS(HalvingDoubling)
