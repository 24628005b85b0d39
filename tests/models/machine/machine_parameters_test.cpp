// SPDX-License-Identifier: Apache-2.0
// The option table, and the machines that settings make.
#include "models/machine/machine_parameters.h"

#include "models/presets/presets.h"
#include "models/presets/settings.h"
#include "tests/machines.h"
#include "tests/test.h"

namespace ecube::machine_parameters_test {
namespace {

Setting set(const std::string& argument) { return parse_set(argument); }

Machine machine(const std::vector<Setting>& settings) { return resolve(settings); }

TEST(OptionTable, HasEveryKeyOnce) {
  std::vector<std::string_view> keys;
  for (const Option& option : options()) keys.push_back(option.key);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST(OptionTable, WritesEveryDefaultSoThatItReadsBack) {
  for (const Option& option : options()) {
    if (!option.same_as.empty()) continue;
    Machine read;
    EXPECT_FALSE(option.read(option, option.write(option, Machine{}), read)) << option.key;
    EXPECT_EQ(option.write(option, read), option.write(option, Machine{})) << option.key;
    EXPECT_EQ(default_value(option), option.write(option, Machine{})) << option.key;
  }
}

TEST(OptionTable, RefusesWhatIsBeyondTheRange) {
  for (const Option& option : options()) {
    Machine ignored;
    for (const char* const text : {"", "nonsense", "-1", "nan", "1e99", "\xff", "99999999999999999999 MHz",
                                   "99999999999999999999 cycles", "2000000000001 cycles"}) {
      EXPECT_TRUE(option.read(option, text, ignored)) << option.key << " = " << text;
    }
  }
}

TEST(Settings, OfAHigherLayerOverrideThoseOfALowerOne) {
  std::vector<Setting> settings = settings_with("ideal", {});
  settings.insert(settings.begin(), set("link.phit=4 B"));
  EXPECT_EQ(machine(settings).link.phit_bytes, 4U);
}

TEST(Settings, ThatAreGivenTwiceAreRefusedEvenWhenTheyAgree) {
  EXPECT_HAS(refusal({set("node.ports=n"), option_setting("node.ports", "n", "--ports n")}),
             "node.ports is given twice");
  for (const char* const second : {"link.phit=8 B", "link.phit=4 B", " link.phit = \"4 B\""}) {
    const std::string text = refusal({set("link.phit=4 B"), set("clock=20 MHz"), set(second)});
    EXPECT_HAS(text, "link.phit is given twice");
    EXPECT_HAS(text, std::string("--set ") + second);
  }
  EXPECT_LACKS(refusal({set("library.send=1 us"), set("library.receive=1 us")}), " twice");
}

TEST(Settings, OfANodeThatIsTooSlowForExactTimesAreRefused) {
  const auto slow = [](const char* cycles) {
    return std::vector<Setting>{set("link.phit=8 B"), set("memory.bus=8 B"),
                                set(std::string("memory.transfer=") + cycles)};
  };
  EXPECT_EQ(machine(slow("1000000 cycles")).phit_cycles(), (Ratio{1'000'000, 1}));
  for (const char* const cycles : {"1000001 cycles", "16777216 cycles", "1000000000000 cycles"}) {
    const std::string text = refusal(slow(cycles));
    EXPECT_HAS(text, "more than 1000000 cycles to move 8 B (link.phit)");
    EXPECT_HAS(text, std::string("--set memory.transfer=") + cycles);
  }
}

TEST(Settings, InSecondsCountTheFinalClock) {
  EXPECT_EQ(machine({set("library.send=95 us"), set("clock=80 MHz")}).library.send_cycles, 7600U);
  EXPECT_EQ(machine({set("library.send=95 us"), set("core.clock=20 MHz")}).library.send_cycles, 1900U);
  EXPECT_EQ(machine({set("router.route=95 us"), set("core.clock=20 MHz")}).router.route_cycles, 3800U);
}

TEST(Settings, OfTheCoreFollowTheClockUnlessGiven) {
  EXPECT_EQ(machine({set("clock=20 MHz")}).core.clock_hz, 20e6);
  EXPECT_EQ(machine({set("clock=20 MHz"), set("core.clock=80 MHz")}).core.clock_hz, 80e6);
}

TEST(Settings, WithAnUnknownKeyNameTheNearest) {
  EXPECT_HAS(refusal({set("link.bandwith=2.8 MB/s")}), "did you mean 'link.bandwidth'?");
  EXPECT_HAS(refusal({set("librray.send=1 us")}), "library.send");
}

TEST(Settings, ThatContradictEachOtherNameBoth) {
  const std::string buffer =
      refusal({set("library.protocol=unforced"), set("library.threshold=200 B"), set("library.buffer=100 B")});
  EXPECT_HAS(buffer, "library.threshold is 200 B");
  EXPECT_HAS(buffer, "library.buffer, 100 B");
  const std::string twice = refusal({set("link.bandwidth=1 MB/s"), set("link.cycles_per_phit=3 cycles")});
  EXPECT_HAS(twice, "link.bandwidth");
  EXPECT_HAS(twice, "link.cycles_per_phit");
  EXPECT_HAS(refusal({set("network.distance=fixed")}), "network.setup");
  EXPECT_HAS(refusal({set("network.setup=480 cycles")}), "network.distance");
  EXPECT_HAS(refusal({set("clock=0 MHz")}), "clock");
}

TEST(Settings, WithPaddingBelowTheDiameterAreRefusedForThatDimension) {
  const Machine padded = machine({set("network.distance=fixed"), set("network.setup=20 cycles")});
  EXPECT_EQ(padded.least_setup(3), 4U * 4 + 1 + 3);
  EXPECT_NO_THROW(check_dimension(padded, 3));
  const std::string text = thrown<InputError>([&] { check_dimension(padded, 4); });
  EXPECT_HAS(text, "network.setup is 20 cycles");
  EXPECT_HAS(text, "24 cycles");
}

TEST(Settings, NeedAKeyAndAValue) {
  EXPECT_THROW((void)parse_set("link.phit"), InputError);
  EXPECT_NE(refusal({set("=4 B")}), "");
  EXPECT_NE(refusal({set("link.phit=")}), "");
  EXPECT_EQ(machine({set(" link.phit = \"4 B\" ")}).link.phit_bytes, 4U);
}

TEST(Presets, ResolveAndHaveTheNameOfTheirFile) {
  EXPECT_EQ(presets().size(), 10U);
  for (const Preset& preset : presets()) {
    EXPECT_EQ(machine(preset_settings(preset)).name, preset.name);
    for (const auto& [key, value] : preset.values) {
      EXPECT_TRUE(key == "name" || find_option(key) != nullptr) << key;
      EXPECT_HAS(std::string(preset.toml), std::string(key).append(" = \"").append(value).append("\"\n"));
    }
  }
}

TEST(Presets, AreFoundByTheirNameOrNamedWhenMisspelt) {
  EXPECT_EQ(preset("hull").name, "hull");
  EXPECT_EQ(find_preset("hul"), nullptr);
  EXPECT_HAS(thrown<InputError>([&] { return preset("ipsc680"); }), "ipsc860");
}

}  // namespace
}  // namespace ecube::machine_parameters_test
