// SPDX-License-Identifier: Apache-2.0
// The word on a wire, and the faults that a build can plant. hw/README.md is the specification of every module here.
// `ECUBE_ASSERT(name)(condition): an assertion, which simulators report by its name. `ECUBE_ENVIRONMENT(condition): a
// property of the neighbours, which a proof assumes and a simulation checks. Yosys does not know names in generate
// blocks.
`ifdef FORMAL
`define ECUBE_ASSERT(name) assert
`define ECUBE_ENVIRONMENT assume
`else
`define ECUBE_ASSERT(name) name : assert
`define ECUBE_ENVIRONMENT assert
`endif

package ecube_pkg;

  // The two highest bits of a wire are the kind of its word. A probe has, from the lowest bit on, its route (DIM bits:
  // source XOR destination, as far as it still has to be travelled), its source (DIM bits), the inject port, and the
  // sequence number of the circuit at that port. Source, port and sequence number are the key of a message. A phit has
  // only its running number, in place of the sequence number.
  localparam int PortBits = 3;
  localparam int SequenceBits = 16;
  localparam logic [1:0] WireIdle = 2'd0;
  localparam logic [1:0] WireProbe = 2'd1;
  localparam logic [1:0] WireData = 2'd2;
  localparam logic [1:0] WireTail = 2'd3;

  // The planted fault: none, unless tests ask for one. Proofs fix the fault with ECUBE_FAULT; in a model that is
  // verilated with ECUBE_FAULT_INPUT, the routers read it at the start.
`ifdef ECUBE_FAULT_INPUT
  int fault = 0;
`elsif ECUBE_FAULT
  localparam int fault = `ECUBE_FAULT;
`else
  localparam int fault = 0;
`endif
  // Values of the fault; 0 is the machine as specified.
  localparam int FaultPointer = 1;  // arbiters never move their pointer
  localparam int FaultHop = 2;  // a cycle more in every router
  localparam int FaultRelease = 3;  // outputs are free a cycle early
  localparam int FaultOrder = 4;  // probes take the highest dimension first
  localparam int FaultAcknowledge = 5;  // acknowledges get lost behind the highest dimension

  // States of a router's input.
  localparam logic [1:0] InputIdle = 2'd0;
  localparam logic [1:0] InputSeeking = 2'd1;  // counts the route delay, then requests an output
  localparam logic [1:0] InputHeld = 2'd2;  // connected, until the tail

  // States of a network interface port, sending and receiving.
  localparam logic [1:0] SendIdle = 2'd0;
  localparam logic [1:0] SendWaiting = 2'd1;  // for the acknowledge, and on fixed-distance machines for the set-up time
  localparam logic [1:0] SendMoving = 2'd2;  // phits, until the tail
  localparam logic [1:0] SendClosing = 2'd3;  // of a worm: its tail is on the wire, or in the buffer behind
  localparam logic [1:0] ReceiveIdle = 2'd0;
  localparam logic [1:0] ReceiveWaiting = 2'd1;  // until the sends named in `serialised` have ended
  localparam logic [1:0] ReceiveAccepting = 2'd2;  // counts the accept delay
  localparam logic [1:0] ReceiveMoving = 2'd3;  // phits, until the tail

endpackage
