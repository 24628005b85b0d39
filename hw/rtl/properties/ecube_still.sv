// SPDX-License-Identifier: Apache-2.0
// A module that reports that nothing moves keeps every register, unless something comes in, so that
// simulators may stop its clock.
module ecube_still #(
    parameter int Bits = 8
) (
    input logic clk_i,
    input logic rst_i,
    input logic moving_i,
    input logic comes_i,
    input logic [Bits-1:0] registers_i
);
  logic nothing_moved;
  logic [Bits-1:0] previous;
  always_ff @(posedge clk_i) begin
    nothing_moved <= !rst_i && !moving_i && !comes_i;
    previous <= registers_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) `ECUBE_RULE(still_when_nothing_moves)(!nothing_moved || previous == registers_i);
  end
endmodule
