// SPDX-License-Identifier: Apache-2.0
// The network of a machine as a value: dimensions of any radix, each a complete graph, with or without its longest
// jump, or a line. Who is whose neighbour, and which link a route takes next, is asked here.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/machine/cube.h"
#include "models/machine/quantity.h"

namespace ecube {

/// A product of dimensions. The label of a node is a number with a digit for each dimension, the least significant one
/// in dimension 0. A route corrects one digit after the other, dimension 0 first, so it follows from two labels and
/// needs no table. The binary cube is the product of radices 2.
///
/// The outputs of a node are numbered by dimension. A dimension of radix 2 is one output. A line has + and then -. Of a
/// complete graph the outputs lead to the digit + 1, + 2, .. modulo the radix. A link arrives at the input that has the
/// number of the output by which it leaves. All nodes have the same numbering: beyond the ends of a line there is no
/// link, and no route asks for one.
///
/// A network of several channels has all these links once for each channel, those of channel 0 first. The port by which
/// a message leaves its source names the channel of its whole route.
class Topology {
 public:
  enum class Kind : std::uint8_t {  // in the order of their words (topology.cpp)
    complete,
    line,
    /// Complete but for the links between digits half a radix apart: one link less a node, and two hops between these.
    without_longest
  };
  struct Dimension {
    NodeId radix = 2;
    Kind kind = Kind::complete;
    friend bool operator==(const Dimension&, const Dimension&) = default;
  };
  /// A link by its output, and the node at its end.
  struct Hop {
    unsigned output = 0;
    NodeId to = 0;
  };

  /// What the first link of a route adds to the digit, modulo the radix, where `difference` has to be added, in any
  /// dimension but a line; the rest is added by a second link.
  [[nodiscard]] static constexpr NodeId first_jump(const Dimension& dimension, NodeId difference) {
    return dimension.kind == Kind::without_longest && 2 * difference == dimension.radix ? 1 : difference;
  }

  static constexpr NodeId max_nodes = NodeId{1} << max_simulated_dim;
  static constexpr unsigned max_inputs = 128;  ///< of a router: its links, and the ports of the node

  /// Dimension 0 first. std::invalid_argument for what parse() refuses.
  explicit Topology(const std::vector<Dimension>& dimensions);
  /// The binary cube.
  [[nodiscard]] static Topology cube(unsigned dim) { return Topology(std::vector<Dimension>(dim)); }
  /// The nodes of a cube, without its links: output q is the link to plane q, and the wiring says where it leads, which
  /// changes. So there are no neighbours and no routes; every circuit is one hop.
  [[nodiscard]] static Topology on_planes(unsigned dim, unsigned planes);
  /// The network with all its links `channels` times.
  [[nodiscard]] Topology with_channels(unsigned channels) const;
  /// "cube:6", "generalised:4x4x4", "mesh:8x8", or a product of such, as "generalised:4x4+mesh:8".
  [[nodiscard]] static Parsed<Topology> parse(std::string_view text);
  [[nodiscard]] static std::string_view spelling();

  /// The shortest spelling. Two topologies are the same machine if and only if their names are equal.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const std::vector<Dimension>& dimensions() const { return dimensions_; }
  [[nodiscard]] bool is_cube() const { return cube_; }
  /// The cube of one channel, whose routes are bits of labels.
  [[nodiscard]] bool is_plain_cube() const { return plain_; }
  [[nodiscard]] unsigned channels() const { return channels_; }
  /// There are planes or channels, which the port of a message names.
  [[nodiscard]] bool port_decides() const { return port_decides_; }
  /// Of the channel to which a link or a port belongs: the number of its first link.
  [[nodiscard]] unsigned first_of_channel(unsigned number) const {
    return channels_ == 1 ? 0 : number - number % (outputs() / channels_);
  }
  /// Planes that are tuned while a program runs; 0 where links are fixed.
  [[nodiscard]] unsigned planes() const { return planes_; }
  [[nodiscard]] NodeId nodes() const { return nodes_; }
  /// Bits of the largest label; the dimension of a cube.
  [[nodiscard]] unsigned label_bits() const { return static_cast<unsigned>(std::bit_width(nodes_ - 1)); }
  [[nodiscard]] unsigned outputs() const { return static_cast<unsigned>(outputs_.size()); }
  /// The link's name in output: "dim 2", "+x", "x to 3".
  [[nodiscard]] std::string output_name(NodeId node, unsigned output) const;

  /// True if the link leaves the node.
  [[nodiscard]] bool exists(NodeId node, unsigned output) const {
    return !beyond(node, outputs_[output], outputs_[output].step);
  }
  /// True if a link arrives at the input.
  [[nodiscard]] bool has_origin(NodeId node, unsigned input) const {
    return !beyond(node, outputs_[input], -outputs_[input].step);
  }
  /// The node to which the link leads.
  [[nodiscard]] NodeId neighbour(NodeId node, unsigned output) const {
    return plain_ ? ecube::neighbour(node, output) : moved(node, outputs_[output], outputs_[output].step);
  }
  /// The node from which a link leads to the input.
  [[nodiscard]] NodeId origin(NodeId node, unsigned input) const {
    return plain_ ? ecube::neighbour(node, input) : moved(node, outputs_[input], -outputs_[input].step);
  }
  /// The first link of the route between two nodes, which differ, in channel 0.
  [[nodiscard]] Hop next(NodeId from, NodeId to) const {
    if (cube_) return {first_dimension(from, to), next_hop(from, to)};
    if (bits_) {
      if (direct_) return jump(from, to);
      const BitField& field = first_field(from ^ to);
      return digits_[field.dimension].hop(from, field.of(from), field.of(to));
    }
    NodeId rest = from;
    NodeId goal = to;
    for (const Digit* digit = digits_.data();; ++digit) {
      const NodeId own = digit->split(rest);
      const NodeId wanted = digit->split(goal);
      if (own != wanted) return digit->hop(from, own, wanted);
    }
  }
  /// True where each link of a route corrects a digit that is bits of the label, and no port decides.
  [[nodiscard]] bool jumps() const { return direct_ && !port_decides_; }
  /// The same as next() there, without a branch. Between a node and itself: the number behind those of all links.
  [[nodiscard]] Hop jump(NodeId from, NodeId to) const { return first_field((from ^ to) | nodes_).jump(from, to); }
  /// The same in the channel, or on the plane, of a link or port.
  [[nodiscard]] Hop next(NodeId from, NodeId to, unsigned number) const {
    if (!port_decides_) [[likely]]
      return next(from, to);
    return next_named(from, to, number);
  }
  /// The numbers of the first and the last link of a route, in channel 0; 0 for a message to itself.
  [[nodiscard]] unsigned first_output(NodeId from, NodeId to) const {
    if (cube_) return first_dimension(from, to);
    return from == to ? 0 : next(from, to).output;
  }
  [[nodiscard]] unsigned last_output(NodeId from, NodeId to) const;
  /// Links of the route.
  [[nodiscard]] unsigned hops(NodeId from, NodeId to) const {
    if (!direct_) return hops_by_digits(from, to);
    // The highest bit of each digit that differs: a carry comes from its lower bits, unless they are all alike.
    const NodeId lower = nodes_ - 1 - highest_bits_;
    const NodeId left = from ^ to;
    return ecube::hops((((left & lower) + lower) | left) & highest_bits_, 0);
  }
  /// Calls action(LinkId) for each link of the route of a message that leaves by inject port `port`, in order.
  template <class Action>
  void along(NodeId from, NodeId to, unsigned port, const Action& action) const {
    if (port_decides_) [[unlikely]]
      return along_named(from, to, port, action);
    along(from, to, action);
  }
  /// The same in channel 0.
  template <class Action>
  void along(NodeId from, NodeId to, const Action& action) const {
    if (cube_) return along_route(from, to, action);
    if (planes_ != 0) return;
    if (direct_) return along_jumps(from, to, action);
    NodeId at = from;
    for_differing(from, to, [&](const Digit& digit, NodeId own, NodeId wanted) {
      do {
        const NodeId next = digit.after(own, wanted);
        action(LinkId{at, digit.output(own, next)});
        at += (next - own) * digit.stride;
        own = next;
      } while (own != wanted);
    });
  }

  /// The same as along() where jumps().
  template <class Action>
  [[gnu::always_inline]] void along_jumps(NodeId from, NodeId to, const Action& action) const {
    while (from != to) {
      const Hop hop = jump(from, to);
      action(LinkId{from, hop.output});
      from = hop.to;
    }
  }

  /// The first dimension's digits run fastest: nodes whose digits differ by one in a dimension are so far apart.
  [[nodiscard]] NodeId stride(unsigned dimension) const { return digits_[dimension].stride; }
  /// True where all radices are powers of two: digits are then bits of the label.
  [[nodiscard]] bool digits_are_bits() const { return bits_; }
  /// The node whose digits are the sums, or differences, of the digits of two labels, each modulo its radix.
  [[nodiscard]] NodeId plus(NodeId node, NodeId step) const { return away(node, step, false); }
  [[nodiscard]] NodeId minus(NodeId node, NodeId step) const { return away(node, step, true); }

  /// All nodes of a dimension send at once, each to the digit + `step`, or XOR `step` where digits_are_bits().
  struct StepLoad {
    NodeId hops = 0;      ///< of the longest circuit
    NodeId circuits = 0;  ///< on the link that most of them take
  };
  [[nodiscard]] StepLoad step_load(unsigned dimension, NodeId step) const;

  /// Steps of a barrier, one after the other: one for each bit of a cube's label, and two more where nodes have no
  /// partner in these.
  [[nodiscard]] unsigned barrier_steps() const { return label_bits() + (std::has_single_bit(nodes_) ? 0 : 1); }
  /// Links of the longest route.
  [[nodiscard]] unsigned diameter() const;
  /// Links that exist, each in one direction.
  [[nodiscard]] std::uint64_t links() const;
  /// Hops between two nodes, a node and itself included, all pairs alike.
  [[nodiscard]] double mean_distance() const;
  /// Fewest links, in one direction, that join one half of the nodes to the other; empty where a radix is odd.
  [[nodiscard]] std::optional<std::uint64_t> bisection() const;

  friend bool operator==(const Topology& a, const Topology& b) {
    return a.dimensions_ == b.dimensions_ && a.planes_ == b.planes_ && a.channels_ == b.channels_;
  }

 private:
  [[nodiscard]] unsigned hops_by_digits(NodeId from, NodeId to) const;
  [[nodiscard]] Hop next_named(NodeId from, NodeId to, unsigned number) const;
  [[nodiscard]] NodeId away(NodeId node, NodeId step, bool back) const;

  /// A dimension as numbers.
  struct Digit {
    NodeId radix = 2;
    NodeId stride = 1;          ///< between nodes whose digits differ by one
    std::uint64_t inverse = 0;  ///< of the radix, so that a division is a multiplication
    std::uint64_t inverse_stride = 0;
    unsigned first_output = 0;
    Kind kind = Kind::complete;

    [[nodiscard]] bool line() const { return kind == Kind::line; }
    /// Whether two digits are as far apart as digits of a dimension without its longest jump can be.
    [[nodiscard]] bool opposite(NodeId own, NodeId wanted) const {
      return kind == Kind::without_longest && (own + radix / 2 == wanted || wanted + radix / 2 == own);
    }

    /// Exact for labels and divisors up to 2^20: the error of the quotient is below label / 2^40 < 1 / divisor.
    static constexpr unsigned scale = 40;
    [[nodiscard]] static constexpr std::uint64_t inverse_of(NodeId divisor) {
      return (std::uint64_t{1} << scale) / divisor + 1;
    }
    /// The lowest digit of `rest`, which becomes the number without this digit.
    [[nodiscard]] NodeId split(NodeId& rest) const {
      const NodeId before = rest;
      rest = static_cast<NodeId>(rest * inverse >> scale);
      return before - rest * radix;
    }
    [[nodiscard]] NodeId of(NodeId node) const {
      auto rest = static_cast<NodeId>(node * inverse_stride >> scale);
      return split(rest);
    }
    /// The digit after the next link.
    [[nodiscard]] NodeId after(NodeId own, NodeId wanted) const {
      if (line()) return wanted > own ? own + 1 : own - 1;
      // By way of the digit + 1. No route goes on after the jump that remains.
      return !opposite(own, wanted) ? wanted : own + 1 == radix ? 0 : own + 1;
    }
    /// The output that leads from a digit to the next.
    [[nodiscard]] unsigned output(NodeId own, NodeId next) const {
      return first_output + (line() ? unsigned{next < own} : next - own - 1 + (next < own ? radix : 0));
    }
    [[nodiscard]] Hop hop(NodeId from, NodeId own, NodeId wanted) const {
      const NodeId next = after(own, wanted);
      return {output(own, next), from + (next - own) * stride};
    }
    /// The output of the last of the links from one digit to another.
    [[nodiscard]] unsigned last_output(NodeId own, NodeId wanted) const {
      return opposite(own, wanted) ? first_output + radix / 2 - 2 : hop(0, own, wanted).output;
    }
    [[nodiscard]] unsigned distance(NodeId own, NodeId wanted) const {
      if (line()) return own < wanted ? wanted - own : own - wanted;
      return unsigned{own != wanted} + unsigned{opposite(own, wanted)};
    }
  };
  struct Output {
    unsigned dimension = 0;
    int step = 1;  ///< what the link adds to the digit
  };

  /// Where digits are bits: the digit to which a bit of the label belongs, so that it is found without a division.
  struct BitField {
    NodeId mask = 0;
    unsigned low = 0;       ///< its lowest bit
    unsigned output_0 = 0;  ///< the output that would add 0 to the digit
    std::uint8_t dimension = 0;

    [[nodiscard]] NodeId of(NodeId node) const { return (node & mask) >> low; }
    /// The link that corrects the digit in a complete graph.
    [[nodiscard]] Hop jump(NodeId from, NodeId to) const {
      return {output_0 + of((to & mask) - (from & mask)), from ^ ((from ^ to) & mask)};
    }
  };
  /// Kept out of along(), which is inlined where circuits are set up.
  template <class Action>
  [[gnu::noinline]] void along_named(NodeId from, NodeId to, unsigned port, const Action& action) const {
    if (planes_ != 0) return action(LinkId{from, port});
    const unsigned first = first_of_channel(port);
    along(from, to, [&action, first](LinkId link) { action(LinkId{link.node, link.output + first}); });
  }
  /// Of the digits that have one of these bits the first.
  [[nodiscard]] const BitField& first_field(NodeId bits) const {
    if (bits == 0) __builtin_unreachable();  // else std::countr_zero() would ask
    return field_of_bit_[static_cast<unsigned>(std::countr_zero(bits))];
  }
  /// Calls visit(digit, own, wanted) for each dimension in which two labels differ, in order.
  template <class Visit>
  void for_differing(NodeId from, NodeId to, const Visit& visit) const {
    if (bits_) {
      for (NodeId left = from ^ to; left != 0;) {
        const BitField& field = first_field(left);
        visit(digits_[field.dimension], field.of(from), field.of(to));
        left &= ~field.mask;
      }
      return;
    }
    for (const Digit* digit = digits_.data(); from != to; ++digit) {
      const NodeId own = digit->split(from);
      const NodeId wanted = digit->split(to);
      if (own != wanted) visit(*digit, own, wanted);
    }
  }

  [[nodiscard]] bool beyond(NodeId node, const Output& output, int step) const {
    const Digit& digit = digits_[output.dimension];
    if (digit.line()) return digit.of(node) + static_cast<NodeId>(step) >= digit.radix;
    return digit.kind == Kind::without_longest && static_cast<NodeId>(step < 0 ? -step : step) == digit.radix / 2;
  }
  [[nodiscard]] NodeId moved(NodeId node, const Output& output, int step) const {
    const Digit& digit = digits_[output.dimension];
    const auto up = static_cast<NodeId>(step);
    if (digit.line()) return node + up * digit.stride;
    // Complete: the sum of digit and step is taken modulo the radix, which is added to a negative step first.
    const NodeId sum = digit.of(node) + up + (step < 0 ? digit.radix : 0);
    const NodeId turn = sum >= digit.radix ? digit.radix : 0;
    return node + (up + (step < 0 ? digit.radix : 0) - turn) * digit.stride;
  }

  std::vector<Dimension> dimensions_;
  std::vector<Digit> digits_;    ///< [dimension]
  std::vector<Output> outputs_;  ///< [output]
  std::array<BitField, max_simulated_dim + 1> field_of_bit_{};
  NodeId nodes_ = 1;
  unsigned planes_ = 0;
  unsigned channels_ = 1;
  bool cube_ = true;
  bool plain_ = true;
  bool port_decides_ = false;
  bool bits_ = true;
  bool direct_ = true;       ///< digits are bits, and a link corrects any of them
  NodeId highest_bits_ = 0;  ///< of all digits, where they are bits
};

/// Calls action(LinkId) for each link that exists, in order of node, then of output.
template <class Action>
void for_each_link(const Topology& topology, const Action& action) {
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (unsigned output = 0; output < topology.outputs(); ++output) {
      if (topology.exists(node, output)) action(LinkId{node, output});
    }
  }
}

/// What circuits wait for links that they share in a step: those on its fullest link pass it one after the other, so
/// that the last one waits (load - 1) times as long as one of them holds the link. A bound where steps begin together:
/// a circuit that waits holds links for which others wait.
struct LinkWaits {
  double circuits = 0;  ///< that are waited for, in all steps
  double hops = 0;      ///< of these

  LinkWaits& operator+=(const Topology::StepLoad& step) {
    const double others = step.circuits > 1 ? step.circuits - 1 : 0;
    circuits += others;
    hops += others * step.hops;
    return *this;
  }
  /// With circuits that hold links for `hold_us`, and for `hop_us` more for each hop.
  [[nodiscard]] double us(double hold_us, double hop_us) const { return circuits * hold_us + hops * hop_us; }
};

}  // namespace ecube
