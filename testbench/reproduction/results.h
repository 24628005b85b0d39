// SPDX-License-Identifier: Apache-2.0
// All published tables and figures that are done again, by paper.
#pragma once

#include <initializer_list>
#include <span>

#include "testbench/figure/figure.h"

namespace ecube {

/// The largest dimension of any result.
inline constexpr unsigned reproduction_dim = 12;

/// In the order of the papers.
[[nodiscard]] std::span<const PublishedResult> published_results();

/// A row for each check that differs, in the order of the items. `reproduce` fails when another check differs, and when
/// one of these no longer does.
[[nodiscard]] std::span<const KnownDifference> known_differences();

/// A parameter in print, and as it is fitted on the machine.
struct FittedNumber {
  std::string_view name;
  double printed;
  double fitted;
  std::string_view unit;
};
/// Adds a check and a row of a grid for each.
void add_fitted(Reproduction& result, const std::string& title, std::initializer_list<FittedNumber> rows);

using Reproduce = Reproduction(TestBench& bench, const Machine& machine);

// Bokhari 1993.
Reproduce bokhari_figure_1, bokhari_figure_2, bokhari_table_3, bokhari_table_4, bokhari_faces, bokhari_table_1,
    bokhari_table_2, bokhari_count, bokhari_properties, bokhari_theorems, bokhari_meshes, bokhari_times,
    bokhari_patterns, bokhari_choice;
// Nicol & Bokhari 1994.
Reproduce nicol_parameters, nicol_direct, nicol_synchronisation, nicol_networks, nicol_figure_2, nicol_figure_3,
    nicol_bounds, nicol_analysis, nicol_blocks;
// The same and van de Geijn 1991, on a detailed node.
Reproduce node_loops;
// van de Geijn 1991.
Reproduce van_de_geijn_figure_1, van_de_geijn_figure_2, van_de_geijn_figure_3, van_de_geijn_figure_5,
    van_de_geijn_figure_7, van_de_geijn_figure_8, van_de_geijn_theorem_1, van_de_geijn_lemma_2;
// Johnsson & Ho 1991.
Reproduce johnsson_ho_figure_1, johnsson_ho_figure_3, johnsson_ho_figure_4, johnsson_ho_figure_5, johnsson_ho_figure_6,
    johnsson_ho_figure_8, johnsson_ho_figure_9, johnsson_ho_figure_10, johnsson_ho_figure_11, johnsson_ho_table_1,
    johnsson_ho_table_2, johnsson_ho_table_2_packets, johnsson_ho_corollary_1, johnsson_ho_table_3, johnsson_ho_cm2,
    johnsson_ho_bounds, johnsson_ho_sequences;
// Other literature.
Reproduce messages_of_ncube2, messages_of_ipsc2, messages_of_ipsc860_nx, swot;

}  // namespace ecube
