// SPDX-License-Identifier: Apache-2.0
// The line about the parts that an equation leaves out.
#include "testbench/collective/equation_note.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "testbench/text/text.h"

namespace ecube {

std::uint64_t measured_messages(const Machine& machine, unsigned dim, std::uint64_t messages, Bytes longest) {
  if (machine.network.switching != Switching::store_and_forward) return messages;
  return messages * dim * std::max<std::uint64_t>(1, quotient_up(longest, machine.network.packet_bytes));
}

std::string leaves_out_note(const std::vector<std::string>& gaps) {
  std::string note;
  for (const std::string& gap : gaps) note += (note.empty() ? "the equation leaves out: " : ";\n  ") + gap;
  return note.empty() ? note : note + "\n";
}

std::string leaves_out_note(const std::vector<std::string>& gaps, bool measured) {
  if (gaps.empty()) return {};
  return leaves_out_note(gaps) +
         (measured
              ? "so the candidates were run on the machine, and the recommendation is the least measured time\n"
              : fmt::format("and running the candidates would take too long (at most {} messages together, --dim {}):\n"
                            "  the recommendation is an estimate\n",
                            grouped(most_measured_messages), max_tried_dim));
}

void add_leaves_out(nlohmann::ordered_json& json, const std::vector<std::string>& gaps) {
  if (!gaps.empty()) json["leaves_out"] = gaps;
}

std::string measured_limit_help() {
  return fmt::format(
      "Where the equation leaves out something that the machine does, the candidates are run on it and the least\n"
      "measured time is recommended, up to --dim {} and {} messages of all of them together (some seconds); the "
      "output\n"
      "says what is left out, and whether the recommendation is measured or an estimate.\n\n",
      max_tried_dim, grouped(most_measured_messages));
}

}  // namespace ecube
