// SPDX-License-Identifier: Apache-2.0
// What rule 2.3 means for who waits: if an output is never in use for more than Hold edges in a
// row, an input that asks is granted within Inputs (Hold + 1) edges. Each occupation takes Hold
// edges at most and the grant after it one, and at most Inputs occupations come first: the one that
// is there when the input asks, and one of every other input, because every grant to another input
// brings the pointer nearer. It is only in the proof of an arbiter with HOLD, because one router
// cannot make circuits end in time.
module ecube_rule_2_3_waiting #(
    parameter int Inputs = 4,
    parameter int Hold = 3
) (
    input logic clk_i,
    input logic rst_i,
    input logic free_i,
    input logic [Inputs-1:0] request_i,
    input logic [Inputs-1:0] grant_i,
    input logic [Inputs-1:0] at_or_after_i  // the pointer, as a mask
);
  localparam int Most = Inputs * (Hold + 1);
  localparam int Bits = $clog2(Most + 2);
  localparam int Few = $clog2(2 * Inputs + 2);

  logic [Bits-1:0] used_q;  // edges at which the output has been in use
  logic [Inputs*Bits-1:0] waited_q;  // [input] edges at which it has asked and was not granted
  logic [Inputs*Few-1:0] first_q;  // [input] occupations that have come first
  logic [Inputs-1:0] late, too_long, too_many;

  always_comb
    for (int i = 0; i < Inputs; i++) begin
      logic [Few-1:0] between, first;
      logic [Bits-1:0] waited, most;
      waited = waited_q[i*Bits+:Bits];
      first = first_q[i*Few+:Few];
      between = '0;  // inputs from the pointer up to this one
      for (int k = 0; k < Inputs; k++)
      if (k < i ? at_or_after_i[k] || !at_or_after_i[i] : k > i && at_or_after_i[k] &&
          !at_or_after_i[i])
        between = between + 1'b1;
      // The occupations that came first, and of the one that is there as much as has passed.
      most = Bits'(first) * Bits'(Hold + 1);
      if (!free_i) most = most - Bits'(Hold) + used_q;
      too_long[i] = waited != '0 && waited > most;
      too_many[i] = waited != '0 &&
          (first == '0 || (Few + 1)'(first) + (Few + 1)'(between) > (Few + 1)'(Inputs));
      late[i] = waited > Bits'(Most);
    end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      used_q <= '0;
      waited_q <= '0;
      first_q <= '0;
    end else begin
      used_q <= free_i ? '0 : used_q + 1'b1;
      for (int i = 0; i < Inputs; i++)
      if (!request_i[i] || grant_i[i]) begin
        waited_q[i*Bits+:Bits] <= '0;
        first_q[i*Few+:Few] <= '0;
      end else begin
        waited_q[i*Bits+:Bits] <= waited_q[i*Bits+:Bits] + 1'b1;
        if (waited_q[i*Bits+:Bits] == '0) first_q[i*Few+:Few] <= Few'(1);
        else if (grant_i != '0) first_q[i*Few+:Few] <= first_q[i*Few+:Few] + 1'b1;
      end
    end
    if (!rst_i) begin
      `ECUBE_NEIGHBOUR(output_is_given_back)(free_i || used_q < Bits'(Hold));
      `ECUBE_REGISTER(waits_for_those_before)(too_long == '0);
      `ECUBE_REGISTER(at_most_all_others_before)(too_many == '0);
      `ECUBE_RULE(granted_in_time)(late == '0);
    end
  end
endmodule
