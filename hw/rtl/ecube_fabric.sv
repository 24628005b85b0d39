// SPDX-License-Identifier: Apache-2.0
// The fabric of a hypercube: 2^Dim nodes, each linked by its port i to the node whose label differs
// in bit i. Signals of nodes and ports are packed, lowest node first, within a node lowest port
// first.
module ecube_fabric #(
    parameter int Dim = 3,
    parameter int Ports = 1,  // 1 or Dim
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32,  // bits of a count of cycles or phits_i
    parameter int Worms = 0,  // 1: wormhole switching
    parameter int Buffer = 1  // flits of a buffer of worms
) (
    input logic clk_i,
    input logic rst_i,

    input logic [Time-1:0] route_delay_i,
    input logic [Time-1:0] accept_delay_i,
    input logic [Time-1:0] phit_cycles_i,
    input logic [Time-1:0] phit_extra_num_i,
    input logic [Time-1:0] phit_extra_den_i,
    input logic [Time-1:0] setup_i,
    input logic together_only_i,
    input logic [Time-1:0] together_i,

    input logic [(1<<Dim)*Ports-1:0] start_i,
    input logic [(1<<Dim)*Ports*Dim-1:0] route_i,
    input logic [(1<<Dim)*Ports*ecube_pkg::SequenceBits-1:0] sequence_i,
    input logic [(1<<Dim)*Ports*Time-1:0] phits_i,
    input logic [(1<<Dim)*Ports-1:0] engine_i,

    output logic [(1<<Dim)*(Dim+Ports)-1:0] granted_o,
    output logic [(1<<Dim)*(Dim+Ports)-1:0] released_o,
    output logic [(1<<Dim)*(Dim+Ports)-1:0] refused_o,
    output logic [(1<<Dim)*(Dim+Ports)*(Dim+Ports)-1:0] owners_o,
    output logic [(1<<Dim)*(Dim+Ports)*(Dim+Ports)-1:0] asking_o,
    output logic [(1<<Dim)*Ports-1:0] sent_first_o,
    output logic [(1<<Dim)*Ports-1:0] sent_tail_o,
    output logic [(1<<Dim)*Ports-1:0] sent_o,
    output logic [(1<<Dim)*Ports-1:0] probe_seen_o,
    output logic [(1<<Dim)*Ports-1:0] accepted_o,
    output logic [(1<<Dim)*Ports-1:0] received_first_o,
    output logic [(1<<Dim)*Ports-1:0] received_tail_o,
    output logic [(1<<Dim)*Ports*Width-1:0] probe_o,
    output logic [(1<<Dim)*Ports-1:0] serialised_o,
    output logic [(1<<Dim)*Ports-1:0] report_o,
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

  localparam int Nodes = 1 << Dim;
  localparam int N = Dim + Ports;

  logic [Nodes*Dim*Width-1:0] wires;  // [node][dimension] it leaves by
  logic [Nodes*Dim-1:0] acknowledges;  // [node][dimension] it leaves by
  logic [Nodes-1:0] node_moving;

  for (genvar n = 0; n < Nodes; n++) begin : g_node
    logic [Dim*Width-1:0] wire_in;
    logic [Dim-1:0] acknowledge_in;

    for (genvar i = 0; i < Dim; i++) begin : g_dimension
      localparam int Link = (n ^ (1 << i)) * Dim + i;
      assign wire_in[i*Width+:Width] = wires[Link*Width+:Width];
      assign acknowledge_in[i] = acknowledges[Link];
    end

    ecube_node #(
        .Dim(Dim),
        .Ports(Ports),
        .Width(Width),
        .Time(Time),
        .Worms(Worms),
        .Buffer(Buffer)
    ) part (
        .clk_i,
        .rst_i,
        .node_i(Dim'(n)),
        .route_delay_i,
        .accept_delay_i,
        .phit_cycles_i,
        .phit_extra_num_i,
        .phit_extra_den_i,
        .setup_i,
        .together_only_i,
        .together_i,
        .start_i(start_i[n*Ports+:Ports]),
        .route_i(route_i[n*Ports*Dim+:Ports*Dim]),
        .sequence_i(sequence_i[n*Ports*ecube_pkg::SequenceBits+:Ports*ecube_pkg::SequenceBits]),
        .phits_i(phits_i[n*Ports*Time+:Ports*Time]),
        .engine_i(engine_i[n*Ports+:Ports]),
        .wire_i(wire_in),
        .acknowledge_o(acknowledges[n*Dim+:Dim]),
        .wire_o(wires[n*Dim*Width+:Dim*Width]),
        .acknowledge_i(acknowledge_in),
        .granted_o(granted_o[n*N+:N]),
        .released_o(released_o[n*N+:N]),
        .refused_o(refused_o[n*N+:N]),
        .owners_o(owners_o[n*N*N+:N*N]),
        .asking_o(asking_o[n*N*N+:N*N]),
        .sent_first_o(sent_first_o[n*Ports+:Ports]),
        .sent_tail_o(sent_tail_o[n*Ports+:Ports]),
        .sent_o(sent_o[n*Ports+:Ports]),
        .probe_seen_o(probe_seen_o[n*Ports+:Ports]),
        .accepted_o(accepted_o[n*Ports+:Ports]),
        .received_first_o(received_first_o[n*Ports+:Ports]),
        .received_tail_o(received_tail_o[n*Ports+:Ports]),
        .probe_o(probe_o[n*Ports*Width+:Ports*Width]),
        .serialised_o(serialised_o[n*Ports+:Ports]),
        .report_o(report_o[n*Ports+:Ports]),
        .moving_o(node_moving[n])
    );
  end

  assign moving_o = node_moving != '0;
endmodule
