// SPDX-License-Identifier: Apache-2.0
// What a stranger may write, and the reader of each.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

/// Where readers of files find the text that is tried.
struct FuzzPlace {
  std::string directory;  ///< of this process alone
  std::string run;        ///< a run directory in it
};

struct FuzzTarget {
  std::string name;
  /// Good texts, to be damaged.
  std::function<std::vector<std::string>(const FuzzPlace& place)> seeds;
  /// True when the text is taken, false when it is refused as bad input. Any other end is a defect.
  std::function<bool(const std::string& text, const FuzzPlace& place)> takes;
};

[[nodiscard]] std::span<const FuzzTarget> fuzz_targets();

/// A place with the files of a run of four nodes.
[[nodiscard]] FuzzPlace fuzz_place(const std::string& directory);
