// SPDX-License-Identifier: Apache-2.0
// Rotating arbitration for one output: the first request at or after the pointer wins, and the
// pointer moves behind it.
module ecube_arbiter #(
    parameter int Inputs = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic free_i,
    input logic [Inputs-1:0] request_i,
    output logic [Inputs-1:0] grant_o,  // at most one bit, at the edge to come
    // The pointer, as a mask of the inputs that come before it wraps.
    output logic [Inputs-1:0] at_or_after_o
);
  ecube_parameters #(
      .Inputs(Inputs)
  ) parameters ();

  logic [Inputs-1:0] at_or_after_q;
  logic [Inputs-1:0] masked, winner, above;

  // The lowest bit that is set, without a subtraction, whose chain of carries would be slower.
  function automatic logic [Inputs-1:0] first(input logic [Inputs-1:0] mask);
    logic found;
    found = 1'b0;
    for (int i = 0; i < Inputs; i++) begin
      first[i] = mask[i] && !found;
      found = found || mask[i];
    end
  endfunction

  assign masked = request_i & at_or_after_q;
  assign winner = masked != '0 ? first(masked) : first(request_i);
  assign grant_o = free_i ? winner : '0;
  assign at_or_after_o = at_or_after_q;

  // A winner i leaves the inputs above i; behind the last one the pointer is back at 0.
  for (genvar i = 0; i < Inputs; i++) begin : g_above
    localparam logic [Inputs-1:0] Below = ~({Inputs{1'b1}} << i);
    assign above[i] = grant_o[Inputs-1] || (grant_o & Below) != '0;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      at_or_after_q <= '1;
    end else if (free_i && request_i != '0) begin
      at_or_after_q <= above;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      // At most one input wins, and the winner has asked.
      `ECUBE_ASSERT(one_winner)((grant_o & (grant_o - 1'b1)) == '0);
      `ECUBE_ASSERT(winner_asked)((grant_o & ~request_i) == '0);
      // A free output that is requested is granted at once; an owned output is not granted.
      `ECUBE_ASSERT(never_idle)(!(free_i && request_i != '0) || grant_o != '0);
      `ECUBE_ASSERT(not_while_owned)(free_i || grant_o == '0);
      // The mask has the form of a pointer: all inputs from one on.
      `ECUBE_ASSERT(mask_of_a_pointer)
        (at_or_after_q[Inputs-1] && (~at_or_after_q & (~at_or_after_q + 1'b1)) == '0);
    end
  end
endmodule
