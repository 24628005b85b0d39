// SPDX-License-Identifier: Apache-2.0
// A run as a schedule in GOAL's text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hw/observed/observer.h"
#include "models/machine/machine.h"

namespace ecube {

/// Writes down what the programs of a run ask for, and what they have waited for before: an operation requires all
/// operations of its node that have ended since the one asked for before it, and irequires that one. The schedule then
/// takes the time of the run where programs only depend on what they wait for.
class GoalRecorder final : public Observer {
 public:
  GoalRecorder(const Machine& machine, NodeId nodes) : clock_hz_(machine.clock_hz), nodes_(nodes) {}

  void issued(const Operation& operation, Cycles at) override;
  void begins(const Operation& operation, Cycles at) override;
  void completed(const Operation& operation, Cycles at) override;

  /// The schedule, when the run has ended. Comments name what GOAL cannot say.
  [[nodiscard]] std::string text(const std::string& title) const;

 private:
  struct UnderWay {
    std::uint32_t label = 0;
    Cycles begun = 0;
  };
  struct Rank {
    std::string lines;
    std::uint32_t labels = 0;
    std::vector<std::uint32_t> ended;  ///< since the operation asked for last
    std::map<const Operation*, UnderWay> under_way;
  };

  double clock_hz_;
  std::vector<Rank> nodes_;
  std::uint64_t rendezvous_ = 0;
  std::uint64_t signals_ = 0;
  std::uint64_t waits_ = 0;
  std::uint64_t tunes_ = 0;
  std::uint64_t ports_ = 0;
  std::uint64_t rounded_ = 0;
};

}  // namespace ecube
