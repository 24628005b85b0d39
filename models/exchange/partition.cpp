// SPDX-License-Identifier: Apache-2.0
// Partitions: how they are read, enumerated and turned into phases, and where the blocks of a phase stand.
#include "models/exchange/partition.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "models/machine/error.h"
#include "models/machine/spelling.h"

namespace ecube {
namespace {

constexpr unsigned largest_listed_dim = 7;  // 15 partitions; the next has 22
constexpr unsigned listed_equipartitions = 8;
constexpr std::size_t shown_name = 60;

std::string valid_partitions(unsigned dim) {
  std::string text;
  if (dim <= largest_listed_dim) {
    for (const Partition& partition : partitions_of(dim)) text += partition.name() + " | ";
  } else {
    for (unsigned n = 1; n <= std::min(dim, listed_equipartitions); ++n)
      text += Partition::equipartition(dim, n).name() + " | ";
    if (dim > listed_equipartitions) text += "... | ";
  }
  return text + "direct | standard | best";
}

[[noreturn]] void refuse(const std::string& message, std::string_view hint, unsigned dim) {
  throw InputError(message).hint(hint).valid(valid_partitions(dim));
}

/// One part of `text`, the whole partition as typed.
unsigned parse_part(std::string_view part, std::string_view text, unsigned dim) {
  if (part.empty()) refuse("partition " + quoted(text) + " has an empty part", {}, dim);
  unsigned value = 0;
  const auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (end != part.data() + part.size() || status == std::errc::invalid_argument) {
    constexpr std::array<std::string_view, 3> words = {"direct", "standard", "best"};
    const std::string message =
        part == text ? "partition " + quoted(text) + " is not a list of whole numbers"
                     : "part " + quoted(part) + " of partition " + quoted(text) + " is not a whole number";
    refuse(message, did_you_mean(part, words), dim);
  }
  if (status == std::errc::result_out_of_range)
    refuse("part " + quoted(part) + " of partition " + quoted(text) + " is larger than --dim, which is " +
               std::to_string(dim),
           {}, dim);
  if (value == 0) refuse("partition " + quoted(text) + " has a part of 0", "every part is at least 1", dim);
  return value;
}

/// `typed` for so many dimensions, of a cube or of another network.
Partition read_partition(std::string_view typed, unsigned dims, const Topology* other) {
  const std::string_view list = trimmed(typed);
  if (list == "direct") return Partition::direct(dims);
  if (list == "standard") return Partition::standard(dims);
  if (list.empty()) refuse("the partition is empty", {}, dims);
  std::vector<unsigned> parts;
  for (const std::string_view part : split(list, ',')) parts.push_back(parse_part(trimmed(part), list, dims));
  const std::uint64_t sum = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
  if (sum == dims) return Partition(std::move(parts));
  const std::string sums = " sums to " + std::to_string(sum) + ", but ";
  if (other == nullptr) {
    std::string name(typed);
    if (name.size() > shown_name) name = name.substr(0, shown_name) + "...";
    refuse("partition " + name + sums + "--dim is " + std::to_string(dims), {}, dims);
  }
  std::string valid;
  for (const Partition& one : partitions_of(*other)) {
    if (valid.size() < 2 * shown_name) valid += one.name() + " | ";
  }
  throw InputError("partition " + std::string(list.substr(0, shown_name)) + sums + "the dimensions of " +
                   other->name() + " are " + std::to_string(dims))
      .hint("a part is a number of dimensions, and a phase spans whole ones")
      .valid(valid + "direct | standard | best");
}

/// Appends every partition that continues `parts` with parts of at most `largest` that sum to `rest`.
void append_partitions(unsigned rest, unsigned largest, std::vector<unsigned>& parts, std::vector<Partition>& result) {
  if (rest == 0) {
    result.emplace_back(parts);
    return;
  }
  for (unsigned part = std::min(rest, largest); part >= 1; --part) {
    parts.push_back(part);
    append_partitions(rest - part, part, parts, result);
    parts.pop_back();
  }
}

}  // namespace

Partition::Partition(std::vector<unsigned> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) throw InputError("a partition needs at least one part");
  std::uint64_t sum = 0;
  for (const unsigned part : parts_) {
    if (part == 0) throw InputError("a partition has a part of 0\n  every part is at least 1");
    sum += part;
  }
  if (sum > max_predicted_dim)
    throw InputError("a partition sums to " + std::to_string(sum) + ", but the largest dimension is " +
                     std::to_string(max_predicted_dim));
  dim_ = static_cast<unsigned>(sum);
}

Partition Partition::parse(std::string_view text, unsigned dim) { return read_partition(text, dim, nullptr); }

Partition Partition::parse(std::string_view text, const Topology& topology) {
  return read_partition(text, static_cast<unsigned>(topology.dimensions().size()),
                        topology.is_cube() ? nullptr : &topology);
}

Partition Partition::equipartition(unsigned dim, unsigned phases) {
  std::vector<unsigned> parts(phases, dim / phases);
  std::for_each_n(parts.begin(), dim % phases, [](unsigned& part) { ++part; });
  return Partition(std::move(parts));
}

bool Partition::is_equipartition() const {
  const auto [smallest, largest] = std::minmax_element(parts_.begin(), parts_.end());
  return *largest - *smallest <= 1;
}

std::string Partition::name() const {
  std::string text;
  for (const unsigned part : parts_) text += (text.empty() ? "" : ",") + std::to_string(part);
  return text;
}

std::vector<Partition> partitions_of(unsigned dim) {
  std::vector<Partition> result;
  std::vector<unsigned> parts;
  append_partitions(dim, dim, parts, result);
  return result;
}

std::vector<Partition> compositions_of(unsigned dim) {
  std::vector<Partition> result;
  const std::uint32_t count = std::uint32_t{1} << (dim - 1);
  result.reserve(count);
  for (std::uint32_t cuts = 0; cuts < count; ++cuts) {  // bit i of cuts: a new part begins after i + 1 dimensions
    std::vector<unsigned> parts = {1};
    for (unsigned i = 0; i + 1 < dim; ++i) ++(((cuts >> i) & 1) != 0 ? parts.emplace_back(0) : parts.back());
    result.emplace_back(std::move(parts));
  }
  return result;
}

std::vector<Partition> partitions_of(const Topology& topology) {
  const auto dims = static_cast<unsigned>(topology.dimensions().size());
  return topology.is_cube() || topology.planes() != 0 ? partitions_of(dims) : compositions_of(dims);
}

std::vector<Partition> equipartitions_of(unsigned dim) {
  std::vector<Partition> result;
  for (unsigned n = 1; n <= dim; ++n) result.push_back(Partition::equipartition(dim, n));
  return result;
}

std::vector<Phase> phases(const Partition& partition, BlockOrder order, const Topology& topology) {
  std::vector<Phase> result;
  unsigned spanned = 0;
  for (const unsigned part : partition.parts()) {
    const unsigned first = order == BlockOrder::low ? spanned : partition.dim() - spanned - part;
    const NodeId stride = topology.stride(first);
    const NodeId end = first + part < partition.dim() ? topology.stride(first + part) : topology.nodes();
    result.push_back({.first = first,
                      .dims = part,
                      .stride = stride,
                      .members = end / stride,
                      .nodes = topology.nodes(),
                      .index = static_cast<std::uint16_t>(result.size()),
                      .order = order});
    spanned += part;
  }
  return result;
}

std::vector<Phase> phases(const Partition& partition, BlockOrder order) {
  if (partition.dim() > max_simulated_dim) throw std::invalid_argument("phases: a cube too large to have labels");
  return phases(partition, order, Topology::cube(partition.dim()));
}

}  // namespace ecube
