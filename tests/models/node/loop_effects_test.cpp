// SPDX-License-Identifier: Apache-2.0
// What the loops of a node do, found by carrying their operations out on names: a register holds the name of what was
// loaded into it, and a store shows where that name goes.
#include "models/node/node_work.h"
#include "tests/machines.h"
#include "tests/test.h"

namespace ecube::loop_effects_test {
namespace {

using node::Address;
using node::Loop;
using node::Op;
using node::OpKind;

Machine i860(Loops loops = Loops::compiled, Variables variables = Variables::memory) {
  Machine machine = preset_machine("ipsc860-node");
  machine.core.loops = loops;
  machine.detailed.loops.variables = variables;
  return machine;
}

/// Loops whose variables are in memory, in registers, and those by hand.
std::vector<Machine> machines() {
  std::vector<Machine> all = {i860(), i860(Loops::tuned, Variables::registers)};
  for (const std::uint32_t unroll : {1U, 2U, 3U, 8U, 12U})
    for (const std::uint32_t width : {1U, 4U})
      for (const Variables variables : {Variables::registers, Variables::memory}) {
        Machine& one = all.emplace_back(i860(Loops::compiled, variables));
        one.detailed.loops.unroll = unroll;
        one.detailed.loops.element_bytes = width;
      }
  return all;
}

/// What a loop did.
struct Effect {
  std::map<Address, std::string> stored;  ///< by address, outside the frame
  std::set<std::string> addresses;        ///< what address registers held
  std::uint64_t increments = 0;           ///< of the index in the frame
  Cycles integer_cycles = 0;
  std::uint64_t flushed = 0;
};

/// The name of a byte is its address.
std::string named(Address address) { return std::to_string(address); }

Effect effect_of(const Machine& machine, const Loop& loop) {
  const DetailedNode::Layout& layout = machine.detailed.layout;
  const auto variable = [&](Address address) -> std::string {
    if (address < layout.frame || address >= layout.frame + 64) return "";
    EXPECT_EQ((address - layout.frame) % 4, 0U) << "variables are words";
    return "v" + std::to_string(address - layout.frame);
  };
  Effect effect;
  std::map<unsigned, std::string> registers;
  node::LoopCursor cursor(loop, true, machine.memory.line_bytes);
  for (Op op; cursor.next(op);) {
    EXPECT_FALSE(op.outside) << op.address;
    switch (op.kind) {
      case OpKind::integer:
        effect.integer_cycles += op.cycles;
        if (op.target != 0) registers[op.target] = registers[op.first] + "&" + registers[op.second];
        break;
      case OpKind::floating:
        registers[op.target] = registers[op.first] + "+" + registers[op.second];
        break;
      case OpKind::load:
      case OpKind::pipelined_load: {
        const std::string own = variable(op.address);
        if (own.empty() && op.first != 0) effect.addresses.insert(registers[op.first]);
        registers[op.target] = own.empty() ? named(op.address) : own;
        break;
      }
      case OpKind::store: {
        const std::string own = variable(op.address);
        if (own.empty()) {
          if (op.first != 0) effect.addresses.insert(registers[op.first]);
          effect.stored[op.address] = registers[op.target];
        } else {
          EXPECT_EQ(registers[op.target], own + "&") << "only the index changes, by one";
          ++effect.increments;
        }
        break;
      }
      case OpKind::flush:
        ++effect.flushed;
        break;
      default:
        ADD_FAILURE() << "words of a FIFO";
    }
  }
  return effect;
}

/// Width of the elements of a loop that moves blocks: as wide as asked for where sizes and addresses allow it.
Bytes width_of(const Machine& machine, Bytes block, Bytes alignment) {
  Bytes width = machine.core.loops == Loops::tuned ? 8 : machine.detailed.loops.element_bytes;
  while (block % width != 0 || alignment % width != 0) width /= 2;
  return width;
}

void expect_variables(const Machine& machine, const Effect& effect, std::size_t buffers, std::uint64_t elements) {
  const bool in_memory = machine.core.loops == Loops::compiled && machine.detailed.loops.variables == Variables::memory;
  EXPECT_EQ(effect.increments, in_memory ? elements : 0);
  std::set<std::string> expected;
  if (in_memory && elements > 0) {
    for (const char* const base : {"v0&v4", "v0&v8", "v0&v12"}) {
      if (expected.size() < buffers && (buffers == 3 || base != std::string("v0&v12"))) expected.insert(base);
    }
  }
  if (effect.stored.empty()) expected.clear();
  EXPECT_EQ(effect.addresses, expected) << "index and base, each buffer's in a place of its own";
}

TEST(LoopEffects, OfACopyAreItsBytesInTheTarget) {
  for (const Machine& machine : machines()) {
    const DetailedNode::Layout& layout = machine.detailed.layout;
    for (const bool out : {false, true}) {
      const Address from = out ? layout.system : layout.source;
      for (const Bytes bytes : {0U, 1U, 7U, 8U, 24U, 40U, 64U, 96U}) {
        const Loop loop = out ? node::copy_out_loop(machine, bytes) : node::copy_loop(machine, bytes);
        const Effect effect = effect_of(machine, loop);
        std::map<Address, std::string> expected;
        const Bytes width = bytes == 0 ? 1 : width_of(machine, bytes, from | layout.target);
        for (Bytes at = 0; at < bytes; at += width) expected[layout.target + at] = named(from + at);
        EXPECT_EQ(effect.stored, expected) << bytes;
        expect_variables(machine, effect, 2, bytes == 0 ? 0 : bytes / width + 1);
      }
    }
  }
}

TEST(LoopEffects, OfAPermutationAreTheBlocksOfTheTransposedMatrix) {
  for (Machine machine : machines()) {
    const DetailedNode::Layout& layout = machine.detailed.layout;
    for (const Bytes padding : {0U, 8U, 3U}) {
      machine.detailed.layout.padding = padding;
      for (const Bytes block : {1U, 8U, 24U}) {
        const std::uint64_t rows = 3;
        const std::uint64_t columns = 4;
        const Effect effect =
            effect_of(machine, node::permute_loop(machine, {.block_bytes = block, .rows = rows, .columns = columns}));
        const Bytes pitch = block + padding;
        const Bytes width = width_of(machine, block, layout.source | layout.target | pitch);
        std::map<Address, std::string> expected;
        for (std::uint64_t row = 0; row < rows; ++row)
          for (std::uint64_t column = 0; column < columns; ++column)
            for (Bytes at = 0; at < block; at += width) {
              expected[layout.target + (column * rows + row) * pitch + at] =
                  named(layout.source + (row * columns + column) * pitch + at);
            }
        EXPECT_EQ(effect.stored, expected) << block << " and " << padding;
      }
    }
  }
}

TEST(LoopEffects, OfACombineAreTheSumsOfBothOperands) {
  for (const Machine& machine : machines()) {
    const DetailedNode::Layout& layout = machine.detailed.layout;
    for (const std::uint64_t items : {0U, 1U, 2U, 3U, 5U, 8U, 12U, 16U})
      for (const std::uint32_t item : {4U, 8U}) {
        const Effect effect = effect_of(machine, node::combine_loop(machine, items, item));
        std::map<Address, std::string> expected;
        for (std::uint64_t i = 0; i < items; ++i) {
          expected[layout.source + i * item] = named(layout.source + i * item) + "+" + named(layout.operand + i * item);
        }
        EXPECT_EQ(effect.stored, expected) << items << " items of " << item;
        expect_variables(machine, effect, 3, items == 0 ? 0 : items + 1);
      }
  }
}

/// By hand: 10 cycles before a block (4 by hand), 3 for the branch of an element (1 by hand), and with variables in
/// memory 1 for each address, index and the index of the block.
TEST(LoopEffects, TakeTheirIntegerOperations) {
  const auto cycles = [](const Machine& machine, const Loop& loop) { return effect_of(machine, loop).integer_cycles; };
  Machine machine = i860();
  machine.detailed.loops.element_bytes = 1;
  machine.detailed.loops.unroll = 1;
  EXPECT_EQ(cycles(machine, node::copy_loop(machine, 10)), 1 + 10 + 10 * (3 + 3U));
  EXPECT_EQ(cycles(machine, node::combine_loop(machine, 10, 4)), 1 + 10 + 10 * (4 + 3U));
  machine.detailed.loops.variables = Variables::registers;
  EXPECT_EQ(cycles(machine, node::copy_loop(machine, 10)), 10 + 10 * 3U);
  EXPECT_EQ(cycles(machine, node::combine_loop(machine, 10, 4)), 10 + 10 * 3U);
  // Two elements, or five, in each turn: the largest number that divides ten.
  machine.detailed.loops.unroll = 3;
  EXPECT_EQ(cycles(machine, node::combine_loop(machine, 10, 4)), 10 + 5 * 3U);
  machine.detailed.loops.unroll = 7;
  EXPECT_EQ(cycles(machine, node::copy_loop(machine, 10)), 10 + 2 * 3U);
  EXPECT_EQ(cycles(machine, node::combine_loop(machine, 10, 4)), 10 + 2 * 3U);
  machine.core.loops = Loops::tuned;
  EXPECT_EQ(cycles(machine, node::combine_loop(machine, 8, 4)), 4 + 2U);
  EXPECT_EQ(cycles(machine, node::copy_loop(machine, 64)), 4 + 2U);
}

/// Lines of buffers that messages arrive in are flushed once each, whole or in part in the buffer.
TEST(LoopEffects, FlushTheLinesOfReceivedBuffers) {
  Machine machine = i860();
  const Bytes line = machine.memory.line_bytes;
  for (const Bytes before : {Bytes{0}, Bytes{1}, line - 1})
    for (const Bytes bytes : {Bytes{1}, line, 3 * line, 3 * line + 2}) {
      machine.detailed.layout.system = 0x40000 + before;
      Loop loop = node::copy_out_loop(machine, bytes);
      for (node::Stream& stream : loop.streams) stream.uncached = false;
      loop.streams.push_back(loop.streams.front());  // two streams of one buffer
      EXPECT_EQ(effect_of(machine, loop).flushed, 2 * ((before + bytes + line - 1) / line)) << before << " " << bytes;
    }
}

TEST(LoopEffects, RefuseWhatMakesNoSense) {
  Loop loop;
  loop.name = "own";
  loop.blocks = 1;
  loop.block_bytes = 4;
  loop.element_bytes = 0;
  EXPECT_THROW(node::LoopCursor(loop, false, 32), std::invalid_argument);
  loop.element_bytes = 4;
  const auto walk = [&] {
    node::LoopCursor cursor(loop, false, 32);
    for (Op op; cursor.next(op);) {
    }
  };
  EXPECT_EQ(thrown<std::invalid_argument>([&] { return walk(); }), "loop own has no operations for its elements");
  loop.block_bytes = 0;
  loop.tiled_rows = 3;
  EXPECT_NO_THROW(node::LoopCursor(loop, false, 32)) << "rows count in tiles only";
  EXPECT_EQ(node::block_of_turn(loop, 0), 0U);
  loop.tile = 2;
  EXPECT_THROW(node::LoopCursor(loop, false, 32), std::invalid_argument) << "one block is no column of three";
}

/// 7 bytes in elements of 4: one element, and the three bytes behind it one by one.
TEST(LoopEffects, OfBytesBehindTheLastElementAreThoseOfTheRest) {
  Loop loop;
  loop.streams = {{.base = 0x1000, .bytes = 7, .pitch = 7}};
  loop.element = {{.op = {.kind = OpKind::load, .target = 1}}};
  loop.rest = {{.op = {.kind = OpKind::load, .target = 2}}};
  loop.element_bytes = 4;
  loop.blocks = 1;
  loop.block_bytes = 7;
  std::vector<std::pair<unsigned, Address>> loads;
  node::LoopCursor cursor(loop, false, 32);
  for (Op op; cursor.next(op);) loads.emplace_back(op.target, op.address);
  EXPECT_EQ(loads, (std::vector<std::pair<unsigned, Address>>{{1, 0x1000}, {2, 0x1004}, {2, 0x1005}, {2, 0x1006}}));
  loop.element[0].op.target = node::registers;
  EXPECT_THROW(node::LoopCursor(loop, false, 32), std::invalid_argument);
}

/// The word that is put is the one that was loaded.
TEST(LoopEffects, OfASendArePutsOfWhatWasLoaded) {
  const Machine machine = i860();
  const Loop loop = node::send_loop(machine, 64);
  node::LoopCursor cursor(loop, false, 32);
  unsigned loaded = 0;
  unsigned puts = 0;
  for (Op op; cursor.next(op);) {
    if (op.kind == OpKind::load || op.kind == OpKind::pipelined_load) loaded = op.target;
    if (op.kind != OpKind::put) continue;
    EXPECT_EQ(op.target, loaded);
    ++puts;
  }
  EXPECT_EQ(puts, 64 / machine.memory.bus_bytes);
}

TEST(LoopEffects, GoAroundTheCacheWhereReceivedBuffersAreUncached) {
  for (const Coherence coherence : {Coherence::uncached, Coherence::flush}) {
    Machine machine = i860();
    machine.detailed.coherence = coherence;
    const Loop loop = node::copy_out_loop(machine, 8);
    node::LoopCursor cursor(loop, false, 32);
    for (Op op; cursor.next(op);) {
      const Address system = machine.detailed.layout.system;
      const bool received = node::is_memory(op.kind) && op.address >= system && op.address < system + 8;
      EXPECT_EQ(op.uncached, received && coherence == Coherence::uncached);
    }
  }
}

/// The distance of blocks counts only where there are two.
TEST(LoopEffects, OfOneBlockAreAsWideAsItsLength) {
  Machine machine = i860(Loops::tuned, Variables::registers);
  machine.detailed.layout.padding = 3;
  EXPECT_EQ(effect_of(machine, node::permute_loop(machine, {.block_bytes = 32, .rows = 1, .columns = 1})).stored.size(),
            32U / 8);
}

TEST(LoopEffects, OutsideABufferAreNoticedAtItsFirstByteBeyond) {
  const Machine machine = i860(Loops::tuned, Variables::registers);
  Loop loop = node::copy_loop(machine, 64);
  const auto outside = [&] {
    node::LoopCursor cursor(loop, false, 32);
    std::uint64_t count = 0;
    for (Op op; cursor.next(op);) count += op.outside ? 1 : 0;
    return count;
  };
  EXPECT_EQ(outside(), 0U);
  loop.streams[0].bytes = 56;
  EXPECT_EQ(outside(), 1U);
  loop.streams[1].bytes = 48;
  EXPECT_EQ(outside(), 3U);
}

Operation copying(NodeId node, Bytes bytes) {
  Operation operation;
  operation.node = node;
  operation.work = Work::copy_bytes;
  operation.amount = bytes;
  return operation;
}

Operation running(NodeId node, const Loop& loop) {
  Operation operation;
  operation.node = node;
  operation.work = Work::loop;
  operation.loop = &loop;
  return operation;
}

/// The cycles of the machine that a loop takes from an empty cache.
Cycles cold_cycles(const Machine& machine, const Loop& loop) {
  node::MemorySystem system(machine, 1);
  node::MemoryState state = node::MemoryState::empty(machine);
  return machine.from_core(system.run(loop, state).cycles);
}

/// What the work of a detailed node takes is what its loop takes from an empty cache.
TEST(NodeWorkOfDetailedNodes, RunsTheLoopThatTheOperationNames) {
  const Machine machine = i860();
  const auto cold = [&](const Loop& loop) { return cold_cycles(machine, loop); };
  for (const bool memo : {true, false}) {
    const auto work = [&] { return make_node_work(machine, 2, 1, memo, run_by_model()); };
    EXPECT_EQ(work()->cycles(copying(0, 100)), cold(node::copy_loop(machine, 100)));
    EXPECT_EQ(work()->copy_out(1, 100), cold(node::copy_out_loop(machine, 100)));
    EXPECT_EQ(work()->combine(0, 25, 100), cold(node::combine_loop(machine, 25, 4)));
    EXPECT_EQ(work()->combine(0, 0, 0), cold(node::combine_loop(machine, 0, 0)));
    Operation blocks;
    blocks.work = Work::permute_bytes;
    blocks.amount = 4096;
    blocks.matrix = {.block_bytes = 64, .columns = 8};
    EXPECT_EQ(work()->cycles(blocks), cold(node::permute_loop(machine, {.block_bytes = 64, .rows = 8, .columns = 8})));
    blocks.matrix.columns = 16;
    EXPECT_EQ(work()->cycles(blocks), cold(node::permute_loop(machine, {.block_bytes = 64, .rows = 4, .columns = 16})));
    // No columns, or a number that divides nothing: one. No blocks: one as well.
    for (const std::uint32_t columns : {0U, 7U}) {
      blocks.matrix.columns = columns;
      EXPECT_EQ(work()->cycles(blocks),
                cold(node::permute_loop(machine, {.block_bytes = 64, .rows = 64, .columns = 1})));
    }
    for (const Bytes block : {Bytes{0}, Bytes{100}}) {
      blocks.matrix.block_bytes = block;
      EXPECT_EQ(work()->cycles(blocks),
                cold(node::permute_loop(machine, {.block_bytes = 4096, .rows = 1, .columns = 1})));
    }
    // Items of another length are another loop.
    const auto combines = work();
    for (const std::uint32_t item : {4U, 8U}) {
      Operation combine;
      combine.node = item / 8;
      combine.work = Work::combine_items;
      combine.amount = 25;
      combine.arrived.bytes = Bytes{25} * item;
      EXPECT_EQ(combines->cycles(combine), cold(node::combine_loop(machine, 25, item)));
    }
    // The loop after begins in the state that the loop before left, on its own node only.
    const auto both = work();
    const Cycles first = both->cycles(copying(0, 1000));
    EXPECT_LT(both->cycles(copying(0, 1000)), first);
    EXPECT_EQ(both->cycles(copying(1, 1000)), first);
    // But for the library's copying, which begins with an empty cache and leaves no trace.
    const Cycles again = both->cycles(copying(0, 1000));
    EXPECT_EQ(both->copy_out(0, 1000), cold(node::copy_out_loop(machine, 1000)));
    EXPECT_EQ(both->cycles(copying(0, 1000)), again);
  }
}

/// The second run of a short copy leaves its node as the first did. With shared results no other node runs them again.
TEST(NodeWorkOfDetailedNodes, RunsALoopOnceFromEveryState) {
  std::size_t runs = 0;
  const MakeRunLoop counted = [&runs](const Machine& machine, std::uint64_t seed) -> RunLoop {
    return [&runs, run = run_by_model()(machine, seed)](const Loop& loop, node::MemoryState& state) {
      ++runs;
      return run(loop, state);
    };
  };
  for (const bool memo : {true, false}) {
    const auto work = make_node_work(i860(), 2, 1, memo, counted);
    runs = 0;
    for (NodeId begun = 0; begun < 10; ++begun) (void)work->cycles(copying(begun % 2, 100));
    EXPECT_EQ(runs, memo ? 2U : 10U);
  }
}

TEST(NodeWorkOfDetailedNodes, SaysWhereALoopFaultedAndThatRatesRunNone) {
  Machine machine = i860();
  Loop loop = node::copy_loop(machine, 64);
  loop.streams[0].bytes = 32;
  try {
    (void)make_node_work(machine, 1, 1, true, run_by_model())->cycles(running(0, loop));
    ADD_FAILURE() << "an access beyond the buffer";
  } catch (const node::LoopFault& fault) {
    EXPECT_HAS(std::string(fault.what()), "loop 'copy' ");
    EXPECT_HAS(std::string(fault.what()), " at cycle " + std::to_string(fault.at_cycle) + " of the loop, address 0x");
    EXPECT_EQ(fault.address, machine.detailed.layout.source + 32);
  }
  machine.node.model = NodeModel::rates;
  EXPECT_EQ(thrown<std::invalid_argument>(
                [&] { return make_node_work(machine, 1, 1, true, run_by_model())->cycles(running(0, loop)); }),
            "loop 'copy' needs a detailed node (node.model = detailed)");
}

/// Loops of a number of its own draw other ways to replace.
TEST(Loops, HaveNumbersOfTheirOwn) {
  const Machine machine = i860();
  std::set<std::uint64_t> numbers;
  for (const Loop& loop :
       {node::permute_loop(machine, {.block_bytes = 8, .rows = 2, .columns = 2}), node::copy_loop(machine, 8),
        node::copy_out_loop(machine, 8), node::combine_loop(machine, 2, 4), node::path_loop(10, 1, 32),
        node::send_loop(machine, 8)}) {
    EXPECT_GT(loop.number, 0U) << loop.name;
    EXPECT_TRUE(numbers.insert(loop.number).second) << loop.name;
  }
}

TEST(NodeWorkOfDetailedNodes, RefusesALoopThatWaitsForAWordFromItsBegin) {
  const Machine machine = i860();
  for (const auto part : {&Loop::before_block, &Loop::element, &Loop::rest}) {
    Loop loop = node::copy_loop(machine, 64);
    (loop.*part).push_back({.op = {.kind = OpKind::get, .target = 4}});
    try {
      (void)make_node_work(machine, 1, 1, true, run_by_model())->cycles(running(0, loop));
      ADD_FAILURE() << "a word that never arrives";
    } catch (const node::LoopFault& fault) {
      EXPECT_EQ(fault.at_cycle, 0U);
      EXPECT_EQ(fault.address, 0U);
      EXPECT_STREQ(fault.what(), "loop 'copy' waits for a word, and none arrives for a program's own loop");
    }
  }
}

/// A program's own loop leaves its node another state as well, on its own node only.
TEST(NodeWorkOfDetailedNodes, KeepsTheStateThatAProgramsOwnLoopLeaves) {
  const Machine machine = i860();
  const Loop loop = node::copy_loop(machine, 1000);
  for (const bool memo : {true, false}) {
    const auto work = make_node_work(machine, 2, 1, memo, run_by_model());
    const Cycles cold = work->cycles(running(0, loop));
    const Cycles warm = work->cycles(running(0, loop));
    EXPECT_LT(warm, cold);
    EXPECT_EQ(work->cycles(running(1, loop)), cold);
    EXPECT_EQ(work->cycles(running(0, loop)), work->cycles(running(1, loop)));
  }
}

/// A path of no cycles touches nothing; any other one reads the library's lines, cold.
TEST(NodeWorkOfDetailedNodes, ReadsTheLinesOfTheLibraryOnEveryPathThatThereIs) {
  Machine machine = i860();
  machine.detailed.library_lines = 20;
  machine.library.send_cycles = 1;
  machine.library.receive_cycles = 0;
  machine.library.control_send_cycles = 300;
  const auto path = [&](Cycles cycles) {
    return cold_cycles(machine, node::path_loop(cycles, 20, machine.memory.line_bytes));
  };
  const Machine::PathLengths lengths = make_node_work(machine, 1, 1, true, run_by_model())->path_lengths();
  EXPECT_EQ(lengths.send, path(1));
  EXPECT_GT(lengths.send, 20U * 8U) << "lines of four transfers of two cycles";
  EXPECT_EQ(lengths.receive, 0U);
  EXPECT_EQ(lengths.control_send, path(300));
  // By hand: a cycle of the path; a load at 1, whose fill opens its page in 2 .. 9 and has the transfer in 10 and 11;
  // at 12 the operation that waits for it.
  const Machine words = preset_machine("ipsc860-node", {"memory.line=8 B", "tlb.entries=0"});
  EXPECT_EQ(cold_cycles(words, node::path_loop(1, 1, 8)), 13U);
}

/// The cycles of a word that the processor moves to the link are the slope of the loop that does.
TEST(NodeWorkOfDetailedNodes, MovesWordsAtTheSlopeOfTheLoop) {
  for (const Loops loops : {Loops::compiled, Loops::tuned}) {
    const Machine machine = i860(loops);
    const auto cycles = [&](Bytes words) {
      return static_cast<double>(cold_cycles(machine, node::send_loop(machine, words * machine.memory.bus_bytes)));
    };
    EXPECT_NEAR(programmed_word_cycles(machine).value(), (cycles(6000) - cycles(2000)) / 4000, 0.02);
  }
}

}  // namespace
}  // namespace ecube::loop_effects_test
