// SPDX-License-Identifier: Apache-2.0
// Texts that are nearly right: a good one, damaged at random.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/draws.h"

/// What readers trip over: limits of numbers, other scripts, ends of lines and files, marks of several languages.
inline const std::vector<std::string>& hostile_pieces() {
  static const std::vector<std::string> pieces = {"0",
                                                  "-1",
                                                  "1",
                                                  "010",
                                                  "1e99",
                                                  "-0",
                                                  "nan",
                                                  "inf",
                                                  "18446744073709551615",
                                                  "18446744073709551616",
                                                  "9223372036854775808",
                                                  "4294967296",
                                                  "2147483648",
                                                  "1.7976931348623157e308",
                                                  "0x10",
                                                  "1/0",
                                                  "400/7",
                                                  "1_000",
                                                  "\"",
                                                  "\"\"\"",
                                                  "'",
                                                  "[",
                                                  "]",
                                                  "[[",
                                                  "]]",
                                                  "{",
                                                  "}",
                                                  "=",
                                                  ",",
                                                  ":",
                                                  ";",
                                                  "#",
                                                  ".",
                                                  "..",
                                                  "/",
                                                  "\\",
                                                  "-",
                                                  "--",
                                                  "\n",
                                                  "\r\n",
                                                  "\r",
                                                  "\t",
                                                  " ",
                                                  std::string(1, '\0'),
                                                  "\xff",
                                                  "\xc3\x28",
                                                  "\xed\xa0\x80",
                                                  "\xef\xbb\xbf",
                                                  "\\u0000",
                                                  "\\ud800",
                                                  "true",
                                                  "false",
                                                  "null",
                                                  "us",
                                                  "cycles",
                                                  "cycle",
                                                  "MHz",
                                                  "KB",
                                                  "B/s",
                                                  "us/byte",
                                                  "1979-05-27T07:32:00Z",
                                                  "[[axis]]",
                                                  "[derived]",
                                                  "[workload]",
                                                  "values = [",
                                                  "linear = { from = 1, to = ",
                                                  "log2 = {",
                                                  "key = ",
                                                  "keys = [",
                                                  "name = ",
                                                  "base = ",
                                                  "machine = ",
                                                  "run = ",
                                                  "schema",
                                                  "arguments",
                                                  std::string(300, '9'),
                                                  std::string(300, '['),
                                                  std::string(5000, 'x')};
  return pieces;
}

/// `good` after one to eight random changes, each anywhere in it.
inline std::string damaged(std::string good, const std::string& other, Draws& draws) {
  const auto place = [&draws](const std::string& text) { return static_cast<std::size_t>(draws.up_to(text.size())); };
  for (auto changes = 1 + draws.up_to(draws.up_to(7)); changes > 0; --changes) {
    const std::size_t at = place(good);
    const auto length = static_cast<std::size_t>(draws.up_to(draws.up_to(3) == 0 ? 200 : 6));
    switch (draws.up_to(7)) {
      case 0:
        if (at < good.size()) good[at] = static_cast<char>(good[at] ^ (1 << draws.up_to(7)));
        break;
      case 1:
        good.erase(at, length);
        break;
      case 2:
        good.insert(at, good.substr(place(good), length));
        break;
      case 3:
        good.insert(at, other.substr(place(other), length));
        break;
      case 4:
        good.resize(at);
        break;
      case 5: {  // a number becomes another one
        const std::size_t digit = good.find_first_of("0123456789", at);
        if (digit == std::string::npos) break;
        const std::size_t end = std::min(good.find_first_not_of("0123456789", digit), good.size());
        good.replace(digit, end - digit, hostile_pieces()[draws.up_to(17)]);
        break;
      }
      default:
        good.insert(at, hostile_pieces()[draws.up_to(hostile_pieces().size() - 1)]);
    }
  }
  return good;
}
