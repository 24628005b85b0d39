// SPDX-License-Identifier: Apache-2.0
// Standard output that is whole or an error, and standard error that never stops a run.
#pragma once

namespace ecube {

/// Called first in main(). A standard stream that is closed is replaced, so that no file that is opened later takes
/// its number; notes to standard error that cannot be written are dropped; writing to a pipe that nobody reads, or
/// beyond the size that a file may have (ulimit -f), is an error of that write and not a signal. Both streams write as
/// shown_text.h says.
void prepare_standard_streams();

/// Called last. Writes what standard output still holds; gives the exit status, at least 1, with a message, when not
/// everything could be written. A reader that has left (`| head`) is no error.
[[nodiscard]] int finish_standard_output(int status);

/// True when standard output has failed: an exception thrown afterwards comes from that failure.
[[nodiscard]] bool standard_output_failed();

}  // namespace ecube
