// SPDX-License-Identifier: Apache-2.0
// The word on a wire, and states. hw/README.md is the specification of every module here.
//
// `ECUBE_RULE(name)(condition): a rule of hw/README.md, stated in properties/ about wires and
// reports.
// `ECUBE_ASSERT(name)(condition): an assertion beside the code that it is about.
// `ECUBE_REGISTER(name)(condition): an assertion about registers, which proofs by induction need.
// `ECUBE_ENVIRONMENT(condition): a property of the neighbours, which the proof of one module
// assumes, and which the proof of a fabric and a simulation check; `ECUBE_NEIGHBOUR(name) has a
// name.
//
// With ECUBE_PINS_ONLY there are rules only: what is wrong has to show at the pins. Simulators
// report an assertion by its name; yosys does not know names in generate blocks, so `verify` finds
// the name by the line.
`ifdef FORMAL
`define ECUBE_RULE(name) assert
`ifdef ECUBE_FABRIC
`define ECUBE_ENVIRONMENT assert
`define ECUBE_NEIGHBOUR(name) assert
`else
`define ECUBE_ENVIRONMENT assume
`define ECUBE_NEIGHBOUR(name) assume
`endif
`ifdef ECUBE_PINS_ONLY
`define ECUBE_ASSERT(name) if (1'b0) assert
`define ECUBE_REGISTER(name) if (1'b0) assert
`else
`define ECUBE_ASSERT(name) assert
`define ECUBE_REGISTER(name) assert
`endif
`elsif SYNTHESIS
`define ECUBE_RULE(name) ecube_pkg::ignore
`define ECUBE_ASSERT(name) ecube_pkg::ignore
`define ECUBE_REGISTER(name) ecube_pkg::ignore
`define ECUBE_ENVIRONMENT ecube_pkg::ignore
`define ECUBE_NEIGHBOUR(name) ecube_pkg::ignore
`elsif __ICARUS__
`define ECUBE_RULE(name) assert
`define ECUBE_ASSERT(name) assert
`define ECUBE_REGISTER(name) assert
`define ECUBE_ENVIRONMENT assert
`define ECUBE_NEIGHBOUR(name) assert
`else
`define ECUBE_RULE(name) name : assert
`define ECUBE_ASSERT(name) name : assert
`define ECUBE_REGISTER(name) name : assert
`define ECUBE_ENVIRONMENT assert
`define ECUBE_NEIGHBOUR(name) name : assert
`endif

// `ECUBE_ENUM(name): the enumeration of ecube_pkg. Icarus 11 ends with a segmentation fault where a
// variable has a type of a package and yosys 0.23 knows no import, so Icarus gets the bits, two for
// each enumeration.
`ifdef __ICARUS__
`define ECUBE_ENUM(name) logic [1:0]
`else
`define ECUBE_ENUM(name) ecube_pkg::name
`endif

/* verilator lint_off UNUSEDPARAM */  // A module reads a part of the package.
package ecube_pkg;
`ifdef SYNTHESIS
  // Synthesis ignores assertions.
  task automatic ignore(input logic condition);
  endtask
`endif

  // The two highest bits of a wire are the kind of its word. A probe has, from the lowest bit on,
  // its route (Dim bits: source XOR destination, as far as it still has to be travelled), its
  // source (Dim bits), the inject port, and the sequence number of the circuit at that port.
  // Source, port and sequence number are the key of a message. A phit has only its running number,
  // in place of the sequence number.
  localparam int MostDimensions = 8;
  localparam int MostFlits = 8;  // of a buffer
`ifdef ECUBE_FEW_BITS
  // Only for the proof of a fabric on which no message has more than two phits, and no node more
  // than one port.
  localparam int PortBits = 1;
  localparam int SequenceBits = 2;
`else
  localparam int PortBits = 3;
  localparam int SequenceBits = 16;
`endif
  typedef enum logic [1:0] {
    WireIdle = 2'd0,
    WireProbe = 2'd1,
    WirePhit = 2'd2,
    WireTail = 2'd3
  } wire_kind_e;

  // States of a network interface port, sending and receiving.
  typedef enum logic [1:0] {
    SendIdle = 2'd0,
    SendWaiting = 2'd1,  // for the acknowledge, and on fixed-distance machines for the set-up time
    SendMoving = 2'd2,  // phits, until the tail
    SendClosing = 2'd3  // of a worm: its tail is on the wire, or in the buffer behind
  } send_state_e;
  typedef enum logic [1:0] {
    ReceiveIdle = 2'd0,
    ReceiveWaiting = 2'd1,  // for an engine, and for the node's own sends
    ReceiveAccepting = 2'd2,  // counts the accept delay
    ReceiveMoving = 2'd3  // phits, until the tail
  } receive_state_e;
endpackage
/* verilator lint_on UNUSEDPARAM */
