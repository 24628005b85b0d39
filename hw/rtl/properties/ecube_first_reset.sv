// SPDX-License-Identifier: Apache-2.0
// A proof begins with one edge of reset, and has no other.
module ecube_first_reset (
    input logic clk_i,
    input logic rst_i
);
`ifdef FORMAL
  logic started;
  initial started = 1'b0;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    assume (started != rst_i);
  end
`else
  logic unused;
  assign unused = &{1'b0, clk_i, rst_i};
`endif
endmodule
