// SPDX-License-Identifier: Apache-2.0
// Tenures, one after the other.
#include "hw/clocked/memory/bus.h"

#include <utility>

#include "hw/clocked/memory/loop_core.h"

namespace ecube::clocked {

void Bus::reset(const Machine& machine, std::uint64_t open_page) {
  transfer_ = machine.to_core(machine.memory.transfer_cycles);
  page_miss_ = machine.to_core(machine.memory.page_miss_cycles);
  dram_page_ = machine.detailed.dram_page_bytes;
  line_ = machine.memory.line_bytes;
  open_page_ = open_page;
  reads_.clear();
  tenure_.reset();
  before_.reset();
  read_time_.reset();
}

std::uint8_t Bus::activity(Cycles at) const {
  constexpr std::uint8_t page = 4;
  if (!before_) return 0;
  return at < before_->page_end ? page : static_cast<std::uint8_t>(before_->master);
}

void Bus::begin(Tenure tenure, Cycles at, node::Address address, std::uint32_t transfers, bool dram) {
  Cycles page = 0;
  if (dram && address / dram_page_ != open_page_) page = page_miss_;
  if (dram) open_page_ = address / dram_page_;
  tenure.page_end = at + page;
  tenure.first = at + page + transfer_;
  tenure.end = at + page + transfers * transfer_;
  tenure_ = tenure;
}

void Bus::give(Cycles at) {
  if (dma_.asks(at)) {
    const DmaEngine::Word word = dma_.take();
    begin({.master = Master::dma, .word = word}, at, word.address, 1, true);
    return;
  }
  if (!reads_.empty() && reads_.front().asks <= at) {
    const BusRead read = reads_.front();
    if (!read.guarded || !buffers_.older_write_of(read.address / line_, read.order)) {
      reads_.pop_front();
      const bool dram = read.reader != Reader::put && read.reader != Reader::get;
      begin({.master = Master::read, .read = read}, at, read.address, read.transfers, dram);
      return;
    }
  }
  if (buffers_.empty() || buffers_.front().asks > at) return;
  begin({.master = Master::write}, at, buffers_.front().address, buffers_.front().transfers, true);
}

void Bus::end_tenure(Cycles now) {
  const Tenure ended = *tenure_;
  tenure_.reset();
  switch (ended.master) {
    case Master::dma:
      if (ended.word.writes) cache_.written_by_dma(ended.word.address / line_);
      break;
    case Master::read:
      if (ended.read.reader == Reader::walk && ended.read.second != 0) {
        // The word of the page table asks from this cycle, before all reads that wait.
        BusRead second = ended.read;
        second.address = std::exchange(second.second, 0);
        second.asks = now;
        reads_.push_front(second);
      } else {
        cache_.end(ended.read, now);
      }
      break;
    case Master::write:
      buffers_.front_written();
      break;
  }
}

std::optional<node::LoopTime> Bus::read_time_at(Cycles at) const {
  if (tenure_ && tenure_->master == Master::read) {
    return at < tenure_->page_end ? node::LoopTime::page_miss : node::LoopTime::load_miss;
  }
  if (!reads_.empty() && reads_.front().asks <= at) return node::LoopTime::bus;
  return std::nullopt;
}

void Bus::rising_edge(Cycles now) {
  if (now > 0 && !tenure_) give(now - 1);
  if (now > 0) read_time_ = read_time_at(now - 1);
  before_ = tenure_;
  if (!tenure_) return;
  if (tenure_->master == Master::read && tenure_->first == now) cache_.first(tenure_->read, now);
  if (tenure_->end == now) end_tenure(now);
}

}  // namespace ecube::clocked
