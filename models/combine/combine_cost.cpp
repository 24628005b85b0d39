// SPDX-License-Identifier: Apache-2.0
// The cost equations of the global combine.
#include "models/combine/combine_cost.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "models/machine/equation_parameters.h"
#include "models/machine/error.h"

namespace ecube {
namespace {

std::uint64_t half_up(std::uint64_t items) { return items / 2 + items % 2; }

/// One message or exchange of step `step`, or of the one that undoes it, for a part with `items` to send.
struct Sent {
  unsigned step = 0;
  std::uint64_t items = 0;
  bool one_way = false;
  bool collects = false;  ///< halves towards the root, from nodes with its bits in all later directions
};

/// Costs of messages, of one and of several at the same time.
struct Messages {
  const CombineProblem& problem;
  const CombineParameters& parameters;

  [[nodiscard]] bool to_root() const { return problem.target == CombineTarget::root; }
  [[nodiscard]] CombineTerms cost(const Sent& one) const {
    if (!problem.network) return parameters.message(one.items, problem.pad, one.one_way);
    const CombineParts parts = problem.parts();
    NodeId directions = 0;
    for (unsigned part = 0; part < parts.count(); ++part) directions |= NodeId{1} << parts.direction(part, one.step);
    const NodeId alike = one.collects && parts.count() == 1 ? directions - 1 : 0;
    return parameters.message(one.items, problem.pad, one.one_way,
                              problem.network->load_along(directions, alike, problem.root));
  }
  /// Full vectors of `items`.
  [[nodiscard]] Sent full(unsigned step, std::uint64_t items) const { return {step, items, to_root()}; }
  [[nodiscard]] static Sent half(unsigned step, std::uint64_t items) { return {step, half_up(items), false}; }
  /// Joining the two halves of `items` again.
  [[nodiscard]] Sent gather(unsigned step, std::uint64_t items) const {
    return {step, to_root() && !problem.level ? items / 2 : half_up(items), to_root(), to_root()};
  }
  /// Combining `items` that came in messages of at most `longest`.
  [[nodiscard]] double combining(std::uint64_t items, std::uint64_t longest) const {
    return std::max(0.0, parameters.gamma_us_per_item * static_cast<double>(items) -
                             parameters.overlap_us_per_item * static_cast<double>(longest + problem.pad));
  }
  /// Messages of one step, one of each part: the terms of the longest message with the time that queueing adds, and the
  /// items of the longest message.
  [[nodiscard]] std::pair<CombineTerms, std::uint64_t> together(std::span<const Sent> messages) const {
    CombineTerms terms;
    std::uint64_t items = 0;
    for (const Sent& one : messages) {
      const CombineTerms single = cost(one);
      if (std::tuple(single.total(), one.items) < std::tuple(terms.total(), items)) continue;
      terms = single;
      items = one.items;
    }
    if (problem.startups == Startups::queued && messages.size() > 1) {
      terms.queued_startup_us = std::max(0.0, queued_us(messages) - terms.total());
    }
    return {terms, items};
  }

  /// Time of the messages of one step, whose start-ups and receipts queue.
  [[nodiscard]] double queued_us(std::span<const Sent> messages) const {
    const auto unlike = [](const Sent& a, const Sent& b) { return a.items != b.items || a.one_way != b.one_way; };
    const TimedMessage first = queued(messages.front());
    // Fast path for most steps.
    if (first.sends && std::adjacent_find(messages.begin(), messages.end(), unlike) == messages.end()) {
      return queued_exchanges_us(messages.size(), first.circuit);
    }
    std::vector<TimedMessage> queue;
    queue.reserve(messages.size());
    for (const Sent& one : messages) queue.push_back(queued(one));
    return queued_step_us(queue);
  }
  [[nodiscard]] TimedMessage queued(const Sent& one) const {
    const CombineTerms terms = cost(one);
    if (!parameters.processor) return {.circuit = {.startup = terms.startup_us, .transit = terms.transmission_us}};
    return {.sends = !one.one_way,
            .circuit = parameters.processor->circuit(terms.total(), one.items + problem.pad == 0)};
  }
};

/// The length of a vector in one part before each step, on the node that takes longest, under a rule that may depend on
/// the length, so that either half may take longer.
std::vector<std::uint64_t> longest_path(const Messages& messages, const HalvingRule& rule) {
  const unsigned dim = messages.problem.dim;
  std::uint64_t items = messages.problem.items;
  // [steps after this one][length]: first the lengths that occur on some node, then their costs from the last step on.
  std::vector<std::map<std::uint64_t, double>> costs(dim);
  costs[dim - 1][items] = 0;
  for (unsigned left = dim; left-- > 1;) {
    for (const auto& [length, cost] : costs[left]) {
      const bool halves = rule.halves(left, length);
      costs[left - 1][halves ? half_up(length) : length] = 0;
      if (halves) costs[left - 1][length / 2] = 0;
    }
  }
  // Combining `length` items, and all further steps.
  const auto after = [&](std::uint64_t length, unsigned left) {
    return messages.combining(length, length) + (left == 0 ? 0 : costs[left - 1].at(length));
  };
  for (unsigned left = 0; left < dim; ++left) {
    const unsigned step = dim - 1 - left;
    for (auto& [length, cost] : costs[left]) {
      cost = rule.halves(left, length) ? messages.cost(Messages::half(step, length)).total() +
                                             std::max(after(half_up(length), left), after(length / 2, left)) +
                                             messages.cost(messages.gather(step, length)).total()
                                       : messages.cost(messages.full(step, length)).total() + after(length, left);
    }
  }
  std::vector<std::uint64_t> lengths;
  for (unsigned left = dim; left-- > 0;) {
    lengths.push_back(items);
    if (!rule.halves(left, items)) continue;
    const std::uint64_t upper = half_up(items);
    items = after(upper, left) >= after(items / 2, left) ? upper : items / 2;
  }
  return lengths;
}

void append(CombineCost& cost, const CombineStep& step) {
  require_no_negative_time(step.terms.total(), "a step of the combine");
  cost.terms += step.terms;
  cost.steps.push_back(step);
}

}  // namespace

CombineTerms CombineParameters::message(std::uint64_t items, std::uint64_t pad, bool is_one_way,
                                        const Topology::StepLoad& load) const {
  const NeighbourCost& cost = is_one_way ? one_way : exchange;
  const std::uint64_t sent = items + pad;
  const double hop = sent <= short_items ? hop_short_us : hop_us;
  const auto length = static_cast<double>(sent);
  return {.startup_us = sent == 0             ? cost.alpha_zero_us
                        : sent <= short_items ? cost.alpha_short_us
                                              : cost.alpha_us,
          .transmission_us =
              cost.beta_us_per_item * static_cast<double>(items) + pad_us_per_item * static_cast<double>(pad),
          .distance_us = (load.hops - 1.0) * (hop + (synchronised ? hop_short_us : 0) + stored_us_per_item * length),
          .waiting_us = stored_us_per_item > 0 ? 0 : (LinkWaits() += load).us(pad_us_per_item * length, hop)};
}

bool CombineParameters::one_alpha() const {
  const double alpha = exchange.alpha_us;
  return exchange.alpha_zero_us == alpha && exchange.alpha_short_us == alpha && one_way.alpha_zero_us == alpha &&
         one_way.alpha_short_us == alpha && one_way.alpha_us == alpha;
}

CombineTerms& CombineTerms::operator+=(const CombineTerms& other) {
  startup_us += other.startup_us;
  transmission_us += other.transmission_us;
  combine_us += other.combine_us;
  queued_startup_us += other.queued_startup_us;
  distance_us += other.distance_us;
  waiting_us += other.waiting_us;
  return *this;
}

CombineCost tree_cost(const CombineProblem& problem, const CombineParameters& parameters) {
  CombineProblem one_port = problem;
  one_port.ports = Ports{};
  const Messages messages{one_port, parameters};
  CombineCost cost;
  for (unsigned place = 0; place < (problem.target == CombineTarget::all ? 2 : 1) * problem.dim; ++place) {
    const bool combines = place < problem.dim;
    CombineStep step{.step = combines ? place : 2 * problem.dim - 1 - place,
                     .move = combines ? CombineMove::tree : CombineMove::broadcast,
                     .items = problem.items};
    step.terms = messages.cost({step.step, step.items, true});
    if (combines) step.terms.combine_us = messages.combining(step.items, step.items);
    append(cost, step);
  }
  return cost;
}

CombineCost combine_cost(const CombineProblem& problem, const CombineParameters& parameters, const HalvingRule& rule) {
  const Messages messages{problem, parameters};
  const CombineParts parts = problem.parts();
  std::vector<std::vector<std::uint64_t>> lengths;  // [part][step], before the step
  for (unsigned part = 0; part < parts.count(); ++part) {
    if (parts.count() == 1 && !problem.level) {
      lengths.push_back(longest_path(messages, rule));
      continue;
    }
    std::uint64_t items = parts.items(part, problem.items).count;
    std::vector<std::uint64_t>& path = lengths.emplace_back();
    for (unsigned left = problem.dim; left-- > 0;) {
      path.push_back(items);
      if (rule.halves(left, items)) items = half_up(items);
    }
  }
  const CombineMove whole = problem.target == CombineTarget::root ? CombineMove::tree : CombineMove::exchange;
  CombineCost cost;
  std::vector<Sent> messages_of_step;
  for (unsigned place = 0; place < 2 * problem.dim; ++place) {
    const bool back = place >= problem.dim;
    CombineStep step{.step = back ? 2 * problem.dim - 1 - place : place, .move = back ? CombineMove::gather : whole};
    const unsigned left = problem.dim - 1 - step.step;
    std::uint64_t combined = 0;
    messages_of_step.clear();
    for (const auto& path : lengths) {
      const std::uint64_t items = path[step.step];
      const bool halves = rule.halves(left, items);
      if (back) {
        if (halves) messages_of_step.push_back(messages.gather(step.step, items));
        continue;
      }
      messages_of_step.push_back(halves ? Messages::half(step.step, items) : messages.full(step.step, items));
      if (halves) step.move = CombineMove::halve;
      // The next step starts with the items kept; after the last step their number is not recorded.
      combined += !halves ? items : left > 0 ? path[step.step + 1] : half_up(items);
    }
    if (messages_of_step.empty()) continue;
    std::tie(step.terms, step.items) = messages.together(messages_of_step);
    if (!back) step.terms.combine_us = messages.combining(combined, step.items);
    append(cost, step);
  }
  return cost;
}

CombineCost followed_cost(const CombineProblem& problem, const CombineParameters& parameters, const HalvingRule& rule,
                          bool tree) {
  if (tree) return tree_cost(problem, parameters);
  CombineCost cost = combine_cost(problem, parameters, rule);
  if (problem.startups != Startups::queued || !parameters.processor || problem.parts().count() == 1 ||
      problem.dim > max_followed_dim) {
    return cost;
  }
  // The steps of every node as messages and times.
  const CombineParts parts = problem.parts();
  CombineProblem to_node_0 = problem;
  to_node_0.root = 0;
  const CombineMoves moves(rule, parts, to_node_0, false);
  const Messages messages{problem, parameters};
  const TimedProgram steps = [&](std::uint32_t node, std::uint64_t number, TimedStep& step) {
    if (number == std::uint64_t{2} * problem.dim) return false;
    const bool back = number >= problem.dim;
    const auto at = static_cast<unsigned>(back ? 2 * problem.dim - 1 - number : number);
    std::uint64_t combined = 0;
    std::uint64_t longest = 0;
    for (unsigned part = 0; part < parts.count(); ++part) {
      const auto transfer = moves.transfer(node, part, static_cast<unsigned>(number));
      if (!transfer) continue;
      const std::uint64_t out = transfer->outgoing.length;
      const bool one_way = !transfer->sends || !transfer->receives;
      const double us = messages.cost({at, out, one_way}).total();
      step.messages.push_back({.partner = transfer->partner,
                               .tag = part,
                               .sends = transfer->sends,
                               .receives = transfer->receives,
                               .circuit = parameters.processor->circuit(us, out + problem.pad == 0)});
      if (back || !transfer->receives) continue;
      combined += transfer->incoming.items.count;
      longest = std::max(longest, transfer->incoming.length);
    }
    step.work_us = messages.combining(combined, longest);
    return true;
  };
  const double us = timeline_us<uncontended::Picoseconds>({.nodes = std::uint32_t{1} << problem.dim}, steps);
  cost.terms.queued_startup_us = without_rounding(us - (cost.terms.total() - cost.terms.queued_startup_us));
  return cost;
}

Strategy best_strategy(const CombineProblem& problem, const CombineParameters& parameters) {
  constexpr unsigned bits = 64;  // after as many halvings every part is down to one item
  const Messages messages{problem, parameters};
  const CombineParts parts = problem.parts();
  const unsigned most = std::min(problem.dim, bits);
  // Costs of a step's moves after h halvings, including combining.
  std::vector<double> full(most + 1);
  std::vector<double> halve(most + 1);
  const auto count_costs = [&](unsigned step) {
    std::vector<std::uint64_t> items;
    for (unsigned part = 0; part < parts.count(); ++part) items.push_back(parts.items(part, problem.items).count);
    for (unsigned h = 0; h <= most; ++h) {
      std::vector<Sent> whole;
      std::vector<Sent> half;
      std::vector<Sent> gathered;
      std::uint64_t all = 0;
      std::uint64_t kept = 0;
      for (std::uint64_t& length : items) {
        whole.push_back(messages.full(step, length));
        half.push_back(Messages::half(step, length));
        gathered.push_back(messages.gather(step, length));
        all += length;
        length = half_up(length);
        kept += length;
      }
      full[h] = messages.together(whole).first.total() + messages.combining(all, whole.front().items);
      halve[h] = messages.together(half).first.total() + messages.combining(kept, half.front().items) +
                 messages.together(gathered).first.total();
    }
  };
  std::vector<double> cost(most + 1, 0.0);  // of the remaining steps, by halvings so far
  std::vector<std::vector<bool>> choice(problem.dim, std::vector<bool>(most + 1));
  for (unsigned left = 0; left < problem.dim; ++left) {
    // On another network each direction has loads of its own.
    if (left == 0 || problem.network) count_costs(problem.dim - 1 - left);
    std::vector<double> longer(most + 1);
    for (unsigned h = 0; h <= most; ++h) {
      const double in_full = full[h] + cost[h];
      const double in_halves = halve[h] + cost[std::min(h + 1, most)];
      choice[left][h] = in_halves <= in_full;
      longer[h] = std::min(in_halves, in_full);
    }
    cost = std::move(longer);
  }
  std::vector<bool> halves(problem.dim);
  unsigned h = 0;
  for (unsigned left = problem.dim; left-- > 0;) {
    halves[left] = choice[left][h];
    if (halves[left]) h = std::min(h + 1, most);
  }
  return Strategy(std::move(halves));
}

unsigned theorem_1(unsigned dim, double items, double alpha, double beta, double gamma) {
  for (unsigned k = 0; k < dim; ++k) {
    if (items * (k * (beta + gamma) + gamma) >= std::ldexp(alpha, static_cast<int>(dim - k))) return k;
  }
  return dim;
}

CombineParameters parse_combine_parameters(std::string_view text) {
  CombineParameters parameters;
  NeighbourCost& cost = parameters.exchange;
  double items = 0;
  const ParameterList::Key keys[] = {{"alpha", true, &cost.alpha_us},
                                     {"beta", true, &cost.beta_us_per_item},
                                     {"gamma", true, &parameters.gamma_us_per_item},
                                     {"alpha_zero", false, &cost.alpha_zero_us},
                                     {"alpha_short", false, &cost.alpha_short_us},
                                     {"short", false, &items}};
  const auto given =
      parse_parameters(text, {.keys = keys,
                              .valid = "alpha, beta, gamma, and where wanted alpha_zero, alpha_short with short",
                              .example = "write --params alpha=525,beta=2,gamma=0.35 (us, us per item; short: items)"});
  if (!given[3]) cost.alpha_zero_us = cost.alpha_us;
  if (!given[4]) cost.alpha_short_us = cost.alpha_us;
  parameters.one_way = cost;
  parameters.pad_us_per_item = cost.beta_us_per_item;
  constexpr double most = 1e15;
  if (items > most || items != std::floor(items)) {
    throw InputError("--params short is a number of items").valid("a whole number, 0 .. 1e15");
  }
  if (given[4] != given[5]) {
    throw InputError("--params alpha_short and short belong together")
        .hint("write --params alpha=136,alpha_short=75,short=25,beta=1.6,gamma=0.35");
  }
  parameters.short_items = static_cast<std::uint64_t>(items);
  return parameters;
}

}  // namespace ecube
