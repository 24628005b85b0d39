// SPDX-License-Identifier: Apache-2.0
// A lesson: runs of this machine, a grid of further runs, and statements about them that have to hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

/// The title of a lesson.
[[nodiscard]] std::string lesson_title(std::string_view name);

struct FinishedLesson {
  Json data;        ///< "lesson" of the page (testbench/lesson/README.md)
  Json statements;  ///< as of judge()
  std::uint64_t runs = 0;
};

/// Makes all runs of a lesson on its machine with these further settings ("key=value"). Runs that are replayed leave
/// run directories below `directory`. Without a directory it makes only the runs that the statements are about, leaves
/// no files, and `data` is null. InputError for a setting that the machine does not have.
[[nodiscard]] FinishedLesson run_lesson(const std::string& name, const std::vector<std::string>& settings,
                                        const std::string& directory);

/// The statements of a lesson's text, by their ids: "text", an inequality with its figures, for a person, and "holds".
/// The summaries are those of single runs by name, and those of the grid by their values with commas between them. A
/// figure that is not there, because a run did not finish, makes a statement false.
[[nodiscard]] Json judge(const Json& statements, const Json& summaries);

}  // namespace ecube
