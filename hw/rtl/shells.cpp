// SPDX-License-Identifier: Apache-2.0
// The shared library of one verilated router and interface port: shells that turn the pins of hw/clocked into the
// vectors that Verilator made of them and back. They clock nothing and decide nothing. ECUBE_RTL_ROUTER and
// ECUBE_RTL_PORT name the classes that Verilator wrote, ECUBE_RTL_DIM and the like are their parameters.
#include ECUBE_RTL_ROUTER_HEADER
#include ECUBE_RTL_PORT_HEADER

#if VM_COVERAGE
#include <verilated_cov.h>
#endif

#include <string>
#include <utility>

#include "hw/clocked/broken.h"
#include "hw/rtl/library.h"
#include "hw/rtl/stop.h"
#include "hw/rtl/verilated_pins.h"

namespace {

using namespace ecube;
using rtl::field;
using rtl::set_field;
constexpr unsigned dim = ECUBE_RTL_DIM;
constexpr unsigned ports = ECUBE_RTL_PORTS;
constexpr unsigned lines = dim + ports;
constexpr unsigned wire_bits = rtl::wire_bits(dim);

// clang-format off
#define ECUBE_RTL_PINS_OF_ROUTERS(PIN)                                                                          \
  PIN(route_delay_i) PIN(wire_i) PIN(acknowledge_o) PIN(wire_o) PIN(acknowledge_i) PIN(granted_o)               \
  PIN(released_o) PIN(refused_o) PIN(owners_o) PIN(asking_o) PIN(moving_o)
#define ECUBE_RTL_PINS_OF_PORTS(PIN)                                                                            \
  PIN(node_i) PIN(number_i) PIN(phit_cycles_i) PIN(accept_delay_i) PIN(start_i) PIN(route_i) PIN(sequence_i)    \
  PIN(phits_i) PIN(wire_o) PIN(acknowledge_i) PIN(wire_i) PIN(acknowledge_o) PIN(engine_i) PIN(sent_first_o)    \
  PIN(sent_tail_o) PIN(sent_o) PIN(probe_seen_o) PIN(accepted_o) PIN(received_first_o) PIN(received_tail_o)     \
  PIN(probe_o) PIN(report_o) PIN(moving_o)
#if ECUBE_RTL_BUFFER
#define ECUBE_RTL_OTHER_PINS_OF_ROUTERS(PIN) PIN(phit_cycles_i)
#define ECUBE_RTL_OTHER_PINS_OF_PORTS(PIN)
#else
#define ECUBE_RTL_OTHER_PINS_OF_ROUTERS(PIN)
#define ECUBE_RTL_OTHER_PINS_OF_PORTS(PIN)                                                                      \
  PIN(phit_extra_num_i) PIN(phit_extra_den_i) PIN(setup_i) PIN(together_only_i) PIN(together_i)                 \
  PIN(sending_ports_i) PIN(late_ports_i) PIN(sending_o) PIN(late_o) PIN(serialised_o)
#endif
#define ECUBE_RTL_ALL_PINS_OF_ROUTERS(PIN) ECUBE_RTL_PINS_OF_ROUTERS(PIN) ECUBE_RTL_OTHER_PINS_OF_ROUTERS(PIN)
#define ECUBE_RTL_ALL_PINS_OF_PORTS(PIN) ECUBE_RTL_PINS_OF_PORTS(PIN) ECUBE_RTL_OTHER_PINS_OF_PORTS(PIN)
// clang-format on

#if ECUBE_RTL_BUFFER
using RouterBase = clocked::WormRouterPins;
using PortBase = clocked::InterfacePortPins;
#else
using RouterBase = clocked::RouterPins;
using PortBase = clocked::CircuitPortPins;
#endif

/// Writes a number to a signal of whatever type.
template <typename T>
void drive(sc_core::sc_signal<T>& signal, std::uint64_t value) {
  signal.write(static_cast<T>(value));
}

/// A shell around a verilated module. What it drives changes some delta cycles after the pin that it follows.
template <typename Base, typename Part>
class Shell : public Base {
 public:
  template <typename... Arguments>
  explicit Shell(const sc_core::sc_module_name& name, const Arguments&... arguments) : Base(name, arguments...) {
    part_.clk_i(this->clk_i);
    part_.rst_i(this->rst_i);
    SC_HAS_PROCESS(Shell);
    SC_METHOD(check);
    this->sensitive << this->clk_i.pos();
    this->dont_initialize();
  }

 protected:
  Part part_{"verilated"};

 private:
  /// Assertions of an edge have been looked at one delta cycle after it.
  void check() {
    if (this->clk_i.posedge()) return this->next_trigger(sc_core::SC_ZERO_TIME);
    std::string& failed = rtl::failed_assertion();
    if (!failed.empty()) clocked::report_broken(*this, std::exchange(failed, {}).c_str());
  }
};

class RouterShell final : public Shell<RouterBase, ECUBE_RTL_ROUTER> {
 public:
  using Part = ECUBE_RTL_ROUTER;
  RouterShell(const sc_core::sc_module_name& name, const clocked::Shape& shape) : Shell(name, shape) {
    bind_all(part_);
    SC_HAS_PROCESS(RouterShell);
    SC_METHOD(pack);
    sensitive << route_delay_i;
    for (unsigned i = 0; i < lines; ++i) sensitive << wire_i[i] << acknowledge_i[i];
#if ECUBE_RTL_BUFFER
    sensitive << phit_cycles_i;
#endif
    SC_METHOD(unpack);
    sensitive << wire_o_ << acknowledge_o_ << granted_o_ << released_o_ << refused_o_ << owners_o_ << asking_o_
              << moving_o_;
  }

 private:
  void pack() {
    auto wires = wire_i_.read();
    std::uint64_t acknowledges = 0;
    for (unsigned i = 0; i < lines; ++i) {
      set_field(wires, i * wire_bits, wire_bits, rtl::packed(wire_i[i].read(), dim));
      set_field(acknowledges, i, 1, acknowledge_i[i].read() ? 1 : 0);
    }
    wire_i_.write(wires);
    drive(acknowledge_i_, acknowledges);
    drive(route_delay_i_, route_delay_i.read());
#if ECUBE_RTL_BUFFER
    drive(phit_cycles_i_, phit_cycles_i.read());
#endif
  }
  void unpack() {
    clocked::LineMatrix owners;
    clocked::LineMatrix asking;
    for (unsigned i = 0; i < lines; ++i) {
      wire_o[i].write(rtl::unpacked(field(wire_o_.read(), i * wire_bits, wire_bits), dim));
      acknowledge_o[i].write(field(acknowledge_o_.read(), i, 1) != 0);
      owners.rows[i] = static_cast<clocked::LineMask>(field(owners_o_.read(), i * lines, lines));
      asking.rows[i] = static_cast<clocked::LineMask>(field(asking_o_.read(), i * lines, lines));
    }
    owners_o.write(owners);
    asking_o.write(asking);
    granted_o.write(static_cast<clocked::LineMask>(granted_o_.read()));
    released_o.write(static_cast<clocked::LineMask>(released_o_.read()));
    refused_o.write(static_cast<clocked::LineMask>(refused_o_.read()));
    moving_o.write(moving_o_.read());
  }

  ECUBE_RTL_PINS(ECUBE_RTL_ALL_PINS_OF_ROUTERS)
};

/// Port of a node.
class PortShell final : public Shell<PortBase, ECUBE_RTL_PORT> {
 public:
  using Part = ECUBE_RTL_PORT;
  template <typename... Arguments>
  PortShell(const sc_core::sc_module_name& name, NodeId node, unsigned number, const Arguments&... arguments)
      : Shell(name, node, number, arguments...) {
    bind_all(part_);
    drive(node_i_, node);
    drive(number_i_, number);
    SC_HAS_PROCESS(PortShell);
    SC_METHOD(pack);
    sensitive << phit_cycles_i << accept_delay_i << start_i << route_i << sequence_i << phits_i << acknowledge_i
              << wire_i << engine_i;
    SC_METHOD(unpack);
    sensitive << wire_o_ << acknowledge_o_ << sent_first_o_ << sent_tail_o_ << sent_o_ << probe_seen_o_ << accepted_o_
              << received_first_o_ << received_tail_o_ << probe_o_ << report_o_ << moving_o_;
#if !ECUBE_RTL_BUFFER
    SC_METHOD(pack_circuits);
    sensitive << phit_extra_num_i << phit_extra_den_i << setup_i << together_only_i << together_i;
    for (unsigned p = 0; p < ports; ++p) sensitive << sending_ports_i[p] << late_ports_i[p];
    SC_METHOD(unpack_circuits);
    sensitive << sending_o_ << late_o_ << serialised_o_;
#endif
  }

 private:
  void pack() {
    drive(phit_cycles_i_, phit_cycles_i.read());
    drive(accept_delay_i_, accept_delay_i.read());
    drive(start_i_, start_i.read());
    drive(route_i_, route_i.read());
    drive(sequence_i_, sequence_i.read());
    drive(phits_i_, phits_i.read());
    drive(acknowledge_i_, acknowledge_i.read());
    drive(wire_i_, rtl::packed(wire_i.read(), dim));
    drive(engine_i_, engine_i.read());
  }
  void unpack() {
    wire_o.write(rtl::unpacked(wire_o_.read(), dim));
    acknowledge_o.write(acknowledge_o_.read());
    sent_first_o.write(sent_first_o_.read());
    sent_tail_o.write(sent_tail_o_.read());
    sent_o.write(sent_o_.read());
    probe_seen_o.write(probe_seen_o_.read());
    accepted_o.write(accepted_o_.read());
    received_first_o.write(received_first_o_.read());
    received_tail_o.write(received_tail_o_.read());
    probe_o.write(rtl::unpacked(probe_o_.read(), dim));
    report_o.write(report_o_.read());
    moving_o.write(moving_o_.read());
  }
#if !ECUBE_RTL_BUFFER
  void pack_circuits() {
    drive(phit_extra_num_i_, phit_extra_num_i.read());
    drive(phit_extra_den_i_, phit_extra_den_i.read());
    drive(setup_i_, setup_i.read());
    drive(together_only_i_, together_only_i.read());
    drive(together_i_, together_i.read());
    std::uint64_t sending = 0;
    std::uint64_t late = 0;
    for (unsigned p = 0; p < ports; ++p) {
      set_field(sending, p, 1, sending_ports_i[p].read() ? 1 : 0);
      set_field(late, p, 1, late_ports_i[p].read() ? 1 : 0);
    }
    drive(sending_ports_i_, sending);
    drive(late_ports_i_, late);
  }
  void unpack_circuits() {
    sending_o.write(sending_o_.read());
    late_o.write(late_o_.read());
    serialised_o.write(serialised_o_.read());
  }
#endif

  ECUBE_RTL_PINS(ECUBE_RTL_ALL_PINS_OF_PORTS)
};

class Library final : public RtlLibrary {
 public:
  // Machines may outlive what the library destroys when the program ends.
  Library() : context_(*new VerilatedContext) { Verilated::threadContextp(&context_); }
  [[nodiscard]] std::unique_ptr<clocked::RouterPins> make_router(const char* name,
                                                                 const clocked::Shape& shape) const override {
    return std::make_unique<RouterShell>(name, shape);
  }
  [[nodiscard]] std::unique_ptr<clocked::InterfacePortPins> make_port(const char* name, NodeId node,
                                                                      unsigned number) const override {
#if ECUBE_RTL_BUFFER
    return std::make_unique<PortShell>(name, node, number);
#else
    return std::make_unique<PortShell>(name, node, number, ports);
#endif
  }
  void plant_fault(unsigned fault) override {
    const std::string argument = "+ecube_fault=" + std::to_string(fault);
    const char* arguments[] = {"", argument.c_str()};
    context_.commandArgs(2, arguments);
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
