// SPDX-License-Identifier: Apache-2.0
// One node's part of the network: its router and the ports of its network interface, as a
// hw/clocked node connects them. Its label is an input: all nodes are the same.
module ecube_node #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32,
    parameter int Worms = 0,  // 1: wormhole switching, acknowledges carry stops
    parameter int Buffer = 1  // flits of a buffer of worms
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Dim-1:0] node_i,

    input logic [Time-1:0] route_delay_i,
    input logic [Time-1:0] accept_delay_i,
    input logic [Time-1:0] phit_cycles_i,
    input logic [Time-1:0] phit_extra_num_i,
    input logic [Time-1:0] phit_extra_den_i,
    input logic [Time-1:0] setup_i,
    input logic together_only_i,
    input logic [Time-1:0] together_i,

    // [port]
    input logic [Ports-1:0] start_i,
    input logic [Ports*Dim-1:0] route_i,
    input logic [Ports*ecube_pkg::SequenceBits-1:0] sequence_i,
    input logic [Ports*Time-1:0] phits_i,
    input logic [Ports-1:0] engine_i,

    // [dimension]
    input logic [Dim*Width-1:0] wire_i,
    output logic [Dim-1:0] acknowledge_o,
    output logic [Dim*Width-1:0] wire_o,
    input logic [Dim-1:0] acknowledge_i,

    output logic [Dim+Ports-1:0] granted_o,
    output logic [Dim+Ports-1:0] released_o,
    output logic [Dim+Ports-1:0] refused_o,
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] owners_o,
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_o,
    output logic [Ports-1:0] sent_first_o,
    output logic [Ports-1:0] sent_tail_o,
    output logic [Ports-1:0] sent_o,
    output logic [Ports-1:0] probe_seen_o,
    output logic [Ports-1:0] accepted_o,
    output logic [Ports-1:0] received_first_o,
    output logic [Ports-1:0] received_tail_o,
    output logic [Ports*Width-1:0] probe_o,
    output logic [Ports-1:0] serialised_o,
    output logic [Ports-1:0] report_o,
    output logic moving_o
);
  ecube_parameters #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Key(ecube_pkg::PortBits + ecube_pkg::SequenceBits),
      .Time(Time),
      .Worms(Worms),
      .Buffer(Buffer)
  ) parameters ();

  /* verilator hier_block */
  logic [Ports*Width-1:0] inject_wire, eject_wire;
  logic [Ports-1:0] inject_acknowledge, eject_acknowledge;
  logic [Ports-1:0] port_moving;
  logic router_moving;

  genvar p;

  if (Worms == 0) begin : g_circuits
    logic [Ports-1:0] sending, late;

    ecube_router #(
        .Dim(Dim),
        .Ports(Ports),
        .Width(Width),
        .Time(Time)
    ) router (
        .clk_i,
        .rst_i,
        .route_delay_i,
        .wire_i({inject_wire, wire_i}),
        .acknowledge_o({inject_acknowledge, acknowledge_o}),
        .wire_o({eject_wire, wire_o}),
        .acknowledge_i({eject_acknowledge, acknowledge_i}),
        .granted_o,
        .released_o,
        .refused_o,
        .owners_o,
        .asking_o,
        .moving_o(router_moving)
    );

    for (p = 0; p < Ports; p++) begin : g_port
      ecube_interface_port #(
          .Dim(Dim),
          .Ports(Ports),
          .Width(Width),
          .Time(Time)
      ) port (
          .clk_i,
          .rst_i,
          .node_i,
          .number_i(ecube_pkg::PortBits'(p)),
          .phit_cycles_i,
          .phit_extra_num_i,
          .phit_extra_den_i,
          .accept_delay_i,
          .setup_i,
          .together_only_i,
          .together_i,
          .start_i(start_i[p]),
          .route_i(route_i[p*Dim+:Dim]),
          .sequence_i(sequence_i[p*ecube_pkg::SequenceBits+:ecube_pkg::SequenceBits]),
          .phits_i(phits_i[p*Time+:Time]),
          .wire_o(inject_wire[p*Width+:Width]),
          .acknowledge_i(inject_acknowledge[p]),
          .wire_i(eject_wire[p*Width+:Width]),
          .acknowledge_o(eject_acknowledge[p]),
          .engine_i(engine_i[p]),
          .sending_ports_i(sending),
          .late_ports_i(late),
          .sending_o(sending[p]),
          .late_o(late[p]),
          .serialised_o(serialised_o[p]),
          .sent_first_o(sent_first_o[p]),
          .sent_tail_o(sent_tail_o[p]),
          .sent_o(sent_o[p]),
          .probe_seen_o(probe_seen_o[p]),
          .accepted_o(accepted_o[p]),
          .received_first_o(received_first_o[p]),
          .received_tail_o(received_tail_o[p]),
          .probe_o(probe_o[p*Width+:Width]),
          .report_o(report_o[p]),
          .moving_o(port_moving[p])
      );
    end
  end else begin : g_worms
    // For circuits only; links of worms take whole cycles for a phit.
    logic unused_circuits;
    assign unused_circuits =
        &{1'b0, phit_extra_num_i, phit_extra_den_i, setup_i, together_only_i, together_i};
    assign serialised_o = '0;

    ecube_worm_router #(
        .Dim(Dim),
        .Ports(Ports),
        .Width(Width),
        .Time(Time),
        .Buffer(Buffer)
    ) router (
        .clk_i,
        .rst_i,
        .route_delay_i,
        .phit_cycles_i,
        .wire_i({inject_wire, wire_i}),
        .acknowledge_o({inject_acknowledge, acknowledge_o}),
        .wire_o({eject_wire, wire_o}),
        .acknowledge_i({eject_acknowledge, acknowledge_i}),
        .granted_o,
        .released_o,
        .refused_o,
        .owners_o,
        .asking_o,
        .moving_o(router_moving)
    );

    for (p = 0; p < Ports; p++) begin : g_port
      ecube_worm_port #(
          .Dim(Dim),
          .Width(Width),
          .Time(Time),
          .Buffer(Buffer)
      ) port (
          .clk_i,
          .rst_i,
          .node_i,
          .number_i(ecube_pkg::PortBits'(p)),
          .phit_cycles_i,
          .accept_delay_i,
          .start_i(start_i[p]),
          .route_i(route_i[p*Dim+:Dim]),
          .sequence_i(sequence_i[p*ecube_pkg::SequenceBits+:ecube_pkg::SequenceBits]),
          .phits_i(phits_i[p*Time+:Time]),
          .wire_o(inject_wire[p*Width+:Width]),
          .acknowledge_i(inject_acknowledge[p]),
          .wire_i(eject_wire[p*Width+:Width]),
          .acknowledge_o(eject_acknowledge[p]),
          .engine_i(engine_i[p]),
          .sent_first_o(sent_first_o[p]),
          .sent_tail_o(sent_tail_o[p]),
          .sent_o(sent_o[p]),
          .probe_seen_o(probe_seen_o[p]),
          .accepted_o(accepted_o[p]),
          .received_first_o(received_first_o[p]),
          .received_tail_o(received_tail_o[p]),
          .probe_o(probe_o[p*Width+:Width]),
          .report_o(report_o[p]),
          .moving_o(port_moving[p])
      );
    end
  end

  assign moving_o = router_moving || port_moving != '0;
endmodule
