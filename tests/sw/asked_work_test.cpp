// SPDX-License-Identifier: Apache-2.0
// What firmware asks of its core fits the messages that it asks for: the calls of collective routines are for the
// messages that follow, and what is combined is what came before.
#include "models/family/plan.h"
#include "sw/combine/global_combine.h"
#include "sw/family/collective_run.h"
#include "sw/shuffle/shuffle.h"
#include "tests/sw/ideal_run.h"
#include "tests/test.h"

namespace ecube::asked_work_test {
namespace {

/// An operation as firmware asked for it.
struct Asked {
  OperationKind kind = OperationKind::send;
  Work work = Work::cycles;
  std::uint64_t amount = 0;
  Bytes bytes = 0;
  Bytes room = 0;
  unsigned messages = 0;
  std::uint32_t tag = 0;
  NodeId peer = 0;

  [[nodiscard]] bool is_work(Work of) const { return kind == OperationKind::compute && work == of; }
  [[nodiscard]] bool receives() const { return kind == OperationKind::receive || kind == OperationKind::exchange; }
  [[nodiscard]] bool sends() const { return kind == OperationKind::send || kind == OperationKind::exchange; }
};

/// Notes what every node asks for, in its order, and hands it on.
class Recorded final : public Between {
 public:
  Recorded(Program& program, unsigned dim)
      : Between(program, [this](NodeId node, const Operation& operation) { note(node, operation); }),
        asked_(std::size_t{1} << dim) {}
  [[nodiscard]] const std::vector<std::vector<Asked>>& asked() const { return asked_; }

 private:
  void note(NodeId node, const Operation& operation) {
    Asked& asked = asked_[node].emplace_back(
        Asked{.kind = operation.kind, .work = operation.work, .tag = operation.tag, .peer = operation.peer});
    if (asked.kind != OperationKind::compute) {
      asked.bytes = operation.bytes;
      asked.room = operation.room;
      return;
    }
    asked.amount = operation.amount;
    if (asked.work == Work::calls) asked.bytes = operation.call_bytes;
    if (asked.work != Work::combine_items) return;
    asked.bytes = operation.arrived.bytes;
    asked.room = operation.arrived.longest;
    asked.messages = operation.arrived.messages;
  }
  std::vector<std::vector<Asked>> asked_;
};

/// A machine whose collective routines cost something, by call or by byte.
IdealRun calling(unsigned dim, std::uint32_t engines, bool by_byte) {
  IdealRun where = IdealRun::on(dim, engines, 3);
  if (by_byte) {
    where.machine.library.call_per_byte = {1, 2};
  } else {
    where.machine.library.call_cycles = 100;
  }
  return where;
}

/// Each call is for the messages up to the next call. Every message that carries items has a call before it, and a tag
/// that no other one of the node has.
void expect_calls_for_messages(const std::vector<Asked>& asked, const std::string& what) {
  std::uint64_t messages = 0;
  Bytes bytes = 0;
  bool has_called = false;
  std::set<std::uint32_t> tags;
  for (const Asked& one : asked) {
    if (one.is_work(Work::calls)) {
      EXPECT_EQ(messages, 0U) << what;
      EXPECT_EQ(bytes, 0U) << what;
      messages = one.amount;
      bytes = one.bytes;
      has_called = true;
    }
    if (one.kind == OperationKind::compute) continue;
    EXPECT_TRUE(has_called) << what;
    EXPECT_TRUE(tags.insert(one.tag).second) << what;
    messages -= (one.sends() ? 1U : 0U) + (one.receives() ? 1U : 0U);
    bytes -= (one.sends() ? one.bytes : 0) + (one.receives() ? one.room : 0);
  }
  EXPECT_EQ(messages, 0U) << what;
  EXPECT_EQ(bytes, 0U) << what;
}

/// What is combined at once are the items of messages that were received since the work before, one of which is the
/// longest.
void expect_work_for_messages(const std::vector<Asked>& asked, Bytes item, bool all, const std::string& what) {
  unsigned messages = 0;
  Bytes bytes = 0;
  Bytes longest = 0;
  for (const Asked& one : asked) {
    if (one.is_work(Work::calls)) {
      messages = 0;
      bytes = 0;
      longest = 0;
    }
    if (one.receives()) {
      ++messages;
      bytes += one.room;
      longest = std::max(longest, one.room);
    }
    if (!one.is_work(Work::combine_items)) continue;
    EXPECT_EQ(one.amount * item, one.bytes) << what;
    EXPECT_LE(one.bytes, 2 * bytes) << what << ": a scan combines for the prefix and for the total";
    EXPECT_LE(one.messages, messages) << what;
    EXPECT_GE(one.messages, 1U) << what;
    EXPECT_LE(one.room, longest) << what;
    if (!all) continue;
    EXPECT_EQ(one.bytes, bytes) << what;
    EXPECT_EQ(one.messages, messages) << what;
    EXPECT_EQ(one.room, longest) << what;
  }
}

TEST(AskedWork, OfCombinesIsForTheirMessages) {
  std::uint64_t number = 0;
  for (unsigned dim = 1; dim <= 3; ++dim)
    for (const Strategy& strategy : Strategy::all(dim))
      for (const std::uint32_t engines : {1U, 2U, std::uint32_t{Ports::n}})
        for (const std::uint64_t items : {1U, 13U, 32U})
          for (const bool to_root : {false, true})
            for (const bool by_byte : {false, true}) {
              const CombineTarget target = to_root ? CombineTarget::root : CombineTarget::all;
              CombineWorkload workload{{.items = items, .ports = {engines}, .target = target}, {}};
              workload.rule = HalvingRule::by(strategy);
              workload.payload = ++number % 2 == 0 ? Payload::none : Payload::bytes;
              GlobalCombine combine(workload, dim);
              Recorded program(combine.program(), dim);
              const std::string what = "strategy " + strategy.name() + ", case " + std::to_string(number);
              expect_finished(calling(dim, engines, by_byte), program, what);
              for (const std::vector<Asked>& asked : program.asked()) {
                expect_calls_for_messages(asked, what);
                expect_work_for_messages(asked, 4, true, what);
              }
            }
}

TEST(AskedWork, OfCollectivesIsForTheirMessages) {
  for (const Collective* collective : collectives())
    for (const CollectiveAlgorithm& algorithm : collective->algorithms)
      for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}}) {
        if (algorithm.all_ports && engines != Ports::n) continue;
        for (const bool by_byte : {false, true}) {
          CollectiveWorkload workload{.collective = collective,
                                      .algorithm = &algorithm,
                                      .problem = {.dim = 3, .items = 40, .ports = {.engines = engines}}};
          workload.initial = random_items(ItemType::float32, CombineFunction::sum, 1);
          CollectiveRun collective_run(workload);
          Recorded program(collective_run.program(), 3);
          const std::string what = std::string(collective->name) + " by " + std::string(algorithm.name);
          expect_finished(calling(3, engines, by_byte), program, what);
          for (const std::vector<Asked>& asked : program.asked()) {
            expect_calls_for_messages(asked, what);
            expect_work_for_messages(asked, 4, false, what);
          }
        }
      }
}

/// A run without data still sends a check word with every message, which a wrong one does not pass.
TEST(AskedWork, OfCombinesWithTagsIsCheckedByThem) {
  for (const bool planted : {false, true}) {
    CombineWorkload workload{{.items = 8}, {}};
    workload.rule = HalvingRule::by(Strategy::halving(3));
    workload.payload = Payload::checks;
    GlobalCombine combine(workload, 3);
    Faulty program(combine.program(), [planted](NodeId node, Operation& operation) {
      if (planted && node == 5 && operation.peer == 4) ++operation.check;
    });
    expect_finished(IdealRun::on(3, 1, 1), program, "check words");
    EXPECT_EQ(combine.wrong() > 0, planted);
    EXPECT_TRUE(combine.vector(0).empty());
  }
}

TEST(AskedWork, OfACombineToARootCountsOneWrongVector) {
  CombineWorkload workload{{.items = 8, .target = CombineTarget::root}, {}};
  workload.rule = HalvingRule::by(Strategy::full(2));
  GlobalCombine combine(workload, 2);
  expect_finished(IdealRun::on(2, 1, 1), combine.program(), "to root 0");
  EXPECT_EQ(combine.wrong(), 0U);
  combine.vector(0)[3] ^= std::byte{1};
  EXPECT_EQ(combine.wrong(), 1U);
  // Vectors, and what arrives in the first step, in buffers of powers of two: four times the vectors at most.
  EXPECT_EQ(GlobalCombine::required(3, 10, 4), 4U * 10 * 4 * 8);
  EXPECT_EQ(GlobalCombine::required(0, 3, 8), 4U * 3 * 8);
}

/// The ends of steps are noted for every step that moves anything, the halves' way back included.
TEST(AskedWork, OfACombineEndsStepByStep) {
  CombineWorkload workload{{.items = 64}, {}};
  workload.rule = HalvingRule::by(Strategy::halving(3));
  GlobalCombine combine(workload, 3);
  expect_finished(IdealRun::on(3, 1, 3), combine.program(), "halves");
  ASSERT_EQ(combine.step_ends_us().size(), 6U);
  double before = 0;
  for (const double end : combine.step_ends_us()) {
    EXPECT_GT(end, before);
    before = end;
  }
}

ShuffleWorkload shuffle_of(const std::vector<std::string>& cycles, unsigned dim, std::uint64_t elements) {
  return {
      .permutation = DimensionPermutation::parse(cycles, "", dim, elements), .elements = elements, .ports = {Ports::n}};
}

/// Messages that a whole run sends: exactly those of exchanges, and where some go one way no more than is said.
TEST(AskedMessages, OfShufflesAreAsManyAsIsSaid) {
  const auto sent = [](const ShuffleWorkload& workload, unsigned dim) {
    GeneralisedShuffle shuffle(workload, dim);
    Recorded program(shuffle.program(), dim);
    expect_finished(IdealRun::on(dim, workload.ports.engines, 3), program, workload.permutation.name());
    std::uint64_t count = 0;
    for (const std::vector<Asked>& asked : program.asked())
      for (const Asked& one : asked) count += one.sends() ? 1 : 0;
    return count;
  };
  ShuffleWorkload workload = shuffle_of({"p2,p1,p0,s0"}, 3, 8);
  for (const std::uint32_t packet : {1U, 2U, 4U}) {
    workload.packet = packet;
    EXPECT_EQ(sent(workload, 3), GeneralisedShuffle::messages(workload, 3)) << packet;
  }
  // Sent straight to where they belong: 8 elements in packets of 3 are 3 packets of each node.
  workload.packet = 3;
  workload.method = ShuffleMethod::route;
  EXPECT_EQ(GeneralisedShuffle::messages(workload, 3), 3U << 3);
  // All of node 1 go to nodes 2 and 3, and those that it gets come from nodes 4 and 0: 4 elements each, 2 packets.
  GeneralisedShuffle routed(workload, 3);
  expect_finished(IdealRun::on(3, Ports::n, 3), routed.program(), "routed");
  EXPECT_EQ(routed.counted().steps, 8U);
  EXPECT_EQ(routed.counted().startups, 4U);
  workload.packet = 8;
  EXPECT_EQ(GeneralisedShuffle::messages(workload, 3), 1U << 3);
  workload.packet = 1;
  EXPECT_EQ(GeneralisedShuffle::messages(workload, 3), 8U << 3);
  // By A2 in each of 3 groups and dimensions a packet more at most.
  ShuffleWorkload real = shuffle_of({"p2,p1,p0"}, 3, 8);
  real.real = RealAlgorithm::a2;
  for (const std::uint32_t packet : {1U, 3U, 8U}) {
    real.packet = packet;
    const std::uint64_t packets = (8 + packet - 1) / packet;
    EXPECT_EQ(GeneralisedShuffle::messages(real, 3), (3 * (packets + 3)) << 3);
    EXPECT_LE(sent(real, 3), GeneralisedShuffle::messages(real, 3));
  }
}

/// Elements moved at a synchronisation point are charged two by two, on nodes whose parity is odd.
TEST(AskedMessages, OfShufflesAreFollowedByTheMovesThatAlign) {
  ShuffleWorkload workload = shuffle_of({"p3,p2,p1,p0,s0"}, 4, 32);
  workload.packet = 2;
  IdealRun where = IdealRun::on(4, Ports::n, 3);
  where.machine.core.permute.compiled = {1, 1};
  for (const bool align : {true, false}) {
    workload.align = align;
    GeneralisedShuffle shuffle(workload, 4);
    Recorded program(shuffle.program(), 4);
    expect_finished(where, program, "aligned");
    // Before and after: all elements; besides that only at synchronisation points.
    for (NodeId node = 0; node < 16; ++node) {
      std::uint64_t whole = 0;
      std::uint64_t between = 0;
      for (const Asked& one : program.asked()[node]) {
        if (!one.is_work(Work::permute_bytes)) continue;
        ++(one.amount == 32 * element_bytes ? whole : between);
        EXPECT_EQ(one.amount % (2 * element_bytes), 0U);
      }
      if (align) {
        EXPECT_EQ(whole, 2U);
        EXPECT_EQ(between, hops(0, node) % 2) << node;
      }
    }
    EXPECT_EQ(shuffle.counted().moved >= 64, align);
  }
}

}  // namespace
}  // namespace ecube::asked_work_test
