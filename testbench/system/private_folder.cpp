// SPDX-License-Identifier: Apache-2.0
// Making and removing temporary folders.
#include "testbench/system/private_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace ecube {

namespace fs = std::filesystem;

PrivateFolder::PrivateFolder() : path_((fs::temp_directory_path() / "ecube-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) throw std::system_error(errno, std::generic_category(), path_);
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace ecube
