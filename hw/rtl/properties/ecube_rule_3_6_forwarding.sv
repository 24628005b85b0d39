// SPDX-License-Identifier: Apache-2.0
// Rules 2.2, 3.5, 3.6 and 10.1: a word leaves unchanged and in order by the output of its circuit,
// or worm, and no other word leaves. A probe leaves at its grant without the dimension that it
// takes; a phit of a circuit an edge after it came in, a flit at the earliest when it can be in the
// buffer.
module ecube_rule_3_6_forwarding #(
    parameter int Dim = 3,
    parameter int N = 4,
    parameter int Width = 8
) (
    input logic clk_i,
    input logic rst_i,
    input logic [N*Width-1:0] oldest_i,  // [input] the word that leaves next
    input logic [N*N-1:0] grant_i,  // [output][input], at the edge to come
    input logic [N*N-1:0] passing_i,  // [output][input], at the edge to come
    input logic [N*Width-1:0] driven_i  // [output] what the router drives
);
  localparam int Payload = Width - 2;

  logic [N-1:0] leaves, probes;  // outputs
  logic [N*Width-1:0] word;
  always_ff @(posedge clk_i) begin
    leaves <= '0;
    probes <= '0;
    word <= '0;
    for (int o = 0; o < N; o++)
    for (int i = 0; i < N; i++)
    if (!rst_i && (grant_i[o*N+i] || passing_i[o*N+i])) begin
      leaves[o] <= 1'b1;
      probes[o] <= grant_i[o*N+i];
      word[o*Width+:Width] <= oldest_i[i*Width+:Width];
      if (o < Dim && grant_i[o*N+i]) word[o*Width+o%Dim] <= 1'b0;
    end
  end

  logic [N-1:0] lost, changed, other_route, invented;
  always_comb
    for (int o = 0; o < N; o++) begin
      logic [Width-1:0] driven, expected;
      driven = driven_i[o*Width+:Width];
      expected = word[o*Width+:Width];
      lost[o] = leaves[o] && driven[Payload+:2] != expected[Payload+:2];
      other_route[o] = probes[o] && driven[Dim-1:0] != expected[Dim-1:0];
      changed[o] = leaves[o] && (driven[Payload-1:Dim] != expected[Payload-1:Dim] ||
          (!probes[o] && driven[Dim-1:0] != expected[Dim-1:0]));
      invented[o] = !leaves[o] && driven[Payload+:2] != ecube_pkg::WireIdle;
    end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      `ECUBE_RULE(words_leave_at_their_edges)(lost == '0);
      `ECUBE_RULE(words_leave_unchanged)(changed == '0);
      `ECUBE_RULE(probe_leaves_with_remaining_route)(other_route == '0);
      `ECUBE_RULE(no_other_word_leaves)(invented == '0);
    end
  end
endmodule
