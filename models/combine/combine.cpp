// SPDX-License-Identifier: Apache-2.0
// Strategies and rules of the global combine: halves, full vectors, and the way back.
#include "models/combine/combine.h"

#include <algorithm>

#include "models/machine/error.h"

namespace ecube {

Strategy Strategy::halving_from(unsigned k, unsigned dim) {
  std::vector<bool> halves(dim, false);
  std::fill(halves.begin() + k, halves.end(), true);
  return Strategy(std::move(halves));
}

Strategy Strategy::parse(std::string_view digits, unsigned dim) {
  const std::string valid =
      "v1 | v2 | v3 | hybrid | " + std::to_string(dim) + " digits, 1 to halve and 0 not to, direction 0 first";
  if (digits.find_first_not_of("01") != std::string_view::npos)
    throw InputError("unknown strategy " + quoted(digits)).valid(valid);
  if (digits.size() != dim) {
    throw InputError("strategy " + quoted(digits) + " has " + std::to_string(digits.size()) +
                     (digits.size() == 1 ? " digit" : " digits") + ", but --dim is " + std::to_string(dim))
        .valid(valid);
  }
  std::vector<bool> halves;
  for (const char digit : digits) halves.push_back(digit == '1');
  return Strategy(std::move(halves));
}

std::vector<Strategy> Strategy::all(unsigned dim) {
  std::vector<Strategy> result;
  for (std::uint32_t bits = 0; bits < std::uint32_t{1} << dim; ++bits) {
    std::vector<bool> halves;
    for (unsigned j = 0; j < dim; ++j) halves.push_back((bits >> j & 1U) != 0);
    result.emplace_back(std::move(halves));
  }
  return result;
}

std::string Strategy::name() const {
  constexpr std::size_t most_digits = 40;
  std::string text;
  if (halves_.size() <= most_digits) {
    for (const bool halve : halves_) text += halve ? '1' : '0';
    return text;
  }
  for (auto begin = halves_.begin(); begin != halves_.end();) {
    const auto end = std::find(begin, halves_.end(), !*begin);
    text += std::string(text.empty() ? "" : ", ") + (*begin ? "1 x " : "0 x ") + std::to_string(end - begin);
    begin = end;
  }
  return text;
}

HalvingRule HalvingRule::run_time(double alpha, double beta, double gamma, unsigned parts) {
  return {[=](unsigned left, std::uint64_t items) {
    const double saved = left * (beta / parts + gamma) + gamma;
    return saved > 0 && parts * static_cast<double>(items) * saved >= 2 * alpha;
  }};
}

CombinePiece CombineMoves::whole(unsigned part) const {
  const Items items = parts_.items(part, items_);
  return {items, items.count};
}

/// The rule decides whether partners halve a piece that both hold, and the node's bit which half it keeps.
CombineMoves::Halves CombineMoves::halves(NodeId node, unsigned part, unsigned number, const CombinePiece& held) const {
  const bool upper = is_upper(node, part, number);
  if (!rule_.halves(parts_.dim() - 1 - number, held.length)) {
    return {.halved = false, .upper = upper, .kept = held, .given = held};
  }
  const std::uint64_t larger = Items{0, held.length}.lower().count;
  const CombinePiece low{held.items.lower(), level_ ? larger : held.items.lower().count};
  const CombinePiece high{held.items.upper(), level_ ? larger : held.items.upper().count};
  return {.halved = true, .upper = upper, .kept = upper ? high : low, .given = upper ? low : high};
}

CombinePiece CombineMoves::kept(NodeId node, unsigned part, unsigned number, const CombinePiece& held) const {
  if (!held.held()) return held;
  Halves half = halves(node, part, number, held);
  if (!half.halved && one_way_ && half.upper) half.kept.items.first = CombinePiece::nowhere;
  return half.kept;
}

CombinePiece CombineMoves::held(NodeId node, unsigned part, unsigned number) const {
  CombinePiece piece = whole(part);
  for (unsigned before = 0; before < number; ++before) piece = kept(node, part, before, piece);
  return piece;
}

bool CombineMoves::collects_after(NodeId node, unsigned part, unsigned number) const {
  for (unsigned later = number + 1; one_way_ && later < parts_.dim(); ++later) {
    if (is_upper(node, part, later)) return false;
  }
  return true;
}

std::optional<CombineTransfer> CombineMoves::transfer(NodeId node, unsigned part, unsigned number, bool back,
                                                      const CombinePiece& held) const {
  if (!held.held()) return std::nullopt;
  const Halves half = halves(node, part, number, held);
  const bool gathers = back && !broadcasts_;
  if (gathers && (!half.halved || !collects_after(node, part, number))) return std::nullopt;
  const bool broadcasts = back && broadcasts_;
  const bool both = !broadcasts && (!one_way_ || (half.halved && !back));
  const bool gives = half.upper != broadcasts;
  // What the node has kept it gives on the way back to the other half's holder, or, from the root on, passes on.
  return CombineTransfer{.partner = neighbour(node, parts_.direction(part, number)),
                         .sends = both || gives,
                         .receives = both || !gives,
                         .outgoing = back ? half.kept : half.given,
                         .incoming = back ? half.given : half.kept};
}

std::optional<CombineTransfer> CombineMoves::transfer(NodeId node, unsigned part, unsigned place) const {
  const bool back = place >= parts_.dim();
  const unsigned number = back ? 2 * parts_.dim() - 1 - place : place;
  return transfer(node, part, number, back, held(node, part, number));
}

}  // namespace ecube
