// SPDX-License-Identifier: Apache-2.0
// Rules 2.3, 2.4, 2.6, 8.1 and 10.4: an output is owned until the tail of its circuit has passed.
// It can be granted again at the edge after; that of a worm when a flit may be driven: the tail has
// had its time on the link, and no stop says that it is still in the buffer behind. An output is
// granted whenever it is free and requested.
module ecube_rule_2_6_release #(
    parameter int N = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic [N-1:0] free_i,  // outputs that can be granted
    input logic [N*N-1:0] asking_i,  // [input][output]
    input logic [N*N-1:0] grant_i,  // [output][input], at the edge to come
    input logic [N-1:0] releases_i,  // outputs that are released at the edge to come
    input logic [N*N-1:0] at_or_after_i,  // [output][input], pointers of arbiters
    input logic [N-1:0] granted_i,  // [output] what the router reports
    input logic [N-1:0] released_i,  // [output] what the router reports
    input logic [N-1:0] refused_i  // [input] what the router reports
);
  logic [N-1:0] grants, taken_away, left_idle, not_asked;  // outputs
  logic [N-1:0] asks, wins;  // inputs
  for (genvar o = 0; o < N; o++) begin : g_output
    logic [N-1:0] requests;
    for (genvar i = 0; i < N; i++) begin : g_request
      assign requests[i] = asking_i[i*N+o];
    end
    assign grants[o] = grant_i[o*N+:N] != '0;
    assign taken_away[o] = !free_i[o] && grants[o];
    assign left_idle[o] = free_i[o] && requests != '0 && !grants[o];
    assign not_asked[o] = (grant_i[o*N+:N] & ~requests) != '0;

    ecube_rule_2_3_arbitration #(
        .Inputs(N)
    ) rule_2_3 (
        .free_i(free_i[o]),
        .request_i(requests),
        .grant_i(grant_i[o*N+:N]),
        .at_or_after_i(at_or_after_i[o*N+:N]),
        .*
    );
  end
  always_comb begin
    wins = '0;
    for (int o = 0; o < N; o++) wins = wins | grant_i[o*N+:N];
    for (int i = 0; i < N; i++) asks[i] = asking_i[i*N+:N] != '0;
  end

  logic [N-1:0] granted, released, refused;
  always_ff @(posedge clk_i) begin
    granted <= rst_i ? '0 : grants;
    released <= rst_i ? '0 : releases_i;
    refused <= rst_i ? '0 : asks & ~wins;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      `ECUBE_RULE(kept_until_tail_has_left)(taken_away == '0);
      `ECUBE_RULE(granted_once_tail_has_left)(left_idle == '0);
      `ECUBE_RULE(granted_to_one_that_asks)(not_asked == '0);
      `ECUBE_RULE(grant_is_reported)(granted == granted_i);
      `ECUBE_RULE(release_is_reported)(released == released_i);
      `ECUBE_RULE(refusal_is_reported)(refused == refused_i);
    end
  end
endmodule
