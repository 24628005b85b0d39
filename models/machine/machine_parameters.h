// SPDX-License-Identifier: Apache-2.0
// The option table: every machine parameter once, with its unit, range, help and how it is read and written.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/machine/machine.h"
#include "models/machine/quantity.h"

namespace ecube {

/// How the value of an option is spelled.
enum class OptionKind : std::uint8_t {
  frequency,      ///< "40 MHz"
  size,           ///< "4 B"
  time,           ///< whole cycles: "3800 cycles", "95 us"
  time_per_phit,  ///< a ratio of cycles: "63.04 cycles"
  time_per_byte,  ///< a ratio of cycles: "21.6 cycles/byte"
  time_per_item,  ///< a ratio of cycles: "14 cycles/item"
  bandwidth,      ///< "2.8 MB/s"
  count,          ///< a plain number
  count_or_word,  ///< a plain number or one of the words
  word,           ///< one of the words
  topology,       ///< "mesh:8x8"
};

/// One machine parameter.
struct Option {
  std::string_view key;
  OptionKind kind;
  std::uint64_t min;  ///< in Hz, bytes, cycles or bytes per second; both zero for words
  std::uint64_t max;
  std::string_view words;    ///< "real|fixed", in the order of the enumeration; empty without words
  std::string_view same_as;  ///< the key that this row is another spelling of; empty for a parameter itself
  std::string_view help;     ///< one sentence, without a full stop
  /// Sets the parameter. `machine` must have its final clock, and for link.bandwidth its final phit; the order of the
  /// table ensures both.
  std::optional<Problem> (*read)(const Option& option, std::string_view text, Machine& machine);
  /// The parameter's value as `read` takes it; empty for another spelling.
  std::string (*write)(const Option& option, const Machine& machine);
  /// The only type of node that has the parameter; none where both have it.
  std::optional<NodeModel> node{};
};

/// Whether the parameter has an effect on the type of node that `machine` has.
[[nodiscard]] bool applies(const Option& option, const Machine& machine);

/// All rows, in the order in which a machine is resolved: clock and phit come before the parameters that depend on
/// them.
[[nodiscard]] std::span<const Option> options();

/// The row of `key`, nullptr if there is none.
[[nodiscard]] const Option* find_option(std::string_view key);

/// Examples of the spelling: `"3800 cycles" or "95 us"`, `real or fixed`.
[[nodiscard]] std::string spelling(const Option& option);

/// The allowed values: "1 cycle to 1000000000000 cycles", "real or fixed".
[[nodiscard]] std::string range(const Option& option);

/// The value of a default-constructed Machine; "-" for another spelling.
[[nodiscard]] std::string default_value(const Option& option);

/// The help, and the type of node that has the parameter if only one does.
[[nodiscard]] std::string meaning_of(const Option& option);

/// The table for --help, lines of at most 120 columns.
[[nodiscard]] std::string options_as_text();

/// The machine as a TOML file that reads back as the same machine.
[[nodiscard]] std::string machine_as_toml(const Machine& machine);

}  // namespace ecube
