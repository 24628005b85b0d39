// SPDX-License-Identifier: Apache-2.0
// GTKWave, without a display: the layout of a traced run loads, and the picture has the colours of contention; what
// strangers put into a run directory is in transcripts/view.txt.
#include <fmt/core.h>
#include <png.h>

#include "tests/command/shell.h"

namespace view_test {
namespace {

/// The number of pixels of each colour, red << 16 | green << 8 | blue.
std::map<std::uint32_t, std::size_t> palette_of(const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, file.c_str()) == 0) return {};
  image.format = PNG_FORMAT_RGBA;
  std::vector<png_byte> pixels(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) == 0) return {};
  std::map<std::uint32_t, std::size_t> colours;
  for (std::size_t at = 0; at < pixels.size(); at += 4) {
    ++colours[std::uint32_t{pixels[at]} << 16 | std::uint32_t{pixels[at + 1]} << 8 | pixels[at + 2]];
  }
  return colours;
}

/// The colours of a traced run, of whose layout all of so many lines are shown.
std::map<std::uint32_t, std::size_t> colours_of(const std::string& run, const std::string& arguments, unsigned lines) {
  expect(ecube(fmt::format("run exchange {} --quiet -o {}", arguments, run)), 0);
  const Outcome view = expect(ecube(fmt::format("view {0} -o {0}.png", run), true), 0);
  EXPECT_EQ(view.output, fmt::format("{0}.png: {1} of the layout's {1} lines shown\n", run, lines));
  return palette_of(run + ".png");
}

constexpr std::uint32_t red = 0xFF0000;     // blocked
constexpr std::uint32_t orange = 0xFF8C00;  // held
constexpr std::uint32_t green = 0x228B22;   // data

// 12 links with state, owner and waiting, 16 programs in a group of two more lines, and two lines about the worst wait.
TEST(View, LoadsEverySignalAndShowsContentionInItsColoursAsThePages) {
  const Directory directory;
  std::map<std::uint32_t, std::size_t> shown = palette_of(in_tree("testbench/pictures/ordered.png"));
  for (const std::string format : {"fst", "vcd"}) {
    auto colours = colours_of(directory / format, "--dim 4 --bytes 32 --schedule ordered --trace waves." + format, 56);
    EXPECT_GT(colours[red], 2000U) << format;
    EXPECT_GT(colours[orange], 20U) << format;
    EXPECT_GT(colours[green], 500U) << format;
    // The picture of the pages is of this run. Fonts may differ.
    for (const std::uint32_t colour : {red, orange, green}) {
      const auto pixels = static_cast<double>(shown[colour]);
      EXPECT_NEAR(static_cast<double>(colours[colour]), pixels, 0.05 * pixels) << format << ' ' << colour;
    }
  }
}

TEST(View, LoadsAWaveformThatHasSignalsOfModulesToo) {
  const Directory directory;
  for (const std::string engine : {"clocked", "rtl"}) {
    auto colours = colours_of(directory / "run", "--dim 3 --schedule ordered --trace waves.fst --engine " + engine, 47);
    EXPECT_GT(colours[red], 500U);
    EXPECT_GT(colours[green], 500U);
  }
}

/// 4 nodes with program, core, cache, bus and write buffers, and 8 links with state and owner.
TEST(View, ShowsTheMemoryOfDetailedNodes) {
  const Directory directory;
  auto colours = colours_of(directory / "run",
                            "--machine ipsc860-node --dim 2 --bytes 64 --partition 1,1 --engine clocked "
                            "--trace waves.fst --trace-window 548us:558us",
                            38);
  EXPECT_GT(colours[green], 500U) << "the core issues";
  EXPECT_GT(colours[orange], 500U) << "the core waits";
  EXPECT_EQ(colours[red], 0U) << "nobody waits for a node";
}

TEST(View, OfARunWithoutContentionHasNoRed) {
  const Directory directory;
  ASSERT_EQ(ecube("run exchange --dim 4 --bytes 32 --quiet --trace waves.fst -o " + (directory / "run")).status, 0);
  EXPECT_EQ(ecube("view " + (directory / "run") + " -o " + (directory / "run.png")).status, 0);
  std::map<std::uint32_t, std::size_t> palette = palette_of(directory / "run.png");
  EXPECT_EQ(palette[red], 0U);
  EXPECT_GT(palette[green], 500U);
}

}  // namespace
}  // namespace view_test
