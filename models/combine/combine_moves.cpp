// SPDX-License-Identifier: Apache-2.0
// Halves, full vectors, and the way back.
#include "models/combine/combine_moves.h"

namespace ecube {

std::optional<CombineMoves::Move> CombineMoves::move(NodeId node, unsigned part, unsigned number) const {
  Items items = parts_.items(part, plan_.items);
  std::uint64_t level = items.count;
  for (unsigned at = 0;; ++at) {
    const unsigned direction = parts_.direction(part, at);
    Move move{.partner = neighbour(node, direction),
              .halves = rule_.halves(parts_.dim() - 1 - at, plan_.level ? level : items.count),
              .upper = ((node ^ plan_.origin) >> direction & 1U) != 0,
              .length = level,
              .before = items,
              .kept = items,
              .given = items};
    if (move.halves) {
      move.kept = move.upper ? items.upper() : items.lower();
      move.given = move.upper ? items.lower() : items.upper();
      move.length = level = Items{0, level}.lower().count;
    }
    if (at == number) return move;
    if (!move.halves && plan_.one_way && move.upper) return std::nullopt;
    items = move.kept;
  }
}

std::optional<CombineTransfer> CombineMoves::forward(NodeId node, unsigned part, unsigned number) const {
  const std::optional<Move> move = this->move(node, part, number);
  if (!move) return std::nullopt;
  const bool both = move->halves || !plan_.one_way;
  return CombineTransfer{.partner = move->partner,
                         .sends = both || move->upper,
                         .receives = both || !move->upper,
                         .outgoing = move->given,
                         .incoming = move->kept,
                         .least = plan_.level ? move->length : 0};
}

bool CombineMoves::collects_after(NodeId node, unsigned part, unsigned number) const {
  if (!plan_.one_way) return true;
  for (unsigned later = number + 1; later < parts_.dim(); ++later) {
    if (((node ^ plan_.origin) >> parts_.direction(part, later) & 1U) != 0) return false;
  }
  return true;
}

std::optional<CombineTransfer> CombineMoves::back(NodeId node, unsigned part, unsigned number) const {
  const std::optional<Move> move = this->move(node, part, number);
  if (!move) return std::nullopt;
  CombineTransfer transfer{.partner = move->partner, .least = plan_.level ? move->length : 0};
  if (plan_.tree) {
    transfer.sends = !move->upper;
    transfer.receives = move->upper;
    transfer.outgoing = transfer.incoming = move->before;
    return transfer;
  }
  if (!move->halves || !collects_after(node, part, number)) return std::nullopt;
  transfer.sends = !plan_.one_way || move->upper;
  transfer.receives = !plan_.one_way || !move->upper;
  transfer.outgoing = move->kept;
  transfer.incoming = move->given;
  return transfer;
}

}  // namespace ecube
