// SPDX-License-Identifier: Apache-2.0
// Slices packed into blocks and back, and what would fit.
#include "sw/examples/sliced_matrix.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "models/exchange/exchange_cost.h"
#include "models/machine/error.h"

namespace ecube::programs {

namespace {

/// What the machine has, within the limit of the process.
Bytes available_memory() {
  const auto pages = static_cast<Bytes>(std::max(sysconf(_SC_AVPHYS_PAGES), sysconf(_SC_PHYS_PAGES) / 2));
  const Bytes bytes = pages * static_cast<Bytes>(sysconf(_SC_PAGESIZE));
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? std::min<Bytes>(bytes, limit.rlim_cur) : bytes;
}

/// The numbers next to `count` that can be divided.
std::string near(std::uint64_t count, NodeId parts, bool powers_of_two) {
  std::uint64_t below = count / parts * parts;
  std::uint64_t above = below + parts;
  if (powers_of_two) {
    below = std::bit_floor(count);
    above = std::max<std::uint64_t>(std::bit_ceil(count), parts);
  }
  return below < parts || below == above ? std::to_string(above)
                                         : std::to_string(below) + " or " + std::to_string(above);
}

void require_divisible(const char* what, std::uint64_t count, NodeId parts, bool powers_of_two) {
  const bool power = !powers_of_two || std::has_single_bit(count);
  if (power && count >= parts && count % parts == 0) return;
  throw InputError(
      std::to_string(count) + " " + what +
      (power ? " cannot be divided into " + std::to_string(parts) + " equal parts" : " are no power of two"))
      .valid(near(count, parts, powers_of_two));
}

}  // namespace

MatrixSize require_matrix(const MatrixSize& size, NodeId parts, unsigned copies, bool powers_of_two) {
  require_divisible("rows", size.rows, parts, powers_of_two);
  require_divisible("columns", size.columns, parts, powers_of_two);
  const Bytes available = available_memory();
  if (size.bytes() <= available / copies) return size;
  std::uint64_t side = std::bit_floor(std::max(size.rows, size.columns));
  while (side > parts && side * side * size.element > available / copies) side /= 2;
  const std::string fits = std::to_string(side);
  throw InputError("a matrix of " + std::to_string(size.rows) + " x " + std::to_string(size.columns) + " needs " +
                   std::to_string(size.bytes() * copies >> 20) + " MiB of memory, of which " +
                   std::to_string(available >> 20) + " MiB are available")
      .valid(fits + " x " + fits);
}

std::vector<Parameter> with_transposition(std::vector<Parameter> own) {
  own.push_back(
      {.name = "partition",
       .type = ParameterType::text,
       .initial = "best",
       .help = "of the exchange, as 3,3; best: least time of this program; alone: least time of the exchange"});
  own.push_back(
      {.name = "order", .type = ParameterType::text, .initial = "high", .help = "of blocks: high, low or inplace"});
  return own;
}

Task<> Transposition::pack(Node& node, std::span<std::byte> slice, unsigned piece) const {
  const Bytes bytes = slice_bytes() / pieces_;
  const std::span<std::byte> own = slice.subspan(piece * bytes, bytes);
  const std::uint64_t rows = (size_.rows >> dim_) / pieces_;
  const Bytes run = (size_.columns >> dim_) * size_.element;  // of a row, for one node
  {
    const std::vector<std::byte> before(own.begin(), own.end());
    for (NodeId to = 0; to < node.size(); ++to) {
      for (std::uint64_t row = 0; row < rows; ++row) {
        std::memcpy(&own[(to * rows + row) * run], &before[(row * node.size() + to) * run], run);
      }
    }
  }
  co_await node.permute(bytes, run, node.size());
}

Task<> Transposition::move(Node& node, std::span<std::byte> slice, unsigned piece) const {
  const Bytes bytes = slice_bytes() / pieces_;
  const auto types = static_cast<std::uint32_t>(exchange_.phases().size());
  co_await exchange_.run(node, slice.subspan(piece * bytes, bytes), piece * types);
}

/// Element by element: what has come by rows is read by columns.
Task<> Transposition::unpack(Node& node, std::span<std::byte> slice) const {
  const std::uint64_t rows = (size_.rows >> dim_) / pieces_;
  const std::uint64_t columns = size_.columns >> dim_;
  const Bytes element = size_.element;
  {
    const std::vector<std::byte> before(slice.begin(), slice.end());
    const std::byte* from = before.data();
    for (unsigned piece = 0; piece < pieces_; ++piece) {
      for (NodeId source = 0; source < node.size(); ++source) {
        for (std::uint64_t row = 0; row < rows; ++row) {
          const std::uint64_t place = (std::uint64_t{source} * pieces_ + piece) * rows + row;
          for (std::uint64_t column = 0; column < columns; ++column, from += element) {
            std::memcpy(&slice[(column * size_.rows + place) * element], from, element);
          }
        }
      }
    }
  }
  co_await node.permute(slice.size(), element, static_cast<unsigned>(columns));
}

Task<> Transposition::run(Node& node, std::span<std::byte> slice) const {
  for (unsigned piece = 0; piece < pieces_; ++piece) {
    co_await pack(node, slice, piece);
    co_await move(node, slice, piece);
  }
  co_await unpack(node, slice);
}

double Transposition::predict_us(const Job& job, double computing_us, bool overlapped) const {
  const ExchangeParameters& costs = job.costs();
  const bool queued = job.machine().node.startups == Startups::queued;
  const auto bytes = static_cast<double>(slice_bytes());
  const auto block = static_cast<double>(block_bytes());
  double now = computing_us;
  double left = 0;  // of the computation under way
  // The processor ends what it computes, then does `work`.
  const auto process = [&](double work) {
    now += left + work;
    left = 0;
  };
  for (unsigned piece = 0; piece < pieces_; ++piece) {
    process(costs.rho_us_per_byte * bytes / pieces_);
    if (piece + 1 < pieces_) (overlapped ? left : now) += computing_us;
    for (const Phase& phase : exchange_.phases()) {
      const ExchangeTerms terms = phase_cost(phase.dims, dim_, block, costs, NodeExchange::options(order_));
      const double moving = terms.total() - terms.permutation_us;
      now += moving;
      left = std::max(0.0, left - (moving - (queued ? terms.startup_us : 0)));
      if (!phase.is_identity()) process(terms.permutation_us);
    }
  }
  process(costs.rho_us_per_byte * bytes);
  return now;
}

Transposition transposition_of(const Job& job, const MatrixSize& size, unsigned pieces,
                               const std::function<double(const Transposition&)>& time) {
  constexpr std::pair<const char*, BlockOrder> orders[] = {
      {"high", BlockOrder::high}, {"low", BlockOrder::low}, {"inplace", BlockOrder::inplace}};
  const auto* const order = std::find_if(std::begin(orders), std::end(orders),
                                         [&](const auto& one) { return job.text("order") == one.first; });
  if (order == std::end(orders)) {
    throw InputError("there is no order " + quoted(job.text("order"))).valid("high | low | inplace");
  }
  if (pieces == 0 || size.rows / job.nodes() % pieces != 0) {
    throw InputError(std::to_string(size.rows / job.nodes()) + " rows of a node cannot be cut into " +
                     std::to_string(pieces) + " pieces")
        .valid("a number that divides " + std::to_string(size.rows / job.nodes()));
  }
  const auto made = [&](const Partition& partition) {
    return Transposition(size, job.dim(), pieces, NodeExchange(partition, order->second), order->second);
  };
  const std::string& text = job.text("partition");
  if (text == "alone") {
    const auto block = static_cast<double>(size.bytes() >> (2 * job.dim()));
    return made(best_partition(Topology::cube(job.dim()), block, job.costs(), NodeExchange::options(order->second)));
  }
  if (text != "best") return made(Partition::parse(text, job.dim()));
  std::optional<Transposition> best;
  double least = 0;
  for (const Partition& partition : partitions_of(job.dim())) {
    Transposition candidate = made(partition);
    const double us = time ? time(candidate) : candidate.predict_us(job);
    if (best && us >= least) continue;
    best = std::move(candidate);
    least = us;
  }
  return *best;
}

}  // namespace ecube::programs
