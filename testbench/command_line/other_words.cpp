// SPDX-License-Identifier: Apache-2.0
// Tables of words.
#include "testbench/command_line/other_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "testbench/text/text.h"

namespace ecube {

namespace {

struct OtherWord {
  std::string_view word;
  std::string_view meaning;
};

/// Options that were another name of a machine parameter.
constexpr std::array<OtherWord, 5> old_parameters{{{"startups", "node.startups"},
                                                   {"barrier", "library.barrier"},
                                                   {"protocol", "library.protocol"},
                                                   {"slack", "library.slack"},
                                                   {"identity-shuffle", "library.identity_shuffle"}}};

/// Options that changed no result.
constexpr std::array<std::string_view, 2> options_without_effect{"hierarchy", "memo"};

/// Without dashes, underscores and case.
constexpr std::array<OtherWord, 19> known_words{
    {{"allreduce", "an all-reduce is 'combine': ecube run combine"},
     {"reduce", "a reduction to one node is 'combine': ecube run combine --target root"},
     {"alltoall", "an all-to-all is 'exchange': ecube run exchange"},
     {"alltoallv", "an all-to-all of unequal blocks is 'exchange': ecube run exchange --sizes"},
     {"bcast", "a broadcast is 'broadcast': ecube run broadcast"},
     {"sendrecv", "messages between two nodes: ecube run pingpong"},
     {"permute", "permutations are 'shuffle', or patterns of 'traffic': ecube run shuffle, ecube run traffic"},
     {"mesh", "--topology mesh:8x8; --topology cube:6 is --dim 6"},
     {"torus", "rings can stop for ever where circuits hold and wait: --topology mesh:8x8"},
     {"nodes", "--dim D has 2^D nodes; other networks: --topology mesh:8x8"},
     {"ranks", "--dim D has 2^D nodes; other networks: --topology mesh:8x8"},
     {"np", "--dim D has 2^D nodes; other networks: --topology mesh:8x8"},
     {"dimension", "--dim D"},
     {"dimensions", "--dim D"},
     {"routing", "routers take the lowest dimension first (e-cube); one of your own: --router FILE.sv"},
     {"route", "routers take the lowest dimension first (e-cube); one of your own: --router FILE.sv"},
     {"vc", "links have no virtual channels: circuits hold them, or --set network.switching=wormhole"},
     {"injectionrate", "ecube run traffic --rate R, messages a node in 1,000 cycles"},
     {"size", "--bytes of exchange and traffic, --items of combine and the collectives, --elements of shuffle"}}};

}  // namespace

std::string_view parameter_of_old_option(std::string_view option) {
  const auto* const found = std::find_if(old_parameters.begin(), old_parameters.end(),
                                         [&](const OtherWord& row) { return row.word == option; });
  return found == old_parameters.end() ? std::string_view() : found->meaning;
}

std::string instead_of_old_option(std::string_view option, std::string_view value) {
  const std::string_view name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
  if (const std::string_view key = parameter_of_old_option(name); !key.empty()) {
    const std::string setting = fmt::format("{}={}", key, value.empty() ? "VALUE" : value);
    return fmt::format("it is a machine parameter: --set {}", shell_word(setting));
  }
  if (std::ranges::find(options_without_effect, name) == options_without_effect.end()) return {};
  return "results never depended on it: leave it out";
}

std::string instead_of_word(std::string_view word) {
  std::string plain;
  for (const char c : word) {
    if (c != '-' && c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const OtherWord& row : known_words) {
    if (row.word == plain) return std::string(row.meaning);
  }
  return {};
}

}  // namespace ecube
