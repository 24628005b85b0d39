// SPDX-License-Identifier: Apache-2.0
// Regular expressions of POSIX, matched by the C library: std::regex is compiled anew in each unit that has one, for
// seconds.
#pragma once

#include <regex.h>

#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ecube {

/// An extended expression, with \w of GNU. It takes the longest text at the first place where it can; `.` is any
/// character but NUL, and ^ and $ are the ends of the text.
class RegularExpression {
 public:
  enum class Letters { as_they_are, of_either_case };

  explicit RegularExpression(const std::string& expression, Letters letters = Letters::as_they_are) {
    if (regcomp(&compiled_, expression.c_str(), REG_EXTENDED | (letters == Letters::of_either_case ? REG_ICASE : 0)))
      throw std::invalid_argument(expression);
  }
  RegularExpression(const RegularExpression&) = delete;
  RegularExpression& operator=(const RegularExpression&) = delete;
  ~RegularExpression() { regfree(&compiled_); }

  /// The first place in `text`, then what each group is in it, of which one that takes no part is empty; nothing when
  /// there is no such place.
  [[nodiscard]] std::vector<std::string_view> find(std::string_view text) const {
    std::vector<regmatch_t> places(compiled_.re_nsub + 1);
    if (!run(text, places.size(), places.data())) return {};
    std::vector<std::string_view> found;
    for (const regmatch_t& place : places) {
      const auto size = static_cast<std::size_t>(place.rm_eo - place.rm_so);
      found.push_back(place.rm_so < 0 ? std::string_view() : text.substr(static_cast<std::size_t>(place.rm_so), size));
    }
    return found;
  }
  [[nodiscard]] bool is_in(std::string_view text) const {
    regmatch_t whole{};
    return run(text, 0, &whole);
  }

 private:
  /// `places[0]` says what the text is. std::bad_alloc when there is no memory for the search.
  bool run(std::string_view text, std::size_t groups, regmatch_t* places) const {
    places[0] = {.rm_so = 0, .rm_eo = static_cast<regoff_t>(text.size())};
    const int answer = regexec(&compiled_, text.empty() ? "" : text.data(), groups, places, REG_STARTEND);
    if (answer != 0 && answer != REG_NOMATCH) throw std::bad_alloc();
    return answer == 0;
  }

  regex_t compiled_{};
};

}  // namespace ecube
