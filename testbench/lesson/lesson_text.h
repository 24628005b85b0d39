// SPDX-License-Identifier: Apache-2.0
// The lessons as they were written.
#pragma once

namespace ecube {

struct LessonText {
  const char* name;
  const char* plan;  ///< runs, grid and statements, as JSON
  const char* text;  ///< what the class reads, as HTML
};

inline constexpr unsigned lesson_count = 3;
extern const LessonText lesson_texts[lesson_count];

}  // namespace ecube
