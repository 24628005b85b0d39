// SPDX-License-Identifier: Apache-2.0
// Rotating arbitration for one output: the first request at or after the pointer wins, and the pointer moves behind it.
module ecube_arbiter #(
    parameter int INPUTS = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic free_i,
    input logic [INPUTS-1:0] request_i,
    output logic [INPUTS-1:0] grant_o  // at most one bit, at the edge to come
);
  if (INPUTS < 2) begin : g_refuse_inputs
    `ECUBE_REFUSE("ecube_arbiter: INPUTS has to be 2 at least");
  end

  logic [INPUTS-1:0] at_or_after;  // the pointer, as a mask of the inputs that come before it wraps
  logic [INPUTS-1:0] masked, winner, above;

  // The lowest bit that is set. A subtraction would say the same with a chain of carries, which is slower.
  function automatic logic [INPUTS-1:0] first(input logic [INPUTS-1:0] mask);
    logic found;
    found = 1'b0;
    for (int i = 0; i < INPUTS; i++) begin
      first[i] = mask[i] && !found;
      found = found || mask[i];
    end
  endfunction

  assign masked = request_i & at_or_after;
  assign winner = masked != '0 ? first(masked) : first(request_i);
  assign grant_o = free_i ? winner : '0;

  // A winner i leaves the inputs above i; behind the last one the pointer is back at 0.
  for (genvar i = 0; i < INPUTS; i++) begin : g_above
    localparam logic [INPUTS-1:0] Below = ~({INPUTS{1'b1}} << i);
    assign above[i] = grant_o[INPUTS-1] || (grant_o & Below) != '0;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) at_or_after <= '1;
    else if (free_i && request_i != '0 && ecube_pkg::fault != ecube_pkg::FaultPointer) at_or_after <= above;
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
      `ECUBE_ASSERT(mask_of_a_pointer)(at_or_after[INPUTS-1] && (~at_or_after & (~at_or_after + 1'b1)) == '0);
    end
  end

`ifdef ECUBE_PROPERTIES
  ecube_rule_2_3_arbitration #(
      .INPUTS(INPUTS)
  ) rule_2_3 (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .free_i(free_i),
      .request_i(request_i),
      .grant_i(grant_o),
      .at_or_after_i(at_or_after)
  );
`endif

`ifdef ECUBE_ONE_MODULE
  // The first cycle resets.
  logic started;
  initial started = 1'b0;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    assume (started != rst_i);
  end

  // A request is served after at most INPUTS - 1 others: every grant to another input brings the pointer nearer. So the
  // grants so far and the inputs from the pointer up to the request are together never more than INPUTS - 1.
  localparam int Bits = $clog2(2 * INPUTS);
  for (genvar i = 0; i < INPUTS; i++) begin : g_served
    logic [Bits-1:0] others, between;
    logic [INPUTS-1:0] before_it;

    for (genvar k = 0; k < INPUTS; k++) begin : g_before
      assign before_it[k] = k < i ? at_or_after[k] || !at_or_after[i] : k > i && at_or_after[k] && !at_or_after[i];
    end
    always_comb begin
      between = '0;
      for (int k = 0; k < INPUTS; k++) between = between + Bits'(before_it[k]);
    end

    always_ff @(posedge clk_i) begin
      if (rst_i || !request_i[i] || grant_o[i]) others <= '0;
      else if (grant_o != '0) others <= others + 1'b1;
      if (!rst_i) begin
        `ECUBE_ASSERT(pointer_comes_nearer)(others + between <= Bits'(INPUTS - 1));
        `ECUBE_ASSERT(served_in_turn)(others < Bits'(INPUTS));
      end
    end
  end
`endif
endmodule
