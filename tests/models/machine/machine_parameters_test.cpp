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

TEST(Settings, ThatAreGivenTwiceAreRefusedEvenWhenTheyAgree) {
  EXPECT_HAS(refusal({set("node.ports=n"), option_setting("node.ports", "n", "--ports n")}),
             "node.ports is given twice");
  const std::string quoted = refusal({set("link.phit=4 B"), set(" link.phit = \"4 B\"")});
  EXPECT_HAS(quoted, "link.phit is given twice");
  EXPECT_HAS(quoted, "--set  link.phit = \"4 B\"");
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

TEST(Settings, WithPaddingBelowTheDiameterAreRefusedForThatDimension) {
  const Machine padded = machine({set("network.distance=fixed"), set("network.setup=20 cycles")});
  EXPECT_EQ(padded.least_setup(3), 4U * 4 + 1 + 3);
  EXPECT_NO_THROW(check_dimension(padded, 3));
  const std::string text = thrown<InputError>([&] { check_dimension(padded, 4); });
  EXPECT_HAS(text, "network.setup is 20 cycles");
  EXPECT_HAS(text, "24 cycles");
}

TEST(Settings, WithMoreLinksAndPortsThanARouterHasInputsAreRefusedForThatNetwork) {
  const Machine channels = machine({set("link.channels=4"), set("node.ports=n")});
  EXPECT_NO_THROW(check_dimension(channels, 16));
  EXPECT_EQ(thrown<InputError>([&] { check_dimension(channels, 20); }),
            "a cube of dimension 20 has 80 links a node, with all channels, and with a port for each a router has 160 "
            "inputs\n  valid: at most 128 inputs, with a smaller link.channels");
  EXPECT_EQ(thrown<InputError>(
                [] { check_topology(machine({set("node.ports=n")}), *Topology::parse("mesh:2+generalised:99")); }),
            "generalised:2x99 has 99 links a node, and with a port for each a router has 198 inputs\n"
            "  valid: at most 128 inputs, or node.ports = one");
}

TEST(Settings, NeedAKeyAndAValue) {
  EXPECT_THROW((void)parse_set("link.phit"), InputError);
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
