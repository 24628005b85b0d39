// SPDX-License-Identifier: Apache-2.0
// Transcripts of commands and their answers (transcripts/README.md).
#pragma once

#include "tests/command/shell.h"

namespace transcript {

struct Row {
  char kind = ' ';
  std::string text;
  std::string where;  ///< file and line
};

struct Test {
  std::string suite;
  std::string name;
  std::vector<std::pair<std::string, std::vector<std::string>>> repeated{};  ///< {name} and what stands for it in turns
  std::vector<Row> rows{};
  std::size_t one_of = 1;  ///< by default one of so many turns is taken, in the long tests all
};

/// The tests of a text; a row that is none is a test that fails.
std::vector<Test> read(const std::string& text, const std::string& file);

/// What does not hold of a test; empty where everything does.
std::vector<std::string> complaints(const Test& test);

}  // namespace transcript
