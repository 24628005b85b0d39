// SPDX-License-Identifier: Apache-2.0
// The page: an overview with small pictures, a section for each result.
#include "testbench/figure/page.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "testbench/text/text.h"
#include "testbench/version.h"

namespace ecube {

namespace {

constexpr std::string_view styles = R"(
:root { --ink: #222; --soft: #5c6370; --paper: #fff; --line: #d8dce2; --card: #f6f7f9; --good: #00694e; --part: #7a4d00;
  --bad: #b00020; --link: #0b57a4; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --soft: #a2a9b4; --paper: #16181c; --line: #3a3f47;
  --card: #20242a; --good: #55d6ae; --part: #f0b95c; --bad: #ff8a94; --link: #8ab8f5; } }
body { font: 16px/1.5 system-ui, Helvetica, Arial, sans-serif; max-width: 76rem; margin: 0 auto; padding: 1rem;
  color: var(--ink); background: var(--paper); }
a { color: var(--link); }
h1 { line-height: 1.2; } h2 { margin-bottom: 0.2rem; }
.lead, .id, footer { color: var(--soft); }
.id { font: 0.85rem monospace; }
.tiles { display: flex; flex-wrap: wrap; gap: 0.6rem; margin: 1rem 0; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 0.4rem 0.9rem; }
.tile b { font-size: 1.5rem; display: block; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 0.8rem; }
.card { display: block; background: var(--card); border: 1px solid var(--line); border-radius: 6px; overflow: hidden;
  text-decoration: none; color: inherit; }
.card:hover, .card:focus { border-color: var(--link); }
.card img { display: block; width: 100%; height: 9rem; object-fit: contain; object-position: top; background: #fff; }
.card div { padding: 0.5rem 0.7rem; font-size: 0.9rem; }
.bar { display: flex; height: 6px; margin-top: 0.4rem; padding: 0; border-radius: 3px; overflow: hidden; }
.bar i { display: block; } .bar .agrees { background: var(--good); } .bar .differs { background: var(--bad); }
.bar .nothing { background: var(--line); }
section { border-top: 2px solid var(--line); margin-top: 2.5rem; }
figure { margin: 1rem 0; background: #fff; border-radius: 6px; } figure img { max-width: 100%; height: auto; display: block; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; }
td, th { text-align: left; vertical-align: top; padding: 0.2rem 0.9rem 0.2rem 0; border-bottom: 1px solid var(--line); }
td.number { text-align: right; white-space: nowrap; }
.agrees, .reproduced { color: var(--good); } .part, .nothing { color: var(--part); }
.differs { color: var(--bad); font-weight: bold; }
summary { cursor: pointer; margin: 0.6rem 0; }
pre { background: var(--card); padding: 0.5rem 0.8rem; overflow-x: auto; border-radius: 6px; }
@media print { .card { break-inside: avoid; } figure { break-inside: avoid; } section { break-before: page; } }
)";

// A browser prints only what is open.
constexpr std::string_view script =
    "addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((one) => { one.open = true; "
    "}));\n";

std::string_view class_of(CheckState state) {
  return state == CheckState::agrees ? "agrees" : state == CheckState::differs ? "differs" : "nothing";
}

std::size_t count_of(const PageEntry& entry, CheckState state) {
  const std::vector<Check>& checks = entry.reproduction->checks;
  return static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(), [&](const Check& check) { return check.state() == state; }));
}

std::string picture_of(const PageEntry& entry) {
  for (const std::string& file : entry.files) {
    if (file.ends_with(".svg")) return file;
  }
  return {};
}

/// "Bokhari 1993" and "Figure 1: run times of all partitions".
std::pair<std::string, std::string> paper_and_title(const std::string& what) {
  const std::size_t comma = what.find(", ");
  if (comma == std::string::npos) return {"", what};
  return {what.substr(0, comma), what.substr(comma + 2)};
}

std::string tile(std::size_t number, std::string_view words, std::string_view kind) {
  return fmt::format("<div class=\"tile\"><b class=\"{}\">{}</b>{}</div>\n", kind, grouped(number), words);
}

std::string card_of(const PageEntry& entry) {
  const std::string picture = picture_of(entry);
  std::string text = fmt::format("<a class=\"card\" href=\"#{}\">", html_text(entry.id));
  if (!picture.empty()) text += fmt::format("<img src=\"{}\" alt=\"\" loading=\"lazy\">", html_text(picture));
  text += fmt::format("<div>{}<br><span class=\"{}\">{}</span>, {} of {} checks agree</div><div class=\"bar\">",
                      html_text(paper_and_title(entry.what).second), word_of(entry.verdict.state),
                      words_of(entry.verdict.state), count_of(entry, CheckState::agrees),
                      entry.reproduction->checks.size());
  for (const CheckState state : {CheckState::agrees, CheckState::differs, CheckState::no_number}) {
    text += fmt::format("<i class=\"{}\" style=\"flex:{}\"></i>", class_of(state), count_of(entry, state));
  }
  return text + "</div></a>\n";
}

std::string overview_of(const std::vector<PageEntry>& entries) {
  std::string text = "<nav aria-label=\"results\">";
  std::string before;
  for (const PageEntry& entry : entries) {
    const std::string paper = paper_and_title(entry.what).first;
    if (paper != before || &entry == &entries.front()) {
      text += fmt::format("{}<h2>{}</h2>\n<div class=\"cards\">\n", &entry == &entries.front() ? "" : "</div>\n",
                          html_text(paper));
    }
    before = paper;
    text += card_of(entry);
  }
  return text + (entries.empty() ? "</nav>\n" : "</div>\n</nav>\n");
}

std::string differences_of(const Verdict& verdict) {
  std::string text;
  for (const std::string& sentence : complaints(verdict)) {
    text += fmt::format("<p class=\"differs\">{}.</p>\n", html_text(sentence));
  }
  if (verdict.known.empty()) return text;
  text +=
      "<h3>What differs, and why</h3>\n<div class=\"wide\"><table><tr><th>check</th><th>printed</th><th>reached</th>"
      "<th>reason</th></tr>\n";
  for (const KnownDifference* const row : verdict.known) {
    text += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", html_text(std::string(row->check)),
                        html_text(std::string(row->printed)), html_text(std::string(row->ours)),
                        html_text(std::string(row->reason)));
  }
  return text + "</table></div>\n";
}

std::string checks_of(const PageEntry& entry) {
  std::string text = fmt::format(
      "<details{}><summary>All {} checks</summary>\n<div class=\"wide\"><table><tr><th>check</th><th>compared with</th>"
      "<th>printed, or worked out</th><th>reached</th><th>distance</th><th>tolerance</th><th></th></tr>\n",
      entry.verdict.known.empty() ? " open" : "", entry.reproduction->checks.size());
  for (const Check& check : entry.reproduction->checks) {
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td><td>{}</td><td "
        "class=\"{}\">{}</td></tr>\n",
        html_text(check.statement), words_of(check.compared_with), html_text(check.published), html_text(check.reached),
        check.distance_percent ? fmt::format("{:+.2f} %", *check.distance_percent) : "",
        check.tolerance ? html_text(text_of(*check.tolerance)) : "", class_of(check.state()), words_of(check.state()));
  }
  return text + "</table></div></details>\n";
}

std::string section_of(const PageEntry& entry) {
  const auto [paper, title] = paper_and_title(entry.what);
  std::string text = fmt::format(
      "<section id=\"{0}\">\n<h2>{1}</h2>\n<p class=\"lead\">{2} <span class=\"id\">{0}</span> · <span "
      "class=\"{3}\">{4}</span>, {5} on file</p>\n",
      html_text(entry.id), html_text(title), html_text(paper), word_of(entry.verdict.state),
      words_of(entry.verdict.state), entry.verdict.as_on_file() ? "as" : "<b class=\"differs\">not</b> as");
  if (const std::string picture = picture_of(entry); !picture.empty()) {
    text += fmt::format("<figure><img src=\"{}\" alt=\"{}\" loading=\"lazy\"></figure>\n", html_text(picture),
                        html_text(entry.what));
  }
  text += differences_of(entry.verdict);
  text += checks_of(entry);
  if (!entry.reproduction->remarks.empty()) text += fmt::format("<p>{}</p>\n", html_text(entry.reproduction->remarks));
  text += fmt::format("<pre>./ecube reproduce {}</pre>\n<p>Files: ", html_text(entry.id));
  for (const std::string& file : entry.files) text += fmt::format("<a href=\"{0}\">{0}</a> ", html_text(file));
  return text + "<a href=\"#top\">back to the overview</a></p>\n</section>\n";
}

}  // namespace

void write_page(const std::string& directory, const std::vector<PageEntry>& entries, const VerdictCounts& counts) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\" id=\"top\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Published tables and figures, done again</title>\n<style>{}</style>\n<script>{}</script></head><body>\n"
      "<h1>Published tables and figures, done again</h1>\n"
      "<p class=\"lead\">Each result is a table or figure of a paper, made again by the equations and by runs of the "
      "modelled machine. Predictions are dashed, measurements are marks. A check agrees within its tolerance, "
      "differs, or has no number in print to compare with; every known difference has its reason.</p>\n",
      styles, script);
  page += "<div class=\"tiles\">\n" + tile(counts.reproduced, "reproduced", "reproduced") +
          tile(counts.part, "reproduced in part", "part") + tile(counts.differs, "differ", "differs") +
          tile(counts.print_agrees, "checks agree with print", "agrees") +
          tile(counts.print_differs, "differ from print", "differs") +
          tile(counts.own_agrees, "agree with own arithmetic", "agrees") +
          tile(counts.no_number, "have no number in print", "nothing") + "</div>\n";
  page += fmt::format("<p>{}</p>\n", html_text(lines_of(counts).back()));
  page += overview_of(entries);
  for (const PageEntry& entry : entries) page += section_of(entry);
  page += fmt::format("<footer><p>ecube {}; all of this again: ./ecube reproduce all</p></footer>\n", program_version);
  const std::string path = directory + "/index.html";
  std::ofstream stream(path, std::ios::binary);
  stream << page << "</body></html>\n";
  stream.close();
  if (!stream) throw std::runtime_error("cannot write " + path);
}

}  // namespace ecube
