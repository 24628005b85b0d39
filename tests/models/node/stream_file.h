// SPDX-License-Identifier: Apache-2.0
// Reads hand-worked streams (tests/models/node/streams.txt).
#pragma once

#include "models/node/memory_system.h"
#include "models/presets/settings.h"
#include "tests/test.h"

namespace ecube::test {

/// Operations as they are given, one after the other, as a loop of one block; buffers that messages have arrived in
/// matter to them only where the cache snoops.
inline node::Loop loop_of(const Machine& machine, const std::vector<node::Op>& operations,
                          const std::vector<node::Stream>& received = {}) {
  node::Loop loop;
  loop.blocks = 1;
  loop.streams = {{.bytes = ~Bytes{0}, .fixed = true}, {.bytes = ~Bytes{0}, .uncached = true, .fixed = true}};
  if (machine.detailed.coherence == Coherence::snoop) {
    loop.streams.insert(loop.streams.end(), received.begin(), received.end());
  }
  for (const node::Op& op : operations) {
    loop.before_block.push_back({.op = op,
                                 .stream = static_cast<std::uint8_t>(op.uncached ? 1 : 0),
                                 .offset = static_cast<std::uint32_t>(op.address)});
  }
  return loop;
}

/// A DMA engine that makes `words` transfers, one every `pace` cycles: its words ask before others of their cycle.
inline void add_dma(node::Traffic& traffic, const Machine& machine, node::Traffic::Word word, Cycles pace,
                    std::uint64_t words) {
  const auto asks_before = [](const node::Traffic::Word& a, const node::Traffic::Word& b) { return a.asks < b.asks; };
  for (; words > 0; --words, word.asks += pace, word.address += machine.memory.bus_bytes) {
    traffic.words.insert(std::upper_bound(traffic.words.begin(), traffic.words.end(), word, asks_before), word);
  }
}

struct HandWorked {
  std::string name;
  Machine machine;
  node::MemoryState state;
  node::Traffic traffic;
  std::vector<node::Stream> received;
  std::vector<node::Op> operations;
  std::vector<Cycles> issued;  ///< of each operation, as worked out
  Cycles end = 0;
  std::optional<std::pair<Cycles, node::Address>> fault;
};

class StreamFile {
 public:
  static std::vector<HandWorked> read(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    StreamFile reader;
    std::string line;
    while (std::getline(file, line)) {
      std::istringstream words(line);
      std::string first;
      if (!(words >> first) || first[0] == '#') continue;
      reader.take(first, words, line);
    }
    reader.close();
    return reader.streams_;
  }

 private:
  static constexpr const char* defaults[][2] = {{"clock", "40 MHz"},
                                                {"memory.bus", "8 B"},
                                                {"memory.transfer", "2 cycles"},
                                                {"memory.line", "32 B"},
                                                {"memory.page_miss", "8 cycles"},
                                                {"node.model", "detailed"},
                                                {"cache.replacement", "lru"},
                                                {"tlb.entries", "0"},
                                                {"node.coherence", "uncached"}};

  struct Dma {
    node::Traffic::Word word;
    Cycles pace = 1;
    std::uint64_t words = 0;
  };
  struct Prepared {
    std::string what;
    node::Address address;
  };

  void take(const std::string& first, std::istringstream& words, const std::string& line) {
    if (first == "stream") {
      close();
      words >> open_.emplace().name;
      for (const auto& [key, value] : defaults) settings_.push_back(parse_set(std::string(key) + "=" + value));
    } else if (first == "set") {
      std::string key;
      std::string value;
      words >> key;
      std::getline(words, value);
      // What a stream sets takes the place of a default.
      std::erase_if(settings_, [&](const Setting& setting) { return setting.key == key; });
      settings_.push_back(parse_set(key + "=" + value.substr(1)));
    } else if (first == "warm" || first == "dirty" || first == "tlb" || first == "open") {
      prepared_.push_back({first, number(words)});
    } else if (first == "uncached") {
      const node::Address base = number(words);
      uncached_ = {base, base + number(words)};
    } else if (first == "received") {
      const node::Address base = number(words);
      open_->received.push_back({.base = base, .bytes = number(words), .received = true});
    } else if (first == "dma" || first == "word") {
      std::string direction;
      words >> direction;
      Dma dma{.word = {.writes = direction == "write"}};
      dma.word.address = number(words);
      dma.word.asks = number(words);
      if (first == "word") {
        open_->traffic.words.push_back(dma.word);
        return;
      }
      dma.pace = number(words);
      dma.words = number(words);
      dma_.push_back(dma);
    } else if (first == "fifo") {
      std::string direction;
      words >> direction;
      if (direction == "out") {
        open_->traffic.out_pace = number(words);
      } else {
        open_->traffic.in_first = number(words);
        open_->traffic.in_pace = number(words);
        open_->traffic.in_words = number(words);
      }
    } else if (first == "end") {
      open_->end = number(words);
    } else if (first == "fault") {
      const Cycles at = number(words);
      open_->fault = {at, number(words)};
    } else {
      take_operation(first, words, line);
    }
  }

  void take_operation(const std::string& kind, std::istringstream& words, const std::string& line) {
    node::Op op;
    using enum node::OpKind;
    static const std::map<std::string, node::OpKind> kinds{
        {"int", integer}, {"fp", floating}, {"load", load}, {"pload", pipelined_load},
        {"store", store}, {"flush", flush}, {"put", put},   {"get", get}};
    if (!kinds.contains(kind)) throw std::runtime_error("not understood: " + line);
    op.kind = kinds.at(kind);
    if (kind == "int") op.cycles = static_cast<std::uint8_t>(number(words));
    std::vector<node::Register> named;
    std::optional<Cycles> at;
    for (std::string word; words >> word;) {
      if (word[0] == 'r') named.push_back(static_cast<node::Register>(std::stoul(word.substr(1))));
      if (word[0] == '@') at = std::stoull(word.substr(1));
      if (word[0] == '0') op.address = std::stoull(word, nullptr, 0);
      if (word == "dual") op.dual = true;
    }
    if (!at) throw std::runtime_error("without its cycle: " + line);
    if (!named.empty()) op.target = named[0];
    if (named.size() > 1) op.first = named[1];
    if (named.size() > 2) op.second = named[2];
    op.uncached = op.address >= uncached_.first && op.address < uncached_.second;
    open_->operations.push_back(op);
    open_->issued.push_back(*at);
  }

  void close() {
    if (!open_) return;
    open_->machine = resolve(settings_);
    open_->state = node::MemoryState::empty(open_->machine);
    std::vector<node::Traffic::Word> messages = std::exchange(open_->traffic.words, {});
    for (const Dma& dma : dma_) add_dma(open_->traffic, open_->machine, dma.word, dma.pace, dma.words);
    for (const node::Traffic::Word& word : messages) add_dma(open_->traffic, open_->machine, word, 0, 1);
    const DetailedNode& node = open_->machine.detailed;
    std::uint32_t age = 0;
    for (const Prepared& each : prepared_) {
      if (each.what == "open") {
        open_->state.open_page = each.address / node.dram_page_bytes;
        continue;
      }
      const bool page = each.what == "tlb";
      auto& table = page ? open_->state.tlb : open_->state.cache;
      const std::uint32_t ways = page ? node.tlb.ways : node.cache.ways;
      const std::uint64_t number = each.address / (page ? node.tlb.page_bytes : open_->machine.memory.line_bytes);
      std::size_t place = number % (table.size() / ways) * ways;
      while (table[place].valid) ++place;
      table[place] = {.number = number, .age = age++, .valid = true, .dirty = each.what == "dirty"};
    }
    streams_.push_back(*open_);
    open_.reset();
    settings_.clear();
    prepared_.clear();
    dma_.clear();
    uncached_ = {};
  }

  static std::uint64_t number(std::istringstream& words) {
    std::string word;
    if (!(words >> word)) throw std::runtime_error("a number is missing");
    return std::stoull(word, nullptr, 0);
  }

  std::vector<HandWorked> streams_;
  std::optional<HandWorked> open_;
  std::vector<Setting> settings_;
  std::vector<Prepared> prepared_;
  std::vector<Dma> dma_;
  std::pair<node::Address, node::Address> uncached_;
};

/// The streams of the file.
inline std::vector<HandWorked> hand_worked() { return StreamFile::read(in_tree("tests/models/node/streams.txt")); }

}  // namespace ecube::test
