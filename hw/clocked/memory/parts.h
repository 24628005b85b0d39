// SPDX-License-Identifier: Apache-2.0
// TLB, write buffers, FIFOs and DMA engine of a detailed node (hw/node/README.md, N5, N7, N8).
#pragma once

#include <deque>
#include <vector>

#include "hw/clocked/memory/services.h"
#include "models/node/memory_system.h"

namespace ecube::clocked {

/// A table of entries in sets, as cache and TLB have one.
class SetTable {
 public:
  using Entry = node::MemoryState::Line;
  void reset(const std::vector<Entry>& entries, std::uint32_t ways, Replacement replacement);
  [[nodiscard]] Entry* find(std::uint64_t number);
  /// The way that a new entry takes.
  [[nodiscard]] Entry& place_for(std::uint64_t number, std::uint64_t random);
  /// The entry is the last that was used of its set.
  void use(Entry& entry);
  /// The contents; with lru each entry's age is its rank in its set.
  [[nodiscard]] std::vector<Entry> contents() const;
  [[nodiscard]] std::vector<Entry>& entries() { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::uint32_t ways_ = 1;
  Replacement replacement_ = Replacement::random;
  std::uint32_t uses_ = 0;
};

class Tlb final : public sc_core::sc_module, public TlbService {
 public:
  explicit Tlb(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  void reset(const Machine& machine, std::uint64_t seed, std::uint64_t loop, const node::MemoryState& state);
  bool knows(node::Address address, std::uint64_t access) override;
  [[nodiscard]] BusRead walk(node::Address address) const override;
  [[nodiscard]] std::vector<SetTable::Entry> contents() const { return table_.contents(); }
  [[nodiscard]] std::uint64_t misses() const { return misses_; }

 private:
  SetTable table_;
  std::uint32_t page_ = 4096;
  std::uint32_t entries_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t loop_ = 0;
  std::uint64_t misses_ = 0;
};

class WriteBuffers final : public sc_core::sc_module, public WriteBufferService {
 public:
  explicit WriteBuffers(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  void reset(const Machine& machine);
  void put(const Entry& entry) override { entries_.push_back(entry); }
  [[nodiscard]] bool full() const override { return entries_.size() >= size_; }
  [[nodiscard]] bool empty() const override { return entries_.empty(); }
  [[nodiscard]] const Entry& front() const override { return entries_.front(); }
  void front_written() override { entries_.pop_front(); }
  [[nodiscard]] bool older_write_of(std::uint64_t line, std::uint64_t order) const override;
  [[nodiscard]] std::size_t taken() const { return entries_.size(); }

 private:
  std::deque<Entry> entries_;
  std::size_t size_ = 1;
  std::uint32_t line_ = 32;
};

class DmaEngine final : public sc_core::sc_module, public DmaService {
 public:
  explicit DmaEngine(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  void reset(const Machine& machine, const node::Traffic& traffic);
  /// A word of a message; it asks at no earlier cycle than those before it.
  void add(const Word& word) { words_.push_back(word); }
  [[nodiscard]] bool asks(Cycles now) const override;
  Word take() override;
  /// Words of messages that wait for the bus.
  [[nodiscard]] std::size_t waiting() const { return words_.size(); }

 private:
  struct Transfer {
    node::Traffic::Dma what;
    std::uint64_t done = 0;
    [[nodiscard]] Cycles next() const { return done < what.words ? what.first + done * what.pace : not_yet; }
  };
  std::vector<Transfer> transfers_;
  std::deque<Word> words_;
  std::uint32_t bus_ = 8;
};

class Fifo final : public sc_core::sc_module, public FifoService {
 public:
  explicit Fifo(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  void reset(const Machine& machine, const node::Traffic& traffic);
  [[nodiscard]] bool room() const override { return reserved_ < size_; }
  void put_issued() override { ++reserved_; }
  void put_ended(Cycles /*now*/) override { ++present_; }
  void link_takes(Cycles now) override;
  [[nodiscard]] bool word() const override { return arrived_ > gets_issued_; }
  void get_issued() override { ++gets_issued_; }
  void get_ended() override { ++gets_ended_; }
  bool arrive(Cycles now) override;
  /// Words in the outgoing FIFO.
  [[nodiscard]] std::uint64_t outgoing() const { return present_; }

 private:
  std::uint64_t size_ = 8;
  std::uint64_t reserved_ = 0;  ///< words issued and not left
  std::uint64_t present_ = 0;   ///< of these, in the FIFO
  bool any_left_ = false;
  Cycles last_left_ = 0;
  Cycles out_pace_ = 1;
  std::uint64_t arrived_ = 0;
  std::uint64_t gets_issued_ = 0;
  std::uint64_t gets_ended_ = 0;
  Cycles in_first_ = 0;
  Cycles in_pace_ = 1;
  std::uint64_t in_words_ = 0;
};

}  // namespace ecube::clocked
