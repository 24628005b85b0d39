// SPDX-License-Identifier: Apache-2.0
// The signal of a word. The words of all signals of a cube are side by side in memory, and one update of the kernel
// takes over all that were written: at thousands of nodes the time of an edge is that of the memory it touches.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "hw/clocked/wires/signal.h"
#include "hw/clocked/wires/wire.h"

namespace ecube::clocked {

class WireSignal;

/// The values of many signals.
class WireBank final : public sc_core::sc_prim_channel {
 public:
  /// `awake`: the nodes that have to be clocked at the next edge; those of readers to which a word has come are
  /// inserted.
  WireBank(const char* name, NodeSet& awake) : sc_core::sc_prim_channel(name), awake_(awake) {}

  [[nodiscard]] std::uint32_t add(WireSignal& signal) {
    signals_.push_back(&signal);
    words_.emplace_back();
    return static_cast<std::uint32_t>(signals_.size() - 1);
  }
  /// The module that reads the signal is in `node`. In `words`, bit `input` is set when a word comes and cleared when
  /// it goes.
  void tell(std::uint32_t number, NodeId node, std::uint32_t& words, unsigned input) {
    words_[number].words = &words;
    words_[number].node = static_cast<std::uint16_t>(node);
    words_[number].input = static_cast<std::uint8_t>(input);
  }
  void write(std::uint32_t number, const Wire& word);
  /// Writes to `numbers[i]` for every bit i of `which`.
  void write_each(std::uint32_t which, const std::uint32_t* numbers, const auto& word_of) {
    if (asked_) return for_each_bit(which, [&](unsigned i) { write(numbers[i], word_of(i)); });
    if (which != 0 && written_.empty()) request_update();
    for_each_bit(which, [&](unsigned i) { written_.push_back({numbers[i], word_of(i)}); });
  }
  /// As write(), also where the signal is stuck. A word that is taken back within a delta cycle wakes its reader in
  /// vain.
  void carry(std::uint32_t number, const Wire& word) {
    if (written_.empty()) request_update();
    written_.push_back({number, word});
  }
  [[nodiscard]] const Wire& now(std::uint32_t number) const { return words_[number].now; }
  /// The signal wants to be asked before it is written, or told that it has changed.
  void ask(std::uint32_t number, bool stuck, bool watched) {
    words_[number].stuck = stuck;
    words_[number].watched = watched;
    asked_ = true;
  }

 private:
  void update() override;

  /// All that an edge needs of a signal.
  struct Word {
    Wire now{};
    std::uint32_t* words = nullptr;  ///< null where nobody is told
    std::uint16_t node = 0;
    std::uint8_t input = 0;
    bool stuck = false;
    bool watched = false;
  };
  struct Written {
    std::uint32_t number;
    Wire word;
  };
  NodeSet& awake_;
  Table<Word> words_;
  std::vector<WireSignal*> signals_;
  Table<Written> written_;  ///< since the last update, in order
  bool asked_ = false;      ///< some signal has been stuck or watched
};

/// One signal of a bank.
class WireSignal final : public sc_core::sc_object, public sc_core::sc_signal_inout_if<Wire>, public Sticking<Wire> {
 public:
  WireSignal(const char* name, WireBank& bank) : sc_core::sc_object(name), bank_(bank), number_(bank_.add(*this)) {}
  [[nodiscard]] const char* kind() const override { return "wire_signal"; }

  [[nodiscard]] const Wire& read() const override { return bank_.now(number_); }
  [[nodiscard]] const Wire& get_data_ref() const override { return read(); }
  void write(const Wire& word) override { bank_.write(number_, word); }
  [[nodiscard]] const sc_core::sc_event& value_changed_event() const override {
    if (changed_ == nullptr) {
      changed_ = std::make_unique<sc_core::sc_event>();
      ask();
    }
    return *changed_;
  }
  [[nodiscard]] const sc_core::sc_event& default_event() const override { return value_changed_event(); }
  /// Of a signal whose changes somebody waits for.
  [[nodiscard]] bool event() const override { return changed_at_ + 1 == sc_core::sc_delta_count(); }

  void tell(NodeId node, std::uint32_t& words, unsigned input) { bank_.tell(number_, node, words, input); }
  void trace_in(sc_core::sc_trace_file& file) const override { sc_trace(&file, read(), name()); }

  /// For the bank.
  void write_stuck(const Wire& word) {
    driven_ = word;
    bank_.carry(number_, stuck_);
  }
  void changed() {
    changed_at_ = sc_core::sc_delta_count();
    changed_->notify(sc_core::SC_ZERO_TIME);
  }
  [[nodiscard]] WireBank& bank() { return bank_; }
  [[nodiscard]] std::uint32_t number() const { return number_; }

 private:
  [[nodiscard]] const Wire& value_now() const override { return read(); }
  void carry(const Wire& word) override { bank_.carry(number_, word); }
  void sticking_changed() override { ask(); }
  void ask() const { bank_.ask(number_, broken_, changed_ != nullptr); }

  WireBank& bank_;
  std::uint32_t number_;
  mutable std::unique_ptr<sc_core::sc_event> changed_;
  sc_dt::uint64 changed_at_ = ~sc_dt::uint64{0} - 1;
};

inline void WireBank::write(std::uint32_t number, const Wire& word) {
  if (asked_ && words_[number].stuck) [[unlikely]] {
    return signals_[number]->write_stuck(word);
  }
  carry(number, word);
}

inline void WireBank::update() {
  for (const Written& write : written_) {
    Word& word = words_[write.number];
    if (word.now == write.word) continue;
    word.now = write.word;
    if (word.words != nullptr) {
      const std::uint32_t input = std::uint32_t{1} << word.input;
      if (word.now.kind != WireKind::idle) {
        *word.words |= input;
        awake_.insert(word.node);
      } else {
        *word.words &= ~input;
      }
    }
    if (word.watched) signals_[write.number]->changed();
  }
  written_.clear();
}

/// The signals of a link; its register is the output of the router that it leaves.
class Link final : public sc_core::sc_module {
 public:
  WireSignal wire;
  Signal<bool> acknowledge{"acknowledge"};  ///< against the direction of the link; of worms, the stop

  Link(const sc_core::sc_module_name& name, WireBank& bank) : sc_core::sc_module(name), wire("wire", bank) {}
  [[nodiscard]] const char* kind() const override { return "link"; }
};

/// Writes to the signals of pins: straight into their bank, where all have one.
class WireWriters {
 public:
  void add(sc_core::sc_out<Wire>& pin) {
    auto* const signal = dynamic_cast<WireSignal*>(pin.get_interface());
    const bool banked = signal != nullptr && (pins_.empty() || bank_ != nullptr);
    bank_ = banked ? &signal->bank() : nullptr;
    numbers_.push_back(banked ? signal->number() : 0);
    pins_.push_back(&pin);
  }
  /// To the pin that was added as number `i`.
  void write(std::size_t i, const Wire& word) const {
    if (bank_ == nullptr) return pins_[i]->write(word);
    bank_->write(numbers_[i], word);
  }
  /// To the pins whose bits are set in `pins`.
  void write_each(std::uint32_t pins, const auto& word_of) const {
    if (bank_ != nullptr) return bank_->write_each(pins, numbers_.data(), word_of);
    for_each_bit(pins, [&](unsigned i) { pins_[i]->write(word_of(i)); });
  }
  void needed(CacheLines& lines) const { lines.add(numbers_.data(), numbers_.data() + numbers_.size()); }

 private:
  WireBank* bank_ = nullptr;
  std::vector<std::uint32_t> numbers_;
  std::vector<sc_core::sc_out<Wire>*> pins_;
};

}  // namespace ecube::clocked
