// SPDX-License-Identifier: Apache-2.0
// Putting changes of two sources into one order.
#include "testbench/trace/waves/wave_merge.h"

#include <algorithm>
#include <array>
#include <deque>

namespace ecube {

namespace {

class Merge {
 public:
  explicit Merge(std::unique_ptr<WaveWriter> file) : file_(std::move(file)) {}

  [[nodiscard]] WaveWriter& file() { return *file_; }
  void end_declarations() {
    if (++declared_ == sources_.size()) file_->end_declarations();
  }
  void at(std::size_t source, std::uint64_t time) {
    if (time == sources_[source].time) return;
    sources_[source].time = time;
    write();
  }
  void set(std::size_t source, WaveWriter::Signal signal, std::uint64_t value) {
    Source& from = sources_[source];
    from.changes.push_back({.time = from.time, .value = value, .signal = signal});
  }
  void set(std::size_t source, WaveWriter::Signal signal, std::string_view value) {
    Source& from = sources_[source];
    from.changes.push_back({.time = from.time, .signal = signal, .is_text = true});
    from.texts.emplace_back(value);
  }
  bool close(std::size_t source) {
    end_ = std::max(end_, sources_[source].time);
    sources_[source].time = ended;
    if (++closed_ < sources_.size()) return true;
    write();
    file_->at(end_);
    return file_->close();
  }

 private:
  struct Change {
    std::uint64_t time = 0;
    std::uint64_t value = 0;
    WaveWriter::Signal signal = 0;
    bool is_text = false;
  };
  struct Source {
    std::uint64_t time = 0;  ///< no change will come from before this time
    std::deque<Change> changes;
    std::deque<std::string> texts;  ///< values of the changes that are texts
  };
  static constexpr std::uint64_t ended = ~std::uint64_t{0};

  /// All changes before the time that both sources have reached.
  void write() {
    const std::uint64_t reached = std::min(sources_[0].time, sources_[1].time);
    for (;;) {
      Source* next = nullptr;
      for (Source& source : sources_) {
        if (source.changes.empty()) continue;
        if (next == nullptr || source.changes.front().time < next->changes.front().time) next = &source;
      }
      if (next == nullptr || next->changes.front().time >= reached) return;
      const Change& change = next->changes.front();
      file_->at(change.time);
      if (change.is_text) {
        file_->set(change.signal, std::string_view(next->texts.front()));
        next->texts.pop_front();
      } else {
        file_->set(change.signal, change.value);
      }
      next->changes.pop_front();
    }
  }

  std::unique_ptr<WaveWriter> file_;
  std::array<Source, 2> sources_;
  std::size_t declared_ = 0;
  std::size_t closed_ = 0;
  std::uint64_t end_ = 0;
};

class MergeWriter final : public WaveWriter {
 public:
  MergeWriter(std::shared_ptr<Merge> merge, std::size_t source) : merge_(std::move(merge)), source_(source) {}

  void enter(const std::string& scope) override { merge_->file().enter(scope); }
  void leave() override { merge_->file().leave(); }
  Signal state(const std::string& name, const std::string& kind, std::span<const std::string_view> names) override {
    return merge_->file().state(name, kind, names);
  }
  Signal number(const std::string& name, unsigned bits) override { return merge_->file().number(name, bits); }
  Signal text(const std::string& name) override { return merge_->file().text(name); }
  void end_declarations() override { merge_->end_declarations(); }
  void at(std::uint64_t time) override { merge_->at(source_, time); }
  void set(Signal signal, std::uint64_t value) override { merge_->set(source_, signal, value); }
  void set(Signal signal, std::string_view value) override { merge_->set(source_, signal, value); }
  bool close() override { return merge_->close(source_); }

 private:
  std::shared_ptr<Merge> merge_;
  std::size_t source_;
};

}  // namespace

TwoWriters merge_into(std::unique_ptr<WaveWriter> file) {
  const auto merge = std::make_shared<Merge>(std::move(file));
  return {std::make_unique<MergeWriter>(merge, 0), std::make_unique<MergeWriter>(merge, 1)};
}

}  // namespace ecube
