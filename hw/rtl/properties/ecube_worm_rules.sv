// SPDX-License-Identifier: Apache-2.0
// Every rule of hw/README.md that a router for worms obeys, applied to its wires, its reports, its
// grants and the phits that leave.
module ecube_worm_rules #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 8,
    parameter int Time = 32,
    parameter int Buffer = 1,
    parameter int Bits = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,
    input logic [Time-1:0] phit_cycles_i,
    input logic [(Dim+Ports)*Width-1:0] wire_i,
    input logic [Dim+Ports-1:0] stop_i,  // back along wire_i
    input logic [(Dim+Ports)*Width-1:0] driven_i,
    input logic [Dim+Ports-1:0] stopped_i,  // back along driven_i
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] grant_i,  // [output][input], at the edge to come
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] passing_i,  // [output][input], at the edge to come
    input logic [Dim+Ports-1:0] granted_i,
    input logic [Dim+Ports-1:0] released_i,
    input logic [Dim+Ports-1:0] refused_i,
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] owners_i,
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_i,
    input logic moving_i,

    // Outputs whose last tail has not left the buffer at their end.
    input logic [Dim+Ports-1:0] closing_i,
    // [output][input], pointers of arbiters.
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] at_or_after_i,
    // That keep their values while nothing moves, besides those of the pins.
    input logic [Bits-1:0] registers_i,

    // What was observed, for what is said of registers and neighbours.
    output logic [(Dim+Ports)*Buffer*Width-1:0] flits_o,
    output logic [(Dim+Ports)*$clog2(Buffer+2)-1:0] count_o,
    output logic [(Dim+Ports)*Time-1:0] age_o,
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] worm_o,
    output logic [(Dim+Ports)*Time-1:0] driven_ago_o
);
  localparam int N = Dim + Ports;
  localparam int Count = $clog2(Buffer + 2);

  logic [N*Width-1:0] oldest;  // [input] the flit that leaves next
  logic [N-1:0] busy, present, tails, waits;  // inputs
  logic [N-1:0] ready, free, ends, closing, ends_stop;  // outputs
  logic [N*Dim-1:0] routes;
  always_comb
    for (int i = 0; i < N; i++) begin
      busy[i] = wire_i[i*Width+Width-2+:2] != ecube_pkg::WireIdle;
      waits[i] =
          count_o[i*Count+:Count] != '0 && oldest[i*Width+Width-2+:2] == ecube_pkg::WireProbe;
      tails[i] = oldest[i*Width+Width-2+:2] == ecube_pkg::WireTail;
      routes[i*Dim+:Dim] = oldest[i*Width+:Dim];
    end
  for (genvar o = 0; o < N; o++) begin : g_output
    assign ready[o] = !stopped_i[o] && driven_ago_o[o*Time+:Time] >= phit_cycles_i;
    assign free[o] = worm_o[o*N+:N] == '0 && ready[o];
    assign ends[o] = (passing_i[o*N+:N] & tails) != '0;
  end
  always_ff @(posedge clk_i) begin
    closing <= rst_i ? '0 : ends | (closing & ~ready);
    // A stop that ends lets flits move, so it counts as coming in.
    ends_stop <= rst_i ? '0 : stopped_i;
    if (!rst_i) `ECUBE_REGISTER(closing_is_observed)(closing == closing_i);
  end

  ecube_worm_observer #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
  ) observer (
      .oldest_o(oldest),
      .present_o(present),
      .*
  );

  ecube_rule_2_1_ports #(
      .N(N)
  ) rule_2_1 (
      .held_i(worm_o),
      .waits_i(waits),
      .*
  );

  ecube_rule_2_2_probe #(
      .Dim(Dim),
      .Ports(Ports),
      .Time(Time)
  ) rule_10_3 (
      .waits_i(waits),
      .age_i(age_o),
      .route_i(routes),
      .*
  );

  ecube_rule_2_4_order #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width)
  ) rule_2_4 (
      .waits_i(waits),
      .route_i(routes),
      .held_i(worm_o),
      .*
  );

  ecube_rule_2_6_release #(
      .N(N)
  ) rule_10_4 (
      .free_i(free),
      .releases_i(closing & ready),
      .*
  );

  ecube_rule_3_6_forwarding #(
      .Dim(Dim),
      .N(N),
      .Width(Width)
  ) rule_10_1 (
      .oldest_i(oldest),
      .*
  );

  ecube_rule_10_2_stop #(
      .N(N),
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
  ) rule_10_2 (
      .flits_i(flits_o),
      .count_i(count_o),
      .oldest_i(oldest),
      .present_i(present),
      .worm_i(worm_o),
      .driven_ago_i(driven_ago_o),
      .*
  );

  ecube_still #(
      .Bits(N * (Width + N + 3) + Bits)
  ) still (
      .comes_i(busy != '0 || (ends_stop & ~stopped_i) != '0),
      .registers_i({driven_i, asking_i, stop_i, granted_i, refused_i, registers_i}),
      .*
  );
endmodule
