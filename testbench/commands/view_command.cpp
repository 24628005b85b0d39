// SPDX-License-Identifier: Apache-2.0
// Opening the waveform of a traced run in GTKWave, or taking a picture of it where there is no display.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>

#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "testbench/publication/published_files.h"
#include "testbench/run/commands.h"
#include "testbench/system/child_process.h"
#include "testbench/system/open_files.h"
#include "testbench/system/process.h"
#include "testbench/system/program_files.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/text.h"
#include "testbench/trace/waves/wave_layout.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

struct ViewArguments {
  std::string run;
  std::string picture;
};

struct View {
  FileDescriptor waves;
  std::string waves_name;  ///< waves.fst or waves.vcd
  std::string layout;
};

[[noreturn]] void refuse_view(const std::string& run, const std::string& why) {
  throw InputError(fmt::format("{} {}", ecube::quoted(run), why))
      .hint("a run leaves a waveform and its layout when it is traced: ecube run ... -o DIR --trace waves.fst");
}

std::string layout_in(const FileDescriptor& file, const std::string& run) {
  constexpr std::size_t more_than_any = 1U << 16U;
  std::string text(more_than_any, '\0');
  const ssize_t length = pread(file.number(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  if (text.size() == more_than_any) refuse_view(run, "has a layout that is longer than any of a run");
  return text;
}

/// The view of the layout STEM.gtkw, by a way to open files of its directory.
View view_of(const std::string& run, const std::string& stem,
             const std::function<FileDescriptor(const std::string&)>& opened) {
  const FileDescriptor layout = opened(stem + ".gtkw");
  if (!layout.is_open()) refuse_view(run, "has no layout (.gtkw) beside it");
  for (const std::string ending : {".fst", ".vcd"}) {
    FileDescriptor waves = opened(stem + ending);
    if (!waves.is_open()) continue;
    const std::string name = "waves" + ending;
    return {.waves = std::move(waves),
            .waves_name = name,
            .layout = remade_layout(layout_in(layout, run), stem + ".gtkw", name)};
  }
  refuse_view(run, "has a layout, but no waveform beside it");
}

View view_of_directory(const std::string& run) {
  const auto is_layout = [](std::string_view name) { return name.ends_with(".gtkw"); };
  const PublishedFiles files(
      run, [&](std::string_view name) { return is_layout(name) || name.ends_with(".fst") || name.ends_with(".vcd"); });
  std::vector<std::string> layouts = files.names();
  std::erase_if(layouts, std::not_fn(is_layout));
  if (layouts.empty()) refuse_view(run, "has no waveform with a layout in it");
  if (layouts.size() > 1) {
    std::string names;
    for (const std::string& one : layouts) names += (names.empty() ? "" : " | ") + ecube::quoted(files.shown(one));
    throw InputError(fmt::format("{} has several layouts", ecube::quoted(run))).valid(names);
  }
  return view_of(run, fs::path(layouts.front()).stem().string(), [&](const std::string& name) {
    return FileDescriptor(files.has(name) ? open(files.path(name).c_str(), O_RDONLY | O_CLOEXEC) : -1);
  });
}

View view_of(const std::string& run) {
  std::error_code none;
  if (fs::is_directory(run, none)) return view_of_directory(run);
  if (!fs::exists(run, none)) refuse_view(run, "does not exist");
  const fs::path file = run;
  const OpenDirectory directory(file.has_parent_path() ? file.parent_path().string() : ".");
  return view_of(run, file.stem().string(), [&](const std::string& name) { return directory.open_file(name); });
}

void need(const std::string& program, const std::string& package) {
  if (on_path(program)) return;
  throw std::runtime_error(fmt::format("{} is not installed: {}as root, apt-get install {}", program,
                                       installed_files().empty() ? "./ecube view installs it, or, " : "", package));
}

/// The words that start GTKWave in `scratch`, which gets its files. GTKWave reads settings in its directory and makes
/// files beside the waveform: none but this program's may be there.
std::vector<std::string> gtkwave_in(const PrivateFolder& scratch, const View& view) {
  // The open file, whatever becomes of its name.
  fs::create_symlink(fmt::format("/proc/{}/fd/{}", getpid(), view.waves.number()), scratch.file(view.waves_name));
  write_file(scratch.file("waves.gtkw"), view.layout);
  // GTKWave does not save a changed layout where it would be lost.
  fs::permissions(scratch.file("waves.gtkw"), fs::perms::owner_read);
  for (const WaveFilter& filter : wave_filters(true)) write_file(scratch.file("waves" + filter.ending), filter.text);
  // Otherwise GTKWave shows times in ns and in us beside each other.
  write_file(scratch.file("settings"), "splash_disable 1\nscale_to_time_dimension u\n");
  return {"gtkwave", "-f", view.waves_name, "-a", "waves.gtkw", "-r", "settings"};
}

/// Runs a program in `scratch` for at most `most`, in its own process group; true when it ended well. Ctrl-C ends it.
bool run_for(std::vector<std::string> words, const PrivateFolder& scratch, std::chrono::milliseconds most) {
  ChildProcess child({.words = std::move(words),
                      .directory = scratch.path(),
                      .output = ChildCommand::Output::file,
                      .file = scratch.file("log"),
                      .own_group = true});
  constexpr auto pause = std::chrono::milliseconds(20);
  for (auto left = most; left >= pause; left -= pause) {
    if (const std::optional<ChildEnd> end = child.ended_within({})) return end->well();
    if (interrupt_wanted()) throw Interrupted("while GTKWave was running");
    std::this_thread::sleep_for(pause);
  }
  return false;
}

[[noreturn]] void gtkwave_failed(const PrivateFolder& scratch, const std::string& what) {
  std::ifstream log(scratch.file("log"));
  std::string line;
  for (unsigned left = 20; left > 0 && std::getline(log, line); --left) fmt::print(stderr, "  {}\n", line);
  throw std::runtime_error(what + "; what it said is above");
}

std::size_t traces_of(const std::string& layout) {
  const auto is_trace = [](std::string_view line) { return line.starts_with("+{") || line.starts_with("-"); };
  return static_cast<std::size_t>(std::ranges::count_if(split(layout, '\n'), is_trace));
}

int take_picture(const View& view, const std::string& picture) {
  need("gtkwave", "gtkwave");
  need("xvfb-run", "xvfb xauth");
  if (!picture.ends_with(".png")) {
    throw InputError(fmt::format("-o {} is no PNG file", ecube::quoted(picture))).valid("FILE.png");
  }
  OutputFile output(picture);
  const PrivateFolder scratch;
  std::vector<std::string> words = gtkwave_in(scratch, view);
  words.insert(words.begin(), {"xvfb-run", "-a", "-s", "-screen 0 1600x1000x24"});
  words.insert(words.end(), {"-S", "grab.tcl"});
  write_file(scratch.file("grab.tcl"),
             "set file [open traces w]\nputs $file [gtkwave::getTotalNumTraces]\nclose $file\n"
             "gtkwave::/File/Grab_To_File picture.png\ngtkwave::/File/Quit\n");
  const bool ran = run_for(std::move(words), scratch, std::chrono::minutes(1));
  std::size_t loaded = 0;
  std::ifstream(scratch.file("traces")) >> loaded;
  std::stringstream png;
  png << std::ifstream(scratch.file("picture.png"), std::ios::binary).rdbuf();
  if (!ran || png.str().empty()) gtkwave_failed(scratch, "GTKWave took no picture");
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
    const std::string command = own_command() + " view " + shell_word(arguments.run);
    fmt::print(
        "no display found. On a machine with one, or after ssh -X, run:\n"
        "  {0}\n"
        "or take a picture:\n"
        "  {0} -o waves.png\n",
        command);
    return 0;
  }
  need("gtkwave", "gtkwave");
  const PrivateFolder scratch;
  constexpr auto for_ever = std::chrono::milliseconds::max();
  if (!run_for(gtkwave_in(scratch, view), scratch, for_ever)) gtkwave_failed(scratch, "GTKWave ended with an error");
  return 0;
}

}  // namespace

void add_view(Command& app, Invocation& invocation) {
  const auto [command, arguments] =
      add_action<ViewArguments>(app, invocation, "view", "The waveform of a traced run in GTKWave", open_view);
  command.add_option("run", arguments.run, "Run directory, or a waveform (.fst, .vcd)", {.required = true});
  command.add_option("-o,--output", arguments.picture, "FILE.png: a picture of the window; needs no display");
}

}  // namespace ecube
