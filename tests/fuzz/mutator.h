// SPDX-License-Identifier: Apache-2.0
// Texts that are nearly right: a good one, damaged at random.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/draws.h"
#include "tests/places.h"
#include "tests/text_file.h"

/// A list of words.json, whose characters below 256 stand for bytes.
inline std::vector<std::string> listed(const char* list) {
  static const nlohmann::json all = nlohmann::json::parse(file_text(in_tree("tests/fuzz/words.json")));
  std::vector<std::string> words;
  for (const auto& each : all.at(list)) {
    const auto& text = each.get_ref<const std::string&>();
    std::string& word = words.emplace_back();
    for (std::size_t at = 0; at < text.size(); ++at) {
      const bool high = (text[at] & 0x80) != 0;
      word += high ? static_cast<char>((text[at] & 3) << 6 | (text[at + 1] & 0x3F)) : text[at];
      at += high ? 1 : 0;
    }
  }
  return words;
}

/// What readers trip over: limits of numbers, other scripts, ends of lines and files, marks of several languages.
inline const std::vector<std::string>& hostile_pieces() {
  static const std::vector<std::string> pieces = [] {
    std::vector<std::string> all = listed("pieces");
    all.insert(all.end(), {std::string(300, '9'), std::string(300, '['), std::string(5000, 'x')});
    return all;
  }();
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
