// SPDX-License-Identifier: Apache-2.0
// A node's notes about an operation that its program has asked for.
#pragma once

#include <memory>

#include "hw/clocked/library/message_table.h"
#include "models/contract/node_ports.h"

namespace ecube::clocked {

struct Request {
  Operation* operation = nullptr;
  std::uint32_t number = 0;  ///< counts this node's requests in order of issue
  unsigned parts = 1;        ///< halves, or messages of receive_each or receive_counted, still to complete
  unsigned completions = 1;  ///< edges at which it is, or will be, told complete: of a counted receive one a message
  unsigned open = 0;         ///< messages that the receive can still be matched with or promised to
  unsigned synchronisations = 0;     ///< messages still to leave or to come, of a synchronised exchange
  Cycles complete_at = 0;            ///< the latest of the parts completed so far
  Cycles issued_at = 0;              ///< for a send after a rendezvous, the edge at which the partners met
  std::shared_ptr<Message> message;  ///< the message that the request sends
  Bytes unsent = 0;                  ///< bytes of the message in packets still to be made
};

}  // namespace ecube::clocked
