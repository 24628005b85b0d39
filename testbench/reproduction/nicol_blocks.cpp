// SPDX-License-Identifier: Apache-2.0
// Bokhari 1993 and Nicol & Bokhari 1994: the pseudo-code of the exchanges, done on lists of blocks.

#include <bit>
#include <map>

#include "models/static_check/link_conflicts.h"
#include "sw/api/firmware.h"
#include "sw/exchange/node_exchange.h"
#include "testbench/reproduction/results.h"

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
struct Nodes {
  unsigned dim;
  Lists lists{};
  std::vector<Message> messages{};

  explicit Nodes(unsigned dimension) : dim(dimension), lists(size()) {
    for (NodeId node = 0; node < size(); ++node) {
      for (NodeId to = 0; to < size(); ++to) lists[node].push_back({node, to});
    }
  }

  [[nodiscard]] NodeId size() const { return NodeId{1} << dim; }
  /// The body of Standard's loop.
  void standard_step(unsigned j) {
    const NodeId half = size() / 2;
    exchange([&](NodeId node) { return node ^ NodeId { 1 } << j; },
             [&](NodeId node) { return (node >> j & 1U) == 0 ? half : 0; }, half);
    shuffle(1);
  }
  /// The body of Multiphase's loop: bits `start` down to `stop`.
  void phase(unsigned start, unsigned stop) {
    const unsigned part = start - stop + 1;
    const NodeId effective = NodeId{1} << (dim - part);
    for (NodeId step = 1; step < NodeId{1} << part; ++step) {
      exchange([&](NodeId node) { return node ^ step << stop; },
               [&](NodeId node) { return ((node >> stop ^ step) & ((NodeId{1} << part) - 1)) * effective; }, effective);
    }
    shuffle(part);
  }
  /// Where sent blocks were, received ones are.
  void exchange(const auto& partner, const auto& first, NodeId count) {
    const Lists before = lists;
    for (NodeId node = 0; node < size(); ++node) {
      const NodeId other = partner(node);
      Message message{node, other, {}};
      for (NodeId i = 0; i < count; ++i) {
        message.blocks.push_back(before[node][first(node) + i]);
        lists[other][first(other) + i] = message.blocks.back();
      }
      std::ranges::sort(message.blocks);
      messages.push_back(std::move(message));
    }
  }
  void shuffle(unsigned times) {
    for (unsigned i = 0; i < times; ++i) {
      const Lists before = lists;
      for (NodeId node = 0; node < size(); ++node) {
        for (NodeId slot = 0; slot < size(); ++slot) {
          lists[node][slot * 2 % size() + slot * 2 / size()] = before[node][slot];
        }
      }
    }
  }
};

bool is_transpose(const Lists& lists) {
  for (NodeId node = 0; node < lists.size(); ++node) {
    for (NodeId slot = 0; slot < lists.size(); ++slot) {
      if (lists[node][slot] != Block{slot, node}) return false;
    }
  }
  return true;
}

std::map<Block, unsigned> times_sent(const std::vector<Message>& messages) {
  std::map<Block, unsigned> times;
  for (const Message& message : messages) {
    for (const Block& block : message.blocks) ++times[block];
  }
  return times;
}

/// `after`: the lists of Standard after each of its steps, which sends `standard`.
void tally_multiphase(Findings& result, const Partition& partition, const std::vector<Lists>& after,
                      const std::vector<Message>& standard) {
  const auto d = static_cast<unsigned>(after.size() - 1);
  Nodes nodes(d);
  unsigned start = d;
  for (const unsigned part : partition.parts()) {
    nodes.phase(start - 1, start - part);
    start -= part;
    result["lists"].add(judged(nodes.lists, "lists after a phase") == after[d - start], partition.braced_name());
  }
  result["multiphase"].add(is_transpose(judged(nodes.lists, "lists of Multiphase")), partition.braced_name());
  std::vector<PlannedCircuit> sent;  // one message of every node
  for (const Message& message : nodes.messages) {
    sent.push_back({message.from, message.to});
    if (sent.size() < nodes.size()) continue;
    const bool apart = conflicts_of(judged(sent, "circuits of a step"), Topology::cube(d)).empty();
    result["disjoint"].add(apart, partition.braced_name());
    sent.clear();
  }
  const std::vector<Message> messages = judged(nodes.messages, "messages of Multiphase");
  for (const auto& [block, count] : times_sent(messages)) {
    result["at_most"].add(count <= partition.size(), partition.braced_name());
  }
  const std::string cube = fmt::format("d {}", d);
  if (partition == Partition::standard(d)) result["extremes"].add(messages == standard, cube);
  if (partition != Partition::direct(d)) return;
  std::vector<Message> direct;
  for (NodeId step = 1; step < nodes.size(); ++step) {
    for (NodeId node = 0; node < nodes.size(); ++node) direct.push_back({node, node ^ step, {{node, node ^ step}}});
  }
  result["extremes"].add(messages == direct, cube);
}

}  // namespace

void nicol_blocks(Findings& result, MeasuredMachine& /*machine*/) {
  for (unsigned d = 1; d <= 5; ++d) {
    const std::string cube = fmt::format("d {}", d);
    Nodes standard(d);
    std::vector<Lists> after = {standard.lists};  // j steps of Standard
    for (unsigned j = d; j-- > 0;) {
      for (const std::vector<Block>& list : standard.lists) {
        for (NodeId slot = 0; slot < standard.size(); ++slot) {
          const NodeId to = judged(list[slot].to, "destination of a block");
          result["halves"].add((to >> j & 1U) == (slot < standard.size() / 2 ? 0U : 1U), cube);
        }
      }
      standard.standard_step(j);
      after.push_back(standard.lists);
    }
    result["transposes"].add(is_transpose(judged(standard.lists, "lists of Standard")), cube);
    std::map<Block, unsigned> sent = times_sent(judged(standard.messages, "messages of Standard"));
    for (NodeId from = 0; from < standard.size(); ++from) {
      for (NodeId to = 0; to < standard.size(); ++to) {
        result["often"].add(sent[{from, to}] == static_cast<unsigned>(std::popcount(from ^ to)), cube);
      }
    }
    for (const Message& message : standard.messages) {
      result["single"].add(std::has_single_bit(judged(message.from ^ message.to, "dimensions crossed")), cube);
    }
    const std::size_t moved = static_cast<std::size_t>(
        std::ranges::count_if(sent, [](const auto& one) { return one.second > 0 && one.first.from != one.first.to; }));
    const std::size_t senders = standard.size();
    result["total"].add(judged(moved, "blocks moved") == senders * (senders - 1), cube);
    Nodes rotated(d);
    rotated.shuffle(d);
    result["identity"].add(judged(rotated.lists, "lists after d shuffles") == after.front(), cube);
    for (const Partition& partition : compositions_of(d)) {
      tally_multiphase(result, partition, after, standard.messages);
    }
  }
}

/// Figure 1: columns of a matrix on 8 processors, b of them on each, in blocks of b x b; Direct, as it is printed.
void nicol_fig1(Findings& result, MeasuredMachine& machine) {
  constexpr unsigned dim = 3;
  constexpr unsigned nodes = 1U << dim;
  constexpr unsigned b = 2;
  using Element = std::uint32_t;  ///< row x N + column
  constexpr unsigned size = b * nodes;
  std::vector<std::vector<Element>> columns(nodes);
  for (unsigned node = 0; node < nodes; ++node) {
    for (unsigned row = 0; row < size; ++row) {
      for (unsigned i = 0; i < b; ++i) columns[node].push_back(row * size + node * b + i);
    }
  }
  MoveRecorder recorder(machine);
  Firmware firmware([&](Node& node) -> Task<> {
    co_await direct_exchange(node, std::as_writable_bytes(std::span(columns[node.id()])));
  });
  const RunMeasurement run = machine.run(dim, firmware);

  Grid& grid = result.grid("nicol-fig1");
  for (unsigned row = 0; row < nodes; ++row) {
    std::vector<Cell>& cells = grid.add(fmt::format("{}b", row));
    for (unsigned column = 0; column < nodes; ++column) cells.push_back({.text = fmt::format("{},{}", row, column)});
  }
  unsigned sent = 0;
  unsigned received = 0;
  const std::vector<RecordedMove> moves = recorder.moves();
  for (const RecordedMove& move : moves) {
    const Element first = move.items<Element>().front();
    const unsigned row = first / size / b;  // of the block
    const unsigned column = first % size / b;
    result["both_ways"].add(row == move.to && column == move.from, "{} to {}", move.from, move.to);
    if (move.from == 0) ++sent;
    if (move.to == 0) ++received;
    if (move.from == 0 || move.to == 0) grid.cells[row][column].colour = row + column;
  }
  result.number("sent", nodes - 1, sent);
  result.number("received", nodes - 1, received);
  result.number("messages", std::uint64_t{nodes} * (nodes - 1), moves.size());
  result["transposed"].add(run.result.status == RunResult::Status::finished, "the end");
  for (unsigned node = 0; node < nodes; ++node) {
    for (unsigned i = 0; i < columns[node].size(); ++i) {
      // Block (node, j) from processor j, by rows.
      const unsigned j = i / (b * b);
      const unsigned row = node * b + i % (b * b) / b;
      const bool right = judged(columns[node][i], "element") == row * size + j * b + i % b;
      result["transposed"].add(right, "processor {}", node);
    }
  }
}

}  // namespace ecube
