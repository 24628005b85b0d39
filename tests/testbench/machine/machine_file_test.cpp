// SPDX-License-Identifier: Apache-2.0
// Machine files: presets survive the way to a file and back, and no input bytes end the program.
#include "testbench/machine/machine_file.h"

#include "models/machine/error.h"
#include "models/presets/presets.h"
#include "tests/test.h"

namespace ecube::machine_file_test {
namespace {

std::string error_of(std::string_view text) {
  return thrown<InputError>([&] { return resolve(parse_machine_file(text, "my.toml")); });
}

TEST(MachineFile, APresetWrittenAndReadBackIsTheSameMachine) {
  for (const Preset& preset : presets()) {
    const Machine machine = resolve(preset_settings(preset));
    const Machine again = resolve(parse_machine_file(preset.toml, "preset.toml"));
    EXPECT_EQ(machine.name, again.name);
    EXPECT_EQ(machine.clock_hz, again.clock_hz);
    for (const Bytes bytes : {Bytes{0}, Bytes{1}, Bytes{4}, Bytes{1000}, Bytes{4097}}) {
      EXPECT_EQ(machine.copy_cycles(bytes), again.copy_cycles(bytes));
      EXPECT_EQ(machine.combine_cycles(bytes, 8 * bytes), again.combine_cycles(bytes, 8 * bytes));
      EXPECT_EQ(machine.permute_cycles(bytes), again.permute_cycles(bytes));
    }
    EXPECT_EQ(machine.one_phit_cycles(3), again.one_phit_cycles(3));
  }
}

TEST(MachineFile, AMisspeltKeyIsMarkedWhereItStands) {
  EXPECT_EQ(error_of("# link\nname = \"x\"\nbase = \"ideal\"\n\nlink.bandwith = \"2.8 MB/s\"\n"),
            "unknown key 'bandwith'\n"
            "  --> my.toml:5:6\n"
            "5 | link.bandwith = \"2.8 MB/s\"\n"
            "  |      ^^^^^^^^ did you mean 'bandwidth'?");
}

TEST(MachineFile, WhatIsNoMachineIsRefused) {
  for (const char* const text :
       {"", "\n# nothing\n", "[$", "link = 3", "name = 3", "library.send = 100", "library.send = \"95\"",
        "library.send = nan", "library.send = -1", "base = \"idael\"", "[link]\nphit = [1]", "clock = 2020-01-01",
        "clock = \"40 MHz", "x", "\xCB\x93", "a = \"\xCB\"", "clock = \"0 MHz\"", "library.send = \"1e99 us\""}) {
    EXPECT_NE(error_of(text), "") << text;
  }
}

TEST(MachineFile, WhoseNameIsTooLongForAFileIsUnknown) {
  for (const std::size_t letters : {256U, 5000U}) {
    EXPECT_THROW((void)load_machine(std::string(letters, 'x')), InputError) << letters;
    EXPECT_THROW((void)load_machine(std::string(letters, 'x') + ".toml"), InputError) << letters;
  }
}

TEST(MachineFile, NoMutationOfAFileEndsTheProgram) {
  std::mt19937_64 random(1);
  const std::string original(presets().back().toml);
  std::size_t refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = original.substr(0, 1 + random() % original.size());
    for (std::uint64_t changes = random() % 8; changes > 0; --changes) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    if (!error_of(text).empty()) ++refused;
  }
  EXPECT_GT(refused, 1000U);
}

}  // namespace
}  // namespace ecube::machine_file_test
