// SPDX-License-Identifier: Apache-2.0
// Every rule of hw/README.md that a router for worms obeys, applied to its pins alone, an edge late: see
// ecube_router_pins. A phit is on the wire an edge after it left its input.
module ecube_worm_pins #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 8,
    parameter int Time = 32,
    parameter int Buffer = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,
    input logic [Time-1:0] phit_cycles_i,
    input logic [(Dim+Ports)*Width-1:0] wire_i,
    input logic [Dim+Ports-1:0] stop_i,  // back along wire_i
    input logic [(Dim+Ports)*Width-1:0] driven_i,
    input logic [Dim+Ports-1:0] stopped_i,  // back along driven_i
    input logic [Dim+Ports-1:0] granted_i,
    input logic [Dim+Ports-1:0] released_i,
    input logic [Dim+Ports-1:0] refused_i,
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] owners_i,
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_i,
    input logic moving_i
);
  localparam int N = Dim + Ports;
  localparam int Count = $clog2(Buffer + 2);

  logic late_rst, moving;
  initial late_rst = 1'b1;
  logic [N*Width-1:0] arrived, driven;
  logic [N-1:0] stop, stopped, granted, released, refused;
  logic [N*N-1:0] owners, asking;
  always_ff @(posedge clk_i) begin
    late_rst <= rst_i;
    if (rst_i) begin
      {arrived, driven} <= '0;
      {stop, stopped, granted, released, refused} <= '0;
      {owners, asking} <= '0;
      moving <= 1'b0;
    end else begin
      {arrived, driven} <= {wire_i, driven_i};
      {stop, stopped, granted, released, refused} <= {stop_i, stopped_i, granted_i, released_i, refused_i};
      {owners, asking} <= {owners_i, asking_i};
      moving <= moving_i;
    end
  end

  logic [N*N-1:0] grant, passing;  // [output][input], at the edge to come
  logic [N-1:0] busy, present, waits, ends_stop, open;
  logic [N*Buffer*Width-1:0] words;
  logic [N*Count-1:0] count;
  logic [N*Width-1:0] oldest;
  logic [N*Time-1:0] age, driven_ago;
  logic [N*N-1:0] worm;
  logic [N*Dim-1:0] routes;
  logic [N-1:0] no_room, comes_early, comes_alone;  // inputs
  always_comb begin
    for (int o = 0; o < N; o++) begin
      logic phit;
      phit = driven_i[o*Width+Width-2+:2] == ecube_pkg::WireData || driven_i[o*Width+Width-2+:2] == ecube_pkg::WireTail;
      grant[o*N+:N] = granted_i[o] ? owners_i[o*N+:N] : '0;
      passing[o*N+:N] = phit && !granted_i[o] ? owners[o*N+:N] : '0;
    end
    for (int i = 0; i < N; i++) begin
      logic [1:0] kind;
      kind = arrived[i*Width+Width-2+:2];
      busy[i] = kind != ecube_pkg::WireIdle;
      waits[i] = count[i*Count+:Count] != '0 && oldest[i*Width+Width-2+:2] == ecube_pkg::WireProbe;
      routes[i*Dim+:Dim] = oldest[i*Width+:Dim];
      no_room[i] = busy[i] && count[i*Count+:Count] == Count'(Buffer);
      comes_early[i] = kind == ecube_pkg::WireProbe && (open[i] || count[i*Count+:Count] != '0);
      comes_alone[i] = busy[i] && kind != ecube_pkg::WireProbe && !open[i];
    end
  end
  always_ff @(posedge clk_i) begin
    ends_stop <= rst_i ? '0 : stopped;  // a stop that ends lets words move, so it counts as coming in
    for (int i = 0; i < N; i++) begin
      if (rst_i || late_rst || arrived[i*Width+Width-2+:2] == ecube_pkg::WireTail) open[i] <= 1'b0;
      else if (arrived[i*Width+Width-2+:2] == ecube_pkg::WireProbe) open[i] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!late_rst) begin
      `ECUBE_NEIGHBOUR(words_come_when_there_is_room)(no_room == '0);
      `ECUBE_NEIGHBOUR(a_probe_comes_to_a_free_input)(comes_early == '0);
      `ECUBE_NEIGHBOUR(phits_come_behind_their_probe)(comes_alone == '0);
    end
  end

  ecube_worm_observer #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
  ) observer (
      .clk_i(clk_i),
      .rst_i(late_rst),
      .route_delay_i(route_delay_i),
      .phit_cycles_i(phit_cycles_i),
      .wire_i(arrived),
      .grant_i(grant),
      .passing_i(passing),
      .words_o(words),
      .count_o(count),
      .oldest_o(oldest),
      .present_o(present),
      .age_o(age),
      .worm_o(worm),
      .driven_ago_o(driven_ago)
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
        .free_i(worm[o*N+:N] == '0 && !stopped[o] && driven_ago[o*Time+:Time] >= phit_cycles_i),
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
      .waits_i(waits),
      .route_i(routes),
      .asking_i(asking),
      .held_i(worm)
  );

  ecube_rule_10_1_buffer #(
      .Dim(Dim),
      .N(N),
      .Width(Width)
  ) rule_10_1 (
      .clk_i(clk_i),
      .rst_i(late_rst),
      .oldest_i(oldest),
      .grant_i(grant),
      .passing_i(passing),
      .driven_i(driven)
  );

  ecube_rule_10_2_stop #(
      .N(N),
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
  ) rule_10_2 (
      .clk_i(clk_i),
      .rst_i(late_rst),
      .phit_cycles_i(phit_cycles_i),
      .words_i(words),
      .count_i(count),
      .oldest_i(oldest),
      .present_i(present),
      .worm_i(worm),
      .driven_ago_i(driven_ago),
      .grant_i(grant),
      .passing_i(passing),
      .stop_i(stop),
      .stopped_i(stopped)
  );

  ecube_rule_10_3_probe #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
  ) rule_10_3 (
      .clk_i(clk_i),
      .rst_i(late_rst),
      .route_delay_i(route_delay_i),
      .oldest_i(oldest),
      .count_i(count),
      .age_i(age),
      .asking_i(asking)
  );

  ecube_rule_10_4_hold #(
      .N(N),
      .Width(Width),
      .Time(Time)
  ) rule_10_4 (
      .clk_i(clk_i),
      .rst_i(late_rst),
      .phit_cycles_i(phit_cycles_i),
      .oldest_i(oldest),
      .worm_i(worm),
      .owners_i(owners),
      .driven_ago_i(driven_ago),
      .asking_i(asking),
      .grant_i(grant),
      .passing_i(passing),
      .stopped_i(stopped),
      .granted_i(granted),
      .released_i(released),
      .refused_i(refused),
      .waiting_i('0)  // a register that nobody sees
  );

  // Registers that no pin shows are not looked at: what they change shows when it is too late.
  ecube_still #(
      .Bits(N * (Width + 3) + N * N)
  ) still (
      .clk_i(clk_i),
      .rst_i(late_rst),
      .moving_i(moving),
      .comes_i(busy != '0 || (ends_stop & ~stopped) != '0),
      .registers_i({driven, stop, granted, refused, asking})
  );
endmodule
