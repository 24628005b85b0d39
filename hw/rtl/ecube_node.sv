// SPDX-License-Identifier: Apache-2.0
// One node's part of the network: its router and the ports of its network interface, as a hw/clocked node connects
// them. Its label is an input: all nodes are the same.
module ecube_node #(
    parameter int DIM = 3,
    parameter int PORTS = 1,
    parameter int WIDTH = 2 * DIM + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int TIME = 32,
    parameter int WORMS = 0,  // 1: wormhole switching, acknowledges carry stops
    parameter int BUFFER = 1  // words of a buffer of worms
) (
    input logic clk_i,
    input logic rst_i,
    input logic [DIM-1:0] node_i,

    input logic [TIME-1:0] route_delay_i,
    input logic [TIME-1:0] accept_delay_i,
    input logic [TIME-1:0] phit_cycles_i,
    input logic [TIME-1:0] phit_extra_num_i,
    input logic [TIME-1:0] phit_extra_den_i,
    input logic [TIME-1:0] setup_i,
    input logic together_only_i,
    input logic [TIME-1:0] together_i,

    // [port]
    input logic [PORTS-1:0] start_i,
    input logic [PORTS*DIM-1:0] route_i,
    input logic [PORTS*ecube_pkg::SequenceBits-1:0] sequence_i,
    input logic [PORTS*TIME-1:0] phits_i,
    input logic [PORTS-1:0] engine_i,

    // [dimension]
    input logic [DIM*WIDTH-1:0] wire_i,
    output logic [DIM-1:0] acknowledge_o,
    output logic [DIM*WIDTH-1:0] wire_o,
    input logic [DIM-1:0] acknowledge_i,

    output logic [DIM+PORTS-1:0] granted_o,
    output logic [DIM+PORTS-1:0] released_o,
    output logic [DIM+PORTS-1:0] refused_o,
    output logic [(DIM+PORTS)*(DIM+PORTS)-1:0] owners_o,
    output logic [(DIM+PORTS)*(DIM+PORTS)-1:0] asking_o,
    output logic [PORTS-1:0] sent_first_o,
    output logic [PORTS-1:0] sent_tail_o,
    output logic [PORTS-1:0] sent_o,
    output logic [PORTS-1:0] probe_seen_o,
    output logic [PORTS-1:0] accepted_o,
    output logic [PORTS-1:0] received_first_o,
    output logic [PORTS-1:0] received_tail_o,
    output logic [PORTS*WIDTH-1:0] probe_o,
    output logic [PORTS-1:0] serialised_o,
    output logic [PORTS-1:0] report_o,
    output logic moving_o
);
  if (DIM < 1 || DIM > ecube_pkg::MostDimensions) begin : g_refuse_dim
    `ECUBE_REFUSE("ecube_node: DIM has to be 1 to 6");
  end
  if (PORTS != 1 && PORTS != DIM) begin : g_refuse_ports
    `ECUBE_REFUSE("ecube_node: PORTS has to be 1 or DIM");
  end
  if (WIDTH < 2 * DIM + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2) begin : g_refuse_width
    `ECUBE_REFUSE("ecube_node: WIDTH has to be 2 DIM + 21 at least, the bits of a probe");
  end
  if (TIME < 2 || TIME > 32) begin : g_refuse_time
    `ECUBE_REFUSE("ecube_node: TIME has to be 2 to 32");
  end
  if (WORMS != 0 && WORMS != 1) begin : g_refuse_worms
    `ECUBE_REFUSE("ecube_node: WORMS has to be 0 or 1");
  end
  if (BUFFER < 1 || BUFFER > ecube_pkg::MostWords) begin : g_refuse_buffer
    `ECUBE_REFUSE("ecube_node: BUFFER has to be 1 to 8");
  end

  /* verilator hier_block */
  logic [PORTS*WIDTH-1:0] inject_wire, eject_wire;
  logic [PORTS-1:0] inject_acknowledge, eject_acknowledge;
  logic [PORTS-1:0] port_moving;
  logic router_moving;

  genvar p;

  if (WORMS == 0) begin : g_circuits
    logic [PORTS-1:0] sending, late;

    ecube_router #(
        .DIM(DIM),
        .PORTS(PORTS),
        .WIDTH(WIDTH),
        .TIME(TIME)
    ) router (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .route_delay_i(route_delay_i),
        .wire_i({inject_wire, wire_i}),
        .acknowledge_o({inject_acknowledge, acknowledge_o}),
        .wire_o({eject_wire, wire_o}),
        .acknowledge_i({eject_acknowledge, acknowledge_i}),
        .granted_o(granted_o),
        .released_o(released_o),
        .refused_o(refused_o),
        .owners_o(owners_o),
        .asking_o(asking_o),
        .moving_o(router_moving)
    );

    for (p = 0; p < PORTS; p++) begin : g_port
      ecube_interface_port #(
          .DIM(DIM),
          .PORTS(PORTS),
          .WIDTH(WIDTH),
          .TIME(TIME)
      ) port (
          .clk_i(clk_i),
          .rst_i(rst_i),
          .node_i(node_i),
          .number_i(ecube_pkg::PortBits'(p)),
          .phit_cycles_i(phit_cycles_i),
          .phit_extra_num_i(phit_extra_num_i),
          .phit_extra_den_i(phit_extra_den_i),
          .accept_delay_i(accept_delay_i),
          .setup_i(setup_i),
          .together_only_i(together_only_i),
          .together_i(together_i),
          .start_i(start_i[p]),
          .route_i(route_i[p*DIM+:DIM]),
          .sequence_i(sequence_i[p*ecube_pkg::SequenceBits+:ecube_pkg::SequenceBits]),
          .phits_i(phits_i[p*TIME+:TIME]),
          .wire_o(inject_wire[p*WIDTH+:WIDTH]),
          .acknowledge_i(inject_acknowledge[p]),
          .wire_i(eject_wire[p*WIDTH+:WIDTH]),
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
          .probe_o(probe_o[p*WIDTH+:WIDTH]),
          .report_o(report_o[p]),
          .moving_o(port_moving[p])
      );
    end
  end else begin : g_worms
    // For circuits only; links of worms take whole cycles for a phit.
    logic unused_circuits;
    assign unused_circuits = &{1'b0, phit_extra_num_i, phit_extra_den_i, setup_i, together_only_i, together_i};
    assign serialised_o = '0;

    ecube_worm_router #(
        .DIM(DIM),
        .PORTS(PORTS),
        .WIDTH(WIDTH),
        .TIME(TIME),
        .BUFFER(BUFFER)
    ) router (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .route_delay_i(route_delay_i),
        .phit_cycles_i(phit_cycles_i),
        .wire_i({inject_wire, wire_i}),
        .acknowledge_o({inject_acknowledge, acknowledge_o}),
        .wire_o({eject_wire, wire_o}),
        .acknowledge_i({eject_acknowledge, acknowledge_i}),
        .granted_o(granted_o),
        .released_o(released_o),
        .refused_o(refused_o),
        .owners_o(owners_o),
        .asking_o(asking_o),
        .moving_o(router_moving)
    );

    for (p = 0; p < PORTS; p++) begin : g_port
      ecube_worm_port #(
          .DIM(DIM),
          .WIDTH(WIDTH),
          .TIME(TIME),
          .BUFFER(BUFFER)
      ) port (
          .clk_i(clk_i),
          .rst_i(rst_i),
          .node_i(node_i),
          .number_i(ecube_pkg::PortBits'(p)),
          .phit_cycles_i(phit_cycles_i),
          .accept_delay_i(accept_delay_i),
          .start_i(start_i[p]),
          .route_i(route_i[p*DIM+:DIM]),
          .sequence_i(sequence_i[p*ecube_pkg::SequenceBits+:ecube_pkg::SequenceBits]),
          .phits_i(phits_i[p*TIME+:TIME]),
          .wire_o(inject_wire[p*WIDTH+:WIDTH]),
          .acknowledge_i(inject_acknowledge[p]),
          .wire_i(eject_wire[p*WIDTH+:WIDTH]),
          .acknowledge_o(eject_acknowledge[p]),
          .engine_i(engine_i[p]),
          .sent_first_o(sent_first_o[p]),
          .sent_tail_o(sent_tail_o[p]),
          .sent_o(sent_o[p]),
          .probe_seen_o(probe_seen_o[p]),
          .accepted_o(accepted_o[p]),
          .received_first_o(received_first_o[p]),
          .received_tail_o(received_tail_o[p]),
          .probe_o(probe_o[p*WIDTH+:WIDTH]),
          .report_o(report_o[p]),
          .moving_o(port_moving[p])
      );
    end
  end

  assign moving_o = router_moving || port_moving != '0;
endmodule
