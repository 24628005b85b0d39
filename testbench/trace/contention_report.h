// SPDX-License-Identifier: Apache-2.0
// Contention of a run, for a person and for a program.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "models/contract/run.h"
#include "testbench/trace/wait_chains.h"

namespace ecube {

class Links;

/// The input of a report: a run that has ended, its waits, and its totals.
struct ContentionSource {
  const Links& links;
  const WaitChains& log;
  const RunStatistics& network;
  Cycles cycles = 0;
};

/// Waits for links against waits for ports, the most blocked links, the longest waits with their chains, and blocked
/// cycles by node and dimension; lines of at most `columns` characters.
[[nodiscard]] std::string contention_text(const ContentionSource& source, unsigned columns);
/// "contention" of the JSON output.
[[nodiscard]] nlohmann::ordered_json contention_json(const ContentionSource& source);
/// A wait and its chain in one line: "5->9 #3 waited 120 cycles from 400 for link 7:1 held by 3->1 #2, ...".
[[nodiscard]] std::string sentence_of(const Wait& wait, unsigned dim);

}  // namespace ecube
