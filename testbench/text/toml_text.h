// SPDX-License-Identifier: Apache-2.0
// TOML with the places of its keys and values, whatever bytes it is given.
#pragma once

// Input must never end the program: without assertions; input that would break them is refused before parsing.
#define TOML_ASSERT(x) static_assert(true)
// Each level of nested values takes stack: so many fit a stack of 1 MiB many times over.
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

#include <vector>

#include "models/machine/error.h"

namespace ecube {

/// A parsed text. `what` names the text in errors: "machine file".
class TomlText {
 public:
  /// InputError, with the place, when the text is not TOML.
  TomlText(std::string_view text, std::string where, std::string_view what);

  [[nodiscard]] const toml::table& table() const { return table_; }
  [[nodiscard]] Place place(const toml::source_region& region) const;
  /// A value of one line in the user's own spelling: 0x10, 1_000, "4 B".
  [[nodiscard]] std::string written(const toml::node& value) const;
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  void refuse_strange_bytes(std::string_view what) const;

  std::vector<std::string> lines_;
  std::string where_;
  toml::table table_;
};

inline constexpr std::uint64_t max_toml_bytes = 1'000'000;

}  // namespace ecube
