// SPDX-License-Identifier: Apache-2.0
// Files that are believed only if they are as they were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ecube {

/// Bytes of a seal, which is the SHA-256 of what stands before it. A shared object can be loaded with its seal.
inline constexpr std::size_t seal_bytes = 64;

/// These contents with their seal behind them, as they are written into a file.
[[nodiscard]] std::string sealed(std::string contents);

/// The contents of a sealed file, without the seal. Nothing when there is no such file, when it cannot be read or has
/// more than `most` bytes, or when seal and contents do not match: such a file is to be made anew.
[[nodiscard]] std::optional<std::string> unsealed(const std::string& file, std::uint64_t most);

}  // namespace ecube
