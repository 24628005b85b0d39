// SPDX-License-Identifier: Apache-2.0
// A machine on the test bench, the times of collectives on it, and its messages with their contents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/observed/observer.h"
#include "testbench/combine/combine_request.h"
#include "testbench/exchange/exchange_experiment.h"
#include "testbench/reproduction/judged.h"
#include "testbench/shuffle/shuffle_request.h"

namespace ecube {

/// Runs collectives on the event engine. Every run has to finish, without a circuit blocked by another, and with all
/// carried data in place; otherwise std::runtime_error.
class MeasuredMachine {
 public:
  MeasuredMachine(TestBench& bench, Machine machine) : bench_(bench), machine_(std::move(machine)) {}

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] Machine& machine() { return machine_; }
  /// The machine with `change(Machine&)`, on the same bench.
  [[nodiscard]] MeasuredMachine with(const auto& change) const {
    MeasuredMachine changed = *this;
    change(changed.machine_);
    return changed;
  }
  [[nodiscard]] TestBench& bench() { return bench_; }
  [[nodiscard]] const Calibration& calibration() { return bench_.calibrate(machine_); }
  [[nodiscard]] RunSetup setup(unsigned dim) const { return {.machine = machine_, .dim = dim, .conditions = {}}; }
  /// Any program on a cube, whatever comes of it.
  [[nodiscard]] RunMeasurement run(unsigned dim, Program& program) { return bench_.run(setup(dim), program); }

  /// The pairwise exchange, with the barrier and the shuffles that the machine's library has.
  [[nodiscard]] double exchange_us(const Partition& partition, Bytes bytes, PairwiseSync sync = PairwiseSync::on);
  /// The first of these partitions that takes the least time.
  [[nodiscard]] Partition fastest(std::span<const Partition> partitions, Bytes bytes);
  /// The fastest ones at these sizes, each once for all sizes that follow one another.
  [[nodiscard]] std::vector<Partition> fastest(std::span<const Partition> partitions, std::span<const Bytes> sizes);
  /// The first block of at most 1,000 B that `later` exchanges sooner than `earlier`; 0 if there is none.
  [[nodiscard]] double crossing(const Partition& earlier, const Partition& later);
  /// A shuffle with verified elements, on the ports that the workload names.
  [[nodiscard]] ShuffleMeasurement shuffle(unsigned dim, const ShuffleWorkload& workload) {
    GeneralisedShuffle made(workload, dim);
    return shuffle(dim, workload, made);
  }
  /// The shuffle of a caller, made for the workload.
  ShuffleMeasurement shuffle(unsigned dim, const ShuffleWorkload& workload, GeneralisedShuffle& shuffle);
  /// The combine of a caller, made for the workload.
  [[nodiscard]] double combine_us(unsigned dim, const CombineWorkload& workload, GlobalCombine& combine);

 private:
  TestBench& bench_;
  Machine machine_;
};

/// One message with its contents.
struct RecordedMove {
  unsigned label = 0;  ///< of the phase or step, as the firmware numbers them
  NodeId from = 0;
  NodeId to = 0;
  const std::byte* address = nullptr;  ///< in the sender's memory
  std::vector<std::byte> contents{};

  template <class Item>
  [[nodiscard]] std::vector<Item> items() const {
    std::vector<Item> result(contents.size() / sizeof(Item));
    std::memcpy(result.data(), contents.data(), result.size() * sizeof(Item));
    return result;
  }
};

/// "contents": another first byte. "at once": all in one step. "elsewhere": node 0 has sent the neighbouring element.
inline void spoil(RecordedMove& move, std::string_view how) {
  if (how == "contents") move.contents.front() ^= std::byte{0xff};
  if (how == "at once") move.label = 0;
  if (how == "elsewhere" && move.from == 0)
    move.address += reinterpret_cast<std::uintptr_t>(move.address) % 8 == 0 ? 4 : -4;
}

/// Records every message of a machine that carries bytes from one place in memory, when its node begins to send it.
class MoveRecorder final : public Observer {
 public:
  explicit MoveRecorder(MeasuredMachine& machine) : bench_(machine.bench()) { bench_.observe(this); }
  ~MoveRecorder() override { bench_.observe(nullptr); }

  void begins(const Operation& operation, Cycles /*at*/) override {
    const bool sends = operation.kind == OperationKind::send || operation.kind == OperationKind::exchange;
    if (!sends || operation.bytes == 0) return;
    const Region& region = operation.outgoing;
    if (region.empty() || region.runs != 1) return;
    const Bytes bytes = std::min(operation.bytes, region.bytes());
    moves_.push_back({.label = operation.label,
                      .from = operation.node,
                      .to = operation.peer,
                      .address = region.base,
                      .contents = std::vector<std::byte>(region.base, region.base + bytes)});
  }

  /// In order of label, then of sender.
  [[nodiscard]] std::vector<RecordedMove> moves() const {
    std::vector<RecordedMove> sorted = moves_;
    std::ranges::stable_sort(sorted, {}, [](const RecordedMove& move) { return std::pair(move.label, move.from); });
    return judged(std::move(sorted), "messages");
  }

 private:
  TestBench& bench_;
  std::vector<RecordedMove> moves_;
};

}  // namespace ecube
