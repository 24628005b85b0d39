// SPDX-License-Identifier: Apache-2.0
// Spelling and counts of topologies.
#include "models/machine/topology.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

#include "models/machine/error.h"
#include "models/machine/spelling.h"

namespace ecube {

namespace {

using Kind = Topology::Kind;
using Dimension = Topology::Dimension;

/// [Kind], and the cube, whose dimensions are complete.
constexpr std::array<std::string_view, 4> kinds{"generalised", "mesh", "nearly", "cube"};
/// What others call them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> other_words{{{"complete", "generalised"},
                                                                                    {"hyperx", "generalised"},
                                                                                    {"hypercube", "cube"},
                                                                                    {"grid", "mesh"},
                                                                                    {"line", "mesh"},
                                                                                    {"array", "mesh"}}};

/// The outputs of one dimension.
unsigned outputs_of(const Dimension& dimension) {
  if (dimension.radix == 2) return 1;
  return dimension.kind == Kind::line ? 2 : dimension.radix - 1;
}

/// The reason if the network does not exist.
std::optional<Problem> refusal(const std::vector<Dimension>& dimensions) {
  std::uint64_t nodes = 1;
  std::uint64_t outputs = 0;
  const std::string limit = "2 to " + std::to_string(Topology::max_nodes) + " nodes";
  for (const Dimension& dimension : dimensions) {
    if (dimension.radix < 2) return Problem{"has a radix below 2", "a dimension joins 2 nodes or more", ""};
    if (dimension.kind == Kind::without_longest && dimension.radix != 2 &&
        (dimension.radix < 6 || dimension.radix % 2 != 0)) {
      return Problem{"has no longest jump to leave out at radix " + std::to_string(dimension.radix),
                     "an odd radix has two, and of four nodes a ring is left", "nearly: even radices from 6 on"};
    }
    nodes *= dimension.radix;
    outputs += outputs_of(dimension);
    if (nodes > Topology::max_nodes) return Problem{"has too many nodes", "", limit};
  }
  if (dimensions.empty()) return Problem{"has no dimension", "", limit};
  if (outputs < Topology::max_inputs) return std::nullopt;
  return Problem{"gives a router " + std::to_string(outputs) + " links",
                 "a complete graph of radix r has r - 1 links a node, a line two",
                 "at most " + std::to_string(Topology::max_inputs - 1) + " links a node"};
}

/// Of a part "WORD:SIZE".
Problem unknown_kind(std::string_view part, std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string valid(Topology::spelling());
  if (lower == "ring" || lower == "torus") {
    return {"has rings, on which circuits that hold their links and wait for others can stop one another for ever",
            "a line has no link around: mesh" + std::string(part.substr(word.size())), valid};
  }
  const auto* const other =
      std::find_if(other_words.begin(), other_words.end(), [&](const auto& words) { return words.first == lower; });
  std::string hint = did_you_mean(other == other_words.end() ? std::string_view(lower) : other->second, kinds);
  if (hint.empty()) {
    hint =
        "a network is a product of complete graphs and lines; on an arbitrary graph circuits that hold their links "
        "and wait for others can stop one another for ever";
  }
  return {"names no kind of network: " + quoted(word), hint, valid};
}

/// Adds the dimensions of one part, "KIND:RADICES", or says why it has none.
std::optional<Problem> read_part(std::string_view part, std::vector<Dimension>& dimensions) {
  const std::size_t colon = std::min(part.find(':'), part.size());
  const std::string_view word = part.substr(0, colon);
  const std::string valid(Topology::spelling());
  const auto kind = std::find(kinds.begin(), kinds.end(), word);
  if (kind == kinds.end()) return unknown_kind(part, word);
  if (colon == part.size()) return Problem{"has no size", "", valid};
  const bool cube = word == "cube";
  for (const std::string_view number : split(part.substr(colon + 1), 'x')) {
    const Parsed<std::uint64_t> count = parse_count(number);
    if (!count) return Problem{"has " + quoted(number) + " for a number", "", valid};
    const std::uint64_t most = cube ? max_simulated_dim : Topology::max_nodes;
    if (*count > most || (cube && *count == 0)) {
      return Problem{"has " + std::string(number) + (cube ? " dimensions of a cube" : " nodes in a row"), "",
                     (cube ? "1 to " : "2 to ") + std::to_string(most)};
    }
    if (cube) {
      dimensions.resize(dimensions.size() + *count);
    } else {
      dimensions.push_back({static_cast<NodeId>(*count), static_cast<Kind>(kind - kinds.begin())});
    }
  }
  return std::nullopt;
}

std::string letter(unsigned dimension) {
  constexpr std::string_view letters = "xyz";
  return dimension < letters.size() ? std::string(1, letters[dimension]) : "d" + std::to_string(dimension);
}

}  // namespace

Topology::Topology(const std::vector<Dimension>& dimensions) : dimensions_(dimensions) {
  if (const auto problem = refusal(dimensions)) throw std::invalid_argument("a topology " + problem->message);
  for (unsigned i = 0; i < dimensions_.size(); ++i) {
    Dimension& dimension = dimensions_[i];
    if (dimension.radix == 2) dimension.kind = Kind::complete;
    const bool line = dimension.kind == Kind::line;
    digits_.push_back({.radix = dimension.radix,
                       .stride = nodes_,
                       .inverse = Digit::inverse_of(dimension.radix),
                       .inverse_stride = Digit::inverse_of(nodes_),
                       .first_output = outputs(),
                       .kind = dimension.kind});
    for (unsigned output = 0; output < outputs_of(dimension); ++output) {
      outputs_.push_back({i, line && output == 1 ? -1 : static_cast<int>(output) + 1});
    }
    const BitField field{.mask = (dimension.radix - 1) << label_bits(),
                         .low = label_bits(),
                         .output_0 = digits_.back().first_output - 1,
                         .dimension = static_cast<std::uint8_t>(i)};
    nodes_ *= dimension.radix;
    std::fill(field_of_bit_.begin() + field.low, field_of_bit_.begin() + label_bits(), field);
    highest_bits_ |= nodes_ / 2;
    cube_ = cube_ && dimension.radix == 2;
    direct_ = direct_ && dimension.kind == Kind::complete;
  }
  plain_ = cube_;
  bits_ = std::has_single_bit(nodes_);
  direct_ = direct_ && bits_;
  field_of_bit_[label_bits()].output_0 = outputs();
}

Topology Topology::on_planes(unsigned dim, unsigned planes) {
  Topology topology = cube(dim);
  topology.planes_ = planes;
  topology.outputs_.assign(planes, Output{});
  topology.cube_ = topology.plain_ = topology.direct_ = false;
  topology.port_decides_ = true;
  return topology;
}

Topology Topology::with_channels(unsigned channels) const {
  Topology topology = *this;
  const std::size_t links = outputs() / channels_;
  topology.channels_ = channels;
  topology.plain_ = cube_ && channels == 1;
  topology.port_decides_ = channels != 1;
  topology.outputs_.resize(links * channels);
  for (std::size_t i = links; i < topology.outputs_.size(); ++i) topology.outputs_[i] = topology.outputs_[i - links];
  return topology;
}

std::string_view Topology::spelling() {
  return "cube:6, generalised:4x4x4, mesh:8x8, nearly:8x8 or a product of these, as generalised:4x4+mesh:8";
}

Parsed<Topology> Topology::parse(std::string_view text) {
  std::vector<Dimension> dimensions;
  for (const std::string_view part : split(trimmed(text), '+')) {
    if (const auto problem = read_part(part, dimensions)) return *problem;
  }
  if (const auto problem = refusal(dimensions)) return *problem;
  return Topology(dimensions);
}

std::string Topology::name() const {
  if (channels_ != 1) return with_channels(1).name() + " with " + std::to_string(channels_) + " channels";
  std::string name = "cube:" + std::to_string(dimensions_.size());
  if (cube_) return name;
  if (planes_ != 0) return name + " on " + std::to_string(planes_) + (planes_ == 1 ? " plane" : " planes");
  name.clear();
  std::optional<Kind> kind;  // of the part so far; radices 2 belong to any
  std::string part;
  const auto end_part = [&] {
    if (!name.empty()) name += '+';
    name.append(kinds[static_cast<std::size_t>(*kind)]).append(":" + part);
    part.clear();
  };
  for (const Dimension& dimension : dimensions_) {
    if (dimension.radix > 2) {
      if (kind && *kind != dimension.kind) end_part();
      kind = dimension.kind;
    }
    if (!part.empty()) part += 'x';
    part += std::to_string(dimension.radix);
  }
  end_part();
  return name;
}

std::string Topology::output_name(NodeId node, unsigned output) const {
  if (planes_ != 0) return "plane " + std::to_string(output);
  if (const unsigned first = first_of_channel(output); first != 0) {
    return output_name(node, output - first) + " channel " + std::to_string(first * channels_ / outputs());
  }
  const auto [dimension, step] = outputs_[output];
  const Digit& digit = digits_[dimension];
  if (digit.radix == 2) return "dim " + std::to_string(dimension);
  if (digit.line()) return (step > 0 ? "+" : "-") + letter(dimension);
  return letter(dimension) + " to " + std::to_string(digit.of(neighbour(node, output)));
}

unsigned Topology::last_output(NodeId from, NodeId to) const {
  if (cube_) return last_dimension(from, to);
  unsigned output = 0;
  for_differing(from, to,
                [&output](const Digit& digit, NodeId own, NodeId wanted) { output = digit.last_output(own, wanted); });
  return output;
}

unsigned Topology::hops_by_digits(NodeId from, NodeId to) const {
  if (planes_ != 0) return from == to ? 0 : 1;
  unsigned sum = 0;
  for_differing(from, to,
                [&sum](const Digit& digit, NodeId own, NodeId wanted) { sum += digit.distance(own, wanted); });
  return sum;
}

Topology::Hop Topology::next_named(NodeId from, NodeId to, unsigned number) const {
  if (planes_ != 0) return {number, to};
  const Hop hop = next(from, to);
  return {hop.output + first_of_channel(number), hop.to};
}

NodeId Topology::away(NodeId node, NodeId step, bool back) const {
  NodeId sum = 0;
  for (const Digit& digit : digits_) {
    const NodeId own = digit.split(node);
    const NodeId by = digit.split(step);
    const NodeId both = own + (back ? digit.radix - by : by);
    sum += (both >= digit.radix ? both - digit.radix : both) * digit.stride;
  }
  return sum;
}

Topology::StepLoad Topology::step_load(unsigned dimension, NodeId step) const {
  const Digit& digit = digits_[dimension];
  if (step == 0) return {};
  if (!digit.line()) return {digit.distance(0, step), 1};
  // Halves of 2 x 2^k nodes change places, where k is the highest bit; or all but `step` nodes go up and the rest down.
  if (digits_are_bits()) return {step, std::bit_floor(step)};
  return {std::max(step, digit.radix - step), std::min(step, digit.radix - step)};
}

unsigned Topology::diameter() const {
  if (planes_ != 0) return 1;
  unsigned sum = 0;
  for (const Digit& digit : digits_) {
    sum += std::max(digit.distance(0, digit.radix - 1), digit.distance(0, digit.radix / 2));
  }
  return sum;
}

std::uint64_t Topology::links() const {
  if (planes_ != 0) return std::uint64_t{nodes_} * planes_;
  std::uint64_t sum = 0;
  for (const Digit& digit : digits_) {
    const std::uint64_t others = nodes_ / digit.radix;
    const std::uint64_t all = std::uint64_t{digit.radix} * (digit.radix - 1) / 2;
    const std::uint64_t pairs =
        digit.line() ? digit.radix - 1 : all - (digit.kind == Kind::without_longest ? digit.radix / 2 : 0);
    sum += 2 * others * pairs;
  }
  return sum * channels_;
}

double Topology::mean_distance() const {
  if (planes_ != 0) return 1 - 1.0 / nodes_;
  double sum = 0;
  for (const Digit& digit : digits_) {
    const double r = digit.radix;
    sum += digit.line() ? (r * r - 1) / (3 * r) : 1 - (digit.kind == Kind::without_longest ? 0 : 1 / r);
  }
  return sum;
}

std::optional<std::uint64_t> Topology::bisection() const {
  if (planes_ != 0) return std::nullopt;
  std::uint64_t fewest = ~std::uint64_t{0};
  for (const Digit& digit : digits_) {
    if (digit.radix % 2 != 0) return std::nullopt;
    const std::uint64_t others = nodes_ / digit.radix;
    const std::uint64_t half = digit.radix / 2;
    const std::uint64_t missing = digit.kind == Kind::without_longest ? half : 0;
    fewest = std::min(fewest, channels_ * others * (digit.line() ? 1 : half * half - missing));
  }
  return fewest;
}

}  // namespace ecube
