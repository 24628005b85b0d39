// SPDX-License-Identifier: Apache-2.0
// A verilated router with nothing around it, as the program sees it: words as in hw/rtl/words.h, masks as in
// hw/clocked/router_pins.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace ecube {

class LoneRouter {
 public:
  /// The most inputs that a router has.
  static constexpr unsigned most_lines = 16;
  struct Inputs {
    bool reset = false;
    std::uint64_t route_delay = 1;
    std::uint64_t phit_cycles = 2;  ///< of a router for worms
    std::array<std::uint64_t, most_lines> wire{};
    std::uint32_t back = 0;  ///< acknowledges, or stops, of the outputs
  };
  struct Outputs {
    std::array<std::uint64_t, most_lines> wire{};
    std::uint32_t back = 0;
    std::uint32_t granted = 0;
    std::uint32_t released = 0;
    std::uint32_t refused = 0;
    std::array<std::uint32_t, most_lines> owners{};  ///< [output]
    std::array<std::uint32_t, most_lines> asking{};  ///< [input]
    bool moving = false;
  };

  virtual ~LoneRouter() = default;
  /// The clock rises, with inputs that have been there.
  virtual Outputs rise(const Inputs& inputs) = 0;
  /// The clock falls, with the inputs of the next edge.
  virtual Outputs fall(const Inputs& inputs) = 0;
  /// The first assertion that has failed, as file:line; empty while none has.
  [[nodiscard]] virtual const std::string& failed() const = 0;

 protected:
  LoneRouter() = default;
  LoneRouter(const LoneRouter&) = default;
  LoneRouter& operator=(const LoneRouter&) = default;
};

/// The name under which a library exports a MakeLoneRouter. The registers of the router begin with values drawn from
/// `seed`, which is not 0; the caller deletes it.
inline constexpr const char* lone_router_symbol = "ecube_lone_router";
using MakeLoneRouter = LoneRouter*(int seed);

}  // namespace ecube
