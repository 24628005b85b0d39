// SPDX-License-Identifier: Apache-2.0
// Every rule of hw/README.md that a router for circuits obeys, applied to its wires and to what it reports. The router
// passes its registers for the proof by induction.
module ecube_router_properties #(
    parameter int DIM = 3,
    parameter int PORTS = 1,
    parameter int WIDTH = 8,
    parameter int TIME = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [TIME-1:0] route_delay_i,
    input logic [(DIM+PORTS)*WIDTH-1:0] wire_i,
    input logic [DIM+PORTS-1:0] acknowledged_i,  // back along wire_i
    input logic [(DIM+PORTS)*WIDTH-1:0] driven_i,
    input logic [DIM+PORTS-1:0] acknowledge_i,  // back along driven_i
    input logic [(DIM+PORTS)*(DIM+PORTS)-1:0] grant_i,  // [output][input], at the edge to come
    input logic [DIM+PORTS-1:0] granted_i,
    input logic [DIM+PORTS-1:0] released_i,
    input logic [DIM+PORTS-1:0] refused_i,
    input logic [(DIM+PORTS)*(DIM+PORTS)-1:0] owners_i,
    input logic [(DIM+PORTS)*(DIM+PORTS)-1:0] asking_i,
    input logic moving_i,

    input logic [(DIM+PORTS)*2-1:0] state_i,
    input logic [(DIM+PORTS)*TIME-1:0] delay_i,
    input logic [(DIM+PORTS)*(WIDTH-2)-1:0] probe_i,
    input logic [DIM+PORTS-1:0] owned_i
);
  localparam int N = DIM + PORTS;

  logic [N-1:0] seeking, busy, ends;
  logic [N*TIME-1:0] age;
  logic [N*(WIDTH-2)-1:0] probe;
  logic [N*N-1:0] circuit;
  logic [N*DIM-1:0] routes;
  logic [N*WIDTH-1:0] words;  // driven, without the payload of an idle wire
  always_comb
    for (int i = 0; i < N; i++) begin
      busy[i] = wire_i[i*WIDTH+WIDTH-2+:2] != ecube_pkg::WireIdle;
      routes[i*DIM+:DIM] = probe[i*(WIDTH-2)+:DIM];
      ends[i] = wire_i[i*WIDTH+WIDTH-2+:2] == ecube_pkg::WireTail;
      words[i*WIDTH+:WIDTH] = driven_i[i*WIDTH+WIDTH-2+:2] == ecube_pkg::WireIdle ? '0 : driven_i[i*WIDTH+:WIDTH];
    end

  ecube_router_observer #(
      .DIM(DIM),
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .TIME(TIME)
  ) observer (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .route_delay_i(route_delay_i),
      .wire_i(wire_i),
      .grant_i(grant_i),
      .seeking_o(seeking),
      .age_o(age),
      .probe_o(probe),
      .circuit_o(circuit)
  );

  ecube_rule_2_1_ports #(
      .N(N)
  ) rule_2_1 (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .circuit_i(circuit),
      .owners_i(owners_i),
      .seeking_i(seeking)
  );

  ecube_rule_2_2_probe #(
      .DIM(DIM),
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .TIME(TIME)
  ) rule_2_2 (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .route_delay_i(route_delay_i),
      .seeking_i(seeking),
      .age_i(age),
      .probe_i(probe),
      .asking_i(asking_i),
      .grant_i(grant_i),
      .wire_i(driven_i)
  );

  ecube_rule_2_4_order #(
      .DIM(DIM),
      .PORTS(PORTS),
      .WIDTH(WIDTH)
  ) rule_2_4 (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .wire_i(wire_i),
      .driven_i(driven_i),
      .waits_i(seeking),
      .route_i(routes),
      .asking_i(asking_i),
      .held_i(circuit)
  );

  ecube_rule_2_5_acknowledge #(
      .N(N)
  ) rule_2_5 (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .circuit_i(circuit),
      .acknowledge_i(acknowledge_i),
      .acknowledged_i(acknowledged_i)
  );

  ecube_rule_2_6_release #(
      .N(N)
  ) rule_2_6 (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .circuit_i(circuit),
      .asking_i(asking_i),
      .grant_i(grant_i),
      .ends_i(ends),
      .granted_i(granted_i),
      .released_i(released_i),
      .refused_i(refused_i)
  );

  ecube_rule_3_6_forwarding #(
      .N(N),
      .WIDTH(WIDTH)
  ) rule_3_6 (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .circuit_i(circuit),
      .wire_i(wire_i),
      .driven_i(driven_i)
  );

  ecube_still #(
      .BITS(N * (2 + TIME + WIDTH - 2 + WIDTH + N + 5))
  ) still (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .moving_i(moving_i),
      .comes_i(busy != '0 || acknowledge_i != '0),
      .registers_i({
        state_i, delay_i, probe_i, words, owners_i, owned_i, acknowledged_i, granted_i, released_i, refused_i
      })
  );

  ecube_router_registers #(
      .N(N),
      .WIDTH(WIDTH),
      .TIME(TIME)
  ) registers (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .route_delay_i(route_delay_i),
      .seeking_i(seeking),
      .age_i(age),
      .probe_i(probe),
      .circuit_i(circuit),
      .state_i(state_i),
      .delay_i(delay_i),
      .register_i(probe_i),
      .owned_i(owned_i),
      .granted_i(granted_i),
      .released_i(released_i),
      .driven_i(driven_i)
  );
endmodule
