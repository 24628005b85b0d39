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

/// What stands between the places where `between` stands; nothing for an empty text, nor behind a last one.
inline std::vector<std::string> pieces_of(const std::string& text, char between) {
  std::istringstream stream(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(stream, part, between);) parts.push_back(part);
  return parts;
}

inline std::vector<std::string> lines_in(const std::string& text) { return pieces_of(text, '\n'); }
inline std::vector<std::string> file_lines(const std::string& file) { return lines_in(file_text(file)); }
