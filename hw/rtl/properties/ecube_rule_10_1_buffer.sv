// SPDX-License-Identifier: Apache-2.0
// Rule 10.1: a word that comes in leaves unchanged and in order, at the earliest at the edge at which it can be in the
// buffer, and no other word leaves. A probe leaves without the dimension that it takes.
module ecube_rule_10_1_buffer #(
    parameter int DIM = 3,
    parameter int N = 4,
    parameter int WIDTH = 8
) (
    input logic clk_i,
    input logic rst_i,
    input logic [N*WIDTH-1:0] oldest_i,  // [input]
    input logic [N*N-1:0] grant_i,  // [output][input], at the edge to come
    input logic [N*N-1:0] passing_i,  // [output][input], at the edge to come
    input logic [N*WIDTH-1:0] driven_i  // [output] what the router drives
);
  localparam int Payload = WIDTH - 2;

  logic [N-1:0] leaves;  // outputs
  logic [N*WIDTH-1:0] word;
  always_ff @(posedge clk_i) begin
    leaves <= '0;
    word <= '0;
    for (int o = 0; o < N; o++)
    for (int i = 0; i < N; i++)
    if (!rst_i && (grant_i[o*N+i] || passing_i[o*N+i])) begin
      leaves[o] <= 1'b1;
      word[o*WIDTH+:WIDTH] <= oldest_i[i*WIDTH+:WIDTH];
      if (o < DIM && grant_i[o*N+i]) word[o*WIDTH+o%DIM] <= 1'b0;
    end
  end

  logic [N-1:0] lost, changed, other_route, invented;
  always_comb
    for (int o = 0; o < N; o++) begin
      lost[o] = leaves[o] && driven_i[o*WIDTH+Payload+:2] != word[o*WIDTH+Payload+:2];
      changed[o] = leaves[o] && driven_i[o*WIDTH+DIM+:Payload-DIM] != word[o*WIDTH+DIM+:Payload-DIM];
      other_route[o] = leaves[o] && driven_i[o*WIDTH+:DIM] != word[o*WIDTH+:DIM];
      invented[o] = !leaves[o] && driven_i[o*WIDTH+:WIDTH] != '0;
    end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      `ECUBE_RULE(words_leave_in_order)(lost == '0);
      `ECUBE_RULE(words_leave_unchanged)(changed == '0);
      `ECUBE_RULE(probe_leaves_with_remaining_route)(other_route == '0);
      `ECUBE_RULE(no_other_word_leaves)(invented == '0);
    end
  end
endmodule
