// SPDX-License-Identifier: Apache-2.0
// TLB, write buffers, FIFOs and DMA engine of a detailed node, and its bus with the DRAM behind (hw/node/README.md, N5
// to N8).
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <systemc>
#include <utility>
#include <vector>

#include "models/machine/random.h"
#include "models/node/memory_system.h"

namespace ecube::clocked {

inline constexpr Cycles not_yet = ~Cycles{0};

/// Who has asked for a read, and is told of it.
enum class Reader : std::uint8_t { fill, walk, pipelined, uncached, put, get };

/// A read that waits for the bus (N6).
struct BusRead {
  Reader reader = Reader::fill;
  Cycles asks = 0;
  node::Address address = 0;
  std::uint32_t transfers = 1;
  node::Register target = 0;
  std::uint64_t order = 0;   ///< of the access: older writes have lower numbers
  node::Address second = 0;  ///< of a walk: the word of the page table
  bool guarded = false;      ///< waits for older writes of its line (N7.2)
};

/// A table of entries in sets, as cache and TLB have one.
class SetTable {
 public:
  using Entry = node::MemoryState::Line;
  void reset(const std::vector<Entry>& entries, std::uint32_t ways, Replacement replacement) {
    entries_ = entries;
    ways_ = ways;
    replacement_ = replacement;
    uses_ = ways;
  }
  [[nodiscard]] Entry* find(std::uint64_t number) {
    const std::span<Entry> set = set_of(number);
    const auto found =
        std::ranges::find_if(set, [number](const Entry& entry) { return entry.valid && entry.number == number; });
    return found == set.end() ? nullptr : &*found;
  }
  /// The way that a new entry takes.
  [[nodiscard]] Entry& place_for(std::uint64_t number, std::uint64_t random) {
    const std::span<Entry> set = set_of(number);
    if (const auto invalid = std::ranges::find(set, false, &Entry::valid); invalid != set.end()) return *invalid;
    return replacement_ == Replacement::random ? set[random % ways_] : *std::ranges::min_element(set, {}, &Entry::age);
  }
  /// The entry is the last that was used of its set.
  void use(Entry& entry) {
    if (replacement_ == Replacement::lru) entry.age = uses_++;
  }
  /// The contents; with lru each entry's age is its rank in its set.
  [[nodiscard]] std::vector<Entry> contents() const {
    std::vector<Entry> result = entries_;
    if (replacement_ != Replacement::lru) return result;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      result[i].age = 0;
      for (std::size_t j = i / ways_ * ways_; j < (i / ways_ + 1) * ways_; ++j) {
        if (std::pair(entries_[j].age, j) < std::pair(entries_[i].age, i)) ++result[i].age;
      }
    }
    return result;
  }
  [[nodiscard]] std::vector<Entry>& entries() { return entries_; }

 private:
  [[nodiscard]] std::span<Entry> set_of(std::uint64_t number) {
    return std::span(entries_).subspan(number % (entries_.size() / ways_) * ways_, ways_);
  }

  std::vector<Entry> entries_;
  std::uint32_t ways_ = 1;
  Replacement replacement_ = Replacement::random;
  std::uint32_t uses_ = 0;
};

class Tlb final : public sc_core::sc_module {
 public:
  explicit Tlb(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  void reset(const Machine& machine, std::uint64_t seed, std::uint64_t loop, const node::MemoryState& state) {
    table_.reset(state.tlb, machine.detailed.tlb.ways, machine.detailed.cache.replacement);
    page_ = machine.detailed.tlb.page_bytes;
    entries_ = machine.detailed.tlb.entries;
    constexpr std::uint64_t own_draws = 0x544C42;
    seed_ = seed ^ own_draws;
    loop_ = loop;
    misses_ = 0;
  }
  /// True if the page is known. The access of number `access` of the loop asks.
  bool knows(node::Address address, std::uint64_t access) {
    if (entries_ == 0) return true;
    const std::uint64_t page = address / page_;
    if (SetTable::Entry* const entry = table_.find(page); entry != nullptr) {
      table_.use(*entry);
      return true;
    }
    ++misses_;
    SetTable::Entry& entry = table_.place_for(page, draw(seed_, loop_, access));
    entry = {.number = page, .valid = true};
    table_.use(entry);
    return false;
  }
  [[nodiscard]] BusRead walk(node::Address address) const {
    constexpr std::uint64_t directory_entry = 1024;
    constexpr node::Address tables = 4096;
    const std::uint64_t page = address / page_;
    return {.reader = Reader::walk, .address = 4 * (page / directory_entry), .second = tables + 4 * page};
  }
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

class WriteBuffers final : public sc_core::sc_module {
 public:
  struct Entry {
    node::Address address = 0;
    std::uint32_t transfers = 1;
    Cycles asks = 0;
    std::uint64_t order = 0;
  };
  explicit WriteBuffers(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  void reset(const Machine& machine) {
    entries_.clear();
    size_ = machine.detailed.write_buffers;
    line_ = machine.memory.line_bytes;
  }
  void put(const Entry& entry) { entries_.push_back(entry); }
  [[nodiscard]] bool full() const { return entries_.size() >= size_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] const Entry& front() const { return entries_.front(); }
  void front_written() { entries_.pop_front(); }
  [[nodiscard]] bool older_write_of(std::uint64_t line, std::uint64_t order) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry& entry) { return entry.address / line_ == line && entry.order < order; });
  }
  [[nodiscard]] std::size_t taken() const { return entries_.size(); }

 private:
  std::deque<Entry> entries_;
  std::size_t size_ = 1;
  std::uint32_t line_ = 32;
};

class DmaEngine final : public sc_core::sc_module {
 public:
  using Word = node::Traffic::Word;
  explicit DmaEngine(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  void reset(const node::Traffic& traffic) { words_.assign(traffic.words.begin(), traffic.words.end()); }
  /// A word of a message; it asks at no earlier cycle than those before it.
  void add(const Word& word) { words_.push_back(word); }
  [[nodiscard]] bool asks(Cycles now) const { return !words_.empty() && words_.front().asks <= now; }
  Word take() {
    const Word word = words_.front();
    words_.pop_front();
    return word;
  }
  [[nodiscard]] std::size_t waiting() const { return words_.size(); }

 private:
  std::deque<Word> words_;
};

class Fifo final : public sc_core::sc_module {
 public:
  explicit Fifo(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  void reset(const Machine& machine, const node::Traffic& traffic) {
    size_ = machine.detailed.fifo_bytes / machine.memory.bus_bytes;
    reserved_ = present_ = 0;
    any_left_ = false;
    out_pace_ = traffic.out_pace;
    arrived_ = gets_issued_ = gets_ended_ = 0;
    in_first_ = traffic.in_first;
    in_pace_ = traffic.in_pace;
    in_words_ = traffic.in_words;
  }
  [[nodiscard]] bool room() const { return reserved_ < size_; }
  void put_issued() { ++reserved_; }
  void put_ended() { ++present_; }
  void link_takes(Cycles now) {
    if (present_ == 0 || (any_left_ && now < last_left_ + out_pace_)) return;
    --present_;
    --reserved_;
    any_left_ = true;
    last_left_ = now;
  }
  [[nodiscard]] bool word() const { return arrived_ > gets_issued_; }
  void get_issued() { ++gets_issued_; }
  void get_ended() { ++gets_ended_; }
  /// False if a word arrives and finds no room.
  bool arrive(Cycles now) {
    if (arrived_ == in_words_ || now != in_first_ + arrived_ * in_pace_) return true;
    if (arrived_ - gets_ended_ >= size_) return false;
    ++arrived_;
    return true;
  }
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
