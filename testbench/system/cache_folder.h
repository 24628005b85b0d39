// SPDX-License-Identifier: Apache-2.0
// Where the program keeps files that it can make again, and believes.
#pragma once

#include <filesystem>
#include <string>

namespace ecube {

/// The folder `name` of the user's cache, XDG_CACHE_HOME/ecube or ~/.cache/ecube. Both are made where they are not
/// there, and are changed to be the user's alone (mode 0700). InputError when there is no place for them, and when they
/// belong to another user or others can write there: the program would run code of strangers.
[[nodiscard]] std::filesystem::path user_cache_folder(const std::string& name);

/// The same in the program's build tree, if the user has built it; else in the user's cache.
[[nodiscard]] std::filesystem::path cache_folder(const std::string& name);

}  // namespace ecube
