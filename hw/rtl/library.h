// SPDX-License-Identifier: Apache-2.0
// A shared library of verilated modules, as the program sees it.
#pragma once

#include <memory>
#include <string>

#include "hw/clocked/interface_port_pins.h"
#include "hw/clocked/router_pins.h"

namespace ecube {

/// The router and the interface port in SystemVerilog, for one dimension, one number of ports and, for worms, one size
/// of buffers. They are modules with the pins of those in hw/clocked.
class RtlLibrary {
 public:
  virtual ~RtlLibrary() = default;
  [[nodiscard]] virtual std::unique_ptr<clocked::RouterPins> make_router(const char* name,
                                                                         const clocked::Shape& shape) const = 0;
  [[nodiscard]] virtual std::unique_ptr<clocked::InterfacePortPins> make_port(const char* name, NodeId node,
                                                                              unsigned number) const = 0;
  /// Writes the coverage of the runs so far, for verilator_coverage. Has an effect in the build variant `coverage`
  /// only.
  virtual void write_coverage(const std::string& file) const = 0;

 protected:
  RtlLibrary() = default;
  RtlLibrary(const RtlLibrary&) = default;
  RtlLibrary& operator=(const RtlLibrary&) = default;
};

/// The name under which a library exports a function `RtlLibrary* ()`.
inline constexpr const char* rtl_library_symbol = "ecube_rtl_library";

}  // namespace ecube
