// SPDX-License-Identifier: Apache-2.0
// A node between registers, to measure how fast it is when it is placed and routed: every input
// comes from a register and every output goes to one. One bit is shifted in and one out at an
// edge, because no package has pins enough.
module ecube_node_top #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32,
    parameter int Worms = 0,
    parameter int Buffer = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic bit_i,
    input logic load_i,  // the outputs go into the register that shifts them out
    output logic bit_o
);
  logic [Dim-1:0] node_i;
  logic [Time-1:0] route_delay_i;
  logic [Time-1:0] accept_delay_i;
  logic [Time-1:0] phit_cycles_i;
  logic [Time-1:0] phit_extra_num_i;
  logic [Time-1:0] phit_extra_den_i;
  logic [Time-1:0] setup_i;
  logic together_only_i;
  logic [Time-1:0] together_i;
  logic [Ports-1:0] start_i;
  logic [Ports*Dim-1:0] route_i;
  logic [Ports*ecube_pkg::SequenceBits-1:0] sequence_i;
  logic [Ports*Time-1:0] phits_i;
  logic [Ports-1:0] engine_i;
  logic [Dim*Width-1:0] wire_i;
  logic [Dim-1:0] acknowledge_i;
  logic [Dim-1:0] acknowledge_o;
  logic [Dim*Width-1:0] wire_o;
  logic [Dim+Ports-1:0] granted_o;
  logic [Dim+Ports-1:0] released_o;
  logic [Dim+Ports-1:0] refused_o;
  logic [(Dim+Ports)*(Dim+Ports)-1:0] owners_o;
  logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_o;
  logic [Ports-1:0] sent_first_o;
  logic [Ports-1:0] sent_tail_o;
  logic [Ports-1:0] sent_o;
  logic [Ports-1:0] probe_seen_o;
  logic [Ports-1:0] accepted_o;
  logic [Ports-1:0] received_first_o;
  logic [Ports-1:0] received_tail_o;
  logic [Ports*Width-1:0] probe_o;
  logic [Ports-1:0] serialised_o;
  logic [Ports-1:0] report_o;
  logic moving_o;

  localparam int Inputs = $bits({
      node_i, route_delay_i, accept_delay_i, phit_cycles_i, phit_extra_num_i, phit_extra_den_i,
      setup_i, together_only_i, together_i, start_i, route_i, sequence_i, phits_i, engine_i,
      wire_i, acknowledge_i
  });
  localparam int Outputs = $bits({
      acknowledge_o, wire_o, granted_o, released_o, refused_o, owners_o, asking_o, sent_first_o,
      sent_tail_o, sent_o, probe_seen_o, accepted_o, received_first_o, received_tail_o, probe_o,
      serialised_o, report_o, moving_o
  });

  logic [Inputs-1:0] inputs_q;
  logic [Outputs-1:0] outputs_q, shifted_q;
  logic reset_q, load_q;

  assign {
      node_i, route_delay_i, accept_delay_i, phit_cycles_i, phit_extra_num_i, phit_extra_den_i,
      setup_i, together_only_i, together_i, start_i, route_i, sequence_i, phits_i, engine_i,
      wire_i, acknowledge_i
  } = inputs_q;
  assign bit_o = shifted_q[Outputs-1];

  always_ff @(posedge clk_i) begin
    reset_q <= rst_i;
    load_q <= load_i;
    inputs_q <= {inputs_q[Inputs-2:0], bit_i};
    outputs_q <= {
      acknowledge_o, wire_o, granted_o, released_o, refused_o, owners_o, asking_o, sent_first_o,
      sent_tail_o, sent_o, probe_seen_o, accepted_o, received_first_o, received_tail_o, probe_o,
      serialised_o, report_o, moving_o
  };
    shifted_q <= load_q ? outputs_q : {shifted_q[Outputs-2:0], 1'b0};
  end

  ecube_node #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time),
      .Worms(Worms),
      .Buffer(Buffer)
  ) part (
      .rst_i(reset_q),
      .*
  );
endmodule
