// SPDX-License-Identifier: Apache-2.0
// A combine to all nodes by halving and doubling on planes that are tuned (hw/README.md section 14): what hides the
// time in which planes are dark?
#pragma once

#include <algorithm>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "sw/program/program.h"

namespace ecube {

/// What each plane carries in each step.
struct PlaneSchedule {
  struct Step {
    NodeId mask;
    std::vector<Bytes> bytes;  ///< [plane]
  };
  unsigned planes;
  std::vector<Step> steps;

  explicit PlaneSchedule(const Job& job)
      : PlaneSchedule(job.machine().network.planes, job.dim(), job.size("bytes"), job.text("shares")) {}
  /// `shares` of the planes in each step, as "3:1,0:1"; "even": all alike.
  PlaneSchedule(unsigned count_of_planes, unsigned dim, Bytes bytes, const std::string& shares)
      : planes(count_of_planes) {
    const unsigned count = 2 * dim;
    std::istringstream text(shares);
    bool read = planes > 0;
    for (unsigned step = 0; step < count; ++step) {
      const unsigned halving = std::min(step, count - 1 - step);
      std::vector<Bytes> parts(planes, 1);
      for (unsigned plane = 0; plane < planes && shares != "even"; ++plane) {
        const int behind = plane + 1 < planes ? ':' : step + 1 < count ? ',' : EOF;
        read = read && text >> parts[plane] && text.get() == behind;
      }
      const Bytes all = std::accumulate(parts.begin(), parts.end(), Bytes{0});
      if (!read || all == 0) {
        throw std::invalid_argument("shares: " + std::to_string(count) + " steps with a share for each of " +
                                    std::to_string(planes) + " planes (network.planes), as 3:1, not all 0");
      }
      // What is left over goes by the first plane that has a share.
      Bytes& first = *std::find_if(parts.begin(), parts.end(), [](Bytes share) { return share > 0; });
      Bytes rest = bytes >> (halving + 1);
      const Bytes of_share = rest / all;
      for (Bytes& part : parts) rest -= part *= of_share;
      first += rest;
      steps.push_back({NodeId{1} << halving, std::move(parts)});
    }
  }
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
  HalvingDoubling(const Job& /*job*/, const PlaneSchedule& plan) : HalvingDoubling(plan) {}
  explicit HalvingDoubling(const PlaneSchedule& plan) : plan_(plan) {}

  Task<> run(Node& node) {
    Tunes tunes;
    for (unsigned plane = 0; plane < plan_.planes; ++plane) tune(node, 0, plane, tunes);
    for (unsigned step = 0; step < plan_.steps.size(); ++step) {
      std::vector<Task<>> planes;
      for (unsigned plane = 0; plane < plan_.planes; ++plane) {
        if (plan_.steps[step].bytes[plane] != 0) planes.push_back(carry(node, step, plane, tunes));
      }
      co_await Node::all(planes);
    }
  }

 private:
  using Tunes = std::vector<Pending>;  ///< under way, or complete

  /// The part of a step that a plane carries. Then the plane is free.
  Task<> carry(Node& node, unsigned step, unsigned plane, Tunes& tunes) {
    co_await node.exchange({.with = node.id() ^ plan_.steps[step].mask,
                            .type = plane,
                            .bytes = plan_.steps[step].bytes[plane],
                            .port = static_cast<std::uint8_t>(plane)});
    tune(node, step + 1, plane, tunes);
  }
  /// To the mask of the next step, from `step` on, that uses the plane.
  void tune(Node& node, unsigned step, unsigned plane, Tunes& tunes) {
    while (step < plan_.steps.size() && plan_.steps[step].bytes[plane] == 0) ++step;
    if (step == plan_.steps.size()) return;
    tunes.push_back(node.start_tune(static_cast<std::uint8_t>(plane), plan_.steps[step].mask));
  }

  const PlaneSchedule& plan_;
};

}  // namespace ecube
