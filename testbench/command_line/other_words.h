// SPDX-License-Identifier: Apache-2.0
// Words that people know from earlier versions, from MPI and from other simulators: what there is in their place.
#pragma once

#include <string>
#include <string_view>

namespace ecube {

/// The machine parameter of which an option of earlier versions was another name, without its dashes; empty for others.
[[nodiscard]] std::string_view parameter_of_old_option(std::string_view option);

/// What stands in the place of an option that no command has, as "it is a machine parameter: --set
/// library.barrier=step" for `option` "--barrier" with the value "step"; else as instead_of_word().
[[nodiscard]] std::string instead_of_old_option(std::string_view option, std::string_view value);

/// What there is in the place of a command or an option that no command has; empty for words that mean nothing here.
[[nodiscard]] std::string instead_of_word(std::string_view word);

}  // namespace ecube
