// SPDX-License-Identifier: Apache-2.0
// The shared library of one verilated router and interface port: shells that turn the pins of hw/clocked into the
// vectors that Verilator made of them and back. They clock nothing and decide nothing. ECUBE_RTL_ROUTER and
// ECUBE_RTL_PORT name the classes that Verilator wrote, ECUBE_RTL_DIM and the like are their parameters.
#include ECUBE_RTL_ROUTER_HEADER
#include ECUBE_RTL_PORT_HEADER

#if VM_COVERAGE
#include <verilated_cov.h>
#endif

#include <array>
#include <string>
#include <utility>

#include "hw/clocked/broken.h"
#include "hw/rtl/library.h"
#include "hw/rtl/stop.h"
#include "hw/rtl/vectors.h"
#include "hw/rtl/words.h"

namespace {

using namespace ecube;
using rtl::field;
using rtl::set_field;
constexpr unsigned dim = ECUBE_RTL_DIM;
constexpr unsigned ports = ECUBE_RTL_PORTS;
constexpr unsigned lines = dim + ports;
constexpr unsigned wire_bits = rtl::wire_bits(dim);

#if ECUBE_RTL_BUFFER
using RouterBase = clocked::WormRouterPins;
using PortBase = clocked::InterfacePortPins;
#else
using RouterBase = clocked::RouterPins;
using PortBase = clocked::CircuitPortPins;
#endif

/// A shell around a verilated module. The module is evaluated at both edges of its clock, and when a pin changes on
/// which an output depends combinationally.
template <typename Base, typename Model>
class Shell : public Base {
 public:
  template <typename... Arguments>
  explicit Shell(VerilatedContext& context, const sc_core::sc_module_name& name, const Arguments&... arguments)
      : Base(name, arguments...), model_(&context) {
    SC_HAS_PROCESS(Shell);
    SC_METHOD(act);
    this->sensitive << this->clk_i;
  }

 protected:
  virtual void pack() = 0;
  virtual void unpack() = 0;

  Model model_;

 private:
  void act() {
    model_.clk_i = this->clk_i.read();
    model_.rst_i = this->rst_i.read();
    pack();
    model_.eval();
    unpack();
    std::string& failed = rtl::failed_assertion();
    if (!failed.empty()) clocked::report_broken(*this, std::exchange(failed, {}).c_str());
  }
};

/// A router drives its wires from registers. Its pin `moving_o` may depend on its inputs, and is read when the clock
/// has fallen.
class RouterShell final : public Shell<RouterBase, ECUBE_RTL_ROUTER> {
 public:
  RouterShell(VerilatedContext& context, const sc_core::sc_module_name& name, const clocked::Shape& shape)
      : Shell(context, name, shape) {}

 private:
  void pack() override {
    model_.acknowledge_i = 0;
    for (unsigned i = 0; i < lines; ++i) {
      set_field(model_.wire_i, i * wire_bits, wire_bits, rtl::packed(wire_i[i].read(), dim));
      set_field(model_.acknowledge_i, i, 1, acknowledge_i[i].read() ? 1 : 0);
    }
    model_.route_delay_i = route_delay_i.read();
#if ECUBE_RTL_BUFFER
    model_.phit_cycles_i = phit_cycles_i.read();
#endif
  }
  void unpack() override {
    for (unsigned i = 0; i < lines; ++i) {
      const std::uint64_t wire = field(model_.wire_o, i * wire_bits, wire_bits);
      if (wire != driven_[i]) wire_o[i].write(rtl::unpacked(wire, dim));
      driven_[i] = wire;
      acknowledge_o[i].write(field(model_.acknowledge_o, i, 1) != 0);
    }
    if (model_.granted_o != 0) owners_o.write(matrix(model_.owners_o));
    if (model_.refused_o != 0) asking_o.write(matrix(model_.asking_o));
    granted_o.write(static_cast<clocked::LineMask>(model_.granted_o));
    released_o.write(static_cast<clocked::LineMask>(model_.released_o));
    refused_o.write(static_cast<clocked::LineMask>(model_.refused_o));
    moving_o.write(model_.moving_o != 0);
  }

  [[nodiscard]] static clocked::LineMatrix matrix(const auto& bits) {
    clocked::LineMatrix matrix;
    for (unsigned i = 0; i < lines; ++i) {
      matrix.rows[i] = static_cast<clocked::LineMask>(field(bits, i * lines, lines));
    }
    return matrix;
  }

  std::array<std::uint64_t, lines> driven_{};  ///< the words driven onto the links
};

/// Port of a node.
class PortShell final : public Shell<PortBase, ECUBE_RTL_PORT> {
 public:
  template <typename... Arguments>
  PortShell(VerilatedContext& context, const sc_core::sc_module_name& name, NodeId node, unsigned number,
            const Arguments&... arguments)
      : Shell(context, name, node, number, arguments...) {
    model_.node_i = node;
    model_.number_i = number;
    sensitive << rst_i << phit_cycles_i << accept_delay_i << start_i << route_i << sequence_i << phits_i
              << acknowledge_i << wire_i << engine_i;
#if !ECUBE_RTL_BUFFER
    sensitive << phit_extra_num_i << phit_extra_den_i << setup_i << together_only_i << together_i;
    for (unsigned p = 0; p < ports; ++p) sensitive << sending_ports_i[p] << late_ports_i[p];
#endif
  }

 private:
  void pack() override {
    model_.phit_cycles_i = phit_cycles_i.read();
    model_.accept_delay_i = accept_delay_i.read();
    model_.start_i = start_i.read();
    model_.route_i = route_i.read();
    model_.sequence_i = sequence_i.read();
    model_.phits_i = phits_i.read();
    model_.acknowledge_i = acknowledge_i.read();
    model_.wire_i = rtl::packed(wire_i.read(), dim);
    model_.engine_i = engine_i.read();
#if !ECUBE_RTL_BUFFER
    model_.phit_extra_num_i = phit_extra_num_i.read();
    model_.phit_extra_den_i = phit_extra_den_i.read();
    model_.setup_i = setup_i.read();
    model_.together_only_i = together_only_i.read();
    model_.together_i = together_i.read();
    for (unsigned p = 0; p < ports; ++p) {
      set_field(model_.sending_ports_i, p, 1, sending_ports_i[p].read() ? 1 : 0);
      set_field(model_.late_ports_i, p, 1, late_ports_i[p].read() ? 1 : 0);
    }
#endif
  }
  void unpack() override {
    wire_o.write(rtl::unpacked(model_.wire_o, dim));
    acknowledge_o.write(model_.acknowledge_o != 0);
    sent_first_o.write(model_.sent_first_o != 0);
    sent_tail_o.write(model_.sent_tail_o != 0);
    sent_o.write(model_.sent_o != 0);
    probe_seen_o.write(model_.probe_seen_o != 0);
    accepted_o.write(model_.accepted_o != 0);
    received_first_o.write(model_.received_first_o != 0);
    received_tail_o.write(model_.received_tail_o != 0);
    probe_o.write(rtl::unpacked(model_.probe_o, dim));
    report_o.write(model_.report_o != 0);
    moving_o.write(model_.moving_o != 0);
#if !ECUBE_RTL_BUFFER
    sending_o.write(model_.sending_o != 0);
    late_o.write(model_.late_o != 0);
    serialised_o.write(model_.serialised_o != 0);
#endif
  }
};

class Library final : public RtlLibrary {
 public:
  // Never destroyed: machines may outlive the library's static objects when the program ends.
  Library() : context_(*new VerilatedContext) { Verilated::threadContextp(&context_); }
  [[nodiscard]] std::unique_ptr<clocked::RouterPins> make_router(const char* name,
                                                                 const clocked::Shape& shape) const override {
    return std::make_unique<RouterShell>(context_, name, shape);
  }
  [[nodiscard]] std::unique_ptr<clocked::InterfacePortPins> make_port(const char* name, NodeId node,
                                                                      unsigned number) const override {
#if ECUBE_RTL_BUFFER
    return std::make_unique<PortShell>(context_, name, node, number);
#else
    return std::make_unique<PortShell>(context_, name, node, number, ports);
#endif
  }
#if VM_COVERAGE
  void write_coverage(const std::string& file) const override { context_.coveragep()->write(file.c_str()); }
#else
  void write_coverage(const std::string&) const override {}
#endif

 private:
  VerilatedContext& context_;
};

}  // namespace

extern "C" [[gnu::visibility("default")]] ecube::RtlLibrary* ecube_rtl_library() {
  static Library library;
  return &library;
}
