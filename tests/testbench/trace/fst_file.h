// SPDX-License-Identifier: Apache-2.0
// An FST file read back: its signals, and all their values in order of time.
#pragma once

#include <fstapi.h>

#include "tests/test.h"

namespace ecube {

/// Changes of a signal: time in units of the file, value as written (binary digits, or a text).
using WaveChanges = std::vector<std::pair<std::uint64_t, std::string>>;

/// [full name of the signal]; of aliases only the first name.
struct FstFile {
  std::map<std::string, WaveChanges> signals;
  std::map<std::string, std::string> aliases;  ///< [name]: the signal it stands for
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t blocks = 0;  ///< of value changes
  int exponent = 0;

  /// The changes of a signal, or of the signal that an alias stands for; null when there is none of that name.
  [[nodiscard]] const WaveChanges* find(const std::string& name) const {
    const auto alias = aliases.find(name);
    const auto found = signals.find(alias == aliases.end() ? name : alias->second);
    return found == signals.end() ? nullptr : &found->second;
  }

  /// Empty when the file cannot be read.
  explicit FstFile(const std::string& file) {
    void* const reader = fstReaderOpen(file.c_str());
    if (reader == nullptr) return;
    begin = fstReaderGetStartTime(reader);
    end = fstReaderGetEndTime(reader);
    blocks = fstReaderGetValueChangeSectionCount(reader);
    exponent = static_cast<int>(fstReaderGetTimescale(reader));  // NOLINT(bugprone-signed-char-misuse): -12 .. 0
    std::string scope;
    std::vector<std::size_t> lengths;
    while (const fstHier* const entry = fstReaderIterateHier(reader)) {
      if (entry->htyp == FST_HT_SCOPE) {
        lengths.push_back(scope.size());
        scope += std::string(entry->u.scope.name) + ".";
      } else if (entry->htyp == FST_HT_UPSCOPE) {
        scope.resize(lengths.back());
        lengths.pop_back();
      } else if (entry->htyp == FST_HT_VAR) {
        const std::string_view leaf = entry->u.var.name;
        const std::string name = scope + std::string(leaf.substr(0, leaf.find(' ')));  // Verilator adds its range
        if (entry->u.var.is_alias) {
          aliases[name] = names_[entry->u.var.handle];
        } else {
          names_[entry->u.var.handle] = name;
          signals[name];
        }
      }
    }
    fstReaderSetFacProcessMaskAll(reader);
    fstReaderIterBlocks2(
        reader,
        [](void* self, std::uint64_t time, fstHandle handle, const unsigned char* value) {
          static_cast<FstFile*>(self)->change(time, handle, reinterpret_cast<const char*>(value));
        },
        [](void* self, std::uint64_t time, fstHandle handle, const unsigned char* value, std::uint32_t length) {
          static_cast<FstFile*>(self)->change(time, handle, std::string(reinterpret_cast<const char*>(value), length));
        },
        this, nullptr);
    fstReaderClose(reader);
  }

 private:
  void change(std::uint64_t time, fstHandle handle, const std::string& value) {
    WaveChanges& changes = signals[names_[handle]];
    // The reader gives every block's first values once more.
    if (!changes.empty() && changes.back().second == value) return;
    if (!changes.empty() && changes.back().first == time) changes.pop_back();
    changes.emplace_back(time, value);
  }

  std::map<fstHandle, std::string> names_;
};

}  // namespace ecube
