// SPDX-License-Identifier: Apache-2.0
// Files that a test reads back.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/// The whole file; empty where there is no such file.
inline std::string file_text(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return std::move(text).str();
}

inline std::vector<std::string> file_lines(const std::string& file) {
  std::istringstream stream(file_text(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}
