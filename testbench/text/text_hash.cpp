// SPDX-License-Identifier: Apache-2.0
#include "testbench/text/text_hash.h"

#include <fmt/core.h>
#include <xxhash.h>

namespace ecube {

std::string hash_of(const std::string& text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

void append_text(std::string& all, std::string_view text) {
  all += std::to_string(text.size());
  all += ':';
  all += text;
}

}  // namespace ecube
