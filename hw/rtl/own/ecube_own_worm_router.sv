// SPDX-License-Identifier: Apache-2.0
// For proofs: a router for worms, whatever is in it, between neighbours that keep the rules, and
// every rule that it obeys at its pins, an edge late: see ecube_own_router. A phit is on the wire
// an edge after it left its input.
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
    input logic [Dim+Ports-1:0] acknowledge_i
);
  localparam int N = Dim + Ports;
  localparam int Count = $clog2(Buffer + 2);

  logic [N-1:0] acknowledge_o, granted_o, released_o, refused_o;
  logic [N*Width-1:0] wire_o;
  logic [N*N-1:0] owners_o, asking_o;
  logic moving_o;

  ecube_worm_router #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
  ) router (.*);

  logic late_rst, moving;
  initial late_rst = 1'b1;
  logic [N*Width-1:0] arrived, driven;
  logic [N-1:0] stop, stopped, granted, released, refused;
  logic [N*N-1:0] owners, asking;
  always_ff @(posedge clk_i) begin
    late_rst <= rst_i;
    {arrived, driven} <= rst_i ? '0 : {wire_i, wire_o};
    {stop, stopped} <= rst_i ? '0 : {acknowledge_o, acknowledge_i};
    {granted, released, refused} <= rst_i ? '0 : {granted_o, released_o, refused_o};
    {owners, asking} <= rst_i ? '0 : {owners_o, asking_o};
    moving <= !rst_i && moving_o;
  end

  logic [N*N-1:0] grant, passing;  // [output][input], at the edge to come
  logic [N-1:0] open;
  logic [N*Buffer*Width-1:0] flits;
  logic [N*Count-1:0] count;
  logic [N*Time-1:0] age, driven_ago;
  logic [N*N-1:0] worm;
  logic unused_observed;
  assign unused_observed = &{1'b0, flits, age, driven_ago, worm};
  logic [N-1:0] no_room, comes_early, comes_alone;  // inputs
  always_comb begin
    for (int o = 0; o < N; o++) begin
      logic phit;
      phit = wire_o[o*Width+Width-2+:2] == ecube_pkg::WirePhit || wire_o[o*Width+Width-2+:2] ==
          ecube_pkg::WireTail;
      grant[o*N+:N] = granted_o[o] ? owners_o[o*N+:N] : '0;
      passing[o*N+:N] = phit && !granted_o[o] ? owners[o*N+:N] : '0;
    end
    for (int i = 0; i < N; i++) begin
      logic [1:0] kind;
      kind = arrived[i*Width+Width-2+:2];
      no_room[i] = kind != ecube_pkg::WireIdle && count[i*Count+:Count] == Count'(Buffer);
      comes_early[i] = kind == ecube_pkg::WireProbe && (open[i] || count[i*Count+:Count] != '0);
      comes_alone[i] = kind != ecube_pkg::WireIdle && kind != ecube_pkg::WireProbe && !open[i];
    end
  end
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < N; i++) begin
      if (rst_i || late_rst || arrived[i*Width+Width-2+:2] == ecube_pkg::WireTail) open[i] <= 1'b0;
      else if (arrived[i*Width+Width-2+:2] == ecube_pkg::WireProbe) open[i] <= 1'b1;
    end
    if (!late_rst) begin
      `ECUBE_NEIGHBOUR(flits_come_when_there_is_room)(no_room == '0);
      `ECUBE_NEIGHBOUR(a_probe_comes_to_a_free_input)(comes_early == '0);
      `ECUBE_NEIGHBOUR(phits_come_behind_their_probe)(comes_alone == '0);
    end
  end

  // Arbiters and other registers are not observed: their faults show at the pins, later.
  ecube_worm_rules #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
  ) rules (
      .rst_i(late_rst),
      .wire_i(arrived),
      .stop_i(stop),
      .driven_i(driven),
      .stopped_i(stopped),
      .grant_i(grant),
      .passing_i(passing),
      .granted_i(granted),
      .released_i(released),
      .refused_i(refused),
      .owners_i(owners),
      .asking_i(asking),
      .moving_i(moving),
      .closing_i('0),
      .at_or_after_i('0),
      .registers_i(1'b0),
      .flits_o(flits),
      .count_o(count),
      .age_o(age),
      .worm_o(worm),
      .driven_ago_o(driven_ago),
      .*
  );

  ecube_first_reset first_reset (.*);

  // Delays are constant in a run, and a link needs two cycles for a phit at least.
  logic [Time-1:0] route_delay, phit_cycles;
  always_ff @(posedge clk_i) begin
    route_delay <= rst_i ? '0 : route_delay_i;
    phit_cycles <= rst_i ? '0 : phit_cycles_i;
    assume (route_delay_i != '0 && phit_cycles_i > Time'(1));
    assume (route_delay == '0 || (route_delay == route_delay_i && phit_cycles == phit_cycles_i));
  end
endmodule
