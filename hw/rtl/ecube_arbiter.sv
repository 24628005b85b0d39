// SPDX-License-Identifier: Apache-2.0
// Rotating arbitration for one output: the first request at or after the pointer wins, and the pointer moves behind it.
module ecube_arbiter #(
    parameter int INPUTS = 4,
    parameter int FAULT = 0  // ecube_pkg::Fault...
) (
    input logic clk,
    input logic reset,
    input logic free,
    input logic [INPUTS-1:0] request,
    output logic [INPUTS-1:0] grant  // at most one bit, at the edge to come
);
  logic [INPUTS-1:0] at_or_after;  // the pointer, as a mask of the inputs that come before it wraps
  logic [INPUTS-1:0] masked, candidates, winner;

  assign masked = request & at_or_after;
  assign candidates = masked != '0 ? masked : request;
  assign winner = candidates & (~candidates + 1'b1);
  assign grant = free ? winner : '0;

  // A winner i leaves the inputs above i; behind the last one the pointer is back at 0.
  always_ff @(posedge clk) begin
    if (reset) at_or_after <= '1;
    else if (grant != '0 && FAULT != ecube_pkg::FaultPointer)
      at_or_after <= grant[INPUTS-1] ? '1 : ~((grant << 1) - 1'b1);
  end

  always_ff @(posedge clk) begin
    if (!reset) begin
      assert ((grant & (grant - 1'b1)) == '0);
      assert ((grant & ~request) == '0);
      assert (!(free && request != '0) || grant != '0);
      assert (at_or_after[INPUTS-1] && (~at_or_after & (~at_or_after + 1'b1)) == '0);
    end
  end
endmodule
