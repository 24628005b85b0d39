// SPDX-License-Identifier: Apache-2.0
// An array in sections on a grid of nodes takes another shape, or another grid, by shuffles: its elements keep their
// order, bits of their addresses change places (Johnsson & Ho 1991, sections 1 and 4).
#include <bit>

#include "models/exchange/exchange_cost.h"
#include "models/machine/error.h"
#include "models/machine/random.h"
#include "models/shuffle/dimension_permutation.h"
#include "sw/exchange/node_exchange.h"
#include "sw/program/program.h"

using namespace ecube;

/// An array of 2^rows x 2^columns elements, of which each node of a grid of 2^down x 2^across has a section.
struct Sections {
  unsigned rows = 0;
  unsigned columns = 0;
  unsigned down = 0;
  unsigned across = 0;

  /// The place of an element, counted by rows: its node above its place in the node.
  [[nodiscard]] std::uint64_t place(std::uint64_t element) const {
    const std::uint64_t row = element >> columns;
    const std::uint64_t column = element & ((std::uint64_t{1} << columns) - 1);
    const unsigned tall = rows - down;
    const unsigned wide = columns - across;
    const std::uint64_t node = row >> tall << across | column >> wide;
    const std::uint64_t inner =
        (row & ((std::uint64_t{1} << tall) - 1)) << wide | (column & ((std::uint64_t{1} << wide) - 1));
    return node << (tall + wide) | inner;
  }
};

/// What the nodes share.
struct ReshapePlan {
  explicit ReshapePlan(const Job& job) : seed(job.seed()), dim(job.dim()) {
    const unsigned rows = power(job, "rows");
    bits = rows + power(job, "columns");
    before = sections(job, rows, "down");
    after = sections(job, power(job, "new_rows"), "new_down");
    if (bits == dim) throw InputError("every node needs two elements at least").hint("a larger rows or columns");
    std::vector<unsigned> from(bits);  // of a bit of the address
    for (unsigned i = 0; i < bits; ++i) from[bit_of(after, i)] = bit_of(before, i);
    std::vector<DimensionPermutation::Cycle> cycles;
    std::vector<bool> seen(bits);
    for (unsigned first = 0; first < bits; ++first) {
      DimensionPermutation::Cycle cycle;
      for (unsigned i = first; !seen[i]; i = from[i]) {
        seen[i] = true;
        cycle.push_back(i < bits - dim ? AddressDimension{true, i} : AddressDimension{false, i - (bits - dim)});
      }
      if (cycle.size() > 1) cycles.push_back(std::move(cycle));
    }
    factors = factor({std::move(cycles), {}});
    for (const Constituent& mixed : factors.mixed) {
      for (const unsigned i : mixed.dims) exchanges.emplace_back(mixed.control, i);
    }
    // A real shuffle goes through a dimension of the storage, which has its own value again in the end.
    for (const Constituent& real : factors.real) {
      for (const unsigned i : real.dims) exchanges.emplace_back(0, i);
      exchanges.emplace_back(0, real.dims.front());
    }
  }

  [[nodiscard]] std::uint64_t element(std::uint64_t number) const { return draw(seed, number); }
  [[nodiscard]] std::uint64_t local() const { return std::uint64_t{1} << (bits - dim); }
  [[nodiscard]] Bytes bytes() const { return local() * sizeof(std::uint64_t); }

  std::uint64_t seed;
  unsigned dim;
  unsigned bits = 0;  ///< of an address
  Sections before;
  Sections after;
  Factors factors;
  std::vector<std::pair<unsigned, unsigned>> exchanges;  ///< of a bit of the local address with one of the node's label

 private:
  [[nodiscard]] static unsigned bit_of(const Sections& sections, unsigned bit) {
    return static_cast<unsigned>(std::countr_zero(sections.place(std::uint64_t{1} << bit)));
  }
  [[nodiscard]] static unsigned power(const Job& job, const char* name) {
    const auto count = static_cast<std::uint64_t>(job.whole(name));
    if (!std::has_single_bit(count)) {
      throw InputError(std::string(name) + " = " + std::to_string(count) + " is no power of two")
          .valid(std::to_string(std::bit_floor(count)) + " or " + std::to_string(std::bit_ceil(count)));
    }
    return static_cast<unsigned>(std::countr_zero(count));
  }
  [[nodiscard]] Sections sections(const Job& job, unsigned rows, const char* down) const {
    const unsigned nodes = job.whole(down) == 0 ? dim : power(job, down);
    if (rows <= bits && nodes <= std::min(rows, dim) && dim - nodes <= bits - rows) {
      return {rows, bits - rows, nodes, dim - nodes};
    }
    throw InputError("2^" + std::to_string(rows) + " rows of 2^" + std::to_string(bits) +
                     " elements cannot be cut by " + down + " = " + std::to_string(job.whole(down)) + " for " +
                     std::to_string(job.nodes()) + " nodes");
  }
};

class Reshape {
 public:
  static constexpr std::string_view name = "reshape";
  static constexpr std::string_view help = "an array in sections takes another shape or another grid of nodes";
  static std::vector<Parameter> parameters() {
    constexpr std::int64_t most = std::int64_t{1} << 20;
    return {{.name = "rows", .initial = "64", .help = "of the array, of elements of 8 bytes", .least = 1, .most = most},
            {.name = "columns", .initial = "64", .help = "of the array", .least = 1, .most = most},
            {.name = "down", .initial = "1", .unit = "nodes", .help = "one below the other; 0: all", .most = most},
            {.name = "new_rows", .initial = "256", .help = "of the same elements in order", .least = 1, .most = most},
            {.name = "new_down", .initial = "0", .unit = "nodes", .help = "the same, in the end", .most = most}};
  }
  using Shared = ReshapePlan;

  Reshape(const Job& /*job*/, const ReshapePlan& plan) : plan_(plan) {}

  Task<> run(Node& node) {
    section_.resize(plan_.local());
    for (std::uint64_t number = 0; number < plan_.local() << plan_.dim; ++number) {
      const std::uint64_t place = plan_.before.place(number);
      if (place / plan_.local() == node.id()) section_[place % plan_.local()] = plan_.element(number);
    }
    std::uint32_t tag = 0;
    for (const auto& [control, i] : plan_.exchanges) {
      // Elements whose bit of the storage is not the node's own cross to the other node.
      const std::uint64_t run = std::uint64_t{1} << control;
      std::uint64_t* const first = section_.data() + ((node.id() >> i & 1U) == 0 ? run : 0);
      const Region half{reinterpret_cast<std::byte*>(first), run * sizeof(std::uint64_t),
                        2 * run * sizeof(std::uint64_t), static_cast<std::uint32_t>(plan_.local() / run / 2)};
      co_await node.exchange({.with = node.id() ^ NodeId{1} << i,
                              .tag = tag++,
                              .bytes = half.bytes(),
                              .outgoing = half,
                              .incoming = half});
    }
    if (plan_.factors.virtual_bits.empty()) co_return;
    const std::vector<std::uint64_t> crossed = section_;
    for (std::uint64_t local = 0; local < plan_.local(); ++local) section_[plan_.factors.local(local)] = crossed[local];
    co_await node.permute(plan_.bytes());
  }

  static double predict(const Job& job, const ReshapePlan& plan) {
    const auto half = static_cast<double>(plan.bytes()) / 2;
    const double exchange =
        exchange_cost(Partition({1}), half, job.costs(), NodeExchange::options(BlockOrder::high)).total();
    const double permuted = plan.factors.virtual_bits.empty() ? 0 : static_cast<double>(plan.bytes());
    return static_cast<double>(plan.exchanges.size()) * exchange + permuted * job.costs().rho_us_per_byte;
  }

  template <class Program>
  static std::string check(const NodesOf<Program>& nodes, const ReshapePlan& plan) {
    for (std::uint64_t number = 0; number < plan.local() << plan.dim; ++number) {
      const std::uint64_t place = plan.after.place(number);
      const Reshape& node = nodes[static_cast<NodeId>(place / plan.local())];
      if (node.section_[place % plan.local()] != plan.element(number)) {
        return "element " + std::to_string(number) + " is not in its new place";
      }
    }
    return {};
  }

  void sum(Sums& sums) const {
    sums.add("nodes that exchange " + std::to_string(plan_.exchanges.size()) + " times", 1);
  }

 protected:
  const ReshapePlan& plan_;
  std::vector<std::uint64_t> section_;
};

ECUBE_PROGRAMS(Reshape)
