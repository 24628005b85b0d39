// SPDX-License-Identifier: Apache-2.0
// How much memory a run may take.
#pragma once

#include <cstdint>
#include <string_view>

namespace ecube {

/// Bytes that this program may take, within the limits of the machine, the process (ulimit -v) and its container.
[[nodiscard]] std::uint64_t available_memory();

/// Called first in main(). Where no memory is left, the program ends with status 2 and a message, whatever it is doing:
/// libraries allocate in destructors too, where std::bad_alloc would be a crash.
void end_without_memory();

/// InputError when `what` needs more than that; `valid` says what would need less.
void require_memory(std::uint64_t bytes, std::string_view what, std::string_view valid);

/// Called first in main(). Raises the limit of the stack to 8 MiB where that is allowed. Gives the exit status 2, with
/// a message, where less than 1 MiB is allowed, else 0.
[[nodiscard]] int take_stack();

}  // namespace ecube
