// SPDX-License-Identifier: Apache-2.0
// Rotating arbitration for one output: the first request at or after the pointer wins, and the pointer moves behind it.
module ecube_arbiter #(
    parameter int Inputs = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic free_i,
    input logic [Inputs-1:0] request_i,
    output logic [Inputs-1:0] grant_o  // at most one bit, at the edge to come
);
  if (Inputs < 2) begin : g_refuse_inputs
    `ECUBE_REFUSE("ecube_arbiter: Inputs has to be 2 at least");
  end

  logic [Inputs-1:0] at_or_after_q, at_or_after_d;  // the pointer, as a mask of the inputs that come before it wraps
  logic [Inputs-1:0] masked, winner, above;

  // The lowest bit that is set. A subtraction would say the same with a chain of carries, which is slower.
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

  // A winner i leaves the inputs above i; behind the last one the pointer is back at 0.
  for (genvar i = 0; i < Inputs; i++) begin : g_above
    localparam logic [Inputs-1:0] Below = ~({Inputs{1'b1}} << i);
    assign above[i] = grant_o[Inputs-1] || (grant_o & Below) != '0;
  end
  always_comb begin
    at_or_after_d = at_or_after_q;
    if (free_i && request_i != '0 && ecube_pkg::fault != ecube_pkg::FaultPointer) at_or_after_d = above;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) at_or_after_q <= '1;
    else at_or_after_q <= at_or_after_d;
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
      `ECUBE_ASSERT(mask_of_a_pointer)(at_or_after_q[Inputs-1] && (~at_or_after_q & (~at_or_after_q + 1'b1)) == '0);
    end
  end

`ifdef ECUBE_PROPERTIES
  ecube_rule_2_3_arbitration #(
      .Inputs(Inputs)
  ) rule_2_3 (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .free_i(free_i),
      .request_i(request_i),
      .grant_i(grant_o),
      .at_or_after_i(at_or_after_q)
  );
`endif

`ifdef ECUBE_HOLD
  ecube_rule_2_3_waiting #(
      .Inputs(Inputs),
      .Hold(`ECUBE_HOLD)
  ) waiting (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .free_i(free_i),
      .request_i(request_i),
      .grant_i(grant_o),
      .at_or_after_i(at_or_after_q)
  );
`endif

`ifdef ECUBE_ONE_MODULE
  // The first cycle resets.
  logic started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q != rst_i);
  end

  // A request is served after at most Inputs - 1 others: every grant to another input brings the pointer nearer. So the
  // grants so far and the inputs from the pointer up to the request are together never more than Inputs - 1.
  localparam int Bits = $clog2(2 * Inputs);
  for (genvar i = 0; i < Inputs; i++) begin : g_served
    logic [Bits-1:0] others_q, between;
    logic [Inputs-1:0] before_it;

    for (genvar k = 0; k < Inputs; k++) begin : g_before
      assign before_it[k] = k < i ? at_or_after_q[k] || !at_or_after_q[i] : k > i && at_or_after_q[k] && !at_or_after_q[i];
    end
    always_comb begin
      between = '0;
      for (int k = 0; k < Inputs; k++) between = between + Bits'(before_it[k]);
    end

    always_ff @(posedge clk_i) begin
      if (rst_i || !request_i[i] || grant_o[i]) others_q <= '0;
      else if (grant_o != '0) others_q <= others_q + 1'b1;
      if (!rst_i) begin
        `ECUBE_ASSERT(pointer_comes_nearer)(others_q + between <= Bits'(Inputs - 1));
        `ECUBE_ASSERT(served_in_turn)(others_q < Bits'(Inputs));
      end
    end
  end
`endif
endmodule
