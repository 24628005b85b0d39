// SPDX-License-Identifier: Apache-2.0
// For proofs: a router for circuits, whatever is in it, between neighbours that keep the rules.
module ecube_own_router #(
    parameter int Dim = 2,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + 2,
    parameter int Time = 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,
    input logic [(Dim+Ports)*Width-1:0] wire_i,
    input logic [Dim+Ports-1:0] acknowledge_i
);
  localparam int N = Dim + Ports;

  logic [N-1:0] acknowledged, granted, released, refused;
  logic [N*Width-1:0] driven;
  logic [N*N-1:0] owners, asking;
  logic moving;

  ecube_router #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) router (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .route_delay_i(route_delay_i),
      .wire_i(wire_i),
      .acknowledge_o(acknowledged),
      .wire_o(driven),
      .acknowledge_i(acknowledge_i),
      .granted_o(granted),
      .released_o(released),
      .refused_o(refused),
      .owners_o(owners),
      .asking_o(asking),
      .moving_o(moving)
  );

  ecube_router_pins #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) pins (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .route_delay_i(route_delay_i),
      .wire_i(wire_i),
      .acknowledged_i(acknowledged),
      .driven_i(driven),
      .acknowledge_i(acknowledge_i),
      .granted_i(granted),
      .released_i(released),
      .refused_i(refused),
      .owners_i(owners),
      .asking_i(asking),
      .moving_i(moving)
  );

  // The first cycle resets; the route delay is constant in a run.
  logic started;
  initial started = 1'b0;
  logic [Time-1:0] route_delay;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    route_delay <= rst_i ? '0 : route_delay_i;
    assume (started != rst_i);
    assume (route_delay_i != '0);
    assume (route_delay == '0 || route_delay == route_delay_i);
  end
endmodule
