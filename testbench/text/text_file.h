// SPDX-License-Identifier: Apache-2.0
// Files that a user names, read whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "models/machine/error.h"

namespace ecube {

/// Wrong contents of a file. what() shows the line to the user who named the file on the command line. A study may name
/// any file, and what comes of it may be seen by others than its owner: for such a file discreet() says where the
/// mistake is, and shows no word of the file.
class ContentError : public InputError {
 public:
  ContentError(const InputError& shown, std::string discreet) : InputError(shown), discreet_(std::move(discreet)) {}
  [[nodiscard]] const std::string& discreet() const { return discreet_; }

 private:
  std::string discreet_;
};

/// The contents of a regular file of at most `most` bytes; `what` it is, for errors ("machine file"), and `valid` tells
/// what else could have been meant. InputError when there is none, it is a directory, a pipe or a device, or is larger.
/// No error shows anything of the contents.
[[nodiscard]] std::string read_file(const std::string& path, std::string_view what, std::uint64_t most,
                                    std::string_view valid = {});

}  // namespace ecube
