// SPDX-License-Identifier: Apache-2.0
// An interface port, with its pins, and beside it the rules that it obeys.
module ecube_interface_port_checked #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Dim-1:0] node_i,
    input logic [ecube_pkg::PortBits-1:0] number_i,
    input logic [Time-1:0] phit_cycles_i,
    input logic [Time-1:0] phit_extra_num_i,
    input logic [Time-1:0] phit_extra_den_i,
    input logic [Time-1:0] accept_delay_i,
    input logic [Time-1:0] setup_i,
    input logic together_only_i,
    input logic [Time-1:0] together_i,
    input logic start_i,
    input logic [Dim-1:0] route_i,
    input logic [ecube_pkg::SequenceBits-1:0] sequence_i,
    input logic [Time-1:0] phits_i,
    output logic [Width-1:0] wire_o,
    input logic acknowledge_i,
    input logic [Width-1:0] wire_i,
    output logic acknowledge_o,
    input logic engine_i,
    input logic [Ports-1:0] sending_ports_i,
    input logic [Ports-1:0] late_ports_i,
    output logic sending_o,
    output logic late_o,
    output logic serialised_o,
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
  (* hierconn *) logic \port.acknowledged_q , \port.engine_q , \port.first_phit_q ;
  (* hierconn *) logic \port.sender.first_q ;
  (* hierconn *) logic [Time:0] \port.excess_q ;
  (* hierconn *) logic [Time-1:0] \port.until_late_q , \port.sender.phits_left_q ;
  (* hierconn *) logic [Time-1:0] \port.until_acknowledge_q , \port.until_phit_q ;
  (* hierconn *) logic [1:0] \port.receive_state_q , \port.send_state_q ;
  (* hierconn *) logic [ecube_pkg::SequenceBits-1:0] \port.sender.number_q ;
  (* hierconn *) logic [Ports-1:0] \port.serialised_q ;
`endif
  ecube_interface_port #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) port (.*);

  ecube_first_reset first_reset (.*);

  ecube_rule_3_5_sending #(
      .Dim(Dim),
      .Width(Width),
      .Time(Time)
  ) sending_rule (
      .wire_i(wire_o),
      .sending_i(sending_o),
      .late_i(late_o),
      .sent_first_i(sent_first_o),
      .sent_tail_i(sent_tail_o),
      .sent_i(sent_o),
      .state_i(port.send_state_q),
      .phits_left_i(port.sender.phits_left_q),
      .until_phit_i(port.until_phit_q),
      .excess_i(port.excess_q),
      .until_late_i(port.until_late_q),
      .acknowledged_i(port.acknowledged_q),
      .phit_i(port.sender.number_q),
      .first_i(port.sender.first_q),
      .*
  );

  ecube_rule_3_2_receiving #(
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) receiving_rule (
      .acknowledge_i(acknowledge_o),
      .accepted_i(accepted_o),
      .probe_seen_i(probe_seen_o),
      .received_first_i(received_first_o),
      .received_tail_i(received_tail_o),
      .serialised_i(serialised_o),
      .probe_i(probe_o),
      .state_i(port.receive_state_q),
      .until_acknowledge_i(port.until_acknowledge_q),
      .serialising_i(port.serialised_q),
      .engine_kept_i(port.engine_q),
      .first_phit_i(port.first_phit_q),
      .*
  );
endmodule
