// SPDX-License-Identifier: Apache-2.0
// The page of reproduced results: one file with its pictures, for the screen and for paper.
#include "testbench/figure/page.h"

#include <fmt/core.h>

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "testbench/text/text.h"
#include "testbench/version.h"

namespace ecube {

namespace {

constexpr std::string_view styles = R"(
:root { --ground: #fff; --card: #f7f8fa; --line: #d6dae1; --ink: #1a1f29; --soft: #586174; --accent: #0b5cad;
  --good: #1a7f4b; --part: #7a4d00; --bad: #b00020; color-scheme: light; }
@media screen and (prefers-color-scheme: dark) { :root { --ground: #11151c; --card: #1a2029; --line: #343d4b;
  --ink: #e8ecf3; --soft: #a3adbd; --accent: #6db3f8; --good: #4cc38a; --part: #e2b340; --bad: #ff8f85;
  color-scheme: dark; } img { filter: invert(0.9) hue-rotate(180deg); } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 0 20px 30px; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 26px; margin: 22px 0 6px; } h2 { font-size: 20px; margin: 34px 0 8px; }
h3 { font-size: 17px; margin: 0 0 2px; } p { margin: 4px 0 8px; max-width: 85ch; } a { color: var(--accent); }
.note, figcaption { color: var(--soft); font-size: 14px; }
.counts { border-left: 5px solid var(--good); background: var(--card); padding: 8px 12px; }
.counts.wrong { border-color: var(--bad); } .counts p { margin: 0; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; margin: 16px 0; }
.state { white-space: nowrap; font-weight: 600; } .agrees, .reproduced { color: var(--good); }
.part, .nothing { color: var(--part); } .differs { color: var(--bad); }
img { display: block; max-width: 100%; height: auto; margin: 0 auto; background: #fff; }
figure { margin: 10px 0; } .panels { display: flex; flex-wrap: wrap; gap: 10px 24px; }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 4px 0; }
th, td { text-align: left; vertical-align: top; padding: 3px 12px 3px 0; border-bottom: 1px solid var(--line); }
td.number { text-align: right; white-space: nowrap; } .reason td { color: var(--soft); padding-left: 16px; }
.grid th, .grid td { text-align: center; border: 1px solid var(--line); padding: 1px 7px; }
.grid td.shaded { color: #1a1f29; }
code { font: 13px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
@media (max-width: 640px) { body { padding: 0 10px 20px; } article { padding: 10px; } th, td { padding-right: 8px; }
  .state { white-space: normal; } .checks { min-width: 680px; } }
@media print { body { max-width: none; font-size: 10pt; } article { border: 0; padding: 0; background: none; }
  figure, tr, .counts { break-inside: avoid; } h2, h3 { break-after: avoid; } thead { display: table-header-group; }
  .scroll { overflow: visible; } a { color: inherit; text-decoration: none; } img { max-height: 170mm; } }
)";

/// Light grounds for the cells of grids, in the order of the palette (Okabe and Ito 2008).
constexpr std::array<std::string_view, 8> grounds = {"#CFE3F0", "#F6DCCB", "#CCECE3", "#F3DDE8",
                                                     "#FAEBCC", "#DDF0FA", "#E4DECC", "#DDDDDD"};

std::string_view class_of(CheckState state) {
  return state == CheckState::agrees ? "agrees" : state == CheckState::differs ? "differs" : "nothing";
}

/// An SVG file as the address of a picture, so that the page needs no other file.
std::string picture_address(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream) throw std::runtime_error("cannot read " + file);
  std::string address = "data:image/svg+xml;charset=utf-8,";
  for (const char letter : text.str()) {
    const bool special = letter == '%' || letter == '#' || letter == '"' || letter == '<' || letter == '>' ||
                         letter == '&' || static_cast<unsigned char>(letter) < ' ';
    if (special) {
      fmt::format_to(std::back_inserter(address), "%{:02X}", static_cast<unsigned char>(letter));
    } else {
      address += letter;
    }
  }
  return address;
}

std::string table_of(const Grid& grid) {
  std::string text = fmt::format("<div class=\"scroll\"><table class=\"grid\"><caption>{}</caption><thead><tr><th>{}",
                                 html_text(grid.title), html_text(grid.corner));
  for (const std::string& column : grid.columns) text += fmt::format("</th><th scope=\"col\">{}", html_text(column));
  text += "</th></tr></thead><tbody>\n";
  for (std::size_t row = 0; row < grid.rows.size(); ++row) {
    text += fmt::format("<tr><th scope=\"row\">{}</th>", html_text(grid.rows[row]));
    for (const Cell& cell : grid.cells[row]) {
      const std::string ground =
          cell.colour ? fmt::format(" class=\"shaded\" style=\"background:{}\"", grounds[*cell.colour % grounds.size()])
                      : std::string();
      text += fmt::format("<td{}>{}</td>", ground, html_text(cell.text));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

/// Charts as a picture, grids alone as tables, whose text can be searched and copied.
std::string figure_of(const PageEntry& entry, const std::string& directory) {
  const std::vector<Panel>& panels = entry.reproduction->panels;
  bool charts = false;
  for (const Panel& panel : panels) charts = charts || std::holds_alternative<Chart>(panel);
  if (panels.empty()) return {};
  for (const std::string& file : entry.files) {
    if (!charts || !file.ends_with(".svg")) continue;
    return fmt::format("<figure><img src=\"{}\" alt=\"{}\"></figure>\n", picture_address(directory + "/" + file),
                       html_text(entry.what));
  }
  std::string text;
  for (const Panel& panel : panels) {
    if (const auto* const grid = std::get_if<Grid>(&panel)) text += table_of(*grid);
  }
  if (!text.empty()) text = "<figure class=\"panels\">\n" + text + "</figure>\n";
  if (charts)
    text += "<p class=\"note\">The charts are not drawn (--no-pictures); their points are in the CSV file.</p>\n";
  return text;
}

std::string checks_of(const PageEntry& entry) {
  if (entry.reproduction->checks.empty()) return {};
  std::string text =
      "<div class=\"scroll\"><table class=\"checks\"><thead><tr><th>check</th><th>compared with</th><th>printed, or "
      "worked out</th><th>ours</th><th>deviation</th><th>tolerance</th><th>verdict</th></tr></thead><tbody>\n";
  for (const Check& check : entry.reproduction->checks) {
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td><td>{}</td><td class=\"state "
        "{}\">{}</td></tr>\n",
        html_text(check.statement), words_of(check.compared_with), html_text(check.published), html_text(check.reached),
        check.distance_percent ? percent(*check.distance_percent) : std::string(),
        check.tolerance ? html_text(text_of(*check.tolerance)) : "", class_of(check.state()), words_of(check.state()));
    for (const KnownDifference* const row : entry.verdict.known) {
      if (row->check != check.statement) continue;
      text += fmt::format("<tr class=\"reason\"><td colspan=\"7\">why it differs: {}</td></tr>\n",
                          html_text(std::string(row->reason)));
    }
  }
  return text + "</tbody></table></div>\n";
}

/// "Bokhari 1993, Figure 1: run times" in its parts: the paper, the item in the paper, and what it shows.
struct Title {
  std::string paper, item, about;
};

Title title_of(const std::string& what) {
  const std::size_t comma = std::min(what.find(", "), what.size());
  const std::size_t colon = std::min(what.find(": ", comma), what.size());
  const auto from = [&what](std::size_t begin, std::size_t end) {
    return begin < end ? what.substr(begin, end - begin) : std::string();
  };
  return {.paper = from(0, comma), .item = from(comma + 2, colon), .about = from(colon + 2, what.size())};
}

std::string article_of(const PageEntry& entry, const std::string& directory, const std::string& command) {
  const Title title = title_of(entry.what);
  std::string text = fmt::format("<article id=\"{}\">\n<h3>{}, {} <span class=\"state {}\">{}</span></h3>\n<p>{}</p>\n",
                                 html_text(entry.id), html_text(title.paper), html_text(title.item),
                                 word_of(entry.verdict.state), words_of(entry.verdict.state), html_text(title.about));
  text += figure_of(entry, directory) + checks_of(entry);
  for (const std::string& sentence : complaints(entry.verdict)) {
    text += fmt::format("<p class=\"differs\">Not as on file: {}.</p>\n", html_text(sentence));
  }
  if (!entry.reproduction->remarks.empty()) {
    text += fmt::format("<p class=\"note\">{}</p>\n", html_text(entry.reproduction->remarks));
  }
  text += fmt::format("<p class=\"note\">Again: <code>{}</code>. Files beside this page:", html_text(command));
  for (const std::string& file : entry.files) text += fmt::format(" <a href=\"{0}\">{0}</a>", html_text(file));
  return text + "</p>\n</article>\n";
}

/// All items at a glance, with how many checks agree with print, and the largest deviation among those with a number.
std::string contents_of(const std::vector<PageEntry>& entries) {
  std::string text =
      "<div class=\"scroll\"><table class=\"contents\"><thead><tr><th>paper</th><th>item</th><th>what it shows</th>"
      "<th>checks that agree with print</th><th>verdict</th></tr></thead><tbody>\n";
  std::string paper;
  for (const PageEntry& entry : entries) {
    const Title title = title_of(entry.what);
    std::size_t agree = 0;
    std::size_t compared = 0;
    for (const Check& check : entry.reproduction->checks) {
      if (check.compared_with != ComparedWith::print) continue;
      ++compared;
      if (check.agrees) ++agree;
    }
    text += fmt::format(
        "<tr><td>{}</td><td><a href=\"#{}\">{}</a></td><td>{}</td><td>{}</td><td class=\"state {}\">{}</td></tr>\n",
        title.paper == paper ? std::string() : html_text(title.paper), html_text(entry.id), html_text(title.item),
        html_text(title.about), compared == 0 ? std::string("none in print") : fmt::format("{} of {}", agree, compared),
        word_of(entry.verdict.state), words_of(entry.verdict.state));
    paper = title.paper;
  }
  return text + "</tbody></table></div>\n";
}

}  // namespace

std::string results_page(const std::string& directory, const std::vector<PageEntry>& entries,
                         const VerdictCounts& counts, const std::vector<std::string>& commands) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Published tables and figures, done again</title>\n<style>{}</style></head><body>\n"
      "<h1>Published tables and figures, done again</h1>\n"
      "<p>By ecube {}, a cycle-level model of circuit-switched hypercubes. In charts, predictions are dashed and "
      "measurements are marks. A check agrees within its tolerance, differs, or has no number in print to compare "
      "with.</p>\n<div class=\"counts{}\">\n",
      styles, program_version, counts.not_on_file > 0 ? " wrong" : "");
  for (const std::string& line : lines_of(counts)) page += fmt::format("<p>{}</p>\n", html_text(line));
  page +=
      "</div>\n<p class=\"note\">\"On file\" are the differences from print that are understood; each has its reason "
      "below "
      "its check.</p>\n";
  page += fmt::format("<p>All of this page again: <code>{}</code></p>\n", html_text(commands.front()));
  if (entries.size() > 1) page += contents_of(entries);
  std::string paper;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Title title = title_of(entries[i].what);
    if (title.paper != paper) page += fmt::format("<h2>{}</h2>\n", html_text(title.paper));
    paper = title.paper;
    page += article_of(entries[i], directory, commands[i + 1]);
  }
  return page + "</body></html>\n";
}

}  // namespace ecube
