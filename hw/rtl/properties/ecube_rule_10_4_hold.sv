// SPDX-License-Identifier: Apache-2.0
// Rule 10.4: an output belongs to its worm until the tail has been driven. The output can be
// granted again when a flit may be driven: the tail has had its time on the link, and no stop says
// that it is still in the buffer behind.
module ecube_rule_10_4_hold #(
    parameter int N = 4,
    parameter int Width = 8,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] phit_cycles_i,
    input logic [N*Width-1:0] oldest_i,  // [input]
    input logic [N*N-1:0] worm_i,  // [output][input]
    input logic [N*N-1:0] owners_i,  // [output][input], what the router reports
    input logic [N*Time-1:0] driven_ago_i,  // [output]
    input logic [N*N-1:0] asking_i,  // [input][output]
    input logic [N*N-1:0] grant_i,  // [output][input], at the edge to come
    input logic [N*N-1:0] passing_i,  // [output][input], at the edge to come
    input logic [N-1:0] stopped_i,  // [output]
    input logic [N-1:0] granted_i,  // [output] what the router reports
    input logic [N-1:0] released_i,  // [output] what the router reports
    input logic [N-1:0] refused_i,  // [input] what the router reports
    input logic [N-1:0] closing_i  // [output] the router's register
);
  logic [N-1:0] ready, tail, taken_away, left_idle, not_asked, shared, reported_wrongly;  // outputs
  logic [N-1:0] asks, wins, split;  // inputs
  always_comb begin
    asks = '0;
    wins = '0;
    for (int o = 0; o < N; o++) begin
      logic [N-1:0] requests, outputs;
      for (int i = 0; i < N; i++) requests[i] = asking_i[i*N+o];
      for (int i = 0; i < N; i++) outputs[i] = worm_i[i*N+o];
      asks = asks | requests;
      wins = wins | grant_i[o*N+:N];
      ready[o] = !stopped_i[o] && driven_ago_i[o*Time+:Time] >= phit_cycles_i;
      tail[o] = 1'b0;
      for (int i = 0; i < N; i++)
      if (passing_i[o*N+i] && oldest_i[i*Width+Width-2+:2] == ecube_pkg::WireTail) tail[o] = 1'b1;
      taken_away[o] = grant_i[o*N+:N] != '0 && (worm_i[o*N+:N] != '0 || !ready[o]);
      left_idle[o] = worm_i[o*N+:N] == '0 && ready[o] && requests != '0 && grant_i[o*N+:N] == '0;
      not_asked[o] = (grant_i[o*N+:N] & ~requests) != '0;
      shared[o] = (worm_i[o*N+:N] & (worm_i[o*N+:N] - 1'b1)) != '0;
      split[o] = (outputs & (outputs - 1'b1)) != '0;
      reported_wrongly[o] = worm_i[o*N+:N] != '0 && worm_i[o*N+:N] != owners_i[o*N+:N];
    end
  end

  logic [N-1:0] granted, released, refused, tail_ahead;
  always_ff @(posedge clk_i) begin
    refused <= rst_i ? '0 : asks & ~wins;
    released <= rst_i ? '0 : tail_ahead & ready;
    tail_ahead <= rst_i ? '0 : tail | (tail_ahead & ~ready);
    for (int o = 0; o < N; o++) granted[o] <= !rst_i && grant_i[o*N+:N] != '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      `ECUBE_RULE(an_output_has_one_worm)(shared == '0 && split == '0);
      `ECUBE_RULE(kept_until_tail_has_left)(taken_away == '0);
      `ECUBE_RULE(granted_when_a_flit_may_be_driven)(left_idle == '0);
      `ECUBE_RULE(granted_to_one_that_asks)(not_asked == '0);
      `ECUBE_RULE(owner_is_reported)(reported_wrongly == '0);
      `ECUBE_RULE(grant_is_reported)(granted == granted_i);
      `ECUBE_RULE(release_is_reported)(released == released_i);
      `ECUBE_RULE(refusal_is_reported)(refused == refused_i);
      `ECUBE_REGISTER(closing_is_observed)(tail_ahead == closing_i);
    end
  end
endmodule
