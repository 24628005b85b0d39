// SPDX-License-Identifier: Apache-2.0
// For proofs: a router for circuits, whatever is in it, between neighbours that keep the rules, and
// every rule that it obeys at its pins. A grant is reported an edge after it was made, so
// everything else is looked at an edge late too: the rules then see the grants of the edge to come,
// as beside a router of ours.
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

  logic [N-1:0] acknowledge_o, granted_o, released_o, refused_o;
  logic [N*Width-1:0] wire_o;
  logic [N*N-1:0] owners_o, asking_o;
  logic moving_o;

  ecube_router #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) router (.*);

  logic late_rst, moving;
  initial late_rst = 1'b1;
  logic [N*Width-1:0] arrived, driven;
  logic [N-1:0] acknowledged, acknowledge, granted, released, refused;
  logic [N*N-1:0] owners, asking;
  always_ff @(posedge clk_i) begin
    late_rst <= rst_i;
    {arrived, driven} <= rst_i ? '0 : {wire_i, wire_o};
    {acknowledged, acknowledge} <= rst_i ? '0 : {acknowledge_o, acknowledge_i};
    {granted, released, refused} <= rst_i ? '0 : {granted_o, released_o, refused_o};
    {owners, asking} <= rst_i ? '0 : {owners_o, asking_o};
    moving <= !rst_i && moving_o;
  end

  logic [N*N-1:0] grant;  // [output][input], at the edge to come
  logic [N-1:0] seeking;
  logic [N*N-1:0] circuit;
  logic [N*Time-1:0] age;
  logic [N*(Width-2)-1:0] probe;
  logic unused_observed;
  assign unused_observed = &{1'b0, age, probe};
  logic [N-1:0] holds, comes_twice, comes_alone;  // inputs
  logic [N-1:0] answers_nobody;  // outputs
  always_comb begin
    holds = '0;
    for (int o = 0; o < N; o++) begin
      grant[o*N+:N] = granted_o[o] ? owners_o[o*N+:N] : '0;
      holds = holds | circuit[o*N+:N];
      answers_nobody[o] = acknowledge[o] && circuit[o*N+:N] == '0;
    end
    for (int i = 0; i < N; i++) begin
      logic [1:0] kind;
      kind = arrived[i*Width+Width-2+:2];
      comes_twice[i] = kind == ecube_pkg::WireProbe && (seeking[i] || holds[i]);
      comes_alone[i] = kind != ecube_pkg::WireIdle && kind != ecube_pkg::WireProbe && !holds[i];
    end
  end
  always_ff @(posedge clk_i) begin
    if (!late_rst) begin
      `ECUBE_NEIGHBOUR(a_probe_comes_to_a_free_input)(comes_twice == '0);
      `ECUBE_NEIGHBOUR(phits_come_by_circuits)(comes_alone == '0);
      `ECUBE_NEIGHBOUR(acknowledges_come_to_circuits)(answers_nobody == '0);
    end
  end

  // Arbiters and other registers are not observed: their faults show at the pins, later.
  ecube_router_rules #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) rules (
      .rst_i(late_rst),
      .wire_i(arrived),
      .acknowledged_i(acknowledged),
      .driven_i(driven),
      .acknowledge_i(acknowledge),
      .grant_i(grant),
      .granted_i(granted),
      .released_i(released),
      .refused_i(refused),
      .owners_i(owners),
      .asking_i(asking),
      .moving_i(moving),
      .at_or_after_i('0),
      .registers_i(1'b0),
      .seeking_o(seeking),
      .age_o(age),
      .probe_o(probe),
      .circuit_o(circuit),
      .*
  );
  ecube_first_reset first_reset (.*);

  logic [Time-1:0] route_delay;  // constant in a run
  always_ff @(posedge clk_i) begin
    route_delay <= rst_i ? '0 : route_delay_i;
    assume (route_delay_i != '0);
    assume (route_delay == '0 || route_delay == route_delay_i);
  end
endmodule
