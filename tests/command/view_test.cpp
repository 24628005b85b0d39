// SPDX-License-Identifier: Apache-2.0
// GTKWave, without a display: the layout of a traced run loads, and the picture has the colours of contention; what
// strangers put into a run directory is in transcripts/view.txt.
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
  std::map<std::uint32_t, std::size_t> shown = palette_of(ECUBE_ROOT "/testbench/pictures/ordered.png");
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
