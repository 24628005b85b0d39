// SPDX-License-Identifier: Apache-2.0
// The smaller parts of a detailed node.
#include "hw/clocked/memory/parts.h"

#include <algorithm>
#include <utility>

#include "models/machine/random.h"

namespace ecube::clocked {

void SetTable::reset(const std::vector<Entry>& entries, std::uint32_t ways, Replacement replacement) {
  entries_ = entries;
  ways_ = ways;
  replacement_ = replacement;
  uses_ = ways;
}

SetTable::Entry* SetTable::find(std::uint64_t number) {
  const std::span<Entry> set = set_of(number);
  const auto found =
      std::ranges::find_if(set, [number](const Entry& entry) { return entry.valid && entry.number == number; });
  return found == set.end() ? nullptr : &*found;
}

SetTable::Entry& SetTable::place_for(std::uint64_t number, std::uint64_t random) {
  const std::span<Entry> set = set_of(number);
  if (const auto invalid = std::ranges::find(set, false, &Entry::valid); invalid != set.end()) return *invalid;
  return replacement_ == Replacement::random ? set[random % ways_] : *std::ranges::min_element(set, {}, &Entry::age);
}

void SetTable::use(Entry& entry) {
  if (replacement_ == Replacement::lru) entry.age = uses_++;
}

std::vector<SetTable::Entry> SetTable::contents() const {
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

void Tlb::reset(const Machine& machine, std::uint64_t seed, std::uint64_t loop, const node::MemoryState& state) {
  table_.reset(state.tlb, machine.detailed.tlb.ways, machine.detailed.cache.replacement);
  page_ = machine.detailed.tlb.page_bytes;
  entries_ = machine.detailed.tlb.entries;
  constexpr std::uint64_t own_draws = 0x544C42;
  seed_ = seed ^ own_draws;
  loop_ = loop;
  misses_ = 0;
}

bool Tlb::knows(node::Address address, std::uint64_t access) {
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

BusRead Tlb::walk(node::Address address) const {
  constexpr std::uint64_t directory_entry = 1024;
  constexpr node::Address tables = 4096;
  const std::uint64_t page = address / page_;
  return {.reader = Reader::walk, .address = 4 * (page / directory_entry), .second = tables + 4 * page};
}

void WriteBuffers::reset(const Machine& machine) {
  entries_.clear();
  size_ = machine.detailed.write_buffers;
  line_ = machine.memory.line_bytes;
}

bool WriteBuffers::older_write_of(std::uint64_t line, std::uint64_t order) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.address / line_ == line && entry.order < order; });
}

void Fifo::reset(const Machine& machine, const node::Traffic& traffic) {
  size_ = machine.detailed.fifo_bytes / machine.memory.bus_bytes;
  reserved_ = present_ = 0;
  any_left_ = false;
  out_pace_ = traffic.out_pace;
  arrived_ = gets_issued_ = gets_ended_ = 0;
  in_first_ = traffic.in_first;
  in_pace_ = traffic.in_pace;
  in_words_ = traffic.in_words;
}

void Fifo::link_takes(Cycles now) {
  if (present_ == 0 || (any_left_ && now < last_left_ + out_pace_)) return;
  --present_;
  --reserved_;
  any_left_ = true;
  last_left_ = now;
}

bool Fifo::arrive(Cycles now) {
  if (arrived_ == in_words_ || now != in_first_ + arrived_ * in_pace_) return true;
  if (arrived_ - gets_ended_ >= size_) return false;
  ++arrived_;
  return true;
}

}  // namespace ecube::clocked
