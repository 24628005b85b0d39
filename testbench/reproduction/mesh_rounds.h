// SPDX-License-Identifier: Apache-2.0
// Link-disjoint rounds of Direct on meshes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/static_check/link_conflicts.h"

namespace ecube {

/// Circuits that pass at once.
using Round = std::vector<PlannedCircuit>;

/// Direct on a mesh of sides 4, or on 6 x 6 nodes, in as few rounds as its bisection allows.
[[nodiscard]] std::vector<Round> direct_rounds(const Topology& topology);

/// What keeps rounds from being those of Direct: two circuits of one share a link, a node sends or receives twice in
/// one, a pair of nodes is in two rounds or in none, or is no pair. Empty if nothing does. Rounds count from 1.
[[nodiscard]] std::string fault_of(std::span<const Round> rounds, const Topology& topology);

}  // namespace ecube
