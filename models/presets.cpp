// SPDX-License-Identifier: Apache-2.0
// Presets: their tables of values and sources, and the texts made from them.
#include "models/presets.h"

#include <algorithm>
#include <array>

namespace ecube {
namespace {

constexpr std::array<SourceMark, 8> marks = {{
    {'N', "Nicol & Bokhari 1994, Optimal Multiphase Complete Exchange on Circuit-Switched Hypercube Architectures"},
    {'V', "van de Geijn 1991, On Global Combine Operations"},
    {'B', "Bokhari 1993, Multiphase Complete Exchange: A Theoretical Analysis"},
    {'J', "Johnsson & Ho 1991, Generalized Shuffle Permutations on Boolean Cubes"},
    {'L', "other literature, found as text"},
    {'R', "recalled from the literature, not found as text: a default to be changed by those who know better"},
    {'D', "derived from the values named"},
    {'A', "assumption: chosen for this machine, no measurement stands behind it"},
}};

constexpr std::string_view times_only = "the equations know times only; 40 MHz keeps whole cycles for all of them";
constexpr std::string_view byte_phits = "every byte takes the same time, as in the equations";
constexpr std::string_view least_route = "the least a router can take";
constexpr std::string_view least_accept = "the least an interface can take";
constexpr std::string_view one_circuit = "a node takes part in one exchange at a time";
constexpr std::string_view no_protocol = "the equations know no message protocol";
constexpr std::string_view no_barrier = "the equations are used without a barrier term";
constexpr std::string_view always_shuffle =
    "equation (1) of [B] charges a shuffle to every phase, Direct's redundant one included";

constexpr std::array<PresetValue, 16> ideal_values = {{
    {"clock", "40 MHz", 'A', times_only},
    {"link.phit", "1 B", 'A', byte_phits},
    {"link.cycles_per_phit", "1 cycle", 'A', "one byte a cycle, 40 MB/s"},
    {"router.route", "1 cycle", 'A', "the least a router can take: 4 cycles a hop, time is affine in bytes and hops"},
    {"network.accept", "1 cycle", 'A', least_accept},
    {"network.distance", "real", 'A', "every hop counts"},
    {"network.setup", "0 cycles", 'A', "not in use while distances are real"},
    {"node.ports", "one", 'A', one_circuit},
    {"node.startups", "overlapped", 'A', "start-ups belong to the ports and cost the processor nothing"},
    {"node.startup", "100 cycles", 'A', "a round number, 2.5 us"},
    {"node.startup_zero", "100 cycles", 'A', "the equations do not distinguish messages without bytes"},
    {"node.permute", "0 cycles/byte", 'A', "local moves are free unless set"},
    {"node.combine", "0 cycles/item", 'A', "arithmetic is free unless set"},
    {"library.protocol", "none", 'A', no_protocol},
    {"library.barrier", "none", 'A', no_barrier},
    {"library.identity_shuffle", "charge", 'A', always_shuffle},
}};

constexpr std::array<PresetValue, 16> hull_values = {{
    {"clock", "40 MHz", 'A', times_only},
    {"link.phit", "1 B", 'A', byte_phits},
    {"link.cycles_per_phit", "80 cycles", 'B', "Fig. 1: tau = 2 us/byte"},
    {"router.route", "1 cycle", 'A', least_route},
    {"network.accept", "1 cycle", 'A', least_accept},
    {"network.distance", "fixed", 'B', "Fig. 1: delta = 10 us for a message over any distance"},
    {"network.setup", "480 cycles", 'D',
     "delta = 10 us [B] = 400 cycles and one phit of 80: m bytes take start-up + set-up + 80 (m - 1) = "
     "4400 + 80 m cycles = lambda + delta + tau m"},
    {"node.ports", "one", 'B', one_circuit},
    {"node.startups", "overlapped", 'A', "start-ups belong to the ports and cost the processor nothing"},
    {"node.startup", "4000 cycles", 'B', "Fig. 1: lambda = 100 us"},
    {"node.startup_zero", "4000 cycles", 'B',
     "Fig. 1: lambda = 100 us; a message of zero bytes is one phit and takes as long as one of 1 byte"},
    {"node.permute", "40 cycles/byte", 'B', "Fig. 1: rho = 1 us/byte"},
    {"node.combine", "0 cycles/item", 'A', "the paper combines nothing"},
    {"library.protocol", "none", 'B', no_protocol},
    {"library.barrier", "none", 'B', no_barrier},
    {"library.identity_shuffle", "charge", 'B', always_shuffle},
}};

constexpr std::array<PresetValue, 16> ipsc860_values = {{
    {"clock", "40 MHz", 'L', "Intel i860 XR at 40 MHz; the network is counted in cycles of this clock as well"},
    {"link.phit", "4 B", 'A', "bit-serial channels; 4 bytes are the unit in which the model counts them"},
    {"link.cycles_per_phit", "63.04 cycles", 'D', "tau = 0.394 us/byte [N] = 15.76 cycles/byte, 4 bytes"},
    {"router.route", "409 cycles", 'D', "delta = 10.3 us per hop [N] = 412 cycles, of which 3 are registers"},
    {"network.accept", "1 cycle", 'A', "the least an interface can take; only its sum with the start-up is known"},
    {"network.distance", "real", 'N', "delta is 5.15 d us on average: it grows with the hops"},
    {"network.setup", "0 cycles", 'A', "not in use while distances are real"},
    {"node.ports", "one", 'L', "the processor serves one send and one receive at a time"},
    {"node.startups", "queued", 'L', "the message library runs on the node's one processor"},
    {"node.startup", "3447 cycles", 'D',
     "lambda = 95.0 us [N] = 3800 cycles = start-up + 416 (412 of the own router, 4 of the interfaces) - 63.04 (the "
     "first phit is in the set-up): m bytes (m a multiple of 4) over h hops take the whole cycles of "
     "3800 + 412 h + 15.76 m - 0.04"},
    {"node.startup_zero", "2884 cycles", 'D',
     "82.5 us for zero bytes [N] = 3300 cycles = start-up + 416: a tail over h hops takes 3300 + 412 h cycles"},
    {"node.permute", "21.6 cycles/byte", 'D', "rho = 0.54 us/byte [N]"},
    {"node.combine", "14 cycles/item", 'D', "gamma = 0.35 us/float [V]"},
    {"library.protocol", "forced", 'N', "FORCED messages, receives posted beforehand"},
    {"library.barrier", "phase", 'N', "nodes are synchronised before every phase"},
    {"library.identity_shuffle", "skip", 'D', "Direct needs no shuffle; the published crossings are nearer without it"},
}};

constexpr std::array<Preset, 3> table = {{
    {"ideal", "the papers' assumptions and nothing else: fast links, free local moves, no protocol",
     "Synthetic. One byte a cycle, the least router, start-ups that overlap: time is affine in bytes and in hops.",
     ideal_values},
    {"hull", "the machine of Bokhari 1993, Fig. 1: lambda 100, tau 2, rho 1, delta 10 us at any distance",
     "Synthetic. Set-up is padded at the network interface, so that distance costs the same everywhere.", hull_values},
    {"ipsc860", "Intel iPSC/860, FORCED messages, by the parameters of Nicol & Bokhari 1994",
     "The network part is the machine's. Its node and message library are a lumped calibration so far: the start-ups, "
     "the permutation and the combination are measured totals, not yet path lengths and memory cycles.",
     ipsc860_values},
}};

constexpr std::size_t comment_width = 110;

/// Appends `words` as TOML comments, broken into lines.
void append_comment(std::string& text, std::string_view words) {
  while (!words.empty()) {
    std::size_t length = words.size();
    if (length > comment_width) {
      const std::size_t blank = words.rfind(' ', comment_width);
      length = blank == std::string_view::npos ? comment_width : blank;
    }
    text += "# " + std::string(words.substr(0, length)) + "\n";
    words.remove_prefix(std::min(length + 1, words.size()));
  }
}

}  // namespace

std::span<const SourceMark> source_marks() { return marks; }

std::span<const Preset> presets() { return table; }

const Preset* find_preset(std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Preset& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &*found;
}

const Preset& preset(std::string_view name) {
  if (const Preset* found = find_preset(name)) return *found;
  throw ErrorText("unknown machine " + quoted(name)).hint(preset_hint(name)).valid(valid_machines()).error();
}

std::string preset_hint(std::string_view name) {
  std::array<std::string_view, table.size()> names;
  std::transform(table.begin(), table.end(), names.begin(), [](const Preset& entry) { return entry.name; });
  return did_you_mean(name, names);
}

std::string valid_machines() {
  std::string names;
  for (const Preset& entry : table) names += std::string(entry.name) + " | ";
  return names + "FILE.toml";
}

std::vector<Setting> preset_settings(const Preset& preset) {
  Place place;
  place.where = "preset " + std::string(preset.name);
  const Origin origin{Layer::preset, place, place};
  std::vector<Setting> settings = {{"name", std::string(preset.name), origin}};
  for (const PresetValue& value : preset.values)
    settings.push_back({std::string(value.key), std::string(value.value), origin});
  return settings;
}

std::optional<ExchangeParameters> published_parameters(std::string_view machine, unsigned dim) {
  ExchangeParameters parameters;
  parameters.source = "published";
  if (machine == "hull") {
    parameters.lambda_us = 100;
    parameters.lambda0_us = 100;
    parameters.tau_us_per_byte = 2;
    parameters.delta_us = 10;
    parameters.rho_us_per_byte = 1;
    return parameters;
  }
  if (machine == "ipsc860") {
    parameters.lambda_us = 95.0;
    parameters.lambda0_us = 82.5;
    parameters.tau_us_per_byte = 0.394;
    parameters.delta_hop_us = 10.3;
    parameters.rho_us_per_byte = 0.54;
    parameters.barrier_us = 150.0 * dim;
    return parameters;
  }
  return std::nullopt;
}

std::string presets_as_text() {
  constexpr std::size_t name_width = 10;
  std::string text;
  for (const Preset& entry : table) {
    std::string line(entry.name);
    line.resize(std::max(line.size() + 2, name_width), ' ');
    text += line + std::string(entry.summary) + "\n";
  }
  return text;
}

std::string preset_as_toml(const Preset& preset) {
  std::string text;
  append_comment(text, std::string(preset.name) + ": " + std::string(preset.summary));
  append_comment(text, preset.description);
  text += "#\n# Sources:\n";
  for (const SourceMark& mark : marks) {
    const auto cites = [&](const PresetValue& value) {
      return value.mark == mark.letter ||
             value.source.find(std::string{'[', mark.letter, ']'}) != std::string_view::npos;
    };
    if (std::any_of(preset.values.begin(), preset.values.end(), cites))
      append_comment(text, std::string{'[', mark.letter, ']', ' '} + std::string(mark.meaning));
  }
  text += "\nname = \"" + std::string(preset.name) + "\"\n";
  for (const PresetValue& value : preset.values) {
    text += "\n";
    append_comment(text, std::string{'[', value.mark, ']', ' '} + std::string(value.source));
    text += std::string(value.key) + " = \"" + std::string(value.value) + "\"\n";
  }
  return text;
}

}  // namespace ecube
