// SPDX-License-Identifier: Apache-2.0
// How many cycles the core takes for what a program asks of it (hw/README.md section 5).
#pragma once

#include "hw/event/processors.h"
#include "models/node/node_work.h"

namespace ecube::event {

/// Cycles of a computation that begins at edge `now`. Throws what a loop of a detailed node throws when it faults.
[[nodiscard]] Cycles cycles_of_work(const Operation& operation, const Machine& machine, NodeWork& work,
                                    const Processors& processors, Cycles now);

}  // namespace ecube::event
