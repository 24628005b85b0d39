// SPDX-License-Identifier: Apache-2.0
// From circuits.csv to an SVG with one animated line for each directed link.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <map>
#include <set>

#include "models/machine/cube.h"
#include "models/machine/error.h"
#include "testbench/report/run_data.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

constexpr unsigned most_dimensions = 4;
constexpr double seconds = 14;  ///< of the longest run
constexpr double rest = 0.12;   ///< of the time, in which the last picture stands still
constexpr double side = 300;    ///< of a cube, in points
constexpr double heading = 64;  ///< points above the cubes
constexpr double legend = 34;   ///< points below them

/// What a link does, by rising precedence.
enum class PictureState : std::uint8_t { idle, held, data, blocked };
/// [state]: its colour and words.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> looks{
    {{"#8884", "idle"}, {"#7bd", "held"}, {"#06a", "data"}, {"#d22", "held, and waits further on"}}};
std::string_view colour_of(PictureState state) { return looks.at(static_cast<std::size_t>(state)).first; }

struct Span {
  std::uint64_t from = 0;
  std::uint64_t until = 0;
  PictureState state = PictureState::held;
};
using SpansOfLinks = std::map<std::pair<NodeId, unsigned>, std::vector<Span>>;

/// What each link does in a run, by sections 2 and 3 of hw/README.md.
SpansOfLinks spans_of(const Json& circuits, std::uint64_t route_cycles) {
  const Json& columns = circuits["columns"];
  const auto edge = [&columns](const char* column, std::size_t i) { return columns[column][i].get<std::uint64_t>(); };
  SpansOfLinks links;
  for (std::size_t i = 0; i < columns["source"].size(); ++i) {
    const auto grants = columns["grants"][i].get<std::vector<std::uint64_t>>();
    std::vector<std::pair<NodeId, unsigned>> path;
    along_route(columns["source"][i].get<NodeId>(), columns["destination"][i].get<NodeId>(),
                [&path](LinkId link) { path.emplace_back(link.node, link.output); });
    for (std::size_t hop = 0; hop < path.size(); ++hop) {
      std::vector<Span>& spans = links[path[hop]];
      // The tail passes router k at Tt + 1 + k, and the output can be granted from the edge after (2.6).
      const std::uint64_t until = edge("tail", i) + 2 + hop;
      spans.push_back({grants[hop], until, PictureState::held});
      spans.push_back({edge("first_data", i) + 1 + hop, until, PictureState::data});
      for (std::size_t next = hop + 1; next < grants.size(); ++next) {
        const std::uint64_t asked = grants[next - 1] + 1 + route_cycles;  // 2.2
        if (grants[next] > asked) spans.push_back({asked, grants[next], PictureState::blocked});
      }
    }
  }
  return links;
}

/// The edges at which a link changes, and the state from each on: at each edge the highest of those that hold there.
std::vector<std::pair<std::uint64_t, PictureState>> changes_of(const std::vector<Span>& spans) {
  std::set<std::uint64_t> edges;
  for (const Span& span : spans) edges.insert({span.from, span.until});
  std::vector<std::pair<std::uint64_t, PictureState>> changes{{0, PictureState::idle}};
  for (const std::uint64_t at : edges) {
    PictureState state = PictureState::idle;
    for (const Span& span : spans) {
      if (span.from <= at && at < span.until) state = std::max(state, span.state);
    }
    if (changes.back().second == state) continue;
    if (changes.back().first == at) changes.pop_back();
    changes.emplace_back(at, state);
  }
  return changes;
}

struct Point {
  double x = 0;
  double y = 0;
};

/// The place of a node: the cube of the lower dimensions in perspective, and within it, smaller, that of the highest.
Point place_of(NodeId node, unsigned dim) {
  const auto bit = [node](unsigned i) { return node >> i & 1U ? 1.0 : 0.0; };
  Point point{bit(0) - 0.5, 0.5 - bit(1)};
  if (dim >= 3) point = {point.x + 0.6 * (bit(2) - 0.5), point.y - 0.2 * (bit(2) - 0.5)};
  const double scale = dim >= 4 && bit(3) != 0 ? 0.48 : 1.0;
  return {side / 2 + point.x * scale * side * 0.55, side / 2 + point.y * scale * side * 0.7};
}

/// The line of a directed link: it lies on the right of its way, so that both directions of a cable are seen.
std::string line_of(Point from, Point to) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const Point unit{(to.x - from.x) / length, (to.y - from.y) / length};
  constexpr double aside = 2.5;
  constexpr double gap = 10;
  return fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", from.x + unit.x * gap - unit.y * aside,
                     from.y + unit.y * gap + unit.x * aside, to.x - unit.x * gap - unit.y * aside,
                     to.y - unit.y * gap + unit.x * aside);
}

/// An animation that jumps from value to value at its share of the picture's time.
std::string animation(const std::string& attribute, const std::vector<std::pair<double, std::string>>& values) {
  std::string shown;
  std::string times;
  for (const auto& [time, value] : values) {
    const char* const separator = shown.empty() ? "" : ";";
    shown.append(separator).append(value);
    times.append(separator).append(fmt::format("{:.4g}", time));
  }
  return fmt::format(
      R"(<animate attributeName="{}" calcMode="discrete" dur="{}s" repeatCount="indefinite" values="{}" keyTimes="{}"/>)",
      attribute, seconds, shown, times);
}

/// One run, drawn at the origin. `cycles`: those of the longest run.
std::string run_picture(const RunFiles& run, std::uint64_t cycles) {
  const Json data = replay_data(run);
  const auto dim = run.summary.at("machine").at("dim").get<unsigned>();
  const auto own = run.summary.at("measured").at("cycles").get<std::uint64_t>();
  const auto share = [cycles](std::uint64_t edge) {
    return static_cast<double>(edge) / static_cast<double>(cycles) * (1 - rest);
  };
  const auto path = std::filesystem::path(run.directory).lexically_normal();
  const std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
  std::string text = fmt::format(
      R"(<text x="{0}" y="-40" class="name">{1}</text><text x="{0}" y="-18" visibility="hidden">{2}</text>)", side / 2,
      html_text(name),
      fmt::format("done after {} cycles{}", grouped(own),
                  animation("visibility", {{0, "hidden"}, {share(own), "visible"}})));
  for (const auto& [link, spans] : spans_of(data["circuits"], data["timing"]["route_cycles"].get<std::uint64_t>())) {
    std::vector<std::pair<double, std::string>> colours;
    for (const auto& [edge, state] : changes_of(spans)) colours.emplace_back(share(edge), colour_of(state));
    text += fmt::format("<path d=\"{}\">{}</path>\n",
                        line_of(place_of(link.first, dim), place_of(neighbour(link.first, link.second), dim)),
                        animation("stroke", colours));
  }
  for (NodeId node = 0; node < NodeId{1} << dim; ++node) {
    const Point at = place_of(node, dim);
    text +=
        fmt::format(R"(<circle cx="{0:.1f}" cy="{1:.1f}" r="9"/><text x="{0:.1f}" y="{2:.1f}" class="node">{3}</text>)"
                    "\n",
                    at.x, at.y, at.y + 3.5, node);
  }
  return text;
}

void check(const RunFiles& run) {
  const auto refuse = [&run](const std::string& why, const char* hint) {
    throw InputError(fmt::format("no moving picture of {}: {}", ecube::quoted(run.directory), why)).hint(hint);
  };
  const Json dim = run.summary.at("machine").at("dim");
  if (dim.is_null() || dim.get<unsigned>() > most_dimensions) {
    refuse("it draws cubes of at most 4 dimensions", "a page (-o FILE.html) shows larger ones");
  }
  if (machine_of(run).link.channels != 1) {
    refuse("it draws one line for each link, not its channels", "a page (-o FILE.html) shows those");
  }
  if (machine_of(run).network.switching != Switching::circuit) {
    refuse("it draws circuits, not worms or packets", "a page (-o FILE.html) shows those");
  }
  const Json circuits = replay_data(run)["circuits"];
  if (circuits.is_null()) refuse("it has no circuits.csv", "run it again with --circuits");
  if (!circuits["complete_until"].is_null()) refuse("it has too many circuits", "take a smaller run");
}

}  // namespace

std::string moving_picture(const std::vector<RunFiles>& runs) {
  std::uint64_t cycles = 1;
  for (const RunFiles& run : runs) {
    check(run);
    cycles = std::max(cycles, run.summary.at("measured").at("cycles").get<std::uint64_t>());
  }
  const double width = side * static_cast<double>(runs.size());
  const double height = heading + side + legend;
  std::string text = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}">
<style>text{{font:13px sans-serif;text-anchor:middle;fill:#777}}.name{{font-size:16px;font-weight:bold}}.node{{font-size:10px;fill:#fff}}circle{{fill:#777}}path{{stroke:{2};stroke-width:3.5}}.key{{text-anchor:start}}</style>
)",
      width, height, colour_of(PictureState::idle));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    text += fmt::format("<g transform=\"translate({:.0f} {:.0f})\">\n{}</g>\n", side * static_cast<double>(i), heading,
                        run_picture(runs[i], cycles));
  }
  const double row = height - 14;
  double x = 16;
  for (const auto& [colour, words] : looks) {
    text += fmt::format(
        R"(<path d="M{0:.0f} {1:.0f}h22" style="stroke:{2}"/><text x="{3:.0f}" y="{4:.0f}" class="key">{5}</text>)"
        "\n",
        x, row - 4, colour, x + 28, row, words);
    x += 60 + 7.0 * static_cast<double>(words.size());
  }
  return text + "</svg>\n";
}

}  // namespace ecube
