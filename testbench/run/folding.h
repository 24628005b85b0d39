// SPDX-License-Identifier: Apache-2.0
// `--fold`: runs in which one node is simulated in the place of all.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "testbench/run/run_arguments.h"

namespace ecube {

void add_fold_option(Command& app, RunArguments& arguments);

/// Reads --fold into `setup`, whose other members are complete, and settles what speaks against it in the options, the
/// machine and the conditions. InputError as below.
void read_fold(RunSetup& setup, const RunArguments& arguments);
/// There may be a reason against folding: InputError with --fold on; with --fold auto the setup keeps the first one.
void settle_fold(RunSetup& setup, const std::string& reason);
/// Makes a folded run where `setup` may be folded. False if that is not so, or if the run found that it cannot be
/// folded, and all nodes have to be simulated: settled as above.
[[nodiscard]] bool run_folded(RunSetup& setup, const std::function<void()>& run);

/// The members of the JSON object that tell about folding; none without --fold. Data were verified on so many nodes.
void add_fold_json(nlohmann::ordered_json& json, const RunSetup& setup, bool folded, NodeId verified_nodes);
/// The same in a line for a person; empty without --fold.
[[nodiscard]] std::string fold_text(const RunSetup& setup, bool folded);

}  // namespace ecube
