// SPDX-License-Identifier: Apache-2.0
// The fabric of a hypercube: 2^DIM nodes, each linked by its port i to the node whose label differs in bit i. Signals
// of nodes and ports are packed, lowest node first, within a node lowest port first.
module ecube_fabric #(
    parameter int DIM = 3,
    parameter int PORTS = 1,  // 1 or DIM
    parameter int WIDTH = 2 * DIM + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int TIME = 32,  // bits of a count of cycles or phits_i
    parameter int WORMS = 0,  // 1: wormhole switching
    parameter int BUFFER = 1  // words of a buffer of worms
) (
    input logic clk_i,
    input logic rst_i,

    input logic [TIME-1:0] route_delay_i,
    input logic [TIME-1:0] accept_delay_i,
    input logic [TIME-1:0] phit_cycles_i,
    input logic [TIME-1:0] phit_extra_num_i,
    input logic [TIME-1:0] phit_extra_den_i,
    input logic [TIME-1:0] setup_i,
    input logic together_only_i,
    input logic [TIME-1:0] together_i,

    input logic [(1<<DIM)*PORTS-1:0] start_i,
    input logic [(1<<DIM)*PORTS*DIM-1:0] route_i,
    input logic [(1<<DIM)*PORTS*ecube_pkg::SequenceBits-1:0] sequence_i,
    input logic [(1<<DIM)*PORTS*TIME-1:0] phits_i,
    input logic [(1<<DIM)*PORTS-1:0] engine_i,

    output logic [(1<<DIM)*(DIM+PORTS)-1:0] granted_o,
    output logic [(1<<DIM)*(DIM+PORTS)-1:0] released_o,
    output logic [(1<<DIM)*(DIM+PORTS)-1:0] refused_o,
    output logic [(1<<DIM)*(DIM+PORTS)*(DIM+PORTS)-1:0] owners_o,
    output logic [(1<<DIM)*(DIM+PORTS)*(DIM+PORTS)-1:0] asking_o,
    output logic [(1<<DIM)*PORTS-1:0] sent_first_o,
    output logic [(1<<DIM)*PORTS-1:0] sent_tail_o,
    output logic [(1<<DIM)*PORTS-1:0] sent_o,
    output logic [(1<<DIM)*PORTS-1:0] probe_seen_o,
    output logic [(1<<DIM)*PORTS-1:0] accepted_o,
    output logic [(1<<DIM)*PORTS-1:0] received_first_o,
    output logic [(1<<DIM)*PORTS-1:0] received_tail_o,
    output logic [(1<<DIM)*PORTS*WIDTH-1:0] probe_o,
    output logic [(1<<DIM)*PORTS-1:0] serialised_o,
    output logic [(1<<DIM)*PORTS-1:0] report_o,
    output logic moving_o
);
  if (DIM < 1 || DIM > ecube_pkg::MostDimensions) begin : g_refuse_dim
    `ECUBE_REFUSE("ecube_fabric: DIM has to be 1 to 6");
  end
  if (PORTS != 1 && PORTS != DIM) begin : g_refuse_ports
    `ECUBE_REFUSE("ecube_fabric: PORTS has to be 1 or DIM");
  end
  if (WIDTH < 2 * DIM + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2) begin : g_refuse_width
    `ECUBE_REFUSE("ecube_fabric: WIDTH has to be 2 DIM + 21 at least, the bits of a probe");
  end
  if (TIME < 2 || TIME > 32) begin : g_refuse_time
    `ECUBE_REFUSE("ecube_fabric: TIME has to be 2 to 32");
  end
  if (WORMS != 0 && WORMS != 1) begin : g_refuse_worms
    `ECUBE_REFUSE("ecube_fabric: WORMS has to be 0 or 1");
  end
  if (BUFFER < 1 || BUFFER > ecube_pkg::MostWords) begin : g_refuse_buffer
    `ECUBE_REFUSE("ecube_fabric: BUFFER has to be 1 to 8");
  end

  localparam int Nodes = 1 << DIM;
  localparam int N = DIM + PORTS;

  logic [Nodes*DIM*WIDTH-1:0] wires;  // [node][dimension] it leaves by
  logic [Nodes*DIM-1:0] acknowledges;  // [node][dimension] it leaves by
  logic [Nodes-1:0] node_moving;

  for (genvar n = 0; n < Nodes; n++) begin : g_node
    logic [DIM*WIDTH-1:0] wire_in;
    logic [DIM-1:0] acknowledge_in;

    for (genvar i = 0; i < DIM; i++) begin : g_dimension
      localparam int Link = (n ^ (1 << i)) * DIM + i;
      assign wire_in[i*WIDTH+:WIDTH] = wires[Link*WIDTH+:WIDTH];
      assign acknowledge_in[i] = acknowledges[Link];
    end

    ecube_node #(
        .DIM(DIM),
        .PORTS(PORTS),
        .WIDTH(WIDTH),
        .TIME(TIME),
        .WORMS(WORMS),
        .BUFFER(BUFFER)
    ) part (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .node_i(DIM'(n)),
        .route_delay_i(route_delay_i),
        .accept_delay_i(accept_delay_i),
        .phit_cycles_i(phit_cycles_i),
        .phit_extra_num_i(phit_extra_num_i),
        .phit_extra_den_i(phit_extra_den_i),
        .setup_i(setup_i),
        .together_only_i(together_only_i),
        .together_i(together_i),
        .start_i(start_i[n*PORTS+:PORTS]),
        .route_i(route_i[n*PORTS*DIM+:PORTS*DIM]),
        .sequence_i(sequence_i[n*PORTS*ecube_pkg::SequenceBits+:PORTS*ecube_pkg::SequenceBits]),
        .phits_i(phits_i[n*PORTS*TIME+:PORTS*TIME]),
        .engine_i(engine_i[n*PORTS+:PORTS]),
        .wire_i(wire_in),
        .acknowledge_o(acknowledges[n*DIM+:DIM]),
        .wire_o(wires[n*DIM*WIDTH+:DIM*WIDTH]),
        .acknowledge_i(acknowledge_in),
        .granted_o(granted_o[n*N+:N]),
        .released_o(released_o[n*N+:N]),
        .refused_o(refused_o[n*N+:N]),
        .owners_o(owners_o[n*N*N+:N*N]),
        .asking_o(asking_o[n*N*N+:N*N]),
        .sent_first_o(sent_first_o[n*PORTS+:PORTS]),
        .sent_tail_o(sent_tail_o[n*PORTS+:PORTS]),
        .sent_o(sent_o[n*PORTS+:PORTS]),
        .probe_seen_o(probe_seen_o[n*PORTS+:PORTS]),
        .accepted_o(accepted_o[n*PORTS+:PORTS]),
        .received_first_o(received_first_o[n*PORTS+:PORTS]),
        .received_tail_o(received_tail_o[n*PORTS+:PORTS]),
        .probe_o(probe_o[n*PORTS*WIDTH+:PORTS*WIDTH]),
        .serialised_o(serialised_o[n*PORTS+:PORTS]),
        .report_o(report_o[n*PORTS+:PORTS]),
        .moving_o(node_moving[n])
    );
  end

  assign moving_o = node_moving != '0;
endmodule
