// SPDX-License-Identifier: Apache-2.0
// Waits, their holders and their chains, and tables and sentences about them.
#include "testbench/trace/wait_chains.h"

#include <fmt/compile.h>

#include "hw/observed/circuit.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

/// The longest wait first, equal ones in order of time, node and dimension.
auto rank(const Wait& wait) {
  return std::tuple(~wait.cycles(), wait.from, wait.output.node, wait.output.output, wait.waiter.source);
}

Cycles overlap(const auto& a, const auto& b) {
  const Cycles begin = std::max(a.from, b.from);
  return std::max(begin, std::min(a.until, b.until)) - begin;
}

/// Of some intervals the one that has most of another; null where none has any of it.
template <typename Interval>
const Interval* longest_in(const std::vector<Interval>& all, const auto& of) {
  const auto longest = std::ranges::max_element(all, {}, [&](const Interval& one) { return overlap(one, of); });
  return longest == all.end() || overlap(*longest, of) == 0 ? nullptr : &*longest;
}

constexpr std::size_t most_links = 8;
constexpr std::size_t most_waits = 4;

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

std::string text_of(const OutputId& output, unsigned links) {
  if (output.output < links) return fmt::format("link {}:{}", output.node, output.output);
  return fmt::format("eject port {}:{}", output.node, output.output - links);
}

void WaitChains::finish_wait(Contended& at, WayId way, Cycles from, Cycles until) {
  Wait wait{.waiter = ways_[way].name, .output = at.output, .from = from, .until = until};
  wait.holders = static_cast<unsigned>(
      std::ranges::count_if(at.holders, [&](const Holding& holder) { return overlap(holder, wait) > 0; }));
  if (const Holding* const worst = longest_in(at.holders, wait); worst != nullptr) {
    const Way& holder = ways_[worst->way];
    wait.chain.push_back({at.output, holder.name, std::max(worst->from, from), std::min(worst->until, until)});
    const Wait* const cause = longest_in(holder.waits, wait.chain.front());
    if (cause != nullptr) wait.chain.insert(wait.chain.end(), cause->chain.begin(), cause->chain.end());
  }
  at.window_blocked += overlap(wait, window_);
  if (rank(wait) < rank(at.longest)) at.longest = wait;
  std::vector<Wait>& kept = longest_[at.output.output < links_ ? 1 : 0];
  if (kept.size() < most_kept || rank(wait) < rank(kept.back())) {
    kept.insert(std::ranges::upper_bound(kept, rank(wait), {}, rank), wait);
    kept.resize(std::min(kept.size(), most_kept));
  }
  ways_[way].waits.push_back(std::move(wait));
}

std::string_view CircuitName::text(std::span<char, 48> space) const {
  // Three numbers of at most ten digits each. Waveforms write this by the million.
  return {space.data(), fmt::format_to(space.data(), FMT_COMPILE("{}->{} #{}"), source, destination, number)};
}

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
      const std::string name = topology.is_cube() ? "" : topology.output_name(link.node, link.output) + "  ";
      out += fmt::format("{:<24}{:>18}  {:>9.1f}%  {:>12}  {:>7.1f}%\n",
                         fmt::format("{}:{}  {}{} to {}", link.node, link.output, name, link.node,
                                     topology.neighbour(link.node, link.output)),
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
  const unsigned outputs = source.links.topology().outputs();
  auto blocked = blocked_links(source.links);
  blocked.resize(std::min(blocked.size(), WaitChains::most_kept));
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
            {"name", source.links.topology().output_name(link.node, link.output)},
            {"blocked_cycles", statistics.blocked},
            {"blocked_percent_of_run", share(statistics.blocked, source.cycles)},
            {"most_waiters", statistics.most_waiters}};
  };
  return {{"most_blocked_links", json_list(blocked, blocked_json)},
          {"longest_link_waits", waits(true)},
          {"longest_port_waits", waits(false)}};
}

}  // namespace ecube
