// SPDX-License-Identifier: Apache-2.0
// JSON of predictions and workloads of the shuffle.
#include "testbench/shuffle/shuffle_output.h"

#include <fmt/core.h>

#include "testbench/shuffle/shuffle_choice.h"
#include "testbench/shuffle/shuffle_experiment.h"

namespace ecube {

nlohmann::ordered_json shuffle_prediction_json(const ShuffleTerms& terms, const ShuffleCount& count,
                                               const ShuffleParameters& p, double bound_us, bool has_formula) {
  nlohmann::ordered_json parameters = {{"source", p.source},
                                       {"tau_us", p.tau_us},
                                       {"tc_us_per_element", p.tc_us_per_element},
                                       {"rho_us_per_element", p.rho_us_per_element}};
  if (p.processor) {
    parameters["processor_startup_us"] = p.processor->startup_us;
    parameters["processor_receipt_us"] = p.processor->receipt_us;
  }
  return {{"equation", has_formula ? "Johnsson & Ho 1991, Tables 1 to 3, corrected" : "counted in the schedule"},
          {"us", terms.total()},
          {"steps", count.steps},
          {"startups", count.startups},
          {"lower_bound_us", bound_us},
          {"terms",
           {{"startup_us", terms.startup_us},
            {"queued_startup_us", terms.queued_startup_us},
            {"transmission_us", terms.transmission_us},
            {"local_us", terms.local_us}}},
          {"parameters", parameters}};
}

nlohmann::ordered_json shuffle_json(const ShuffleWorkload& workload, unsigned dim) {
  nlohmann::ordered_json json = {{"elements", workload.elements},
                                 {"permutation", workload.permutation.name()},
                                 {"algorithm", algorithm_name(workload)},
                                 {"packet", workload.packet},
                                 {"align", word_of(workload.align, align_switches)},
                                 {"extend", workload.extend}};
  if (const auto rounds = two_cycle_rounds(workload, dim); !rounds.empty()) json["two_cycle_rounds"] = rounds;
  return json;
}

void print_two_cycles(const ShuffleWorkload& workload, unsigned dim) {
  if (const std::string note = two_cycle_note(workload, dim); !note.empty()) fmt::print("{}\n", note);
}

}  // namespace ecube
