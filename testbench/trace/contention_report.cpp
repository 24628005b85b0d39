// SPDX-License-Identifier: Apache-2.0
// Tables and sentences about who waited for whom.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "hw/observed/link.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"
#include "testbench/trace/wait_chains.h"

namespace ecube {

namespace {

constexpr std::size_t most_links = 8;
constexpr std::size_t most_waits = 4;
constexpr std::size_t most_waits_json = WaitChains::most_kept;

/// Links for which circuits waited, the most blocked first.
std::vector<std::pair<LinkId, LinkStatistics>> blocked_links(const Links& links) {
  std::vector<std::pair<LinkId, LinkStatistics>> result;
  for_each_link(links.topology(), [&](LinkId link) {
    const LinkStatistics statistics = links.statistics(link);
    if (statistics.blocked > 0) result.emplace_back(link, statistics);
  });
  std::ranges::stable_sort(result, std::greater(), [](const auto& one) { return one.second.blocked; });
  return result;
}

double share(Cycles part, Cycles whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// "held by 3->1 #2, which waited 80 of these cycles for link 1:0 held by ..., which was free to go on".
std::vector<std::string> chain_texts(const Wait& wait, unsigned links) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < wait.chain.size(); ++i) {
    const ChainLink& link = wait.chain[i];
    result.push_back(fmt::format(
        "held by {} for {}, which {}", link.holder.text(), counted(link.until - link.from, "cycle"),
        i + 1 < wait.chain.size() ? "waited for " + text_of(wait.chain[i + 1].output, links) : "did not wait"));
  }
  return result;
}

/// A cell of the heat table: one of five shades, by its share of the largest.
std::string shade(Cycles value, Cycles largest) {
  static constexpr std::array<std::string_view, 5> shades{"·", "░", "▒", "▓", "█"};
  if (value == 0 || largest == 0) return std::string(shades[0]);
  const auto step = static_cast<std::size_t>(4.0 * static_cast<double>(value) / static_cast<double>(largest) + 0.999);
  return std::string(shades[std::clamp<std::size_t>(step, 1, 4)]);
}

/// Rows of nodes, or of equal groups of nodes where there are too many nodes.
void heat_table(std::string& out, const ContentionSource& source, unsigned columns) {
  const Topology& topology = source.links.topology();
  const unsigned outputs = topology.outputs();
  constexpr unsigned most_rows_log = 4;
  const unsigned label_bits = topology.label_bits();
  const unsigned group = label_bits > most_rows_log ? label_bits - most_rows_log : 0;
  const NodeId rows = ((topology.nodes() - 1) >> group) + 1;
  std::vector<Cycles> cells(std::size_t{rows} * outputs);
  Cycles largest = 0;
  for_each_link(topology, [&](LinkId link) {
    Cycles& cell = cells[std::size_t{link.node >> group} * outputs + link.output];
    cell += source.links.statistics(link).blocked;
    largest = std::max(largest, cell);
  });
  const std::size_t width = std::max<std::size_t>(grouped(largest).size() + 3, 6);
  const bool numbers = 16 + width * outputs <= columns;
  out += fmt::format("\nblocked cycles by {} (rows) and {} of the link (columns)\n{:<14}",
                     group == 0 ? "node" : "group of nodes", topology.is_plain_cube() ? "dimension" : "output", "");
  for (unsigned output = 0; output < outputs; ++output) {
    out += numbers ? fmt::format("{:>{}}", output, width - 2) + "  " : fmt::format("{:>3}", output);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  out += "\n";
  for (NodeId row = 0; row < rows; ++row) {
    const NodeId first = row << group;
    out += fmt::format(
        "{:<14}", group == 0
                      ? fmt::format("{}", first)
                      : fmt::format("{}..{}", first, std::min(first + (NodeId{1} << group), topology.nodes()) - 1));
    for (unsigned output = 0; output < outputs; ++output) {
      const Cycles value = cells[std::size_t{row} * outputs + output];
      const std::string mark = shade(value, largest);
      out += numbers ? fmt::format("{:>{}} {}", value == 0 ? "" : grouped(value), width - 2, mark) : "  " + mark;
    }
    out += "\n";
  }
}

}  // namespace

std::string sentence_of(const Wait& wait, unsigned links) {
  std::string text = fmt::format("{} waited {} from {} for {}", wait.waiter.text(), counted(wait.cycles(), "cycle"),
                                 wait.from, text_of(wait.output, links));
  for (const std::string& link : chain_texts(wait, links)) text += " " + link;
  return text;
}

std::string contention_text(const ContentionSource& source, unsigned columns) {
  const Topology& topology = source.links.topology();
  const unsigned outputs = topology.outputs();
  const BlockedStatistics& links = source.network.link_blocked;
  const BlockedStatistics& ports = source.network.port_blocked;
  std::string out = "\ncontention\n";
  if (links.circuits == 0 && ports.circuits == 0) return out + "no circuit waited for a link or a node's port\n";
  const Cycles all = links.cycles + ports.cycles;
  out += fmt::format("{:<18}{:>14} circuits  {:>16} cycles  {:>5.1f}% of all waiting\n", "waited for links",
                     grouped(links.circuits), grouped(links.cycles), share(links.cycles, all));
  out += fmt::format("{:<18}{:>14} circuits  {:>16} cycles  {:>5.1f}%\n", "for node ports", grouped(ports.circuits),
                     grouped(ports.cycles), share(ports.cycles, all));

  const auto blocked = blocked_links(source.links);
  if (!blocked.empty()) {
    out += fmt::format("\nmost blocked of {} links{:>13} cycles  of the run  most waiting    in use\n",
                       grouped(blocked.size()), "blocked");
    for (std::size_t i = 0; i < std::min(blocked.size(), most_links); ++i) {
      const auto& [link, statistics] = blocked[i];
      out += fmt::format(
          "{:<24}{:>18}  {:>9.1f}%  {:>12}  {:>7.1f}%\n",
          fmt::format("{}:{}  {} to {}", link.node, link.output, link.node, topology.neighbour(link.node, link.output)),
          grouped(statistics.blocked), share(statistics.blocked, source.cycles), statistics.most_waiters,
          share(statistics.busy, source.cycles));
    }
  }
  for (const bool for_links : {true, false}) {
    const std::vector<Wait>& longest = source.log.longest(for_links);
    if (longest.empty()) continue;
    out += fmt::format("\nlongest waits for {}\n", for_links ? "links" : "node ports");
    for (std::size_t i = 0; i < std::min(longest.size(), most_waits); ++i) {
      const Wait& wait = longest[i];
      out += fmt::format("{} waited {} from {} for {}{}\n", wait.waiter.text(), counted(wait.cycles(), "cycle"),
                         grouped(wait.from), text_of(wait.output, outputs),
                         wait.holders < 2 ? "" : fmt::format("; {} circuits had it in turn", wait.holders));
      for (const std::string& link : chain_texts(wait, outputs)) out += "  " + link + "\n";
    }
  }
  if (!blocked.empty()) heat_table(out, source, columns);
  return out;
}

nlohmann::ordered_json contention_json(const ContentionSource& source) {
  using Json = nlohmann::ordered_json;
  const unsigned outputs = source.links.topology().outputs();
  auto blocked = blocked_links(source.links);
  blocked.resize(std::min(blocked.size(), most_waits_json));
  const auto waits = [&](bool for_links) {
    return json_list(source.log.longest(for_links), [outputs](const Wait& wait) -> Json {
      const auto link_json = [outputs](const ChainLink& link) -> Json {
        return {{"output", text_of(link.output, outputs)},
                {"held_by", link.holder.text()},
                {"from_cycle", link.from},
                {"until_cycle", link.until}};
      };
      return {{"circuit", wait.waiter.text()}, {"output", text_of(wait.output, outputs)},
              {"from_cycle", wait.from},       {"cycles", wait.cycles()},
              {"holders", wait.holders},       {"chain", json_list(wait.chain, link_json)}};
    });
  };
  const auto blocked_json = [&](const auto& one) -> Json {
    const auto& [link, statistics] = one;
    return {{"link", fmt::format("{}:{}", link.node, link.output)},
            {"blocked_cycles", statistics.blocked},
            {"blocked_percent_of_run", share(statistics.blocked, source.cycles)},
            {"most_waiters", statistics.most_waiters}};
  };
  return {{"most_blocked_links", json_list(blocked, blocked_json)},
          {"longest_link_waits", waits(true)},
          {"longest_port_waits", waits(false)}};
}

}  // namespace ecube
