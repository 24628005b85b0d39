// SPDX-License-Identifier: Apache-2.0
// The contents of messages, as the machine sent them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/observed/observer.h"
#include "testbench/reproduction/judged.h"
#include "testbench/reproduction/measured_machine.h"

namespace ecube {

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
