// SPDX-License-Identifier: Apache-2.0
// What the messages of a run carry.
#pragma once

#include "sw/exchange/exchange.h"
#include "testbench/command_line/option_row.h"

namespace ecube {

inline constexpr Word<Payload> payload_words[] = {
    {"bytes", Payload::bytes}, {"tags", Payload::tags}, {"none", Payload::none}};

[[nodiscard]] inline WordOption<Payload> payload_option() {
  return {"--payload", "bytes (checked), tags (8 bytes a message) or none", group::own, Payload::bytes, payload_words};
}

}  // namespace ecube
