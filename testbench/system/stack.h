// SPDX-License-Identifier: Apache-2.0
// Room on the stack, so that a small one is an error with a message and no crash.
#pragma once

namespace ecube {

/// Called first in main(). Raises the limit of the stack to 8 MiB where that is allowed. Gives the exit status 2, with
/// a message, where less than 1 MiB is allowed, else 0.
[[nodiscard]] int take_stack();

}  // namespace ecube
