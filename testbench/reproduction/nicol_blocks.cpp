// SPDX-License-Identifier: Apache-2.0
// Bokhari 1993 and Nicol & Bokhari 1994: the pseudo-code of the exchanges, done on lists of blocks.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <map>

#include "testbench/reproduction/tally.h"
#include "testbench/reproduction/theory.h"

namespace ecube {

namespace {

/// A block by where it comes from and where it goes.
struct Block {
  NodeId from = 0;
  NodeId to = 0;
  friend constexpr auto operator<=>(const Block&, const Block&) = default;
};
using Lists = std::vector<std::vector<Block>>;  ///< of every node

struct Message {
  NodeId from = 0;
  NodeId to = 0;
  std::vector<Block> blocks;
  friend bool operator==(const Message&, const Message&) = default;
};

/// Nodes with their lists, and the messages that they sent.
class Nodes {
 public:
  Nodes(const ExchangeCode& code, unsigned dim) : code_(code), dim_(dim), lists_(size()) {
    for (NodeId node = 0; node < size(); ++node) {
      for (NodeId to = 0; to < size(); ++to) lists_[node].push_back({node, to});
    }
  }

  [[nodiscard]] NodeId size() const { return NodeId{1} << dim_; }
  [[nodiscard]] const Lists& lists() const { return lists_; }
  [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }
  [[nodiscard]] bool transposed() const {
    for (NodeId node = 0; node < size(); ++node) {
      for (NodeId slot = 0; slot < size(); ++slot) {
        if (lists_[node][slot] != Block{slot, node}) return false;
      }
    }
    return true;
  }

  /// The body of Standard's loop.
  void standard_step(unsigned j) {
    const NodeId half = size() / 2;
    exchange([&](NodeId node) { return code_.partner(node, 1, j); },
             [&](NodeId node) { return (node >> j & 1U) == 0 ? half : 0; }, half);
    shuffle(1);
  }
  /// The body of Multiphase's loop: bits `start` down to `stop`.
  void phase(unsigned start, unsigned stop) {
    const unsigned part = start - stop + 1;
    const NodeId effective = NodeId{1} << (dim_ - part);
    for (NodeId step = 1; step < NodeId{1} << part; ++step) {
      exchange([&](NodeId node) { return code_.partner(node, step, stop); },
               [&](NodeId node) {
                 return (code_.partner(node, step, stop) >> stop & ((NodeId{1} << part) - 1)) * effective;
               },
               effective);
    }
    shuffle(part);
  }
  /// Where sent blocks were, received ones are.
  template <class Partner, class First>
  void exchange(const Partner& partner, const First& first, NodeId count) {
    const Lists before = lists_;
    for (NodeId node = 0; node < size(); ++node) {
      const NodeId other = partner(node);
      Message message{node, other, {}};
      for (NodeId i = 0; i < count; ++i) {
        message.blocks.push_back(before[node][first(node) + i]);
        lists_[other][first(other) + i] = message.blocks.back();
      }
      std::sort(message.blocks.begin(), message.blocks.end());
      messages_.push_back(std::move(message));
    }
  }
  void shuffle(unsigned times) {
    for (unsigned i = 0; i < times; ++i) {
      const Lists before = lists_;
      for (NodeId node = 0; node < size(); ++node) {
        for (NodeId slot = 0; slot < size(); ++slot) lists_[node][code_.shuffle(slot, dim_)] = before[node][slot];
      }
    }
  }

 private:
  const ExchangeCode& code_;
  unsigned dim_;
  Lists lists_;
  std::vector<Message> messages_;
};

}  // namespace

Reproduction nicol_blocks_by(const ExchangeCode& code) {
  Reproduction result;
  Tallies tallies("nicol-blocks");
  for (unsigned d = 1; d <= 5; ++d) {
    const std::string cube = fmt::format("d {}", d);
    std::vector<Lists> after = {Nodes(code, d).lists()};  // j steps of Standard
    Nodes standard(code, d);
    for (unsigned j = d; j-- > 0;) {
      for (const std::vector<Block>& list : standard.lists()) {
        for (NodeId slot = 0; slot < standard.size(); ++slot) {
          tallies["halves"].add((list[slot].to >> j & 1U) == (slot < standard.size() / 2 ? 0U : 1U), cube);
        }
      }
      standard.standard_step(j);
      after.push_back(standard.lists());
    }
    tallies["transposes"].add(standard.transposed(), cube);
    std::map<Block, unsigned> sent;
    for (const Message& message : standard.messages()) {
      for (const Block& block : message.blocks) ++sent[block];
    }
    for (NodeId from = 0; from < standard.size(); ++from) {
      for (NodeId to = 0; to < standard.size(); ++to) {
        tallies["often"].add(sent[{from, to}] == static_cast<unsigned>(std::popcount(from ^ to)), cube);
      }
    }
    const std::size_t moved = static_cast<std::size_t>(
        std::count_if(sent.begin(), sent.end(), [](const auto& one) { return one.second > 0; }));
    const std::size_t senders = standard.size();
    tallies["total"].add(moved == senders * (senders - 1), cube);
    Nodes rotated(code, d);
    rotated.shuffle(d);
    tallies["identity"].add(rotated.lists() == after.front(), cube);
    for (const Partition& partition : compositions_of(d)) {
      Nodes nodes(code, d);
      unsigned start = d;
      for (const unsigned part : partition.parts()) {
        nodes.phase(start - 1, start - part);
        start -= part;
        tallies["lists"].add(nodes.lists() == after[d - start], partition.braced_name());
      }
      tallies["multiphase"].add(nodes.transposed(), partition.braced_name());
      std::map<Block, unsigned> times;
      for (const Message& message : nodes.messages()) {
        for (const Block& block : message.blocks) ++times[block];
      }
      for (const auto& [block, count] : times)
        tallies["at_most"].add(count <= partition.size(), partition.braced_name());
      if (partition == Partition::standard(d)) tallies["extremes"].add(nodes.messages() == standard.messages(), cube);
      if (partition == Partition::direct(d)) {
        std::vector<Message> direct;
        for (NodeId step = 1; step < nodes.size(); ++step) {
          for (NodeId node = 0; node < nodes.size(); ++node) {
            direct.push_back({node, node ^ step, {{node, node ^ step}}});
          }
        }
        tallies["extremes"].add(nodes.messages() == direct, cube);
      }
    }
  }
  tallies.add_to(result);
  return result;
}

Reproduction nicol_blocks(TestBench& /*bench*/, const Machine& /*machine*/) { return nicol_blocks_by({}); }

}  // namespace ecube
