// SPDX-License-Identifier: Apache-2.0
// Rules 2.4, 2.6 and 8.1: an output is owned until the tail of its circuit has passed. It can be
// granted again at the edge after, and is granted whenever it is free and requested.
module ecube_rule_2_6_release #(
    parameter int N = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic [N*N-1:0] circuit_i,  // [output][input]
    input logic [N*N-1:0] asking_i,  // [input][output]
    input logic [N*N-1:0] grant_i,  // [output][input], at the edge to come
    input logic [N-1:0] ends_i,  // inputs with a tail on the wire
    input logic [N-1:0] granted_i,  // [output] what the router reports
    input logic [N-1:0] released_i,  // [output] what the router reports
    input logic [N-1:0] refused_i  // [input] what the router reports
);
  logic [N-1:0] taken_away, left_idle, not_asked;  // outputs
  logic [N-1:0] asks, wins;  // inputs
  always_comb begin
    asks = '0;
    wins = '0;
    for (int o = 0; o < N; o++) begin
      logic [N-1:0] requests;
      for (int i = 0; i < N; i++) requests[i] = asking_i[i*N+o];
      asks = asks | requests;
      wins = wins | grant_i[o*N+:N];
      taken_away[o] = circuit_i[o*N+:N] != '0 && grant_i[o*N+:N] != '0;
      left_idle[o] = circuit_i[o*N+:N] == '0 && requests != '0 && grant_i[o*N+:N] == '0;
      not_asked[o] = (grant_i[o*N+:N] & ~requests) != '0;
    end
  end

  logic [N-1:0] granted, released, refused;
  always_ff @(posedge clk_i) begin
    refused <= rst_i ? '0 : asks & ~wins;
    for (int o = 0; o < N; o++) begin
      granted[o] <= !rst_i && grant_i[o*N+:N] != '0;
      released[o] <= !rst_i && (circuit_i[o*N+:N] & ends_i) != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      `ECUBE_RULE(kept_until_tail)(taken_away == '0);
      `ECUBE_RULE(granted_from_the_edge_after_the_tail)(left_idle == '0);
      `ECUBE_RULE(granted_to_one_that_asks)(not_asked == '0);
      `ECUBE_RULE(grant_is_reported)(granted == granted_i);
      `ECUBE_RULE(release_is_reported)(released == released_i);
      `ECUBE_RULE(refusal_is_reported)(refused == refused_i);
    end
  end
endmodule
