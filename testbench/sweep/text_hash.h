// SPDX-License-Identifier: Apache-2.0
// Names and checksums of texts.
#pragma once

#include <string>

namespace ecube {

/// 128 bits of XXH3 as 32 hexadecimal digits: the same text always gives the same hash, and in practice no two texts
/// give the same hash.
[[nodiscard]] std::string hash_of(const std::string& text);

}  // namespace ecube
