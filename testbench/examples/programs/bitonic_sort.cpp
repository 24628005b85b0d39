// SPDX-License-Identifier: Apache-2.0
// A bitonic sort of keys from a file (Batcher 1968), a slice of them on every node; and the same with a mistake.
#include <algorithm>
#include <bit>
#include <fstream>
#include <stdexcept>

#include "sw/program/program.h"

using namespace ecube;

/// The keys of the file, one whole number a line: the same for all nodes, and read-only.
struct Keys {
  explicit Keys(const Job& job) {
    std::ifstream file(job.file("keys"));
    if (!file) throw std::runtime_error("cannot read the keys in '" + job.file("keys") + "'");
    for (std::int64_t key = 0; file >> key;) all.push_back(key);
    if (!file.eof()) throw std::runtime_error("not every word of the keys is a whole number");
    if (all.empty() || all.size() % job.nodes() != 0) {
      throw std::runtime_error(std::to_string(all.size()) + " keys cannot be dealt evenly to the nodes");
    }
  }
  std::vector<std::int64_t> all;
};

class BitonicSort {
 public:
  static constexpr std::string_view name = "sort";
  static constexpr std::string_view help = "bitonic sort of the keys in a file";
  static std::vector<Parameter> parameters() {
    return {
        {.name = "keys", .type = ParameterType::file, .initial = "keys.txt", .help = "whole numbers, one a line"},
        {.name = "cycles", .initial = "4", .unit = "cycles", .help = "work of the processor for one key of a merge"}};
  }
  using Shared = Keys;

  BitonicSort(const Job& job, const Keys& keys)
      : keys_(keys.all), per_node_(keys.all.size() / job.nodes()), cycles_(job.whole("cycles")) {}

  Task<> run(Node& node) {
    const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(node.id() * per_node_);
    own_.assign(first, first + static_cast<std::ptrdiff_t>(per_node_));
    std::sort(own_.begin(), own_.end());
    const auto work = static_cast<Cycles>(cycles_) * per_node_;
    co_await node.compute(work * std::bit_width(per_node_));
    for (unsigned stage = 0; stage < node.dim(); ++stage) {
      for (unsigned dimension = stage + 1; dimension-- > 0;) {
        co_await exchange(node, dimension);
        const bool up = (node.id() >> (stage + 1) & 1) == 0;
        const bool lower = (node.id() >> dimension & 1) == 0;
        keep(up == lower);
        co_await node.compute(2 * work);
      }
    }
  }

  static std::string check(const NodesOf<BitonicSort>& nodes, const Keys& keys) {
    std::vector<std::int64_t> sorted = keys.all;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::int64_t> found;
    for (NodeId node = 0; node < nodes.size(); ++node) {
      found.insert(found.end(), nodes[node].own_.begin(), nodes[node].own_.end());
    }
    return found == sorted ? "" : "the keys of all nodes are not the sorted keys of the file";
  }

  void sum(Sums& sums) const { sums.add("keys sent", static_cast<double>(sent_)); }

 protected:
  Task<> exchange(Node& node, unsigned dimension) {
    other_.resize(per_node_);
    co_await node.exchange({.with = neighbour(node.id(), dimension),
                            .tag = dimension,
                            .bytes = per_node_ * sizeof(std::int64_t),
                            .outgoing = region(own_),
                            .incoming = region(other_)});
    sent_ += per_node_;
  }

  /// Keeps the lower or the upper half of both nodes' keys.
  void keep(bool lower_half) {
    std::vector<std::int64_t> both(2 * per_node_);
    std::merge(own_.begin(), own_.end(), other_.begin(), other_.end(), both.begin());
    const auto middle = both.begin() + static_cast<std::ptrdiff_t>(per_node_);
    lower_half ? own_.assign(both.begin(), middle) : own_.assign(middle, both.end());
  }

  static Region region(std::vector<std::int64_t>& keys) {
    return Region::contiguous(reinterpret_cast<std::byte*>(keys.data()), keys.size() * sizeof keys.front());
  }

  const std::vector<std::int64_t>& keys_;
  std::size_t per_node_;
  std::int64_t cycles_;
  std::vector<std::int64_t> own_;
  std::vector<std::int64_t> other_;
  std::size_t sent_ = 0;
};

/// The mistake: node 5 begins the last stage with another dimension than its partners. Its partner then waits for it,
/// and the report of the stalled machine says so.
class StallingSort : public BitonicSort {
 public:
  static constexpr std::string_view name = "stalling-sort";
  static constexpr std::string_view help = "the same with a mistake on node 5: how a bug shows";
  using BitonicSort::BitonicSort;

  Task<> run(Node& node) {
    const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(node.id() * per_node_);
    own_.assign(first, first + static_cast<std::ptrdiff_t>(per_node_));
    for (unsigned stage = 0; stage < node.dim(); ++stage) {
      for (unsigned dimension = stage + 1; dimension-- > 0;) {
        const bool wrong = node.id() == 5 && stage + 1 == node.dim() && dimension == stage;
        co_await exchange(node, wrong ? 0 : dimension);
      }
    }
  }

  static std::string check(const NodesOf<StallingSort>& /*nodes*/) { return {}; }
};

ECUBE_PROGRAMS(BitonicSort, StallingSort)
