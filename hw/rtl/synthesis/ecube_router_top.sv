// SPDX-License-Identifier: Apache-2.0
// A router between registers, to measure how fast it is when it is placed and routed: every input comes from a register
// and every output goes to one. A bit comes in and a bit goes out at an edge, as no package has pins enough.
module ecube_router_top #(
    parameter int DIM = 3,
    parameter int PORTS = 1,
    parameter int WIDTH = 2 * DIM + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int TIME = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic bit_i,
    input logic load_i,  // the outputs go into the register that shifts them out
    output logic bit_o
);
  logic [TIME-1:0] route_delay_i;
  logic [(DIM+PORTS)*WIDTH-1:0] wire_i;
  logic [DIM+PORTS-1:0] acknowledge_i;
  logic [DIM+PORTS-1:0] acknowledge_o;
  logic [(DIM+PORTS)*WIDTH-1:0] wire_o;
  logic [DIM+PORTS-1:0] granted_o;
  logic [DIM+PORTS-1:0] released_o;
  logic [DIM+PORTS-1:0] refused_o;
  logic [(DIM+PORTS)*(DIM+PORTS)-1:0] owners_o;
  logic [(DIM+PORTS)*(DIM+PORTS)-1:0] asking_o;
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
      .DIM(DIM),
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .TIME(TIME)
  ) part (
      .clk_i(clk_i),
      .rst_i(reset_q),
      .route_delay_i(route_delay_i),
      .wire_i(wire_i),
      .acknowledge_i(acknowledge_i),
      .acknowledge_o(acknowledge_o),
      .wire_o(wire_o),
      .granted_o(granted_o),
      .released_o(released_o),
      .refused_o(refused_o),
      .owners_o(owners_o),
      .asking_o(asking_o),
      .moving_o(moving_o)
  );
endmodule
