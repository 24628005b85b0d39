// SPDX-License-Identifier: Apache-2.0
// The commands of the program, each defined in the room of its name.
#pragma once

#include <memory>

#include "testbench/command_line/command.h"
#include "testbench/run/experiment.h"
#include "testbench/run/run_arguments.h"

namespace ecube {

/// Adds the command to the program, or the subcommand to the command that comes before it in the name.
using AddCommand = void(Command& parent, Invocation& invocation);

AddCommand add_check, add_view, add_report, add_compare;
/// With the hidden command of the workers.
AddCommand add_sweep;
AddCommand add_sweep_merge, add_sweep_export;
AddCommand add_reproduce, add_validate, add_lesson;
AddCommand add_calibrate, add_verify_router, add_init;

/// The commands whose subcommands are workloads.
struct Questions {
  Command& predict;
  Command& best;
  Command& hull;
  Command& explain;
  Invocation& invocation;
};
using AddQuestions = void(const Questions& to);

AddQuestions add_exchange_questions, add_exchange_hull, add_exchange_explanation;
AddQuestions add_combine_questions, add_combine_hull;
AddQuestions add_shuffle_questions, add_shuffle_explanation;
void add_explain_program(Command& explain);

using MakeRunRequest = std::unique_ptr<RunRequest>();

MakeRunRequest combine_run_request, shuffle_run_request, traffic_run_request, goal_run_request;
MakeRunRequest pingpong_run_request, barrier_run_request, program_run_request;

inline constexpr const char* program_description =
    "ecube: a cycle-level model of circuit-switched hypercube multicomputers";

void add_commands(Command& app, Invocation& invocation);

}  // namespace ecube
