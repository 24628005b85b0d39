// SPDX-License-Identifier: Apache-2.0
// A number of a preset that has a source cannot change without a result that is no longer as on file.
#include "models/presets/presets.h"

#include <fmt/core.h>

#include <cmath>

#include "testbench/reproduction/results.h"
#include "tests/test.h"

namespace presets_test {
namespace {

using namespace ecube;

/// The value 0.3 % larger, in its last digit at least: "2247 cycles" becomes "2254 cycles".
std::string larger(std::string_view value) {
  const std::size_t digits = value.find_first_not_of("0123456789.");
  const std::string number(value.substr(0, digits));
  const std::size_t point = number.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : number.size() - point - 1;
  const double unit = std::pow(10, -static_cast<double>(decimals));
  const double changed = std::ceil(std::stod(number) * 1.003 / unit - 1e-9) * unit;
  return fmt::format("{:.{}f}{}", changed, decimals, value.substr(digits));
}

/// The numbers of a preset that have a source, by key: no assumptions, and no zeros.
std::map<std::string, std::string> sourced_numbers(const Preset& machine) {
  std::map<std::string, std::string> numbers;
  const std::regex line(R"re(# \[(.)\](?! a guess).*|([\w.]+) = "(\d[^"]*)")re");
  std::istringstream text{std::string(machine.toml)};
  char mark = 'A';
  for (std::string read; std::getline(text, read);) {
    std::smatch found;
    if (!std::regex_match(read, found, line)) continue;
    if (found[1].matched) mark = found.str(1).front();
    if (!found[2].matched) continue;
    if (mark != 'A' && std::stod(found.str(3)) != 0) numbers[found.str(2)] = found.str(3);
    mark = 'A';
  }
  return numbers;
}

bool as_on_file(TestBench& bench, const PublishedResult& result, const std::vector<Setting>& settings) {
  const std::vector<Check> checks = result.reproduce(bench, resolve(settings)).checks;
  return verdict_of(result.id, checks, known_differences()).as_on_file();
}

/// A result whose checks hold the numbers of its preset, and those that no time in print depends on: of empty messages,
/// of protocols and loops that the preset does not use, and of what another result holds.
struct Held {
  std::string_view result;
  std::set<std::string_view> without_effect{};
};

const Held held[] = {
    {"bokhari-table1", {"library.send_zero", "library.signal_send"}},
    {"nicol-parameters",
     {"core.combine", "memory.bus", "library.control_send", "library.control_receive", "library.threshold"}},
    {"messages-nx", {"memory.bus"}},
    {"vdg-fig8", {"core.permute", "memory.bus", "library.send_zero", "library.receive_zero", "library.threshold"}},
    {"jh-fig11", {"library.send_zero", "library.receive_zero"}},
    {"messages-ipsc2", {"memory.bus", "library.threshold"}},
    {"messages-ncube2"},
    {"jh-cm2"}};

TEST(PresetNumbers, ThatAreSourcedChangeAResultWhenTheyChange) {
  TestBench bench(reproduction_dim);
  Sample sample(3);
  for (const Held& one : held) {
    const PublishedResult& result = *std::ranges::find(published_results(), one.result, &PublishedResult::id);
    const Preset& machine = preset(result.preset);
    EXPECT_TRUE(as_on_file(bench, result, preset_settings(machine))) << one.result;
    for (const auto& [key, value] : sourced_numbers(machine)) {
      if (!sample.takes()) continue;
      std::vector<Setting> settings = preset_settings(machine);
      settings.push_back(parse_set(fmt::format("{}={}", key, larger(value))));
      EXPECT_EQ(as_on_file(bench, result, settings), one.without_effect.contains(key))
          << machine.name << ": " << key << " = " << larger(value);
    }
  }
}

}  // namespace
}  // namespace presets_test
