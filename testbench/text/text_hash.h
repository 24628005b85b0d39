// SPDX-License-Identifier: Apache-2.0
// Names, checksums and seals of texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace ecube {

/// 128 bits of XXH3 as 32 hexadecimal digits: the same text always gives the same hash, and two texts give the same
/// only where somebody has made them for that.
[[nodiscard]] std::string hash_of(const std::string& text);

/// The same of a text that comes in pieces.
class TextHash {
 public:
  TextHash();
  void add(std::string_view piece);
  [[nodiscard]] std::string text() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

/// SHA-256 as 64 hexadecimal digits, as `sha256sum` prints it: nobody can make two texts that give the same.
[[nodiscard]] std::string digest_of(std::string_view text);

/// Appends `text` to `all`, the text to be hashed, so that no two lists of texts give the same one.
inline void append_text(std::string& all, std::string_view text) {
  all += std::to_string(text.size());
  all += ':';
  all += text;
}

/// Bytes of a seal, which is the SHA-256 of what stands before it. A shared object can be loaded with its seal.
inline constexpr std::size_t seal_bytes = 64;

/// These contents with their seal behind them, as they are written into a file.
[[nodiscard]] inline std::string sealed(std::string contents) {
  contents.append(digest_of(contents));
  return contents;
}

/// The contents of a sealed file, without the seal. Nothing when there is no such file, when it cannot be read or has
/// more than `most` bytes, or when seal and contents do not match: such a file is to be made anew.
[[nodiscard]] std::optional<std::string> unsealed(const std::string& file, std::uint64_t most);

}  // namespace ecube
