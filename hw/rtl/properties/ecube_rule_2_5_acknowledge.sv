// SPDX-License-Identifier: Apache-2.0
// Rule 2.5: an acknowledge goes back by the input of its circuit, one edge later, and by no other.
module ecube_rule_2_5_acknowledge #(
    parameter int N = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic [N*N-1:0] circuit_i,  // [output][input]
    input logic [N-1:0] acknowledge_i,  // [output] comes in
    input logic [N-1:0] acknowledged_i  // [input] goes out
);
  logic [N-1:0] expected;
  always_ff @(posedge clk_i) begin
    expected <= '0;
    for (int o = 0; o < N; o++)
    for (int i = 0; i < N; i++) if (!rst_i && circuit_i[o*N+i] &&
        acknowledge_i[o]) expected[i] <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      `ECUBE_RULE(acknowledge_goes_back)((expected & ~acknowledged_i) == '0);
      `ECUBE_RULE(nothing_else_is_acknowledged)((acknowledged_i & ~expected) == '0);
    end
  end
endmodule
