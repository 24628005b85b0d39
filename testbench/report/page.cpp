// SPDX-License-Identifier: Apache-2.0
// Template, styles, script, charts and data in one text.
#include "testbench/report/page.h"

#include <fmt/core.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "models/machine/error.h"
#include "testbench/publication/manifest.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text.h"
#include "testbench/version.h"

namespace ecube {

/// With marks where the rest goes: {title}, {css}, {echarts}, {data}, {js}.
extern const char* const page_html;
extern const char* const page_css;
extern const char* const page_js;

namespace {

std::string charts() {
  std::ifstream file(echarts_file(), std::ios::binary);
  if (!file) {
    throw InputError("charts of pages are drawn by ECharts, which is not there")
        .hint(installed_files().empty()
                  ? "./ecube report installs it; without ./ecube: cmake --build --preset release --target ecube_charts"
                  : "put echarts.min.js of npm's package echarts 6 there: " + echarts_file().string());
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// JSON within a script element, which "</" or "<!--" in a text must not end.
std::string in_script(const nlohmann::ordered_json& data) {
  std::string result;
  for (const char c : data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
    result += c == '<' ? std::string_view("\\u003c") : std::string_view(&c, 1);
  }
  return result;
}

}  // namespace

void require_charts() { (void)charts(); }

std::string report_page(const std::string& title, const std::string& kind, const nlohmann::ordered_json& members,
                        PageCharts wanted) {
  nlohmann::ordered_json data = {{"version", program_version}, {"program", own_command()}, {"kind", kind}};
  data.update(members);
  return fmt::format(fmt::runtime(page_html), fmt::arg("title", html_text(title)), fmt::arg("css", page_css),
                     fmt::arg("js", page_js), fmt::arg("data", in_script(data)),
                     fmt::arg("echarts", wanted == PageCharts::drawn ? charts() : ""));
}

std::string results_page(const std::string& title, const std::string& command, const std::vector<std::string>& lines,
                         bool good, const nlohmann::ordered_json& entries, PageCharts wanted) {
  return report_page(title, "results",
                     {{"results",
                       {{"command", command},
                        {"lines", lines},
                        {"good", good},
                        {"charts", wanted == PageCharts::drawn},
                        {"entries", entries}}}},
                     wanted);
}

std::string place_of_page(const std::string& directory) {
  const OpenDirectory place(directory.empty() ? "." : directory);
  if (place.status(report_name) && !is_report_page(place.open_file(report_name))) {
    throw InputError(
        fmt::format("{} has a {} that is no page of this program's", ecube::quoted(directory), report_name))
        .hint("name another file with -o, or move it away");
  }
  return (std::filesystem::path(directory) / report_name).string();
}

}  // namespace ecube
