// SPDX-License-Identifier: Apache-2.0
// Lessons as offline pages.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "models/machine/error.h"
#include "testbench/lesson/lesson.h"
#include "testbench/report/page.h"
#include "testbench/run/commands.h"
#include "testbench/system/program_files.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

struct LessonArguments {
  std::string name;
  std::string directory;
  std::vector<std::string> set;
  bool json = false;
};

/// Names the statements that do not hold. Returns the exit status.
int tell(const nlohmann::ordered_json& statements) {
  const auto failed =
      std::count_if(statements.begin(), statements.end(), [](const auto& one) { return one["holds"] == false; });
  if (failed == 0) return 0;
  fmt::print(stderr, "{} of {} statements of the lesson do not hold on this machine:\n", failed, statements.size());
  for (const auto& [id, one] : statements.items()) {
    if (one["holds"] == false) fmt::print(stderr, "  {}: false is that {}\n", id, one["text"].get<std::string>());
  }
  return 1;
}

int make_lesson(const LessonArguments& arguments) {
  if (arguments.name.empty()) {
    if (arguments.json || !arguments.set.empty() || !arguments.directory.empty()) {
      throw InputError("--json, --set and -o need the name of a lesson").hint("see: ecube lesson");
    }
    for (const auto& [name, text] : lesson_texts) fmt::print("{:<16} {}\n", name, lesson_title(name));
    fmt::print("next: {} lesson {}\n", own_command(), lesson_texts[0].word);
    return 0;
  }
  const std::string title = lesson_title(arguments.name);
  std::string directory = arguments.directory.empty() ? "lesson-" + arguments.name : arguments.directory;
  if (arguments.json) directory.clear();
  FinishedLesson lesson = run_lesson(arguments.name, arguments.set, directory);
  if (arguments.json) {
    print_json("lesson", {{"lesson", arguments.name}, {"runs", lesson.runs}, {"statements", lesson.statements}});
    return tell(lesson.statements);
  }
  const std::string page = report_page(title, "lesson", {{"lesson", std::move(lesson.data)}});
  StagedFiles files(directory);
  files.write("lesson.html", page);
  files.move_each();
  fmt::print("{}/lesson.html: {}, one file, no network needed, from {} runs\n", directory,
             bytes_text(static_cast<double>(page.size())), grouped(lesson.runs));
  const int status = tell(lesson.statements);
  if (status == 0) fmt::print("all {} statements of the lesson hold on this machine\n", lesson.statements.size());
  return status;
}

}  // namespace

void add_lesson(Command& app, Invocation& invocation) {
  const auto arguments = std::make_shared<LessonArguments>();
  Command& command = app.add_command("lesson", "A lesson for a class as one offline page");
  command.add_option("name", arguments->name, "multiphase, hold-and-wait or saturation; all are listed when not given");
  command.add_option("-o,--output", arguments->directory,
                     "Directory for the page and its runs; lesson-NAME when not given");
  command.add_option("--set", arguments->set,
                     "Any machine parameter, as key=value; repeatable: does the lesson still hold?",
                     {.one_value_each = true});
  command.add_flag("--json", arguments->json, "Only the statements and whether they hold, as one JSON object; no page");
  command.footer(
      "Examples:\n"
      "  ecube lesson\n"
      "  ecube lesson multiphase\n"
      "  ecube lesson multiphase --set \"library.send=1 cycles\" -o lesson-fast\n\n"
      "Opened as lesson.html#answers, the page has all answers unfolded, to be printed. Exit status 1 when a statement "
      "of the lesson does not hold on the machine.");
  command.on_run([arguments, &invocation] { invocation.status = make_lesson(*arguments); });
}

}  // namespace ecube
