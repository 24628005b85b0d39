// SPDX-License-Identifier: Apache-2.0
// The table of results.
#include "testbench/reproduction/results.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "testbench/reproduction/claims.h"

namespace ecube {

extern const char* const results_table;

namespace {

struct Row {
  std::string_view id;
  Reproduce* reproduce;
};

constexpr std::array functions = {
    Row{"bokhari-fig1", bokhari_figure_1},
    Row{"bokhari-fig2", bokhari_figure_2},
    Row{"bokhari-table1", bokhari_table_1},
    Row{"bokhari-table2", bokhari_table_2},
    Row{"bokhari-count", bokhari_count},
    Row{"bokhari-properties", bokhari_properties},
    Row{"bokhari-theorems", bokhari_theorems},
    Row{"bokhari-meshes", bokhari_meshes},
    Row{"bokhari-table3", bokhari_table_3},
    Row{"bokhari-table4", bokhari_table_4},
    Row{"bokhari-faces", bokhari_faces},
    Row{"bokhari-times", bokhari_times},
    Row{"bokhari-patterns", bokhari_patterns},
    Row{"bokhari-choice", bokhari_choice},
    Row{"nicol-fig2", nicol_figure_2},
    Row{"nicol-fig3", nicol_figure_3},
    Row{"nicol-bounds", nicol_bounds},
    Row{"nicol-analysis", nicol_analysis},
    Row{"nicol-blocks", nicol_blocks},
    Row{"nicol-parameters", nicol_parameters},
    Row{"nicol-direct", nicol_direct},
    Row{"nicol-synchronisation", nicol_synchronisation},
    Row{"nicol-networks", nicol_networks},
    Row{"nicol-rho", node_loops},
    Row{"vdg-fig1", van_de_geijn_figure_1},
    Row{"vdg-fig2", van_de_geijn_figure_2},
    Row{"vdg-fig3", van_de_geijn_figure_3},
    Row{"vdg-fig5", van_de_geijn_figure_5},
    Row{"vdg-fig7", van_de_geijn_figure_7},
    Row{"vdg-fig8", van_de_geijn_figure_8},
    Row{"vdg-theorem1", van_de_geijn_theorem_1},
    Row{"vdg-lemma2", van_de_geijn_lemma_2},
    Row{"jh-fig1", johnsson_ho_figure_1},
    Row{"jh-fig3", johnsson_ho_figure_3},
    Row{"jh-fig4", johnsson_ho_figure_4},
    Row{"jh-fig5", johnsson_ho_figure_5},
    Row{"jh-fig6", johnsson_ho_figure_6},
    Row{"jh-fig8", johnsson_ho_figure_8},
    Row{"jh-fig9", johnsson_ho_figure_9},
    Row{"jh-fig10", johnsson_ho_figure_10},
    Row{"jh-fig11", johnsson_ho_figure_11},
    Row{"jh-table1", johnsson_ho_table_1},
    Row{"jh-table2", johnsson_ho_table_2},
    Row{"jh-table2-packets", johnsson_ho_table_2_packets},
    Row{"jh-table3", johnsson_ho_table_3},
    Row{"jh-corollary1", johnsson_ho_corollary_1},
    Row{"jh-cm2", johnsson_ho_cm2},
    Row{"jh-bounds", johnsson_ho_bounds},
    Row{"jh-sequences", johnsson_ho_sequences},
    Row{"messages-ncube2", messages_of_ncube2},
    Row{"messages-ipsc2", messages_of_ipsc2},
    Row{"messages-nx", messages_of_ipsc860_nx},
    Row{"swot", swot},
};

}  // namespace

std::span<const PublishedResult> published_results() {
  // Id, what it is, preset, remarks; "-" is nothing. In the order of `functions`.
  static const std::vector<std::vector<std::string>> rows = table_rows(results_table, 4);
  static const std::vector<PublishedResult> results = [] {
    std::vector<PublishedResult> all;
    const auto text = [](const std::string& field) { return field == "-" ? std::string_view() : field; };
    for (const std::vector<std::string>& row : rows) {
      const auto found =
          std::find_if(functions.begin(), functions.end(), [&](const Row& one) { return one.id == row[0]; });
      if (found == functions.end()) throw std::logic_error("results.tsv: nothing makes " + row[0]);
      all.push_back({row[0], row[1], text(row[2]), text(row[3]), found->reproduce});
    }
    return all;
  }();
  return results;
}

}  // namespace ecube
