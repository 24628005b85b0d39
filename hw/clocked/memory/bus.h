// SPDX-License-Identifier: Apache-2.0
// The bus of a detailed node, and the DRAM behind it (hw/node/README.md, N6).
#pragma once

#include <deque>
#include <optional>

#include "hw/clocked/memory/parts.h"
#include "models/machine/machine.h"

namespace ecube::clocked {

class DataCache;

class Bus final : public sc_core::sc_module {
 public:
  Bus(const sc_core::sc_module_name& name, WriteBuffers& buffers, DmaEngine& dma, DataCache& cache)
      : sc_core::sc_module(name), buffers_(buffers), dma_(dma), cache_(cache) {}
  void reset(const Machine& machine, std::uint64_t open_page);

  /// The bus of the cycle before is given away, with the requests of that cycle known; then what ends now takes effect.
  void rising_edge(Cycles now);

  void ask(const BusRead& read) { reads_.push_back(read); }
  [[nodiscard]] bool idle() const { return !tenure_ && reads_.empty(); }
  [[nodiscard]] std::uint64_t open_page() const { return open_page_; }
  /// The cause for which a core that waits for a read waited in the cycle before; empty where there was no read.
  [[nodiscard]] std::optional<node::LoopTime> read_time() const { return read_time_; }
  /// An index into bus_activity_names: what the bus did in cycle `at`, the one before.
  [[nodiscard]] std::uint8_t activity(Cycles at) const;

 private:
  /// As in bus_activity_names.
  enum class Master : std::uint8_t { dma = 1, read, write };
  struct Tenure {
    Master master = Master::dma;
    Cycles page_end = 0;
    Cycles first = 0;  ///< the wanted transfer has been made
    Cycles end = 0;
    BusRead read{};
    DmaEngine::Word word{};
  };
  void give(Cycles at);
  void begin(Tenure tenure, Cycles at, node::Address address, std::uint32_t transfers, bool dram);
  void end_tenure(Cycles now);
  [[nodiscard]] std::optional<node::LoopTime> read_time_at(Cycles at) const;

  WriteBuffers& buffers_;
  DmaEngine& dma_;
  DataCache& cache_;
  Cycles transfer_ = 1;
  Cycles page_miss_ = 0;
  std::uint32_t dram_page_ = 4096;
  std::uint32_t line_ = 32;
  std::uint64_t open_page_ = 0;
  std::deque<BusRead> reads_;
  std::optional<Tenure> tenure_;
  std::optional<node::LoopTime> read_time_;
  std::optional<Tenure> before_{};  ///< what had the bus in the cycle before
};

}  // namespace ecube::clocked
