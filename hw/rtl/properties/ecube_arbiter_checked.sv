// SPDX-License-Identifier: Apache-2.0
// An arbiter and the rules that it obeys.
module ecube_arbiter_checked #(
    parameter int Inputs = 4,
    // Edges that an output is kept at most; with 0 any number, and waiting has no bound.
    parameter int Hold = 0
) (
    input logic clk_i,
    input logic rst_i,
    input logic free_i,
    input logic [Inputs-1:0] request_i,
    output logic [Inputs-1:0] grant_o,
    output logic [Inputs-1:0] at_or_after_o
);
  ecube_arbiter #(
      .Inputs(Inputs)
  ) arbiter (.*);

  ecube_first_reset first_reset (.*);

  ecube_rule_2_3_arbitration #(
      .Inputs(Inputs)
  ) rule_2_3 (
      .grant_i(grant_o),
      .at_or_after_i(at_or_after_o),
      .*
  );

  if (Hold > 0) begin : g_hold
    ecube_rule_2_3_waiting #(
        .Inputs(Inputs),
        .Hold(Hold)
    ) waiting (
        .grant_i(grant_o),
        .at_or_after_i(at_or_after_o),
        .*
    );
  end

  // A request is served after at most Inputs - 1 others: every grant to another input brings the
  // pointer nearer. So the grants so far and the inputs from the pointer up to the request are
  // together never more than Inputs - 1.
  localparam int Bits = $clog2(2 * Inputs);
  for (genvar i = 0; i < Inputs; i++) begin : g_served
    logic [Bits-1:0] others, between;
    logic [Inputs-1:0] before_it;

    for (genvar k = 0; k < Inputs; k++) begin : g_before
      assign before_it[k] = k < i ? at_or_after_o[k] || !at_or_after_o[i]
                                  : k > i && at_or_after_o[k] && !at_or_after_o[i];
    end
    always_comb begin
      between = '0;
      for (int k = 0; k < Inputs; k++) between = between + Bits'(before_it[k]);
    end

    always_ff @(posedge clk_i) begin
      if (rst_i || !request_i[i] || grant_o[i]) others <= '0;
      else if (grant_o != '0) others <= others + 1'b1;
      if (!rst_i) begin
        `ECUBE_REGISTER(pointer_comes_nearer)(others + between <= Bits'(Inputs - 1));
        `ECUBE_RULE(served_in_turn)(others < Bits'(Inputs));
      end
    end
  end
endmodule
