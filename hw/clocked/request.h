// SPDX-License-Identifier: Apache-2.0
// What a node notes about something that its program has asked for.
#pragma once

#include <memory>

#include "hw/clocked/message_table.h"
#include "models/contract/node_ports.h"

namespace ecube::clocked {

struct Request {
  Operation* operation = nullptr;
  std::uint32_t number = 0;          ///< of this node's requests, in the order in which they were issued
  unsigned parts = 1;                ///< halves, or messages of receive_each, still to complete
  unsigned open = 0;                 ///< messages that it can still be matched with or promised to
  unsigned synchronisations = 0;     ///< messages still to leave or to come, of a synchronised exchange
  Cycles complete_at = 0;            ///< the latest of the parts completed so far
  Cycles issued_at = 0;              ///< of what is sent after a rendezvous, the edge at which the partners met
  std::shared_ptr<Message> message;  ///< what it sends
  Bytes unsent = 0;                  ///< of the message, in packets still to be made
};

}  // namespace ecube::clocked
