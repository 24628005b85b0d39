// SPDX-License-Identifier: Apache-2.0
// Points in, results out.
#include "testbench/sweep/worker.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "testbench/sweep/point_runner.h"

namespace ecube {

int run_worker(unsigned dim) {
  // The kernel ends the worker with its manager, however the manager ends.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd manager{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (poll(&manager, 1, 0) > 0 && (manager.revents & POLLHUP) != 0) return 0;  // the manager ended before that
  PointRunner runner(dim);
  const auto text = [](const nlohmann::ordered_json& json) {
    // Bytes that are no UTF-8 come from what the user typed.
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  };
  for (std::string line; std::getline(std::cin, line);) {
    const auto point = nlohmann::ordered_json::parse(line, nullptr, false);
    if (point.is_discarded() || !point.contains("arguments")) return 2;
    const PointOutcome outcome = runner.run(point["arguments"].get<std::vector<std::string>>());
    nlohmann::ordered_json answer = {{"number", point["number"]}};
    if (outcome.wants_another_elaboration) {
      answer["again"] = true;
    } else {
      answer["status"] = outcome.status;
      answer["wall_s"] = outcome.wall_s;
      if (!outcome.result.is_null()) answer["result"] = true;
      if (outcome.status != 0) answer["error"] = outcome.error;
      if (outcome.last) answer["last"] = true;
    }
    fmt::print("{}", text(answer));
    if (answer.contains("result")) fmt::print("{}", text(outcome.result));
    std::fflush(stdout);
    if (outcome.wants_another_elaboration) return 0;
    // Nothing is destroyed: the machine is in the middle of a cycle.
    if (outcome.last) _exit(0);
  }
  return 0;
}

}  // namespace ecube
