// SPDX-License-Identifier: Apache-2.0
// The fabric of a hypercube: 2^DIM nodes, each linked to the one whose label differs in bit i by its port i. Everything
// that belongs to a node or to one of its ports is packed, lowest node first, within a node lowest port first.
module ecube_fabric #(
    parameter int DIM = 3,
    parameter int PORTS = 1,  // 1 or DIM
    parameter int WIDTH = 2 * DIM + 2,  // of a wire: a probe has to fit; what a phit carries sets time only
    parameter int TIME = 32,  // bits of a count of cycles or phits
    parameter int WORMS = 0,  // 1: wormhole switching
    parameter int BUFFER = 1  // words of a buffer of worms
) (
    input logic clk,
    input logic reset,

    input logic [TIME-1:0] route_delay,
    input logic [TIME-1:0] accept_delay,
    input logic [TIME-1:0] phit_cycles,
    input logic [TIME-1:0] phit_extra_num,
    input logic [TIME-1:0] phit_extra_den,
    input logic [TIME-1:0] setup,
    input logic together_only,
    input logic [TIME-1:0] together,

    input logic [(1<<DIM)*PORTS-1:0] start,
    input logic [(1<<DIM)*PORTS*DIM-1:0] route,
    input logic [(1<<DIM)*PORTS*TIME-1:0] phits,

    output logic [(1<<DIM)*(DIM+PORTS)-1:0] granted,
    output logic [(1<<DIM)*(DIM+PORTS)-1:0] released,
    output logic [(1<<DIM)*(DIM+PORTS)-1:0] refused,
    output logic [(1<<DIM)*(DIM+PORTS)*(DIM+PORTS)-1:0] owners,
    output logic [(1<<DIM)*(DIM+PORTS)*(DIM+PORTS)-1:0] asking,
    output logic [(1<<DIM)*PORTS-1:0] sent_first,
    output logic [(1<<DIM)*PORTS-1:0] sent_tail,
    output logic [(1<<DIM)*PORTS-1:0] sent,
    output logic [(1<<DIM)*PORTS-1:0] probe_seen,
    output logic [(1<<DIM)*PORTS-1:0] acknowledged,
    output logic [(1<<DIM)*PORTS-1:0] received_first,
    output logic [(1<<DIM)*PORTS-1:0] received_tail,
    output logic moving
);
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
        .clk(clk),
        .reset(reset),
        .node(DIM'(n)),
        .route_delay(route_delay),
        .accept_delay(accept_delay),
        .phit_cycles(phit_cycles),
        .phit_extra_num(phit_extra_num),
        .phit_extra_den(phit_extra_den),
        .setup(setup),
        .together_only(together_only),
        .together(together),
        .start(start[n*PORTS+:PORTS]),
        .route(route[n*PORTS*DIM+:PORTS*DIM]),
        .phits(phits[n*PORTS*TIME+:PORTS*TIME]),
        .wire_in(wire_in),
        .acknowledge_out(acknowledges[n*DIM+:DIM]),
        .wire_out(wires[n*DIM*WIDTH+:DIM*WIDTH]),
        .acknowledge_in(acknowledge_in),
        .granted(granted[n*N+:N]),
        .released(released[n*N+:N]),
        .refused(refused[n*N+:N]),
        .owners(owners[n*N*N+:N*N]),
        .asking(asking[n*N*N+:N*N]),
        .sent_first(sent_first[n*PORTS+:PORTS]),
        .sent_tail(sent_tail[n*PORTS+:PORTS]),
        .sent(sent[n*PORTS+:PORTS]),
        .probe_seen(probe_seen[n*PORTS+:PORTS]),
        .acknowledged(acknowledged[n*PORTS+:PORTS]),
        .received_first(received_first[n*PORTS+:PORTS]),
        .received_tail(received_tail[n*PORTS+:PORTS]),
        .moving(node_moving[n])
    );
  end

  assign moving = node_moving != '0;
endmodule
