// SPDX-License-Identifier: Apache-2.0
// An interface port for worms, with its pins, and beside it the rules that it obeys.
module ecube_worm_port_checked #(
    parameter int Dim = 3,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32,
    parameter int Buffer = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Dim-1:0] node_i,
    input logic [ecube_pkg::PortBits-1:0] number_i,
    input logic [Time-1:0] phit_cycles_i,
    input logic [Time-1:0] accept_delay_i,
    input logic start_i,
    input logic [Dim-1:0] route_i,
    input logic [ecube_pkg::SequenceBits-1:0] sequence_i,
    input logic [Time-1:0] phits_i,
    output logic [Width-1:0] wire_o,
    input logic acknowledge_i,
    input logic [Width-1:0] wire_i,
    output logic acknowledge_o,
    input logic engine_i,
    output logic sent_first_o,
    output logic sent_tail_o,
    output logic sent_o,
    output logic probe_seen_o,
    output logic accepted_o,
    output logic received_first_o,
    output logic received_tail_o,
    output logic [Width-1:0] probe_o,
    output logic report_o,
    output logic moving_o
);
`ifdef YOSYS
  // yosys connects wires of these names when it flattens the port.
  (* hierconn *) logic \port.first_taken_q , \port.sender.first_q , \port.tail_held_q ;
  (* hierconn *) logic [$clog2(Buffer+2)-1:0] \port.held_q ;
  (* hierconn *) logic [1:0] \port.receive_state_q , \port.send_state_q ;
  (* hierconn *) logic [ecube_pkg::SequenceBits-1:0] \port.sender.number_q ;
  (* hierconn *) logic [Time-1:0] \port.sender.phits_left_q , \port.until_phit_q ;
  (* hierconn *) logic [Time-1:0] \port.until_accepted_q ;
`endif
  ecube_worm_port #(
      .Dim(Dim),
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
  ) port (.*);

  ecube_first_reset first_reset (.*);

  ecube_rule_10_5_sending #(
      .Dim(Dim),
      .Width(Width),
      .Time(Time)
  ) sending (
      .stopped_i(acknowledge_i),
      .wire_i(wire_o),
      .sent_first_i(sent_first_o),
      .sent_tail_i(sent_tail_o),
      .sent_i(sent_o),
      .state_i(port.send_state_q),
      .phits_left_i(port.sender.phits_left_q),
      .until_phit_i(port.until_phit_q),
      .phit_i(port.sender.number_q),
      .first_i(port.sender.first_q),
      .*
  );

  ecube_rule_10_5_receiving #(
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
  ) receiving (
      .stop_i(acknowledge_o),
      .probe_seen_i(probe_seen_o),
      .accepted_i(accepted_o),
      .received_first_i(received_first_o),
      .received_tail_i(received_tail_o),
      .probe_i(probe_o),
      .state_i(port.receive_state_q),
      .until_accepted_i(port.until_accepted_q),
      .held_i(port.held_q),
      .tail_held_i(port.tail_held_q),
      .first_taken_i(port.first_taken_q),
      .*
  );
endmodule
