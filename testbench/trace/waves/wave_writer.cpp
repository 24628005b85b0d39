// SPDX-License-Identifier: Apache-2.0
// Cycles as times of a waveform, value change dumps, and FST files by the writer that comes with Verilator.
#include "testbench/trace/waves/wave_writer.h"

#include <fmt/core.h>
#include <fstapi.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <map>
#include <new>

#include "models/machine/quantity.h"
#include "testbench/system/staged_files.h"

namespace {

/// Of the library, and of whatever reason. The library itself looks at no result of a write.
std::atomic<unsigned> failed_writes = 0;

}  // namespace

// The library is compiled with these names in the place of tmpfile(), fclose(), mmap() and munmap(): no file is mapped,
// so a full disk ends no program by a signal, and every error of a file is seen, at the latest when it is closed.
extern "C" {

/// In memory, whatever TMPDIR has room for.
std::FILE* ecube_temporary_file() {
  const int file = memfd_create("ecube", MFD_CLOEXEC);
  return file < 0 ? nullptr : fdopen(file, "w+b");
}

int ecube_close(std::FILE* stream) {
  const bool failed = std::ferror(stream) != 0;
  const int result = std::fclose(stream);
  if (failed || result != 0) ++failed_writes;
  return result;
}

/// A copy of the file, with zeros for what it lacks. The library changes what it has "mapped" and reads it no more by
/// its file: signals are declared before the first change.
void* ecube_map(void*, std::size_t size, int, int, int file, off_t) {
  auto* const copy = static_cast<std::byte*>(::operator new(size));
  std::size_t have = 0;
  while (have < size) {
    const ssize_t more = pread(file, copy + have, size - have, static_cast<off_t>(have));
    if (more <= 0) break;
    have += static_cast<std::size_t>(more);
  }
  if (have < size) {
    ++failed_writes;
    std::memset(copy + have, 0, size - have);
  }
  return copy;
}

int ecube_unmap(void* copy, std::size_t) {
  ::operator delete(copy);
  return 0;
}

}  // extern "C"

namespace ecube {

namespace {

/// amount / unit, to the nearest.
std::uint64_t rounded(UInt128 amount, std::uint64_t unit) {
  return static_cast<std::uint64_t>((amount + unit / 2) / unit);
}

class VcdWriter final : public WaveWriter {
 public:
  VcdWriter(const std::string& file, const WaveTime& time) : file_(file) {
    put(fmt::format("$version ecube $end\n$timescale 1 {} $end\n", time.exponent == -9 ? "ns" : "ps"));
  }

  void enter(const std::string& scope) override { put(fmt::format("$scope module {} $end\n", scope)); }
  void leave() override { put("$upscope $end\n"); }
  Signal state(const std::string& name, const std::string& kind, std::span<const std::string_view> names) override {
    (void)kind;
    const Signal signal = number(name, static_cast<unsigned>(std::bit_width(names.size() - 1)));
    put(fmt::format("$var wire {} {} {}_code $end\n", bits_[signal], identifier(signal), name));
    return signal;
  }
  Signal number(const std::string& name, unsigned bits) override {
    const Signal signal = add(bits);
    put(fmt::format("$var wire {} {} {} $end\n", bits, identifier(signal), name));
    return signal;
  }
  Signal text(const std::string& name) override {
    const Signal signal = add(0);
    put(fmt::format("$var string 1 {} {} $end\n", identifier(signal), name));
    return signal;
  }
  void end_declarations() override { put("$enddefinitions $end\n"); }

  void set(Signal signal, std::uint64_t value) override {
    if (bits_[signal] == 1) return put(fmt::format("{}{}\n", value & 1, identifier(signal)));
    put(fmt::format("b{:b} {}\n", value, identifier(signal)));
  }
  void set(Signal signal, std::string_view value) override {
    std::string word(value);
    std::erase(word, ' ');
    put(fmt::format("s{} {}\n", word.empty() ? "-" : word, identifier(signal)));
  }
  void close() override { file_.commit(); }

 private:
  void change_time(std::uint64_t time) override { put(fmt::format("#{}\n", time)); }
  Signal add(unsigned bits) {
    bits_.push_back(bits);
    return static_cast<Signal>(bits_.size() - 1);
  }
  /// Printable characters, the shortest first.
  static std::string identifier(Signal signal) {
    std::string result;
    do {
      result += static_cast<char>('!' + signal % 94);
      signal /= 94;
    } while (signal-- != 0);
    return result;
  }
  void put(const std::string& text) { file_.put(text); }

  StagedFile file_;
  std::vector<unsigned> bits_;  ///< [signal]; 0 for a text
};

/// The binary digits of all bytes.
constexpr auto binary = [] {
  std::array<std::array<char, 8>, 256> result{};
  for (std::size_t value = 0; value < result.size(); ++value) {
    for (std::size_t bit = 0; bit < 8; ++bit) result[value][bit] = static_cast<char>('0' + (value >> (7 - bit) & 1));
  }
  return result;
}();

// The library keeps the changes of a block and sorts them by signal at its end, each signal's from the last to the
// first: blocks that fit a processor's cache take half the time of the default of 128 MB. A block repeats the values of
// all signals, so it must hold many times as many changes.
constexpr std::size_t least_block_bytes = std::size_t{1} << 18;
constexpr std::size_t changes_per_value = 10;
constexpr std::size_t change_bytes = 6;  // beside the value: where the signal's change before is, and the time

class FstWriter final : public WaveWriter {
 public:
  FstWriter(const std::string& file, const WaveTime& time) : context_(fstWriterCreate(file.c_str(), 1)) {
    if (context_ == nullptr) throw std::runtime_error(file + " cannot be made");
    fstWriterSetPackType(context_, FST_WR_PT_LZ4);
    fstWriterSetTimescale(context_, time.exponent);
    fstWriterSetVersion(context_, "ecube");
    // With a date the same run would give different files.
    fstWriterSetDate(context_, "");
  }
  ~FstWriter() override {
    if (context_ != nullptr) fstWriterClose(context_);
  }
  FstWriter(FstWriter&&) = delete;  // nor copied

  void enter(const std::string& scope) override {
    fstWriterSetScope(context_, FST_ST_VCD_MODULE, scope.c_str(), nullptr);
  }
  void leave() override { fstWriterSetUpscope(context_); }
  Signal state(const std::string& name, const std::string& kind, std::span<const std::string_view> names) override {
    const auto bits = static_cast<unsigned>(std::bit_width(names.size() - 1));
    fstWriterEmitEnumTableRef(context_, table(kind, names, bits));
    const Signal signal = add(FST_VT_VCD_REG, name, bits);
    (void)fstWriterCreateVar(context_, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, bits, (name + "_code").c_str(), signal);
    return signal;
  }
  Signal number(const std::string& name, unsigned bits) override { return add(FST_VT_VCD_WIRE, name, bits); }
  Signal text(const std::string& name) override { return add(FST_VT_GEN_STRING, name, 0); }
  void end_declarations() override {
    std::size_t values = 0;  // a byte for every bit
    for (const unsigned bits : bits_) values += bits;
    block_bytes_ = std::max(least_block_bytes, changes_per_value * values);
  }

  void set(Signal signal, std::uint64_t value) override {
    // Eight digits at a time; the file takes the last ones.
    std::array<char, 64> digits;
    for (std::size_t byte = 0; byte < 8; ++byte) {
      std::memcpy(&digits[56 - 8 * byte], binary[value >> (8 * byte) & 0xFF].data(), 8);
      if (8 * byte + 8 >= bits_[signal]) break;
    }
    fstWriterEmitValueChange(context_, signal, &digits[64 - bits_[signal]]);
    pending_bytes_ += change_bytes + bits_[signal];
  }
  void set(Signal signal, std::string_view value) override {
    fstWriterEmitVariableLengthValueChange(context_, signal, value.data(), static_cast<std::uint32_t>(value.size()));
    pending_bytes_ += change_bytes + value.size();
  }
  void close() override {
    fstWriterClose(context_);
    context_ = nullptr;
    if (failed_writes != failed_before_) throw std::runtime_error("an FST file is incomplete");
  }

 private:
  void change_time(std::uint64_t time) override {
    if (pending_bytes_ >= block_bytes_) {
      fstWriterFlushContext(context_);
      pending_bytes_ = 0;
    }
    fstWriterEmitTimeChange(context_, time);
  }
  fstEnumHandle table(const std::string& kind, std::span<const std::string_view> names, unsigned bits) {
    const auto [known, fresh] = tables_.try_emplace(kind);
    if (!fresh) return known->second;
    const std::vector<std::string> texts(names.begin(), names.end());
    std::vector<std::string> digits;
    std::vector<const char*> literals;
    std::vector<const char*> values;
    for (std::size_t value = 0; value < names.size(); ++value) digits.push_back(fmt::format("{:0{}b}", value, bits));
    for (const std::string& text : texts) literals.push_back(text.c_str());
    for (const std::string& value : digits) values.push_back(value.c_str());
    return known->second = fstWriterCreateEnumTable(context_, kind.c_str(), static_cast<std::uint32_t>(names.size()),
                                                    bits, literals.data(), values.data());
  }
  Signal add(fstVarType type, const std::string& name, unsigned bits) {
    const Signal signal = fstWriterCreateVar(context_, type, FST_VD_IMPLICIT, bits, name.c_str(), 0);
    bits_.resize(signal + std::size_t{1});
    bits_[signal] = bits;
    return signal;
  }

  unsigned failed_before_ = failed_writes;
  void* context_;
  std::vector<unsigned> bits_;                   ///< [signal]
  std::map<std::string, fstEnumHandle> tables_;  ///< by kind
  std::size_t block_bytes_ = least_block_bytes;
  std::size_t pending_bytes_ = 0;  ///< of changes since the last block
};

}  // namespace

std::uint64_t WaveTime::of(Cycles cycle) const { return rounded(UInt128{cycle} * units_per_second, clock_hz); }

Cycles WaveTime::cycle(std::uint64_t time) const { return rounded(UInt128{time} * clock_hz, units_per_second); }

std::unique_ptr<WaveWriter> wave_writer(const std::string& file, bool vcd, const WaveTime& time) {
  if (vcd) return std::make_unique<VcdWriter>(file, time);
  return std::make_unique<FstWriter>(file, time);
}

}  // namespace ecube
