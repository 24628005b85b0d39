// SPDX-License-Identifier: Apache-2.0
// From typed options to a permutation and its algorithms.
#include "testbench/shuffle/shuffle_request.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "testbench/system/process.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

constexpr std::string_view every_algorithm =
    "one-port | pipelined | concurrent | aapc | aapc-concurrent, for cycles without s a1 | a1-pipelined | a2, for "
    "those of two p a2x2 | a2x2-sequential, one of each kind as pipelined,a2x2,a1, or in place of them route | "
    "two-aapcs | transpositions | best";

InputError marked(const std::string& option, std::string_view text, std::string_view token, const std::string& what) {
  return InputError(what).at({.where = option,
                              .line = 1,
                              .column = static_cast<std::uint32_t>(token.data() - text.data()) + 1,
                              .length = static_cast<std::uint32_t>(std::max<std::size_t>(token.size(), 1)),
                              .text = std::string(text)});
}

bool has_mixed(const ShuffleWorkload& workload) {
  return std::ranges::any_of(stages_of(workload), [](const auto& stage) { return !factor(stage).mixed.empty(); });
}

/// Whether a stage has a real constituent that A2 squared can do, or one that it cannot.
bool has_real(const ShuffleWorkload& workload, bool two_cycle) {
  return std::ranges::any_of(stages_of(workload), [two_cycle](const auto& stage) {
    return std::ranges::any_of(factor(stage).real,
                               [two_cycle](const Constituent& real) { return is_two_cycle(real) == two_cycle; });
  });
}

bool has_real(const ShuffleWorkload& workload) { return has_real(workload, true) || has_real(workload, false); }

bool has_one_port(const ShuffleWorkload& workload, unsigned dim) { return workload.ports.engines == 1 && dim > 1; }

std::string valid_for_real(const ShuffleWorkload& workload, unsigned dim) {
  const bool squared = has_real(workload, true) && !has_one_port(workload, dim);
  if (squared && !has_real(workload, false)) return "a1 | a1-pipelined | a2 | a2x2 | a2x2-sequential";
  return std::string("a1 | a1-pipelined | a2") + (squared ? ", with a2x2 for the 2-cycles as a2x2,a1" : "");
}

/// The words of `--algorithm`, parts of the text as typed; empty where it has none of a kind.
struct TypedAlgorithms {
  std::string_view text;
  std::string_view mixed;
  std::string_view real;  ///< but for A2 squared
  std::string_view squared;

  [[nodiscard]] std::string_view any_real() const { return squared.empty() ? real : squared; }
  [[nodiscard]] InputError wrong(std::string_view word, const std::string& what) const {
    return marked("--algorithm", text, word, what);
  }
};

/// Reads the words into a workload.
TypedAlgorithms read_words(std::string_view typed, ShuffleWorkload& workload) {
  TypedAlgorithms words{.text = typed, .mixed = {}, .real = {}, .squared = {}};
  if (typed.empty()) return words;
  for (const std::string_view field : split(typed, ',')) {
    const std::string_view token = trimmed(field);
    if (const auto* const method = find_word(shuffle_methods, token)) {
      workload.method = method->value;
      continue;
    }
    const auto* const of_mixed = find_word(mixed_algorithms, token);
    const auto* const of_real = find_word(real_algorithms, token);
    if (of_mixed == nullptr && of_real == nullptr) {
      std::vector<std::string_view> all;
      for (const auto& word : mixed_algorithms) all.push_back(word.word);
      for (const auto& word : real_algorithms) all.push_back(word.word);
      for (const auto& word : shuffle_methods) all.push_back(word.word);
      throw words
          .wrong(token.empty() ? field.substr(field.size()) : token,
                 fmt::format("unknown algorithm {}", ecube::quoted(token)))
          .hint(did_you_mean(token, all))
          .valid(every_algorithm);
    }
    const bool squared = of_real != nullptr && is_a2x2(of_real->value);
    std::string_view& known = of_mixed != nullptr ? words.mixed : squared ? words.squared : words.real;
    if (!known.empty()) {
      throw words.wrong(token, fmt::format("'{}' and '{}' are for the same cycles", known, token))
          .hint("name one of them");
    }
    known = token;
    if (of_mixed != nullptr) {
      workload.mixed = of_mixed->value;
    } else if (squared) {
      workload.two_cycles = of_real->value;
    } else {
      workload.real = of_real->value;
    }
  }
  return words;
}

/// InputError where the permutation has no cycle for a word.
void check_cycles(const TypedAlgorithms& words, const ShuffleWorkload& workload, unsigned dim) {
  const std::string_view any_real = words.any_real();
  if (workload.method == ShuffleMethod::route && !(words.mixed.empty() && any_real.empty())) {
    throw words.wrong(words.mixed.empty() ? any_real : words.mixed, "route has no algorithm for the cycles")
        .valid("route");
  }
  if (!words.mixed.empty() && !has_mixed(workload)) {
    throw words.wrong(words.mixed, fmt::format("'{}' is for cycles with a storage dimension", words.mixed))
        .valid(valid_for_real(workload, dim) + " | route | two-aapcs | transpositions");
  }
  if (!any_real.empty() && !has_real(workload)) {
    throw words.wrong(any_real, fmt::format("'{}' is for cycles of processor dimensions alone", any_real))
        .valid("one-port | pipelined | concurrent | aapc | aapc-concurrent | route | two-aapcs | transpositions");
  }
  if (words.squared.empty() || words.real.empty()) return;
  // One algorithm is for the 2-cycles, the other for longer cycles: the permutation must have both.
  for (const bool two_cycle : {true, false}) {
    if (has_real(workload, two_cycle)) continue;
    const std::string_view idle = two_cycle ? words.squared : words.real;
    throw words
        .wrong(idle, fmt::format("'{}' has no cycle: {} cycle is of two processor dimensions without complements", idle,
                                 two_cycle ? "no" : "every"))
        .valid(std::string(two_cycle ? words.real : words.squared));
  }
}

/// Reads `--algorithm` into a workload; algorithms that it does not name are chosen by the ports.
void read_algorithm(const ShuffleArguments& arguments, ShuffleWorkload& workload, unsigned dim) {
  const bool one_port = has_one_port(workload, dim);
  workload.mixed = one_port ? MixedAlgorithm::one_port : MixedAlgorithm::concurrent;
  workload.real = RealAlgorithm::a1;
  workload.two_cycles.reset();
  const TypedAlgorithms words = read_words(arguments.algorithm.value(), workload);
  check_cycles(words, workload, dim);
  if (words.real.empty() && !words.squared.empty()) {
    workload.real = *workload.two_cycles;  // for all real constituents, or unfit() says why not
    workload.two_cycles.reset();
  } else if (words.real.empty() && !one_port) {
    workload.two_cycles = RealAlgorithm::a2x2;
  }
  const std::optional<Unfit> refused = unfit(workload, dim);
  if (!refused) return;
  switch (refused->where) {
    case Unfit::Where::complement:
      throw marked("--complement", arguments.complement.value(), arguments.complement.value(), refused->why)
          .valid("--algorithm " + valid_for_real(workload, dim) + ", or no --complement");
    case Unfit::Where::real:
      throw words.wrong(words.any_real(), refused->why).valid(valid_for_real(workload, dim));
    case Unfit::Where::mixed:
      break;
  }
  throw words.wrong(words.mixed, refused->why).valid("one-port | pipelined | concurrent");
}

}  // namespace

std::optional<Unfit> unfit(const ShuffleWorkload& workload, unsigned dim) {
  using Where = Unfit::Where;
  const bool aapc = workload.mixed == MixedAlgorithm::aapc || workload.mixed == MixedAlgorithm::aapc_concurrent;
  const std::uint32_t port_count = workload.ports.engines;
  for (const DimensionPermutation& stage : stages_of(workload)) {
    const Factors factors = factor(stage);
    std::uint32_t dims = 0;
    for (const Constituent& mixed : factors.mixed) {
      dims += mixed.order();
      if (workload.mixed != MixedAlgorithm::aapc_concurrent || mixed.order() == factors.mixed.front().order()) continue;
      return Unfit{Where::mixed,
                   fmt::format("concurrent AAPC is for constituents of one order, but these have {} and {} processor "
                               "dimensions; aapc takes any",
                               factors.mixed.front().order(), mixed.order())};
    }
    if (aapc && port_count != Ports::n && port_count < std::min(dims, dim)) {
      return Unfit{
          Where::mixed,
          fmt::format("AAPC uses the {} dimensions of the cycles at once, but there are {} ports", dims, port_count)};
    }
    for (const Constituent& real : factors.real) {
      if (is_a2(workload.real) && real.order() < 2)
        return Unfit{Where::real, "A2 is for cycles of two dimensions or more"};
      if (!is_a2x2(workload.real) || is_two_cycle(real)) continue;
      const std::string_view word = word_of(workload.real, real_algorithms);
      if (real.order() != 2) {
        return Unfit{Where::real,
                     fmt::format("{} is for cycles of two dimensions, but one has {}", word, real.order())};
      }
      return Unfit{workload.method == ShuffleMethod::constituents ? Where::complement : Where::real,
                   fmt::format("{} has no form with --complement", word)};
    }
    if (has_one_port(workload, dim) && !real_parts(factors, workload, dim).rounds.empty()) {
      return Unfit{Where::real, "a2x2 uses two dimensions at once, but there is one port"};
    }
  }
  return std::nullopt;
}

ShuffleWorkload permutation_of(const ShuffleArguments& arguments, const Machine& machine, unsigned dim) {
  ShuffleWorkload workload;
  workload.elements = arguments.elements.value();
  workload.extend = static_cast<unsigned>(arguments.extend.within(0, std::int64_t{dim} - 1));
  if (workload.elements % (std::uint64_t{2} << workload.extend) != 0) {
    throw InputError(
        fmt::format("--elements {} is {}", workload.elements,
                    workload.extend == 0 ? "odd" : fmt::format("not a multiple of 2^{}", workload.extend + 1)))
        .valid(workload.extend == 0
                   ? "2, 4, 6, .."
                   : fmt::format("multiples of {}: each of 2^{} nodes gets the same even number of them",
                                 std::uint64_t{2} << workload.extend, workload.extend));
  }
  std::vector<std::string> cycles = arguments.cycles.values();
  if (arguments.permutation.given() && (!cycles.empty() || arguments.complement.given())) {
    throw InputError("--permutation stands in place of --cycle and --complement").hint("leave out one of the two");
  }
  if (arguments.permutation.given() && workload.extend > 0) {
    throw InputError("--permutation is of all address bits, of which --extend needs some for itself")
        .valid("--extend with --cycle");
  }
  const unsigned data_dim = dim - workload.extend;
  if (cycles.empty() && !arguments.permutation.given()) {
    std::string all;
    for (unsigned bit = data_dim; bit-- > 0;) all += fmt::format("p{},", bit);
    cycles.push_back(all + "s0");
  }
  const std::uint64_t elements = workload.spread_elements();
  workload.permutation = arguments.permutation.given()
                             ? DimensionPermutation::named(arguments.permutation.value(), dim, elements)
                             : DimensionPermutation::parse(cycles, arguments.complement.value(), data_dim, elements);
  workload.align = arguments.align.value();
  workload.ports = machine.node.ports;
  return workload;
}

ShuffleWorkload shuffle_workload_of(const ShuffleArguments& arguments, const Machine& machine, unsigned dim) {
  ShuffleWorkload workload = permutation_of(arguments, machine, dim);
  read_algorithm(arguments, workload, dim);
  if (workload.method == ShuffleMethod::route && workload.extend > 0) {
    throw InputError("--algorithm route sends elements to where they belong, not by way of other nodes")
        .valid("--extend 0");
  }
  const ShuffleFormula formula(workload, dim);
  workload.packet = packet_of(arguments.packet.value(), formula.largest_packet(), formula.exists()).value_or(0);
  if (workload.packet == 0) return workload;
  if (formula.exists() && !formula.fits(workload.packet)) {
    throw marked("--packet", arguments.packet.value(), arguments.packet.value(),
                 fmt::format("packets of {} do not make up --elements {} evenly", workload.packet, workload.elements))
        .valid(fmt::format("--elements as a multiple of {} | --algorithm one-port", formula.unit(workload.packet)));
  }
  return workload;
}

std::optional<std::uint32_t> packet_of(const std::string& text, std::uint64_t most, bool best_offered) {
  if (text == "best" && best_offered) return std::nullopt;
  const auto packet = whole_number(text);
  if (packet && *packet >= 1 && *packet <= std::min<std::uint64_t>(most, UINT32_MAX)) {
    return static_cast<std::uint32_t>(*packet);
  }
  throw marked("--packet", text, text,
               text == "best" ? "best needs a formula, and there is none for this algorithm on these ports"
                              : fmt::format("{} is out of range", ecube::quoted(text)))
      .valid(fmt::format("1 .. {} elements{}", most, best_offered ? " | best" : ""));
}

PacketParameters fitted_parameters(TestBench& bench, const Machine& machine) {
  return [fitted = bench.calibrate(machine)](std::uint64_t packet) { return fitted.shuffle(element_bytes, packet); };
}

PacketParameters asked_parameters(const ShuffleArguments& arguments, TestBench& bench, const Machine& machine) {
  if (!arguments.params.given()) return fitted_parameters(bench, machine);
  return [p = parse_shuffle_parameters(arguments.params.value())](std::uint64_t) { return p; };
}

std::string algorithm_name(const ShuffleWorkload& workload) {
  std::string name;
  const auto add = [&name](std::string_view word) { name += (name.empty() ? "" : ",") + std::string(word); };
  if (const auto method = workload.method; method != ShuffleMethod::constituents) add(word_of(method, shuffle_methods));
  const bool by_two_cycles = workload.two_cycles && has_real(workload, true);
  if (has_mixed(workload)) add(word_of(workload.mixed, mixed_algorithms));
  if (by_two_cycles) add(word_of(*workload.two_cycles, real_algorithms));
  if (has_real(workload, false) || (!by_two_cycles && has_real(workload))) {
    add(word_of(workload.real, real_algorithms));
  }
  return name.empty() ? "local" : name;
}

Bytes required_memory(const ShuffleWorkload& workload, unsigned dim, bool folded) {
  constexpr Bytes entry_bytes = 150;
  const bool scheduled = workload.method != ShuffleMethod::route && workload.packet > 0;
  const Bytes rows = scheduled ? workload.spread_elements() / 2 / workload.packet : 0;
  return 2 * (workload.spread_elements() << (folded ? 0 : dim)) * element_bytes + rows * dim * entry_bytes;
}

void check_size(const ShuffleWorkload& workload, unsigned dim, bool folded) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  const std::uint64_t all = workload.spread_elements() << dim;
  if (all > most) {
    throw InputError(fmt::format("{} elements are more than can be told apart", grouped(all)))
        .valid(fmt::format("--elements up to {} at --dim {}", most >> (dim - workload.extend), dim));
  }
  require_memory(required_memory(workload, dim, folded), "the elements and their schedule need",
                 "fewer --elements | a larger --packet | a smaller --dim");
}

Json shuffle_prediction_json(const ShuffleTerms& terms, const ShuffleCount& count, const ShuffleParameters& p,
                             double bound_us, bool has_formula) {
  Json parameters = {{"source", p.source},
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

Json shuffle_json(const ShuffleWorkload& workload, unsigned dim) {
  Json json = {{"elements", workload.elements},
               {"permutation", workload.permutation.name()},
               {"algorithm", algorithm_name(workload)},
               {"packet", workload.packet},
               {"align", word_of(workload.align, on_off)},
               {"extend", workload.extend}};
  for (const DimensionPermutation& stage : stages_of(workload)) {
    for (const auto& round : real_parts(factor(stage), workload, dim).rounds) {
      json["two_cycle_rounds"].push_back(round.size());
    }
  }
  return json;
}

void print_two_cycles(const ShuffleWorkload& workload, unsigned dim) {
  std::string note;
  for (const DimensionPermutation& stage : stages_of(workload)) {
    std::uint64_t cycles = 0;
    const auto rounds = real_parts(factor(stage), workload, dim).rounds;
    for (const auto& round : rounds) cycles += round.size();
    if (cycles < 2) continue;
    const RealAlgorithm algorithm = workload.two_cycles.value_or(workload.real);
    note += note.empty() ? "" : "; ";
    note += fmt::format("{} 2-cycles by {}: ", cycles, word_of(algorithm, real_algorithms));
    if (rounds.size() == 1) {
      note += "all at once";
    } else if (algorithm == RealAlgorithm::a2x2_sequential) {
      note += "one after the other";
    } else {
      note += fmt::format("two ports for each, in {} rounds on {} ports", rounds.size(), workload.ports.engines);
    }
  }
  if (!note.empty()) fmt::print("{}\n", note);
}

}  // namespace ecube
