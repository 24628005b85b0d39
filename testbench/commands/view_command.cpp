// SPDX-License-Identifier: Apache-2.0
// Opening the waveform of a traced run in GTKWave, or taking a picture of it where there is no display.
#include "testbench/commands/view_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "models/machine/error.h"
#include "testbench/system/atomic_file.h"
#include "testbench/system/child_process.h"
#include "testbench/system/program_files.h"
#include "testbench/system/staged_files.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

struct ViewArguments {
  std::string run;
  std::string picture;
};

/// A waveform with its layout, both in `directory`.
struct View {
  fs::path directory;
  std::string waves;
  std::string layout;
};

View view_of(const std::string& run) {
  const auto refuse = [&](const std::string& why) {
    throw ErrorText(fmt::format("{} {}", ecube::quoted(run), why))
        .hint("a run leaves a waveform and its layout when it is traced: ecube run ... -o DIR --trace waves.fst")
        .error();
  };
  std::error_code none;
  fs::path layout = run;
  if (fs::is_directory(layout, none)) {
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(layout, none)) {
      if (entry.path().extension() == ".gtkw") found.push_back(entry.path());
    }
    if (found.empty()) refuse("has no waveform with a layout in it");
    std::sort(found.begin(), found.end());
    if (found.size() > 1) {
      std::string names;
      for (const fs::path& one : found) names += (names.empty() ? "" : " | ") + one.string();
      throw ErrorText(fmt::format("{} has several layouts", ecube::quoted(run))).valid(names).error();
    }
    layout = found.front();
  }
  if (!fs::exists(layout, none)) refuse("does not exist");
  layout.replace_extension(".gtkw");
  if (!fs::exists(layout, none)) refuse("has no layout (.gtkw) beside it");
  for (const char* const ending : {".fst", ".vcd"}) {
    fs::path waves = layout;
    waves.replace_extension(ending);
    if (!fs::exists(waves, none)) continue;
    return {.directory = fs::absolute(layout, none).parent_path(),
            .waves = waves.filename().string(),
            .layout = layout.filename().string()};
  }
  refuse("has a layout, but no waveform beside it");
  return {};
}

void need(const std::string& program, const std::string& package) {
  if (on_path(program)) return;
  throw std::runtime_error(fmt::format("{} is not installed: {}as root, apt-get install {}", program,
                                       installed_files().empty() ? "./ecube view installs it, or, " : "", package));
}

/// A directory for the files of one call, removed with its contents.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "ecube-view-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory can be made");
    path_ = name;
  }
  ~Scratch() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

/// Runs a program in its own process group, for at most `seconds`; true when it ended well.
bool run_for(std::vector<std::string> words, const std::string& log, int seconds) {
  try {
    ChildProcess child(
        {.words = std::move(words), .output = ChildCommand::Output::file, .file = log, .own_group = true});
    const std::optional<ChildEnd> end = child.ended_within(std::chrono::seconds(seconds));
    return end && end->well();
  } catch (const std::runtime_error&) {
    return false;
  }
}

/// Traces that a layout asks for.
std::size_t traces_of(const std::string& layout) {
  std::ifstream stream(layout);
  std::size_t traces = 0;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("+{") || line.starts_with("-")) ++traces;
  }
  return traces;
}

/// A setting of GTKWave, which otherwise shows times in ns and in us beside each other: all in us.
constexpr const char* one_unit = "scale_to_time_dimension u";

int take_picture(const View& view, const std::string& picture) {
  need("gtkwave", "gtkwave");
  need("xvfb-run", "xvfb xauth");
  std::error_code none;
  const std::string target = fs::absolute(picture, none).string();
  if (!target.ends_with(".png")) {
    throw ErrorText(fmt::format("--picture {} is no PNG file", ecube::quoted(picture))).valid("FILE.png").error();
  }
  OutputFile output(target);
  const Scratch scratch;
  const std::string count = scratch.file("traces");
  const std::string grabbed = scratch.file("picture.png");
  std::ofstream(scratch.file("rc")) << "splash_disable 1\n" << one_unit << "\n";
  std::ofstream(scratch.file("grab.tcl")) << fmt::format(
      "set file [open {{{}}} w]\nputs $file [gtkwave::getTotalNumTraces]\nclose $file\n"
      "gtkwave::/File/Grab_To_File {{{}}}\ngtkwave::/File/Quit\n",
      count, grabbed);
  fs::current_path(view.directory);
  constexpr int seconds = 60;
  const bool ran = run_for({"xvfb-run", "-a", "-s", "-screen 0 1600x1000x24", "gtkwave", "-f", view.waves, "-a",
                            view.layout, "-r", scratch.file("rc"), "-S", scratch.file("grab.tcl")},
                           scratch.file("log"), seconds);
  std::size_t loaded = 0;
  std::ifstream(count) >> loaded;
  std::stringstream png;
  png << std::ifstream(grabbed, std::ios::binary).rdbuf();
  if (!ran || png.str().empty()) {
    std::ifstream log(scratch.file("log"));
    for (std::string line; std::getline(log, line);) fmt::print(stderr, "  {}\n", line);
    throw std::runtime_error("GTKWave took no picture; what it said is above");
  }
  output.put(png.str());
  output.commit();
  const std::size_t wanted = traces_of(view.layout);
  fmt::print("{}: {} of the layout's {} lines shown\n", picture, loaded, wanted);
  return loaded == wanted ? 0 : 1;
}

int open_view(const ViewArguments& arguments) {
  const View view = view_of(arguments.run);
  if (!arguments.picture.empty()) return take_picture(view, arguments.picture);
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) {
    fmt::print(
        "there is no display here. Where there is one, with these files:\n"
        "  cd {} && gtkwave -f {} -a {} --rcvar '{}'\n"
        "or take a picture:\n"
        "  {} view {} --picture waves.png\n",
        view.directory.string(), view.waves, view.layout, one_unit, own_command(), arguments.run);
    return 0;
  }
  need("gtkwave", "gtkwave");
  // The layout names its filter files without a directory.
  fs::current_path(view.directory);
  execlp("gtkwave", "gtkwave", "-f", view.waves.c_str(), "-a", view.layout.c_str(), "--rcvar", one_unit,
         static_cast<char*>(nullptr));
  throw std::runtime_error("gtkwave could not be started");
}

}  // namespace

void add_view(Command& app, Invocation& invocation) {
  const auto arguments = std::make_shared<ViewArguments>();
  Command& command = app.add_command("view", "The waveform of a traced run in GTKWave, most blocked links first");
  command.add_option("run", arguments->run, "Run directory, or a waveform (.fst, .vcd)").required();
  command.add_option("--picture", arguments->picture, "FILE.png: a picture of the window; needs no display");
  command.footer(
      "Examples:\n  ecube run exchange --dim 4 --schedule ordered -o runs/ordered --trace waves.fst\n"
      "  ecube view runs/ordered\n  ecube view runs/ordered --picture ordered.png");
  command.on_run([arguments, &invocation] { invocation.status = open_view(*arguments); });
}

}  // namespace ecube
