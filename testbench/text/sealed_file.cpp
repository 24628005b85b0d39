// SPDX-License-Identifier: Apache-2.0
#include "testbench/text/sealed_file.h"

#include <string_view>

#include "testbench/text/text_file.h"
#include "testbench/text/text_hash.h"

namespace ecube {

std::string sealed(std::string contents) {
  contents.append(digest_of(contents));
  return contents;
}

std::optional<std::string> unsealed(const std::string& file, std::uint64_t most) {
  std::string text;
  try {
    text = read_file(file, "file", most);
  } catch (const InputError&) {
    return std::nullopt;
  }
  if (text.size() < seal_bytes) return std::nullopt;
  const std::size_t size = text.size() - seal_bytes;
  if (digest_of(std::string_view(text).substr(0, size)) != std::string_view(text).substr(size)) return std::nullopt;
  text.resize(size);
  return text;
}

}  // namespace ecube
