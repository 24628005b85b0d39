// SPDX-License-Identifier: Apache-2.0
// Names and checksums of texts.
#pragma once

#include <string>
#include <string_view>

namespace ecube {

/// 128 bits of XXH3 as 32 hexadecimal digits: the same text always gives the same hash, and in practice no two texts
/// give the same hash.
[[nodiscard]] std::string hash_of(const std::string& text);

/// Appends `text` to `all`, the text to be hashed, so that no two lists of texts give the same one.
void append_text(std::string& all, std::string_view text);

}  // namespace ecube
