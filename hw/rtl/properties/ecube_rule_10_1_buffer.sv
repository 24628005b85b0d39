// SPDX-License-Identifier: Apache-2.0
// Rule 10.1: a flit that comes in leaves unchanged and in order, at the earliest at the edge at
// which it can be in the buffer, and no other flit leaves. A probe leaves without the dimension
// that it takes.
module ecube_rule_10_1_buffer #(
    parameter int Dim = 3,
    parameter int N = 4,
    parameter int Width = 8
) (
    input logic clk_i,
    input logic rst_i,
    input logic [N*Width-1:0] oldest_i,  // [input]
    input logic [N*N-1:0] grant_i,  // [output][input], at the edge to come
    input logic [N*N-1:0] passing_i,  // [output][input], at the edge to come
    input logic [N*Width-1:0] driven_i  // [output] what the router drives
);
  localparam int Payload = Width - 2;

  logic [N-1:0] leaves;  // outputs
  logic [N*Width-1:0] flit;
  always_ff @(posedge clk_i) begin
    leaves <= '0;
    flit <= '0;
    for (int o = 0; o < N; o++)
    for (int i = 0; i < N; i++)
    if (!rst_i && (grant_i[o*N+i] || passing_i[o*N+i])) begin
      leaves[o] <= 1'b1;
      flit[o*Width+:Width] <= oldest_i[i*Width+:Width];
      if (o < Dim && grant_i[o*N+i]) flit[o*Width+o%Dim] <= 1'b0;
    end
  end

  logic [N-1:0] lost, changed, other_route, invented;
  always_comb
    for (int o = 0; o < N; o++) begin
      lost[o] = leaves[o] && driven_i[o*Width+Payload+:2] != flit[o*Width+Payload+:2];
      changed[o] =
          leaves[o] && driven_i[o*Width+Dim+:Payload-Dim] != flit[o*Width+Dim+:Payload-Dim];
      other_route[o] = leaves[o] && driven_i[o*Width+:Dim] != flit[o*Width+:Dim];
      invented[o] = !leaves[o] && driven_i[o*Width+:Width] != '0;
    end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      `ECUBE_RULE(flits_leave_in_order)(lost == '0);
      `ECUBE_RULE(flits_leave_unchanged)(changed == '0);
      `ECUBE_RULE(probe_leaves_with_remaining_route)(other_route == '0);
      `ECUBE_RULE(no_other_flit_leaves)(invented == '0);
    end
  end
endmodule
