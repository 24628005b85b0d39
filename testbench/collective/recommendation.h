// SPDX-License-Identifier: Apache-2.0
// What `best` recommends: the ways to do a workload over any number of ports, by predicted or by measured time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/machine/machine.h"
#include "testbench/run/experiment.h"
#include "testbench/text/json_text.h"

namespace ecube {

/// Numbers of ports that an algorithm may use: all of the machine first, then fewer, down to the fewest that it can
/// have; above 64 powers of two only.
[[nodiscard]] std::vector<Ports> port_choices(const Machine& machine, unsigned dim);

/// "./ecube run WORKLOAD" with the machine, dimension and other options of `arguments`, and these ports.
[[nodiscard]] std::string run_command(const std::string& workload, const RunArguments& arguments, Ports ports);

/// Messages of all candidates of `best` together up to which they are run: some seconds. Stored packets count each hop.
inline constexpr std::uint64_t most_measured_messages = std::uint64_t{1} << 22;

/// The largest cube that `best` elaborates to run candidates.
inline constexpr unsigned max_tried_dim = 10;

/// How much `messages` messages of up to `longest` bytes count towards most_measured_messages.
[[nodiscard]] std::uint64_t measured_messages(const Machine& machine, unsigned dim, std::uint64_t messages,
                                              Bytes longest);

/// What a prediction leaves out, and by how much it is off: from a run, where this takes some seconds at most.
class LeftOut {
 public:
  using Run = std::function<std::unique_ptr<Experiment>(Benches& benches)>;

  /// Nothing where `params` stand in place of the machine with these gaps. `run` makes the predicted run, without data,
  /// on a cube of `dim` with messages up to `longest` bytes; `bench` is for dimensions up to max_tried_dim.
  LeftOut(const TextOption& params, std::vector<std::string> gaps, double predicted_us, unsigned dim, Bytes longest,
          TestBench& bench, const Run& run);

  /// Answers `predict WORKLOAD`: by the JSON object, with "leaves_out", and "measured_us" and "error_percent" where it
  /// was run; or as `answer` prints it, followed by a note of these.
  int tell(std::string_view workload, bool json, Json object, const std::function<void()>& answer) const;

 private:
  std::vector<std::string> gaps_;
  double predicted_us_;
  std::optional<double> measured_us_;
};
[[nodiscard]] std::string measured_limit_help();

struct Candidate {
  std::string name{};     ///< "{3,3}"
  Json choice{};          ///< what chooses it, and its own figures: {"partition": [3, 3]}
  std::string options{};  ///< what chooses it in a run: " --partition 3,3"
  Ports ports{};
  std::optional<double> predicted_us{};  ///< none without an equation
  bool was_run = false;
  std::optional<double> measured_us{};  ///< none where it was not run, or did not finish
  std::vector<std::string> cells{};     ///< under Recommendation::columns
  std::string remark{};                 ///< at the end of its line

  /// Measured where it was run, else predicted.
  [[nodiscard]] std::optional<double> us() const { return was_run ? measured_us : predicted_us; }
};

/// Nothing of a run that did not finish.
[[nodiscard]] inline std::optional<double> finished_us(const RunResult& result) {
  return result.status == RunResult::Status::finished ? std::optional(result.us) : std::nullopt;
}

/// By prediction. Equal times may differ in their last bits.
[[nodiscard]] inline bool is_faster(const Candidate& a, const Candidate& b) {
  return *a.predicted_us < *b.predicted_us * (1 - 1e-9);
}

/// The least measured time first; those without one last. The order of equals stays.
template <class Choice>
void sort_by_time(std::vector<Choice>& choices) {
  constexpr double last = std::numeric_limits<double>::infinity();
  std::ranges::stable_sort(choices, {}, [&](const Candidate& one) { return one.measured_us.value_or(last); });
}

/// Runs all candidates, which `run` does with one that it is given; `messages` are those of one. False, and runs none,
/// where they send more than most_measured_messages together.
template <class Choice, class Messages, class Run>
bool run_all(std::vector<Choice>& candidates, const Messages& messages, const Run& run) {
  std::uint64_t sum = 0;
  for (const Choice& one : candidates) {
    sum += messages(one);
    if (sum > most_measured_messages) return false;
  }
  for (Choice& one : candidates) {
    run(one);
    one.was_run = true;
  }
  return true;
}

/// Candidates that were run on the machine, where the equation leaves something out.
template <class Choice>
struct Tried {
  std::vector<std::string> leaves_out{};
  std::vector<Choice> candidates{};  ///< the fastest first; none where there would be too many, or it did not finish

  /// Whether candidates on a cube of `dim` are to be run.
  [[nodiscard]] bool are_due(unsigned dim) const { return !leaves_out.empty() && dim <= max_tried_dim; }
  template <class Messages, class Run>
  void run(std::vector<Choice> all, const Messages& messages, const Run& run) {
    if (!run_all(all, messages, run)) return;
    sort_by_time(all);
    if (all.front().measured_us) candidates = std::move(all);
  }
};

struct Recommendation {
  std::string workload;                    ///< "exchange"
  const RunArguments& run;                 ///< options of the machine
  std::string options{};                   ///< of a run, in which the candidates are alike
  bool runnable = true;                    ///< by a command that is printed; not with --params
  Bytes data_bytes = 0;                    ///< that a run holds; above the memory, it takes check words
  std::string title{};                     ///< the first line
  std::string kind{};                      ///< title of the candidates' names: "partition"
  Json about{};                            ///< members of the JSON object before the answer
  std::vector<std::string> columns{};      ///< further ones of the table
  std::vector<Candidate> candidates{};     ///< the best first
  std::optional<Candidate> by_equation{};  ///< where the candidates were run
  std::vector<std::pair<std::string, Candidate>> beside{};  ///< named, to compare with: {"direct", ..}
  Json more{};                                              ///< members after the answer
  std::vector<std::string> leaves_out{};                    ///< of the equation

  /// Takes the candidates that were run or, where none were, those by the equation, as `told` tells them.
  template <class Choice, class Told = std::identity>
  void find_among(const std::vector<Choice>& predicted, const Tried<Choice>& tried, const Told& told = {}) {
    const bool measured = !tried.candidates.empty();
    leaves_out = tried.leaves_out;
    if (measured) by_equation = told(predicted.front());
    for (const Choice& one : measured ? tried.candidates : predicted) candidates.push_back(told(one));
  }
};

/// Prints the first line and the table, lets `notes` print, and ends with what the equation leaves out and the command
/// that runs the best candidate; or prints all as JSON.
int tell(const Recommendation& answer, bool json, const std::function<void()>& notes);

/// The least number for which `holds` is true, between `below`, where it is false, and `above`, where it is true.
/// Assumes that `holds` changes once. None where `holds` is true at `below` already, or false at `above`.
template <class Predicate>
[[nodiscard]] std::optional<std::uint64_t> first_between(std::uint64_t below, std::uint64_t above,
                                                         const Predicate& holds) {
  if (!holds(above) || holds(below)) return std::nullopt;
  while (above - below > 1) {
    const std::uint64_t middle = below + (above - below) / 2;
    (holds(middle) ? above : below) = middle;
  }
  return above;
}

}  // namespace ecube
