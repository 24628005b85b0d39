// SPDX-License-Identifier: Apache-2.0
// The table of results.
#include "testbench/reproduction/results.h"

#include <array>

namespace ecube {

namespace {

constexpr std::array results = {
    PublishedResult{"bokhari-fig1", "Bokhari 1993, Figure 1: run times of all partitions, d = 4 and 6", "hull",
                    bokhari_figure_1},
    PublishedResult{"bokhari-fig2", "Bokhari 1993, Figure 2: parts of the equipartitions of 11 and 16", "",
                    bokhari_figure_2},
    PublishedResult{"bokhari-table1", "Bokhari 1993, Table 1: parameters, and the times of Standard and Direct", "hull",
                    bokhari_table_1},
    PublishedResult{"bokhari-table2", "Bokhari 1993, Table 2: partitions of 5, and the examples of section 3", "",
                    bokhari_table_2},
    PublishedResult{"bokhari-count",
                    "Bokhari 1993, section 3.1: number of partitions, and why halving finds no best one", "hull",
                    bokhari_count},
    PublishedResult{"bokhari-properties", "Bokhari 1993, section 3.3: Properties 1 to 6 of equipartitions", "hull",
                    bokhari_properties},
    PublishedResult{"bokhari-theorems",
                    "Bokhari 1993, section 3.4: Theorems 1 to 3 and the lines of the partitions of 4", "hull",
                    bokhari_theorems},
    PublishedResult{"bokhari-meshes", "Bokhari 1993, section 4: complete exchanges on meshes, its outlook", "hull",
                    bokhari_meshes},
    PublishedResult{"bokhari-table3", "Bokhari 1993, Table 3: partitions of 7 with their sums", "", bokhari_table_3},
    PublishedResult{"bokhari-table4", "Bokhari 1993, Table 4: partitions of 1 to 7", "", bokhari_table_4},
    PublishedResult{"bokhari-faces", "Bokhari 1993, section 3.5: number of faces on the hull of optimality", "",
                    bokhari_faces},
    PublishedResult{"nicol-fig2", "Nicol & Bokhari 1994, Figure 2: multiphase exchange on a 32-node iPSC/860",
                    "ipsc860", nicol_figure_2},
    PublishedResult{"nicol-fig3", "Nicol & Bokhari 1994, Figure 3: multiphase exchange on a 64-node iPSC/860",
                    "ipsc860", nicol_figure_3},
    PublishedResult{"nicol-bounds", "Nicol & Bokhari 1994, section 3: bounds on the best partition", "hull",
                    nicol_bounds},
    PublishedResult{"nicol-parameters", "Nicol & Bokhari 1994, section 4: parameters of the iPSC/860", "ipsc860",
                    nicol_parameters},
    PublishedResult{"nicol-direct", "Nicol & Bokhari 1994, section 4: which costs Direct is charged with", "ipsc860",
                    nicol_direct},
    PublishedResult{"nicol-rho", "Nicol & Bokhari 1994, section 4: which loop of a node permutes at 0.54 us a byte",
                    "ipsc860-node", node_loops},
    PublishedResult{"vdg-fig1", "van de Geijn 1991, Figure 1: Version 1 on 4 nodes", "ideal", van_de_geijn_figure_1},
    PublishedResult{"vdg-fig2", "van de Geijn 1991, Figure 2: Version 2 on 4 nodes", "ideal", van_de_geijn_figure_2},
    PublishedResult{"vdg-fig3", "van de Geijn 1991, Figure 3: Version 3 on 4 nodes", "ideal", van_de_geijn_figure_3},
    PublishedResult{"vdg-fig5", "van de Geijn 1991, Figure 5: combine-to-root on 4 nodes", "ideal",
                    van_de_geijn_figure_5},
    PublishedResult{"vdg-fig7", "van de Geijn 1991, Figure 7: versions of the global combine on 64 nodes, padded",
                    "ipsc860-combine", van_de_geijn_figure_7},
    PublishedResult{"vdg-fig8", "van de Geijn 1991, Figure 8: the same with short messages as they are",
                    "ipsc860-combine", van_de_geijn_figure_8},
    PublishedResult{"vdg-theorem1", "van de Geijn 1991, Theorem 1: the best hybrid strategy", "ipsc860-combine",
                    van_de_geijn_theorem_1},
    PublishedResult{"jh-fig1", "Johnsson & Ho 1991, Figure 1: a shuffle of order two", "ideal", johnsson_ho_figure_1},
    PublishedResult{"jh-fig3", "Johnsson & Ho 1991, Figure 3: exchanges of a mixed shuffle of real order three",
                    "ideal", johnsson_ho_figure_3},
    PublishedResult{"jh-fig4", "Johnsson & Ho 1991, Figure 4: the same with alignment and realignment", "ideal",
                    johnsson_ho_figure_4},
    PublishedResult{"jh-fig5", "Johnsson & Ho 1991, Figure 5: exchange sequences, some from other dimensions, K = 18",
                    "ideal", johnsson_ho_figure_5},
    PublishedResult{"jh-fig6", "Johnsson & Ho 1991, Figure 6: which schedule is best for which K and sigma_r", "ideal",
                    johnsson_ho_figure_6},
    PublishedResult{"jh-fig8", "Johnsson & Ho 1991, Figure 8: exchange sequences of two constituents, pipelined",
                    "ideal", johnsson_ho_figure_8},
    PublishedResult{"jh-fig9", "Johnsson & Ho 1991, Figure 9: exchange sequences of two constituents, K = 28", "ideal",
                    johnsson_ho_figure_9},
    PublishedResult{"jh-fig10", "Johnsson & Ho 1991, Figure 10: a real shuffle by algorithm A1", "ideal",
                    johnsson_ho_figure_10},
    PublishedResult{"jh-fig11", "Johnsson & Ho 1991, Figure 11: shuffles on an iPSC/1 5-cube", "ipsc1",
                    johnsson_ho_figure_11},
    PublishedResult{"jh-table1", "Johnsson & Ho 1991, Table 1: a single mixed shuffle", "ideal", johnsson_ho_table_1},
    PublishedResult{"jh-table2", "Johnsson & Ho 1991, Table 2: several mixed shuffles", "ideal", johnsson_ho_table_2},
    PublishedResult{"jh-table2-packets", "Johnsson & Ho 1991, Table 2: several mixed shuffles in packets of B", "ideal",
                    johnsson_ho_table_2_packets},
    PublishedResult{"jh-table3", "Johnsson & Ho 1991, Table 3: real shuffles", "ideal", johnsson_ho_table_3},
    PublishedResult{"jh-corollary1", "Johnsson & Ho 1991, Corollary 1: bound on real shuffles with fixed packets",
                    "ideal", johnsson_ho_corollary_1},
    PublishedResult{"jh-cm2", "Johnsson & Ho 1991, section 5: A2^2 on the Connection Machine", "cm2", johnsson_ho_cm2},
};

}  // namespace

std::span<const PublishedResult> published_results() { return results; }

}  // namespace ecube
