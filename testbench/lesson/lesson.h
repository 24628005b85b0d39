// SPDX-License-Identifier: Apache-2.0
// A lesson: what a class reads, and statements about runs that have to hold.
#pragma once

#include "testbench/run/run_arguments.h"
#include "testbench/text/json_text.h"

namespace ecube {

/// A lesson as it was written.
struct LessonText {
  const char* plan;  ///< runs, grid and statements, as JSON
  const char* text;  ///< what the class reads, as HTML
};
inline constexpr unsigned lesson_count = 3;
/// By name, in the order in which a class takes them.
extern const Word<LessonText> lesson_texts[lesson_count];

/// The statements of a lesson's text, by their ids: "text", an inequality with its figures, for a person, and "holds".
/// The summaries are those of single runs by name, and those of the grid by their values with commas between them. A
/// figure that is not there, because a run did not finish, makes a statement false.
[[nodiscard]] Json judge(const Json& statements, const Json& summaries);

}  // namespace ecube
