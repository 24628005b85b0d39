// SPDX-License-Identifier: Apache-2.0
// A router between registers, to measure how fast it is when it is placed and routed: every input
// comes from a register and every output goes to one. One bit is shifted in and one out at an
// edge, because no package has pins enough.
module ecube_router_top #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic bit_i,
    input logic load_i,  // the outputs go into the register that shifts them out
    output logic bit_o
);
  logic [Time-1:0] route_delay_i;
  logic [(Dim+Ports)*Width-1:0] wire_i;
  logic [Dim+Ports-1:0] acknowledge_i;
  logic [Dim+Ports-1:0] acknowledge_o;
  logic [(Dim+Ports)*Width-1:0] wire_o;
  logic [Dim+Ports-1:0] granted_o;
  logic [Dim+Ports-1:0] released_o;
  logic [Dim+Ports-1:0] refused_o;
  logic [(Dim+Ports)*(Dim+Ports)-1:0] owners_o;
  logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_o;
  logic moving_o;

  localparam int Inputs = $bits({
      route_delay_i, wire_i, acknowledge_i
  });
  localparam int Outputs = $bits({
      acknowledge_o, wire_o, granted_o, released_o, refused_o, owners_o, asking_o, moving_o
  });

  logic [Inputs-1:0] inputs_q;
  logic [Outputs-1:0] outputs_q, shifted_q;
  logic reset_q, load_q;

  assign {
      route_delay_i, wire_i, acknowledge_i
  } = inputs_q;
  assign bit_o = shifted_q[Outputs-1];

  always_ff @(posedge clk_i) begin
    reset_q <= rst_i;
    load_q <= load_i;
    inputs_q <= {inputs_q[Inputs-2:0], bit_i};
    outputs_q <= {
      acknowledge_o, wire_o, granted_o, released_o, refused_o, owners_o, asking_o, moving_o
  };
    shifted_q <= load_q ? outputs_q : {shifted_q[Outputs-2:0], 1'b0};
  end

  ecube_router #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) part (
      .rst_i(reset_q),
      .*
  );
endmodule
