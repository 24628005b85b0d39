// SPDX-License-Identifier: Apache-2.0
// The table of results.
#include "testbench/reproduction/results.h"

#include <array>

namespace ecube {

namespace {

constexpr std::array results = {
    PublishedResult{"bokhari-fig1", "Bokhari 1993, Figure 1: run times of all partitions, d = 4 and 6",
                    bokhari_figure_1},
    PublishedResult{"bokhari-fig2", "Bokhari 1993, Figure 2: parts of the equipartitions of 11 and 16",
                    bokhari_figure_2},
    PublishedResult{"bokhari-table3", "Bokhari 1993, Table 3: partitions of 7 with their sums", bokhari_table_3},
    PublishedResult{"bokhari-table4", "Bokhari 1993, Table 4: partitions of 1 to 7", bokhari_table_4},
    PublishedResult{"bokhari-faces", "Bokhari 1993, section 3.5: number of faces on the hull of optimality",
                    bokhari_faces},
    PublishedResult{"nicol-fig2", "Nicol & Bokhari 1994, Figure 2: multiphase exchange on a 32-node iPSC/860",
                    nicol_figure_2},
    PublishedResult{"nicol-fig3", "Nicol & Bokhari 1994, Figure 3: multiphase exchange on a 64-node iPSC/860",
                    nicol_figure_3},
    PublishedResult{"nicol-bounds", "Nicol & Bokhari 1994, section 3: bounds on the best partition", nicol_bounds},
    PublishedResult{"vdg-fig1", "van de Geijn 1991, Figure 1: Version 1 on 4 nodes", van_de_geijn_figure_1},
    PublishedResult{"vdg-fig2", "van de Geijn 1991, Figure 2: Version 2 on 4 nodes", van_de_geijn_figure_2},
    PublishedResult{"vdg-fig3", "van de Geijn 1991, Figure 3: Version 3 on 4 nodes", van_de_geijn_figure_3},
    PublishedResult{"vdg-fig5", "van de Geijn 1991, Figure 5: combine-to-root on 4 nodes", van_de_geijn_figure_5},
    PublishedResult{"vdg-fig7", "van de Geijn 1991, Figure 7: versions of the global combine on 64 nodes, padded",
                    van_de_geijn_figure_7},
    PublishedResult{"vdg-fig8", "van de Geijn 1991, Figure 8: the same with short messages as they are",
                    van_de_geijn_figure_8},
    PublishedResult{"vdg-theorem1", "van de Geijn 1991, Theorem 1: the best hybrid strategy", van_de_geijn_theorem_1},
    PublishedResult{"jh-fig1", "Johnsson & Ho 1991, Figure 1: a shuffle of order two", johnsson_ho_figure_1},
    PublishedResult{"jh-fig3", "Johnsson & Ho 1991, Figure 3: exchanges of a mixed shuffle of real order three",
                    johnsson_ho_figure_3},
    PublishedResult{"jh-fig4", "Johnsson & Ho 1991, Figure 4: the same with alignment and realignment",
                    johnsson_ho_figure_4},
    PublishedResult{"jh-fig10", "Johnsson & Ho 1991, Figure 10: a real shuffle by algorithm A1", johnsson_ho_figure_10},
};

}  // namespace

std::span<const PublishedResult> published_results() { return results; }

}  // namespace ecube
