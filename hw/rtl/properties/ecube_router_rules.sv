// SPDX-License-Identifier: Apache-2.0
// Every rule of hw/README.md that a router for circuits obeys, applied to its wires, its reports
// and its grants.
module ecube_router_rules #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 8,
    parameter int Time = 32,
    parameter int Bits = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,
    input logic [(Dim+Ports)*Width-1:0] wire_i,
    input logic [Dim+Ports-1:0] acknowledged_i,  // back along wire_i
    input logic [(Dim+Ports)*Width-1:0] driven_i,
    input logic [Dim+Ports-1:0] acknowledge_i,  // back along driven_i
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] grant_i,  // [output][input], at the edge to come
    input logic [Dim+Ports-1:0] granted_i,
    input logic [Dim+Ports-1:0] released_i,
    input logic [Dim+Ports-1:0] refused_i,
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] owners_i,
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_i,
    input logic moving_i,

    // [output][input], pointers of arbiters.
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] at_or_after_i,
    // That keep their values while nothing moves, besides those of the pins.
    input logic [Bits-1:0] registers_i,

    // What was observed, for what is said of registers and neighbours.
    output logic [Dim+Ports-1:0] seeking_o,
    output logic [(Dim+Ports)*Time-1:0] age_o,
    output logic [(Dim+Ports)*(Width-2)-1:0] probe_o,
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] circuit_o
);
  localparam int N = Dim + Ports;

  logic [N-1:0] busy, ends, free, releases;
  logic [N*N-1:0] passing;
  logic [N*Dim-1:0] routes;
  logic [N*Width-1:0] oldest;  // [input] the word that leaves next
  logic [N*Width-1:0] words;  // driven, without the payload of an idle wire
  always_comb
    for (int i = 0; i < N; i++) begin
      busy[i] = wire_i[i*Width+Width-2+:2] != ecube_pkg::WireIdle;
      routes[i*Dim+:Dim] = probe_o[i*(Width-2)+:Dim];
      ends[i] = wire_i[i*Width+Width-2+:2] == ecube_pkg::WireTail;
      oldest[i*Width+:Width] = seeking_o[i] ?
          {ecube_pkg::WireProbe, probe_o[i*(Width-2)+:Width-2]} : wire_i[i*Width+:Width];
      words[i*Width+:Width] =
          driven_i[i*Width+Width-2+:2] == ecube_pkg::WireIdle ? '0 : driven_i[i*Width+:Width];
    end

  ecube_router_observer #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) observer (.*);

  for (genvar o = 0; o < N; o++) begin : g_output
    assign free[o] = circuit_o[o*N+:N] == '0;
    assign releases[o] = (circuit_o[o*N+:N] & ends) != '0;
    assign passing[o*N+:N] = circuit_o[o*N+:N] & busy;
  end

  ecube_rule_2_1_ports #(
      .N(N)
  ) rule_2_1 (
      .held_i(circuit_o),
      .waits_i(seeking_o),
      .*
  );

  ecube_rule_2_2_probe #(
      .Dim(Dim),
      .Ports(Ports),
      .Time(Time)
  ) rule_2_2 (
      .waits_i(seeking_o),
      .age_i(age_o),
      .route_i(routes),
      .*
  );

  ecube_rule_2_4_order #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width)
  ) rule_2_4 (
      .waits_i(seeking_o),
      .route_i(routes),
      .held_i(circuit_o),
      .*
  );

  ecube_rule_2_5_acknowledge #(
      .N(N)
  ) rule_2_5 (
      .circuit_i(circuit_o),
      .*
  );

  ecube_rule_2_6_release #(
      .N(N)
  ) rule_2_6 (
      .free_i(free),
      .releases_i(releases),
      .*
  );

  ecube_rule_3_6_forwarding #(
      .Dim(Dim),
      .N(N),
      .Width(Width)
  ) rule_3_6 (
      .oldest_i(oldest),
      .passing_i(passing),
      .*
  );

  ecube_still #(
      .Bits(N * (Width + N + 4) + Bits)
  ) still (
      .comes_i(busy != '0 || acknowledge_i != '0),
      .registers_i({
        words, asking_i, acknowledged_i, granted_i, released_i, refused_i, registers_i
      }),
      .*
  );
endmodule
