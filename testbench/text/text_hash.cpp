// SPDX-License-Identifier: Apache-2.0
#include "testbench/text/text_hash.h"

#include <fmt/format.h>
#include <nettle/sha2.h>
#include <xxhash.h>

#include <array>
#include <new>

#include "testbench/text/text_file.h"

namespace ecube {

static std::string digits(const XXH128_hash_t& hash) { return fmt::format("{:016x}{:016x}", hash.high64, hash.low64); }

std::string hash_of(const std::string& text) { return digits(XXH3_128bits(text.data(), text.size())); }

TextHash::TextHash() : state_(XXH3_createState()) {
  if (!state_ || XXH3_128bits_reset(state_.get()) != XXH_OK) throw std::bad_alloc();
}

void TextHash::add(std::string_view piece) { (void)XXH3_128bits_update(state_.get(), piece.data(), piece.size()); }

std::string TextHash::text() const { return digits(XXH3_128bits_digest(state_.get())); }

void TextHash::Free::operator()(XXH3_state_s* state) const { (void)XXH3_freeState(state); }

std::string digest_of(std::string_view text) {
  sha256_ctx state;
  sha256_init(&state);
  sha256_update(&state, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&state, digest.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
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
