// SPDX-License-Identifier: Apache-2.0
// What a machine and a run have beyond the plainest of them, by name, and how the compiler knows it.
#pragma once

#include <array>

namespace ecube::event {

/// The plainest machine switches circuits between nodes with one port each, over real distance, and only its ports and
/// links make a message wait.
struct Features {
  bool products = false;        ///< the network is not the binary cube
  bool planes = false;          ///< links are tuned
  bool several_ports = false;   ///< of a node
  bool worms = false;           ///< wormhole switching
  bool packets = false;         ///< store and forward
  bool protocol = false;        ///< synchronisations, reservations, grants, lost messages
  bool queued = false;          ///< library work occupies the processor
  bool exclusive = false;       ///< nodes compute only while their interfaces move no phits
  bool together = false;        ///< a node that is sending accepts only circuits that begin together with its own
  bool engines = false;         ///< fewer send and receive engines than ports
  bool shared_bus = false;      ///< loops of detailed nodes share the bus with phits
  bool fixed_distance = false;  ///< the set-up of a circuit takes the same time over any distance
  bool failures = false;        ///< links or nodes fail
  bool jitter = false;
  bool arrivals = false;  ///< an arrival has to be an event, because its effect depends on the edge
  bool observer = false;

  friend constexpr bool operator==(const Features&, const Features&) = default;

  /// Only their own order constrains the sends of a node's ports.
  [[nodiscard]] constexpr bool independent_ports() const {
    return several_ports && !planes && !engines && !queued && !protocol && !jitter;
  }
};

/// Answers about features. The code of a message is written once and takes such a value: with Known, the compiler
/// leaves out features that the machine lacks; with Asked, each feature is tested where it matters.
template <Features features>
struct Known {
  constexpr const Features* operator->() const { return &value; }
  static constexpr Features value = features;
};
class Asked {
 public:
  explicit Asked(const Features& features) : features_(&features) {}
  const Features* operator->() const { return features_; }

 private:
  const Features* features_;
};

// The machines that are run most. What each of them gains is in SPEED.md.
inline constexpr Features plain_features{};
inline constexpr Features watched_features{.observer = true};
inline constexpr Features product_features{.products = true};
/// Forced messages of the iPSC/860, as Nicol & Bokhari (1994) measured them: the preset ipsc860.
inline constexpr Features ipsc860_features{
    .protocol = true, .queued = true, .exclusive = true, .together = true, .arrivals = true};
inline constexpr Features planes_features{.products = true, .planes = true, .several_ports = true};
inline constexpr std::array known_features{plain_features, watched_features, product_features, ipsc860_features,
                                           planes_features};

}  // namespace ecube::event
