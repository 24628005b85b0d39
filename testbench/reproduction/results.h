// SPDX-License-Identifier: Apache-2.0
// All published tables and figures that are done again, by paper.
#pragma once

#include <span>

#include "testbench/figure/figure.h"

namespace ecube {

/// The largest dimension of any result.
inline constexpr unsigned reproduction_dim = 12;

/// In the order of the papers.
[[nodiscard]] std::span<const PublishedResult> published_results();

// Bokhari 1993.
[[nodiscard]] Reproduction bokhari_figure_1(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction bokhari_figure_2(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction bokhari_table_3(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction bokhari_table_4(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction bokhari_faces(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction bokhari_table_1(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction bokhari_table_2(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction bokhari_count(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction bokhari_properties(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction bokhari_theorems(TestBench& bench, const Machine& machine);
// Nicol & Bokhari 1994.
[[nodiscard]] Reproduction nicol_parameters(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction nicol_direct(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction nicol_figure_2(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction nicol_figure_3(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction nicol_bounds(TestBench& bench, const Machine& machine);
// The same and van de Geijn 1991, on a detailed node.
[[nodiscard]] Reproduction node_loops(TestBench& bench, const Machine& machine);
// van de Geijn 1991.
[[nodiscard]] Reproduction van_de_geijn_figure_1(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction van_de_geijn_figure_2(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction van_de_geijn_figure_3(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction van_de_geijn_figure_5(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction van_de_geijn_figure_7(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction van_de_geijn_figure_8(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction van_de_geijn_theorem_1(TestBench& bench, const Machine& machine);
// Johnsson & Ho 1991.
[[nodiscard]] Reproduction johnsson_ho_figure_1(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction johnsson_ho_figure_3(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction johnsson_ho_figure_4(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction johnsson_ho_figure_5(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction johnsson_ho_figure_6(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction johnsson_ho_figure_8(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction johnsson_ho_figure_9(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction johnsson_ho_figure_10(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction johnsson_ho_figure_11(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction johnsson_ho_table_1(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction johnsson_ho_table_2(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction johnsson_ho_table_2_packets(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction johnsson_ho_corollary_1(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction johnsson_ho_table_3(TestBench& bench, const Machine& machine);
[[nodiscard]] Reproduction johnsson_ho_cm2(TestBench& bench, const Machine& machine);

}  // namespace ecube
