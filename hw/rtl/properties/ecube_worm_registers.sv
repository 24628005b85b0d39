// SPDX-License-Identifier: Apache-2.0
// The registers of a router for worms are those that its observer has, for the proof by induction.
module ecube_worm_registers #(
    parameter int N = 4,
    parameter int Width = 8,
    parameter int Time = 32,
    parameter int Buffer = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,
    input logic [Time-1:0] phit_cycles_i,
    input logic [N*Buffer*Width-1:0] words_i,
    input logic [N*$clog2(Buffer+2)-1:0] count_i,
    input logic [N*Time-1:0] age_i,
    input logic [N*N-1:0] worm_i,
    input logic [N*Time-1:0] driven_ago_i,

    input logic [N*Buffer*Width-1:0] buffer_i,
    input logic [N*$clog2(Buffer+2)-1:0] filled_i,
    input logic [N*Time-1:0] delay_i,
    input logic [N-1:0] owned_i,
    input logic [N*Time-1:0] until_phit_i,
    input logic [N*Width-1:0] driven_i,
    input logic [N-1:0] granted_i
);
  localparam int Count = $clog2(Buffer + 2);

  logic [N-1:0] other_words, other_count, other_delay, other_owner, other_pace, other_report;
  always_comb
    for (int i = 0; i < N; i++) begin
      logic [Count-1:0] count;
      count = count_i[i*Count+:Count];
      other_count[i] = filled_i[i*Count+:Count] != count || count > Count'(Buffer);
      other_words[i] = 1'b0;
      for (int held = 1; held <= Buffer; held++)
      for (int k = 0; k < held; k++)
      if (count == Count'(held) && buffer_i[(i*Buffer+k)*Width+:Width] != words_i[(i*Buffer+held-1-k)*Width+:Width])
        other_words[i] = 1'b1;
      other_delay[i] = 1'b0;
      for (int held = 1; held <= Buffer; held++)
      if (count == Count'(held) && words_i[(i*Buffer+held-1)*Width+Width-2+:2] == ecube_pkg::WireProbe)
        other_delay[i] = delay_i[i*Time+:Time] != route_delay_i - age_i[i*Time+:Time] + 1'b1 ||
            age_i[i*Time+:Time] == '0 || age_i[i*Time+:Time] > route_delay_i;
      other_owner[i] = owned_i[i] != (worm_i[i*N+:N] != '0);
      other_pace[i] = until_phit_i[i*Time+:Time] != phit_cycles_i - driven_ago_i[i*Time+:Time] ||
          driven_ago_i[i*Time+:Time] > phit_cycles_i || driven_ago_i[i*Time+:Time] == '0;
      other_report[i] = granted_i[i] && driven_i[i*Width+Width-2+:2] != ecube_pkg::WireProbe;
    end

  logic [Time-1:0] route_delay, phit_cycles;  // at the edge before: they are constant in a run
  logic steady;
  always_ff @(posedge clk_i) begin
    route_delay <= route_delay_i;
    phit_cycles <= phit_cycles_i;
    steady <= 1'b1;
    if (steady && !rst_i) begin
      `ECUBE_ENVIRONMENT(route_delay == route_delay_i && phit_cycles == phit_cycles_i);
    end
    if (!rst_i) begin
      `ECUBE_REGISTER(count_is_observed)(other_count == '0);
      `ECUBE_REGISTER(words_are_observed)(other_words == '0);
      `ECUBE_REGISTER(delay_is_the_rest)(other_delay == '0);
      `ECUBE_REGISTER(owned_is_observed)(other_owner == '0);
      `ECUBE_REGISTER(pace_is_the_rest)(other_pace == '0);
      `ECUBE_REGISTER(reports_come_with_words)(other_report == '0);
    end
  end
endmodule
