// SPDX-License-Identifier: Apache-2.0
// Rule 2.3: every output has a rotating pointer, initially 0; the first requesting input at or
// after the pointer wins. The pointer is a number here, where the arbiter has a mask.
module ecube_rule_2_3_arbitration #(
    parameter int Inputs = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic free_i,
    input logic [Inputs-1:0] request_i,
    input logic [Inputs-1:0] grant_i,
    input logic [Inputs-1:0] at_or_after_i  // the arbiter's register
);
  localparam int Bits = $clog2(Inputs + 1);

  logic [Bits-1:0] pointer, winner;
  logic [Inputs-1:0] expected;

  // The last that is found is the first from the pointer on: first the inputs below the pointer,
  // then those above.
  always_comb begin
    expected = '0;
    winner = '0;
    for (int k = Inputs - 1; k >= 0; k--)
    if (request_i[k] && Bits'(k) < pointer) begin
      expected = Inputs'(1) << k;
      winner = Bits'(k);
    end
    for (int k = Inputs - 1; k >= 0; k--)
    if (request_i[k] && Bits'(k) >= pointer) begin
      expected = Inputs'(1) << k;
      winner = Bits'(k);
    end
    if (!free_i) expected = '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) pointer <= '0;
    else if (expected != '0) pointer <= winner == Bits'(Inputs - 1) ? '0 : winner + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      `ECUBE_RULE(first_at_or_after_pointer)(grant_i == '0 || grant_i == expected);
      `ECUBE_RULE(granted_when_free)(grant_i != '0 || expected == '0);
      `ECUBE_REGISTER(mask_is_pointer)
        (pointer < Bits'(Inputs) && at_or_after_i == ~((Inputs'(1) << pointer) - 1'b1));
    end
  end
endmodule
