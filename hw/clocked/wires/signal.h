// SPDX-License-Identifier: Apache-2.0
// A signal between modules, which tells its reader of changes and can be broken and traced; a clock that can be held,
// and modules that are clocked without a process.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <systemc>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/machine/cube.h"
#include "models/machine/huge_pages.h"

namespace ecube::clocked {

/// A set of nodes, gone through in the order of their labels: a bit for each node.
class NodeSet {
 public:
  /// Where one node is in a set, which keeps its size.
  struct Place {
    std::uint64_t* word = nullptr;
    std::uint64_t bit = 0;
    void insert() const { *word |= bit; }
  };

  explicit NodeSet(std::size_t nodes) : words_((nodes + 63) / 64) {}
  [[nodiscard]] Place place(NodeId node) { return {&words_[node / 64], std::uint64_t{1} << node % 64}; }
  void insert(NodeId node) { place(node).insert(); }
  void clear() { words_.assign(words_.size(), 0); }
  [[nodiscard]] bool empty() const {
    return std::ranges::all_of(words_, [](std::uint64_t word) { return word == 0; });
  }
  /// Takes every node out and calls `visit` with it. Nodes that are inserted meanwhile are taken out now or later.
  void take_all(const auto& visit) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = std::exchange(words_[i], 0); word != 0; word &= word - 1) {
        visit(static_cast<NodeId>(64 * i + static_cast<std::size_t>(std::countr_zero(word))));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// The module that reads a signal. It has to be clocked at the edge after one at which something came to it.
struct SignalReader {
  std::uint32_t* changed = nullptr;  ///< inputs of the module that have changed since it was clocked, a bit for each
  std::uint32_t input = 0;
  NodeSet::Place node{};
  bool every_change = false;  ///< the module has to be clocked also when a signal goes

  /// The signal has changed: it comes or goes.
  void come(bool comes) const {
    if (changed == nullptr) return;
    *changed |= input;
    if ((comes || every_change) && node.word != nullptr) node.insert();
  }
};

/// Any signal of the clocked machine.
class Breakable {
 public:
  virtual ~Breakable() = default;
  /// From now on the signal is idle, whatever value is driven.
  virtual void break_wire() = 0;
  /// From the next write on, the signal carries the value driven.
  virtual void mend_wire() { broken_ = false; }
  /// Adds the signal, under its full name, to those that `file` traces.
  virtual void trace_in(sc_core::sc_trace_file& file) const = 0;

 protected:
  bool broken_ = false;
};

/// A signal that can stick at a value, whatever value is driven.
template <typename T>
class Sticking : public Breakable {
 public:
  void break_wire() override { stick_at({}); }
  /// From the next write on the signal carries `value`.
  void stick_at(const T& value) {
    driven_ = value_now();
    broken_ = true;
    stuck_ = value;
    sticking_changed();
    carry(value);
  }
  /// Idle, until the next value is driven.
  void mend_wire() override {
    if (!broken_) return;
    broken_ = false;
    sticking_changed();
    carry({});
  }
  /// Of a signal that is stuck: the value that it would carry otherwise.
  [[nodiscard]] const T& driven() const { return driven_; }

 protected:
  [[nodiscard]] virtual const T& value_now() const = 0;
  /// As write(), but by the signal itself, not by a second driver.
  virtual void carry(const T& value) = 0;
  virtual void sticking_changed() {}

  T stuck_{};
  T driven_{};
};

template <typename T>
class Signal final : public sc_core::sc_signal<T>, public Sticking<T> {
 public:
  explicit Signal(const char* name) : sc_core::sc_signal<T>(name) {}
  void trace_in(sc_core::sc_trace_file& file) const override {
    using sc_core::sc_trace;  // found by argument-dependent look-up for structs
    sc_trace(&file, this->read(), this->name());
  }
  /// Does not ask who writes, as sc_signal does: pins are bound to one driver.
  void write(const T& value) override {
    if (this->broken_) this->driven_ = value;
    const T& carried = this->broken_ ? this->stuck_ : value;
    if (carried == this->m_new_val) return;
    this->m_new_val = carried;
    this->request_update();
  }
  void tell(const SignalReader& reader) { reader_ = reader; }

 protected:
  void update() override {
    if (this->m_new_val == this->m_cur_val) return;
    bool comes = true;
    if constexpr (std::is_same_v<T, bool>) {
      sc_core::sc_signal<T>::update();
      comes = this->m_cur_val;
    } else if (this->m_change_event_p != nullptr) {
      sc_core::sc_signal<T>::do_update();
    } else {
      this->m_cur_val = this->m_new_val;
    }
    reader_.come(comes);
  }

 private:
  [[nodiscard]] const T& value_now() const override { return this->read(); }
  void carry(const T& value) override {
    this->m_new_val = value;
    this->request_update();
  }

  SignalReader reader_;
};

template <typename T>
using Signals = sc_core::sc_vector<Signal<T>>;

class HugePages final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override { return allocate_pages(bytes); }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t /*alignment*/) override {
    release_pages(memory, bytes);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

/// Memory of what edges of all nodes go through: thousands of nodes have more small pages than the TLB. Nothing is
/// given back, also as the program ends: a SystemC process makes its modules once, and may keep some to its end.
inline std::pmr::memory_resource& edge_memory() {
  static auto* const pages = new HugePages;
  static auto& memory = *new std::pmr::monotonic_buffer_resource(huge_page, pages);
  return memory;
}

// GCC and Clang tell of AddressSanitizer in different ways.
#if defined(__SANITIZE_ADDRESS__)
#define ECUBE_SANITIZED_ADDRESSES 1
#elif defined(__has_feature)
#define ECUBE_SANITIZED_ADDRESSES __has_feature(address_sanitizer)
#else
#define ECUBE_SANITIZED_ADDRESSES 0
#endif

/// Objects of a class derived from it lie in edge_memory(); under AddressSanitizer each has memory of its own, whose
/// bounds and use are checked.
struct InEdgeMemory {
#if !ECUBE_SANITIZED_ADDRESSES
  static void* operator new(std::size_t bytes) { return edge_memory().allocate(bytes); }
  static void operator delete(void* /*memory*/) {}
#endif
};

/// Lines of the cache that an edge needs. Of many nodes they lie too far apart, and are too many, to stay there.
class CacheLines {
 public:
  /// Of all bytes from `begin` to before `end`.
  void add(const void* begin, const void* end) {
    const auto* at = static_cast<const std::byte*>(begin);
    for (at -= reinterpret_cast<std::uintptr_t>(at) % line; at < end; at += line) lines_.push_back(at);
  }
  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  /// Begins to fetch the lines from number `first` to `end` - 1.
  void fetch(std::size_t first, std::size_t end) const {
    for (; first < end; ++first) fetch_to_read(lines_[first]);
  }

 private:
  static constexpr std::size_t line = 64;
  Table<const void*> lines_;
};

/// A module whose owner may clock it by a call at every edge: in the delta cycle in which a process at clk_i would run,
/// with the same effect, without the kernel's work. Elsewhere its own process waits at clk_i.
class ClockedByCall : public InEdgeMemory {
 public:
  virtual ~ClockedByCall() = default;
  virtual void clock_edge() = 0;
  /// Adds what clock_edge() reads and writes.
  virtual void needed(CacheLines& lines) const = 0;

  bool by_call = false;  ///< to be set before the end of elaboration
  /// The owner of the module knows, with a bit for each line of a router, at which inputs a word is and which other
  /// inputs have changed since the module was clocked.
  bool told = false;
  std::uint32_t word_bits = 0;
  std::uint32_t changed_bits = ~std::uint32_t{0};
};

/// The clock of a node: it rises at the edges at which the node is clocked. Nobody is notified but those who wait.
class Clock final : public InEdgeMemory,
                    public sc_core::sc_object,
                    public sc_core::sc_signal_in_if<bool>,
                    public Breakable {
 public:
  explicit Clock(const char* name) : sc_core::sc_object(name) {}
  [[nodiscard]] const char* kind() const override { return "clock"; }

  /// Seen by processes in the next delta cycle.
  void set(bool up) {
    if (broken_ || up_ == up) return;
    up_ = up;
    changed_at_ = sc_core::sc_delta_count();
    const auto& edge = up ? posedge_ : negedge_;
    if (edge != nullptr) edge->notify(sc_core::SC_ZERO_TIME);
    if (changed_ != nullptr) changed_->notify(sc_core::SC_ZERO_TIME);
  }
  [[nodiscard]] const bool& read() const override { return up_; }
  [[nodiscard]] const bool& get_data_ref() const override { return up_; }
  [[nodiscard]] bool event() const override { return changed_at_ + 1 == sc_core::sc_delta_count(); }
  [[nodiscard]] bool posedge() const override { return up_ && event(); }
  [[nodiscard]] bool negedge() const override { return !up_ && event(); }
  [[nodiscard]] const sc_core::sc_event& posedge_event() const override { return made(posedge_); }
  [[nodiscard]] const sc_core::sc_event& negedge_event() const override { return made(negedge_); }
  [[nodiscard]] const sc_core::sc_event& value_changed_event() const override { return made(changed_); }
  [[nodiscard]] const sc_core::sc_event& default_event() const override { return value_changed_event(); }

  void break_wire() override {
    set(false);
    broken_ = true;
  }
  void trace_in(sc_core::sc_trace_file& file) const override { sc_core::sc_trace(&file, up_, name()); }

 private:
  using Event = std::unique_ptr<sc_core::sc_event>;
  static const sc_core::sc_event& made(Event& event) {
    if (event == nullptr) event = std::make_unique<sc_core::sc_event>();
    return *event;
  }

  bool up_ = false;
  sc_dt::uint64 changed_at_ = ~sc_dt::uint64{0} - 1;
  mutable Event posedge_;
  mutable Event negedge_;
  mutable Event changed_;
};

}  // namespace ecube::clocked
