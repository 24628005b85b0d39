// SPDX-License-Identifier: Apache-2.0
// Writes the documents that are made from the program's help and installed with it: manual page and bash completion.
// ecube_documents MANUAL_PAGE COMPLETION
#include <fmt/core.h>

#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "models/machine/machine_parameters.h"
#include "models/presets/presets.h"
#include "testbench/command_line/completion.h"
#include "testbench/command_line/manual_page.h"
#include "testbench/commands/program_commands.h"
#include "testbench/lesson/lesson.h"
#include "testbench/reproduction/results.h"
#include "testbench/run/run_arguments.h"
#include "testbench/system/atomic_file.h"
#include "testbench/version.h"

namespace {

using ecube::CommandText;

std::vector<ecube::CompletionValues> values() {
  ecube::CompletionValues machines{.of = "--machine", .words = {}, .files = true};
  for (const ecube::Preset& preset : ecube::presets()) machines.words.emplace_back(preset.name);
  ecube::CompletionValues names{.of = "machines", .words = machines.words};
  ecube::CompletionValues engines{.of = "--engine", .words = {}};
  for (const auto& engine : ecube::engines) engines.words.emplace_back(engine.word);
  ecube::CompletionValues parameters{.of = "--set", .words = {}};
  for (const ecube::Option& option : ecube::options()) parameters.words.push_back(std::string(option.key) + "=");
  ecube::CompletionValues results{.of = "reproduce", .words = {"list", "all"}};
  for (const ecube::PublishedResult& result : ecube::published_results()) results.words.emplace_back(result.id);
  const ecube::CompletionValues lessons{.of = "lesson", .words = ecube::lesson_names()};
  return {machines, names, engines, parameters, results, lessons};
}

std::vector<ecube::ManualSection> sections() {
  return {
      {.title = "FILES",
       .entries = {{"PREFIX/share/ecube/studies", "Studies to begin with, for ecube sweep."},
                   {"PREFIX/share/ecube/report/echarts.min.js",
                    "What ecube report, reproduce and lesson draw pages with."},
                   {"PREFIX/share/ecube/rtl", "The routers in SystemVerilog, which --engine rtl builds on first use."},
                   {"~/.cache/ecube/rtl",
                    "What was built of them. It can be removed at any time: it is built again when needed."}}},
      {.title = "ENVIRONMENT",
       .entries = {{"XDG_CACHE_HOME", "Takes the place of ~/.cache."},
                   {"CXX", "The compiler that --engine rtl uses for its build."},
                   {"NO_COLOR", "When it is set, no output has colours."}}},
      {.title = "SEE ALSO",
       .entries = {{"ecube machines --options", "Every parameter of a machine, with unit and range, for --set."},
                   {"PREFIX/share/doc/ecube/README.md", "What ecube is for, and where to go from there."},
                   {"PREFIX/share/doc/ecube/testbench/tutorials",
                    "Run, look, ask, check, teach, extend: six pages to "
                    "begin with."},
                   {"PREFIX/share/doc/ecube/hw/README.md", "The specification: what happens at which edge."},
                   {"gtkwave(1), verilator(1)", "What view and --engine rtl start."}}}};
}

}  // namespace

int sc_main(int argc, char** argv) {
  try {
    const std::span<char*> words(argv, static_cast<std::size_t>(argc));
    if (words.size() != 3) throw ecube::InputError("ecube_documents MANUAL_PAGE COMPLETION");
    ecube::Command app("ecube", ecube::program_description);
    ecube::Invocation invocation;
    ecube::add_commands(app, invocation);
    const CommandText text = app.text();
    ecube::write_file(words[1], manual_page(text, std::string("ecube ") + ecube::program_version, sections()));
    ecube::write_file(words[2], bash_completion(text, values()));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}
