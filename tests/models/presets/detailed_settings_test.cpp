// SPDX-License-Identifier: Apache-2.0
// Parts of a detailed node that fit one another, and those that are refused, at both sides of each limit.
#include "models/machine/error.h"
#include "models/presets/presets.h"
#include "tests/test.h"

namespace ecube::detailed_settings_test {
namespace {

/// What is said of the detailed preset with settings: "" when it is taken.
std::string said(const std::vector<std::string>& settings, const char* machine = "ipsc860-node") {
  std::vector<Setting> all = preset_settings(preset(machine));
  for (const std::string& each : settings) all.push_back(parse_set(each));
  return thrown<InputError>([&] { return resolve(all); });
}

void expect_refused(const std::vector<std::string>& settings, const std::string& words) {
  EXPECT_HAS(said(settings), words) << settings.front();
}

TEST(DetailedNode, IsTakenWithPartsThatJustFit) {
  for (const std::vector<std::string>& settings : std::vector<std::vector<std::string>>{
           {"memory.page=256 B", "tlb.page=256 B", "memory.line=256 B"},  // pages of one line
           {"tlb.entries=0", "tlb.page=256 B", "memory.line=512 B"},      // no TLB, whatever its pages
           {"tlb.entries=4", "tlb.ways=4"},                               // one set
           {"tlb.entries=8", "tlb.ways=4"},                               // two
           {"tlb.entries=16", "tlb.ways=1"},                              // 16 sets of one
           {"cache.size=64 B", "cache.ways=2"},                           // a line in each way
           {"cache.size=128 B", "cache.ways=4"},                          // one set
           {"cache.write=through", "cache.allocate=read"},                // words go to memory
           {"cache.write=back", "cache.allocate=write"},                  //
           {"memory.transfer=1 cycle"},                                   //
           {"fifo.size=8 B"},                                             // a word of the bus
           {"library.combining=received"}}) {
    EXPECT_EQ(said(settings), "") << settings.front();
  }
}

TEST(DetailedNode, IsRefusedWithPartsThatDoNotFit) {
  expect_refused({"memory.page=256 B", "memory.line=512 B"}, "is longer than a page");
  expect_refused({"tlb.page=256 B", "memory.line=512 B"}, "is longer than a page");
  expect_refused({"memory.line=48 B"}, "is a power of two");
  expect_refused({"tlb.entries=12", "tlb.ways=4"}, "must be a power of two times tlb.ways");
  expect_refused({"tlb.entries=6", "tlb.ways=4"}, "must be a power of two times tlb.ways");
  expect_refused({"cache.size=64 B", "cache.ways=4"}, "must have room for a line in each way");
  expect_refused({"cache.ways=3"}, "must be a power of two");
  expect_refused({"cache.write=through", "cache.allocate=write"}, "needs cache.allocate = 'read'");
  expect_refused({"memory.transfer=0 cycles"}, "of a detailed node is at least 1 cycle");
  expect_refused({"fifo.size=12 B"}, "is no multiple of memory.bus");
  expect_refused({"library.combining=arriving"}, "is not known on a detailed node");
}

/// Programmed transfer takes what the loop takes that moves words, and no other machine has that time.
TEST(DetailedNode, KnowsTheTimeOfAProgrammedWord) {
  const auto word = [](const std::vector<std::string>& settings) {
    std::vector<Setting> all = preset_settings(preset("ipsc860-node"));
    for (const std::string& each : settings) all.push_back(parse_set(each));
    return resolve(all).detailed.programmed_word;
  };
  const Ratio none = DetailedNode{}.programmed_word;
  EXPECT_EQ(word({"node.transfer=dma"}), none);
  const Ratio programmed = word({"node.transfer=programmed"});
  EXPECT_FALSE(programmed == none);
  // A load, a put and two cycles of the branch for each word, and at most a miss with a page for each of its lines.
  EXPECT_GE(programmed.value(), 4);
  EXPECT_LE(programmed.value(), 4 + 1 + 24);
  // 512 words in the steady state: nothing of the begin is in it.
  EXPECT_EQ(programmed.den, 512U);
}

TEST(Settings, GivenTwiceByTheUserAreRefused) {
  const auto twice = [](const std::vector<std::string>& settings) {
    return said(settings, "ideal").find(" twice: ") != std::string::npos;
  };
  EXPECT_TRUE(twice({"library.send=1 us", "library.send=2 us"}));
  EXPECT_TRUE(twice({"library.send=1 us", "memory.page_miss=1 cycle", "library.send=1 us"}));
  EXPECT_FALSE(twice({"library.send=1 us", "library.receive=1 us"}));
}

/// In a file only the part behind the point is wrong, and only keys of its table are offered.
TEST(Settings, OfAFileAreCorrectedWithinTheirTable) {
  Setting setting = parse_set("library.snd=1 us");
  setting.origin.layer = Layer::file;
  const std::string message = thrown<InputError>([&] { return resolve({setting}); });
  EXPECT_HAS(message, "unknown key 'snd'");
  EXPECT_HAS(message, "did you mean 'send'?");
}

/// A set-up of a layer below the one that chose real distances does not count.
TEST(Settings, OfASetUpBelowRealDistancesAreIgnored) {
  std::vector<Setting> settings = preset_settings(preset("hull"));
  settings.push_back(parse_set("network.distance=real"));
  const Machine machine = resolve(settings);
  EXPECT_EQ(machine.network.distance, Distance::real);
  EXPECT_EQ(machine.network.setup_cycles, 0U);
}

}  // namespace
}  // namespace ecube::detailed_settings_test
