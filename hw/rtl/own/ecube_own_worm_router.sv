// SPDX-License-Identifier: Apache-2.0
// For proofs: a router for worms, whatever is in it, between neighbours that keep the rules.
module ecube_own_worm_router #(
    parameter int Dim = 2,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + 2,
    parameter int Time = 2,
    parameter int Buffer = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,
    input logic [Time-1:0] phit_cycles_i,
    input logic [(Dim+Ports)*Width-1:0] wire_i,
    input logic [Dim+Ports-1:0] stopped_i
);
  localparam int N = Dim + Ports;

  logic [N-1:0] stop, granted, released, refused;
  logic [N*Width-1:0] driven;
  logic [N*N-1:0] owners, asking;
  logic moving;

  ecube_worm_router #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
  ) router (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .route_delay_i(route_delay_i),
      .phit_cycles_i(phit_cycles_i),
      .wire_i(wire_i),
      .acknowledge_o(stop),
      .wire_o(driven),
      .acknowledge_i(stopped_i),
      .granted_o(granted),
      .released_o(released),
      .refused_o(refused),
      .owners_o(owners),
      .asking_o(asking),
      .moving_o(moving)
  );

  ecube_worm_pins #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
  ) pins (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .route_delay_i(route_delay_i),
      .phit_cycles_i(phit_cycles_i),
      .wire_i(wire_i),
      .stop_i(stop),
      .driven_i(driven),
      .stopped_i(stopped_i),
      .granted_i(granted),
      .released_i(released),
      .refused_i(refused),
      .owners_i(owners),
      .asking_i(asking),
      .moving_i(moving)
  );

  // The first cycle resets; delays are constant in a run, and a link needs two cycles for a phit at least.
  logic started;
  initial started = 1'b0;
  logic [Time-1:0] route_delay, phit_cycles;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    route_delay <= rst_i ? '0 : route_delay_i;
    phit_cycles <= rst_i ? '0 : phit_cycles_i;
    assume (started != rst_i);
    assume (route_delay_i != '0 && phit_cycles_i > Time'(1));
    assume (route_delay == '0 || (route_delay == route_delay_i && phit_cycles == phit_cycles_i));
  end
endmodule
