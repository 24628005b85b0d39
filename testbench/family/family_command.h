// SPDX-License-Identifier: Apache-2.0
// `predict`, `best` and `explain` of a collective on vectors, and its steps for the static check.
#pragma once

#include "testbench/collective/planned_steps.h"
#include "testbench/family/family_request.h"

namespace ecube {

/// Add the subcommand of a collective to a command.
void add_predict_family(Command& predict, const Collective& collective, Invocation& invocation);
void add_best_family(Command& best, const Collective& collective, Invocation& invocation);
void add_explain_family(Command& explain, const Collective& collective, Invocation& invocation);

/// The messages of every step of a plan as circuits.
void family_steps(const CollectivePlan& plan, const StepSink& sink);

}  // namespace ecube
