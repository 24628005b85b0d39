// SPDX-License-Identifier: Apache-2.0
// Every rule of hw/README.md that a router for circuits obeys, applied to its pins alone, for routers whose registers
// nobody knows. A grant is reported an edge after it was made, so everything else is looked at an edge late too: the
// rules then see the grants of the edge to come, as beside a router of ours.
module ecube_router_pins #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 8,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,
    input logic [(Dim+Ports)*Width-1:0] wire_i,
    input logic [Dim+Ports-1:0] acknowledged_i,  // back along wire_i
    input logic [(Dim+Ports)*Width-1:0] driven_i,
    input logic [Dim+Ports-1:0] acknowledge_i,  // back along driven_i
    input logic [Dim+Ports-1:0] granted_i,
    input logic [Dim+Ports-1:0] released_i,
    input logic [Dim+Ports-1:0] refused_i,
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] owners_i,
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_i,
    input logic moving_i
);
  localparam int N = Dim + Ports;

  logic late_rst, moving;
  initial late_rst = 1'b1;
  logic [N*Width-1:0] arrived, driven;
  logic [N-1:0] acknowledged, acknowledge, granted, released, refused;
  logic [N*N-1:0] owners, asking;
  always_ff @(posedge clk_i) begin
    late_rst <= rst_i;
    if (rst_i) begin
      {arrived, driven} <= '0;
      {acknowledged, acknowledge, granted, released, refused} <= '0;
      {owners, asking} <= '0;
      moving <= 1'b0;
    end else begin
      {arrived, driven} <= {wire_i, driven_i};
      {acknowledged, acknowledge} <= {acknowledged_i, acknowledge_i};
      {granted, released, refused} <= {granted_i, released_i, refused_i};
      {owners, asking} <= {owners_i, asking_i};
      moving <= moving_i;
    end
  end

  logic [N*N-1:0] grant;  // [output][input], at the edge to come
  logic [N-1:0] seeking, busy, ends, holds;
  logic [N*Time-1:0] age;
  logic [N*(Width-2)-1:0] probe;
  logic [N*N-1:0] circuit;
  logic [N*Dim-1:0] routes;
  logic [N*Width-1:0] words;  // driven, without the payload of an idle wire
  logic [N-1:0] comes_twice, comes_alone;  // inputs
  logic [N-1:0] answers_nobody;  // outputs
  always_comb begin
    for (int o = 0; o < N; o++) grant[o*N+:N] = granted_i[o] ? owners_i[o*N+:N] : '0;
    for (int i = 0; i < N; i++) begin
      logic [1:0] kind;
      kind = arrived[i*Width+Width-2+:2];
      holds[i] = 1'b0;
      for (int o = 0; o < N; o++) if (circuit[o*N+i]) holds[i] = 1'b1;
      busy[i] = kind != ecube_pkg::WireIdle;
      ends[i] = kind == ecube_pkg::WireTail;
      comes_twice[i] = kind == ecube_pkg::WireProbe && (seeking[i] || holds[i]);
      comes_alone[i] = busy[i] && kind != ecube_pkg::WireProbe && !holds[i];
      answers_nobody[i] = acknowledge[i] && circuit[i*N+:N] == '0;
      routes[i*Dim+:Dim] = probe[i*(Width-2)+:Dim];
      words[i*Width+:Width] = driven[i*Width+Width-2+:2] == ecube_pkg::WireIdle ? '0 : driven[i*Width+:Width];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!late_rst) begin
      `ECUBE_NEIGHBOUR(a_probe_comes_to_a_free_input)(comes_twice == '0);
      `ECUBE_NEIGHBOUR(phits_come_by_circuits)(comes_alone == '0);
      `ECUBE_NEIGHBOUR(acknowledges_come_to_circuits)(answers_nobody == '0);
    end
  end

  ecube_router_observer #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) observer (
      .clk_i(clk_i),
      .rst_i(late_rst),
      .route_delay_i(route_delay_i),
      .wire_i(arrived),
      .grant_i(grant),
      .seeking_o(seeking),
      .age_o(age),
      .probe_o(probe),
      .circuit_o(circuit)
  );

  ecube_rule_2_1_ports #(
      .N(N)
  ) rule_2_1 (
      .clk_i(clk_i),
      .rst_i(late_rst),
      .circuit_i(circuit),
      .owners_i(owners),
      .seeking_i(seeking)
  );

  ecube_rule_2_2_probe #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) rule_2_2 (
      .clk_i(clk_i),
      .rst_i(late_rst),
      .route_delay_i(route_delay_i),
      .seeking_i(seeking),
      .age_i(age),
      .probe_i(probe),
      .asking_i(asking),
      .grant_i(grant),
      .wire_i(driven)
  );

  for (genvar o = 0; o < N; o++) begin : g_output
    logic [N-1:0] requests;
    for (genvar i = 0; i < N; i++) begin : g_request
      assign requests[i] = asking[i*N+o];
    end
    ecube_rule_2_3_arbitration #(
        .Inputs(N)
    ) rule_2_3 (
        .clk_i(clk_i),
        .rst_i(late_rst),
        .free_i(circuit[o*N+:N] == '0),
        .request_i(requests),
        .grant_i(grant[o*N+:N]),
        .at_or_after_i('0)  // of an arbiter that nobody sees
    );
  end

  ecube_rule_2_4_order #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width)
  ) rule_2_4 (
      .clk_i(clk_i),
      .rst_i(late_rst),
      .wire_i(arrived),
      .driven_i(driven),
      .waits_i(seeking),
      .route_i(routes),
      .asking_i(asking),
      .held_i(circuit)
  );

  ecube_rule_2_5_acknowledge #(
      .N(N)
  ) rule_2_5 (
      .clk_i(clk_i),
      .rst_i(late_rst),
      .circuit_i(circuit),
      .acknowledge_i(acknowledge),
      .acknowledged_i(acknowledged)
  );

  ecube_rule_2_6_release #(
      .N(N)
  ) rule_2_6 (
      .clk_i(clk_i),
      .rst_i(late_rst),
      .circuit_i(circuit),
      .asking_i(asking),
      .grant_i(grant),
      .ends_i(ends),
      .granted_i(granted),
      .released_i(released),
      .refused_i(refused)
  );

  ecube_rule_3_6_forwarding #(
      .N(N),
      .Width(Width)
  ) rule_3_6 (
      .clk_i(clk_i),
      .rst_i(late_rst),
      .circuit_i(circuit),
      .wire_i(arrived),
      .driven_i(driven)
  );

  // Registers that no pin shows are not looked at: what they change shows when it is too late.
  ecube_still #(
      .Bits(N * (Width + 4) + N * N)
  ) still (
      .clk_i(clk_i),
      .rst_i(late_rst),
      .moving_i(moving),
      .comes_i(busy != '0 || acknowledge != '0),
      .registers_i({words, acknowledged, granted, released, refused, asking})
  );
endmodule
