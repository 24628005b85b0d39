// SPDX-License-Identifier: Apache-2.0
// Partners find each other.
#include "hw/clocked/library/rendezvous.h"

#include <algorithm>

#include "hw/clocked/library/message_library.h"
#include "models/contract/operations.h"

namespace ecube::clocked {

void Rendezvous::reset(std::span<MessageLibrary* const> libraries) {
  libraries_ = libraries;
  waiting_.assign(libraries.size(), {});
  meetings_ = 0;
}

/// Rules 4.9 and 4.10.
void Rendezvous::ask(NodeId node, Request& request) {
  const NodeId peer = request.operation->peer;
  std::list<Request*>& others = waiting_[peer];
  const auto partner = std::find_if(others.begin(), others.end(), [&](const Request* other) {
    return are_partners(*other->operation, *request.operation);
  });
  if (partner == others.end()) {
    waiting_[node].push_back(&request);
    return;
  }
  Request& other = **partner;
  others.erase(partner);
  ++meetings_;
  told_.insert(peer);
  libraries_[peer]->meet(other, meetings_);
  libraries_[node]->meet(request, meetings_);
}

}  // namespace ecube::clocked
