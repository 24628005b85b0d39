// SPDX-License-Identifier: Apache-2.0
// GTKWave, without a display: the layout of a traced run loads, and the picture has the colours of contention. Nothing
// that a stranger puts into a run directory is run.
#include <fmt/core.h>
#include <zlib.h>

#include "tests/command/shell.h"

namespace view_test {
namespace {

/// The number of pixels of each colour, red << 16 | green << 8 | blue, in a PNG (8 bits a channel, not interlaced).
std::map<std::uint32_t, std::size_t> palette_of(const std::string& file) {
  const std::string bytes = file_text(file);
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  if (bytes.size() < 33) return {};
  const std::size_t width = number(16);
  const std::size_t height = number(20);
  const std::size_t channels = bytes[25] == 6 ? 4 : bytes[25] == 2 ? 3 : 0;
  if (bytes[24] != 8 || channels == 0) return {};
  std::string packed;
  for (std::size_t at = 8; at + 12 <= bytes.size(); at += 12 + number(at)) {
    if (bytes.compare(at + 4, 4, "IDAT") == 0) packed += bytes.substr(at + 8, number(at));
  }
  const std::size_t row = 1 + width * channels;
  std::vector<unsigned char> pixels(row * height);
  uLongf size = pixels.size();
  if (uncompress(pixels.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()) != Z_OK) return {};
  std::map<std::uint32_t, std::size_t> colours;
  for (std::size_t y = 0; y < height; ++y) {
    unsigned char* const line = &pixels[y * row + 1];
    const unsigned char* const above = y == 0 ? nullptr : line - row;
    for (std::size_t x = 0; x < width * channels; ++x) {
      const int left = x < channels ? 0 : line[x - channels];
      const int up = above == nullptr ? 0 : above[x];
      const int corner = above == nullptr || x < channels ? 0 : above[x - channels];
      int guess = 0;
      switch (pixels[y * row]) {
        case 1:
          guess = left;
          break;
        case 2:
          guess = up;
          break;
        case 3:
          guess = (left + up) / 2;
          break;
        case 4: {
          const int paeth = left + up - corner;
          const int to_left = std::abs(paeth - left);
          const int to_up = std::abs(paeth - up);
          const int to_corner = std::abs(paeth - corner);
          guess = to_left <= to_up && to_left <= to_corner ? left : to_up <= to_corner ? up : corner;
          break;
        }
        default:
          break;
      }
      line[x] = static_cast<unsigned char>(line[x] + guess);
    }
    for (std::size_t x = 0; x < width; ++x) {
      const unsigned char* const pixel = line + x * channels;
      ++colours[static_cast<std::uint32_t>(pixel[0]) << 16 | static_cast<std::uint32_t>(pixel[1]) << 8 | pixel[2]];
    }
  }
  return colours;
}

constexpr std::uint32_t red = 0xFF0000;     // blocked
constexpr std::uint32_t orange = 0xFF8C00;  // held
constexpr std::uint32_t green = 0x228B22;   // data

TEST(View, LoadsEverySignalAndShowsContentionInItsColours) {
  const Directory directory;
  for (const char* const format : {"fst", "vcd"}) {
    const std::string run = directory / format;
    const std::string file = fmt::format("waves.{}", format);
    expect(ecube(fmt::format("run exchange --dim 4 --bytes 32 --schedule ordered --quiet --trace {} -o {}", file, run)),
           0);
    const Outcome view = ecube(fmt::format("view {0} --picture {0}.png", run), true);
    // 12 links with state, owner and waiting, 16 programs, and two lines about the worst wait.
    EXPECT_EQ(view.output, run + ".png: 54 of the layout's 54 lines shown\n");
    EXPECT_EQ(view.status, 0);
    std::map<std::uint32_t, std::size_t> palette = palette_of(run + ".png");
    EXPECT_GT(palette[red], 2000U) << format;
    EXPECT_GT(palette[orange], 20U) << format;
    EXPECT_GT(palette[green], 500U) << format;
  }
}

TEST(View, LoadsAWaveformThatHasSignalsOfModulesToo) {
  const Directory directory;
  const std::string run = directory / "run";
  for (const char* const engine : {"clocked", "rtl"}) {
    expect(ecube(fmt::format("run exchange --dim 3 --schedule ordered --engine {} --quiet --trace waves.fst -o {}",
                             engine, run)),
           0);
    const Outcome view = ecube(fmt::format("view {0} --picture {0}.png", run), true);
    EXPECT_HAS(view.output, "45 of the layout's 45 lines shown");
    std::map<std::uint32_t, std::size_t> palette = palette_of(run + ".png");
    EXPECT_GT(palette[red], 500U);
    EXPECT_GT(palette[green], 500U);
  }
}

/// 4 nodes with program, core, cache, bus and write buffers, and 8 links with state and owner.
TEST(View, ShowsTheMemoryOfDetailedNodes) {
  const Directory directory;
  const std::string run = directory / "run";
  const std::string exchange =
      "run exchange --machine ipsc860-node --dim 2 --bytes 64 --partition 1,1 --engine clocked";
  ASSERT_EQ(ecube(exchange + " --quiet --trace waves.fst --trace-window 548us:558us -o " + run).status, 0);
  EXPECT_EQ(ecube(fmt::format("view {0} --picture {0}.png", run), true).output,
            run + ".png: 36 of the layout's 36 lines shown\n");
  std::map<std::uint32_t, std::size_t> palette = palette_of(run + ".png");
  EXPECT_GT(palette[green], 500U) << "the core issues";
  EXPECT_GT(palette[orange], 500U) << "the core waits";
  EXPECT_EQ(palette[red], 0U) << "nobody waits for a node";
}

TEST(View, OfARunWithoutContentionHasNoRed) {
  const Directory directory;
  ASSERT_EQ(ecube("run exchange --dim 4 --bytes 32 --quiet --trace waves.fst -o " + (directory / "run")).status, 0);
  EXPECT_EQ(ecube("view " + (directory / "run") + " --picture " + (directory / "run.png")).status, 0);
  std::map<std::uint32_t, std::size_t> palette = palette_of(directory / "run.png");
  EXPECT_EQ(palette[red], 0U);
  EXPECT_GT(palette[green], 500U);
}

TEST(View, ASignalThatTheWaveformDoesNotHaveIsNoticed) {
  const Directory directory;
  const std::string waves = directory / "waves.fst";
  ASSERT_EQ(ecube("run exchange --dim 3 --schedule ordered --quiet --trace " + waves).status, 0);
  std::ofstream(directory / "waves.gtkw", std::ios::app) << "@24\n+{ghost} cube.node99.router.link0.waiting[7:0]\n";
  expect(ecube("view " + waves + " --picture " + (directory / "run.png"), true), 1, {"45 of the layout's 46 lines"});
}

TEST(View, SaysHowWhereThereIsNoDisplay) {
  const Directory directory;
  const std::string run = "'" + (directory / "the run") + "'";
  ASSERT_EQ(ecube("run exchange --dim 3 --quiet --trace waves.fst -o " + run).status, 0);
  expect(shell("env -u DISPLAY -u WAYLAND_DISPLAY " ECUBE_PROGRAM " view " + run), 0,
         {" view " + run + " --picture waves.png\n"});
  EXPECT_EQ(ecube("view " + (directory / "none")).status, 2);
  EXPECT_EQ(ecube("view " + run + " --picture " + (directory / "picture.txt")).status, 2);
}

/// A traced run whose directory a stranger can change.
class HostileRun : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(std::filesystem::create_directory(run_));
    ASSERT_EQ(ecube("run exchange --dim 2 --quiet --trace " + run_ + "/w.fst").status, 0);
  }
  void TearDown() override { EXPECT_FALSE(std::filesystem::exists(canary_)) << "a stranger's program ran"; }

  [[nodiscard]] Outcome picture(const std::string& of) const {
    return ecube("view " + of + " --picture " + (directory_ / "run.png"), true);
  }
  /// `lines` in the place of GTKWave, with a display; it ends as GTKWave does without a further line.
  [[nodiscard]] std::string gtkwave(const std::string& lines) const {
    std::filesystem::create_directories(directory_ / "bin");
    std::filesystem::create_directories(directory_ / "temporary");
    std::ofstream(directory_ / "bin/gtkwave") << "#!/bin/sh\n" << lines;
    std::filesystem::permissions(directory_ / "bin/gtkwave", std::filesystem::perms::owner_all);
    return fmt::format("env DISPLAY=:0 TMPDIR={} PATH={}:\"$PATH\" ", directory_ / "temporary", directory_ / "bin");
  }

  Directory directory_;
  std::string run_ = directory_ / "run";
  std::string canary_ = directory_ / "canary";
};

TEST_F(HostileRun, ALayoutThatNamesAProgramIsRefusedWithItsLine) {
  std::ofstream(run_ + "/filter.sh") << "#!/bin/sh\ntouch " << canary_ << "\ncat\n";
  std::filesystem::permissions(run_ + "/filter.sh", std::filesystem::perms::owner_all);
  const std::string layout = run_ + "/w.gtkw";
  std::ofstream(layout) << "[*] ecube\n[dumpfile] \"w.fst\"\n@4022\n^>1 ./filter.sh\n"
                           "+{program 0} cube.node0.program_code[2:0]\n";
  expect(picture(run_), 2, {"w.gtkw:3:1\n3 | @4022\n"});
  for (const char* const line : {"^>1 ./filter.sh", "^<1 ./filter.sh", "^1>./filter.sh", "[savefile] \"w\"", "+{} a",
                                 "+{a} a;b", "-\x1b[2J", "*-1.0 0", "[timestart] 1 2", "@2024 ", " "}) {
    std::ofstream(layout) << "[*] ecube\n" << line << "\n";
    const Outcome outcome = picture(run_);
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_HAS(outcome.output, "w.gtkw:2:1\n");
    EXPECT_EQ(outcome.output.find('\x1b'), std::string::npos);
  }
  for (const std::size_t length : {std::size_t{5000}, std::size_t{1} << 20U}) {
    std::ofstream(layout) << "-" << std::string(length, 'a') << "\n";
    EXPECT_EQ(picture(run_).status, 2) << "a line of " << length << " characters";
  }
  EXPECT_FALSE(std::filesystem::exists(directory_ / "run.png"));
}

TEST_F(HostileRun, NothingThatIsBesideTheWaveformReachesGtkwave) {
  std::ofstream(run_ + "/.gtkwaverc") << "editor \"touch canary\"\n";
  std::ofstream(run_ + "/w.links.filter") << "0 ?Red?hostile\n";
  const std::string seen = directory_ / "seen";
  // Settings are read in the directory in which GTKWave starts.
  const std::string start = gtkwave(
      fmt::format("test -e .gtkwaverc && touch {0}\n{{ stat -c %a . && echo * .[a-z]* && echo \"$@\" && cat *.filter\n"
                  "  cmp waves.fst {1}/w.fst; }} >{2} 2>&1\n",
                  canary_, run_, seen));
  const std::vector<std::string> before = directory_.files("run");
  EXPECT_EQ(shell(start + ECUBE_PROGRAM " view " + run_ + " 2>&1").status, 0);
  std::vector<std::string> lines = file_lines(seen);
  const std::vector<std::string> rest(lines.begin() + 3, lines.end());
  lines.resize(3);
  EXPECT_EQ(lines, (std::vector<std::string>{"700",
                                             "log settings waves.buses.filter waves.caches.filter waves.cores.filter "
                                             "waves.fst waves.gtkw waves.links.filter waves.programs.filter .[a-z]*",
                                             "-f waves.fst -a waves.gtkw -r settings"}));
  EXPECT_EQ(rest.front(), "0 idle");
  for (const std::string& line : rest) EXPECT_FALSE(std::regex_search(line, std::regex("hostile|differ"))) << line;
  EXPECT_EQ(directory_.files("run"), before);
  EXPECT_TRUE(directory_.files("temporary").empty());
}

TEST_F(HostileRun, TheNameOfAWaveformIsNoLineOfALayout) {
  const std::string name = "w\n^>1 touch canary .fst";
  expect(ecube("run exchange --dim 2 --quiet --trace '" + run_ + "/" + name + "'", true), 2,
         {"valid: letters a to z, digits, blanks, and . _ - + = , @"});
  EXPECT_EQ(directory_.files("run"),
            (std::vector<std::string>{"w.fst", "w.gtkw", "w.links.filter", "w.pftrace", "w.programs.filter"}));
  // As earlier versions wrote the layout of such a waveform.
  std::filesystem::rename(run_ + "/w.fst", run_ + "/" + name);
  std::filesystem::remove(run_ + "/w.gtkw");
  std::ofstream(run_ + "/w\n^>1 touch canary .gtkw")
      << "[*] ecube\n[dumpfile] \"" << name << "\"\n@2024\n^2 w\n^>1 touch canary .programs.filter\n"
      << "+{program 0} cube.node0.program_code[2:0]\n";
  const std::vector<std::string> before = directory_.files("run");
  expect(picture(run_), 2, {":3:1\n3 | ^>1 touch canary .fst"});
  EXPECT_EQ(directory_.files("run"), before);
}

TEST_F(HostileRun, LinksAndPipesAreNoFilesOfARun) {
  for (const char* const file : {"w.fst", "w.gtkw"}) {
    const std::string path = run_ + "/" + file;
    const std::string behind = directory_ / file;
    std::filesystem::rename(path, behind);
    std::filesystem::create_symlink(behind, path);
    EXPECT_EQ(picture(run_).status, 2) << file << " is a link";
    std::filesystem::remove(path);
    ASSERT_EQ(shell("mkfifo " + path).status, 0);
    EXPECT_EQ(picture(path).status, 2) << file << " is a pipe";
    std::filesystem::rename(behind, path);
  }
}

TEST_F(HostileRun, AnInterruptedViewLeavesNothing) {
  const std::string start = gtkwave("touch " + (directory_ / "started") + "\nexec sleep 60\n");
  const Outcome view = expect(shell("{ " + start + ECUBE_PROGRAM " view " + run_ + " 2>&1 & } && until test -e " +
                                    (directory_ / "started") + "; do sleep 0.01; done; kill -TERM $!; wait $!"),
                              130);
  EXPECT_EQ(view.output, "interrupted while GTKWave was running\n");
  EXPECT_TRUE(directory_.files("temporary").empty());
}

}  // namespace
}  // namespace view_test
